//! `bezout completions` and `bezout man`: what a shell and `man` read, made from the description of
//! the command line.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use bezout::GcdAlgorithm;
use bezout::constant::Constant;
use bezout::factor::Method;
use bezout_keyfile::Format;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use serde_json::json;

use crate::args::{self, Global};
use crate::failure::Failure;
use crate::output;
use crate::poly::OPERATIONS;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct Completions {
    /// The shell that is to complete bezout's commands and flags
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub struct Manual {
    /// The command whose page is printed [default: the page of bezout itself]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub command: Option<String>,
    /// Write a page for bezout and one for each of its commands to this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Prints the script for a shell.
pub fn completions(options: &Completions, global: &Global) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut command = with_values(args::command());
    clap_complete::generate(options.shell, &mut command, "bezout", &mut script);
    if global.json {
        let (shell, script) = (options.shell.to_string(), String::from_utf8_lossy(&script));
        return output::json(
            &json!({ "command": "completions", "shell": shell, "script": script }),
        );
    }
    output::bytes(&script)
}

/// The description of the command line in which arguments that take a name list the names. The
/// parser itself does not have them, as its errors then say less. An operand that is changed here
/// becomes the last one, so commands with several number them.
fn with_values(command: Command) -> Command {
    let engines = ["auto", "cpu", "cuda", "cuda:0", "cuda:executor"].map(str::to_string);
    let methods = Method::CHOICES.map(|method| method.to_string());
    let formats = Format::names().map(str::to_string);
    let operations = OPERATIONS
        .iter()
        .map(|operation| operation.name.to_string());
    let values: [(&str, &str, Vec<String>); 5] = [
        (
            "constant",
            "name",
            strings(Constant::ALL.map(Constant::name)),
        ),
        ("poly", "operation", operations.collect()),
        ("factor", "methods", methods.to_vec()),
        (
            "gcd",
            "algorithm",
            strings(GcdAlgorithm::ALL.map(GcdAlgorithm::name)),
        ),
        ("batch-gcd", "input_format", formats.collect()),
    ];
    #[cfg(feature = "bench")]
    let values = {
        let benchmarks = bezout_bench::list();
        let names = benchmarks.iter().map(|(name, _)| name.to_string());
        values
            .into_iter()
            .chain([("bench", "names", names.collect())])
    };
    let command = command.mut_arg("engine", |flag| flag.value_parser(one_of(engines.to_vec())));
    values
        .into_iter()
        .fold(command, |command, (name, argument, values)| {
            command.mut_subcommand(name, |command| {
                command.mut_arg(argument, |argument| argument.value_parser(one_of(values)))
            })
        })
}

/// The names live as long as the process, which prints them and ends.
fn one_of(values: Vec<String>) -> PossibleValuesParser {
    let names = values
        .into_iter()
        .map(|name| -> &'static str { name.leak() });
    PossibleValuesParser::new(names.collect::<Vec<_>>())
}

fn strings<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_string).to_vec()
}

