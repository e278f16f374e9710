//! CUDA ground: devices, their memory, and kernels compiled for them at run time.
//!
//! A [`Device`] is either a GPU behind the CUDA driver or the executor, which runs the same kernel
//! sources on the host CPU. All work of a device goes through one stream, so it happens in the
//! order it was asked for: a buffer that is dropped is freed after the work queued on it. Further
//! streams of a GPU are devices of their own that share its memory (`streams.rs`).
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | devices, transfers |
//! | `declare.rs` | declarations of kernels, and the types of their parameters |
//! | `kernel.rs` | modules, kernels, launches |
//! | `later.rs` | kernels that are missing, compiled in the background |
//! | `memory.rs` | buffers, and eviction by least recent use |
//! | `span.rs` | addresses, and parts of buffers |
//! | `streams.rs` | several streams of a device, and who waits for whom |
//! | `limit.rs` | the memory limit |
//! | `mapped.rs` | memory that host and kernels share while both run |
//! | `exchange.rs` | memory shared with other users of the driver |
//! | `driver/` | the CUDA driver through cudarc |
//! | `nvrtc.rs` | the run-time compiler |
//! | `executor/` | the host CPU in place of a GPU |
//! | `cache.rs`, `pack.rs` | compiled modules on disk: the user's, and those shipped with a program |
//! | `places.rs` | where packs are looked for |
//! | `wanted.rs` | a kernel's machine code: from a pack, from the cache, or compiled |
//! | `ahead.rs` | kernels compiled before a device asks for them |

#![allow(unsafe_code)]
#![cfg_attr(not(feature = "cuda"), allow(unused, unreachable_code))]

/// Evaluates `$call` with `$side` bound to the backend, whichever of the two it is.
macro_rules! on {
    ($backend:expr, $side:ident => $call:expr) => {
        match $backend {
            #[cfg(feature = "cuda")]
            Backend::Driver(ref $side) => $call,
            #[cfg(feature = "cuda")]
            Backend::Executor(ref $side) => $call,
        }
    };
}

#[cfg(feature = "cuda")]
pub(crate) mod ahead;
mod cache;
mod copies;
mod declare;
#[cfg(feature = "cuda")]
mod driver;
#[doc(hidden)]
pub mod exchange;
#[cfg(feature = "cuda")]
mod executor;
mod kernel;
mod later;
mod limit;
mod mapped;
mod memory;
#[cfg(feature = "cuda")]
mod nvrtc;
#[cfg(feature = "cuda")]
mod pack;
#[cfg(feature = "cuda")]
mod places;
mod span;
mod streams;
#[cfg(all(test, feature = "cuda"))]
pub(crate) mod tests;
#[cfg(feature = "cuda")]
mod wanted;

pub(crate) use copies::{Copies, Mirror, Residence, Unshared};
pub(crate) use declare::{
    Argument, Declaration, Declared, Element, Handle, Lent, Parameter, Read, Source, Update, Write,
    kernels,
};
pub(crate) use kernel::{Kernel, Launch, Module, Unit, load_together};
pub(crate) use later::load_later;
pub(crate) use mapped::Mapped;
pub(crate) use memory::{Buffer, Evict, Use};
pub(crate) use span::{DevicePtr, Span};
pub(crate) use streams::{on_stream, stream_of_thread};

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};

pub use crate::device::DeviceInfo;
use crate::device::EXECUTOR;
use crate::error::{Error, Result};
use crate::fork::{self, PerProcess};
use memory::{Memory, Workspaces};
use streams::{Order, Streams};

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

#[derive(Default)]
struct Counters {
    uploaded: AtomicU64,
    downloaded: AtomicU64,
    launches: AtomicU64,
    evictions: AtomicU64,
}

/// Where a device's work is done. Both sides have the same methods; without the `cuda` feature
/// there is neither.
enum Backend {
    #[cfg(feature = "cuda")]
    Driver(driver::Driver),
    #[cfg(feature = "cuda")]
    Executor(executor::Executor),
}

/// What kernels keep of their device.
struct Core {
    backend: Backend,
    /// Of all streams of the device.
    counters: Arc<Counters>,
    /// Why nothing on the device can be used any more, once that is so; one for all its streams.
    lost: Arc<OnceLock<Error>>,
    /// The process that opened it (`fork::age`). For its forked children it is lost.
    age: u32,
    /// How this stream stands to the others of the device.
    order: Order,
}

/// Why a device cannot be used.
const FORKED: &str = "this process was forked after its parent had begun to use devices: begin to \
                      use them in the child alone, start it anew instead of forking, or use \
                      engine cpu";

/// For what is begun once and cannot be used by forked children of the process that began it.
struct Begun(AtomicU32);

