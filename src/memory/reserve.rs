//! An allocator for libraries that other programs load. It defines what happens when memory runs
//! out.
//!
//! Long buffers are asked for by functions that give an error. The many short pieces of an
//! operation are not, and Rust ends the process when one of them cannot be had. So the allocator
//! holds a reserve of address space, which it does not touch. A short piece that the system cannot
//! provide comes from there. Every operation that asks [`check`] fails once less than half of a
//! block of the reserve is left and no further block can be had.
//!
//! The reserve is not given to the system's allocator when memory ends. That allocator keeps an
//! arena per thread, and free memory of one arena is of no use to another thread.
//!
//! The C library allocates too, for new threads and their variables, and ends the process where it
//! gets nothing. So there is some more address space, the ballast. It is given back to the system
//! when a short piece cannot be had, and all short pieces come from the reserve then. Operations
//! fail until the ballast can be had again.
//!
//! A reserve is one or several blocks. Pieces are cut from a block from its start on. A block whose
//! pieces have all been freed is whole again. Blocks stay until the process ends.

// Reason: an allocator is an unsafe trait. Every method passes its arguments on unchanged to
// `System`, which has the same contract, or serves a piece from a block.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use crate::error::{Error, Result};

/// A block of the reserve: what an operation may take in short pieces before it asks again.
const BLOCK: Layout = match Layout::from_size_align(16 << 20, UNIT) {
    Ok(layout) => layout,
    Err(_) => panic!("a valid layout"),
};

/// Bytes that the start and the length of a piece are multiples of.
const UNIT: usize = 16;

/// Units of a block.
const UNITS: u32 = (BLOCK.size() / UNIT) as u32;

/// Units that an operation must find free in a block.
const LEAST: u32 = UNITS / 2;

/// The longest pieces that come from the reserve.
const LONGEST: usize = 1 << 20;

/// Most blocks. A second one is only set up when pieces of the first one are alive that end in its
/// upper half.
const BLOCKS: usize = 64;

/// Bytes of the ballast.
const BALLAST: usize = 8 << 20;

/// The ballast; null where there is none.
static BALLAST_START: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// The blocks, from the first place on.
static RESERVE: [Block; BLOCKS] = [const { Block::none() }; BLOCKS];

/// Whether the reserve was set up.
static IS_SET_UP: AtomicBool = AtomicBool::new(false);

/// Whether a piece has ever come from the reserve. A thread that frees such a piece sees `true`,
/// because it got the piece from the thread that set this.
static WAS_USED: AtomicBool = AtomicBool::new(false);

struct Block {
    /// Null where there is no block yet; never changed after that.
    start: AtomicPtr<u8>,
    /// Units below the end of the last piece, and in the upper half the number of pieces. A forked
    /// child may use this whatever other threads of its parent did, as one change is one write.
    state: AtomicU64,
}

impl Block {
    /// A place without a block.
    const fn none() -> Block {
        Block {
            start: AtomicPtr::new(ptr::null_mut()),
            state: AtomicU64::new(0),
        }
    }

    fn start(&self) -> Option<*mut u8> {
        let start = self.start.load(Ordering::Acquire);
        (!start.is_null()).then_some(start)
    }

    /// Units that no piece has.
    fn free_units(&self) -> u32 {
        UNITS - self.state.load(Ordering::Relaxed) as u32
    }

    /// A piece of the block that starts at `start`. Its contents are unspecified.
    fn cut(&self, start: *mut u8, layout: Layout) -> Option<*mut u8> {
        let mut piece = None;
        let cut = |state: u64| {
            let used = state as u32 as usize * UNIT;
            let at = (start.addr() + used).checked_next_multiple_of(layout.align())? - start.addr();
            let end = at.checked_add(layout.size())?.div_ceil(UNIT);
            let end = u32::try_from(end).ok().filter(|end| *end <= UNITS)?;
            piece = Some(start.wrapping_add(at));
            Some(((state >> 32) + 1) << 32 | u64::from(end))
        };
        // A piece that begins where one ended that was freed is written after that one was.
        let done = (self.state).fetch_update(Ordering::AcqRel, Ordering::Acquire, cut);
        done.ok().and(piece)
    }

    /// Takes a piece back.
    fn put_back(&self) {
        let put_back = |state: u64| {
            let pieces = (state >> 32).saturating_sub(1);
            let used = if pieces == 0 { 0 } else { state as u32 };
            Some(pieces << 32 | u64::from(used))
        };
        let _ = (self.state).fetch_update(Ordering::AcqRel, Ordering::Acquire, put_back);
    }
}

/// The system's allocator with a reserve. It is for libraries that are loaded by programs of
/// others: with it as their `#[global_allocator]`, and with [`set_up`] called before each
/// operation, they report a lack of memory and do not end the program.
///
/// ```
/// use bezout::memory::{self, ReservingAllocator};
///
/// #[global_allocator]
/// static ALLOCATOR: ReservingAllocator = ReservingAllocator;
///
/// memory::set_up()?;
/// assert_eq!(bezout::Int::from(2).try_pow(10)?, 1024);
/// # Ok::<(), bezout::Error>(())
/// ```
#[derive(Debug)]
pub struct ReservingAllocator;

