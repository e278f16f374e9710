//! Modules, kernels and typed launches.

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{Backend, Core, Device, DevicePtr};
#[cfg(feature = "cuda")]
use super::{driver, executor};
use crate::error::{Error, Result};
#[cfg(test)]
use crate::limbs::{self, cuda::Shape};
#[cfg(test)]
use crate::model::{self, Tuning};
#[cfg(test)]
use crate::{batch, factor, gcd, modp, mul, ntt, poly, radix, sort};

/// One folder's kernels: a name and the text of its `.cu` file.
#[derive(Debug)]
pub(crate) struct Source {
    pub name: &'static str,
    pub text: &'static str,
}

/// The `-D` values that a source is compiled with under a tuning.
#[cfg(test)]
pub(crate) type Defines = fn(&Tuning) -> Vec<(&'static str, i64)>;

/// Every kernel source with its `-D` values, for the check that all of them compile: one line per folder.
#[cfg(test)]
pub(crate) fn all_sources() -> Vec<(&'static Source, Defines)> {
    let linear: Defines = |tuning| Shape::of(tuning).defines().to_vec();
    let mut all: Vec<(&'static Source, Defines)> = vec![
        (&limbs::cuda::ADD, linear),
        (&limbs::cuda::MAP, linear),
        (&limbs::cuda::REDUCE, linear),
        (&ntt::cuda::COLUMNS, ntt::cuda::column_examples),
        (&ntt::cuda::ROWS, ntt::cuda::row_examples::<0>),
        (&ntt::cuda::ROWS, ntt::cuda::row_examples::<1>),
        (&ntt::cuda::ROWS, ntt::cuda::row_examples::<2>),
        (&ntt::cuda::ROWS, ntt::cuda::row_examples::<3>),
        (&ntt::cuda::ROWS, ntt::cuda::row_examples::<4>),
        (&ntt::cuda::ROWS, ntt::cuda::row_examples::<5>),
        (&ntt::cuda::ROWS, ntt::cuda::row_examples::<6>),
        (&ntt::cuda::SPLIT, ntt::cuda::split_examples),
        (&mul::cuda::RELEASE, |tuning| {
            mul::cuda::defines(tuning, false).to_vec()
        }),
        (&mul::cuda::RELEASE, |tuning| {
            mul::cuda::defines(tuning, true).to_vec()
        }),
        (&gcd::lattice::cuda::LATTICE, |tuning| {
            gcd::lattice::cuda::defines(tuning).to_vec()
        }),
        (&modp::cuda::RESIDUES, |tuning| {
            modp::cuda::defines(tuning).to_vec()
        }),
        (&gcd::weber::REDUCE, gcd::weber::examples::<1>),
        (&gcd::weber::REDUCE, gcd::weber::examples::<32>),
        (&sort::cuda::ONESWEEP, |tuning| {
            sort::plan::examples(tuning, 4, 0, 8)
        }),
        (&sort::cuda::ONESWEEP, |tuning| {
            sort::plan::examples(tuning, 8, 4, 5)
        }),
        (&sort::cuda::PLAIN, |tuning| {
            sort::plan::examples(tuning, 8, 8, 3)
        }),
        (&radix::cuda::DIGITS, |tuning| {
            radix::cuda::defines(tuning).to_vec()
        }),
        (&factor::cuda::MASS, |tuning| {
            factor::cuda::defines(tuning, 1).to_vec()
        }),
        (&factor::cuda::MASS, |tuning| {
            factor::cuda::defines(tuning, 2).to_vec()
        }),
        (&factor::published::cuda::RUNNERS, |_| {
            factor::published::cuda::defines(1).to_vec()
        }),
        (&factor::published::cuda::RUNNERS, |_| {
            factor::published::cuda::defines(32).to_vec()
        }),
        (&factor::ecm::cuda::CHAIN, |tuning| {
            factor::ecm::cuda::chain_defines(tuning, 4).to_vec()
        }),
        (&factor::ecm::cuda::CHAIN, |tuning| {
            factor::ecm::cuda::chain_defines(tuning, 8).to_vec()
        }),
        (&factor::ecm::cuda::POINTS, |tuning| {
            factor::ecm::cuda::points_defines(tuning, 8).to_vec()
        }),
        (&model::probe::cuda::PROBE, |_| Vec::new()),
    ];
    all.extend(poly::sources());
    all.extend(batch::arith::cuda::sources());
    all
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

impl Launch {
    /// An ordinary launch without dynamic shared memory.
    pub(crate) fn of(grid: u32, block: u32) -> Launch {
        Launch {
            grid,
            block,
            shared_bytes: 0,
            cooperative: false,
        }
    }
}

/// A compiled module of a device.
pub(crate) struct Module {
    core: Arc<Core>,
    name: &'static str,
    code: Code,
    kernels: RwLock<Vec<(Box<str>, Kernel)>>,
}

/// A module in the form its backend loads it.
pub(super) enum Code {
    #[cfg(feature = "cuda")]
    Driver(driver::Code),
    #[cfg(feature = "cuda")]
    Executor(executor::Code),
}

/// A kernel of a module.
#[derive(Clone)]
pub(crate) struct Kernel {
    core: Arc<Core>,
    entry: Arc<Entry>,
}

struct Entry {
    name: Box<str>,
    function: Function,
    /// Most threads a block of it may have.
    max_block: u32,
    /// Most shared memory a launch may add to what the kernel declares.
    max_shared: u32,
    /// Resident blocks by block size and shared bytes; a kernel is launched with few shapes.
    resident: Mutex<Vec<((u32, u32), u32)>>,
}

/// A kernel in the form its backend launches it.
pub(super) enum Function {
    #[cfg(feature = "cuda")]
    Driver(driver::Function),
    #[cfg(feature = "cuda")]
    Executor(executor::Function),
}

/// The same call on whichever backend's code or function it is.
macro_rules! on_kind {
    ($kind:ident, $value:expr, $side:ident => $call:expr) => {
        match $value {
            #[cfg(feature = "cuda")]
            $kind::Driver(ref $side) => $call,
            #[cfg(feature = "cuda")]
            $kind::Executor(ref $side) => $call,
        }
    };
}

/// An entry of a device's table of modules.
pub(super) struct Compiled {
    source: &'static str,
    defines: Vec<(String, i64)>,
    module: Arc<Module>,
}

impl Device {
    /// The module compiled with these `-D` values; compiled once per process, cached on disk.
    pub(crate) fn module(
        self: &Arc<Self>,
        source: &'static Source,
        defines: &[(&str, i64)],
    ) -> Result<Arc<Module>> {
        let find = || {
            let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
            let found = modules.iter().find(|m| {
                m.source == source.name
                    && m.defines.len() == defines.len()
                    && m.defines
                        .iter()
                        .zip(defines)
                        .all(|(a, b)| a.0 == b.0 && a.1 == b.1)
            });
            found.map(|m| m.module.clone())
        };
        if let Some(module) = find() {
            return Ok(module);
        }
        let _compiling = self
            .compiling
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = find() {
            return Ok(module);
        }
        let code = match self.core.backend {
            #[cfg(feature = "cuda")]
            Backend::Driver(ref driver) => Code::Driver(driver.load(source, defines)?),
            #[cfg(feature = "cuda")]
            Backend::Executor(ref executor) => Code::Executor(executor.load(source, defines)?),
        };
        let module = Arc::new(Module {
            core: self.core.clone(),
            name: source.name,
            code,
            kernels: RwLock::default(),
        });
        self.modules
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Compiled {
                source: source.name,
                defines: defines
                    .iter()
                    .map(|(name, value)| (name.to_string(), *value))
                    .collect(),
                module: module.clone(),
            });
        Ok(module)
    }
}

impl Module {
    /// The kernel of this name.
    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel> {
        let kernels = self.kernels.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kernel)) = kernels.iter().find(|(known, _)| **known == *name) {
            return Ok(kernel.clone());
        }
        drop(kernels);
        let missing = |reason: String| Error::Device {
            call: "kernel lookup",
            reason: format!("{name} in module {}: {reason}", self.name),
        };
        let symbol = std::ffi::CString::new(name).map_err(|e| missing(e.to_string()))?;
        let (function, max_block, max_shared) = match self.code {
            #[cfg(feature = "cuda")]
            Code::Driver(ref code) => {
                let function = code.function(&symbol).map_err(|e| missing(e.to_string()))?;
                let (max_block, max_shared) = (function.max_block, function.max_shared);
                (Function::Driver(function), max_block, max_shared)
            }
            #[cfg(feature = "cuda")]
            Code::Executor(ref code) => {
                let function = code.function(symbol);
                (
                    Function::Executor(function),
                    executor::MAX_BLOCK,
                    executor::MAX_SHARED,
                )
            }
        };
        let kernel = Kernel {
            core: self.core.clone(),
            entry: Arc::new(Entry {
                name: name.into(),
                function,
                max_block,
                max_shared,
                resident: Mutex::default(),
            }),
        };
        let mut kernels = self.kernels.write().unwrap_or_else(PoisonError::into_inner);
        kernels.push((name.into(), kernel.clone()));
        Ok(kernel)
    }
}

