//! Bad input: exit code 2, nothing on stdout, and words that help.

use crate::{Run, TempFile, bezout, bezout_with_stdin, gcd};

/// Runs the command, which must fail as bad input with all of `words` on stderr.
fn refused(arguments: &[&str], words: &[&str]) -> Run {
    check_refusal(bezout(arguments), &format!("{arguments:?}"), words)
}

fn check_refusal(run: Run, what: &str, words: &[&str]) -> Run {
    assert_eq!(run.code, Some(2), "{what}: {}", run.stderr);
    assert_eq!(run.stdout, "", "{what}");
    assert!(
        run.stderr.starts_with("bezout: error: "),
        "{what}: {}",
        run.stderr
    );
    for word in words {
        assert!(
            run.stderr.contains(word),
            "{what} lacks {word:?}: {}",
            run.stderr
        );
    }
    run
}

#[test]
fn the_place_is_shown() {
    let table = [
        ("1 + $", "unexpected '$'", 4),
        ("1 2", "expected an operator", 2),
        ("2 +", "ends too early", 3),
        ("* 3", "expected a number", 0),
        ("(1 + 2", "'(' without ')'", 0),
        ("1 + 2)", "')' without '('", 5),
        ("fib(2, (3)", "'(' without ')'", 3),
        ("1.5", "only whole numbers", 1),
        ("12abc", "'a' is not a decimal digit", 2),
        ("0x1g", "'g' is not a hexadecimal digit", 3),
        ("7 + 0b102", "'2' is not a binary digit", 8),
        ("0o8", "'8' is not an octal digit", 2),
        ("0x", "without a hexadecimal digit", 2),
        ("1_", "without a decimal digit", 2),
        ("1__2", "'_' is not a decimal digit", 2),
        ("1e6x", "'x' is not a decimal digit", 3),
        ("1e", "without a decimal digit", 2),
        ("é", "unexpected 'é'", 0),
        ("1 < 2 < 3", "comparisons do not chain", 6),
        ("10 / (5 - 5)", "division by zero", 3),
        ("10 % 0", "division by zero", 3),
        ("2 ^ (1/2)", "exponent must be a whole number", 2),
        ("1 + powmod(2, 3, 0)", "division by zero", 4),
        ("powmod(2, -3, 6)", "common divisor 2", 0),
        ("invmod(6, 9)", "common divisor 3", 0),
        ("invmod(6, 0)", "division by zero", 0),
        ("divfloor(1, 0)", "division by zero", 0),
        ("divceil(1, 0)", "division by zero", 0),
        ("diveuclid(1, 0)", "division by zero", 0),
        ("modfloor(1, 0)", "division by zero", 0),
        ("modeuclid(2^9999, 0)", "division by zero", 0),
        ("divexact(1, 0)", "division by zero", 0),
        ("powmod(2, -3, 0)", "division by zero", 0),
        ("pow(0, -3)", "division by zero", 0),
        ("1 + gcd(1/2, 3)", "whole numbers only", 4),
        ("1/7 mod 7", "common divisor 7", 4),
        ("divexact(7, 2)", "does not divide", 0),
        ("isqrt(-1)", "no square root", 0),
        ("root(-16, 4)", "even degree 4", 0),
        ("root(8, 0)", "no 0th root", 0),
        ("root(8, -3)", "must not be negative", 0),
        ("jacobi(3, 8)", "odd positive", 0),
        ("jacobi(3, 0)", "odd positive", 0),
        ("jacobi(3, -7)", "odd positive", 0),
        ("root(-2^9999, 2)", "even degree 2", 0),
        ("binomial(-1, 2)", "between 0 and", 0),
        ("1 << -1", "shift count must not be negative", 2),
        ("3 + (-3)!", "must not be negative", 8),
        ("1 + popcount(-1)", "infinitely many", 4),
        ("hamming(1, -1)", "infinitely many", 0),
        ("bit(1, -1)", "must not be negative", 0),
        ("fill(-1, 2)", "between 0 and 2^64 - 1", 0),
        ("random:5:-1", "expected", 9),
        ("random(5, -1)", "seed", 0),
        ("random:", "ends too early", 7),
        ("1 + @", "expected a file name", 5),
        ("xor = 3", "operator", 0),
        ("a = b; b = 2", "'b' has no value", 4),
        ("a =", "ends too early", 3),
        ("1;;2", "unexpected ';'", 2),
        ("mod = 3", "operator", 0),
        ("1 // (2 - 2)", "division by zero", 2),
        ("1 mod 0", "division by zero", 2),
        ("2 * * 3", "unexpected '*'", 4),
        ("root(-5, 2^64)", "even degree 18446744073709551616", 0),
        ("scan0(5, -1)", "must not be negative", 0),
        ("prevprime(2)", "no prime below 2", 0),
        ("phi(0)", "from 1 on", 0),
        ("factor(-6)", "from 1 on", 0),
        ("log2(0)", "only positive numbers", 0),
        ("sigma(0)", "from 1 on", 0),
        ("prime(0)", "number 1", 0),
        ("primepi(10^20)", "2^64 - 1", 0),
        ("znorder(2, 6)", "common divisor 2", 0),
        ("znprimroot(8)", "no primitive root", 0),
        ("znlog(3, 4, 7)", "no power", 0),
        ("sqrtmod(3, 7)", "no square", 0),
        ("base(5, 1)", "between 2 and 36", 0),
        ("digits(5, 1)", "at least 2", 0),
        ("digits(5, -2)", "between 0 and 2^64 - 1", 0),
        ("legendre(3, 9)", "odd prime", 0),
        ("legendre(3, 2)", "odd prime", 0),
        ("crt(1, 2, 3)", "pairs", 0),
        ("crt(1, 4, 2, 6)", "disagree modulo 2", 0),
        ("crt(1, 0)", "division by zero", 0),
        ("1 + hex(3)", "cannot be computed with", 4),
        ("a = xgcd(4, 6)", "cannot be computed with", 4),
        ("factor(6); 1", "cannot be computed with", 0),
        ("hex(xgcd(4, 6))", "cannot be computed with", 4),
        ("_ + 1", "'_' has no value", 0),
    ];
    for (expression, reason, column) in table {
        let run = refused(
            &["calc", expression],
            &[reason, &format!("\n    {expression}\n")],
        );
        let carets = run.stderr.lines().nth(2).unwrap();
        assert_eq!(
            carets.find('^'),
            Some(4 + column),
            "{expression}\n{}",
            run.stderr
        );
    }
}

