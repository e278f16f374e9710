//! The format of numbers in messages: words. A natural number is the count of its limbs, followed
//! by the limbs.

use crate::number::Natural;

use crate::error::{Error, Result};

/// Appends a number to the words of a message.
pub(crate) fn put(words: &mut Vec<u64>, n: &Natural) {
    let limbs = n.limbs();
    words.push(limbs.len() as u64);
    words.extend_from_slice(limbs);
}

/// A reader over the words of a message.
#[derive(Debug)]
pub(crate) struct Words<'a>(pub(crate) &'a [u64]);

impl Words<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn word(&mut self) -> Result<u64> {
        let (first, rest) = self.0.split_first().ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn number(&mut self) -> Result<Natural> {
        let count = usize::try_from(self.word()?).map_err(|_| cut_short())?;
        let (limbs, rest) = self.0.split_at_checked(count).ok_or_else(cut_short)?;
        self.0 = rest;
        Ok(Natural::from_limbs(limbs))
    }
}

fn cut_short() -> Error {
    Error::Cluster("a message of another rank is cut short".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers: Vec<Natural> = [0u128, 1, u64::MAX.into(), u128::MAX]
            .map(Natural::from)
            .into();
        let mut words = vec![7];
        numbers.iter().for_each(|n| put(&mut words, n));
        let mut read = Words(&words);
        assert_eq!(read.word(), Ok(7));
        for n in &numbers {
            assert_eq!(read.number().as_ref(), Ok(n));
        }
        assert!(read.is_empty() && read.word().is_err());
        assert!(Words(&words[..words.len() - 1]).word().is_ok());
        assert!(Words(&[3, 1, 2]).number().is_err());
        assert!(Words(&[u64::MAX]).number().is_err());
    }
}
