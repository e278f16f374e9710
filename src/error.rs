//! The error type of the crate. An error about bad input states the position and the reason. An
//! error about a missing part of the machine states how to get it.

/// The result of every fallible operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Text that is not a number; `position` counts bytes from the start of the text.
    #[error("not a number at position {position}: {reason}")]
    Parse {
        /// Byte offset of the first character that does not fit.
        position: usize,
        /// The unusable or missing item.
        reason: String,
    },
    /// A radix outside 2 to 36.
    #[error("radix {0} is out of range: it must be between 2 and 36")]
    Radix(u32),
    /// Bytes that are not the serialised form they claim to be.
    #[error("malformed {format}: {reason}")]
    Format {
        /// The format that was expected.
        format: &'static str,
        /// The reason.
        reason: String,
    },
    /// An argument outside an operation's domain.
    #[error("{0}")]
    Domain(String),
    /// Division or remainder by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A modulus that has to be prime and is not.
    #[error("modulus {modulus} is not prime: {factor} divides it")]
    NotPrime {
        /// The composite number.
        modulus: u64,
        /// Its least prime factor.
        factor: u64,
    },
    /// Text that is not a polynomial.
    #[error("not a polynomial at line {line}, position {position}: {reason}")]
    Polynomial {
        /// The line, from 1 on.
        line: usize,
        /// The character in that line, from 1 on.
        position: usize,
        /// The unusable or missing item.
        reason: String,
    },
    /// A result that cannot fit in the memory of any machine, or of a device.
    #[error(
        "{what} would need {} bits, more than fits in memory ({limit} bits)",
        saturated(*bits)
    )]
    TooLarge {
        /// The operation.
        what: &'static str,
        /// Bits the result would need (saturated).
        bits: u64,
        /// Maximum bits of a value.
        limit: u64,
    },
    /// A result that needs more host memory than this process may still use.
    #[error(
        "out of memory: {what} needs about {} MiB, and {} MiB are left ({limit})",
        needed.div_ceil(1 << 20),
        available >> 20
    )]
    Memory {
        /// The operation.
        what: &'static str,
        /// Bytes that it needs, working space included.
        needed: u64,
        /// Bytes that this process may still use.
        available: u64,
        /// The limit that is in effect, such as `ulimit -v`.
        limit: &'static str,
    },
    /// No usable CUDA device. The text states what is missing and how to get it.
    #[error("no CUDA device: {0}")]
    NoDevice(String),
    /// The operation has no implementation on the engine that was forced.
    #[error("{operation} does not run on engine {engine}: use engine auto or cpu")]
    Unsupported {
        /// The operation.
        operation: &'static str,
        /// The forced engine.
        engine: String,
    },
    /// The device has too little memory, even after idle copies were moved to the host.
    #[error(
        "out of device memory: {needed} bytes needed, {available} of {limit} available; \
         raise BEZOUT_DEVICE_MEMORY or use engine cpu"
    )]
    DeviceMemory {
        /// Bytes asked for.
        needed: u64,
        /// Bytes free under the limit once everything idle was evicted.
        available: u64,
        /// The limit in force.
        limit: u64,
    },
    /// A kernel did not compile; the text is the compiler's log.
    #[error("kernel module {module} does not compile:\n{log}")]
    Compile {
        /// The kernel module.
        module: String,
        /// The compiler's words.
        log: String,
    },
    /// A CUDA call or a kernel failed. Values on that device are lost; host copies are not.
    #[error("CUDA failed in {call}: {reason}")]
    Device {
        /// The call that reported it.
        call: &'static str,
        /// The driver's name for it.
        reason: String,
    },
    /// A value without a host copy was on a lost device. Values with a host copy remain.
    #[error("a value of {limbs} limbs that lay on {device} alone is gone: {reason}")]
    Lost {
        /// Its length on the device, in limbs of 64 bits.
        limbs: usize,
        /// The device.
        device: String,
        /// The error of the device.
        reason: String,
    },
    /// Ranks that do not match, or the error of another rank.
    #[error("{0}")]
    Cluster(String),
    /// The observer of [`crate::progress`] asked for the work to stop. All values are as they were.
    #[error("cancelled")]
    Cancelled,
    /// A result that its independent check refutes.
    #[error("verification failed: {0}")]
    Verification(String),
}

/// The text of a count that may be saturated: for the largest value only a lower bound is known.
fn saturated(count: u64) -> String {
    match count {
        u64::MAX => "at least 2^64 - 1".to_string(),
        _ => count.to_string(),
    }
}