impl Begun {
    const fn not_yet() -> Begun {
        Begun(AtomicU32::new(0))
    }

    /// This process begins, or has begun. An error in its forked children.
    fn here(&self) -> Result<()> {
        let here = fork::age();
        let first = (self.0).compare_exchange(0, here, Ordering::Relaxed, Ordering::Relaxed);
        match first {
            Err(age) if age != here => Err(Error::NoDevice(FORKED.into())),
            _ => Ok(()),
        }
    }
}

impl Core {
    /// Whether this process opened it, and not one that it was forked from.
    fn is_ours(&self) -> bool {
        self.age == fork::age()
    }

    /// What `call` gives, unless the device is lost. Where it fails and nothing after it succeeds
    /// either, the device is lost from now on.
    fn alive<T>(&self, call: impl FnOnce(&Backend) -> Result<T>) -> Result<T> {
        if !self.is_ours() {
            return Err(Error::Device {
                call: "fork",
                reason: FORKED.into(),
            });
        }
        if let Some(error) = self.lost.get() {
            return Err(error.clone());
        }
        let readers = self.wait_for_readers();
        let done = readers.and_then(|()| call(&self.backend));
        self.order.count();
        if let Err(error @ Error::Device { .. }) = &done {
            let after: Result<()> = on!(self.backend, side => side.synchronize());
            if after.is_err() {
                let _ = self.lost.set(error.clone());
            }
        }
        done
    }
}

/// A device that can be used.
pub struct Device {
    info: DeviceInfo,
    core: Arc<Core>,
    /// That of the GPU, whichever of its streams this is.
    memory: Arc<Memory>,
    workspaces: Workspaces,
    streams: Streams,
    modules: RwLock<Vec<Arc<Module>>>,
    /// What needs no kernel that is missing.
    seen: RwLock<later::Seen>,
    /// Memory shared with the host that nobody uses now.
    mappings: Mutex<Vec<mapped::Mapping>>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

/// The devices of [`Device::private`] that still live.
static PRIVATE: PerProcess<RwLock<Vec<Weak<Device>>>> = PerProcess::new(RwLock::new(Vec::new()));

/// The devices that are open.
static OPEN: PerProcess<RwLock<Vec<Arc<Device>>>> = PerProcess::new(RwLock::new(Vec::new()));

/// Device `ordinal` where it is open; none while another thread is opening one.
pub(crate) fn opened(ordinal: u32) -> Option<Arc<Device>> {
    let open = OPEN.try_read().ok()?;
    open.iter().find(|d| d.info.ordinal == ordinal).cloned()
}

/// Device `ordinal`, opened on first use and kept for the life of the process; the stream of it
/// that this thread uses.
pub fn device(ordinal: u32) -> Result<Arc<Device>> {
    main_stream(ordinal).map(|device| device.stream_here(stream_of_thread()))
}

/// Device `ordinal` with its first stream.
fn main_stream(ordinal: u32) -> Result<Arc<Device>> {
    let find = |open: &[Arc<Device>]| open.iter().find(|d| d.info.ordinal == ordinal).cloned();
    if let Some(device) = find(&OPEN.read().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(device);
    }
    let private = PRIVATE.read().unwrap_or_else(PoisonError::into_inner);
    let mut living = private.iter().filter_map(Weak::upgrade);
    if let Some(device) = living.find(|d| d.info.ordinal == ordinal) {
        return Ok(device);
    }
    drop(private);
    let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = find(&open) {
        return Ok(device);
    }
    let device = Arc::new(Device::open(ordinal, None)?);
    if ordinal != EXECUTOR {
        crate::tuning::load_device_tuning(&device.info);
    }
    open.push(device.clone());
    Ok(device)
}

/// The GPU that number 0 stands for.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// Numbers the GPUs from this one on, modulo their number: processes that share a machine each have
/// their own first. Devices that are open stay what they are.
pub(crate) fn number_from(first: u32) {
    FIRST.store(first, Ordering::Relaxed);
}

/// The driver's number of a device.
fn physical(ordinal: u32) -> u32 {
    let count = device_count();
    if ordinal < count {
        ((u64::from(ordinal) + u64::from(FIRST.load(Ordering::Relaxed))) % u64::from(count)) as u32
    } else {
        ordinal
    }
}

/// How many GPUs can be used: 0 with no driver.
pub fn device_count() -> u32 {
    #[cfg(feature = "cuda")]
    return driver::probe().map_or(0, |found| found.devices);
    #[cfg(not(feature = "cuda"))]
    return 0;
}

/// The system's own words for a library that does not load.
#[cfg(feature = "cuda")]
fn loader_words(error: libloading::Error) -> String {
    use std::error::Error;
    error
        .source()
        .map_or_else(|| error.to_string(), |cause| cause.to_string())
}

impl Device {
    #[cfg(not(feature = "cuda"))]
    fn open(_ordinal: u32, _limit: Option<u64>) -> Result<Device> {
        Err(crate::error::Error::NoDevice(
            "this build has no CUDA engine: build it with the cargo feature `cuda`, or use engine \
             cpu"
            .into(),
        ))
    }

