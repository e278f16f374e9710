//! What is checked of an expression's shape, and the words for one that does not parse.

use pest::error::{Error, ErrorVariant, InputLocation};
use pest::iterators::Pairs;

use super::compile::{MAX_CHAIN, MAX_DEPTH, Rule, span};
use crate::failure::Failure;

/// Refuses brackets that do not match or nest too deeply, before the recursive parser sees them.
pub fn check_brackets(text: &str) -> Result<(), Failure> {
    let mut open = Vec::new();
    let mut quoted = false;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'(' if !quoted => {
                if open.len() == MAX_DEPTH {
                    return Err(too_deep(MAX_DEPTH).at(text, i..i + 1));
                }
                open.push(i);
            }
            b')' if !quoted && open.pop().is_none() => {
                return Err(Failure::bad_input("')' without '('").at(text, i..i + 1));
            }
            _ => {}
        }
    }
    match open.pop() {
        Some(i) => Err(Failure::bad_input("'(' without ')'").at(text, i..i + 1)),
        None => Ok(()),
    }
}

/// Refuses, in one level of an expression, a run of signs and powers that with the `around` ones
/// outside it would nest too deeply, and a comparison of a comparison. Gives the longest run, with
/// those outside.
pub fn check_chains(text: &str, around: usize, parts: Pairs<'_, Rule>) -> Result<usize, Failure> {
    let (mut chain, mut longest, mut compared) = (around, around, false);
    for pair in parts {
        match pair.as_rule() {
            Rule::power | Rule::negative | Rule::positive | Rule::complement => {
                chain += 1;
                longest = longest.max(chain);
                if chain > MAX_CHAIN {
                    return Err(too_deep(MAX_CHAIN).at(text, span(&pair)));
                }
            }
            Rule::equal
            | Rule::not_equal
            | Rule::less
            | Rule::less_equal
            | Rule::greater
            | Rule::greater_equal => {
                if compared {
                    return Err(Failure::bad_input("comparisons do not chain")
                        .hint("use brackets: (a < b) & (b < c)")
                        .at(text, span(&pair)));
                }
                (chain, compared) = (around, true);
            }
            Rule::add
            | Rule::subtract
            | Rule::multiply
            | Rule::floor_divide
            | Rule::divide
            | Rule::remainder
            | Rule::modulo
            | Rule::shift_left
            | Rule::shift_right
            | Rule::bit_and
            | Rule::bit_or
            | Rule::bit_xor => chain = around,
            _ => {}
        }
    }
    Ok(longest)
}

fn too_deep(limit: usize) -> Failure {
    Failure::bad_input(format!("the expression nests more than {limit} deep"))
        .hint("name parts of it: a = 2^64; a*a")
}

/// The grammar's complaint in the user's words.
pub fn explain(text: &str, error: &Error<Rule>) -> Failure {
    let (InputLocation::Pos(position) | InputLocation::Span((position, _))) = error.location;
    if text.trim().is_empty() {
        return Failure::bad_input("the expression is empty").hint("try 2^127 - 1");
    }
    if let Some(failure) = malformed_literal(text, position) {
        return failure;
    }
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => expected(positives),
        ErrorVariant::CustomError { .. } => None,
    };
    let found = text[position..].chars().next();
    let message = match found {
        None => "the expression ends too early".to_string(),
        Some('.') => "unexpected '.': only whole numbers are known".to_string(),
        Some(c) if c.is_control() => format!("unexpected character U+{:04X}", u32::from(c)),
        Some(c) => format!("unexpected '{c}'"),
    };
    let message = match expected {
        Some(expected) if found != Some('.') => format!("{message}: expected {expected}"),
        _ => message,
    };
    let width = found.map_or(0, char::len_utf8);
    let failure = Failure::bad_input(message).at(text, position..position + width);
    if found == Some('[') {
        let hint = "there are no lists: the arguments follow one another";
        return failure.hint(flat_crt(text).unwrap_or_else(|| hint.to_string()));
    }
    if found == Some('=') {
        return failure.hint("== compares, and only a name can be given a value: x = 12");
    }
    if text.trim_start().starts_with('@') {
        failure.hint("put a file name with blanks or brackets in quotes: @\"my file\"")
    } else {
        failure
    }
}

/// The call to write for `crt([r1, r2], [m1, m2])`, which other programs have.
fn flat_crt(text: &str) -> Option<String> {
    let inner = text.trim().strip_suffix(')')?;
    let (name, lists) = inner.split_once('(')?;
    if !["crt", "chinese"].contains(&name.trim()) {
        return None;
    }
    let lists = lists.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (remainders, moduli) = lists.split_once(']')?;
    let moduli = moduli.trim().strip_prefix(',')?.trim().strip_prefix('[')?;
    let [remainders, moduli] = [remainders, moduli].map(|list| {
        let parts = list.split(',').map(str::trim);
        parts.collect::<Vec<_>>()
    });
    let is_plain = |part: &&str| !part.is_empty() && !part.contains(['(', '[', ']', ')']);
    let all = || remainders.iter().chain(&moduli);
    if remainders.len() != moduli.len() || !all().all(is_plain) {
        return None;
    }
    let pairs = remainders.iter().zip(&moduli);
    let pairs: Vec<String> = pairs.map(|(r, m)| format!("{r}, {m}")).collect();
    Some(format!("write crt({})", pairs.join(", ")))
}

/// If `position` lies in a word that starts like a number, what keeps it from being one.
fn malformed_literal(text: &str, position: usize) -> Option<Failure> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = text[..position]
        .char_indices()
        .rev()
        .take_while(|(_, c)| in_word(*c))
        .last()?
        .0;
    let word = &text[start..];
    let word = &word[..word.find(|c| !in_word(c)).unwrap_or(word.len())];
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (prefix, radix, kind) = match word.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (2, 16, "a hexadecimal"),
        Some("0b") => (2, 2, "a binary"),
        Some("0o") => (2, 8, "an octal"),
        _ => (0, 10, "a decimal"),
    };
    let (mut digit_before, mut exponent) = (false, false);
    for (i, c) in word[prefix..].char_indices() {
        let at = start + prefix + i;
        if radix == 10 && c.eq_ignore_ascii_case(&'e') && digit_before && !exponent {
            (digit_before, exponent) = (false, true);
            continue;
        }
        let separator = c == '_' && digit_before;
        if !separator && !c.is_digit(radix) {
            return Some(
                Failure::bad_input(format!("'{c}' is not {kind} digit"))
                    .at(text, at..at + c.len_utf8()),
            );
        }
        digit_before = c != '_';
    }
    let end = start + word.len();
    (!digit_before).then(|| {
        Failure::bad_input(format!("the number ends without {kind} digit")).at(text, end..end)
    })
}

/// What could have stood there.
fn expected(rules: &[Rule]) -> Option<&'static str> {
    let any = |wanted: &[Rule]| rules.iter().any(|rule| wanted.contains(rule));
    if any(&[
        Rule::number,
        Rule::group,
        Rule::expression,
        Rule::statement,
        Rule::program,
    ]) {
        Some("a number, a name or '('")
    } else if any(&[Rule::add, Rule::multiply, Rule::factorial, Rule::power]) {
        Some("an operator")
    } else if any(&[Rule::path, Rule::quoted_path]) {
        Some("a file name")
    } else if any(&[Rule::size]) {
        Some("a number of bits or a seed")
    } else {
        None
    }
}
