//! `bezout completions` and `bezout man`.

use crate::bezout;

#[test]
fn every_shell_has_a_script_that_names_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = bezout(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{shell}");
        for word in ["batch-gcd", "factor", "soak", "cofactors", "engine"] {
            assert!(run.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(bezout(&["completions", "tcsh"]).code, Some(2));
}

/// What an argument may be is in the scripts, which then offer no file names.
#[test]
fn names_that_arguments_take_are_completed() {
    for shell in ["bash", "zsh", "fish"] {
        // zsh has a colon between a name and what it is: others are escaped.
        let script = bezout(&["completions", shell]).stdout.replace("\\:", ":");
        for word in [
            "zeta3",
            "xgcd",
            "p+1",
            "lattice",
            "known_hosts",
            "cuda:executor",
        ] {
            // fish is told of flags alone.
            let is_flag = ["p+1", "lattice", "known_hosts", "cuda:executor"].contains(&word);
            let is_there = script.contains(word);
            assert!(is_there || shell == "fish" && !is_flag, "{shell}: {word}");
        }
    }
}

/// Bash takes the script, and completes the start of a command.
#[test]
#[cfg(target_os = "linux")]
fn bash_completes_commands() {
    let script = bezout(&["completions", "bash"]).stdout;
    let program = format!(
        "{script}\nCOMP_WORDS=(bezout batch); COMP_CWORD=1; _bezout bezout batch bezout\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &program])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "batch-gcd");
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let page = bezout(&["man"]);
    assert_eq!(page.code, Some(0), "{}", page.stderr);
    assert!(page.stdout.contains(".TH bezout 1"), "{}", page.stdout);
    assert!(page.stdout.contains("batch\\-gcd"), "{}", page.stdout);

    let folder = std::env::temp_dir().join(format!("bezout-man-{}", std::process::id()));
    let run = bezout(&["man", "--out", folder.to_str().unwrap(), "--quiet"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    for name in [
        "bezout",
        "bezout-gcd",
        "bezout-soak",
        "bezout-model-explain",
    ] {
        let page = std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
        assert!(page.contains("\\-\\-engine"), "{name}");
    }
    let synopsis = |name: &str| {
        let page = std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        let (_, rest) = page.split_once(".SH SYNOPSIS\n").unwrap();
        rest.lines().next().unwrap().replace("\\-", "-")
    };
    for (name, part) in [
        ("bezout", " \\fICOMMAND\\fR"),
        ("bezout-factor", "[\\fB--methods\\fR \\fILIST\\fR]"),
        ("bezout-factor", "[\\fINUMBER\\fR...]"),
        ("bezout-factor", "[\\fB-q\\fR|\\fB--quiet\\fR]"),
        ("bezout-poly", " \\fB--mod\\fR \\fIP\\fR "),
        (
            "bezout-model-project",
            "\\fB--gpus\\fR \\fIR\\fR | \\fB--ranks\\fR \\fIR\\fR",
        ),
    ] {
        let line = synopsis(name);
        assert!(
            line.starts_with("\\fBbezout") && line.contains(part),
            "{part}: {line}"
        );
    }
    let gcd = std::fs::read_to_string(folder.join("bezout-gcd.1")).unwrap();
    assert!(gcd.contains("Algorithms:"), "{gcd}");
    std::fs::remove_dir_all(folder).unwrap();

    let blocked = bezout(&["man", "--out", "/dev/null/pages"]);
    assert_eq!(blocked.code, Some(1));
    assert!(
        blocked.stderr.contains("cannot write '/dev/null/pages'"),
        "{}",
        blocked.stderr
    );
}
