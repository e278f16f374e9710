//! Addresses and spans of device memory.

use std::marker::PhantomData;

/// An address in device memory, as kernels take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct DevicePtr(pub(super) u64);

impl DevicePtr {
    /// No address: an operand that the kernel does not have.
    pub(super) const NULL: DevicePtr = DevicePtr(0);

    /// As a number, for tables of addresses that kernels read.
    pub(crate) fn address(self) -> u64 {
        self.0
    }

    /// The address this many limbs further on.
    pub(crate) fn offset_limbs(self, limbs: usize) -> DevicePtr {
        DevicePtr(self.0 + 8 * limbs as u64)
    }
}

/// A part of a buffer, or all of it, borrowed for a launch. Work that was queued may use it after
/// the buffer is dropped, because buffers are freed in stream order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span<'a> {
    address: DevicePtr,
    bytes: u64,
    owner: PhantomData<&'a [u64]>,
}

impl Span<'_> {
    /// Memory that lives as long as the span does.
    pub(super) fn new(address: DevicePtr, limbs: usize) -> Self {
        Span {
            address,
            bytes: 8 * limbs as u64,
            owner: PhantomData,
        }
    }

    /// Where it begins.
    pub(crate) fn ptr(self) -> DevicePtr {
        self.address
    }

    /// Its length.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes
    }

    /// What lies behind its first `bytes` bytes.
    pub(crate) fn skip_bytes(self, bytes: u64) -> Self {
        let left = self.bytes.checked_sub(bytes);
        Span {
            address: DevicePtr(self.address.0 + bytes),
            bytes: left.expect("no more than the span has"),
            ..self
        }
    }
}
