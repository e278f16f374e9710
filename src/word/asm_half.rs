//! Montgomery reductions, low and high products for x86-64, by the steps of `asm_step.rs`.

#![allow(unsafe_code)]

use std::arch::naked_asm;

use super::asm_step::*;

/// The first part of a block of a reduction: k quotients, each of which makes a limb of x zero and
/// is kept there. The block of the steps is the first k limbs of m, in rcx.
macro_rules! quotients {
    (1) => {
        step!(full 1, "0", quotient)
    };
    (2) => {
        concat!(step!(full 2, "0", quotient), step!(full 2, "8", quotient))
    };
    (3) => {
        concat!(
            step!(full 3, "0", quotient),
            step!(full 3, "8", quotient),
            step!(full 3, "16", quotient),
        )
    };
    ($k:tt) => {
        concat!(
            step!(full $k, "0", quotient),
            step!(full $k, "8", quotient),
            step!(full $k, "16", quotient),
            step!(full $k, "24", quotient),
            quotients!(above 3, $k),
        )
    };
    (above 3, 4) => {
        ""
    };
    (above 3, $k:tt) => {
        concat!(step!(full $k, "32", quotient), quotients!(above 4, $k))
    };
    (above 4, 5) => {
        ""
    };
    (above 4, $k:tt) => {
        concat!(step!(full $k, "40", quotient), quotients!(above 5, $k))
    };
    (above 5, 6) => {
        ""
    };
    (above 5, $k:tt) => {
        concat!(step!(full $k, "48", quotient), quotients!(above 6, $k))
    };
    (above 6, 7) => {
        ""
    };
    (above 6, 8) => {
        step!(full 8, "56", quotient)
    };
}

/// A block of a reduction: k quotients, then their products with the limbs of m from limb k on. The
/// window, which belongs to the n limbs of x above, takes the place of the quotients. Moves rdi to
/// the next block.
macro_rules! reduce_block {
    ($k:tt, $bytes:literal) => {
        concat!(
            window!(clear $k),
            "mov rcx, [rsp + 8]\n",
            quotients!($k),
            "mov rcx, rdi\n",
            "mov rsi, [rsp + 8]\n",
            "add rsi, ", $bytes, "\n",
            "add rdi, ", $bytes, "\n",
            steps!($k, sum),
            "mov rdi, rcx\n",
            window!(store $k),
            "add rdi, ", $bytes, "\n",
        )
    };
}

macro_rules! first_reduce_block {
    ($label:literal, $k:tt, $bytes:literal) => {
        concat!(
            ".p2align 4\n",
            $label,
            ":\n",
            reduce_block!($k, $bytes),
            "jmp 6f\n"
        )
    };
}

/// Adds a multiple of m to x that makes its lower n limbs zero. The carries into the upper limbs
/// are not added but take the place of the lower limbs: (x + q·m)/2^(64n) is the sum of both
/// halves.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `m` is readable for `len` limbs, at least 1, and `x` valid for
/// twice as many. They do not overlap.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn reduce(
    x: *mut u64,
    m: *const u64,
    len: usize,
    minus_inverse: u64,
) {
    // [rsp]: end of m. [rsp + 8]: start of m. [rsp + 16]: blocks of eight that remain.
    // [rsp + 24]: −1/m.
    naked_asm!(
        enter!(),
        "lea rax, [rsi + 8*rdx]",
        "mov [rsp], rax",
        "mov [rsp + 8], rsi",
        "mov [rsp + 24], rcx",
        "lea rbx, [rdx - 1]",
        "mov rax, rbx",
        "shr rax, 3",
        "mov [rsp + 16], rax",
        "and ebx, 7",
        choose!(),
        first_reduce_block!("21", 1, "8"),
        first_reduce_block!("22", 2, "16"),
        first_reduce_block!("23", 3, "24"),
        first_reduce_block!("24", 4, "32"),
        first_reduce_block!("25", 5, "40"),
        first_reduce_block!("26", 6, "48"),
        first_reduce_block!("27", 7, "56"),
        first_reduce_block!("28", 8, "64"),
        "6:",
        "dec qword ptr [rsp + 16]",
        "js 9f",
        reduce_block!(8, "64"),
        "jmp 6b",
        "9:",
        leave!(),
        table!(),
    )
}

