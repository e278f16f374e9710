//! Host memory: how much this process may still use, and whether a result fits in it.
//!
//! There are two kinds of refusal. [`Error::TooLarge`] is for results that no machine can hold; it
//! does not depend on the machine. [`Error::Memory`] is for results that need more than this
//! process may still use now. The smallest of these counts:
//!
//! | limit | source on Linux |
//! |---|---|
//! | memory that is available without swapping | `MemAvailable` in `/proc/meminfo` |
//! | limits of the control groups (containers) | `memory.max` less `memory.current` |
//! | `ulimit -v`, the address space | `/proc/self/limits` less `VmSize` |
//! | `ulimit -d`, the private writable memory | `/proc/self/limits` less `VmData` |
//!
//! Where the system has no such file there is no limit of that kind.
//!
//! Memory whose size depends on an argument or an operand is allocated by [`room`] or [`zeros`],
//! which return an error if it is not available. An operation with many such allocations calls
//! [`check`] first. If the process has its own limit, `check` allocates that much memory from the
//! system and frees it, so that even a lack of a few hundred KiB is an error and does not end the
//! process.

mod reserve;

use std::alloc::{self, Layout};
use std::fs;
use std::hint::black_box;
use std::path::Path;

pub(crate) use reserve::check as check_reserve;
pub use reserve::{ReservingAllocator, set_up};

use crate::error::{Error, Result};

/// Maximum bits of a result and its working space: 2^47 bytes, the address space of a process.
pub(crate) const MOST_BITS: u64 = {
    let addressable = (isize::MAX as u64 / 16).saturating_mul(8);
    if addressable < 1 << 50 {
        addressable
    } else {
        1 << 50
    }
};

/// Needs of fewer bytes than this are not compared with the limits: finding those takes about 0.1
/// ms.
const ALWAYS_FITS: u64 = 1 << 25;

/// Needs of fewer bytes than this are not asked for: asking takes some microseconds.
const LEAST_ASKED: u64 = 1 << 16;

/// Bytes that must remain free after an allocation, for the many small allocations that are not
/// counted.
const MARGIN: u64 = 1 << 20;

/// A result, its operands and the working space of a simple operation, in multiples of the result.
const COPIES: u64 = 4;

/// Bytes of a thread's stack, the standard library's default.
const STACK: u64 = 2 << 20;

/// Asks for large pages under memory that is about to be written for the first time. A fault for
/// every 4 KiB of a long number takes longer than its transfer from a device. Memory of less than
/// two large pages is left as it is: there may be no whole one in it.
pub(crate) fn prefer_large_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const LARGE: usize = 2 << 20;
        if size_of_val(memory) < 2 * LARGE {
            return;
        }
        let range = memory.as_mut_ptr_range();
        let start = (range.start as usize).next_multiple_of(LARGE);
        let end = range.end as usize / LARGE * LARGE;
        if start < end {
            // SAFETY: these are whole pages inside memory that is ours alone. The advice changes no
            // contents, and its refusal changes nothing.
            #[allow(unsafe_code)]
            unsafe {
                libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE)
            };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Refuses a result of `bits` bits that cannot be held beside its operands and some working space.
///
/// ```
/// use bezout::{Error, memory};
/// assert_eq!(memory::check("the power", 1000), Ok(()));
/// let absurd = memory::check("the power", 1 << 80);
/// assert!(matches!(absurd, Err(Error::TooLarge { .. })));
/// ```
pub fn check(what: &'static str, bits: u128) -> Result<()> {
    check_copies(what, bits, COPIES)
}

/// Refuses a result of `bits` bits whose making takes `copies` times as much memory, itself
/// included.
pub(crate) fn check_copies(what: &'static str, bits: u128, copies: u64) -> Result<()> {
    reserve::check()?;
    let all = bits.saturating_mul(copies.into());
    if all > u128::from(MOST_BITS) {
        return Err(Error::TooLarge {
            what,
            bits: u64::try_from(bits).unwrap_or(u64::MAX),
            limit: MOST_BITS / copies,
        });
    }
    let needed = (all / 8) as u64;
    if needed < LEAST_ASKED {
        return Ok(());
    }
    if needed >= ALWAYS_FITS {
        let Room { bytes, limit } = Room::now();
        if needed > bytes {
            return Err(Error::Memory {
                what,
                needed,
                available: bytes,
                limit,
            });
        }
    }
    if has_own_limit() && !can_be_had(needed) {
        return Err(lacking(what, needed));
    }
    Ok(())
}

