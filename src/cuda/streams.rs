//! Several streams of one device, for operations that do not depend on each other. Liu and Tong
//! (IV.C and V) expect of kernels at once that a device stays busy with small numbers. What an H200
//! gains by them, and where it loses, is in `docs/engines.md`.
//!
//! A further stream is a [`Device`] of its own, with the number of the GPU that it belongs to. It
//! has its own kernels, tables and workspaces: nothing that the kernels of one stream change is
//! seen by those of another. Memory, its limit and eviction are the GPU's.
//!
//! Only values cross from one stream to another, by their copies (`copies.rs`), and every crossing
//! waits:
//!
//! | what | who waits |
//! |---|---|
//! | a stream reads a buffer of another one | the reader, for what the other was asked for so far |
//! | the other one does anything after that | the other, for the reader's work by then |
//! | the first stream takes a buffer over | the first, for the buffer's stream and its readers |
//!
//! A thread works on the first stream unless [`on_stream`] says otherwise. Work that a thread asks
//! for through a `Device` at hand goes to the stream of that device.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use super::memory::Workspaces;
use super::{Backend, Core, Device, main_stream};
#[cfg(feature = "cuda")]
use super::{driver, executor};
use crate::error::Result;

/// Streams of a device beside its first.
const MOST_STREAMS: usize = 16;

thread_local! {
    static STREAM: Cell<usize> = const { Cell::new(0) };
}

/// The stream that this thread uses; 0 is a device's first.
pub(crate) fn stream_of_thread() -> usize {
    STREAM.get()
}

/// Runs `work` with this thread on a stream of each device; scopes nest. Numbers beyond the last
/// stream begin again with the second.
pub(crate) fn on_stream<T>(number: usize, work: impl FnOnce() -> T) -> T {
    struct Restore(usize);
    impl Drop for Restore {
        fn drop(&mut self) {
            STREAM.set(self.0);
        }
    }
    let place = number.checked_sub(1).map(|place| place % MOST_STREAMS);
    let _restore = Restore(STREAM.replace(place.map_or(0, |place| 1 + place)));
    work()
}

/// The further streams of a device, opened when they are first used. A further stream has none.
#[derive(Default)]
pub(super) struct Streams {
    /// The number of this stream.
    number: usize,
    others: [OnceLock<Arc<Device>>; MOST_STREAMS],
}

impl Streams {
    /// Those that were used so far.
    pub(super) fn opened(&self) -> impl Iterator<Item = &Arc<Device>> {
        self.others.iter().filter_map(OnceLock::get)
    }
}

/// A place in a stream's work.
struct Mark {
    #[cfg(feature = "cuda")]
    event: Option<driver::Event>,
}

/// What a stream was asked for, and what it waits for. An event takes the driver some microseconds,
/// so a stream waits for another one only if that was asked for something since it last did.
#[derive(Default)]
pub(super) struct Order {
    /// The number of the stream.
    number: usize,
    /// Pieces of work that it was asked for; each is counted when it is queued.
    queued: AtomicU64,
    /// Of each stream of the device, by its number, how many of its pieces this one waits for.
    awaited: [AtomicU64; 1 + MOST_STREAMS],
    /// Streams that have read memory of this one since it last did anything.
    readers: Mutex<Vec<Arc<Core>>>,
    has_readers: AtomicBool,
}

impl Order {
    fn of(number: usize) -> Order {
        Order {
            number,
            ..Order::default()
        }
    }

    /// Counts a piece of work that has been queued.
    pub(super) fn count(&self) {
        self.queued.fetch_add(1, Ordering::Release);
    }
}

impl Core {
    /// Has the next work of this stream wait for what another one was asked for so far.
    fn wait_for(&self, other: &Core) -> Result<()> {
        let awaited = &self.order.awaited[other.order.number];
        // Before the mark: what is queued in between is waited for and not counted as such.
        let queued = other.order.queued.load(Ordering::Acquire);
        if awaited.load(Ordering::Acquire) >= queued {
            return Ok(());
        }
        wait_for(&self.backend, &mark(&other.backend)?)?;
        awaited.fetch_max(queued, Ordering::Release);
        // Whoever waits for this stream waits for the other one too from now on.
        self.order.count();
        Ok(())
    }

