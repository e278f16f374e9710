//! The names of functions: those of `functions.rs`, other names for them, and what to say of a name
//! that is neither.

use super::functions::{FUNCTIONS, Function};

/// Longer names are not compared with others: nobody means a function by them.
const LONGEST: usize = 40;

/// Other names of functions.
pub const ALIASES: &[(&str, &str)] = &[
    ("sqrt", "isqrt"),
    ("powm", "powmod"),
    ("inverse", "invmod"),
    ("is_prime", "isprime"),
    ("next_prime", "nextprime"),
    ("prev_prime", "prevprime"),
    ("gcdext", "xgcd"),
    ("fibonacci", "fib"),
    ("totient", "phi"),
    ("eulerphi", "phi"),
    ("euler_phi", "phi"),
    ("numdiv", "tau"),
    ("mu", "moebius"),
    ("mobius", "moebius"),
    ("numbpart", "partitions"),
    ("chinese", "crt"),
    ("ispseudoprime", "isprime"),
    ("multiplicative_order", "znorder"),
    ("primitive_root", "znprimroot"),
    ("bernfrac", "bernoulli"),
];

/// Names in other languages and libraries, in lower case and without '_', and what to write.
const FOREIGN: &[(&str, &str)] = &[
    ("bellnumber", "bell(n)"),
    ("bern", "bernoulli(n)"),
    ("bincoef", "binomial(n, k)"),
    ("bincoeff", "binomial(n, k)"),
    ("bezout", "xgcd(x, y)"),
    ("bigomega", "factor(n)"),
    ("bitand", "x & y"),
    ("bitcount", "popcount(x)"),
    ("bitlength", "bits(x)"),
    ("bitneg", "~x"),
    ("bitnot", "~x"),
    ("bitor", "x | y"),
    ("bitxor", "x xor y"),
    ("catalannumber", "catalan(n)"),
    ("c", "binomial(n, k)"),
    ("cbrt", "root(x, 3)"),
    ("cdivq", "divceil(x, y)"),
    ("ceil", "divceil(x, y)"),
    ("chineseremainder", "crt(r1, m1, r2, m2)"),
    ("choose", "binomial(n, k)"),
    ("clrbit", "clearbit(x, i)"),
    ("com", "~x"),
    ("comb", "binomial(n, k)"),
    ("combit", "flipbit(x, i)"),
    ("congruent", "modeuclid(x - y, m) == 0"),
    ("digitsum", "sumdigits(x)"),
    ("discretelog", "znlog(a, g, m)"),
    ("divisorcount", "tau(n)"),
    ("divisorsigma", "sigma(n)"),
    ("divmod", "x // y and modfloor(x, y)"),
    ("divrem", "x / y and x % y"),
    ("euler", "phi(n)"),
    ("extendedgcd", "xgcd(x, y)"),
    ("fac", "n!"),
    ("fact", "n!"),
    ("factorial2", "n!!"),
    ("factorint", "factor(n)"),
    ("factorinteger", "factor(n)"),
    ("fdivq", "x // y"),
    ("fdivr", "modfloor(x, y)"),
    ("floor", "x // y"),
    ("gamma", "(n - 1)!"),
    ("hamdist", "hamming(x, y)"),
    ("hammingweight", "popcount(x)"),
    ("ifactor", "factor(n)"),
    ("igcd", "gcd(x, y)"),
    ("integerlength", "digits(x)"),
    ("inv", "invmod(x, m)"),
    ("invert", "invmod(x, m)"),
    ("iroot", "root(x, n)"),
    ("isprobableprime", "isprime(x)"),
    ("issquarefree", "moebius(n) != 0"),
    ("len", "digits(x)"),
    ("length", "digits(x)"),
    ("lift", "x mod m"),
    ("ln", "log2(x)"),
    ("log", "log2(x) or digits(x)"),
    ("log10", "digits(x) - 1"),
    ("modinv", "invmod(x, m)"),
    ("modpow", "powmod(x, n, m)"),
    ("multiplicativeorder", "znorder(a, m)"),
    ("nchoosek", "binomial(n, k)"),
    ("ncr", "binomial(n, k)"),
    ("norder", "znorder(a, m)"),
    ("npartitions", "partitions(n)"),
    ("nthprime", "prime(n)"),
    ("numberofdivisors", "tau(n)"),
    ("numberofpartitions", "partitions(n)"),
    ("numbits", "bits(x)"),
    ("omega", "factor(n)"),
    ("partitionsp", "partitions(n)"),
    ("perfectsquarep", "issquare(x)"),
    ("powermod", "powmod(x, n, m)"),
    ("precprime", "prevprime(x)"),
    ("previousprime", "prevprime(x)"),
    ("primefactors", "factor(n)"),
    ("primeq", "isprime(x)"),
    ("primitiveroot", "znprimroot(m)"),
    ("probabprimep", "isprime(x)"),
    ("quotient", "x / y"),
    ("quotientremainder", "x / y and x % y"),
    ("rand", "random(bits)"),
    ("randint", "random(bits)"),
    ("randombits", "random(bits)"),
    ("remainder", "x % y"),
    ("sgn", "sign(x)"),
    ("sigma0", "tau(n)"),
    ("sizeinbase", "digits(x, base)"),
    ("sqrtint", "isqrt(x)"),
    ("sqrtmodp", "sqrtmod(a, m)"),
    ("sqrtnint", "root(x, n)"),
    ("stirlings1", "stirling(n, k, 1)"),
    ("stirlings2", "stirling(n, k, 2)"),
    ("str", "print(x)"),
    ("sumofdivisors", "sigma(n)"),
    ("tdivq", "x / y"),
    ("tdivr", "x % y"),
    ("testbit", "bit(x, i)"),
    ("todigits", "base(x, b)"),
    ("tohex", "hex(x)"),
    ("tstbit", "bit(x, i)"),
    ("valuation", "scan1(x, 0) for 2, factor(x) for all primes"),
];

