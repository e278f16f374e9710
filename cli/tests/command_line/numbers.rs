//! Every form of number.

use crate::{TempFile, bezout, bezout_with_stdin, calc, gcd};

#[test]
fn literals() {
    for (text, value) in [
        ("0", "0"),
        ("-0", "0"),
        ("007", "7"),
        ("12345678901234567890123", "12345678901234567890123"),
        ("-5", "-5"),
        ("+5", "5"),
        ("1_000_000", "1000000"),
        ("0xff", "255"),
        ("0XFF", "255"),
        ("-0x1f", "-31"),
        ("0xdead_beef", "3735928559"),
        ("0b1010", "10"),
        ("0o17", "15"),
        ("1e6", "1000000"),
        ("-25E2", "-2500"),
        ("0e9", "0"),
        (" 42 ", "42"),
    ] {
        assert_eq!(calc(text), value, "{text}");
    }
}

#[test]
fn expressions_as_arguments() {
    assert_eq!(gcd("2^100-1", "2^60-1"), "1048575");
    assert_eq!(gcd("fib(1000)", "fib(600)"), calc("fib(200)"));
    assert_eq!(
        gcd("100!", "primorial(97)"),
        "2305567963945518424753102147331756070"
    );
    assert_eq!(gcd("2^4423-1", "3"), "1");
}

#[test]
fn negative_arguments() {
    assert_eq!(gcd("-5", "10"), "5");
    assert_eq!(gcd("10", "-5"), "5");
    assert_eq!(gcd("-0x1f", "-62"), "31");
    assert_eq!(gcd("-(2^10)", "-12"), "4");
    assert_eq!(gcd("0", "-7"), "7");
    assert_eq!(gcd("0", "0"), "0");
    assert_eq!(calc("-hamming(5, 3)"), "-2");
}

#[test]
fn flags_go_anywhere() {
    for arguments in [
        ["gcd", "-12", "18", "--quiet", "--verify"],
        ["gcd", "--quiet", "-12", "--verify", "18"],
        ["--quiet", "--verify", "gcd", "-12", "18"],
    ] {
        let run = bezout(&arguments);
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.as_str()),
            (Some(0), "6\n", "")
        );
    }
    assert_eq!(
        bezout(&["gcd", "--engine=cpu", "--threads", "1", "--", "-4", "6"]).stdout,
        "2\n"
    );
}

#[test]
fn random_numbers_have_exactly_their_bits() {
    for bits in [
        "0", "1", "2", "63", "64", "65", "1000", "1e4", "2^12", "(10*10)", "4!",
    ] {
        let expression = format!("bits(random:{bits}) == {bits}");
        assert_eq!(calc(&expression), "1", "{expression}");
    }
    assert_eq!(calc("bits(random(100)) == 100"), "1");
}

#[test]
fn random_numbers_differ_unless_seeded() {
    assert_ne!(calc("random:256"), calc("random:256"));
    assert_eq!(calc("random:256 == random:256"), "0");
    assert_eq!(calc("random:256:5"), calc("random:256:5"));
    assert_eq!(calc("random:256:5"), calc("random(256, 5)"));
    assert_ne!(calc("random:256:5"), calc("random:256:6"));
    assert_eq!(gcd("random:500:0x7", "random:500:7"), calc("random:500:7"));
}

/// A seeded number is the same in every version and on every machine: successive words of
/// xoshiro256++, least significant first, the last one shifted down to length and its top bit set.
#[test]
fn seeded_numbers_never_change() {
    assert_eq!(calc("random:64:1"), "14971601782005023387");
    assert_eq!(
        calc("random:128:3"),
        "220474916190293493530485192443809065257"
    );
    assert_eq!(calc("random:100:5"), "775091540260749521789880106014");
}

#[test]
fn files() {
    for (name, content, value) in [
        ("plain", "123\n", "123"),
        ("negative", "-0x1f", "-31"),
        ("blanks", "\n\t  77 \r\n\n", "77"),
        ("underscores", "1_000\n", "1000"),
        ("a name with blanks", "5", "5"),
    ] {
        let file = TempFile::new(name, content);
        assert_eq!(calc(&file.at()), value, "{name}");
        assert_eq!(
            gcd(&file.at(), "0"),
            value.trim_start_matches('-'),
            "{name}"
        );
    }
    let file = TempFile::new("within", "10");
    let at = file.at();
    assert_eq!(calc(&format!("{at} + 1")), "11");
    assert_eq!(calc(&format!("({at})*2")), "20");
    assert_eq!(calc(&format!("max({at}, 3)")), "10");
    assert_eq!(calc(&format!("a = {at}; a*a")), "100");
    let quoted = format!("@\"{}\"*3", file.0.display());
    assert_eq!(calc(&quoted), "30");
}

