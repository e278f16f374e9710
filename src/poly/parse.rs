//! Polynomials from text.
//!
//! ```text
//!   expression = term { ("+" | "-") term }
//!   term       = factor { ["*"] factor }   a "*" may be left out before "x" and "(" in a line
//!   factor     = { "+" | "-" } atom [power exponent]
//!   atom       = number | "x" | "(" expression ")"
//!   power      = "^" | "**"
//!   number     = decimal digits, or "0x" and hexadecimal digits; "_" may stand between digits
//!   lines      = one coefficient per line, constant term first; blank lines and what follows a "#"
//!                do not count
//! ```
//! An exponent is a number, or an expression of numbers in parentheses (`exponent.rs`). A sign
//! binds weaker than a power: −x^2 is −(x^2). Coefficients are reduced modulo p. `0x` without a
//! hexadecimal digit after it is 0·x.

use super::Poly;
use super::exponent;
use super::modulus::Modulus;
use super::print::Format;
use super::value::Value;
use crate::engine::Engine;
use crate::error::{Error, Result};

/// Parentheses in parentheses, at most: each takes some of the stack.
const MOST_NESTING: usize = 200;

impl Poly {
    /// Parses an expression such as `3*x^2 + x + 5` or `(x + 1)^2 * (x - 1)`. Coefficients may be
    /// of any size and are reduced modulo p.
    ///
    /// ```
    /// # use bezout::{Poly, poly::Modulus};
    /// let p = Modulus::new(101)?;
    /// assert_eq!(Poly::parse("x^3 - 2x + 100", p)?.coefficients(), [100, 99, 0, 1]);
    /// assert_eq!(Poly::parse("(x + 1)^2 - -0xff", p)?, Poly::parse("x^2 + 2*x + 256", p)?);
    /// # Ok::<(), bezout::Error>(())
    /// ```
    pub fn parse(text: &str, modulus: Modulus) -> Result<Poly> {
        Poly::parse_as(text, Format::Expression, modulus)
    }

    /// Parses a text of this format. Errors state the line and the position in it.
    pub fn parse_as(text: &str, format: Format, modulus: Modulus) -> Result<Poly> {
        let mut cursor = Cursor {
            text,
            at: 0,
            modulus,
            nesting: 0,
        };
        let found = match format {
            Format::Expression => Engine::Cpu
                .scope(|| cursor.whole())?
                .into_coefficients(modulus)?,
            Format::Lines => cursor.lines()?,
        };
        Ok(Poly::from_residues(found, modulus))
    }
}

/// A place in a text that is being read.
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// The byte that comes next.
    pub(super) at: usize,
    modulus: Modulus,
    /// Parentheses that are open.
    nesting: usize,
}