#[test]
fn places_in_several_lines() {
    let run = bezout_with_stdin(&["calc", "-"], "a = 3;\n  a + ?\n");
    check_refusal(run, "stdin", &["\n      a + ?\n          ^\n"]);
    let run = bezout_with_stdin(&["calc", "-"], "1;\n2 +\n");
    check_refusal(run, "stdin", &["ends too early", "\n    2 +\n       ^\n"]);
}

#[test]
fn wrong_names_get_a_suggestion() {
    refused(
        &["calc", "fibb(3)"],
        &["unknown function 'fibb'", "did you mean 'fib'?"],
    );
    refused(
        &["calc", "1 + Gcd(3, 4)"],
        &["'Gcd'", "did you mean 'gcd'?"],
    );
    refused(&["calc", "popcuont(3)"], &["did you mean 'popcount'?"]);
    refused(
        &["calc", "zzzzzz(3)"],
        &["unknown function 'zzzzzz'", "bezout calc --help"],
    );
    refused(
        &["calc", "value = 1; valu + 1"],
        &["'valu' has no value", "did you mean 'value'?"],
    );
    refused(&["calc", "fib + 1"], &["'fib' is a function", "fib(n)"]);
    refused(
        &["calc", "fib(1, 2)"],
        &["cannot take 2 arguments", "write fib(n)"],
    );
    refused(&["calc", "gcd()"], &["needs an argument"]);
}

#[test]
fn names_of_other_languages_get_a_suggestion() {
    for (call, meant) in [
        ("NextPrime(3)", "nextprime"),
        ("mpz_nextprime(3)", "nextprime"),
        ("PowerMod(2, 3, 5)", "powmod(x, n, m)"),
        ("mpz_fdiv_q(7, 2)", "x // y"),
        ("bit_length(3)", "bits(x)"),
        ("comb(5, 2)", "binomial(n, k)"),
        ("FactorInteger(6)", "factor(n)"),
        ("MultiplicativeOrder(2, 7)", "znorder(a, m)"),
        ("log10(6)", "digits(x) - 1"),
        ("fact(6)", "n!"),
    ] {
        let hint = format!("did you mean '{meant}'?");
        refused(&["calc", call], &[&hint]);
    }
}

