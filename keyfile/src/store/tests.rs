//! Stores that are made, changed, damaged and left by a crash.

use std::fs;
use std::path::PathBuf;

use super::*;

/// A folder that is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("bezout-store-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn piece(seed: u64, count: u64) -> Piece {
    let key = |i| Stored {
        limbs: (0..=i % 3).map(|j| seed + 2 * i + j + 1).collect(),
        place: format!("file {seed}:{i}"),
    };
    Piece {
        product: (0..count + 2).map(|i| seed * i + 1).collect(),
        keys: (0..count).map(key).collect(),
    }
}

fn content(store: &Store) -> Vec<Piece> {
    let piece = |i| Piece {
        product: store.product(i).unwrap(),
        keys: store.keys(i).unwrap(),
    };
    (0..store.len()).map(piece).collect()
}

#[test]
fn pieces_come_back() {
    let folder = Folder::new("pieces");
    let missing = Store::open(&folder.0, Access::Read).unwrap_err();
    assert!(matches!(missing, StoreError::Missing(_)), "{missing}");
    let mut expected = vec![piece(1, 5), piece(2, 0)];
    {
        let mut store = Store::open(&folder.0, Access::Change).unwrap();
        store.replace_from(0, &expected).unwrap();
        assert!(content(&store) == expected);
        for access in [Access::Read, Access::Change] {
            let locked = Store::open(&folder.0, access).unwrap_err();
            assert!(matches!(locked, StoreError::Locked(_)), "{locked}");
        }
    }
    {
        let mut store = Store::open(&folder.0, Access::Change).unwrap();
        assert_eq!((store.total(), store.len()), (5, 2));
        let others = [piece(3, 4), piece(4, 7)];
        store.replace_from(1, &others).unwrap();
        expected.splice(1.., others);
    }
    let (store, second) = (
        Store::open(&folder.0, Access::Read).unwrap(),
        Store::open(&folder.0, Access::Read).unwrap(),
    );
    assert!(content(&store) == expected && content(&second) == expected);
    // The piece that was replaced is gone: three pieces, the index, the lock.
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 5);
}

#[test]
fn foreign_folders_are_left_alone() {
    let folder = Folder::new("foreign");
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.0.join("thesis.tex"), "text").unwrap();
    for access in [Access::Read, Access::Change] {
        let error = Store::open(&folder.0, access).unwrap_err();
        assert!(matches!(error, StoreError::Missing(_)), "{error}");
    }
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
}

/// A file of the store, changed at every byte and cut at every byte, is refused.
#[test]
fn every_damage_is_told() {
    let folder = Folder::new("damage");
    let whole = [piece(9, 3)];
    Store::open(&folder.0, Access::Change)
        .and_then(|mut store| store.replace_from(0, &whole))
        .unwrap();
    let look = || -> Result<(), StoreError> {
        let store = Store::open(&folder.0, Access::Read)?;
        store.product(0)?;
        store.keys(0).map(drop)
    };
    look().unwrap();
    for name in ["index", "00000001.piece"] {
        let path = folder.0.join(name);
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            for wrong in [&changed[..], &bytes[..at]] {
                fs::write(&path, wrong).unwrap();
                let error = look().unwrap_err();
                let is_told = matches!(error, StoreError::Damaged { .. });
                assert!(
                    is_told && error.to_string().contains(name),
                    "{name} {at}: {error}"
                );
            }
        }
        fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
        assert!(look().is_err());
        fs::write(&path, bytes).unwrap();
    }
    look().unwrap();
    fs::remove_file(folder.0.join("00000001.piece")).unwrap();
    assert!(matches!(look(), Err(StoreError::Io { .. })));
}

#[test]
fn what_a_crash_leaves_does_not_count() {
    let folder = Folder::new("crash");
    // Killed while it made the store.
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.0.join("index.new"), "bezout k").unwrap();
    fs::write(folder.0.join("lock"), "").unwrap();
    let mut store = Store::open(&folder.0, Access::Change).unwrap();
    store.replace_from(0, &[piece(1, 2)]).unwrap();
    fs::write(folder.0.join("00000002.piece"), "half of a").unwrap();
    fs::write(folder.0.join("00000003.piece.new"), "half of a").unwrap();
    drop(store);
    let mut store = Store::open(&folder.0, Access::Change).unwrap();
    assert!(content(&store) == [piece(1, 2)]);
    store.replace_from(1, &[piece(5, 1)]).unwrap();
    assert!(content(&store) == [piece(1, 2), piece(5, 1)]);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 4);
}

/// Links that somebody has put into the folder are not followed.
#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (folder, victims) = (Folder::new("links"), Folder::new("victims"));
    fs::create_dir_all(&victims.0).unwrap();
    let victim = victims.0.join("victim");
    fs::write(&victim, "precious").unwrap();
    fs::create_dir_all(&folder.0).unwrap();
    symlink(&victim, folder.0.join("index.new")).unwrap();
    {
        let mut store = Store::open(&folder.0, Access::Change).unwrap();
        symlink(&victim, folder.0.join("00000001.piece.new")).unwrap();
        store.replace_from(0, &[piece(1, 2)]).unwrap();
        assert!(content(&store) == [piece(1, 2)]);
    }
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    for name in ["index", "00000001.piece"] {
        let data = fs::symlink_metadata(folder.0.join(name)).unwrap();
        assert!(data.is_file(), "{name}");
    }
    // A link that leads nowhere makes no file at its target.
    let target = victims.0.join("made");
    let lock = folder.0.join("lock");
    fs::remove_file(&lock).unwrap();
    symlink(&target, &lock).unwrap();
    for access in [Access::Read, Access::Change] {
        let error = Store::open(&folder.0, access).unwrap_err();
        assert!(error.to_string().contains("is a link"), "{error}");
    }
    assert!(!target.exists());
}
