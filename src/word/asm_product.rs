//! Whole products and squares for x86-64 with mulx, adcx and adox.
//!
//! The shorter operand b is cut in blocks of up to eight limbs. A block is multiplied by one limb of a
//! after the other, from the lowest. Between two limbs a window of k registers, where k is the length
//! of the block, holds the part of the sum that is not final yet. The step for a[i]
//!
//! - adds a[i]·block (and, from the second block on, the limb out[i] that is there) to the window,
//! - stores the lowest limb, which is final for this block, to out[i],
//! - leaves the k limbs above it as the next window.
//!
//! The window is below 2^(64k) before the step. After it, window + a[i]·block + out[i] is at most
//! (2^(64k) − 1) + (2^64 − 1)·(2^(64k) − 1) + 2^64 − 1 < 2^(64k + 64), so k limbs suffice.
//!
//! A step has two chains of carries: CF adds the window to the high halves, OF adds the low halves.
//! The products of step i fill the registers one place lower than the window of step i − 1, so the
//! shift by one limb costs nothing. With k = 8 a step is 37 micro-operations for 8 products.
//!
//! Registers: rdi out, rsi a, rcx block, rdx the limb of a, rax low half, rbx high half of the first
//! product, rbp zero, r8 to r15 window.

#![allow(unsafe_code)]

use std::arch::naked_asm;

/// One product in a step: adds `$next` (limb of the window) and the low half to `$here` (high half of
/// the product before). The high half goes to `$next`.
macro_rules! product {
    ($here:literal, $window:literal, $next:literal, $at:literal) => {
        concat!(
            "adcx ", $here, ", ", $window, "\n",
            "mulx ", $next, ", rax, [rcx + ", $at, "]\n",
            "adox ", $here, ", rax\n",
        )
    };
}

/// How a step gets the limb that multiplies the block (rdx), what it adds, and what it stores. `set`: the
/// limb of a; nothing; the lowest limb. `sum`: the limb of a; the limb of out; the lowest limb.
/// `quotient`: the limb that makes the lowest limb zero, by −1/m modulo 2^64 at [rsp + 24]; the limb of
/// out; the multiplier.
macro_rules! limb {
    (load quotient, $at:literal) => {
        concat!(
            "mov rdx, r8\n",
            "add rdx, [rdi + ", $at, "]\n",
            "imul rdx, [rsp + 24]\n",
            "xor eax, eax\n",
        )
    };
    (load $mode:tt, $at:literal) => {
        concat!("xor eax, eax\n", "mov rdx, [rsi + ", $at, "]\n")
    };
    (add set, $at:literal) => {
        ""
    };
    (add $mode:tt, $at:literal) => {
        concat!("adox rax, [rdi + ", $at, "]\n")
    };
    (store quotient, $at:literal) => {
        concat!("mov [rdi + ", $at, "], rdx\n")
    };
    (store $mode:tt, $at:literal) => {
        concat!("mov [rdi + ", $at, "], rax\n")
    };
    // The first step of a block has one chain of carries, which starts here.
    (first set) => {
        "test rdx, rdx\n"
    };
    (first sum) => {
        "add rax, [rdi]\n"
    };
}

/// The first two products of a step. `$window` is the second limb of the window.
macro_rules! first_two {
    ($at:literal, $window:literal, $mode:tt) => {
        concat!(
            limb!(load $mode, $at),
            "mulx rbx, rax, [rcx]\n",
            "adcx rax, r8\n",
            limb!(add $mode, $at),
            limb!(store $mode, $at),
            "adcx rbx, ", $window, "\n",
            "mulx r9, r8, [rcx + 8]\n",
            "adox r8, rbx\n",
        )
    };
}

/// The end of a step: both carries go to the top limb of the window.
macro_rules! top {
    ($top:literal) => {
        concat!("adcx ", $top, ", rbp\n", "adox ", $top, ", rbp\n")
    };
}

