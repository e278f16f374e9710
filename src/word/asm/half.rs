//! Montgomery reductions and low products for x86-64, by the steps of `step.rs`.

#![allow(unsafe_code)]

use std::arch::naked_asm;

use super::step::*;

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

/// The window of k limbs with the limbs at a pointer: plus those at rdi, less those at rcx, or
/// those at rsi instead where ZF is clear.
macro_rules! each {
    (add 1) => {
        "add r8, [rdi]\n"
    };
    (add 2) => {
        concat!(each!(add 1), "adc r9, [rdi + 8]\n")
    };
    (add 3) => {
        concat!(each!(add 2), "adc r10, [rdi + 16]\n")
    };
    (add 4) => {
        concat!(each!(add 3), "adc r11, [rdi + 24]\n")
    };
    (add 5) => {
        concat!(each!(add 4), "adc r12, [rdi + 32]\n")
    };
    (add 6) => {
        concat!(each!(add 5), "adc r13, [rdi + 40]\n")
    };
    (add 7) => {
        concat!(each!(add 6), "adc r14, [rdi + 48]\n")
    };
    (add 8) => {
        concat!(each!(add 7), "adc r15, [rdi + 56]\n")
    };
    (sub 1) => {
        "sub r8, [rcx]\n"
    };
    (sub 2) => {
        concat!(each!(sub 1), "sbb r9, [rcx + 8]\n")
    };
    (sub 3) => {
        concat!(each!(sub 2), "sbb r10, [rcx + 16]\n")
    };
    (sub 4) => {
        concat!(each!(sub 3), "sbb r11, [rcx + 24]\n")
    };
    (sub 5) => {
        concat!(each!(sub 4), "sbb r12, [rcx + 32]\n")
    };
    (sub 6) => {
        concat!(each!(sub 5), "sbb r13, [rcx + 40]\n")
    };
    (sub 7) => {
        concat!(each!(sub 6), "sbb r14, [rcx + 48]\n")
    };
    (sub 8) => {
        concat!(each!(sub 7), "sbb r15, [rcx + 56]\n")
    };
    (take 1) => {
        "cmovnz r8, [rsi]\n"
    };
    (take 2) => {
        concat!(each!(take 1), "cmovnz r9, [rsi + 8]\n")
    };
    (take 3) => {
        concat!(each!(take 2), "cmovnz r10, [rsi + 16]\n")
    };
    (take 4) => {
        concat!(each!(take 3), "cmovnz r11, [rsi + 24]\n")
    };
    (take 5) => {
        concat!(each!(take 4), "cmovnz r12, [rsi + 32]\n")
    };
    (take 6) => {
        concat!(each!(take 5), "cmovnz r13, [rsi + 40]\n")
    };
    (take 7) => {
        concat!(each!(take 6), "cmovnz r14, [rsi + 48]\n")
    };
    (take 8) => {
        concat!(each!(take 7), "cmovnz r15, [rsi + 56]\n")
    };
}

/// A whole reduction of k limbs. The sum goes to out, at rsi. Then rax is the carry of the sum less
/// the borrow of sum − m: zero where the difference counts, and −1 where the sum is below m.
macro_rules! short_block {
    ($label:literal, $k:tt, $bytes:literal) => {
        concat!(
            ".p2align 4\n",
            $label,
            ":\n",
            window!(clear $k),
            quotients!($k),
            "add rdi, ",
            $bytes,
            "\n",
            "mov eax, 0\n",
            each!(add $k),
            "adc rax, 0\n",
            "mov rdi, rsi\n",
            window!(store $k),
            each!(sub $k),
            "sbb rax, 0\n",
            each!(take $k),
            window!(store $k),
            "jmp 9f\n",
        )
    };
}

/// out = x/2^(64·len) modulo m, below m. x < m·2^(64·len) is destroyed.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `m` is readable for `len` limbs, 1 to 8. `out` is writable for
/// as many, and `x` valid for twice as many. None overlaps another.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn reduce_short(
    x: *mut u64,
    out: *mut u64,
    m: *const u64,
    len: usize,
    minus_inverse: u64,
) {
    // [rsp + 24]: −1/m.
    naked_asm!(
        enter!(),
        "mov [rsp + 24], r8",
        "lea rbx, [rcx - 1]",
        "mov rcx, rdx",
        choose!(),
        short_block!("21", 1, "8"),
        short_block!("22", 2, "16"),
        short_block!("23", 3, "24"),
        short_block!("24", 4, "32"),
        short_block!("25", 5, "40"),
        short_block!("26", 6, "48"),
        short_block!("27", 7, "56"),
        short_block!("28", 8, "64"),
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