/// The first block of a low product: no limb above the length of a is stored.
macro_rules! first_low_block {
    ($label:literal, $k:tt, $bytes:literal) => {
        concat!(
            ".p2align 4\n",
            $label, ":\n",
            start!($k, set),
            "adc ", window!(top $k), ", 0\n",
            "add rsi, 8\n",
            "add rdi, 8\n",
            steps!($k, set),
            "add rcx, ", $bytes, "\n",
            "sub qword ptr [rsp], ", $bytes, "\n",
            "jmp 6f\n",
        )
    };
}

/// out = a·b modulo 2^(64·len). A block of b is multiplied by as many limbs of a as reach out.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `a` and `b` are readable and `out` writable for `len` limbs, at
/// least 1. `out` overlaps neither operand.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn mul_low(
    out: *mut u64,
    a: *const u64,
    b: *const u64,
    len: usize,
) {
    // [rsp]: end of the limbs of a that count. [rsp + 8]: start of a. [rsp + 16]: blocks of eight
    // that remain.
    naked_asm!(
        enter!(),
        "lea rax, [rsi + 8*rcx]",
        "mov [rsp], rax",
        "mov [rsp + 8], rsi",
        "lea rbx, [rcx - 1]",
        "mov rcx, rdx",
        "mov rax, rbx",
        "shr rax, 3",
        "mov [rsp + 16], rax",
        "and ebx, 7",
        choose!(),
        first_low_block!("21", 1, "8"),
        first_low_block!("22", 2, "16"),
        first_low_block!("23", 3, "24"),
        first_low_block!("24", 4, "32"),
        first_low_block!("25", 5, "40"),
        first_low_block!("26", 6, "48"),
        first_low_block!("27", 7, "56"),
        first_low_block!("28", 8, "64"),
        // Every block ends with rdi at the end of out.
        "6:",
        "dec qword ptr [rsp + 16]",
        "js 9f",
        "mov rsi, [rsp + 8]",
        "mov rax, [rsp]",
        "sub rax, rsi",
        "sub rdi, rax",
        start!(8, sum),
        "adc r15, 0",
        "add rsi, 8",
        "add rdi, 8",
        steps!(8, sum),
        "add rcx, 64",
        "sub qword ptr [rsp], 64",
        "jmp 6b",
        "9:",
        leave!(),
        table!(),
    )
}

/// out = ⌊a·b/2^(64·(len − 8))⌋ − e, len + 8 limbs, with 0 ≤ e < len·2^512. A block of b from limb
/// s on is multiplied by the upper s + 8 limbs of a, so limbs a[i] and b[j] are left out only if i
/// + j < len − 1.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `a` and `b` are readable for `len` limbs, at least 8, and `out`
/// writable for `len + 8`. It overlaps neither operand.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn mul_high(
    out: *mut u64,
    a: *const u64,
    b: *const u64,
    len: usize,
) {
    // [rsp]: end of a. [rsp + 8]: eight limbs below that, plus b. [rsp + 16]: blocks of eight that
    // remain. [rsp + 24]: out.
    naked_asm!(
        enter!(),
        "lea rax, [rsi + 8*rcx]",
        "mov [rsp], rax",
        "lea rsi, [rax - 64]",
        "lea rax, [rsi + rdx]",
        "mov [rsp + 8], rax",
        "mov [rsp + 24], rdi",
        "lea rbx, [rcx - 1]",
        "mov rcx, rdx",
        "mov rax, rbx",
        "shr rax, 3",
        "mov [rsp + 16], rax",
        "and ebx, 7",
        choose!(),
        first_block!("21", 1, "8"),
        first_block!("22", 2, "16"),
        first_block!("23", 3, "24"),
        first_block!("24", 4, "32"),
        first_block!("25", 5, "40"),
        first_block!("26", 6, "48"),
        first_block!("27", 7, "56"),
        first_block!("28", 8, "64"),
        "6:",
        "dec qword ptr [rsp + 16]",
        "js 9f",
        "mov rsi, [rsp + 8]",
        "sub rsi, rcx",
        "mov rdi, [rsp + 24]",
        start!(8, sum),
        "adc r15, 0",
        "add rsi, 8",
        "add rdi, 8",
        finish!(8, "64", sum),
        "jmp 6b",
        "9:",
        leave!(),
        table!(),
    )
}
