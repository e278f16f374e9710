//! t ← t + a·b for a row of limbs and one limb: the inner loop of products and of Montgomery's
//! reduction.

#![allow(unsafe_code)]

/// Adds a·b to t, which has as many limbs as a, and returns the carry.
#[inline]
pub(super) fn add_product(t: &mut [u64], a: &[u64], b: u64) -> u64 {
    assert!(t.len() == a.len());
    #[cfg(target_arch = "x86_64")]
    if a.len() >= BLOCK && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("adx") {
        let head = a.len() % BLOCK;
        let carry = portable(&mut t[..head], &a[..head], b, 0);
        // SAFETY: the processor has the instructions, and both rows have the same length, a
        // multiple of BLOCK.
        return unsafe { blocks(&mut t[head..], &a[head..], b, carry) };
    }
    portable(t, a, b, 0)
}

fn portable(t: &mut [u64], a: &[u64], b: u64, mut carry: u64) -> u64 {
    for (t, a) in t.iter_mut().zip(a) {
        let sum = u128::from(*a) * u128::from(b) + u128::from(*t) + u128::from(carry);
        *t = sum as u64;
        carry = (sum >> 64) as u64;
    }
    carry
}

/// Limbs per turn of the loop.
#[cfg(target_arch = "x86_64")]
const BLOCK: usize = 8;

/// The loop with two chains of carries: adcx adds the upper halves of the products, adox adds t.
///
/// # Safety
/// The processor must have BMI2 and ADX. Both rows must have the same length, a positive multiple
/// of BLOCK.
#[cfg(target_arch = "x86_64")]
unsafe fn blocks(t: &mut [u64], a: &[u64], b: u64, carry: u64) -> u64 {
    debug_assert!(t.len() == a.len() && !a.is_empty() && a.len().is_multiple_of(BLOCK));
    let mut carry = carry;
    macro_rules! step {
        ($from:literal, $to:literal, $at:literal) => {
            concat!(
                "mulx ",
                $to,
                ", {low}, [{a} + ",
                $at,
                "]\n",
                "adcx {low}, ",
                $from,
                "\n",
                "adox {low}, [{t} + ",
                $at,
                "]\n",
                "mov [{t} + ",
                $at,
                "], {low}\n",
            )
        };
    }
    // SAFETY: the loop reads and writes a.len()/BLOCK blocks of each row, which is all of both.
    unsafe {
        std::arch::asm!(
            "xor {low:e}, {low:e}",
            "2:",
            step!("{carry}", "{high}", "0"),
            step!("{high}", "{carry}", "8"),
            step!("{carry}", "{high}", "16"),
            step!("{high}", "{carry}", "24"),
            step!("{carry}", "{high}", "32"),
            step!("{high}", "{carry}", "40"),
            step!("{carry}", "{high}", "48"),
            step!("{high}", "{carry}", "56"),
            "lea {a}, [{a} + 64]",
            "lea {t}, [{t} + 64]",
            "lea rcx, [rcx - 1]",
            "jrcxz 3f",
            "jmp 2b",
            "3:",
            // Both chains end in the last upper half, which has room for them.
            "mov {low:e}, 0",
            "adcx {carry}, {low}",
            "adox {carry}, {low}",
            a = inout(reg) a.as_ptr() => _,
            t = inout(reg) t.as_mut_ptr() => _,
            low = out(reg) _,
            high = out(reg) _,
            carry = inout(reg) carry,
            inout("rcx") a.len() / BLOCK => _,
            in("rdx") b,
            options(nostack),
        );
    }
    carry
}
