//! Loaded modules and their kernels. Neither is ever unloaded.

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUfunction_attribute as FunctionAttribute};

use super::super::kernel::Launch;
use super::{Queue, failed};
use crate::error::Result;

/// Shared memory that a block may use without asking.
const PLAIN_SHARED: u32 = 48 * 1024;

/// A loaded module, never unloaded.
pub(in crate::cuda) struct Code {
    pub(super) module: sys::CUmodule,
    pub(super) queue: Queue,
    pub(super) multiprocessors: u32,
    pub(super) shared_bytes_per_block: u32,
}

// SAFETY: the handle means the same on every thread and is never destroyed.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    pub(in crate::cuda) fn function(&self, name: &CStr) -> Result<Function> {
        self.queue.enter()?;
        // SAFETY: the module is loaded and never unloaded.
        let function = unsafe { result::module::get_function(self.module, name.to_owned()) }
            .map_err(|e| failed("cuModuleGetFunction", e))?;
        // SAFETY: the function lives as long as its module.
        let get = |which| match unsafe { result::function::get_function_attribute(function, which) }
        {
            Ok(value) => Ok(value as u32),
            Err(e) => Err(failed("cuFuncGetAttribute", e)),
        };
        let declared = get(FunctionAttribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        Ok(Function {
            function,
            queue: self.queue,
            multiprocessors: self.multiprocessors,
            max_block: get(FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            max_shared: self.shared_bytes_per_block.saturating_sub(declared),
            plain_shared: PLAIN_SHARED.saturating_sub(declared),
            raised: OnceLock::new(),
            prefers_l1: AtomicBool::new(false),
        })
    }
}

/// A kernel of a module that is never unloaded.
pub(in crate::cuda) struct Function {
    function: sys::CUfunction,
    queue: Queue,
    multiprocessors: u32,
    /// Most threads a block of it may have.
    pub(in crate::cuda) max_block: u32,
    /// Most shared memory a launch may add to what the kernel declares.
    pub(in crate::cuda) max_shared: u32,
    /// Shared memory that a launch may add without the limit being raised first.
    plain_shared: u32,
    /// What raising the limit to `max_shared` came to, once it was needed.
    raised: OnceLock<Result<()>>,
    /// Whether the driver was last told that the kernel prefers the first-level cache.
    prefers_l1: AtomicBool,
}

// SAFETY: the handle means the same on every thread and is never destroyed.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// Raises the limit on dynamic shared memory where `bytes` need it.
    fn allow_shared(&self, bytes: u32) -> Result<()> {
        if bytes <= self.plain_shared {
            return Ok(());
        }
        let raise = || {
            let which = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            let most = self.max_shared as i32;
            // SAFETY: the function lives as long as the process.
            unsafe { result::function::set_function_attribute(self.function, which, most) }
                .map_err(|e| failed("cuFuncSetAttribute", e))
        };
        self.raised.get_or_init(raise).clone()
    }

    /// Tells the driver what the launch prefers, where the last one preferred something else. A
    /// hint: which of two threads that launch at once is heard changes times alone.
    fn prefer(&self, l1: bool) -> Result<()> {
        if self.prefers_l1.swap(l1, Ordering::Relaxed) == l1 {
            return Ok(());
        }
        let config = if l1 {
            sys::CUfunc_cache_enum::CU_FUNC_CACHE_PREFER_L1
        } else {
            sys::CUfunc_cache_enum::CU_FUNC_CACHE_PREFER_NONE
        };
        // SAFETY: the function lives as long as the process.
        unsafe { result::function::set_function_cache_config(self.function, config) }
            .map_err(|e| failed("cuFuncSetCacheConfig", e))
    }

    pub(in crate::cuda) fn resident_blocks(&self, block: u32, shared_bytes: u32) -> Result<u32> {
        self.queue.enter()?;
        self.allow_shared(shared_bytes)?;
        // SAFETY: the function lives as long as the process.
        let per_multiprocessor = unsafe {
            result::occupancy::max_active_block_per_multiprocessor(
                self.function,
                block as c_int,
                shared_bytes as usize,
            )
        }
        .map_err(|e| failed("cuOccupancyMaxActiveBlocksPerMultiprocessor", e))?;
        Ok(per_multiprocessor as u32 * self.multiprocessors)
    }

    /// # Safety
    /// `addresses` are those of the arguments the kernel declares, whose pointers cover what it
    /// touches.
    pub(in crate::cuda) unsafe fn launch(
        &self,
        shape: Launch,
        addresses: &mut [*mut c_void],
    ) -> Result<()> {
        self.queue.enter()?;
        self.allow_shared(shape.shared_bytes)?;
        self.prefer(shape.prefers_l1)?;
        let Launch {
            grid,
            block,
            shared_bytes,
            cooperative,
            ..
        } = shape;
        let stream = self.queue.stream;
        // SAFETY: function and stream live as long as the process; the caller vouches for the
        // arguments, which the driver copies during the call.
        let launched = unsafe {
            if cooperative {
                result::launch_cooperative_kernel(
                    self.function,
                    (grid, 1, 1),
                    (block, 1, 1),
                    shared_bytes,
                    stream,
                    addresses,
                )
            } else {
                result::launch_kernel(
                    self.function,
                    (grid, 1, 1),
                    (block, 1, 1),
                    shared_bytes,
                    stream,
                    addresses,
                )
            }
        };
        launched.map_err(|e| failed("cuLaunchKernel", e))
    }
}
