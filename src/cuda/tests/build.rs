//! The compilers and the cache of what they make.

use std::path::PathBuf;

use super::super::cache::{Cache, Key};
use super::super::kernel::all_sources;
use super::super::nvrtc::{Nvrtc, Program, candidates};
use super::super::*;
use super::collectives::COLLECTIVES;
use super::{BROKEN, TOY};
use crate::error::Error;
use crate::model::Tuning;

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("bezout-test-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_damaged_entry_is_not_served() {
    let folder = folder("damage");
    let cache = Cache::at(&folder);
    let key = Key::new("toy", "cubin", &["90", "text"]);
    assert_eq!(cache.get(&key), None);
    let path = cache.put(&key, b"machine code").unwrap();
    assert_eq!(cache.get(&key).as_deref(), Some(&b"machine code"[..]));
    let whole = std::fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        assert_eq!(cache.get(&key), None, "byte {at}");
        std::fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(cache.get(&key), None, "cut at {at}");
    }
    // Another key's entry under this key's name: a collision.
    let other = Key::new("toy", "cubin", &["90", "other text"]);
    std::fs::copy(cache.put(&other, b"other code").unwrap(), &path).unwrap();
    assert_eq!(cache.get(&key), None);
    cache.put(&key, b"machine code").unwrap();
    assert_eq!(cache.get(&key).as_deref(), Some(&b"machine code"[..]));
    assert_ne!(
        cache.path(&Key::new("toy", "x", &["ab", "c"])),
        cache.path(&Key::new("toy", "x", &["a", "bc"]))
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_folder_that_cannot_be_written_is_done_without() {
    let folder = folder("unwritable");
    std::fs::write(folder.join("file"), b"in the way").unwrap();
    let cache = Cache::at(&folder.join("file"));
    let key = Key::new("toy", "cubin", &["90"]);
    assert_eq!(cache.put(&key, b"machine code"), None);
    assert_eq!(cache.get(&key), None);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_damaged_library_is_built_again() {
    static DAMAGED: Source = Source {
        name: "damaged",
        text: "KERNEL(nothing, u64* to) { *to = 1; }",
    };
    let build = || {
        Device::private(EXECUTOR, 1 << 12)
            .unwrap()
            .module(&DAMAGED, &[])
            .unwrap()
    };
    build();
    let (executor, _) = executor::Executor::open().unwrap();
    let key = executor.program(&DAMAGED, &[]).key;
    let Some(path) = Cache::of_user().path(&key) else {
        return;
    };
    if path.exists() {
        std::fs::write(&path, b"not a library").unwrap();
        build();
        assert!(std::fs::metadata(&path).unwrap().len() > 100);
    }
}

/// Every kernel of the project for every architecture served, with the tunings that tests run.
#[test]
fn kernels_compile_with_nvrtc() {
    let Some(named) = std::env::var_os("BEZOUT_NVRTC")
        .filter(|v| !v.is_empty())
        .map(PathBuf::from)
    else {
        println!("not run: BEZOUT_NVRTC names no NVRTC (pip install nvidia-cuda-nvrtc has one)");
        return;
    };
    let nvrtc = Nvrtc::open(&candidates(Some(&named), 13)).unwrap();
    let mut programs = vec![
        (Program::new(&TOY, &[("TOY_ADD", 7)]), ""),
        (Program::new(&COLLECTIVES, &[]), ""),
    ];
    for (source, defines) in all_sources() {
        for (tuning, name) in [(Tuning::DEFAULT, "default"), (Tuning::MINIMAL, "minimal")] {
            programs.push((Program::new(source, &defines(&tuning)), name));
        }
    }
    for architecture in [80, 90, 100, 120] {
        for (program, tuning) in &programs {
            let code = nvrtc.compile(program, architecture).unwrap();
            assert_eq!(code[..4], *b"\x7fELF");
            println!(
                "{}: {} {tuning} for sm_{architecture}: {} bytes",
                nvrtc.name(),
                program.name,
                code.len()
            );
        }
    }
    // Newer than any NVRTC: PTX for the newest it knows.
    let text = nvrtc.compile(&programs[0].0, 999).unwrap();
    assert_eq!(text.last(), Some(&0));
    assert!(String::from_utf8_lossy(&text).contains(".visible .entry toy_add"));
    assert!(matches!(
        nvrtc.compile(&programs[0].0, 10),
        Err(Error::Compile { .. })
    ));
    match nvrtc.compile(&Program::new(&BROKEN, &[]), 90) {
        Err(Error::Compile { module, log }) => {
            assert_eq!(module, "broken.cu");
            assert!(
                log.contains("broken.cu(1)") && log.contains("nonsense"),
                "{log}"
            );
        }
        other => panic!("{:?}", other.map(|code| code.len())),
    }
}

#[test]
fn a_missing_nvrtc_is_said_to_be() {
    let nowhere = PathBuf::from("/nowhere/libnvrtc.so");
    let error = Nvrtc::open(&candidates(Some(&nowhere), 12)).err().unwrap();
    assert!(error.contains("/nowhere/libnvrtc.so"), "{error}");
    assert!(Nvrtc::open(&[]).is_err());
    let usual = candidates(None, 12);
    assert_eq!(
        usual[0],
        PathBuf::from(if cfg!(windows) {
            "nvrtc64_120_0.dll"
        } else {
            "libnvrtc.so.12"
        })
    );
}
