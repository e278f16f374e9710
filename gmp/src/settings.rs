//! The environment variables of this library. A value that is not allowed is said once, and the
//! default is used.

use std::ffi::CString;

use bezout::{Engine, environment};

use crate::function::Function;
use crate::log;

const LEAST: &str = "BEZOUT_GMP_MIN_LIMBS";
const DISABLE: &str = "BEZOUT_GMP_DISABLE";

/// The highest default where there may be a GPU, which is ahead of a core from about this size on.
/// Whether one is used, the engine `auto` decides for each call.
const GPU_LIMBS: usize = 4096;
/// Defaults from here on mean that a function is left alone.
const NEVER: usize = 1 << 40;

/// The GMP that `BEZOUT_GMP_LIB` names.
pub(crate) fn library() -> Option<CString> {
    CString::new(environment::text("BEZOUT_GMP_LIB")?).ok()
}

/// The engine that `BEZOUT_GMP_ENGINE` names; `auto` without it.
pub(crate) fn engine() -> Engine {
    let Some(text) = environment::text("BEZOUT_GMP_ENGINE") else {
        return Engine::Auto;
    };
    text.parse().unwrap_or_else(|error| {
        log::say(&format!("BEZOUT_GMP_ENGINE: {error}; auto is used"));
        Engine::Auto
    })
}

/// Whether `BEZOUT_GMP_TRACE` asks for a table at exit.
pub(crate) fn trace() -> bool {
    match environment::text("BEZOUT_GMP_TRACE").as_deref() {
        None | Some("0") => false,
        Some("1") => true,
        Some(other) => {
            let text = format!("BEZOUT_GMP_TRACE must be 0 or 1, not '{other}'; 0 is used");
            log::say(&text);
            false
        }
    }
}

/// The least limbs of every function, in the order of `functions`; `usize::MAX` for a function that
/// is not taken over.
pub(crate) fn thresholds(functions: &[&Function], may_have_gpu: bool) -> Vec<usize> {
    let general = limbs(LEAST);
    let disabled = environment::text(DISABLE).unwrap_or_default();
    let disabled: Vec<&str> = disabled.split(',').map(str::trim).collect();
    for name in disabled.iter().filter(|name| !name.is_empty()) {
        if !functions.iter().any(|function| is_named(function, name)) {
            log::say(&format!(
                "{DISABLE}: there is no '{name}'; there are {}",
                families(functions).join(", ")
            ));
        }
    }
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str() else { continue };
        let Some(family) = name
            .strip_prefix(LEAST)
            .and_then(|rest| rest.strip_prefix('_'))
        else {
            continue;
        };
        if !families(functions).contains(&family.to_lowercase().as_str()) {
            log::say(&format!("{name}: there is no such function"));
        }
    }
    let own: Vec<(&str, Option<usize>)> = families(functions)
        .into_iter()
        .map(|family| (family, limbs(&format!("{LEAST}_{}", family.to_uppercase()))))
        .collect();
    let least = |function: &&Function| {
        if disabled.iter().any(|name| is_named(function, name)) {
            return usize::MAX;
        }
        let own = own.iter().find(|(family, _)| *family == function.family);
        own.and_then(|(_, least)| *least)
            .or(general)
            .unwrap_or(match function.tuned {
                NEVER.. => usize::MAX,
                tuned if may_have_gpu => tuned.min(GPU_LIMBS),
                tuned => tuned,
            })
    };
    functions.iter().map(least).collect()
}

/// A number of limbs, at least 1.
fn limbs(variable: &str) -> Option<usize> {
    let text = environment::text(variable)?;
    let number = text.trim().parse().ok().filter(|limbs| *limbs > 0);
    if number.is_none() {
        log::say(&format!(
            "{variable} must be a number of limbs from 1 on, not '{text}'; the default is used"
        ));
    }
    number
}

/// Whether a name means this function: `gcd`, `mpz_gcd` or `__gmpz_gcd`.
fn is_named(function: &Function, name: &str) -> bool {
    let symbol = function.name();
    let short = symbol.strip_prefix("__g").unwrap_or(symbol);
    name == function.family || name == symbol || name == short
}

/// The names of functions in settings, each once.
fn families(functions: &[&Function]) -> Vec<&'static str> {
    let mut families: Vec<&str> = functions.iter().map(|function| function.family).collect();
    families.dedup();
    families.sort_unstable();
    families.dedup();
    families
}
