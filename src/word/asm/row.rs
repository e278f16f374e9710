//! Sums of numbers and multiples by a word for x86-64, with mulx, adcx and adox.
//!
//! The loop of a multiple has eight units. A length that is no multiple of eight enters at a later
//! unit, with the pointers moved down by the units left out, so no unit reads or writes beyond the
//! operands.

#![allow(unsafe_code)]

use std::arch::naked_asm;

/// Jumps to the unit that leaves (−n) mod 8 out, where n is in `$count`. Moves each `$pointer` down
/// by as many limbs. Sets `$count` to the passes through the loop and clears CF and OF. r9 and r10
/// become the carry into the first unit: r8 where `$carry` is "test", zero where it is "xor".
macro_rules! enter {
    ($carry:literal, $count:literal, $($pointer:literal),+) => {
        concat!(
            "mov r9, ", $count, "\n",
            "neg r9\n",
            "and r9d, 7\n",
            "add ", $count, ", 7\n",
            "shr ", $count, ", 3\n",
            "lea r10, [8*r9]\n",
            $("sub ", $pointer, ", r10\n",)+
            "lea r11, [rip + 20f]\n",
            "movsxd r9, dword ptr [r11 + 4*r9]\n",
            "add r11, r9\n",
            $carry, " r8, r8\n",
            "mov r9, r8\n",
            "mov r10, r8\n",
            "jmp r11\n",
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

/// Eight units. A unit of `mul_word` and `addmul_word` takes the high half of the unit before from
/// one of r9 and r10 and leaves its own in the other.
macro_rules! units {
    ($unit:ident) => {
        concat!(
            ".p2align 4\n",
            "21:\n",
            $unit!("0", "r9", "r10"),
            "22:\n",
            $unit!("8", "r10", "r9"),
            "23:\n",
            $unit!("16", "r9", "r10"),
            "24:\n",
            $unit!("24", "r10", "r9"),
            "25:\n",
            $unit!("32", "r9", "r10"),
            "26:\n",
            $unit!("40", "r10", "r9"),
            "27:\n",
            $unit!("48", "r9", "r10"),
            "28:\n",
            $unit!("56", "r10", "r9"),
        )
    };
}

/// One limb of a sum or a difference.
macro_rules! one_sum {
    ($op:literal) => {
        concat!("mov rax, [rsi]\n", $op, " rax, [rdx]\n", "mov [rdi], rax\n")
    };
}

/// Four limbs of a sum or a difference. All loads of a come before the stores: a load just after a
/// store to an address that is the same modulo 4096 would have to wait.
macro_rules! four_sums {
    ($op:literal, $at0:literal, $at1:literal, $at2:literal, $at3:literal) => {
        concat!(
            "mov rax, [rsi + ",
            $at0,
            "]\n",
            "mov r8, [rsi + ",
            $at1,
            "]\n",
            "mov r9, [rsi + ",
            $at2,
            "]\n",
            "mov r10, [rsi + ",
            $at3,
            "]\n",
            $op,
            " rax, [rdx + ",
            $at0,
            "]\n",
            $op,
            " r8, [rdx + ",
            $at1,
            "]\n",
            $op,
            " r9, [rdx + ",
            $at2,
            "]\n",
            $op,
            " r10, [rdx + ",
            $at3,
            "]\n",
            "mov [rdi + ",
            $at0,
            "], rax\n",
            "mov [rdi + ",
            $at1,
            "], r8\n",
            "mov [rdi + ",
            $at2,
            "], r9\n",
            "mov [rdi + ",
            $at3,
            "], r10\n",
        )
    };
}

macro_rules! mul_unit {
    ($at:literal, $new:literal, $old:literal) => {
        concat!(
            "mulx ",
            $new,
            ", rax, [rsi + ",
            $at,
            "]\n",
            "adc rax, ",
            $old,
            "\n",
            "mov [rdi + ",
            $at,
            "], rax\n",
        )
    };
}

macro_rules! addmul_unit {
    ($at:literal, $new:literal, $old:literal) => {
        concat!(
            "mulx ",
            $new,
            ", rax, [rsi + ",
            $at,
            "]\n",
            "adcx rax, ",
            $old,
            "\n",
            "adox rax, [rdi + ",
            $at,
            "]\n",
            "mov [rdi + ",
            $at,
            "], rax\n",
        )
    };
}

/// A sum or a difference; the carry or borrow. The limbs above a multiple of eight come first: up
/// to three one by one, then four. rax keeps the carry, as 0 or −1, while flags are used for
/// something else.
macro_rules! sum {
    ($op:literal) => {
        naked_asm!(
            "mov r8, rcx",
            "mov r9, rcx",
            "shr rcx, 3",
            "xor eax, eax",
            "and r8d, 3",
            "jz 3f",
            "2:",
            one_sum!($op),
            "lea rsi, [rsi + 8]",
            "lea rdx, [rdx + 8]",
            "lea rdi, [rdi + 8]",
            "dec r8d",
            "jnz 2b",
            "sbb rax, rax",
            "3:",
            "test r9b, 4",
            "jz 4f",
            "add rax, rax",
            four_sums!($op, "0", "8", "16", "24"),
            "lea rsi, [rsi + 32]",
            "lea rdx, [rdx + 32]",
            "lea rdi, [rdi + 32]",
            "sbb rax, rax",
            "4:",
            "test rcx, rcx",
            "jz 6f",
            "add rax, rax",
            ".p2align 4",
            "5:",
            four_sums!($op, "0", "8", "16", "24"),
            four_sums!($op, "32", "40", "48", "56"),
            "lea rsi, [rsi + 64]",
            "lea rdx, [rdx + 64]",
            "lea rdi, [rdi + 64]",
            "dec rcx",
            "jnz 5b",
            "sbb rax, rax",
            "6:",
            "neg rax",
            "ret",
        )
    };
}

/// out = a + b; the carry, 0 or 1.
///
/// # Safety
///
/// All are valid for `len` limbs, at least 1. `out` may be `a` or `b` itself and overlaps neither
/// otherwise.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn add(
    out: *mut u64,
    a: *const u64,
    b: *const u64,
    len: usize,
) -> u64 {
    sum!("adc")
}

/// out = a − b modulo 2^(64·len); the borrow, 0 or 1.
///
/// # Safety
///
/// As for [`add`].
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn sub(
    out: *mut u64,
    a: *const u64,
    b: *const u64,
    len: usize,
) -> u64 {
    sum!("sbb")
}

/// out = a·word + carry; the limb above.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `out` and `a` are valid for `len` limbs, at least 1. `out` may
/// be `a` itself and does not overlap it otherwise.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn mul_word(
    out: *mut u64,
    a: *const u64,
    len: usize,
    word: u64,
    carry: u64,
) -> u64 {
    naked_asm!(
        "xchg rcx, rdx",
        enter!("test", "rcx", "rdi", "rsi"),
        units!(mul_unit),
        "lea rdi, [rdi + 64]",
        "lea rsi, [rsi + 64]",
        "dec rcx",
        "jnz 21b",
        "adc r10, 0",
        "mov rax, r10",
        "ret",
        table!(),
    )
}

/// sum += a·word; the limb above.
///
/// # Safety
///
/// The processor has BMI2 and ADX. `sum` and `a` are valid for `len` limbs, at least 1, and do not
/// overlap.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn addmul_word(
    sum: *mut u64,
    a: *const u64,
    len: usize,
    word: u64,
) -> u64 {
    naked_asm!(
        "xchg rcx, rdx",
        enter!("xor", "rcx", "rdi", "rsi"),
        units!(addmul_unit),
        "lea rdi, [rdi + 64]",
        "lea rsi, [rsi + 64]",
        "lea rcx, [rcx - 1]",
        "jrcxz 3f",
        "jmp 21b",
        "3:",
        "mov eax, 0",
        "adcx r10, rax",
        "adox rax, r10",
        "ret",
        table!(),
    )
}

