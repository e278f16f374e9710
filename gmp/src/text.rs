//! Digits in both directions. bezout knows the radixes 2 to 36; the others are the original's.
//! Radixes that are powers of two take linear time in GMP, too, and are never worth a copy.

use std::ffi::{c_char, c_void};

use bezout::Int;

use crate::abi::{Answer, In, Operand, Out, len, slice};
use crate::function::Function;
use crate::serve::Decline;
use crate::start;

/// Decimal digits of a limb, rounded up.
const DIGITS: usize = 20;

/// Limbs that so many digits make, by the rule for decimal ones.
#[inline(always)]
fn limbs_of(digits: usize) -> usize {
    digits.div_ceil(DIGITS)
}

/// The size of a text. Characters beyond those that decide are not looked at.
///
/// # Safety
/// `text` must end with a zero byte.
#[inline(always)]
unsafe fn text_limbs(text: *const c_char, function: &Function) -> usize {
    let gate = function.gate.load(std::sync::atomic::Ordering::Relaxed);
    let enough = match gate {
        // Nothing is known yet, or calls are traced.
        0 => usize::MAX / 2,
        _ => gate.saturating_mul(DIGITS),
    };
    // SAFETY: the text ends with a zero byte.
    limbs_of(unsafe { libc::strnlen(text, enough) })
}

/// Refuses a base that is left to the original.
fn check(base: u32) -> Result<(), Decline> {
    match base {
        2..=36 if !base.is_power_of_two() => Ok(()),
        _ => Err(Decline::Case),
    }
}

/// The value of a digit in the bases up to 36, in either case; 255 for everything else.
fn digit(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'z' => byte - b'a' + 10,
        b'A'..=b'Z' => byte - b'A' + 10,
        _ => 255,
    }
}

/// The digit of a value below 36.
fn letter(digit: u8) -> u8 {
    match digit {
        0..=9 => b'0' + digit,
        _ => b'a' + digit - 10,
    }
}

/// What C's `isspace` says in the locale "C".
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The number that a text means to `mpz_set_str`. Whatever GMP would refuse is declined, and so is
/// what a locale may decide.
fn parse(text: &[u8], base: i32) -> Result<Answer, Decline> {
    let start = text.iter().position(|byte| !is_space(*byte));
    let text = &text[start.ok_or(Decline::Case)?..];
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let base = match (base, text) {
        // A prefix says another base.
        (0, [b'0', ..]) => return Err(Decline::Case),
        (0, _) => 10,
        _ => u32::try_from(base).map_err(|_| Decline::Case)?,
    };
    check(base)?;
    let first = text.first().ok_or(Decline::Case)?;
    if u32::from(digit(*first)) >= base {
        return Err(Decline::Case);
    }
    let is_plain = match base {
        // A loop on bytes without an exit is done by vector instructions.
        ..=10 => {
            let beyond = |byte: u8| u8::from(byte.wrapping_sub(b'0') >= base as u8);
            text.iter().fold(0, |strays, byte| strays | beyond(*byte)) == 0
        }
        _ => text.iter().all(|byte| u32::from(digit(*byte)) < base),
    };
    let owned;
    let digits = if is_plain {
        text
    } else {
        owned = text
            .iter()
            .copied()
            .filter(|byte| !is_space(*byte))
            .collect::<Vec<u8>>();
        if owned.iter().any(|byte| u32::from(digit(*byte)) >= base) {
            return Err(Decline::Case);
        }
        &owned
    };
    let digits = std::str::from_utf8(digits).map_err(|_| Decline::Case)?;
    Ok(Answer::new(Int::from_str_radix(digits, base)?)?.signed(negative))
}

/// A text that waits for the place it goes to, without a destructor.
struct Text(std::mem::ManuallyDrop<String>);

impl Text {
    fn new(text: String) -> Text {
        Text(std::mem::ManuallyDrop::new(text))
    }