impl Kernel {
    /// Most blocks of this shape that are resident on the whole device at once; at least one.
    pub(crate) fn resident_blocks(&self, block: u32, shared_bytes: u32) -> Result<u32> {
        self.check(block, shared_bytes)?;
        let shape = (block, shared_bytes);
        let mut known = self
            .entry
            .resident
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, blocks)) = known.iter().find(|(other, _)| *other == shape) {
            return Ok(*blocks);
        }
        let function = &self.entry.function;
        let blocks: Result<u32> =
            on_kind!(Function, *function, f => f.resident_blocks(block, shared_bytes));
        let blocks = blocks?;
        if blocks == 0 {
            return Err(self.refused(format!(
                "no block of {block} threads with {shared_bytes} bytes of shared memory fits on a multiprocessor"
            )));
        }
        known.push((shape, blocks));
        Ok(blocks)
    }

    /// Queues the kernel on the device's stream.
    ///
    /// # Safety
    /// The arguments must be those the kernel declares, in order, and every pointer must cover what
    /// the kernel touches.
    pub(crate) unsafe fn launch(&self, shape: Launch, args: impl KernelArgs) -> Result<()> {
        self.check(shape.block, shape.shared_bytes)?;
        if shape.grid == 0 || shape.grid > i32::MAX as u32 {
            return Err(self.refused(format!("a grid of {} blocks", shape.grid)));
        }
        if shape.cooperative {
            let resident = self.resident_blocks(shape.block, shape.shared_bytes)?;
            if shape.grid > resident {
                return Err(self.refused(format!(
                    "a cooperative grid of {} blocks where {resident} are resident",
                    shape.grid
                )));
            }
        }
        let function = &self.entry.function;
        // SAFETY: the shape was checked above; the caller vouches for the arguments, whose addresses
        // are valid during the call, and both backends read them before it returns.
        let done: Result<()> = args.with_addresses(|addresses| unsafe {
            on_kind!(Function, *function, f => f.launch(shape, addresses))
        });
        done?;
        self.core.counters.launches.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn check(&self, block: u32, shared_bytes: u32) -> Result<()> {
        let Entry {
            max_block,
            max_shared,
            ..
        } = *self.entry;
        if block == 0 || block > max_block {
            return Err(self.refused(format!("a block of {block} threads, {max_block} at most")));
        }
        if shared_bytes > max_shared {
            return Err(self.refused(format!(
                "{shared_bytes} bytes of shared memory, {max_shared} at most"
            )));
        }
        Ok(())
    }

    fn refused(&self, reason: String) -> Error {
        Error::Device {
            call: "launch",
            reason: format!("{}: {reason}", self.entry.name),
        }
    }
}