/// rest −= a·word modulo 2^(64·len); the borrow, a limb.
///
/// The products of four limbs are summed first and subtracted then, because both chains need CF.
/// The borrow of a limb is at most 2^64 − 1: it is the high part of a·word plus one at most.
///
/// # Safety
///
/// The processor has BMI2. `rest` and `a` are valid for `len` limbs, at least 1, and do not
/// overlap.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn submul_word(
    rest: *mut u64,
    a: *const u64,
    len: usize,
    word: u64,
) -> u64 {
    naked_asm!(
        "push rbx",
        "xchg rcx, rdx",
        "xor r11d, r11d",
        "mov ebx, ecx",
        "and ebx, 3",
        "jz 3f",
        "2:",
        "mulx r8, rax, [rsi]",
        "add rax, r11",
        "adc r8, 0",
        "sub [rdi], rax",
        "adc r8, 0",
        "mov r11, r8",
        "add rsi, 8",
        "add rdi, 8",
        "dec ebx",
        "jnz 2b",
        "3:",
        "shr rcx, 2",
        "jz 5f",
        ".p2align 4",
        "4:",
        "mulx r8, rax, [rsi]",
        "mulx r9, r10, [rsi + 8]",
        "add rax, r11",
        "adc r8, r10",
        "mulx r10, rbx, [rsi + 16]",
        "adc r9, rbx",
        "mulx r11, rbx, [rsi + 24]",
        "adc r10, rbx",
        "adc r11, 0",
        "mov rbx, [rdi]",
        "sub rbx, rax",
        "mov [rdi], rbx",
        "mov rax, [rdi + 8]",
        "sbb rax, r8",
        "mov [rdi + 8], rax",
        "mov rbx, [rdi + 16]",
        "sbb rbx, r9",
        "mov [rdi + 16], rbx",
        "mov rax, [rdi + 24]",
        "sbb rax, r10",
        "mov [rdi + 24], rax",
        "adc r11, 0",
        "add rsi, 32",
        "add rdi, 32",
        "dec rcx",
        "jnz 4b",
        "5:",
        "mov rax, r11",
        "pop rbx",
        "ret",
    )
}

/// One limb of an exact division. rax is the sum so far.
macro_rules! divide_unit {
    ($at:literal) => {
        concat!(
            "mulx r8, rcx, [rdi + ",
            $at,
            "]\n",
            "sub rax, rcx\n",
            "mov [rdi + ",
            $at,
            "], rax\n",
            "sbb rax, r8\n",
        )
    };
}

/// a /= d, for a multiple of d, where `word` is (2^64 − 1)/d.
///
/// # Safety
///
/// The processor has BMI2. `a` is valid for `len` limbs.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn divide_exactly(a: *mut u64, len: usize, word: u64) {
    naked_asm!(
        "xor eax, eax",
        "mov r9d, esi",
        "and r9d, 3",
        "jz 3f",
        "2:",
        divide_unit!("0"),
        "lea rdi, [rdi + 8]",
        "dec r9d",
        "jnz 2b",
        "3:",
        "shr rsi, 2",
        "jz 5f",
        ".p2align 4",
        "4:",
        divide_unit!("0"),
        divide_unit!("8"),
        divide_unit!("16"),
        divide_unit!("24"),
        "lea rdi, [rdi + 32]",
        "dec rsi",
        "jnz 4b",
        "5:",
        "ret",
    )
}
