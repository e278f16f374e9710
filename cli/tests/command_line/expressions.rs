//! Operators, their precedence, functions and names.

use crate::{bezout, bezout_with_stdin, calc};

fn check(table: &[(&str, &str)]) {
    for (expression, value) in table {
        assert_eq!(calc(expression), *value, "{expression}");
    }
}

#[test]
fn precedence() {
    check(&[
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("2 * 3 ^ 2", "18"),
        ("2 ^ 3 ^ 2", "512"),
        ("(2 ^ 3) ^ 2", "64"),
        ("-2 ^ 2", "-4"),
        ("(-2) ^ 2", "4"),
        ("~1 ^ 2", "-2"),
        ("2 ^ 3!", "64"),
        ("3!!", "3"),
        ("6!!", "48"),
        ("(3!)!", "720"),
        ("-3!", "-6"),
        ("- -5", "5"),
        ("--5", "5"),
        ("-~5", "6"),
        ("+5 - +3", "2"),
        ("2 * -3", "-6"),
        ("1^-0 * 3", "3"),
        ("10 - 3 - 2", "5"),
        ("100 / 10 / 5", "2"),
        ("100 / 10 * 5", "50"),
        ("7 % 4 * 2", "6"),
        ("1 + 1 << 2 + 1", "16"),
        ("1 << 2 << 3", "32"),
        ("256 >> 2 >> 1", "32"),
        ("7 & 3 << 1", "6"),
        ("6 & 3 xor 1", "3"),
        ("6 xor 3 & 1", "7"),
        ("1 | 6 xor 2", "5"),
        ("8 | 4 & 12", "12"),
        ("1 | 2 == 3", "1"),
        ("4 & 5 == 4", "1"),
        ("1 + 1 == 2", "1"),
        ("(1 == 1) + 1", "2"),
        ("3!=6", "1"),
        ("3! != 6", "0"),
        ("3!==6", "1"),
    ]);
}

/// What the prompt tells is told here too.
#[test]
fn help_is_no_variable() {
    for words in [&["help"][..], &["?"]] {
        let run = bezout(&[&["calc"], words].concat());
        assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 10));
    }
    for words in [&["help", "gcd"][..], &["help gcd"], &["?gcd"]] {
        let run = bezout(&[&["calc"], words].concat());
        assert!(run.stdout.starts_with("gcd("), "{}", run.stdout);
        assert_eq!(run.stdout.lines().count(), 1);
    }
    assert_eq!(calc("help = 5; help + 1"), "6");
    let json = bezout(&["calc", "?isqrt", "--json"]).stdout;
    assert!(json.contains("\"help\""), "{json}");
}

/// Words that a shell took apart.
#[test]
fn words_are_one_expression() {
    assert_eq!(bezout(&["calc", "2", "+", "2"]).stdout, "4\n");
    assert_eq!(bezout(&["calc", "gcd(12,", "18)", "--hex"]).stdout, "0x6\n");
}

#[test]
fn arithmetic() {
    check(&[
        ("7 / 2", "7/2"),
        ("-7 / 2", "-7/2"),
        ("7 / -2", "-7/2"),
        ("6 / -2", "-3"),
        ("1/2 + 1/3", "5/6"),
        ("1/2 + 1/2", "1"),
        ("(2/3)^-2", "9/4"),
        ("1/3 < 1/2", "1"),
        ("max(1/3, 1/2, -1)", "1/2"),
        ("7/2 // 1", "3"),
        ("1/3 mod 7", "5"),
        ("3^-1 mod 7", "5"),
        ("7 % -2", "-1"),
        ("-7 % 2", "1"),
        ("-7 >> 1", "-4"),
        ("-1 >> 2^70", "-1"),
        ("5 >> 2^70", "0"),
        ("0 << 2^70", "0"),
        ("~0", "-1"),
        ("-1 & 0xff", "255"),
        ("-8 | 3", "-5"),
        ("-1 xor 5", "-6"),
        ("0^0", "1"),
        ("0^(10^30)", "0"),
        ("1^(10^30)", "1"),
        ("(-1)^(10^30)", "1"),
        ("(-1)^(10^30 + 1)", "-1"),
        ("2^127 - 1", "170141183460469231731687303715884105727"),
        ("20!", "2432902008176640000"),
        ("0!", "1"),
    ]);
}