#[test]
fn stdin() {
    let run = |arguments: &[&str], stdin: &str| bezout_with_stdin(arguments, stdin).stdout;
    assert_eq!(run(&["calc", "-"], "\n -0x1f \n"), "-31\n");
    assert_eq!(run(&["calc", "-"], "a = 3;\na^2\n"), "9\n");
    assert_eq!(run(&["gcd", "-", "18"], "12\n"), "6\n");
    assert_eq!(run(&["gcd", "18", "-"], "-12"), "6\n");
}

#[test]
fn megabytes_of_digits() {
    let digits = "7".repeat(2_000_000);
    let file = TempFile::new("digits", &digits);
    assert_eq!(calc(&format!("{} % 10^9", file.at())), "777777777");
    let run = bezout_with_stdin(&["calc", "-"], &digits);
    assert_eq!(run.stdout.trim_end(), digits);
    let run = bezout_with_stdin(&["calc", "-"], &format!("({digits} - 1) % 10"));
    assert_eq!(run.stdout, "6\n");
}

/// Editors on Windows write a byte-order mark in front of text. Every command that reads numbers
/// skips it, in files and on standard input, and nowhere else.
#[test]
fn byte_order_marks() {
    let number = TempFile::new("mark", "\u{feff}35\r\n");
    let (at, name) = (number.at(), number.0.to_str().unwrap());
    let poly = TempFile::new("mark-poly", "\u{feff}x^2 + 1\n");
    let stdin = "\u{feff}35\n";
    for (arguments, stdin, printed) in [
        (&["calc", &at][..], "", "35\n"),
        (&["calc", &format!("{at} + 1")], "", "36\n"),
        (&["calc"], stdin, "35\n"),
        (&["calc", "-"], "\u{feff}# none\n1 + 1\n", "2\n"),
        (&["gcd", &at, "21"], "", "7\n"),
        (&["gcd", "-", "21"], stdin, "7\n"),
        (&["factor", &at], "", "35: 5 7\n"),
        (&["factor", name], "", "35: 5 7\n"),
        (&["factor"], stdin, "35: 5 7\n"),
        (&["sort", name], "", "35\n"),
        (&["sort"], stdin, "35\n"),
        (&["poly", "show", &poly.at(), "--mod", "7"], "", "x^2 + 1\n"),
        (
            &["poly", "show", "-", "--mod", "7"],
            "\u{feff}x^2 + 1\n",
            "x^2 + 1\n",
        ),
        (
            &["poly", "eval", "x^2", "-", "--mod", "7"],
            "\u{feff}2\n",
            "4\n",
        ),
        (&["ecm", "-q", "100"], "\u{feff}21\n", "21\n"),
    ] {
        let run = bezout_with_stdin(arguments, stdin);
        assert_eq!(run.stdout, printed, "{arguments:?}: {}", run.stderr);
    }
    for (arguments, stdin) in [
        (&["calc", "-"][..], "1\n\u{feff}2\n"),
        (&["calc", "-"], "\u{feff}\u{feff}2\n"),
        (&["gcd", "-", "2"], "\u{feff}\n"),
    ] {
        assert_eq!(
            bezout_with_stdin(arguments, stdin).code,
            Some(2),
            "{arguments:?} {stdin:?}"
        );
    }
}

#[test]
fn the_gcd_of_the_numbers_of_a_file() {
    let file = TempFile::new("gcd-list", "\u{feff}12, 18 # two\n2^4 * 3\n");
    let at = file.at();
    let name = at.trim_start_matches('@');
    for arguments in [&["gcd", name][..], &["gcd", &at]] {
        let run = bezout(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "6\n"), "{run:?}");
    }
    for arguments in [&["gcd"][..], &["gcd", "-"]] {
        let run = bezout_with_stdin(arguments, "12\n18\n");
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "6\n"), "{run:?}");
        let run = bezout_with_stdin(arguments, "12\n");
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("two numbers or more"), "{run:?}");
        let run = bezout_with_stdin(arguments, "12\n1x\n");
        assert!(run.stderr.contains("standard input, line 2: "), "{run:?}");
    }
}