/// Names of what is computed elsewhere and not here, in lower case, and why or what comes near.
const ABSENT: &[(&[&str], &str)] = &[
    (
        &[
            "sin", "cos", "tan", "asin", "acos", "atan", "arcsin", "arccos", "arctan", "sinh",
            "cosh", "tanh", "exp", "zeta",
        ],
        "numbers are exact, whole or fractions: functions with real values are not known",
    ),
    (
        &["rank", "det", "matrix"],
        "there are no matrices: 'bezout calc --help' lists the functions",
    ),
    (
        &["core", "squarefreepart", "radical", "rad"],
        "no function gives it: factor(n) prints the primes that it is the product of",
    ),
];

/// Why there is no function of this name, where it is known from elsewhere.
pub fn absent(name: &str) -> Option<&'static str> {
    let plain = name.to_ascii_lowercase().replace('_', "");
    let found = ABSENT.iter().find(|(names, _)| names.contains(&&plain[..]));
    found.map(|(_, why)| *why)
}

/// The function of this name.
pub fn find(name: &str) -> Option<&'static Function> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, name)| name);
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// How a function of this name is written, also under a name that other programs give it.
pub fn usage_of(name: &str) -> Option<&'static str> {
    if let Some(function) = find(name) {
        return Some(function.usage);
    }
    let plain = name.to_ascii_lowercase().replace('_', "");
    let known = FUNCTIONS.iter().find(|function| function.name == plain);
    let foreign = || FOREIGN.iter().find(|(foreign, _)| *foreign == plain);
    known
        .map(|function| function.usage)
        .or_else(|| foreign().map(|(_, usage)| *usage))
}

/// What the user may have meant by a name that no function has.
pub fn meant(wrong: &str) -> Option<String> {
    if wrong.len() > LONGEST {
        return None;
    }
    let plain = wrong.to_ascii_lowercase().replace('_', "");
    let plain = plain.strip_prefix("mpz").unwrap_or(&plain);
    let names = || {
        let aliases = ALIASES.iter().map(|(alias, _)| *alias);
        FUNCTIONS.iter().map(|f| f.name).chain(aliases)
    };
    let same = names().find(|name| *name == plain);
    let foreign = || FOREIGN.iter().find(|(name, _)| *name == plain);
    same.or_else(|| foreign().map(|(_, usage)| *usage))
        .or_else(|| nearest(wrong, names()))
        .map(str::to_string)
}

/// The name among `names` most like `wrong`, if any is close.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.len() > LONGEST {
        return None;
    }
    let wrong = wrong.to_ascii_lowercase();
    let allowed = 1 + wrong.len() / 4;
    names
        .filter(|name| name.len() <= LONGEST)
        .map(|name| (strsim::damerau_levenshtein(&wrong, name), name))
        .filter(|(distance, name)| {
            *distance <= allowed || name.starts_with(&wrong) || wrong.starts_with(name)
        })
        .min()
        .map(|(_, name)| name)
}

/// All functions and their other names, a line each, for the help.
pub fn list() -> String {
    let usages = FUNCTIONS.iter().map(|function| function.usage.len());
    let width = usages.max().unwrap_or(0);
    let mut text = "Functions:\n".to_string();
    for function in FUNCTIONS {
        text.push_str(&format!(
            "  {:width$}  {}\n",
            function.usage, function.about
        ));
    }
    text.push_str("\nOther names:\n");
    for pairs in ALIASES.chunks(3) {
        let pairs = pairs
            .iter()
            .map(|(alias, name)| format!("{alias} is {name}"));
        text.push_str(&format!("  {}\n", pairs.collect::<Vec<_>>().join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_stand_for_functions() {
        let functions = FUNCTIONS.iter().map(|function| function.name);
        let aliases = ALIASES.iter().map(|(alias, _)| *alias);
        let foreign = FOREIGN.iter().map(|(name, _)| *name);
        let mut names: Vec<_> = functions.chain(aliases).chain(foreign).collect();
        names.sort_unstable();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        for (alias, _) in ALIASES {
            assert!(find(alias).is_some(), "{alias}");
        }
        for (name, usage) in FOREIGN {
            let is_plain = name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
            assert!(is_plain, "{name} would never be found");
            for word in usage.split(' ') {
                if let Some((function, _)) = word.split_once('(').filter(|(f, _)| !f.is_empty()) {
                    assert!(find(function).is_some(), "{name}: {usage}");
                }
            }
        }
    }
}