/// A step for a block of so many limbs: `full` after a full window, `grow` after a window that is one
/// limb shorter (its top limb counts as zero, whatever the register holds).
macro_rules! step {
    (full 1, $at:literal, $mode:tt) => {
        concat!(
            limb!(load $mode, $at),
            "mulx rbx, rax, [rcx]\n",
            "adcx rax, r8\n",
            limb!(add $mode, $at),
            limb!(store $mode, $at),
            top!("rbx"),
            "mov r8, rbx\n",
        )
    };
    (full 2, $at:literal, $mode:tt) => {
        concat!(first_two!($at, "r9", $mode), top!("r9"))
    };
    (full 3, $at:literal, $mode:tt) => {
        concat!(first_two!($at, "r9", $mode), product!("r9", "r10", "r10", "16"), top!("r10"))
    };
    (full 4, $at:literal, $mode:tt) => {
        concat!(step!(open 4, $at, $mode), product!("r10", "r11", "r11", "24"), top!("r11"))
    };
    (full 5, $at:literal, $mode:tt) => {
        concat!(step!(open 5, $at, $mode), product!("r11", "r12", "r12", "32"), top!("r12"))
    };
    (full 6, $at:literal, $mode:tt) => {
        concat!(step!(open 6, $at, $mode), product!("r12", "r13", "r13", "40"), top!("r13"))
    };
    (full 7, $at:literal, $mode:tt) => {
        concat!(step!(open 7, $at, $mode), product!("r13", "r14", "r14", "48"), top!("r14"))
    };
    (full 8, $at:literal, $mode:tt) => {
        concat!(step!(open 8, $at, $mode), product!("r14", "r15", "r15", "56"), top!("r15"))
    };
    (grow 2, $at:literal, $mode:tt) => {
        concat!(first_two!($at, "rbp", $mode), top!("r9"))
    };
    (grow 3, $at:literal, $mode:tt) => {
        concat!(first_two!($at, "r9", $mode), product!("r9", "rbp", "r10", "16"), top!("r10"))
    };
    (grow 4, $at:literal, $mode:tt) => {
        concat!(step!(open 4, $at, $mode), product!("r10", "rbp", "r11", "24"), top!("r11"))
    };
    (grow 5, $at:literal, $mode:tt) => {
        concat!(step!(open 5, $at, $mode), product!("r11", "rbp", "r12", "32"), top!("r12"))
    };
    (grow 6, $at:literal, $mode:tt) => {
        concat!(step!(open 6, $at, $mode), product!("r12", "rbp", "r13", "40"), top!("r13"))
    };
    (grow 7, $at:literal, $mode:tt) => {
        concat!(step!(open 7, $at, $mode), product!("r13", "rbp", "r14", "48"), top!("r14"))
    };
    // All products of a step but the last.
    (open 4, $at:literal, $mode:tt) => {
        concat!(first_two!($at, "r9", $mode), product!("r9", "r10", "r10", "16"))
    };
    (open 5, $at:literal, $mode:tt) => {
        concat!(step!(open 4, $at, $mode), product!("r10", "r11", "r11", "24"))
    };
    (open 6, $at:literal, $mode:tt) => {
        concat!(step!(open 5, $at, $mode), product!("r11", "r12", "r12", "32"))
    };
    (open 7, $at:literal, $mode:tt) => {
        concat!(step!(open 6, $at, $mode), product!("r12", "r13", "r13", "40"))
    };
    (open 8, $at:literal, $mode:tt) => {
        concat!(step!(open 7, $at, $mode), product!("r13", "r14", "r14", "48"))
    };
}