    /// Writes the characters and the zero byte that ends them.
    ///
    /// # Safety
    /// `to` must have room for them.
    unsafe fn write(mut self, to: *mut c_char) {
        // SAFETY: `to` has room. The text is dropped once, and not used after that.
        unsafe {
            let len = self.0.len();
            to.cast::<u8>()
                .copy_from_nonoverlapping(self.0.as_ptr(), len);
            *to.add(len) = 0;
            std::mem::ManuallyDrop::drop(&mut self.0);
        }
    }
}

/// Memory for a text of so many bytes, from the program's own allocator.
///
/// # Safety
/// The program's allocator must keep to GMP's rules.
unsafe fn allocate(bytes: usize) -> *mut c_char {
    let Some(allocate) = start::allocator() else {
        crate::log::say("no GMP is loaded that could allocate a text");
        std::process::abort();
    };
    // SAFETY: the function takes any size; GMP's rules forbid a null result.
    let memory: *mut c_void = unsafe { allocate(bytes) };
    memory.cast()
}

entries! {
    /// `mpn_get_str`: digits as numbers, without leading zeros; returns how many.
    MPN_GET_STR: "get_str" from 64 in Gmp;
    fn __gmpn_get_str(to: *mut u8, base: i32, ap: *mut u64, n: i64) -> usize;
    limbs n as usize;
    let a = slice(ap, n as usize);
    compute {
        let base = u32::try_from(base).map_err(|_| Decline::Case)?;
        check(base)?;
        let mut digits = Int::from_limbs_slice(a).try_to_string_radix(base)?.into_bytes();
        if base <= 10 {
            digits.iter_mut().for_each(|byte| *byte -= b'0');
        } else {
            digits.iter_mut().for_each(|byte| *byte = digit(*byte));
        }
        Ok(digits)
    }
    deliver |digits: Vec<u8>| {
        to.copy_from_nonoverlapping(digits.as_ptr(), digits.len());
        digits.len()
    };

    /// `mpn_set_str`: the number with these digits; returns how many limbs it has.
    MPN_SET_STR: "set_str" from 96 in Gmp;
    fn __gmpn_set_str(rp: *mut u64, from: *const u8, count: usize, base: i32) -> i64;
    limbs limbs_of(count);
    let digits = std::slice::from_raw_parts(from, count);
    compute {
        let base = u32::try_from(base).map_err(|_| Decline::Case)?;
        check(base)?;
        // GMP may count limbs for leading zeros.
        if digits.first() == Some(&0) || digits.iter().any(|digit| u32::from(*digit) >= base) {
            return Err(Decline::Case);
        }
        let text: Vec<u8> = match base {
            ..=10 => digits.iter().map(|digit| b'0' + digit).collect(),
            _ => digits.iter().map(|digit| letter(*digit)).collect(),
        };
        let text = String::from_utf8(text).map_err(|_| Decline::Case)?;
        Answer::new(Int::from_str_radix(&text, base)?)
    }
    deliver |value: Answer| {
        let len = value.len();
        value.fill(rp, len);
        len as i64
    };

    /// `mpz_get_str`: text in the program's memory, or in new memory of just its size.
    GET_STR: "get_str" from 64 in Gmp;
    fn __gmpz_get_str(to: *mut c_char, base: i32, a: In) -> *mut c_char;
    limbs len(a);
    let a = Operand::new(a);
    compute {
        let radix = match base {
            -1..=1 => 10,
            _ => base.unsigned_abs(),
        };
        check(radix)?;
        let mut text = a.int().try_to_string_radix(radix)?;
        if base < -10 {
            text.make_ascii_uppercase();
        }
        Ok(Text::new(text))
    }
    deliver |text: Text| {
        let to = if to.is_null() { allocate(text.0.len() + 1) } else { to };
        text.write(to);
        to
    };

    /// `mpz_set_str`: returns 0, or −1 for what is not a number.
    SET_STR: "set_str" from 96 in Gmp;
    fn __gmpz_set_str(r: Out, text: *const c_char, base: i32) -> i32;
    limbs text_limbs(text, &SET_STR);
    let text = std::ffi::CStr::from_ptr(text).to_bytes();
    compute { parse(text, base) }
    deliver |value: Answer| {
        value.store(r);
        0
    };
}
