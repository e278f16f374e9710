//! The properties of a device, available before any work runs on it.

/// The ordinal of the executor: the kernels' own sources compiled for the host CPU. It is for tests
/// and for debugging kernels under sanitizers, never chosen by `Auto`, and written `cuda:executor`.
pub const EXECUTOR: u32 = u32::MAX;

/// The properties of a device.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its number; [`EXECUTOR`] for the executor.
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
    /// Maximum shared memory that one block can request, in bytes.
    pub shared_bytes_per_block: u32,
    /// Newest CUDA version the driver serves (12080 means 12.8); 0 for the executor.
    pub driver_cuda: u32,
}
