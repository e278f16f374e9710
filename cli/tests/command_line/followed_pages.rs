//! The commands of `docs/keys.md`: each is run, and prints what the page says.

use std::path::Path;

use super::*;

#[test]
#[cfg(unix)]
fn batch_gcd_page_shows_what_is_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::temp_dir().join(format!("bezout-keys-page-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for file in std::fs::read_dir(root.join("keyfile/tests/keys")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_bezout"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let page = std::fs::read_to_string(root.join("docs/keys.md")).unwrap();
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    let mut count = 0;
    for block in blocks {
        for shown in block.split("$ ").skip(1) {
            let (command, expected) = shown.split_once('\n').unwrap();
            let mut shell = Command::new("sh");
            shell
                .args(["-c", command])
                .current_dir(&folder)
                .env("PATH", &path);
            let run = run_with_stdin(shell, "");
            assert_eq!(run.stdout, expected, "{command}\n{}", run.stderr);
            count += 1;
        }
    }
    assert!(count > 15, "{count} commands");
    std::fs::remove_dir_all(&folder).unwrap();
}
