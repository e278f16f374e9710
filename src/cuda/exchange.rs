//! Device memory shared with other code of the process that uses the CUDA driver, such as PyTorch.
//!
//! Both directions share the device's primary context, so that addresses and streams mean the same
//! on both sides. Nothing is copied but where the layout asks for it.
//!
//! | what | who keeps the memory alive | who waits for whom |
//! |---|---|---|
//! | [`Loan`] | the loan, also from eviction | the other code's stream for ours ([`Loan::make_stream_wait`]) |
//! | [`Foreign`] | its owner, which is dropped when our work is done | ours for the other code's |

use std::any::Any;
use std::sync::Arc;

use super::{Backend, Buffer, Device, device, physical};
use crate::error::{Error, Result};

/// Alignment of addresses that kernels rely on, in bytes: that of every allocation of CUDA's.
const ALIGNMENT: u64 = 256;

/// Device memory of a value, lent to other code, which must not write to it.
#[derive(Clone)]
pub struct Loan {
    buffer: Arc<Buffer>,
    limbs: usize,
}

impl Loan {
    /// The first `limbs` limbs of a buffer.
    pub(crate) fn new(buffer: Arc<Buffer>, limbs: usize) -> Loan {
        assert!(limbs <= buffer.limbs());
        Loan { buffer, limbs }
    }

    /// The address on the device; 0 where there are no limbs.
    pub fn address(&self) -> u64 {
        self.buffer.ptr().address()
    }

    /// How many limbs there are.
    pub fn limbs(&self) -> usize {
        self.limbs
    }

    /// The number that the driver has for the device.
    pub fn ordinal(&self) -> u32 {
        physical(self.buffer.device().info().ordinal)
    }

    /// A loan of a copy of the memory, which nobody else refers to: its borrower may write to it.
    pub fn copied(&self) -> Result<Loan> {
        let device = self.buffer.device();
        let copy = device.alloc(self.limbs)?;
        device.copy(&self.buffer, 0, &copy, 0, self.limbs)?;
        Ok(Loan::new(Arc::new(copy), self.limbs))
    }

    /// Has work that `stream` is asked for from now on wait until the memory is written.
    ///
    /// # Safety
    /// `stream` is a handle of a stream of the device's primary context, 1 for the legacy default
    /// stream or 2 for that of each thread.
    pub unsafe fn make_stream_wait(&self, stream: u64) -> Result<()> {
        self.buffer.device().core.alive(|backend| {
            // SAFETY: the caller's promise.
            unsafe { on!(*backend, side => side.make_stream_wait(stream)) }
        })
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // The borrower's work may still be queued on any stream, and the memory is reused in the
        // order of ours. A failure means a lost device, on which nothing runs any more.
        let device = self.buffer.device();
        let _: Result<()> = device
            .core
            .alive(|backend| on!(*backend, side => side.synchronize_all()));
    }
}

/// Memory of a device that belongs to other code.
pub struct Foreign {
    device: Arc<Device>,
    address: u64,
    bytes: usize,
    owner: Box<dyn Any + Send + Sync>,
}

impl Foreign {
    /// `bytes` bytes at `address` on device `n`, which stay as they are until `owner` is dropped.
    ///
    /// # Safety
    /// The memory is that of device `n`, and valid as long as `owner` lives. Nobody writes to it
    /// while a value shares it.
    pub unsafe fn new(
        n: u32,
        address: u64,
        bytes: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Foreign> {
        if address == 0 && bytes > 0 {
            return Err(Error::Domain("device memory without an address".into()));
        }
        let device = device(n)?;
        Ok(Foreign {
            device,
            address,
            bytes,
            owner,
        })
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Has our work wait for what `stream` has been asked for so far.
    ///
    /// # Safety
    /// As for [`Loan::make_stream_wait`].
    pub unsafe fn wait_for(&self, stream: u64) -> Result<()> {
        self.device.core.alive(|backend| {
            // SAFETY: the caller's promise.
            unsafe { on!(*backend, side => side.wait_for(stream)) }
        })
    }

    /// The memory as a buffer: shared where it is aligned and of whole limbs, and copied on the
    /// device elsewhere or where `copy` asks for it. The bytes above the last ones of a copy are
    /// zero.
    pub(crate) fn into_buffer(self, copy: bool) -> Result<Buffer> {
        let limbs = self.bytes.div_ceil(8);
        let fits = self.bytes.is_multiple_of(8) && self.address.is_multiple_of(ALIGNMENT);
        if fits && !copy && limbs > 0 {
            // SAFETY: the promise of `new`; length and alignment were just checked.
            return Ok(unsafe {
                Buffer::of_other_code(self.device, self.address, limbs, self.owner)
            });
        }
        let buffer = self.device.alloc(limbs)?;
        if limbs == 0 {
            return Ok(buffer);
        }
        self.device.zero(&buffer, limbs - 1, 1)?;
        self.device.core.alive(|backend| {
            // SAFETY: the promise of `new`, and the buffer is no shorter.
            unsafe {
                on!(*backend, side => side.copy_bytes(self.address, buffer.ptr(), self.bytes))
            }
        })?;
        // The owner may reuse the memory as soon as it is dropped.
        self.device.synchronize()?;
        Ok(buffer)
    }
}

/// The number of the device that has memory at this address.
pub fn ordinal_of(address: u64) -> Result<u32> {
    #[cfg(feature = "cuda")]
    return super::driver::ordinal_of(address);
    #[cfg(not(feature = "cuda"))]
    return Err(Error::NoDevice(format!(
        "this build has no CUDA engine, so that {address:#x} is no device memory"
    )));
}

impl Device {
    /// The handle of the stream that all work of this device goes through; 0 for the executor.
    #[doc(hidden)]
    pub fn stream(&self) -> u64 {
        on!(self.core.backend, side => side.stream())
    }
}
