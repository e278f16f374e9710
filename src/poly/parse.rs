//! Polynomials from text.
//!
//! ```text
//!   expression = [sign] term { sign term }
//!   term       = number | [number ["*"]] "x" [("^" | "**") number]
//!   lines      = one coefficient a line, constant term first; blank lines and what follows a "#" do not count
//! ```
//! Coefficients are in (−p, p); terms may come in any order, and those of one power add up.

use super::modulus::Modulus;
use super::print::Format;
use super::{Poly, coefficients};
use crate::error::{Error, Result};

/// The largest exponent: a polynomial takes a word for each power below it.
const MOST_DEGREE: u64 = 1 << 32;

impl Poly {
    /// The polynomial that an expression such as `3*x^2 + x + 5` stands for; coefficients are above −p and below p.
    ///
    /// ```
    /// # use bezout::{Poly, poly::Modulus};
    /// let p = Modulus::new(101)?;
    /// assert_eq!(Poly::parse("x^3 - 2x + 100", p)?.coefficients(), [100, 99, 0, 1]);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn parse(text: &str, modulus: Modulus) -> Result<Poly> {
        Poly::parse_as(text, Format::Expression, modulus)
    }

    /// The polynomial in a text of this format. Errors say the line and the position in it.
    pub fn parse_as(text: &str, format: Format, modulus: Modulus) -> Result<Poly> {
        let mut cursor = Cursor {
            text,
            at: 0,
            modulus,
        };
        let found = match format {
            Format::Expression => cursor.expression(),
            Format::Lines => cursor.lines(),
        }?;
        Ok(Poly::from_residues(found, modulus))
    }
}

struct Cursor<'a> {
    text: &'a str,
    /// The byte that comes next.
    at: usize,
    modulus: Modulus,
}

impl Cursor<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Whether `symbol` comes next; if so it is behind now.
    fn take(&mut self, symbol: &str) -> bool {
        let found = self.rest().starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    fn error<T>(&self, at: usize, reason: impl Into<String>) -> Result<T> {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Err(Error::Polynomial {
            line: 1 + before.matches('\n').count(),
            position: 1 + before[line_start..].chars().count(),
            reason: reason.into(),
        })
    }

    /// What stands at the place of an error.
    fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let found = match self.rest().chars().next() {
            None => "the end".to_string(),
            Some('\n' | '\r') => "the end of the line".to_string(),
            Some(c) => format!("'{}'", c.escape_default()),
        };
        self.error(self.at, format!("{wanted} was expected, {found} found"))
    }

    /// Digits, as a number below `limit`.
    fn number(&mut self, what: &str, limit: u64) -> Result<Option<u64>> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Ok(None);
        }
        let start = self.at;
        let value = self.rest()[..digits].parse().unwrap_or(u64::MAX);
        self.at += digits;
        match value < limit {
            true => Ok(Some(value)),
            false => self.error(
                start,
                format!("{what} is out of range: it must be below {limit}"),
            ),
        }
    }

    fn expression(&mut self) -> Result<Vec<u64>> {
        let p = self.modulus;
        let mut found = Vec::new();
        self.skip_blanks();
        let mut first = true;
        while first || !self.rest().is_empty() {
            let negative = match (self.take("+"), self.take("-") || self.take("−")) {
                (true, true) => return self.unexpected("a term"),
                (false, false) if !first => return self.unexpected("'+' or '-'"),
                (_, negative) => negative,
            };
            first = false;
            self.skip_blanks();
            let (c, exponent) = self.term()?;
            if found.len() <= exponent {
                found.resize(exponent + 1, 0);
            }
            let c = if negative { p.neg(c) } else { c };
            found[exponent] = p.add(found[exponent], c);
            self.skip_blanks();
        }
        coefficients::trim(&mut found);
        Ok(found)
    }

    fn term(&mut self) -> Result<(u64, usize)> {
        let c = self.number("coefficient", self.modulus.get())?;
        self.skip_blanks();
        let times = c.is_some() && !self.rest().starts_with("**") && self.take("*");
        self.skip_blanks();
        if !self.take("x") {
            return match c {
                Some(c) if !times => Ok((c, 0)),
                _ => self.unexpected(if times { "x" } else { "a coefficient or x" }),
            };
        }
        self.skip_blanks();
        let exponent = if self.take("^") || self.take("**") {
            self.skip_blanks();
            match self.number("exponent", MOST_DEGREE)? {
                Some(exponent) => exponent as usize,
                None => return self.unexpected("an exponent"),
            }
        } else {
            1
        };
        Ok((c.unwrap_or(1), exponent))
    }

    fn lines(&mut self) -> Result<Vec<u64>> {
        let p = self.modulus;
        let mut found = Vec::new();
        while self.at < self.text.len() {
            let line = self.rest().split('\n').next().unwrap_or("");
            let next = self.at + line.len() + 1;
            let content = line.split('#').next().unwrap_or("");
            if !content.trim().is_empty() {
                self.at += content.len() - content.trim_start().len();
                let negative = self.take("-");
                let Some(c) = self.number("coefficient", p.get())? else {
                    return self.unexpected("a coefficient");
                };
                self.at +=
                    self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r']).len();
                if !matches!(self.rest().chars().next(), None | Some('\n' | '#')) {
                    return self.unexpected("the end of the line");
                }
                found.push(if negative { p.neg(c) } else { c });
            }
            self.at = next.min(self.text.len());
        }
        match found.is_empty() {
            true => self.error(self.text.len(), "a coefficient was expected, the end found"),
            false => Ok(found),
        }
    }
}