// SAFETY: memory comes from `System` and goes back to it, with the layout that the caller gave, or
// comes from a block and goes back to that block. `Block::cut` gives pieces of the length and the
// alignment of the layout that do not overlap as long as they are alive.
unsafe impl GlobalAlloc for ReservingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_tight() {
            let at = from_reserve(layout);
            if !at.is_null() {
                return at;
            }
        }
        // SAFETY: the caller's contract is that of `System`.
        let at = unsafe { System.alloc(layout) };
        if at.is_null() {
            return from_reserve(layout);
        }
        at
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_tight() {
            let at = cleared(layout);
            if !at.is_null() {
                return at;
            }
        }
        // SAFETY: the caller's contract is that of `System`.
        let at = unsafe { System.alloc_zeroed(layout) };
        if at.is_null() {
            return cleared(layout);
        }
        at
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if owner(at).is_some() {
            if size <= layout.size() {
                return at;
            }
        } else if !is_tight() || size > LONGEST {
            // SAFETY: the caller's contract is that of `System`, from which `at` came.
            let moved = unsafe { System.realloc(at, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: as above. `System` has left the memory as it was.
        unsafe { moved(self, at, layout, size) }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        match owner(at) {
            // SAFETY: the caller's contract is that of `System`, from which `at` came.
            None => unsafe { System.dealloc(at, layout) },
            Some(block) => block.put_back(),
        }
    }
}

/// The contents of `at` in a piece of `size` bytes. If there is none, `at` stays.
///
/// # Safety
/// That of `GlobalAlloc::realloc`.
#[cold]
unsafe fn moved(
    allocator: &ReservingAllocator,
    at: *mut u8,
    layout: Layout,
    size: usize,
) -> *mut u8 {
    // SAFETY: the caller's promise. The two pieces do not overlap, as both are alive.
    unsafe {
        let new = allocator.alloc(Layout::from_size_align_unchecked(size, layout.align()));
        if !new.is_null() {
            ptr::copy_nonoverlapping(at, new, size.min(layout.size()));
            allocator.dealloc(at, layout);
        }
        new
    }
}

/// Whether the ballast is gone. Then short pieces come from the blocks, because the C library needs
/// what the system has left.
#[inline(always)]
fn is_tight() -> bool {
    WAS_USED.load(Ordering::Relaxed) && BALLAST_START.load(Ordering::Relaxed).is_null()
}

/// The block that a piece is of. None if it came from the system.
#[inline(always)]
fn owner(at: *mut u8) -> Option<&'static Block> {
    if WAS_USED.load(Ordering::Relaxed) {
        return find_owner(at);
    }
    None
}

#[cold]
fn find_owner(at: *mut u8) -> Option<&'static Block> {
    let mut blocks = RESERVE
        .iter()
        .map_while(|block| Some((block, block.start()?)));
    let found = blocks.find(|(_, start)| at.addr().wrapping_sub(start.addr()) < BLOCK.size());
    found.map(|(block, _)| block)
}

/// A piece of the reserve, for an allocation that the system has refused. Null if it is too long,
/// or no block has room.
#[cold]
fn from_reserve(layout: Layout) -> *mut u8 {
    if layout.size() > LONGEST {
        return ptr::null_mut();
    }
    WAS_USED.store(true, Ordering::Relaxed);
    let ballast = BALLAST_START.swap(ptr::null_mut(), Ordering::AcqRel);
    if !ballast.is_null() {
        // SAFETY: the swap gave it to this thread alone.
        unsafe { unmap(ballast) };
    }
    let mut blocks = RESERVE
        .iter()
        .map_while(|block| Some((block, block.start()?)));
    let piece = blocks.find_map(|(block, start)| block.cut(start, layout));
    piece.unwrap_or(ptr::null_mut())
}

/// Sets up the reserve of a [`ReservingAllocator`] where there is none or too little of it is left.
/// An error if there is no memory for it; making that error takes no memory.
#[inline]
pub fn set_up() -> Result<()> {
    if !IS_SET_UP.load(Ordering::Relaxed) || WAS_USED.load(Ordering::Relaxed) {
        return fill();
    }
    Ok(())
}

/// An error if too little of the reserve is left and there is no memory for more.
/// Without a reserve, this is no error.
#[inline]
pub(crate) fn check() -> Result<()> {
    if WAS_USED.load(Ordering::Relaxed) {
        return fill();
    }
    Ok(())
}

/// A piece of the reserve that is all zeros, as [`from_reserve`] gives it.
#[cold]
fn cleared(layout: Layout) -> *mut u8 {
    let at = from_reserve(layout);
    if !at.is_null() {
        // SAFETY: the piece is as long as the layout.
        unsafe { at.write_bytes(0, layout.size()) };
    }
    at
}