/// An empty vector with room for `len` items, or an error if there is no memory for them.
///
/// ```
/// use bezout::{Error, memory};
/// assert!(memory::room::<u32>("keys", 10)?.capacity() >= 10);
/// let absurd = memory::room::<u32>("keys", usize::MAX);
/// assert!(matches!(absurd, Err(Error::TooLarge { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn room<T>(what: &'static str, len: usize) -> Result<Vec<T>> {
    let bytes = len as u128 * size_of::<T>() as u128;
    check_copies(what, 8 * bytes, 1)?;
    let mut items = Vec::new();
    items
        .try_reserve_exact(len)
        .map_err(|_| lacking(what, bytes as u64))?;
    Ok(items)
}

/// `len` zeros, or an error if there is no memory for them. The system has cleared the memory
/// already, so that a long vector is not written here.
#[allow(unsafe_code)]
pub fn zeros(what: &'static str, len: usize) -> Result<Vec<u64>> {
    let bytes = len as u128 * 8;
    check_copies(what, 8 * bytes, 1)?;
    if len == 0 {
        return Ok(Vec::new());
    }
    let layout = Layout::array::<u64>(len).map_err(|_| lacking(what, bytes as u64))?;
    // SAFETY: the layout is not of size 0.
    let at = unsafe { alloc::alloc_zeroed(layout) }.cast::<u64>();
    if at.is_null() {
        return Err(lacking(what, bytes as u64));
    }
    // SAFETY: the memory comes from the allocator with the layout of `len` words, and zeros are
    // words.
    let mut words = unsafe { Vec::from_raw_parts(at, len, len) };
    prefer_large_pages(&mut words);
    Ok(words)
}

/// The error of a need that the system has just refused.
#[cold]
fn lacking(what: &'static str, needed: u64) -> Error {
    let Room { bytes, limit } = Room::now();
    Error::Memory {
        what,
        needed,
        available: bytes.min(needed),
        limit,
    }
}

/// Whether `setrlimit` has set a limit of memory that is in force. Unlike [`is_limited`] this reads
/// no file.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn has_own_limit() -> bool {
    [libc::RLIMIT_AS, libc::RLIMIT_DATA].iter().any(|kind| {
        let mut limit = libc::rlimit {
            rlim_cur: libc::RLIM_INFINITY,
            rlim_max: libc::RLIM_INFINITY,
        };
        // SAFETY: the pointer is valid for the call. Where the call fails it writes nothing.
        unsafe { libc::getrlimit(*kind, &mut limit) };
        limit.rlim_cur != libc::RLIM_INFINITY
    })
}

#[cfg(not(target_os = "linux"))]
fn has_own_limit() -> bool {
    false
}

/// Whether the allocator can provide `len` bytes now.
fn can_be_allocated(len: usize) -> bool {
    let mut bytes = Vec::<u8>::new();
    let is_there = bytes.try_reserve_exact(len).is_ok();
    // The compiler may remove an allocation that has no visible use.
    black_box(bytes.as_ptr());
    is_there
}