/// The first step of a block, whose window is zero: one chain of carries.
macro_rules! start {
    (1, $mode:tt) => {
        concat!("mov rdx, [rsi]\n", "mulx r8, rax, [rcx]\n", limb!(first $mode), "mov [rdi], rax\n")
    };
    (2, $mode:tt) => {
        concat!(start!(1, $mode), "mulx r9, rax, [rcx + 8]\n", "adc r8, rax\n")
    };
    (3, $mode:tt) => {
        concat!(start!(2, $mode), "mulx r10, rax, [rcx + 16]\n", "adc r9, rax\n")
    };
    (4, $mode:tt) => {
        concat!(start!(3, $mode), "mulx r11, rax, [rcx + 24]\n", "adc r10, rax\n")
    };
    (5, $mode:tt) => {
        concat!(start!(4, $mode), "mulx r12, rax, [rcx + 32]\n", "adc r11, rax\n")
    };
    (6, $mode:tt) => {
        concat!(start!(5, $mode), "mulx r13, rax, [rcx + 40]\n", "adc r12, rax\n")
    };
    (7, $mode:tt) => {
        concat!(start!(6, $mode), "mulx r14, rax, [rcx + 48]\n", "adc r13, rax\n")
    };
    (8, $mode:tt) => {
        concat!(start!(7, $mode), "mulx r15, rax, [rcx + 56]\n", "adc r14, rax\n")
    };
}

/// The top limb of the window, and the stores of the whole window to rdi.
macro_rules! window {
    (top 1) => { "r8" };
    (top 2) => { "r9" };
    (top 3) => { "r10" };
    (top 4) => { "r11" };
    (top 5) => { "r12" };
    (top 6) => { "r13" };
    (top 7) => { "r14" };
    (top 8) => { "r15" };
    (clear 1) => { "xor r8d, r8d\n" };
    (clear 2) => { concat!(window!(clear 1), "xor r9d, r9d\n") };
    (clear 3) => { concat!(window!(clear 2), "xor r10d, r10d\n") };
    (clear 4) => { concat!(window!(clear 3), "xor r11d, r11d\n") };
    (clear 5) => { concat!(window!(clear 4), "xor r12d, r12d\n") };
    (clear 6) => { concat!(window!(clear 5), "xor r13d, r13d\n") };
    (clear 7) => { concat!(window!(clear 6), "xor r14d, r14d\n") };
    (clear 8) => { concat!(window!(clear 7), "xor r15d, r15d\n") };
    (store 1) => { "mov [rdi], r8\n" };
    (store 2) => { concat!(window!(store 1), "mov [rdi + 8], r9\n") };
    (store 3) => { concat!(window!(store 2), "mov [rdi + 16], r10\n") };
    (store 4) => { concat!(window!(store 3), "mov [rdi + 24], r11\n") };
    (store 5) => { concat!(window!(store 4), "mov [rdi + 32], r12\n") };
    (store 6) => { concat!(window!(store 5), "mov [rdi + 40], r13\n") };
    (store 7) => { concat!(window!(store 6), "mov [rdi + 48], r14\n") };
    (store 8) => { concat!(window!(store 7), "mov [rdi + 56], r15\n") };
}

/// Steps until rsi is the end of a, which lies at [rsp].
macro_rules! steps {
    ($k:tt, $mode:tt) => {
        concat!(
            "mov rax, [rsp]\n",
            "sub rax, rsi\n",
            "test al, 8\n",
            "jz 3f\n",
            step!(full $k, "0", $mode),
            "add rsi, 8\n",
            "add rdi, 8\n",
            "3:\n",
            "cmp rsi, [rsp]\n",
            "je 5f\n",
            ".p2align 4\n",
            "4:\n",
            step!(full $k, "0", $mode),
            step!(full $k, "8", $mode),
            "add rsi, 16\n",
            "add rdi, 16\n",
            "cmp rsi, [rsp]\n",
            "jne 4b\n",
            "5:\n",
        )
    };
}

/// Steps until the end of a, then the stores of the window. Moves rdi to the limb above the window and
/// rcx to the next block.
macro_rules! finish {
    ($k:tt, $bytes:literal, $mode:tt) => {
        concat!(
            steps!($k, $mode),
            window!(store $k),
            "add rdi, ", $bytes, "\n",
            "add rcx, ", $bytes, "\n",
        )
    };
}

