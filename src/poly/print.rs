//! Polynomials as text.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::Poly;
use crate::error::{Error, Result};

/// How a polynomial is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// `3*x^2 + x + 5`
    #[default]
    Expression,
    /// One coefficient a line, constant term first; no line for the polynomial 0 but a `0`.
    Lines,
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Format> {
        match text {
            "expr" => Ok(Format::Expression),
            "lines" => Ok(Format::Lines),
            _ => Err(Error::Domain(format!(
                "unknown format '{text}': use expr or lines"
            ))),
        }
    }
}

impl Poly {
    /// The polynomial in this format; lines end with a newline but the last.
    pub fn try_to_text(&self, format: Format) -> Result<String> {
        let coefficients = self.try_coefficients()?;
        if coefficients.is_empty() {
            return Ok("0".into());
        }
        let mut text = String::new();
        match format {
            Format::Expression => expression(coefficients, &mut text),
            Format::Lines => lines(coefficients, &mut text),
        }
        .map_err(|_| Error::Domain("a polynomial too long to print".into()))?;
        Ok(text)
    }
}

fn lines(coefficients: &[u64], out: &mut impl Write) -> fmt::Result {
    for (i, c) in coefficients.iter().enumerate() {
        if i > 0 {
            out.write_char('\n')?;
        }
        write!(out, "{c}")?;
    }
    Ok(())
}

fn expression(coefficients: &[u64], out: &mut impl Write) -> fmt::Result {
    let terms = coefficients.iter().enumerate().rev();
    for (n, (i, c)) in terms.filter(|(_, c)| **c != 0).enumerate() {
        if n > 0 {
            out.write_str(" + ")?;
        }
        match (i, c) {
            (0, c) => write!(out, "{c}")?,
            (_, 1) => {}
            (_, c) => write!(out, "{c}*")?,
        }
        match i {
            0 => {}
            1 => out.write_char('x')?,
            i => write!(out, "x^{i}")?,
        }
    }
    Ok(())
}

impl fmt::Display for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.coefficients() {
            [] => f.write_str("0"),
            coefficients => expression(coefficients, f),
        }
    }
}

impl fmt::Debug for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} (mod {})", self.modulus)
    }
}
