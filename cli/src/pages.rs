//! `bezout completions` and `bezout man`: what a shell and `man` read, made from the description of
//! the command line.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;

use crate::args::{self, Global};
use crate::failure::Failure;
use crate::output;

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
    /// Write a page for bezout and one for each of its commands to this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Prints the script for a shell.
pub fn completions(options: &Completions, global: &Global) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut args::command(), "bezout", &mut script);
    if global.json {
        let (shell, script) = (options.shell.to_string(), String::from_utf8_lossy(&script));
        return output::json(
            &json!({ "command": "completions", "shell": shell, "script": script }),
        );
    }
    output::bytes(&script)
}

/// Prints the page of bezout, or writes all pages to a directory.
pub fn man(options: &Manual, global: &Global) -> Result<(), Failure> {
    let pages = pages().map_err(|error| Failure::failed(format!("cannot make a page: {error}")))?;
    let Some(folder) = &options.out else {
        let (name, page) = &pages[0];
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
