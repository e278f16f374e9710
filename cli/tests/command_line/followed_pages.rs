//! The commands of `docs/keys.md`, `docs/command-line.md` and the README: each is run, and prints
//! what the page says.

use std::path::{Path, PathBuf};

use super::*;

#[test]
#[cfg(unix)]
fn batch_gcd_page_shows_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = folder("keys");
    for file in std::fs::read_dir(root.join("keyfile/tests/keys")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    assert!(follow("docs/keys.md", &folder) > 15);
}

#[test]
#[cfg(unix)]
fn command_line_page_shows_what_is_printed() {
    assert!(follow("docs/command-line.md", &folder("command-line")) > 15);
}

#[test]
#[cfg(unix)]
fn first_command_of_the_readme_prints_what_it_shows() {
    assert_eq!(follow("README.md", &folder("readme")), 1);
}

/// An empty folder.
#[cfg(unix)]
fn folder(name: &str) -> PathBuf {
    let name = format!("bezout-page-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the commands of a page in this folder, which is then removed, and gives their number.
#[cfg(unix)]
fn follow(page: &str, folder: &Path) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let program = Path::new(env!("CARGO_BIN_EXE_bezout"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let page = std::fs::read_to_string(root.join(page)).unwrap();
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    let mut count = 0;
    for block in blocks {
        for shown in block.split("$ ").skip(1) {
            let (command, expected) = shown.split_once('\n').unwrap();
            let command = command.replace("cargo run --release --", "bezout");
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &command])
                .current_dir(folder)
                .env("PATH", &path);
            let run = run_with_stdin(shell, "");
            assert_eq!(run.stdout, expected, "{command}\n{}", run.stderr);
            count += 1;
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
    count
}