/// Whether the system or the allocator can provide `bytes` bytes now. They are freed unused.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn can_be_had(bytes: u64) -> bool {
    let Ok(len) = usize::try_from(bytes.saturating_add(MARGIN)) else {
        return false;
    };
    // SAFETY: a new private mapping, anywhere, which nobody else knows and which is unmapped at
    // once.
    let is_mapped = unsafe {
        let at = libc::mmap(
            std::ptr::null_mut(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        at != libc::MAP_FAILED && libc::munmap(at, len) == 0
    };
    // The allocator may hold freed memory that it has not given back.
    is_mapped || can_be_allocated(len)
}

#[cfg(not(target_os = "linux"))]
fn can_be_had(bytes: u64) -> bool {
    usize::try_from(bytes).is_ok_and(can_be_allocated)
}

/// Bytes that the process may still use.
pub fn available_bytes() -> u64 {
    Room::now().bytes
}

/// Whether a limit of the process itself (`ulimit`) is in force. Then the start of a thread can
/// fail too.
pub fn is_limited() -> bool {
    let limits = read("/proc/self/limits");
    OWN_LIMITS
        .iter()
        .any(|own| soft_limit(&limits, own.name).is_some())
}

/// Refuses threads whose stacks take more than half of the memory that the process's own limits
/// leave. If a thread starts when memory is nearly used up, the system's library ends the whole
/// process.
pub fn check_threads(count: usize) -> Result<()> {
    let needed = (count as u64).saturating_mul(2 * STACK);
    match Room::own() {
        Some(Room { bytes, limit }) if needed > bytes => Err(Error::Memory {
            what: "the threads' stacks",
            needed,
            available: bytes,
            limit,
        }),
        _ => Ok(()),
    }
}

/// A file of the system's, empty where there is none.
fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Bytes that the process may still use, and the limit that is in effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Room {
    bytes: u64,
    limit: &'static str,
}

impl Room {
    /// The memory that the process's own limits leave.
    fn own() -> Option<Room> {
        own_room(&read("/proc/self/limits"), &read("/proc/self/status"))
    }

    fn now() -> Room {
        let physical = available(&read("/proc/meminfo")).map(|bytes| Room {
            bytes,
            limit: "free memory",
        });
        let group = group_room(Path::new("/sys/fs/cgroup"), &read("/proc/self/cgroup"));
        let all = physical.into_iter().chain(group).chain(Room::own());
        all.min_by_key(|room| room.bytes).unwrap_or(Room {
            bytes: u64::MAX,
            limit: "nothing",
        })
    }
}

/// The number of kB after a name such as `MemAvailable:`, in bytes.
fn kib(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number = rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    Some(number.saturating_mul(1024))
}

fn available(meminfo: &str) -> Option<u64> {
    kib(meminfo, "MemAvailable:")
}

/// A limit that `setrlimit` sets.
struct OwnLimit {
    /// Its name in `/proc/self/limits`.
    name: &'static str,
    /// The usage that counts against the limit, in `/proc/self/status`.
    used: &'static str,
    /// How a shell sets it.
    limit: &'static str,
}

const OWN_LIMITS: [OwnLimit; 2] = [
    OwnLimit {
        name: "Max address space",
        used: "VmSize:",
        limit: "ulimit -v",
    },
    OwnLimit {
        name: "Max data size",
        used: "VmData:",
        limit: "ulimit -d",
    },
];

/// The current limit, in bytes. None if it is `unlimited`.
fn soft_limit(limits: &str, name: &str) -> Option<u64> {
    let rest = limits.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The memory that the process's own limits leave.
fn own_room(limits: &str, status: &str) -> Option<Room> {
    let rooms = OWN_LIMITS.iter().filter_map(|own| {
        let used = kib(status, own.used).unwrap_or(0);
        Some(Room {
            bytes: soft_limit(limits, own.name)?.saturating_sub(used),
            limit: own.limit,
        })
    });
    rooms.min_by_key(|room| room.bytes)
}

/// The memory that the control group of this process and the groups above it leave. `groups` is the
/// text of `/proc/self/cgroup`.
fn group_room(root: &Path, groups: &str) -> Option<Room> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"));
    let own = root.join(own.unwrap_or_default());
    let levels = own.ancestors().take_while(|level| level.starts_with(root));
    let left = levels.filter_map(|level| {
        let read = |name: &str| fs::read_to_string(level.join(name)).unwrap_or_default();
        let limit = read("memory.max").trim().parse::<u64>().ok()?;
        let used = read("memory.current").trim().parse::<u64>().unwrap_or(0);
        // The kernel gives up cached files before it refuses memory.
        let statistics = read("memory.stat");
        let cached = statistics
            .lines()
            .find_map(|line| line.strip_prefix("inactive_file "));
        let cached = cached
            .and_then(|bytes| bytes.parse::<u64>().ok())
            .unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(cached)))
    });
    left.min().map(|bytes| Room {
        bytes,
        limit: "the limit of the control group",
    })
}