    #[cfg(feature = "cuda")]
    fn open(ordinal: u32, limit: Option<u64>) -> Result<Device> {
        static EXECUTORS: Begun = Begun::not_yet();
        let (backend, mut info) = if ordinal == EXECUTOR {
            EXECUTORS.here()?;
            let (executor, info) = executor::Executor::open()?;
            (Backend::Executor(executor), info)
        } else {
            let (driver, mut info) = driver::Driver::open(physical(ordinal))?;
            info.ordinal = ordinal;
            (Backend::Driver(driver), info)
        };
        info.memory_limit = match limit {
            Some(bytes) => bytes,
            None => limit::limit_from_environment(info.memory_bytes)?,
        };
        Ok(Device {
            memory: Arc::new(Memory::new(info.memory_limit)),
            workspaces: Workspaces::default(),
            streams: Streams::default(),
            info,
            core: Arc::new(Core {
                backend,
                counters: Arc::default(),
                lost: Arc::default(),
                age: fork::age(),
                order: Order::default(),
            }),
            modules: RwLock::default(),
            seen: RwLock::default(),
            mappings: Mutex::default(),
        })
    }

    /// A device of its own that may use this many bytes: for tests of eviction and of what moves.
    /// It has a number of its own, by which engines find it as long as it lives.
    #[doc(hidden)]
    pub fn private(ordinal: u32, bytes: u64) -> Result<Arc<Device>> {
        static LAST: AtomicU32 = AtomicU32::new(EXECUTOR);
        let mut device = Device::open(ordinal, Some(bytes))?;
        device.info.ordinal = LAST.fetch_sub(1, Ordering::Relaxed) - 1;
        let device = Arc::new(device);
        let mut private = PRIVATE.write().unwrap_or_else(PoisonError::into_inner);
        private.retain(|other| other.strong_count() > 0);
        private.push(Arc::downgrade(&device));
        Ok(device)
    }

    /// What is known of it.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// What compiles its kernels: NVRTC with its version, or the host's compiler for the executor.
    /// NVRTC is loaded when this is asked, or when a kernel is not cached.
    pub fn compiler(&self) -> String {
        on!(self.core.backend, side => side.compiler())
    }

    /// What it has done so far.
    pub fn traffic(&self) -> Traffic {
        let Counters {
            uploaded,
            downloaded,
            launches,
            evictions,
        } = &*self.core.counters;
        Traffic {
            uploaded: uploaded.load(Ordering::Relaxed),
            downloaded: downloaded.load(Ordering::Relaxed),
            launches: launches.load(Ordering::Relaxed),
            evictions: evictions.load(Ordering::Relaxed),
        }
    }

    /// Bytes of device memory that buffers of this process hold, in whole units of allocation.
    pub fn memory_used(&self) -> u64 {
        self.memory.used()
    }

    /// What `work` gives, and the most bytes that buffers held during it beyond those that were
    /// there before. Other threads' work on this device counts too.
    #[doc(hidden)]
    pub fn memory_peak<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(u64, T)> {
        let before = self.memory.watch();
        let done = work()?;
        Ok((self.memory.peak().saturating_sub(before), done))
    }

    /// Waits until everything asked of the device is done, on all its streams.
    pub fn synchronize(&self) -> Result<()> {
        self.finish()?;
        self.streams.opened().try_for_each(|stream| stream.finish())
    }

    /// Waits until everything asked of this stream is done.
    fn finish(&self) -> Result<()> {
        self.core
            .alive(|backend| on!(*backend, side => side.synchronize()))
    }

    /// Whether a failure has made everything on it unusable for the rest of the process.
    pub fn is_lost(&self) -> bool {
        !self.core.is_ours() || self.core.lost.get().is_some()
    }

    /// Makes it lost, as a failure of the hardware would.
    #[cfg(test)]
    pub(crate) fn lose(&self) {
        let _ = self.core.lost.set(Error::Device {
            call: "a test",
            reason: "the card was pulled out".into(),
        });
    }

    /// Milliseconds of device time that `work` takes on the stream.
    pub fn time_ms(&self, work: impl FnOnce() -> Result<()>) -> Result<f64> {
        on!(self.core.backend, side => side.time_ms(work))
    }

