//! Who may use whose memory.

use std::sync::Arc;

use super::super::*;
use super::{devices, flat, toy_add};

/// Stream `number` of a device.
fn stream(device: &Arc<Device>, number: usize) -> Arc<Device> {
    device.clone().stream_here(number)
}

fn add_one(on: &Arc<Device>, from: &Buffer, to: &Buffer) {
    let kernel = on.kernel(toy_add, &[("TOY_ADD", 1)]).unwrap();
    let n = from.limbs();
    // SAFETY: both buffers have n limbs, and a block covers them.
    unsafe { kernel.launch(flat(1, 32), from.read(), to.write(), n, 0, 0, 1.0) }.unwrap();
}

fn fetch(buffer: &Buffer) -> Vec<u64> {
    buffer.device().fetch(buffer).unwrap()
}

#[test]
fn streams_read_and_take_over() {
    for device in devices(Some(1 << 20)) {
        let (first, second) = (stream(&device, 1), stream(&device, 2));
        assert!(!Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&device, &stream(&device, 0)));
        assert!(Arc::ptr_eq(&first, &stream(&device, 1)));
        let made = Arc::new(device.upload(&[5, 6, 7]).unwrap());
        let used = device.memory_used();
        let view = Buffer::read_by(made.clone(), &first).unwrap();
        assert_eq!((view.ptr(), view.limbs()), (made.ptr(), 3));
        assert_eq!(device.memory_used(), used);
        let sum = first.alloc(3).unwrap();
        add_one(&first, &view, &sum);
        drop(view);
        let made = Arc::try_unwrap(made).unwrap_or_else(|_| panic!("nobody else has it"));
        add_one(&device, &made, &made);
        assert_eq!(fetch(&made), [6, 7, 8]);
        let mut sum = sum;
        sum.hand_over(&second).unwrap();
        let twice = second.alloc(3).unwrap();
        add_one(&second, &sum, &twice);
        drop(sum);
        assert_eq!(fetch(&twice), [7, 8, 9]);
        drop((made, twice));
        device.synchronize().unwrap();
        assert_eq!(device.memory_used(), 0);
    }
}

#[test]
#[should_panic(expected = "Read by stream 1 of memory of 0")]
fn memory_of_another_stream_is_refused() {
    let device = super::executor();
    let made = device.upload(&[1, 2]).unwrap();
    let other = stream(&device, 1);
    let to = other.alloc(2).unwrap();
    add_one(&other, &made, &to);
}

#[test]
#[should_panic(expected = "Write by stream 1 of memory of 0, lent to [1]")]
fn lent_memory_is_not_written() {
    let device = super::executor();
    let made = Arc::new(device.upload(&[1, 2]).unwrap());
    let other = stream(&device, 1);
    let view = Buffer::read_by(made, &other).unwrap();
    let from = other.upload(&[1, 2]).unwrap();
    add_one(&other, &from, &view);
}

#[test]
fn a_thread_has_its_stream() {
    let device = super::executor();
    let number = device.info().ordinal;
    let inner = on_stream(3, || {
        assert_eq!(stream_of_thread(), 3);
        on_stream(1, || super::super::device(number).unwrap())
    });
    assert!(Arc::ptr_eq(&inner, &stream(&device, 1)));
    assert!(Arc::ptr_eq(&inner.of_thread(), &device));
    assert_eq!(stream_of_thread(), 0);
}