    /// Has the next work of this stream wait for those that read its memory.
    pub(super) fn wait_for_readers(&self) -> Result<()> {
        if !self.order.has_readers.load(Ordering::Acquire) {
            return Ok(());
        }
        // Under the lock until the waits are queued: another thread must not find the list empty
        // and go ahead of them.
        let mut readers = (self.order.readers.lock()).unwrap_or_else(PoisonError::into_inner);
        for reader in readers.drain(..) {
            self.wait_for(&reader)?;
        }
        self.order.has_readers.store(false, Ordering::Release);
        Ok(())
    }
}

/// Where a backend's stream is now.
fn mark(backend: &Backend) -> Result<Mark> {
    match *backend {
        #[cfg(feature = "cuda")]
        Backend::Driver(ref driver) => Ok(Mark {
            event: Some(driver.mark()?),
        }),
        // Its work is done when the call that asks for it returns.
        #[cfg(feature = "cuda")]
        Backend::Executor(_) => Ok(Mark { event: None }),
    }
}

fn wait_for(backend: &Backend, mark: &Mark) -> Result<()> {
    match *backend {
        #[cfg(feature = "cuda")]
        Backend::Driver(ref driver) => (mark.event.as_ref()).map_or(Ok(()), |e| driver.wait(e)),
        #[cfg(feature = "cuda")]
        Backend::Executor(_) => Ok(()),
    }
}

impl Device {
    /// Whether two are streams of one device.
    pub(super) fn shares_memory(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.memory, &other.memory)
    }

    /// The stream of this device that the thread uses.
    pub(crate) fn of_thread(self: Arc<Self>) -> Arc<Device> {
        let number = stream_of_thread();
        if self.streams.number == number {
            return self;
        }
        match main_stream(self.info.ordinal) {
            Ok(first) => first.stream_here(number),
            Err(_) => self,
        }
    }

    /// Stream `number` of a device whose first stream this is; the first where no other can be had.
    pub(super) fn stream_here(self: Arc<Self>, number: usize) -> Arc<Device> {
        let Some(place) = number.checked_sub(1) else {
            return self;
        };
        if let Some(stream) = self.streams.others[place].get() {
            return stream.clone();
        }
        match self.open_stream(number) {
            Ok(stream) => (self.streams.others[place].get_or_init(|| stream)).clone(),
            Err(_) => self,
        }
    }

    fn open_stream(&self, number: usize) -> Result<Arc<Device>> {
        let backend = match self.core.backend {
            #[cfg(feature = "cuda")]
            Backend::Driver(ref driver) => Backend::Driver(driver.with_another_stream()?),
            #[cfg(feature = "cuda")]
            Backend::Executor(ref executor) => Backend::Executor(executor.with_stream(number)),
        };
        Ok(Arc::new(Device {
            info: self.info.clone(),
            core: Arc::new(Core {
                backend,
                counters: self.core.counters.clone(),
                lost: self.core.lost.clone(),
                age: self.core.age,
                order: Order::of(number),
            }),
            memory: self.memory.clone(),
            workspaces: Workspaces::default(),
            streams: Streams {
                number,
                others: Default::default(),
            },
            modules: RwLock::default(),
            seen: RwLock::default(),
            mappings: Mutex::default(),
        }))
    }

    /// What the executor knows of who may use which memory.
    #[cfg(feature = "cuda")]
    pub(super) fn owners(&self) -> Option<&executor::Owners> {
        match self.core.backend {
            Backend::Driver(_) => None,
            Backend::Executor(ref executor) => Some(&executor.owners),
        }
    }

    /// The number of this stream; 0 is a device's first.
    pub(super) fn stream_number(&self) -> usize {
        self.streams.number
    }

    /// Has the next work of this stream wait for what another one was asked for so far.
    pub(super) fn wait_for_stream(&self, other: &Device) -> Result<()> {
        self.core.alive(|_| self.core.wait_for(&other.core))
    }

    /// Has the next work of this stream wait for what `reader`, another one, will have been asked
    /// for by then. Nothing is queued until there is such work, so that a third stream that waits
    /// for this one does not wait for the reader.
    pub(super) fn is_read_by(&self, reader: &Device) {
        let order = &self.core.order;
        let mut readers = order.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if !readers.iter().any(|core| Arc::ptr_eq(core, &reader.core)) {
            readers.push(reader.core.clone());
        }
        order.has_readers.store(true, Ordering::Release);
    }
}
