//! CUDA ground: devices, their memory, and kernels compiled for them at run time.
//!
//! A [`Device`] is either a GPU behind the CUDA driver or the executor, which runs the same kernel sources on the host
//! CPU. All work of a device goes through one stream, so it happens in the order it was asked for.

mod memory;

pub(crate) use memory::{Buffer, Evict, Use};

use std::sync::Arc;

use crate::error::{Error, Result};

/// What is known of a device.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its number; [`crate::engine::EXECUTOR`] for the executor.
    pub ordinal: u32,
    /// Its name, as the driver gives it.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Device memory in bytes.
    pub memory_bytes: u64,
    /// Device memory this process may use, in bytes.
    pub memory_limit: u64,
    /// Second-level cache in bytes.
    pub l2_bytes: u64,
    /// Most shared memory one block can ask for, in bytes.
    pub shared_bytes_per_block: u32,
    /// Newest CUDA version the driver serves (12080 means 12.8); 0 for the executor.
    pub driver_cuda: u32,
    /// NVRTC's version, or the host compiler's for the executor.
    pub compiler: String,
}

/// What a device has done since it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Traffic {
    /// Bytes copied from host to device.
    pub uploaded: u64,
    /// Bytes copied from device to host.
    pub downloaded: u64,
    /// Kernels launched.
    pub launches: u64,
    /// Device copies moved out to make room.
    pub evictions: u64,
}

/// One folder's kernels: a name and the text of its `.cu` file.
#[derive(Debug)]
pub(crate) struct Source {
    pub name: &'static str,
    pub text: &'static str,
}

/// Shape of a launch. Grids and blocks are one-dimensional in this project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launch {
    pub grid: u32,
    pub block: u32,
    pub shared_bytes: u32,
    /// All blocks resident at once, so that they may meet at a grid barrier.
    pub cooperative: bool,
}

/// A device that can be used.
pub struct Device {}

/// A compiled module of a device.
pub(crate) struct Module {}

/// A kernel of a module.
pub(crate) struct Kernel {}

/// A value that a kernel takes: one of the plain integer types, f64, or a device pointer.
pub(crate) trait KernelArg {}

/// A tuple of [`KernelArg`]s.
pub(crate) trait KernelArgs {}

/// Device `ordinal`, opened on first use.
pub fn device(ordinal: u32) -> Result<Arc<Device>> {
    let _ = ordinal;
    Err(Error::NoDevice("not built yet".into()))
}

/// How many GPUs can be used: 0 with no driver.
pub fn device_count() -> u32 {
    0
}

impl Device {
    /// What is known of it.
    pub fn info(&self) -> &DeviceInfo {
        todo!()
    }

    /// What it has done so far.
    pub fn traffic(&self) -> Traffic {
        todo!()
    }

    /// Waits until everything asked of the device is done.
    pub fn synchronize(&self) -> Result<()> {
        todo!()
    }

    /// Milliseconds of device time that `work` takes on the stream.
    pub fn time_ms(&self, work: impl FnOnce() -> Result<()>) -> Result<f64> {
        let _ = work;
        todo!()
    }

    /// `limbs` limbs of uninitialised device memory, evicting idle copies if it must.
    pub(crate) fn alloc(self: &Arc<Self>, limbs: usize) -> Result<Buffer> {
        let _ = limbs;
        todo!()
    }

    /// A device copy of `limbs`.
    pub(crate) fn upload(self: &Arc<Self>, limbs: &[u64]) -> Result<Buffer> {
        let _ = limbs;
        todo!()
    }

    /// Copies `into.len()` limbs from `start` on to the host, once all earlier work is done.
    pub(crate) fn download(&self, buffer: &Buffer, start: usize, into: &mut [u64]) -> Result<()> {
        let _ = (buffer, start, into);
        todo!()
    }

    /// The module compiled with these `-D` values; compiled once per process, cached on disk.
    pub(crate) fn module(
        self: &Arc<Self>,
        source: &'static Source,
        defines: &[(&str, i64)],
    ) -> Result<Arc<Module>> {
        let _ = (source, defines);
        todo!()
    }
}

impl Module {
    /// The kernel of this name.
    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel> {
        let _ = name;
        todo!()
    }
}

impl Kernel {
    /// Most blocks of this shape that are resident on the whole device at once.
    pub(crate) fn resident_blocks(&self, block: u32, shared_bytes: u32) -> Result<u32> {
        let _ = (block, shared_bytes);
        todo!()
    }

    /// Queues the kernel on the device's stream.
    ///
    /// # Safety
    /// The arguments must be those the kernel declares, in order, and every pointer must cover what the kernel touches.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn launch(&self, shape: Launch, args: impl KernelArgs) -> Result<()> {
        let _ = (shape, args);
        todo!()
    }
}
