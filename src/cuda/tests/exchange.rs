//! Memory shared with other code. The other code's memory is a buffer of the device's own, whose
//! address is taken as that of foreign memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::exchange::Foreign;
use super::super::*;
use crate::poly::Modulus;
use crate::sort::{Array, Options};
use crate::{Batch, Poly};

/// Devices whose memory no other test uses.
fn devices() -> Vec<Arc<Device>> {
    let own = |device: Arc<Device>| Device::private(device.info().ordinal, 1 << 28).unwrap();
    super::devices(None).into_iter().map(own).collect()
}

/// The memory that foreign values lie in, and whether it has been given up.
struct Owner {
    _memory: Buffer,
    is_gone: Arc<AtomicBool>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.is_gone.store(true, Ordering::Relaxed);
    }
}

/// `bytes` bytes of foreign memory from byte `start` of these limbs on.
fn foreign(
    device: &Arc<Device>,
    limbs: &[u64],
    start: usize,
    bytes: usize,
) -> (Foreign, Arc<AtomicBool>) {
    let memory = device.upload(limbs).unwrap();
    let address = memory.ptr().address() + start as u64;
    let is_gone = Arc::new(AtomicBool::new(false));
    let owner = Box::new(Owner {
        _memory: memory,
        is_gone: is_gone.clone(),
    });
    assert!(start + bytes <= 8 * limbs.len());
    // SAFETY: the owner holds the buffer, which nobody writes to.
    let memory = unsafe { Foreign::new(device.info().ordinal, address, bytes, owner) };
    (memory.unwrap(), is_gone)
}

#[test]
fn rows_are_shared_and_given_back() {
    for device in devices() {
        share_rows(&device);
        // The first sum has left what sums keep on the device.
        let used = device.memory_used();
        share_rows(&device);
        assert_eq!(device.memory_used(), used);
    }
}

fn share_rows(device: &Arc<Device>) {
    let limbs: Vec<u64> = (1..=12).collect();
    let (memory, is_gone) = foreign(device, &limbs, 0, 96);
    let batch = Batch::from_foreign(memory, 3, false).unwrap();
    assert_eq!((batch.count(), batch.width()), (4, 3));
    let sum = batch.all().try_add(&batch.all()).unwrap();
    assert!(sum.is_on_device() && !is_gone.load(Ordering::Relaxed));
    assert_eq!(batch.try_limbs().unwrap(), limbs);
    drop(batch);
    assert!(is_gone.load(Ordering::Relaxed));
    let twice: Vec<u64> = limbs.iter().map(|limb| 2 * limb).collect();
    assert_eq!(sum.try_limbs().unwrap(), twice);
}

#[test]
fn other_layouts_are_copied() {
    for device in devices() {
        let limbs: Vec<u64> = (1..=12).collect();
        // Not aligned; asked for.
        for (start, copy) in [(8, false), (0, true)] {
            let (memory, is_gone) = foreign(&device, &limbs, start, 88);
            let batch = Batch::from_foreign(memory, 1, copy).unwrap();
            assert!(is_gone.load(Ordering::Relaxed));
            let first = start / 8;
            assert_eq!(batch.try_limbs().unwrap(), &limbs[first..first + 11]);
        }
        let (memory, _) = foreign(&device, &limbs, 0, 88);
        assert!(Batch::from_foreign(memory, 3, false).is_err());
        let (memory, _) = foreign(&device, &limbs, 0, 0);
        assert_eq!(Batch::from_foreign(memory, 3, false).unwrap().count(), 0);
    }
}

#[test]
fn loans_keep_memory_from_eviction() {
    for device in devices() {
        let n = device.info().ordinal;
        let batch = Batch::from_limbs(vec![5, 6, 7], 1).unwrap();
        let loan = batch.lend(n).unwrap();
        assert_eq!((loan.limbs(), batch.device_ordinal()), (3, Some(n)));
        device.evict_all_idle().unwrap();
        assert!(batch.is_on_device());
        let copy = loan.copied().unwrap();
        assert_ne!(copy.address(), loan.address());
        for loan in [&loan, &copy] {
            // SAFETY: 1 stands for the default stream.
            unsafe { loan.make_stream_wait(1) }.unwrap();
            let memory = Box::new(());
            // SAFETY: the loan holds the memory until the batch is gone, and nobody writes to it.
            let memory = unsafe { Foreign::new(n, loan.address(), 24, memory) }.unwrap();
            // SAFETY: as above.
            unsafe { memory.wait_for(1) }.unwrap();
            let same = Batch::from_foreign(memory, 1, false).unwrap();
            assert_eq!(same.try_limbs().unwrap(), [5, 6, 7]);
        }
        drop((loan, copy));
        device.evict_all_idle().unwrap();
        assert!(!batch.is_on_device());
    }
}

#[test]
fn keys_are_sorted_where_they_are() {
    for device in devices() {
        // An odd number of words of 32 bits is no whole number of limbs.
        for (bytes, expected) in [(12, &[1, 2, 9][..]), (16, &[1, 2, 3, 9])] {
            let (memory, _) = foreign(&device, &[2 | 9 << 32, 1 | 3 << 32], 0, bytes);
            let keys = Array::<u32>::from_foreign(memory).unwrap();
            let sorted = keys.try_sorted(Options::default()).unwrap();
            assert!(sorted.is_on_device());
            assert_eq!(sorted.try_host().unwrap(), expected);
        }
    }
}

#[test]
fn coefficients_are_reduced_where_they_are() {
    for device in devices() {
        let p = Modulus::new(101).unwrap();
        let limbs = [7, 101, u64::MAX, 1 << 63, (1 << 63) - 1, 0];
        for signed in [false, true] {
            let (memory, _) = foreign(&device, &limbs, 0, 48);
            let rows = Batch::from_foreign(memory, 1, false).unwrap();
            let poly = Poly::from_rows(&rows, signed, p).unwrap();
            assert!(poly.is_on_device());
            let residue = |limb: u64| {
                if signed {
                    i128::from(limb as i64).rem_euclid(101) as u64
                } else {
                    limb % 101
                }
            };
            let expected: Vec<u64> = limbs[..5].iter().map(|limb| residue(*limb)).collect();
            assert_eq!(poly.lend(device.info().ordinal).unwrap().limbs(), 5);
            assert_eq!(poly.try_coefficients().unwrap(), expected);
        }
    }
}
