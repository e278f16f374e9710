//! The limit, and who is evicted under it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use super::super::*;
use super::{devices, flat, toy_add};
use crate::error::Error;
use crate::memory::parse_device_limit;

/// An owner of one device copy, of the kind that values are.
struct Owner {
    copy: Mutex<Option<(Buffer, Arc<Use>)>>,
    host: OnceLock<Vec<u64>>,
    gone_at: AtomicU64,
}

static GONE: AtomicU64 = AtomicU64::new(1);

impl Owner {
    fn new(device: &Arc<Device>, limbs: &[u64]) -> Arc<Owner> {
        let owner = Arc::new(Owner {
            copy: Mutex::new(None),
            host: OnceLock::new(),
            gone_at: AtomicU64::new(0),
        });
        owner.place(device, limbs);
        owner
    }

    fn place(self: &Arc<Self>, device: &Arc<Device>, limbs: &[u64]) {
        let mut copy = self.copy.lock().unwrap();
        let buffer = device.upload(limbs).unwrap();
        let weak: Weak<Owner> = Arc::downgrade(self);
        *copy = Some((buffer, device.track(weak)));
    }

    fn is_resident(&self) -> bool {
        self.copy.lock().unwrap().is_some()
    }

    fn touch(&self) {
        self.copy.lock().unwrap().as_ref().unwrap().1.touch();
    }
}

impl Evict for Owner {
    fn evict(&self) -> Result<bool> {
        let Ok(mut copy) = self.copy.try_lock() else {
            return Ok(false);
        };
        let Some((buffer, _)) = &*copy else {
            return Ok(false);
        };
        let mut limbs = vec![0; buffer.limbs()];
        buffer.device().download(buffer, 0, &mut limbs)?;
        self.host.get_or_init(|| limbs);
        *copy = None;
        self.gone_at
            .store(GONE.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Ok(true)
    }
}

/// 512 bytes.
const COPY: usize = 64;

#[test]
fn the_oldest_copies_go_first() {
    devices(Some(4 * 512)).iter().for_each(oldest_go);
}

fn oldest_go(device: &Arc<Device>) {
    let owners: Vec<_> = (0..4).map(|i| Owner::new(device, &[i; COPY])).collect();
    assert_eq!(device.memory_used(), device.info().memory_limit);
    owners[0].touch();
    let big = device.alloc(2 * COPY).unwrap();
    let resident: Vec<bool> = owners.iter().map(|owner| owner.is_resident()).collect();
    assert_eq!(resident, [true, false, false, true]);
    assert!(owners[1].gone_at.load(Ordering::Relaxed) < owners[2].gone_at.load(Ordering::Relaxed));
    assert_eq!(owners[1].host.get().unwrap()[..], [1; COPY]);
    assert_eq!(device.traffic().evictions, 2);

    // The rest is in use: held, or not registered.
    let held = [
        owners[0].copy.lock().unwrap(),
        owners[3].copy.lock().unwrap(),
    ];
    let full = device.alloc(COPY).err();
    let expected = Error::DeviceMemory {
        needed: 512,
        available: 0,
        limit: 2048,
    };
    assert_eq!(full, Some(expected));
    drop(held);
    assert!(owners[0].is_resident() && owners[3].is_resident());
    assert_eq!(device.evict_all_idle(), Ok(2));
    drop(big);
    assert_eq!(device.memory_used(), 0);
    assert_eq!(device.evict_all_idle(), Ok(0));
}

#[test]
fn more_than_the_limit_evicts_nothing() {
    devices(Some(1 << 12)).iter().for_each(too_much);
}

fn too_much(device: &Arc<Device>) {
    let owner = Owner::new(device, &[1; COPY]);
    for limbs in [513, usize::MAX / 8, usize::MAX] {
        assert!(matches!(
            device.alloc(limbs),
            Err(Error::DeviceMemory { .. })
        ));
    }
    assert!(owner.is_resident());
    let exact = device.alloc(512).unwrap();
    assert!(!owner.is_resident());
    assert_eq!(exact.limbs(), 512);
    assert!(device.alloc(0).is_ok());
}

#[test]
fn dead_entries_are_dropped() {
    devices(Some(1 << 20)).iter().for_each(drops_dead);
}

fn drops_dead(device: &Arc<Device>) {
    for i in 0..10_000 {
        Owner::new(device, &[i; 1]);
    }
    assert!(device.memory.tracked() < 1000);
    assert_eq!(device.memory_used(), 0);
}

#[test]
fn threads_share_a_small_device() {
    devices(Some(8 * 512)).iter().for_each(is_shared);
}

fn is_shared(device: &Arc<Device>) {
    let kernel = device.kernel(toy_add, &[("TOY_ADD", 7)]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let kernel = &kernel;
            scope.spawn(move || {
                // Six times the limit in all.
                let owners: Vec<_> = (0..12)
                    .map(|i| Owner::new(device, &[thread << 32 | i; COPY]))
                    .collect();
                for round in 0..50 {
                    let (i, owner) = (round % 12, &owners[round as usize % 12]);
                    if !owner.is_resident() {
                        assert_eq!(owner.host.get().unwrap()[..], [thread << 32 | i; COPY]);
                        owner.place(device, &[thread << 32 | i; COPY]);
                    }
                    let copy = owner.copy.lock().unwrap();
                    let Some((from, used)) = &*copy else { continue };
                    used.touch();
                    // All other threads may hold a copy each, and a result.
                    let to = device.alloc(COPY).unwrap();
                    let (read, write) = (from.read(), to.write());
                    // SAFETY: both buffers have the limbs that the kernel touches.
                    unsafe { kernel.launch(flat(2, 32), read, write, COPY, 0, 0, 1.0) }.unwrap();
                    let mut back = [0; COPY];
                    device.download(&to, 0, &mut back).unwrap();
                    assert_eq!(back, [(thread << 32 | i) + 7; COPY]);
                }
            });
        }
    });
    assert_eq!(device.memory_used(), 0);
    assert!(device.traffic().evictions > 0);
}

#[test]
fn limits_are_read_as_written() {
    let card = 100 << 30;
    let parse = |text: &str| parse_device_limit(text, card);
    for (text, bytes) in [
        ("8GiB", 8 << 30),
        ("8g", 8 << 30),
        ("500MB", 500_000_000),
        ("500 mib", 500 << 20),
        ("50%", card / 2),
        ("1.5 GiB", 3 << 29),
        ("4096", 4096),
        (" 4096 B ", 4096),
        ("1TiB", card),
        ("100%", card),
    ] {
        assert_eq!(parse(text), Ok(bytes), "{text}");
    }
    for bad in [
        "", "0", "lots", "8 apples", "-1GiB", "101%", "%", "1.2.3", "0.1", "GiB", "8GiB8", "nan",
        "inf",
    ] {
        assert!(matches!(parse(bad), Err(Error::Domain(_))), "{bad}");
    }
}
