//! Every command that the README and the pages under `docs/` show is one that this program takes.

use std::fs;
use std::path::Path;

use clap::error::ErrorKind;

use super::*;

/// Blocks of other languages have no commands.
const BLOCKS: [&str; 4] = ["", "console", "sh", "text"];

#[test]
fn every_command_of_the_pages_parses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for entry in fs::read_dir(root.join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "md") {
            pages.push(path);
        }
    }
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in pages {
        for command in commands(&fs::read_to_string(&page).unwrap()) {
            let Some(words) = words(&command).filter(|words| !words.is_empty()) else {
                continue;
            };
            count += 1;
            // A span may end with a flag whose value the text does not name.
            let with_value = [&words[..], &["1".to_string()]].concat();
            if let Err(reason) = check(&words).or_else(|e| check(&with_value).map_err(|_| e)) {
                wrong.push(format!("{}: {command}: {reason}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 150, "{count} commands");
}

#[test]
fn commands_are_cut_out_of_their_lines() {
    let found = |line: &str| words(line).map(|words| words.join("|"));
    assert_eq!(
        found("calc '2^9 - 1' --json").unwrap(),
        "calc|2^9 - 1|--json"
    );
    assert_eq!(found("factor < numbers.txt").unwrap(), "factor");
    assert_eq!(found("tune    measure all").unwrap(), "tune");
    assert_eq!(found("batch-gcd - 2>/dev/null").unwrap(), "batch-gcd|-");
    for placeholder in ["gcd A B", "regret OP...", "pram 5 [W]", "gcd …", "a b|c"] {
        assert_eq!(found(placeholder), None);
    }
    let page = "`mpirun -n 2 bezout tune`, `import bezout as x`\n\
                ```sh\nbezout man\n```\n\x20   bezout calc\n";
    assert_eq!(commands(page), ["tune", "man", "calc"]);
}

/// An error for a command that is none. One that lacks an argument is only named, not shown.
fn check(words: &[String]) -> Result<(), String> {
    let program = std::iter::once(OsString::from("bezout"));
    match parse(program.chain(words.iter().map(OsString::from)).collect()) {
        Ok(Args {
            command: Command::Measure(Measure::Bench(bench)),
            ..
        }) => {
            let known = bezout_bench::list();
            let is_known = |name: &&String| known.iter().any(|(known, _)| known == name);
            match bench.names.iter().find(|name| !is_known(name)) {
                Some(name) => Err(format!("no benchmark is called {name}")),
                None => Ok(()),
            }
        }
        Ok(_) => Ok(()),
        Err(Refusal { error, .. }) => match error.kind() {
            ErrorKind::DisplayHelp
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            | ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand => Ok(()),
            _ => Err(error.to_string()),
        },
    }
}

/// What follows `bezout` in the blocks and in the code of a page.
fn commands(page: &str) -> Vec<String> {
    let mut block: Option<&str> = None;
    let mut found = Vec::new();
    for line in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() {
                None
            } else {
                Some(language)
            };
            continue;
        }
        let shown = line.trim_start();
        match block {
            Some("console") if !shown.starts_with("$ ") => {}
            Some(language) if !BLOCKS.contains(&language) => {}
            Some(_) => found.extend(arguments(shown)),
            None if line.starts_with("    ") => found.extend(arguments(shown)),
            None => found.extend(line.split('`').skip(1).step_by(2).filter_map(arguments)),
        }
    }
    found
}

/// The arguments of bezout in a command line.
fn arguments(line: &str) -> Option<String> {
    let line = format!(" {line}");
    let at = [" bezout ", "/bezout "].map(|name| line.find(name));
    let at = at.into_iter().flatten().min()?;
    // A module of Python, or a package of cargo.
    let is_another = ["import", "-p"]
        .iter()
        .any(|word| line[..at].ends_with(word));
    (!is_another).then(|| line[at + " bezout ".len()..].to_string())
}

/// The words of a command as a shell has them, up to a redirection, a comment, or the two spaces
/// before an explanation; none where a word stands for something else, such as FILE.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => {
                words.extend(word.take());
                if rest.peek() == Some(&' ') {
                    break;
                }
            }
            (None, '|' | '<' | '>' | ';' | '&' | '#') if word.is_none() => break,
            (None, '>') if word.as_deref() == Some("2") => {
                word = None;
                break;
            }
            (None, '|') => return None,
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let stands_for_another = |word: &String| {
        let name = word.trim_matches(['[', ']', '.']);
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase());
        is_name || word.contains('…')
    };
    (!words.iter().any(stands_for_another)).then_some(words)
}
