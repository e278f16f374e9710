//! The compilers and the cache of what they make.

use std::path::PathBuf;

use super::super::cache::{Cache, Key};
use super::super::nvrtc::{Nvrtc, Program, candidates};
use super::super::pack::{Pack, Packed, Sought};
use super::super::*;
use super::collectives::cu::COLLECTIVES;
use super::{BROKEN, TOY};
use crate::error::Error;
use crate::tuning::Tuning;

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

/// A module of sm_90 for a pack.
fn packed(name: &str, image: Vec<u8>) -> Packed {
    Packed {
        key: Key::new(name, "cubin", &["90", "text"]),
        source: "toy",
        checksum: 7,
        image,
    }
}

fn get(pack: &Pack, name: &str, checksum: u128) -> Option<Vec<u8>> {
    let key = &Key::new(name, "cubin", &["90", "text"]);
    let sought = Sought {
        key,
        source: "toy",
        checksum,
    };
    let is_there = pack.has(&sought);
    let found = pack.get(&sought);
    assert!(is_there || found.is_none());
    found
}

#[test]
fn packs_that_cannot_serve_are_refused() {
    let folder = folder("packs");
    let path = folder.join(pack::name(90));
    let (one, two): (Vec<u8>, Vec<u8>) = (vec![1; 100], (0..3000).map(|i| i as u8 ^ 5).collect());
    let modules = [packed("one", one.clone()), packed("two", two.clone())];
    let size = pack::write(&path, 90, &modules).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, size);
    assert!(bytes.len() < 2000, "it is compressed: {size} bytes");
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Pack::open(&path)
    };
    let whole = open(&bytes).map_err(|reason| panic!("{reason}")).unwrap();
    assert_eq!(get(&whole, "one", 7).as_ref(), Some(&one));
    assert_eq!(get(&whole, "two", 7).as_ref(), Some(&two));
    assert_eq!(get(&whole, "three", 7), None);
    // Of other sources: not one of its modules is used.
    assert_eq!(get(&whole, "one", 8), None);
    // A change or a cut anywhere refuses the file or the module; never a module that is not the one
    // that was kept.
    for at in (0..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        for some in [&changed[..], &bytes[..at]] {
            if let Ok(pack) = open(some) {
                let (first, second) = (get(&pack, "one", 7), get(&pack, "two", 7));
                assert!([None, Some(&one)].contains(&first.as_ref()));
                assert!([None, Some(&two)].contains(&second.as_ref()));
            }
        }
    }
    let refusal = |bytes: &[u8]| open(bytes).err().unwrap_or_default();
    let other = b"something else entirely, and long enough to be a head";
    assert!(refusal(other).contains("not a pack"));
    assert!(refusal(&bytes[..60]).contains("damaged"));
    assert!(refusal(b"").contains("damaged"));
    let with_index = |index: &str| {
        let mut file = bytes[..16].to_vec();
        file.extend_from_slice(&(index.len() as u64).to_le_bytes());
        file.extend_from_slice(&cache::fnv(index.as_bytes()).to_le_bytes());
        file.extend_from_slice(index.as_bytes());
        file
    };
    // Of another version, whole; and of an older format.
    let older = r#"{"version":"0.0.0","architecture":90,"sources":{},"modules":{}}"#;
    assert!(refusal(&with_index(older)).contains("bezout 0.0.0"));
    let mut old = bytes.clone();
    old[15] = b'1';
    assert!(refusal(&old).contains("another version"));
    // Numbers that point outside of the file, under a right checksum.
    for (start, packed, unpacked) in [(0, 100, 1), (u64::MAX, 1, 1), (0, 0, u64::MAX)] {
        let place =
            format!(r#"{{"start":{start},"packed":{packed},"unpacked":{unpacked},"checksum":""}}"#);
        let version = env!("CARGO_PKG_VERSION");
        let index = format!(
            r#"{{"version":"{version}","architecture":90,"sources":{{}},"modules":{{"x":{place}}}}}"#
        );
        assert!(refusal(&with_index(&index)).contains("damaged"));
    }
    assert!(Pack::open(&folder.join("none")).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
#[cfg(unix)]
fn nvrtc_is_found_in_packages() {
    let folder = folder("packages");
    let packages = folder.join("prefix/lib/python3.12/site-packages");
    let inside = [
        packages.join("nvidia/cuda_nvrtc/lib/libnvrtc.so.12"),
        packages.join("nvidia/cu13/lib/libnvrtc.so.13"),
        packages.join("torch/lib/libnvrtc-672ee683.so.11.2"),
        folder.join("prefix/lib/libnvrtc.so.12"),
    ];
    let others = [
        packages.join("nvidia/cu13/lib/libnvrtc-builtins.so.13.0"),
        packages.join("nvidia/cu13/lib/libnvrtc.alt.so.13"),
        packages.join("nvidia/cu13/lib/libnvJitLink.so.13"),
    ];
    for path in inside.iter().chain(&others) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, b"").unwrap();
    }
    let folders = nvrtc::folders_of_packages(Some(&packages.join("bezout")));
    let mut found: Vec<PathBuf> = (folders.iter())
        .filter(|path| path.starts_with(&folder))
        .flat_map(|path| nvrtc::found_in(path))
        .collect();
    found.sort();
    let mut expected = inside.to_vec();
    expected.sort();
    assert_eq!(found, expected);
    for (name, version) in [
        ("libnvrtc.so.12", Some(12)),
        ("nvrtc64_120_0.dll", Some(12)),
        ("nvrtc64_112_0.dll", Some(11)),
        ("nvrtc64_120_0.alt.dll", None),
        ("nvrtc-builtins64_130.dll", None),
        ("libnvrtc.so", None),
    ] {
        assert_eq!(
            nvrtc::version_of(std::path::Path::new(name)),
            version,
            "{name}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn packs_are_looked_for_beside_the_library() {
    let above = std::path::Path::new("/a/lib");
    let found: Vec<PathBuf> = places::beside(above).collect();
    let expected = [
        "/a/lib",
        "/a/lib/kernels",
        "/a/share/bezout",
        "/a/bezout_kernels",
    ];
    assert_eq!(found, expected.map(PathBuf::from));
    // This test's program stands for the library.
    let all = places::candidates("some.kernels");
    let here = std::fs::canonicalize(std::env::current_exe().unwrap()).unwrap();
    if std::env::var_os("BEZOUT_KERNELS").is_none() {
        assert_eq!(all[0], here.with_file_name("some.kernels"));
    }
}

#[test]
fn keys_do_not_depend_on_how_they_are_computed() {
    let whole = Key::new("toy", "cubin", &["90", "text", "-DA=1"]);
    let parts = Key::after("toy", "cubin", &["90", "text"], &["-DA=1"], cache::fnv);
    assert_eq!(whole.file(), parts.file());
    for (kernel, define) in [("toy_add", 7), ("toy_add", 8), ("other", 7)] {
        let program = Program::new(&TOY, &[("TOY_ADD", define)], kernel);
        let mut parts = vec!["90", &program.text];
        parts.extend(program.flags.iter().map(String::as_str));
        let slow = Key::new(kernel, "cubin", &parts);
        assert_eq!(nvrtc::key(kernel, &TOY, &program, 90).file(), slow.file());
    }
}

#[test]
fn a_damaged_library_is_built_again() {
    static DAMAGED: Source = Source {
        name: "damaged",
        kernels: &[],
        constants: &[],
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
    let key = executor.program(&DAMAGED, &[] as &[(&str, i64)]).key;
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
    const ARCHITECTURES: [u32; 4] = [80, 90, 100, 120];
    let toy = Program::new(&TOY, &[("TOY_ADD", 7)], "toy_add");
    let mut tasks = Vec::new();
    for architecture in ARCHITECTURES {
        for kernel in COLLECTIVES.kernels {
            let unit = Unit::new(&COLLECTIVES, &[]);
            tasks.push((unit, kernel.name, architecture));
        }
    }
    // Of each source, and of each kind of rows, a unit for every architecture; the first and the
    // last for one.
    let group = |unit: &Unit| {
        let kind = unit.defines.iter().find(|(name, _)| *name == "ROW_KIND");
        (unit.source.name, kind.map(|(_, value)| *value))
    };
    for tuning in [Tuning::DEFAULT, Tuning::MINIMAL] {
        let units = crate::kernels::units(&[tuning]);
        for (i, unit) in units.iter().enumerate() {
            let alike = |other: &&Unit| group(other) == group(unit);
            let before = units[..i].iter().filter(alike).count();
            let all = units.iter().filter(alike).count();
            let architectures = match before {
                _ if before == all / 2 => &ARCHITECTURES[..],
                _ if before == 0 || before + 1 == all => &ARCHITECTURES[1..2],
                _ => &[],
            };
            for architecture in architectures {
                let kernels = unit.kernels.iter();
                tasks.extend(kernels.map(|kernel| (unit.clone(), kernel.name, *architecture)));
            }
        }
    }
    crate::threads::each(tasks.len(), 1, &|i| {
        let (unit, kernel, architecture) = &tasks[i];
        let program = Program::new(unit.source, &unit.defines, kernel);
        let code = nvrtc.compile(&program, *architecture).unwrap();
        assert_eq!(code[..4], *b"\x7fELF");
        // Its section in the file.
        let section = format!(".text.{kernel}\0");
        let mut bytes = code.windows(section.len());
        assert!(
            bytes.any(|part| part == section.as_bytes()),
            "{kernel} is not in {}",
            unit.source.name
        );
    });
    println!("{}: {} kernels", nvrtc.name(), tasks.len());
    // Newer than any NVRTC: PTX for the newest it knows.
    let text = nvrtc.compile(&toy, 999).unwrap();
    assert_eq!(text.last(), Some(&0));
    assert!(String::from_utf8_lossy(&text).contains(".visible .entry toy_add"));
    assert!(matches!(
        nvrtc.compile(&toy, 10),
        Err(Error::Compile { .. })
    ));
    let broken = Program::new(&BROKEN, &[] as &[(&str, i64)], "broken");
    match nvrtc.compile(&broken, 90) {
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