/// A value that a kernel takes: one of the plain integer types, f64, or a device pointer.
pub(crate) trait KernelArg {
    /// What the kernel sees.
    type Raw: Copy;
    fn raw(self) -> Self::Raw;
}

macro_rules! plain_args {
    ($($plain:ty),*) => {$(
        impl KernelArg for $plain {
            type Raw = $plain;
            fn raw(self) -> $plain {
                self
            }
        }
    )*};
}
plain_args!(u32, i32, u64, i64, f64);

/// Seen as `u64`.
impl KernelArg for usize {
    type Raw = u64;
    fn raw(self) -> u64 {
        self as u64
    }
}

impl KernelArg for DevicePtr {
    type Raw = u64;
    fn raw(self) -> u64 {
        self.0
    }
}

/// A tuple of up to sixteen [`KernelArg`]s.
pub(crate) trait KernelArgs {
    /// Calls `launch` with the address of each argument.
    fn with_addresses<T>(self, launch: impl FnOnce(&mut [*mut c_void]) -> T) -> T;
}

macro_rules! tuples {
    () => {};
    ($first:ident $($rest:ident)*) => {
        #[allow(non_snake_case)]
        impl<$first: KernelArg, $($rest: KernelArg),*> KernelArgs for ($first, $($rest,)*) {
            fn with_addresses<T>(self, launch: impl FnOnce(&mut [*mut c_void]) -> T) -> T {
                let ($first, $($rest,)*) = self;
                let ($first, $($rest,)*) = ($first.raw(), $($rest.raw(),)*);
                launch(&mut [
                    (&raw const $first).cast_mut().cast(),
                    $((&raw const $rest).cast_mut().cast(),)*
                ])
            }
        }
        tuples!($($rest)*);
    };
}
tuples!(A B C D E F G H I J K L M N O P);