    /// A device copy of `limbs`.
    pub(crate) fn upload(self: &Arc<Self>, limbs: &[u64]) -> Result<Buffer> {
        let buffer = self.alloc(limbs.len())?;
        self.upload_into(&buffer, 0, limbs)?;
        Ok(buffer)
    }

    /// Copies `limbs` into `buffer` from `start` on. They may be changed or freed once this
    /// returns.
    pub(crate) fn upload_into(&self, buffer: &Buffer, start: usize, limbs: &[u64]) -> Result<()> {
        self.check_range(buffer, start, limbs.len());
        if limbs.is_empty() {
            return Ok(());
        }
        let to = buffer.ptr().offset_limbs(start);
        self.core.alive(|backend| {
            // SAFETY: `start + limbs.len()` limbs lie inside the live buffer, asserted above; host
            // and device memory do not overlap.
            unsafe { on!(*backend, side => side.upload(to, limbs)) }
        })?;
        self.core
            .counters
            .uploaded
            .fetch_add(size_of_val(limbs) as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Copies `into.len()` limbs from `start` on to the host, once all earlier work is done.
    pub(crate) fn download(&self, buffer: &Buffer, start: usize, into: &mut [u64]) -> Result<()> {
        // SAFETY: the two slices have one layout, and what is written into this one are limbs.
        let into = unsafe { std::slice::from_raw_parts_mut(into.as_mut_ptr().cast(), into.len()) };
        self.fill(buffer, start, into)
    }

    /// A copy of all limbs of a buffer on the host. Clearing the host's memory first would take as
    /// long as the transfer.
    pub(crate) fn fetch(&self, buffer: &Buffer) -> Result<Vec<u64>> {
        let mut limbs = Vec::with_capacity(buffer.limbs());
        self.fill(buffer, 0, &mut limbs.spare_capacity_mut()[..buffer.limbs()])?;
        // SAFETY: so many were just written.
        unsafe { limbs.set_len(buffer.limbs()) };
        Ok(limbs)
    }

    /// Copies `into.len()` limbs from `start` on to the host; writes all of `into` where it
    /// succeeds.
    pub(crate) fn fill(
        &self,
        buffer: &Buffer,
        start: usize,
        into: &mut [MaybeUninit<u64>],
    ) -> Result<()> {
        self.check_range(buffer, start, into.len());
        if into.is_empty() {
            return Ok(());
        }
        let from = buffer.ptr().offset_limbs(start);
        self.core.alive(|backend| {
            // SAFETY: `start + into.len()` limbs lie inside the live buffer, asserted above; host
            // and device memory do not overlap.
            unsafe { on!(*backend, side => side.download(from, into)) }
        })?;
        self.core
            .counters
            .downloaded
            .fetch_add(size_of_val(into) as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Copies `limbs` limbs between two buffers of this device; they may be one buffer if the
    /// ranges are apart.
    pub(crate) fn copy(
        &self,
        from: &Buffer,
        from_start: usize,
        to: &Buffer,
        to_start: usize,
        limbs: usize,
    ) -> Result<()> {
        self.check_range(from, from_start, limbs);
        self.check_range(to, to_start, limbs);
        assert!(
            !std::ptr::eq(from, to) || from_start.abs_diff(to_start) >= limbs,
            "overlapping copy inside one buffer"
        );
        if limbs == 0 {
            return Ok(());
        }
        let (from, to) = (
            from.ptr().offset_limbs(from_start),
            to.ptr().offset_limbs(to_start),
        );
        self.core.alive(|backend| {
            // SAFETY: both ranges of `limbs` limbs lie inside their live buffers and are apart,
            // asserted above.
            unsafe { on!(*backend, side => side.copy(from, to, limbs)) }
        })
    }

    /// Sets `limbs` limbs from `start` on to zero.
    pub(crate) fn zero(&self, buffer: &Buffer, start: usize, limbs: usize) -> Result<()> {
        self.check_range(buffer, start, limbs);
        if limbs == 0 {
            return Ok(());
        }
        let at = buffer.ptr().offset_limbs(start);
        self.core.alive(|backend| {
            // SAFETY: the range of `limbs` limbs lies inside the live buffer, asserted above.
            unsafe { on!(*backend, side => side.zero(at, limbs)) }
        })
    }

    fn check_range(&self, buffer: &Buffer, start: usize, limbs: usize) {
        assert!(
            std::ptr::eq(self, Arc::as_ptr(buffer.device())),
            "buffer of another device"
        );
        assert!(
            start
                .checked_add(limbs)
                .is_some_and(|end| end <= buffer.limbs()),
            "{limbs} limbs from {start} on reach past a buffer of {}",
            buffer.limbs()
        );
    }
}
