//! The steps of products by blocks for x86-64, with mulx, adcx and adox.
//!
//! The shorter operand b is cut in blocks of up to eight limbs. A block is multiplied by one limb
//! of a after the other, from the lowest. Between two limbs a window of k registers, where k is the
//! length of the block, holds the part of the sum that is not final yet. The step for a[i]
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
//! Registers: rdi out, rsi a, rcx block, rdx the limb of a, rax low half, rbx high half of the
//! first product, rbp zero, r8 to r15 window.

/// One product in a step: adds `$next` (limb of the window) and the low half to `$here` (high half
/// of the product before). The high half goes to `$next`.
macro_rules! product {
    ($here:literal, $window:literal, $next:literal, $at:literal) => {
        concat!(
            "adcx ",
            $here,
            ", ",
            $window,
            "\n",
            "mulx ",
            $next,
            ", rax, [rcx + ",
            $at,
            "]\n",
            "adox ",
            $here,
            ", rax\n",
        )
    };
}

/// How a step gets the limb that multiplies the block (rdx), what it adds, and what it stores.
/// `set`: the limb of a; nothing; the lowest limb. `sum`: the limb of a; the limb of out; the
/// lowest limb. `quotient`: the limb that makes the lowest limb zero, by −1/m modulo 2^64 at [rsp +
/// 24]; the limb of out; the multiplier.
macro_rules! limb {
    (load quotient, $at:literal) => {
        concat!(
            "mov rdx, r8\n",
            "add rdx, [rdi + ",
            $at,
            "]\n",
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

/// A step for a block of so many limbs: `full` after a full window, `grow` after a window that is
/// one limb shorter (its top limb counts as zero, whatever the register holds).
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

/// Steps until the end of a, then the stores of the window. Moves rdi to the limb above the window
/// and rcx to the next block.
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

pub(super) use {
    choose, enter, finish, first_block, first_two, leave, limb, product, start, step, steps, table,
    top, window,
};
