//! A GPU behind the CUDA driver.
//!
//! Only the driver API is called, and of it only what a driver of CUDA 12.0 has. cudarc panics when
//! a library or a symbol is missing, so [`probe`] asks for the library and its version before any
//! other call. Contexts, streams and modules live as long as the process: a device is opened once
//! and modules stay in its table, so nothing here is ever destroyed under a kernel.

mod code;
mod probe;
mod staging;

pub(super) use code::{Code, Function};
pub(super) use probe::probe;

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};

use super::declare::Source;
use super::mapped::{Mapping, zeroed};
use super::nvrtc::Nvrtc;
use super::wanted::Wanted;
use super::{DeviceInfo, DevicePtr};
use crate::error::{Error, Result};
use crate::{background, notice};
use staging::Staging;

/// The driver's own words for `error`.
fn failed(call: &'static str, error: DriverError) -> Error {
    Error::Device {
        call,
        reason: describe(error),
    }
}

fn describe(error: DriverError) -> String {
    let text = |words: Result<&CStr, DriverError>| match words {
        Ok(words) => words.to_string_lossy().into_owned(),
        Err(_) => format!("error {}", error.0 as u32),
    };
    format!(
        "{} ({})",
        text(error.error_name()),
        text(error.error_string())
    )
}

/// A device's primary context and one of its streams.
#[derive(Clone, Copy)]
struct Queue {
    context: sys::CUcontext,
    stream: sys::CUstream,
}

// SAFETY: both handles mean the same on every thread, the driver may be called from any of them at
// once, and neither handle is ever destroyed.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    /// Makes the context current on this thread. Asking is a read of thread-local memory in the
    /// driver; remembering it here instead would miss a change made by other CUDA code of the
    /// process.
    fn enter(&self) -> Result<()> {
        if result::ctx::get_current() != Ok(Some(self.context)) {
            // SAFETY: the context was retained at opening and is never released.
            unsafe { result::ctx::set_current(self.context) }
                .map_err(|e| failed("cuCtxSetCurrent", e))?;
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        self.enter()?;
        // SAFETY: the stream lives as long as the process.
        unsafe { result::stream::synchronize(self.stream) }
            .map_err(|e| failed("cuStreamSynchronize", e))
    }
}

pub(super) struct Driver {
    queue: Queue,
    pool: Pool,
    staging: Staging,
    architecture: u32,
    multiprocessors: u32,
    shared_bytes_per_block: u32,
    cuda: u32,
}

#[derive(Clone, Copy)]
struct Pool(sys::CUmemoryPool);