/// The device memory that `BEZOUT_DEVICE_MEMORY` allows: a size in bytes, with a unit (`8GiB`,
/// `500MB`, `2T`), or a percentage of the card (`90%`); at most the card.
pub(crate) fn parse_device_limit(text: &str, card: u64) -> Result<u64> {
    let bad = || {
        Error::Domain(format!(
            "BEZOUT_DEVICE_MEMORY='{text}' is not a size: use bytes, a unit (8GiB, 500MB) or a \
             percentage (90%)"
        ))
    };
    let trimmed = text.trim();
    let digits = trimmed.len()
        - trimmed
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            .len();
    let (number, unit) = trimmed.split_at(digits);
    let number: f64 = number.parse().map_err(|_| bad())?;
    let scale = match unit.trim().to_ascii_lowercase().as_str() {
        "%" if number <= 100.0 => card as f64 / 100.0,
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024f64.powi(2),
        "g" | "gib" => 1024f64.powi(3),
        "t" | "tib" => 1024f64.powi(4),
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(bad()),
    };
    let bytes = (number * scale).min(card as f64) as u64;
    if bytes == 0 { Err(bad()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: &str = "\
Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max data size             unlimited            unlimited            bytes
Max address space         512000000            unlimited            bytes
";

    #[test]
    fn limits_of_the_process() {
        let status =
            "Name:\tbezout\nVmPeak:\t  999999 kB\nVmSize:\t  100000 kB\nVmData:\t 2000 kB\n";
        let room = own_room(LIMITS, status).unwrap();
        assert_eq!(room.bytes, 512_000_000 - 102_400_000);
        assert_eq!(room.limit, "ulimit -v");
        let full = "VmSize:\t  900000 kB\n";
        assert_eq!(own_room(LIMITS, full).unwrap().bytes, 0);
        let data = LIMITS.replace("data size             unlimited", "data size   4096000");
        let room = own_room(&data, status).unwrap();
        assert_eq!(
            (room.bytes, room.limit),
            (4_096_000 - 2_048_000, "ulimit -d")
        );
        let none = LIMITS.replace("512000000", "unlimited");
        assert_eq!(own_room(&none, status), None);
        assert_eq!(own_room("", ""), None);
    }

    #[test]
    fn memory_of_the_machine() {
        let text = "MemTotal:  24681472 kB\nMemFree:  5 kB\nMemAvailable:   1000 kB\n";
        assert_eq!(available(text), Some(1_024_000));
        assert_eq!(available(""), None);
        assert_eq!(available("MemAvailable: much kB"), None);
    }

    #[test]
    fn limits_of_control_groups() {
        let root = std::env::temp_dir().join(format!("bezout-groups-{}", std::process::id()));
        let inner = root.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        let write = |level: &Path, name: &str, text: &str| {
            fs::write(level.join(name), text).unwrap();
        };
        write(&inner, "memory.max", "max\n");
        write(&root.join("a"), "memory.max", "1000\n");
        write(&root.join("a"), "memory.current", "700\n");
        write(
            &root.join("a"),
            "memory.stat",
            "anon 1\ninactive_file 200\n",
        );
        write(&root, "memory.max", "5000\n");
        let bytes = |groups| group_room(&root, groups).map(|room| room.bytes);
        assert_eq!(bytes("0::/a/b\n"), Some(500));
        assert_eq!(bytes("0::/\n"), Some(5000));
        assert_eq!(bytes(""), Some(5000));
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(bytes("0::/a/b\n"), None);
    }

    #[test]
    fn what_no_machine_holds_and_what_this_one_lacks() {
        assert_eq!(check_copies("it", 1 << 20, 10), Ok(()));
        let absurd = check_copies("it", 1 << 48, 5).unwrap_err();
        assert!(matches!(absurd, Error::TooLarge { .. }), "{absurd}");
        if Room::now().bytes < 1 << 46 {
            let lacking = check_copies("it", 1 << 48, 4).unwrap_err();
            assert!(matches!(lacking, Error::Memory { .. }), "{lacking}");
            assert!(
                lacking.to_string().contains("out of memory: it needs"),
                "{lacking}"
            );
        }
    }
}
