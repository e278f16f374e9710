//! Whole products and squares for x86-64, by the steps of `step.rs`.

#![allow(unsafe_code)]

use std::arch::naked_asm;

use super::step::*;

/// out = a·b.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `a` is readable for `a_len` limbs and `b` for `b_len`, both at
/// least 1. `out` is writable for `a_len + b_len` limbs and overlaps neither.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn mul(
    out: *mut u64,
    a: *const u64,
    a_len: usize,
    b: *const u64,
    b_len: usize,
) {
    // [rsp]: end of a. [rsp + 8]: start of a. [rsp + 16]: blocks of eight that remain.
    naked_asm!(
        enter!(),
        "lea rax, [rsi + 8*rdx]",
        "mov [rsp], rax",
        "mov [rsp + 8], rsi",
        "lea rbx, [r8 - 1]",
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
        "mov rax, [rsp]",
        "sub rax, rsi",
        "sub rdi, rax",
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

/// The products of the limbs of a block of so many limbs with each other, each pair once. At first
/// rsi is the second limb of the block. The window grows by one limb with each step.
macro_rules! triangle {
    (1, $mode:tt) => {
        ""
    };
    (2, $mode:tt) => {
        concat!(start!(1, $mode), "adc r8, 0\n")
    };
    (3, $mode:tt) => {
        concat!(triangle!(2, $mode), step!(grow 2, "8", $mode))
    };
    (4, $mode:tt) => {
        concat!(triangle!(3, $mode), step!(grow 3, "16", $mode))
    };
    (5, $mode:tt) => {
        concat!(triangle!(4, $mode), step!(grow 4, "24", $mode))
    };
    (6, $mode:tt) => {
        concat!(triangle!(5, $mode), step!(grow 5, "32", $mode))
    };
    (7, $mode:tt) => {
        concat!(triangle!(6, $mode), step!(grow 6, "40", $mode))
    };
    (8, $mode:tt) => {
        concat!(triangle!(7, $mode), step!(grow 7, "48", $mode))
    };
}

/// A block of a square: the products inside it, then those with the limbs of a above it.
macro_rules! square_block {
    ($k:tt, $bytes:literal, $mode:tt) => {
        concat!(
            triangle!($k, $mode),
            "xor ", window!(top $k), ", ", window!(top $k), "\n",
            "add rsi, ", $bytes, " - 8\n",
            "add rdi, ", $bytes, " - 8\n",
            finish!($k, $bytes, $mode),
        )
    };
}

macro_rules! first_square_block {
    ($label:literal, $k:tt, $bytes:literal) => {
        concat!(
            ".p2align 4\n",
            $label,
            ":\n",
            square_block!($k, $bytes, set),
            "jmp 6f\n",
        )
    };
}

/// Two limbs of out doubled, the square of a limb of a added.
macro_rules! diagonal {
    ($at:literal, $low:literal, $high:literal) => {
        concat!(
            "mov rdx, [rsi + ",
            $at,
            "]\n",
            "mulx r9, r8, rdx\n",
            "mov r10, [rdi + ",
            $low,
            "]\n",
            "mov r11, [rdi + ",
            $high,
            "]\n",
            "adcx r10, r10\n",
            "adcx r11, r11\n",
            "adox r10, r8\n",
            "adox r11, r9\n",
            "mov [rdi + ",
            $low,
            "], r10\n",
            "mov [rdi + ",
            $high,
            "], r11\n",
        )
    };
}

/// out = a².
///
/// The products of two different limbs come first, each once, by blocks: a block of k limbs from
/// a[s] on is multiplied by a[s + 1] and the limbs above, each time by those limbs of the block
/// that are below. They are doubled and the squares of the limbs added at the end.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `a` is readable for `len` limbs, at least 1. `out` is writable
/// for `2·len` limbs and does not overlap `a`.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn square(out: *mut u64, a: *const u64, len: usize) {
    // [rsp]: end of a. [rsp + 8]: start of a. [rsp + 16]: blocks of eight that remain. [rsp + 24]:
    // out.
    naked_asm!(
        enter!(),
        "lea rax, [rsi + 8*rdx]",
        "mov [rsp], rax",
        "mov [rsp + 8], rsi",
        "mov [rsp + 24], rdi",
        "lea rbx, [rdx - 1]",
        "mov rax, rbx",
        "shr rax, 3",
        "mov [rsp + 16], rax",
        "and ebx, 7",
        "mov [rdi], rbp",
        "mov rcx, rsi",
        "add rsi, 8",
        "add rdi, 8",
        choose!(),
        first_square_block!("21", 1, "8"),
        first_square_block!("22", 2, "16"),
        first_square_block!("23", 3, "24"),
        first_square_block!("24", 4, "32"),
        first_square_block!("25", 5, "40"),
        first_square_block!("26", 6, "48"),
        first_square_block!("27", 7, "56"),
        first_square_block!("28", 8, "64"),
        "6:",
        "dec qword ptr [rsp + 16]",
        "js 7f",
        // The block starts at a[s], where rcx is: out from limb 2s + 1 on.
        "lea rsi, [rcx + 8]",
        "mov rdi, rcx",
        "sub rdi, [rsp + 8]",
        "add rdi, rdi",
        "add rdi, [rsp + 24]",
        "add rdi, 8",
        square_block!(8, "64", sum),
        "jmp 6b",
        // The diagonal.
        "7:",
        "mov rsi, [rsp + 8]",
        "mov rdi, [rsp + 24]",
        "mov rcx, [rsp]",
        "sub rcx, rsi",
        "shr rcx, 4",
        "jc 2f",
        "xor eax, eax",
        "jmp 8f",
        "2:",
        "xor eax, eax",
        diagonal!("0", "0", "8"),
        "lea rsi, [rsi + 8]",
        "lea rdi, [rdi + 16]",
        "jrcxz 9f",
        ".p2align 4",
        "8:",
        diagonal!("0", "0", "8"),
        diagonal!("8", "16", "24"),
        "lea rsi, [rsi + 16]",
        "lea rdi, [rdi + 32]",
        "lea rcx, [rcx - 1]",
        "jrcxz 9f",
        "jmp 8b",
        "9:",
        leave!(),
        table!(),
    )
}