/// Prints the page of bezout, or writes all pages to a directory.
pub fn man(options: &Manual, global: &Global) -> Result<(), Failure> {
    let pages = pages().map_err(|error| Failure::failed(format!("cannot make a page: {error}")))?;
    let Some(folder) = &options.out else {
        let wanted = options
            .command
            .as_deref()
            .map(|name| format!("bezout-{name}.1"));
        let place = wanted.map_or(Some(0), |wanted| {
            pages.iter().position(|(name, _)| *name == wanted)
        });
        let Some((name, page)) = place.map(|place| &pages[place]) else {
            let name = options.command.as_deref().unwrap_or_default();
            return Err(Failure::bad_input(format!("there is no command '{name}'"))
                .hint("bezout --help lists the commands"));
        };
        if global.json {
            let page = String::from_utf8_lossy(page);
            return output::json(&json!({ "command": "man", "name": name, "page": page }));
        }
        if !io::stdout().is_terminal() {
            return output::bytes(page);
        }
        if show(page) {
            return Ok(());
        }
        output::bytes(page)?;
        let command = options.command.as_ref();
        let command = command.map_or(String::new(), |name| format!(" {name}"));
        output::report(&format!(
            "bezout: hint: 'bezout man{command} | man -l -' shows the page"
        ));
        return Ok(());
    };
    let cannot = |path: &Path, error: io::Error| {
        Failure::failed(format!("cannot write '{}': {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| cannot(folder, error))?;
    for (name, page) in &pages {
        let path = folder.join(name);
        output::replace(&path, page).map_err(|error| cannot(&path, error))?;
    }
    let names: Vec<&String> = pages.iter().map(|(name, _)| name).collect();
    if global.json {
        return output::json(&json!({ "command": "man", "out": folder, "files": names }));
    }
    let folder = folder.display();
    let many = names.len();
    output::remark(
        global,
        &format!("{many} pages in {folder}; read one with 'man -l {folder}/bezout.1'"),
    );
    Ok(())
}

/// Shows a page on the terminal by the system's `man`; false where that cannot.
fn show(page: &[u8]) -> bool {
    let started = process::Command::new("man")
        .args(["-l", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut reader) = started else {
        return false;
    };
    if let Some(mut pipe) = reader.stdin.take() {
        // A reader that has seen enough closes the pipe.
        let _ = pipe.write_all(page);
    }
    reader.wait().is_ok_and(|status| status.success())
}

/// The page of bezout, then those of its commands and of their commands: file names and contents.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = args::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    let mut waiting = vec![command];
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().cloned());
        let mut synopsis = Roff::new();
        synopsis.text(words(&command));
        let man = Man::new(command);
        let mut page = Vec::new();
        man.render(&mut page)?;
        let page = String::from_utf8(page).map_err(io::Error::other)?;
        pages.push((
            man.get_filename(),
            with_synopsis(&page, &synopsis.to_roff()).into(),
        ));
    }
    Ok(pages)
}

/// The page with this synopsis, as that of clap_mangen has flags without their values.
fn with_synopsis(page: &str, synopsis: &str) -> String {
    const BEFORE: &str = "\n.SH SYNOPSIS\n";
    const AFTER: &str = ".SH DESCRIPTION\n";
    match (page.split_once(BEFORE), page.split_once(AFTER)) {
        (Some((front, _)), Some((_, back))) => [front, BEFORE, synopsis, AFTER, back].concat(),
        _ => page.to_string(),
    }
}

/// A command with its flags, their values and its operands. What may be left out is in brackets.
fn words(command: &Command) -> Vec<Inline> {
    let mut line = vec![bold(command.get_bin_name().unwrap_or(command.get_name()))];
    let mut add = |parts: Vec<Inline>, is_required: bool| {
        let (open, close) = if is_required { (" ", "") } else { (" [", "]") };
        line.push(roman(open));
        line.extend(parts);
        line.push(roman(close));
    };
    let groups = || command.get_groups().filter(|group| group.is_required_set());
    let flags = || command.get_arguments().filter(|arg| !arg.is_positional());
    let is_alone =
        |arg: &&Arg| !groups().any(|group| group.get_args().any(|id| id == arg.get_id()));
    for arg in flags().filter(is_alone).filter(|arg| !arg.is_hide_set()) {
        add(flag(arg), arg.is_required_set());
    }
    for group in groups() {
        let members = flags().filter(|arg| group.get_args().any(|id| id == arg.get_id()));
        let members: Vec<Vec<Inline>> = members.map(flag).collect();
        if !members.is_empty() {
            let choice = members.join(&[roman(" | ")][..]);
            add([vec![roman("(")], choice, vec![roman(")")]].concat(), true);
        }
    }
    for arg in command.get_positionals().filter(|arg| !arg.is_hide_set()) {
        add(values(arg), arg.is_required_set());
    }
    if command.has_subcommands() {
        add(
            vec![italic("COMMAND")],
            command.is_subcommand_required_set(),
        );
    }
    line
}

/// The names of a flag, and its value.
fn flag(arg: &Arg) -> Vec<Inline> {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names = [short, long]
        .into_iter()
        .flatten()
        .map(|name| vec![bold(name)]);
    let mut parts = names.collect::<Vec<_>>().join(&[roman("|")][..]);
    if arg.get_action().takes_values() {
        parts.push(roman(" "));
        parts.extend(values(arg));
    }
    parts
}

/// The names of values, with dots where there may be more of them.
fn values(arg: &Arg) -> Vec<Inline> {
    let names = arg.get_value_names().unwrap_or_default();
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let most = arg.get_num_args().map_or(1, |range| range.max_values());
    let mut parts = vec![italic(names.join(" "))];
    if arg.is_positional() && most > names.len() {
        parts.push(roman("..."));
    }
    parts
}