#[test]
fn comparisons() {
    check(&[
        ("1 == 1", "1"),
        ("1 == 2", "0"),
        ("1 != 2", "1"),
        ("1 < 2", "1"),
        ("2 < 1", "0"),
        ("2 <= 2", "1"),
        ("-3 > -2", "0"),
        ("2^100 >= 2^99", "1"),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("abs(-5)", "5"),
        ("neg(5)", "-5"),
        ("sign(-2^99)", "-1"),
        ("sign(0)", "0"),
        ("add(2, 3)", "5"),
        ("sub(2, 3)", "-1"),
        ("mul(2, 3)", "6"),
        ("div(-7, 2)", "-3"),
        ("mod(-7, 2)", "1"),
        ("rem(-7, 2)", "-1"),
        ("pow(2, 10)", "1024"),
        ("cmp(1, 2)", "-1"),
        ("cmp(2, 2)", "0"),
        ("cmp(3, 2)", "1"),
        ("min(3, -1, 2)", "-1"),
        ("max(3, -1, 2)", "3"),
        ("max(7)", "7"),
        ("gcd(12, -18)", "6"),
        ("gcd(12, 18, 8)", "2"),
        ("gcd(-4)", "4"),
        ("lcm(4, -6)", "12"),
        ("lcm(2, 3, 4)", "12"),
        ("lcm(0, 0)", "0"),
        ("not(5)", "-6"),
        ("and(12, 10)", "8"),
        ("or(12, 10)", "14"),
        ("xor(12, 10)", "6"),
        ("shl(3, 4)", "48"),
        ("shr(-5, 1)", "-3"),
        ("bits(0)", "0"),
        ("bits(-256)", "9"),
        ("popcount(0xff)", "8"),
        ("hamming(5, 3)", "2"),
        ("hamming(-1, -2)", "1"),
        ("bit(5, 2)", "1"),
        ("bit(5, 1)", "0"),
        ("bit(-1, 2^80)", "1"),
        ("bit(1, 2^80)", "0"),
        ("setbit(0, 100)", "1267650600228229401496703205376"),
        ("setbit(-1, 2^80)", "-1"),
        ("clearbit(7, 1)", "5"),
        ("clearbit(7, 2^80)", "7"),
        ("flipbit(7, 3)", "15"),
        ("flipbit(-1, 0)", "-2"),
        ("scan1(8, 0)", "3"),
        ("scan1(8, 4)", "-1"),
        ("scan0(7, 0)", "3"),
        ("scan0(-1, 5)", "-1"),
        ("ones(0)", "0"),
        ("ones(10)", "1023"),
        ("fill(1, 3)", "340282366920938463481821351505477763073"),
        ("fill(5, 0)", "0"),
        ("fib(0)", "0"),
        ("fib(100)", "354224848179261915075"),
        ("lucas(10)", "123"),
        ("factorial(5)", "120"),
        ("primorial(10)", "210"),
    ]);
}

#[test]
fn names() {
    check(&[
        (
            "a = 2^64; a*a - 1",
            "340282366920938463463374607431768211455",
        ),
        ("a = 1; b = a + 1; a = b * 10; a", "20"),
        ("x_1 = 5; x_1", "5"),
        ("a = 7", "7"),
        ("1; 2; 3;", "3"),
        ("fib = 3; fib(10) + fib", "58"),
        ("n = 10; bits(random:n)", "10"),
        ("r = random:100; r - r", "0"),
        ("xora = 4; xora xor 1", "5"),
        ("a = 6; b = 3; (a)xor(b)", "5"),
        ("a=1;a==1", "1"),
    ]);
}

