//! The private keys of moduli that a shared prime breaks, as PEM files (RFC 8017, appendix A.1.2).
//! The files that are read need not hold the public exponent: it is taken to be 65537, as nearly
//! all keys have it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use bezout::Int;
use rayon::prelude::*;

use super::Answer;
use super::input::KeyPlace;
use crate::failure::Failure;
use crate::fresh_file::FreshFile;

/// The public exponent.
const EXPONENT: u64 = 65_537;

/// Characters of a line of PEM.
const LINE: usize = 64;

/// Makes the folder, or refuses one that has something in it.
pub fn prepare(folder: &Path) -> Result<(), Failure> {
    let shown = folder.display();
    let failed = |error| Failure::failed(format!("cannot write '{shown}': {error}"));
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed)?;
    let mut files = fs::read_dir(folder).map_err(failed)?;
    if files.next().is_some() {
        let words = format!("'{shown}' is not empty, and nothing in it is overwritten");
        return Err(Failure::bad_input(words).hint("name a new folder with --private-keys"));
    }
    Ok(())
}

/// Writes a file for each modulus that is known to be the product of two primes; how many.
pub fn write(
    folder: &Path,
    moduli: &[Int],
    places: &[KeyPlace],
    answer: &Answer,
) -> Result<usize, Failure> {
    let mut factors: BTreeMap<usize, &Int> = BTreeMap::new();
    for shared in &answer.shared {
        for i in shared.moduli.iter().filter(|i| **i < answer.count) {
            factors.entry(*i).or_insert(&shared.factor);
        }
    }
    let factors: Vec<(usize, &Int)> = factors.into_iter().collect();
    let texts = factors.par_iter().map(|(i, factor)| {
        let text = pem(&moduli[*i], factor)?;
        Ok(text.map(|text| (*i, text)))
    });
    let texts: Vec<Option<(usize, String)>> = texts.collect::<Result<_, Failure>>()?;
    let mut count = 0;
    for (i, text) in texts.into_iter().flatten() {
        count += 1;
        let path: PathBuf = folder.join(format!("key-{count:05}.pem"));
        let target = FreshFile::new(&path, "name a new folder with --private-keys")?;
        let mut file = target.create()?;
        let head = format!(
            "# {}\n# The public exponent is taken to be 65537.\n",
            places[i]
        );
        file.write_all(format!("{head}{text}").as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(|error| target.failed(&error))?;
        target.publish()?;
    }
    Ok(count)
}

/// The file of n, of which a factor is known; none unless it leaves two different primes to which
/// the exponent has an inverse.
fn pem(n: &Int, factor: &Int) -> Result<Option<String>, Failure> {
    let (other, rest) = n.try_div_rem(factor)?;
    if !rest.is_zero() || other == *factor {
        return Ok(None);
    }
    let (p, q) = if other > *factor {
        (&other, factor)
    } else {
        (factor, &other)
    };
    if !p.try_is_probable_prime()? || !q.try_is_probable_prime()? {
        return Ok(None);
    }
    let e = Int::from(EXPONENT);
    let below = |x: &Int| x.try_add_small(-1);
    let (p_below, q_below) = (below(p)?, below(q)?);
    let phi = p_below.try_lcm(&q_below)?;
    let Ok(d) = e.try_mod_inverse(&phi) else {
        return Ok(None);
    };
    let numbers = [
        Int::ZERO,
        n.clone(),
        e,
        d.clone(),
        p.clone(),
        q.clone(),
        d.try_div_rem(&p_below)?.1,
        d.try_div_rem(&q_below)?.1,
        q.try_mod_inverse(p)?,
    ];
    let mut content = Vec::new();
    for number in &numbers {
        content.extend(integer(number));
    }
    let encoded = base64(&tagged(0x30, &content));
    let lines = encoded.as_bytes().chunks(LINE);
    let lines = lines.map(|line| format!("{}\n", String::from_utf8_lossy(line)));
    let body: String = lines.collect();
    Ok(Some(format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n"
    )))
}

/// The DER of a number from 0 on.
fn integer(number: &Int) -> Vec<u8> {
    let mut bytes: Vec<u8> = number
        .limbs()
        .iter()
        .flat_map(|limb| limb.to_le_bytes())
        .collect();
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    // The highest bit is the sign.
    if bytes.last().is_none_or(|top| *top >= 0x80) {
        bytes.push(0);
    }
    bytes.reverse();
    tagged(0x02, &bytes)
}

/// The DER of a tag and its content.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let length: Vec<u8> = length.into_iter().skip_while(|byte| *byte == 0).collect();
    let mut bytes = vec![tag];
    if content.len() >= 0x80 {
        bytes.push(0x80 | length.len() as u8);
    }
    bytes.extend(if content.is_empty() { vec![0] } else { length });
    bytes.extend(content);
    bytes
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut word = [0; 4];
        word[1..=chunk.len()].copy_from_slice(chunk);
        let word = u32::from_be_bytes(word);
        for digit in 0..4 {
            if digit <= chunk.len() {
                let value = word >> (18 - 6 * digit) & 63;
                text.push(ALPHABET[value as usize].into());
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn der_and_base64() {
        assert_eq!(integer(&Int::ZERO), [2, 1, 0]);
        assert_eq!(integer(&Int::from(127)), [2, 1, 127]);
        assert_eq!(integer(&Int::from(128)), [2, 2, 0, 128]);
        assert_eq!(integer(&Int::from(65_537)), [2, 3, 1, 0, 1]);
        let long = integer(&(Int::ONE << 2047));
        assert_eq!(long[..6], [2, 0x82, 1, 1, 0, 0x80]);
        assert_eq!(long.len(), 4 + 257);
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    /// The key's file is read again, and its modulus is the one that was broken.
    #[test]
    fn private_keys_are_read_again() {
        let [p, q] = [Int::ONE << 300, Int::ONE << 310].map(|x| x.try_next_prime().unwrap());
        let n = &p * &q;
        for factor in [&p, &q] {
            let text = pem(&n, factor).unwrap().unwrap();
            let (mut moduli, options) = (Vec::new(), bezout_keyfile::Options::default());
            let source = std::io::Cursor::new(text.into_bytes());
            bezout_keyfile::read(source, &options, |batch: bezout_keyfile::Batch| {
                assert!(batch.skipped.is_empty());
                moduli.extend(batch.keys.into_iter().map(|key| key.value));
            })
            .unwrap();
            assert_eq!(moduli, [bezout_keyfile::Value::Limbs(n.limbs().to_vec())]);
        }
        assert_eq!(pem(&(&p * &p), &p).unwrap(), None);
        assert_eq!(pem(&(&n * 15), &p).unwrap(), None);
        // 65537 divides p − 1.
        let bad = (1..).map(|k: u64| Int::from(65_537) * 2 * k + 1);
        let bad = bad.skip(1000).find(|x| x.is_probable_prime()).unwrap();
        assert_eq!(pem(&(&p * &bad), &p).unwrap(), None);
    }
}