// SAFETY: the default pool belongs to the device, is never destroyed, and its functions may be
// called from any thread.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Driver {
    pub(super) fn open(ordinal: u32) -> Result<(Driver, DeviceInfo)> {
        let found = probe()?;
        if ordinal >= found.devices {
            return Err(Error::NoDevice(format!(
                "there is no device {ordinal}: {} found, numbered from 0",
                found.devices
            )));
        }
        let device = result::device::get(ordinal as c_int).map_err(|e| failed("cuDeviceGet", e))?;
        // SAFETY: `device` came from cuDeviceGet, here and below.
        let attribute =
            |which: Attribute| match unsafe { result::device::get_attribute(device, which) } {
                Ok(value) => Ok(value as u32),
                Err(e) => Err(failed("cuDeviceGetAttribute", e)),
            };
        if attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
            return Err(Error::NoDevice(format!(
                "device {ordinal} has no memory pools (a virtual GPU without them?)"
            )));
        }
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let info = DeviceInfo {
            ordinal,
            name: result::device::get_name(device).map_err(|e| failed("cuDeviceGetName", e))?,
            compute_capability: (major, minor),
            multiprocessors,
            // SAFETY: as above.
            memory_bytes: unsafe { result::device::total_mem(device) }
                .map_err(|e| failed("cuDeviceTotalMem", e))? as u64,
            memory_limit: 0,
            l2_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
            shared_bytes_per_block: attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            )?,
            driver_cuda: found.cuda,
        };

        // SAFETY: `device` came from cuDeviceGet; the context is kept for the life of the process.
        let context = unsafe { result::primary_ctx::retain(device) }
            .map_err(|e| failed("cuDevicePrimaryCtxRetain", e))?;
        // SAFETY: the context was retained just above.
        unsafe { result::ctx::set_current(context) }.map_err(|e| failed("cuCtxSetCurrent", e))?;
        let stream = new_stream()?;
        // SAFETY: `device` came from cuDeviceGet.
        let pool = unsafe { result::device::get_default_mem_pool(device) }
            .map_err(|e| failed("cuDeviceGetDefaultMemPool", e))?;
        // Freed memory stays in the pool: handing it back to the system costs a synchronisation
        // each time.
        let mut keep = u64::MAX;
        // SAFETY: this attribute's value is a cuuint64_t, read during the call.
        unsafe {
            result::mem_pool::set_attribute(
                pool,
                sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                (&raw mut keep).cast(),
            )
        }
        .map_err(|e| failed("cuMemPoolSetAttribute", e))?;
        let driver = Driver {
            queue: Queue { context, stream },
            pool: Pool(pool),
            staging: Staging::default(),
            architecture: 10 * major + minor,
            multiprocessors,
            shared_bytes_per_block: info.shared_bytes_per_block,
            cuda: found.cuda,
        };
        Ok((driver, info))
    }

    /// The same device with a stream, and staging memory, of its own.
    pub(super) fn with_another_stream(&self) -> Result<Driver> {
        self.queue.enter()?;
        Ok(Driver {
            queue: Queue {
                stream: new_stream()?,
                ..self.queue
            },
            staging: Staging::default(),
            ..*self
        })
    }

    /// Where the stream is now.
    pub(super) fn mark(&self) -> Result<Event> {
        self.queue.enter()?;
        let event = Event::untimed()?;
        event.record(&self.queue)?;
        Ok(event)
    }

    /// Has work that is queued from now on wait for what was queued before an event.
    pub(super) fn wait(&self, event: &Event) -> Result<()> {
        self.queue.enter()?;
        // SAFETY: event and stream live. An event that is destroyed early goes once it has passed.
        unsafe { sys::cuStreamWaitEvent(self.queue.stream, event.0, 0) }
            .result()
            .map_err(|e| failed("cuStreamWaitEvent", e))
    }

    pub(super) fn compiler(&self) -> String {
        match Nvrtc::get(self.cuda / 1000) {
            Ok(nvrtc) => nvrtc.name(),
            Err(_) => "NVRTC not found".into(),
        }
    }

    /// Memory for `limbs` limbs, more than none; nothing where the card is full.
    pub(super) fn alloc(&self, limbs: usize) -> Result<Option<DevicePtr>> {
        self.queue.enter()?;
        // SAFETY: the stream lives as long as the process. Other streams use the memory only after
        // they have waited for this one.
        let attempt = || unsafe { result::malloc_async(self.queue.stream, 8 * limbs) };
        let full = DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        match attempt() {
            Err(error) if error == full => {}
            other => {
                return other
                    .map(|a| Some(DevicePtr(a)))
                    .map_err(|e| failed("cuMemAllocAsync", e));
            }
        }
        // What lies free in the pool may be in pieces too small, and goes back to the card only
        // once the streams have passed the frees.
        self.synchronize_all()?;
        // SAFETY: the pool is the device's own.
        unsafe { result::mem_pool::trim_to(self.pool.0, 0) }
            .map_err(|e| failed("cuMemPoolTrimTo", e))?;
        match attempt() {
            Ok(address) => Ok(Some(DevicePtr(address))),
            Err(error) if error == full => Ok(None),
            Err(error) => Err(failed("cuMemAllocAsync", error)),
        }
    }

    /// # Safety
    /// `at` came from `alloc` with this length and is not used after this.
    pub(super) unsafe fn free(&self, at: DevicePtr, _limbs: usize) {
        if self.queue.enter().is_ok() {
            // SAFETY: the caller's promise; the free waits in the stream for the work before it. A
            // failure means a lost device, which the next call on it reports.
            let _ = unsafe { result::free_async(at.0, self.queue.stream) };
        }
    }

    /// # Safety
    /// `from.len()` limbs of live device memory lie at `to`.
    pub(super) unsafe fn upload(&self, to: DevicePtr, from: &[u64]) -> Result<()> {
        self.queue.enter()?;
        // SAFETY: the caller's promise.
        unsafe { self.staging.upload(&self.queue, to, from) }
    }

    /// Writes all of `into` where it succeeds.
    ///
    /// # Safety
    /// `into.len()` limbs of live device memory lie at `from`.
    pub(super) unsafe fn download(
        &self,
        from: DevicePtr,
        into: &mut [MaybeUninit<u64>],
    ) -> Result<()> {
        self.queue.enter()?;
        // SAFETY: the caller's promise.
        unsafe { self.staging.download(&self.queue, from, into) }
    }

    /// # Safety
    /// `limbs` limbs of live device memory lie at each address, and they do not overlap.
    pub(super) unsafe fn copy(&self, from: DevicePtr, to: DevicePtr, limbs: usize) -> Result<()> {
        self.queue.enter()?;
        // SAFETY: the caller's promise.
        unsafe { result::memcpy_dtod_async(to.0, from.0, 8 * limbs, self.queue.stream) }
            .map_err(|e| failed("cuMemcpyDtoDAsync", e))
    }

    /// # Safety
    /// `bytes` bytes of live device memory lie at each address, and they do not overlap.
    pub(super) unsafe fn copy_bytes(&self, from: u64, to: DevicePtr, bytes: usize) -> Result<()> {
        self.queue.enter()?;
        // SAFETY: the caller's promise.
        unsafe { result::memcpy_dtod_async(to.0, from, bytes, self.queue.stream) }
            .map_err(|e| failed("cuMemcpyDtoDAsync", e))
    }

    /// The stream's handle, for other code that uses the driver.
    pub(super) fn stream(&self) -> u64 {
        self.queue.stream.addr() as u64
    }

    /// Has work that is queued from now on wait for what a stream of other code has been asked for.
    ///
    /// # Safety
    /// `stream` is a stream of this device's primary context, or stands for a default stream.
    pub(super) unsafe fn wait_for(&self, stream: u64) -> Result<()> {
        let other = stream as usize as sys::CUstream;
        // SAFETY: the caller's promise, and our own stream lives as long as the process.
        unsafe { self.order(other, self.queue.stream) }
    }

    /// Has work that a stream of other code is asked for from now on wait for what is queued here.
    ///
    /// # Safety
    /// `stream` is a stream of this device's primary context, or stands for a default stream.
    pub(super) unsafe fn make_stream_wait(&self, stream: u64) -> Result<()> {
        let other = stream as usize as sys::CUstream;
        // SAFETY: the caller's promise, and our own stream lives as long as the process.
        unsafe { self.order(self.queue.stream, other) }
    }

    /// Has later work of one stream wait for earlier work of another.
    ///
    /// # Safety
    /// Both are streams of the primary context.
    unsafe fn order(&self, earlier: sys::CUstream, later: sys::CUstream) -> Result<()> {
        self.queue.enter()?;
        let event = Event::new()?;
        // SAFETY: the event lives, and the streams do by the caller's promise. An event that is
        // destroyed early goes once it has passed.
        unsafe {
            result::event::record(event.0, earlier).map_err(|e| failed("cuEventRecord", e))?;
            sys::cuStreamWaitEvent(later, event.0, 0)
                .result()
                .map_err(|e| failed("cuStreamWaitEvent", e))
        }
    }

    /// Waits until all streams of the device, those of other code too, are done.
    pub(super) fn synchronize_all(&self) -> Result<()> {
        self.queue.enter()?;
        result::ctx::synchronize().map_err(|e| failed("cuCtxSynchronize", e))
    }

    /// # Safety
    /// `limbs` limbs of live device memory lie at `at`.
    pub(super) unsafe fn zero(&self, at: DevicePtr, limbs: usize) -> Result<()> {
        self.queue.enter()?;
        // SAFETY: the caller's promise.
        unsafe { result::memset_d8_async(at.0, 0, 8 * limbs, self.queue.stream) }
            .map_err(|e| failed("cuMemsetD8Async", e))
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        self.queue.synchronize()
    }

    /// Whether something that was queued is still to be done.
    pub(super) fn is_busy(&self) -> Result<bool> {
        self.queue.enter()?;
        // SAFETY: the stream lives as long as the process.
        match unsafe { sys::cuStreamQuery(self.queue.stream) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(true),
            sys::CUresult::CUDA_SUCCESS => Ok(false),
            error => Err(failed("cuStreamQuery", DriverError(error))),
        }
    }

    /// Page-locked memory of `limbs` limbs, more than none, that the device reaches too.
    pub(super) fn map(&self, limbs: usize) -> Result<Mapping> {
        self.queue.enter()?;
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: plain allocation; page-locked memory is aligned to pages.
        let memory = unsafe { result::malloc_host(8 * limbs, flags) }
            .map_err(|e| failed("cuMemHostAlloc", e))?;
        let mut address = 0;
        // SAFETY: the memory was just allocated with a mapping.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&mut address, memory, 0) }
            .result()
            .map_err(|e| failed("cuMemHostGetDevicePointer", e))?;
        let host = NonNull::new(memory.cast()).ok_or_else(|| Error::Device {
            call: "cuMemHostAlloc",
            reason: "gave no memory".into(),
        })?;
        Ok(zeroed(Mapping {
            host,
            address: DevicePtr(address),
            limbs,
        }))
    }

    /// # Safety
    /// The mapping came from `map`, and neither side uses it after this.
    pub(super) unsafe fn unmap(&self, mapping: Mapping) {
        if self.queue.enter().is_ok() {
            // SAFETY: the caller's promise. A failure means a lost device, which the next call on
            // it reports.
            let _ = unsafe { result::free_host(mapping.host.as_ptr().cast()) };
        }
    }

    pub(super) fn time_ms(&self, work: impl FnOnce() -> Result<()>) -> Result<f64> {
        self.queue.enter()?;
        let (start, end) = (Event::new()?, Event::new()?);
        start.record(&self.queue)?;
        work()?;
        self.queue.enter()?;
        end.record(&self.queue)?;
        end.wait()?;
        // SAFETY: both events live, were recorded on one stream with timing, and have completed.
        let ms = unsafe { result::event::elapsed(start.0, end.0) };
        ms.map(f64::from)
            .map_err(|e| failed("cuEventElapsedTime", e))
    }

    /// Whether a pack or the cache has one kernel's code for this card.
    pub(super) fn has(&self, source: &Source, defines: &[(String, i64)], kernel: &str) -> bool {
        let wanted = Wanted::new(source, defines, kernel, self.architecture);
        wanted.is_packed() || wanted.is_cached()
    }

    /// One kernel's code for this card: from a pack, from the cache on disk, or by NVRTC.
    pub(super) fn load(
        &self,
        source: &Source,
        defines: &[(String, i64)],
        kernel: &str,
    ) -> Result<Code> {
        let wanted = Wanted::new(source, defines, kernel, self.architecture);
        if let Some(image) = wanted.packed() {
            match self.load_image(&image) {
                Ok(code) => return Ok(code),
                // An older driver may not take what a newer compiler made. It takes none of it
                // then.
                Err(error) => wanted.refuse_pack(&error.to_string()),
            }
        }
        let cached = wanted.cached();
        if let Some(code) = cached.and_then(|image| self.load_image(&image).ok()) {
            return Ok(code);
        }
        let nvrtc = Nvrtc::get(self.cuda / 1000)?;
        let image = patiently(|| wanted.compile(nvrtc))?;
        let code = self.load_image(&image).map_err(|error| Error::Device {
            call: "cuModuleLoadData",
            reason: format!(
                "{error}: module {} built by {} for sm_{}, loaded by a driver for CUDA {}; an \
                 NVRTC no newer than the driver is needed (BEZOUT_NVRTC names one)",
                source.name,
                nvrtc.name(),
                self.architecture,
                probe::dotted(self.cuda)
            ),
        })?;
        wanted.keep(&image);
        Ok(code)
    }

    /// `image` is a CUBIN, or PTX text that ends in a zero byte.
    fn load_image(&self, image: &[u8]) -> Result<Code> {
        self.queue.enter()?;
        // SAFETY: the image is complete (its checksum was verified, or NVRTC has just built it) and
        // the driver copies it during the call.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) }
            .map_err(|e| failed("cuModuleLoadData", e))?;
        Ok(Code {
            module,
            queue: self.queue,
            multiprocessors: self.multiprocessors,
            shared_bytes_per_block: self.shared_bytes_per_block,
        })
    }
}

