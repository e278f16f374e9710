//! `bezout completions` and `bezout man`: what a shell and `man` read, made from the description of
//! the command line.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use bezout::GcdAlgorithm;
use bezout::constant::Constant;
use bezout::factor::Method;
use bezout_keyfile::Format;
use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;
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
/// parser itself does not have them, as its errors then say less.
fn with_values(command: Command) -> Command {
    let engines = ["auto", "cpu", "cuda", "cuda:0", "cuda:executor"].map(str::to_string);
    let methods = Method::CHOICES.map(|method| method.to_string());
    let formats = Format::names().map(str::to_string);
    let operations = OPERATIONS
        .iter()
        .map(|operation| operation.name.to_string());
    let benchmarks = bezout_bench::list();
    let benchmarks = benchmarks.iter().map(|(name, _)| name.to_string());
    let values: [(&str, &str, Vec<String>); 6] = [
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
        ("bench", "names", benchmarks.collect()),
    ];
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
        return output::bytes(page);
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

/// The page of bezout, then those of its commands and of their commands: file names and contents.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = args::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    let mut waiting = vec![command];
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().cloned());
        let man = Man::new(command);
        let mut page = Vec::new();
        man.render(&mut page)?;
        pages.push((man.get_filename(), page));
    }
    Ok(pages)
}