/// Address space for the ballast; null where there is none. Its pages are never touched.
#[cfg(target_os = "linux")]
fn map() -> *mut u8 {
    // SAFETY: a new mapping, anywhere, which nobody else knows.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            BALLAST,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    start.cast()
}

/// # Safety
/// `start` came from [`map`], and nobody else has it.
#[cfg(target_os = "linux")]
unsafe fn unmap(start: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(start.cast(), BALLAST) };
}

/// The layout of a ballast from the allocator.
#[cfg(not(target_os = "linux"))]
const BALLAST_LAYOUT: Layout = match Layout::from_size_align(BALLAST, UNIT) {
    Ok(layout) => layout,
    Err(_) => panic!("a valid layout"),
};

#[cfg(not(target_os = "linux"))]
fn map() -> *mut u8 {
    // SAFETY: the layout is not of size 0.
    unsafe { System.alloc(BALLAST_LAYOUT) }
}

/// # Safety
/// `start` came from [`map`], and nobody else has it.
#[cfg(not(target_os = "linux"))]
unsafe fn unmap(start: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { System.dealloc(start, BALLAST_LAYOUT) };
}

/// Takes the ballast where it is gone. False if there is no room for it.
fn take_ballast() -> bool {
    if !BALLAST_START.load(Ordering::Relaxed).is_null() {
        return true;
    }
    let start = map();
    if start.is_null() {
        return false;
    }
    let other = BALLAST_START.swap(start, Ordering::AcqRel);
    if !other.is_null() {
        // SAFETY: another thread took it at the same time, and the swap gave it to this one alone.
        unsafe { unmap(other) };
    }
    true
}

#[cold]
fn fill() -> Result<()> {
    let lacking = |needed: usize| Error::Memory {
        what: "any operation",
        needed: needed as u64,
        available: 0,
        limit: "the system",
    };
    if !take_ballast() {
        return Err(lacking(BALLAST));
    }
    for block in &RESERVE {
        if block.start().is_none() {
            // SAFETY: the layout is not of size 0.
            let start = unsafe { System.alloc(BLOCK) };
            if start.is_null() {
                break;
            }
            IS_SET_UP.store(true, Ordering::Relaxed);
            let none = ptr::null_mut();
            let stored =
                (block.start).compare_exchange(none, start, Ordering::AcqRel, Ordering::Acquire);
            if stored.is_err() {
                // SAFETY: another thread has set up a block here at the same time. This one came
                // from `System` with this layout, and nobody else has seen it.
                unsafe { System.dealloc(start, BLOCK) };
            }
        }
        if block.free_units() >= LEAST {
            return Ok(());
        }
    }
    Err(lacking(BLOCK.size()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> (Block, *mut u8) {
        // SAFETY: the layout is not of size 0. The memory is never freed.
        let start = unsafe { System.alloc(BLOCK) };
        assert!(!start.is_null());
        let block = Block::none();
        block.start.store(start, Ordering::Relaxed);
        (block, start)
    }

    #[test]
    fn pieces_do_not_overlap_and_fill_the_block() {
        let (block, start) = block();
        let mut end = start.addr();
        let mut count = 0;
        'full: loop {
            for (size, align) in [(1, 1), (256, 8), (17, 64), (LONGEST, 16), (4096, 4096)] {
                let layout = Layout::from_size_align(size, align).unwrap();
                let Some(at) = block.cut(start, layout) else {
                    break 'full;
                };
                assert!(at.addr() >= end && at.addr().is_multiple_of(align));
                end = at.addr() + size;
                assert!(end <= start.addr() + BLOCK.size());
                count += 1;
            }
        }
        assert!(count > 5 * 14 && block.free_units() < LEAST);
        for _ in 1..count {
            block.put_back();
            assert!(block.free_units() < LEAST);
        }
        block.put_back();
        assert_eq!(block.free_units(), UNITS);
        let whole = block.cut(start, Layout::from_size_align(BLOCK.size(), 16).unwrap());
        assert_eq!(whole, Some(start));
        assert_eq!(block.free_units(), 0);
    }

    /// Threads cut pieces of one block, each writes all of its pieces, and none sees another's.
    #[test]
    fn threads_share_a_block() {
        let (block, start) = block();
        let (block, start) = (&block, start.expose_provenance());
        std::thread::scope(|threads| {
            for thread in 1..=4_u8 {
                threads.spawn(move || {
                    let start = ptr::with_exposed_provenance_mut::<u8>(start);
                    let layout = Layout::from_size_align(256, 8).unwrap();
                    for _ in 0..2000 {
                        let pieces: Vec<_> = (0..8)
                            .map(|_| block.cut(start, layout).expect("room"))
                            .collect();
                        for piece in &pieces {
                            // SAFETY: the piece is this thread's and of this length.
                            unsafe { piece.write_bytes(thread, 256) };
                        }
                        for piece in pieces {
                            // SAFETY: as above.
                            let is_own = |i| unsafe { *piece.add(i) == thread };
                            assert!((0..256).all(is_own));
                            block.put_back();
                        }
                    }
                });
            }
        });
        assert_eq!(block.free_units(), UNITS);
    }
}