/// The number of the device that has memory at this address.
pub(super) fn ordinal_of(address: u64) -> Result<u32> {
    probe()?;
    let mut ordinal: c_int = 0;
    let which = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: the value of this attribute is a C int. The driver knows of addresses that are not
    // its own.
    unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast(), which, address) }
        .result()
        .map_err(|e| failed("cuPointerGetAttribute", e))?;
    Ok(ordinal as u32)
}

/// Runs a compilation, and says so where it takes longer than a user waits without a word.
fn patiently<T>(compile: impl FnOnce() -> T) -> T {
    if background::is_here() {
        return compile();
    }
    const PATIENCE: Duration = Duration::from_secs(1);
    /// Nanoseconds spent in this process, on all threads.
    static SPENT: AtomicU64 = AtomicU64::new(0);
    let left = PATIENCE.saturating_sub(Duration::from_nanos(SPENT.load(Ordering::Relaxed)));
    let start = Instant::now();
    let result = thread::scope(|threads| {
        let (done, waiting) = mpsc::channel::<()>();
        threads.spawn(move || {
            if waiting.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                notice::say_once("compiling kernels for the GPU, which are kept for the next time");
            }
        });
        let result = compile();
        drop(done);
        result
    });
    SPENT.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    result
}

fn new_stream() -> Result<sys::CUstream> {
    result::stream::create(result::stream::StreamKind::NonBlocking)
        .map_err(|e| failed("cuStreamCreate", e))
}

/// An event that destroys itself. Created and used on a thread that has entered the context.
pub(super) struct Event(sys::CUevent);

// SAFETY: the handle means the same on every thread, and the driver may be called from any.
unsafe impl Send for Event {}

impl Event {
    fn new() -> Result<Event> {
        Event::of(sys::CUevent_flags::CU_EVENT_DEFAULT)
    }

    /// An event without a time, which is cheaper to record.
    fn untimed() -> Result<Event> {
        Event::of(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    fn of(flags: sys::CUevent_flags) -> Result<Event> {
        result::event::create(flags)
            .map(Event)
            .map_err(|e| failed("cuEventCreate", e))
    }

    fn record(&self, queue: &Queue) -> Result<()> {
        // SAFETY: the event lives, and the stream as long as the process.
        unsafe { result::event::record(self.0, queue.stream) }
            .map_err(|e| failed("cuEventRecord", e))
    }

    fn wait(&self) -> Result<()> {
        // SAFETY: the event lives.
        unsafe { result::event::synchronize(self.0) }.map_err(|e| failed("cuEventSynchronize", e))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event lives and is not used after this. A failure means a lost device.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}