#[test]
fn words_that_are_no_commands_get_the_command() {
    for (arguments, hint) in [
        (&["pi"][..], "bezout constant pi"),
        (&["isprime", "101"], "bezout calc 'isprime(101)'"),
        (&["lcm", "4", "6"], "bezout calc 'lcm(4, 6)'"),
        (&["2+2"], "bezout calc '2+2'"),
        (&["version"], "bezout --version"),
    ] {
        refused(arguments, &["unrecognized subcommand", hint]);
    }
    refused(&["man", "nothing"], &["there is no command 'nothing'"]);
    let folder = std::env::temp_dir().join(format!("bezout-operand-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a.txt");
    std::fs::write(&file, "12\n").unwrap();
    let name = file.to_str().unwrap();
    refused(&["gcd", name, "3"], &[&format!("@{name}")]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn fractions_are_no_operands() {
    for arguments in [["gcd", "1/2", "3"], ["gcd", "3", "2^-1"]] {
        refused(&arguments, &["not a whole number", "//"]);
    }
    refused(&["factor", "7/2"], &["not a whole number"]);
}

#[test]
fn functions_that_print_are_no_numbers() {
    for argument in ["hex(6)", "xgcd(4, 6)", "factor(6)"] {
        refused(&["gcd", argument, "4"], &["cannot be computed with"]);
    }
}

/// What is echoed of the input is an excerpt, however long the input is.
#[test]
fn long_input_is_not_echoed_whole() {
    let name = "a".repeat(3_000_000);
    for text in [
        name.clone(),
        format!("{name}(3)"),
        format!("{name} + 1"),
        format!("@{name}"),
        format!("{name} = 1; {name}b"),
        format!("1{name}"),
        format!("1 {name}"),
    ] {
        for arguments in [&["calc", "-"][..], &["gcd", "-", "1"]] {
            let run = bezout_with_stdin(arguments, &text);
            let run = check_refusal(run, &text[..20], &[]);
            assert!(run.stderr.len() < 2000, "{}", run.stderr.len());
        }
    }
    let flag = format!("--{}", "a".repeat(100_000));
    let run = refused(&["calc", "1", &flag], &[]);
    assert!(run.stderr.len() < 2000, "{}", run.stderr.len());
}

#[test]
fn empty_input() {
    refused(&["calc", ""], &["empty"]);
    refused(&["calc", "  "], &["empty"]);
    refused(&["gcd", "", "1"], &["empty"]);
    check_refusal(
        bezout_with_stdin(&["calc", "-"], " \n"),
        "stdin",
        &["standard input is empty"],
    );
}

/// None of these may be tried: each would take all memory and then some.
#[test]
fn results_that_cannot_fit() {
    for expression in [
        "2^(2^62)",
        "2^(2^70)",
        "3^(10^18)",
        "(-2)^(2^64)",
        "1 << 2^62",
        "1 << 2^100",
        "ones(2^60)",
        "fill(1, 2^60)",
        "fill(1, 2^90)",
        "setbit(0, 2^60)",
        "flipbit(-1, 2^60)",
        "factorial(10^14)",
        "(10^30)!",
        "fib(10^17)",
        "binomial(10^18, 10^17)",
        "lucas(10^17)",
        "primorial(10^17)",
        "random:1e17",
        "random:2^70",
        "1e999999999999999999",
        "2^(2^(2^(2^(2^(2^2)))))",
    ] {
        refused(&["calc", expression], &["more than fits in memory", "^"]);
    }
    refused(&["gcd", "2^(2^62)", "6"], &["more than fits in memory"]);
    refused(&["calc", "setbit(0, 2^70)"], &["more than fits in memory"]);
    refused(
        &["calc", "flipbit(-1, 2^64)"],
        &["more than fits in memory"],
    );
}

#[test]
fn sizes_beyond_machine_words_are_not_made_up() {
    for expression in [
        "2^(2^70)",
        "1 << 2^70",
        "(2^70)!",
        "fib(2^70)",
        "ones(2^64)",
    ] {
        let run = refused(
            &["calc", expression],
            &["would need at least 2^64 - 1 bits"],
        );
        assert!(
            !run.stderr.contains("18446744073709551615"),
            "{}",
            run.stderr
        );
    }
    refused(&["calc", "2^(2^70)"], &["powmod(x, n, m)"]);
    let exact = 1u64 << 62;
    refused(
        &["calc", "2^(2^62)"],
        &[&format!("would need {exact} bits")],
    );
}

#[test]
fn nesting() {
    for (text, what) in [
        (
            format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
            "brackets",
        ),
        ("abs(".repeat(100_000), "calls"),
        (format!("{}1", "-".repeat(100_000)), "signs"),
        (format!("{}1", "1^".repeat(100_000)), "powers"),
    ] {
        check_refusal(
            bezout_with_stdin(&["calc", "-"], &text),
            what,
            &["nests more than"],
        );
    }
}

#[test]
fn files_that_hold_no_number() {
    let missing = std::env::temp_dir().join("bezout-no-such-file");
    let missing = format!("@{}", missing.display());
    for arguments in [
        vec!["calc", &missing],
        vec!["gcd", &missing, "1"],
        vec!["gcd", "1", &missing],
    ] {
        refused(&arguments, &["cannot read", "bezout-no-such-file"]);
    }
    let directory = format!("@{}", std::env::temp_dir().display());
    refused(&["gcd", &directory, "1"], &["cannot read"]);
    for (name, content, words) in [
        ("empty", &b" \n"[..], &["is empty"][..]),
        (
            "letters",
            b"\n12a4\n",
            &["not a number at position 3", "\n    12a4\n      ^\n"],
        ),
        ("two", b"12 13", &["not a number at position 2"]),
        ("binary", b"12\xff\xfe", &["is not text at position 2"]),
        ("expression", b"2^10", &["not a number at position 1"]),
    ] {
        let file = TempFile::new(name, content);
        let run = refused(&["gcd", &file.at(), "1"], words);
        assert!(run.stderr.contains(name), "{}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn unreadable_file() {
    use std::os::unix::fs::PermissionsExt;
    let file = TempFile::new("unreadable", "5");
    std::fs::set_permissions(&file.0, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Permissions do not hold root back.
    if std::fs::read(&file.0).is_err() {
        refused(
            &["gcd", &file.at(), "1"],
            &["cannot read", "unreadable", "ermission denied"],
        );
    }
}

#[test]
fn stdin_is_read_once() {
    check_refusal(
        bezout_with_stdin(&["gcd", "-", "-"], "5"),
        "gcd - -",
        &["standard input can be read once"],
    );
}

#[test]
fn command_lines() {
    refused(&["gcd", "5"], &["required"]);
    refused(&["gcd"], &["standard input is empty"]);
    refused(&["gcd", "5", "6", "7", "--verfy"], &["--verfy"]);
    refused(&["gcd", "5", "6", "--engine"], &["--engine"]);
    refused(&["gcd", "--verfy", "5", "6"], &["--verfy", "--verify"]);
    refused(&["gcd", "5", "6", "--verfy"], &["--verfy"]);
    refused(&["frobnicate"], &["frobnicate"]);
    refused(&["calc", "1", "--threads", "0"], &["--threads"]);
    refused(&["calc", "1", "--threads", "many"], &["--threads"]);
    refused(
        &["calc", "1", "--engine", "gpu"],
        &["unknown engine 'gpu'", "auto, cpu, cuda or cuda:N"],
    );
    assert_eq!(bezout(&[]).code, Some(2));
}

#[test]
fn times_that_are_none() {
    for time in [
        "-1", "-0.5", "nan", "inf", "-inf", "1e400", "", "5x", "soon",
    ] {
        refused(
            &["factor", "6", "--timeout", time],
            &["--timeout", "not a time", "such as 90"],
        );
    }
    for flag in ["--b1", "--curves"] {
        refused(&["factor", "6", flag, "-5"], &[flag, "whole number"]);
    }
}

#[test]
fn a_device_that_is_not_there() {
    // No machine has a thousandth GPU, and none falls back from a device that was asked for.
    for arguments in [vec!["calc", "1 + 1"], vec!["gcd", "4", "6"]] {
        let arguments = [&arguments[..], &["--engine", "cuda:999"]].concat();
        refused(
            &arguments,
            &["no CUDA device", "bezout devices", "--engine cpu"],
        );
    }
}

#[test]
fn kernels_for_what_is_not_a_gpu() {
    refused(&["kernels", "--arch", "hopper"], &["sm_90"]);
    refused(&["kernels", "prepare", "--arch", "sm_9"], &["sm_90"]);
    if bezout(&["calc", "1", "--engine", "cuda"]).code != Some(0) {
        refused(&["kernels"], &["CUDA", "--arch sm_90"]);
    }
}

#[test]
fn algorithms_that_are_not_there() {
    refused(
        &["gcd", "4", "6", "--algorithm", "euclid"],
        &["unknown algorithm 'euclid'", "weber", "lattice", "host"],
    );
    if bezout(&["calc", "1", "--engine", "cuda:executor"]).code != Some(0) {
        return;
    }
    for algorithm in ["host", "accelerated"] {
        let asked = ["--algorithm", algorithm, "--engine", "cuda:executor"];
        for cofactors in [&[][..], &["--cofactors"]] {
            let arguments = [&["gcd", "2^300-1", "2^200+1"], &asked[..], cofactors].concat();
            refused(
                &arguments,
                &["does not run on engine cuda:executor", "--engine cpu"],
            );
        }
    }
}

#[test]
fn moduli_that_do_not_fit() {
    let numbers = ["gcd", "random:9000:1", "random:8990:2"];
    let weber = ["--algorithm", "weber"];
    let with = |flags: &[&'static str]| [&numbers[..], &weber, flags].concat();
    let flags = ["--count", "worst"];
    let elsewhere: [&[&str]; 2] = [&[], &["--algorithm", "half"]];
    for algorithm in elsewhere {
        let arguments = [&numbers[..], algorithm, &flags].concat();
        refused(&arguments, &["--count", "--algorithm weber"]);
    }
    refused(
        &[&numbers[..], &["--modulus-bits", "20"]].concat(),
        &["--modulus-bits", "--algorithm weber"],
    );
    refused(
        &with(&["--count", "worst", "--cofactors"]),
        &["--count", "not with --cofactors"],
    );
    refused(
        &with(&["--count", "most"]),
        &["unknown count of moduli 'most'", "estimated", "worst"],
    );
    refused(&with(&["--count", "0"]), &["a number above 0"]);
    let of_cpu = ["--modulus-bits", "15", "--engine", "cpu"];
    refused(&with(&of_cpu), &["moduli of 15 bits", "16 to 62"]);
    refused(
        &with(&["--modulus-bits", "63"]),
        &["moduli of 63 bits", "16 to 62"],
    );
    // There are 3030 primes of 16 bits and 10749 of 18.
    refused(
        &with(&["--count", "worst", "--modulus-bits", "16"]),
        &["9256 moduli of 16 bits", "9000 bits", "18 bits are enough"],
    );
}

#[test]
fn benchmarks_that_are_not_there() {
    refused(
        &["bench", "no-such-benchmark"],
        &["no-such-benchmark", "bezout bench --list"],
    );
    refused(&["report", "no-such-directory"], &["no-such-directory"]);
    let file = TempFile::new("not-a-folder", "");
    let folder = file.0.join("results");
    let run = refused(
        &["bench", "--out", folder.to_str().unwrap()],
        &["cannot create", "not-a-folder"],
    );
    assert!(!run.stderr.contains("hint"), "{}", run.stderr);
}

#[test]
fn after_an_error_in_one_operand_the_other_is_fine() {
    refused(&["gcd", "12", "6x"], &["'x' is not a decimal digit"]);
    assert_eq!(gcd("12", "6"), "6");
}

/// Without MPI, ranks would each compute the same.
#[cfg(not(feature = "mpi"))]
#[test]
fn ranks_need_mpi() {
    for rank in ["0", "1"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_bezout"))
            .args(["gcd", "12", "18"])
            .env("OMPI_COMM_WORLD_SIZE", "2")
            .env("OMPI_COMM_WORLD_RANK", rank)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(output.stdout, b"");
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(words.contains("--features mpi"), rank == "0", "{words}");
        assert_eq!(words.is_empty(), rank == "1", "{words}");
    }
}

/// What people type who know another program.
#[test]
fn hints_of_calc() {
    for (expression, hint) in [
        ("crt([1,2],[3,5])", "write crt(1, 3, 2, 5)"),
        ("chinese([1, 2], [3, 5])", "write crt(1, 3, 2, 5)"),
        ("gcd([4, 6])", "there are no lists"),
        ("sin(1)", "numbers are exact"),
        ("cos(1)", "numbers are exact"),
        ("rank(1)", "there are no matrices"),
        ("core(12)", "factor(n)"),
        ("C(5, 2)", "did you mean 'binomial(n, k)'?"),
        ("lift(3)", "did you mean 'x mod m'?"),
        ("number_of_partitions(9)", "did you mean 'partitions(n)'?"),
        ("number_of_divisors(9)", "did you mean 'tau(n)'?"),
        ("omega(9)", "did you mean 'factor(n)'?"),
        ("valuation(8, 2)", "scan1(x, 0)"),
        ("discrete_log(1, 2, 3)", "did you mean 'znlog(a, g, m)'?"),
    ] {
        refused(&["calc", expression], &[hint]);
    }
    for (expression, value) in [
        ("ispseudoprime(7)", "1"),
        ("multiplicative_order(2, 7)", "3"),
        ("primitive_root(7)", "3"),
        ("bernfrac(2)", "1/6"),
    ] {
        assert_eq!(crate::calc(expression), value);
    }
}

#[test]
fn hints_of_the_command_line() {
    refused(&["-v"], &["bezout: hint: bezout --version"]);
    let file = TempFile::new("several", "12\n18\n");
    let name = file.at();
    refused(&["gcd", &name, "6"], &["gcd and factor take FILE alone"]);
}