#[test]
fn long_expressions() {
    let sum = format!("{}1", "1 + ".repeat(200_000));
    assert_eq!(bezout_with_stdin(&["calc", "-"], &sum).stdout, "200001\n");
}

/// Each variable is found at once: a search among all takes minutes.
#[test]
fn many_variables() {
    let assignments: String = (1..=100_000)
        .map(|i| format!("a{i} = a{} + 1; ", i - 1))
        .collect();
    let start = std::time::Instant::now();
    let run = bezout_with_stdin(&["calc", "-"], &format!("a0 = 0; {assignments} a100000"));
    assert_eq!(run.stdout, "100000\n", "{}", run.stderr);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn division_and_number_theory() {
    check(&[
        ("quo(-7, 2)", "-3"),
        ("rem(-7, 2)", "-1"),
        ("divfloor(-7, 2)", "-4"),
        ("modfloor(-7, 2)", "1"),
        ("divceil(-7, 2)", "-3"),
        ("diveuclid(-7, -2)", "4"),
        ("modeuclid(-7, -2)", "1"),
        ("divexact(100!, 98!)", "9900"),
        ("divides(7, 91) + divides(7, 92)", "1"),
        ("powmod(3, 2^100, 1000007)", "537680"),
        ("powmod(3, -1, 7)", "5"),
        ("sigma(360)", "1170"),
        ("sigma(6, 2)", "50"),
        ("tau(360)", "24"),
        ("mu(30)", "-1"),
        ("primepi(10^6)", "78498"),
        ("primepi(-5)", "0"),
        ("prime(10^6)", "15485863"),
        ("znorder(2, 101)", "100"),
        ("znprimroot(41)", "6"),
        ("znlog(15, 6, 41)", "37"),
        ("sqrtmod(2, 7)", "3"),
        ("bernoulli(12)", "-691/2730"),
        ("bernoulli(12) * 2730", "-691"),
        ("partitions(100)", "190569292"),
        ("bell(10)", "115975"),
        ("stirling(5, 2)", "-50"),
        ("stirling(5, 2, 2)", "15"),
        ("catalan(10)", "16796"),
        ("sumdigits(2^100)", "115"),
        ("sumdigits(255, 16)", "30"),
        ("chinese(2, 3, 3, 5)", "8"),
        ("divisors(12)", "1 2 3 4 6 12"),
        ("base(255, 36)", "73"),
        ("base(-255, 2)", "-11111111"),
        ("invmod(-3, 7)", "2"),
        ("isqrt(10^40 - 1)", "99999999999999999999"),
        ("root(-10^30, 3)", "-10000000000"),
        ("issquare(3^100) * 10 + issquare(3^101)", "10"),
        ("ispower(6^35) * 100 + ispower(12)", "3500"),
        ("jacobi(1001, 9907)", "-1"),
        ("kronecker(3, 8)", "-1"),
        ("isprime(2^127 - 1) * 10 + isprime(2^128 + 1)", "10"),
        ("nextprime(10^20)", "100000000000000000039"),
        ("binomial(100, 50)", "100891344545564193334812497256"),
        ("binomial(3, 5)", "0"),
    ]);
}

/// Positions and counts from 2^64 on: no number is that long, so that all bits there are sign bits.
#[test]
fn positions_beyond_machine_words() {
    check(&[
        ("scan0(5, 2^70)", "1180591620717411303424"),
        ("scan0(5, 2^64 - 1)", "18446744073709551615"),
        ("scan0(5, 2^64)", "18446744073709551616"),
        ("scan1(-5, 2^64)", "18446744073709551616"),
        ("scan1(-5, 2^64 - 1)", "18446744073709551615"),
        ("scan1(5, 2^70)", "-1"),
        ("scan0(-5, 2^70)", "-1"),
        ("scan0(0, 2^64) - 2^64", "0"),
        ("bit(-5, 2^64) + bit(5, 2^64)", "1"),
        ("clearbit(5, 2^70)", "5"),
        ("setbit(-5, 2^70)", "-5"),
        ("-5 >> 2^64", "-1"),
        ("5 >> 2^64", "0"),
        ("shr(-5, 2^70)", "-1"),
        ("root(5, 2^64)", "1"),
        ("root(0, 2^70)", "0"),
        ("root(-5, 2^64 + 1)", "-1"),
        ("root(-5, 2^64 - 1)", "-1"),
    ]);
}

#[test]
fn operators_of_other_languages() {
    check(&[
        ("2 ** 10", "1024"),
        ("2**3**2", "512"),
        ("-2**2", "-4"),
        ("2 ** 3!", "64"),
        ("bits(random:2**5)", "32"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("7 // -2", "-4"),
        ("-7 // -2", "3"),
        ("100 // 7 // 2", "7"),
        ("100 // 7 / 2 * 3", "21"),
        ("7 * (-9 // 7) + -9 % 7", "-9"),
        ("7 mod 4", "3"),
        ("-7 mod 4", "1"),
        ("-7 mod -4", "1"),
        ("-7 mod 4 == -7 % 4", "1"),
        ("2^10 mod 7 * 3", "6"),
        ("1 + 9 mod 5", "5"),
        ("(17)mod(5)", "2"),
        ("mod(17, 5) mod 2", "0"),
        ("model = 17; model mod 5", "2"),
        ("a = 2^89 - 1; a^2 mod 1000", "321"),
    ]);
}

#[test]
fn functions_of_other_languages() {
    check(&[
        ("sqrt(99)", "9"),
        ("powm(3, 200, 13)", "9"),
        ("is_prime(97) + isprime(98)", "1"),
        ("next_prime(100)", "101"),
        ("prev_prime(100)", "97"),
        ("prevprime(2^64)", "18446744073709551557"),
        ("inverse(3, 7)", "5"),
        ("fibonacci(10)", "55"),
        ("phi(1)", "1"),
        ("phi(2^64)", "9223372036854775808"),
        ("phi(360) + totient(97)", "192"),
        ("legendre(2, 7)", "1"),
        ("legendre(3, 7)", "-1"),
        ("legendre(14, 7)", "0"),
        ("crt(2, 3, 3, 5, 2, 7)", "23"),
        ("crt(1, 4, 3, 6)", "9"),
        ("crt(-1, 5, 0, 1, 0, -2)", "4"),
        ("crt(10, 3)", "1"),
        ("log2(1)", "0"),
        ("log2(2^100 - 1)", "99"),
        ("log2(2^100)", "100"),
        ("xgcd(240, 46)", "2 -9 47"),
        ("gcdext(0, -7)", "7 0 -1"),
        ("factor(360)", "360: 2 2 2 3 3 5"),
        ("factor(1)", "1:"),
        (
            "a = 2^67 - 1; factor(a)",
            "147573952589676412927: 193707721 761838257287",
        ),
        ("hex(-255)", "-0xff"),
        ("oct(8)", "0o10"),
        ("bin(-5);", "-0b101"),
        ("print(5)", "5"),
    ]);
    assert_eq!(
        bezout(&["calc", "xgcd(240, 46)", "--hex"]).stdout,
        "0x2 -0x9 0x2f\n"
    );
}

#[test]
fn numbers_of_digits() {
    check(&[
        ("digits(0)", "1"),
        ("digits(9)", "1"),
        ("digits(-10)", "2"),
        ("digits(2^64 - 1)", "20"),
        ("digits(255, 16)", "2"),
        ("digits(256, 16)", "3"),
        ("digits(8, 2)", "4"),
        ("digits(5, 7)", "1"),
        ("digits(7, 7)", "2"),
        ("digits(2^64, 2^64 - 1)", "2"),
        ("digits((2^64 - 1)^3, 2^64 - 1)", "4"),
    ]);
    // Around powers the leading bits alone do not tell.
    for n in [1, 15, 16, 17, 18, 19, 20, 100, 1000, 5000] {
        check(&[
            (&format!("digits(10^{n})"), &(n + 1).to_string()),
            (&format!("digits(10^{n} - 1)"), &n.to_string()),
            (&format!("digits(3^{n}, 3)"), &(n + 1).to_string()),
            (&format!("digits(3^{n} - 1, 3)"), &n.to_string()),
        ]);
    }
}

#[test]
fn loops_choices_and_own_functions() {
    check(&[
        ("sum(i = 1, 10, i^2)", "385"),
        ("prod(i = 1, 10, i) == 10!", "1"),
        ("sum(k = 1, 20, 1/k)", "55835135/15519504"),
        ("sum(i = 1, 3, sum(j = 1, i, j))", "10"),
        ("sum(i = 1, 0, i) + prod(i = 5, 4, i)", "1"),
        ("sum(i = -3, 3, i)", "0"),
        ("i = 7; sum(i = 1, 3, i) + i", "13"),
        ("x = 1; for(i = 1, 10, x = x*i)", "3628800"),
        (
            "x = 1; y = 0; for(i = 1, 90, z = x + y; y = x; x = z); x == fib(91)",
            "1",
        ),
        ("for(i = 1, 0, i)", "0"),
        ("if(3 < 4, 1, 1/0)", "1"),
        ("if(0, 1/0, 2)", "2"),
        ("(a = 3; a + 1) * 2 + a", "11"),
        ("f(x, y) = x^2 + y; f(3, 4) - f(0, 1)", "12"),
        ("f(n) = if(n < 2, 1, n*f(n - 1)); f(20) == 20!", "1"),
        (
            "f(n) = (r = 1; for(i = 1, n, r = r*i); r); f(10)",
            "3628800",
        ),
        ("f(x) = k*x; k = 3; a = f(2); k = 5; a + f(2)", "16"),
        ("f(x) = x + 1; g(x) = 2*f(x); g(4)", "10"),
        ("sumx = 3; forge = 4; iffy = 5; sumx + forge + iffy", "12"),
        ("prod(i = 1, 30000, i) == 30000!", "1"),
    ]);
    for (expression, words) in [
        ("sum(1, 10)", "sum(i = 1, 10"),
        ("for(1)", "for(i = 1, 10"),
        ("if(1, 2)", "if(x > 0"),
        ("sum(i = 1, 3, i) + i", "'i' has no value"),
        ("sum(i = 1/2, 3, i)", "whole numbers"),
        ("f(x) = f(x + 1); f(1)", "calls itself too often"),
        ("f(x, y) = x; f(1)", "takes 2 arguments"),
        ("f(x, x) = x", "there twice"),
        ("gcd(x) = 3", "already"),
        ("sum(x) = 3", "already"),
        ("f(x) = y; f(1)", "'y' has no value"),
        ("if(0, a = 1, 2); a", "'a' has no value"),
        ("f(mod) = 3", "operator"),
    ] {
        let run = bezout(&["calc", expression]);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(2), ""),
            "{expression}"
        );
        assert!(run.stderr.contains(words), "{expression}: {}", run.stderr);
    }
    // A function lasts as long as the variables do, and its line prints nothing.
    let run = bezout_with_stdin(&["calc", "-"], "f(x) = x^2\n5\nf(ans)\nf(x) = x\nf(3)\n");
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), "5\n25\n3\n"),
        "{}",
        run.stderr
    );
    assert_eq!(bezout(&["calc", "f(x) = x"]).stdout, "");
    let run = bezout(&["gcd", "f(x) = x", "3"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let run = bezout(&["calc", "f(n) = sum(i = 1, n, 1/i); f(30)", "--verify"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}