/// The first block of a product.
macro_rules! first_block {
    ($label:literal, $k:tt, $bytes:literal) => {
        concat!(
            ".p2align 4\n",
            $label, ":\n",
            start!($k, set),
            "adc ", window!(top $k), ", 0\n",
            "add rsi, 8\n",
            "add rdi, 8\n",
            finish!($k, $bytes, set),
            "jmp 6f\n",
        )
    };
}

/// Pushes the registers that the caller keeps, and makes room for four words.
macro_rules! enter {
    () => {
        "push rbx\npush rbp\npush r12\npush r13\npush r14\npush r15\nsub rsp, 32\nxor ebp, ebp\n"
    };
}

macro_rules! leave {
    () => {
        "add rsp, 32\npop r15\npop r14\npop r13\npop r12\npop rbp\npop rbx\nret\n"
    };
}

/// Jumps to the block whose length less one is in rbx, by the table at label 20.
macro_rules! choose {
    () => {
        concat!(
            "lea rax, [rip + 20f]\n",
            "movsxd rbx, dword ptr [rax + 4*rbx]\n",
            "add rax, rbx\n",
            "jmp rax\n",
        )
    };
}

macro_rules! table {
    () => {
        concat!(
            ".p2align 2\n",
            "20:\n",
            ".long 21b - 20b\n.long 22b - 20b\n.long 23b - 20b\n.long 24b - 20b\n",
            ".long 25b - 20b\n.long 26b - 20b\n.long 27b - 20b\n.long 28b - 20b\n",
        )
    };
}

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
            $label, ":\n",
            square_block!($k, $bytes, set),
            "jmp 6f\n",
        )
    };
}

/// Two limbs of out doubled, the square of a limb of a added.
macro_rules! diagonal {
    ($at:literal, $low:literal, $high:literal) => {
        concat!(
            "mov rdx, [rsi + ", $at, "]\n",
            "mulx r9, r8, rdx\n",
            "mov r10, [rdi + ", $low, "]\n",
            "mov r11, [rdi + ", $high, "]\n",
            "adcx r10, r10\n",
            "adcx r11, r11\n",
            "adox r10, r8\n",
            "adox r11, r9\n",
            "mov [rdi + ", $low, "], r10\n",
            "mov [rdi + ", $high, "], r11\n",
        )
    };
}

/// out = a².
///
/// The products of two different limbs come first, each once, by blocks: a block of k limbs from
/// a[s] on is multiplied by a[s + 1] and the limbs above, each time by those limbs of the block that
/// are below. They are doubled and the squares of the limbs added at the end.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `a` is readable for `len` limbs, at least 1. `out` is writable for
/// `2·len` limbs and does not overlap `a`.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn square(out: *mut u64, a: *const u64, len: usize) {
    // [rsp]: end of a. [rsp + 8]: start of a. [rsp + 16]: blocks of eight that remain. [rsp + 24]: out.
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

/// The first part of a block of a reduction: k quotients, each of which makes a limb of x zero and is
/// kept there. The block of the steps is the first k limbs of m, in rcx.
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
/// window, which belongs to the n limbs of x above, takes the place of the quotients. Moves rdi to the
/// next block.
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
        concat!(".p2align 4\n", $label, ":\n", reduce_block!($k, $bytes), "jmp 6f\n")
    };
}

/// Adds a multiple of m to x that makes its lower n limbs zero. The carries into the upper limbs are not
/// added but take the place of the lower limbs: (x + q·m)/2^(64n) is the sum of both halves.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `m` is readable for `len` limbs, at least 1, and `x` valid for twice as
/// many. They do not overlap.
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
    // [rsp]: end of the limbs of a that count. [rsp + 8]: start of a. [rsp + 16]: blocks of eight that
    // remain.
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

/// out = ⌊a·b/2^(64·(len − 8))⌋ − e, len + 8 limbs, with 0 ≤ e < len·2^512. A block of b from limb s on is
/// multiplied by the upper s + 8 limbs of a, so limbs a[i] and b[j] are left out only if i + j < len − 1.
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