impl Cursor<'_> {
    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Gives the blanks that were skipped.
    pub(super) fn skip_blanks(&mut self) -> &str {
        let start = self.at;
        self.at = self.text.len() - self.rest().trim_start().len();
        &self.text[start..self.at]
    }

    /// Whether `symbol` comes next. If so, the cursor moves past it.
    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let found = self.rest().starts_with(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    /// Whether a minus sign comes next, of ASCII or of Unicode. If so, the cursor moves past it.
    pub(super) fn take_minus(&mut self) -> bool {
        self.take("-") || self.take("−")
    }

    /// Whether a power comes next, `^` or `**`. If so, the cursor moves past it.
    pub(super) fn take_power(&mut self) -> bool {
        self.take("^") || self.take("**")
    }

    /// Whether a `*` that is not the start of `**` comes next. If so, the cursor moves past it.
    pub(super) fn take_times(&mut self) -> bool {
        !self.rest().starts_with("**") && self.take("*")
    }

    pub(super) fn error<T>(&self, at: usize, reason: impl Into<String>) -> Result<T> {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Err(Error::Polynomial {
            line: 1 + before.matches('\n').count(),
            position: 1 + before[line_start..].chars().count(),
            reason: reason.into(),
        })
    }

    /// An error that names the text at this position and the expected text.
    pub(super) fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let found = match self.rest().chars().next() {
            None => "the end".to_string(),
            Some('\n' | '\r') => "the end of the line".to_string(),
            Some(c) => format!("'{}'", c.escape_default()),
        };
        self.error(self.at, format!("{wanted} was expected, {found} found"))
    }

    /// The digits of a number as values, with their radix. None if no number comes next.
    pub(super) fn digits(&mut self) -> Result<Option<(u32, Vec<u8>)>> {
        let hexadecimal = |text: &str| {
            let behind = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            behind.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_hexdigit()))
        };
        let radix = if hexadecimal(self.rest()) {
            self.at += 2;
            16
        } else {
            10
        };
        let mut digits = Vec::new();
        let mut len = 0;
        let mut after_digit = false;
        for c in self.rest().chars() {
            match c.to_digit(radix) {
                Some(digit) => digits.push(digit as u8),
                None if c == '_' && after_digit => {}
                None => break,
            }
            after_digit = c != '_';
            len += 1;
        }
        self.at += len;
        if digits.is_empty() {
            return Ok(None);
        }
        if !after_digit {
            return self.unexpected("a digit after '_'");
        }
        Ok(Some((radix, digits)))
    }

    /// A number of any size, modulo p.
    fn coefficient(&mut self) -> Result<Option<u64>> {
        let p = u128::from(self.modulus.get());
        let residue = |(radix, digits): (u32, Vec<u8>)| {
            let step = |c: u128, digit: &u8| (c * u128::from(radix) + u128::from(*digit)) % p;
            digits.iter().fold(0, step) as u64
        };
        Ok(self.digits()?.map(residue))
    }

    /// An expression and nothing after it.
    fn whole(&mut self) -> Result<Value> {
        let found = self.expression()?;
        if self.rest().is_empty() {
            return Ok(found);
        }
        if self.rest().starts_with(')') {
            return self.error(self.at, "')' without '('");
        }
        self.unexpected("an operator (+, -, *, ^)")
    }

    fn expression(&mut self) -> Result<Value> {
        let p = self.modulus;
        let mut sum = self.term()?;
        loop {
            let negative = if self.take("+") {
                false
            } else if self.take_minus() {
                true
            } else {
                return Ok(sum);
            };
            let term = self.term()?;
            let term = if negative { term.negated(p) } else { term };
            sum = sum.plus(term, p)?;
        }
    }

    /// Leaves the cursor after the blanks that follow.
    fn term(&mut self) -> Result<Value> {
        let mut product = self.factor()?;
        loop {
            // Two lines without an operator between them are a mistake, not a product.
            let same_line = !self.skip_blanks().contains('\n');
            let implied = same_line && self.rest().starts_with(['x', '(']);
            if !self.take_times() && !implied {
                return Ok(product);
            }
            self.skip_blanks();
            let at = self.at;
            let factor = self.factor()?;
            product = match product.checked_times(factor, self.modulus)? {
                Some(product) => product,
                None => return self.error(at, too_high()),
            };
        }
    }

    fn factor(&mut self) -> Result<Value> {
        let p = self.modulus;
        let mut negative = false;
        self.skip_blanks();
        loop {
            if self.take_minus() {
                negative = !negative;
            } else if !self.take("+") {
                break;
            }
            self.skip_blanks();
        }
        let mut found = self.atom()?;
        if self.take_power_sign().is_some() {
            self.skip_blanks();
            let at = self.at;
            let exponent = exponent::read(self)?;
            found = match found.checked_pow(exponent, p)? {
                Some(power) => power,
                None => return self.error(at, too_high()),
            };
            if let Some(again) = self.take_power_sign() {
                let reason = "a power of a power needs parentheses: (x^2)^3 or x^(2^3)";
                return self.error(again, reason);
            }
        }
        Ok(if negative { found.negated(p) } else { found })
    }

    /// Takes `^` or `**` after blanks and returns its position. If there is none, the cursor does
    /// not move.
    fn take_power_sign(&mut self) -> Option<usize> {
        let start = self.at;
        self.skip_blanks();
        let sign = self.at;
        if self.take_power() {
            return Some(sign);
        }
        self.at = start;
        None
    }

    fn atom(&mut self) -> Result<Value> {
        if let Some(c) = self.coefficient()? {
            return Ok(Value::Term(c, 0));
        }
        if self.take("x") {
            return Ok(Value::Term(1, 1));
        }
        let open = self.at;
        if !self.take("(") {
            return self.unexpected("a number, x or '('");
        }
        self.enter(open)?;
        let found = self.expression()?;
        self.leave(open)?;
        Ok(found)
    }

    /// Counts a parenthesis that was opened at `open`.
    pub(super) fn enter(&mut self, open: usize) -> Result<()> {
        self.nesting += 1;
        if self.nesting > MOST_NESTING {
            return self.error(
                open,
                format!("parentheses nest more than {MOST_NESTING} deep"),
            );
        }
        Ok(())
    }

    /// Counts one parenthesis less.
    pub(super) fn close(&mut self) {
        self.nesting -= 1;
    }

    /// Takes the parenthesis that ends the one at `open`.
    pub(super) fn leave(&mut self, open: usize) -> Result<()> {
        self.close();
        if self.take(")") {
            return Ok(());
        }
        if self.rest().is_empty() {
            return self.error(open, "'(' without ')'");
        }
        self.unexpected("an operator (+, -, *, ^) or ')'")
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
                let negative = self.take_minus();
                if !negative {
                    self.take("+");
                }
                let Some(c) = self.coefficient()? else {
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
        if found.is_empty() {
            return self.error(self.text.len(), "a coefficient was expected, the end found");
        }
        Ok(found)
    }
}

/// Why a product or a power is refused.
fn too_high() -> String {
    format!(
        "the degree is out of range: it must be below {}",
        Value::MOST_LEN
    )
}
