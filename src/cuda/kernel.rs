//! Modules, kernels and typed launches.

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{Backend, Core, Device, DevicePtr};
#[cfg(feature = "cuda")]
use super::{driver, executor};
use crate::error::{Error, Result};
use crate::threads;

/// One folder's kernels: a name, the kernels' own, and the text of its `.cu` file.
#[derive(Debug)]
pub(crate) struct Source {
    pub name: &'static str,
    pub kernels: &'static [&'static str],
    pub text: &'static str,
}

/// Kernels of a source with the `-D` values that they are compiled with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    pub(crate) source: &'static Source,
    pub(crate) defines: Vec<(&'static str, i64)>,
    pub(crate) kernels: Vec<&'static str>,
}

impl Unit {
    /// All kernels of the source.
    pub(crate) fn new(source: &'static Source, defines: &[(&'static str, i64)]) -> Unit {
        Unit {
            source,
            defines: defines.to_vec(),
            kernels: source.kernels.to_vec(),
        }
    }

    /// Only these of its kernels.
    pub(crate) fn only(mut self, kernels: &[&'static str]) -> Unit {
        self.kernels = kernels.to_vec();
        self
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.name == other.name
    }
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

/// A source with its `-D` values on a device. The driver's kernels are compiled one by one, when they are first asked for;
/// the executor's all at once.
pub(crate) struct Module {
    core: Arc<Core>,
    source: &'static Source,
    defines: Vec<(String, i64)>,
    /// Locked while it is compiled.
    #[cfg(feature = "cuda")]
    executor: Mutex<Option<executor::Code>>,
    kernels: RwLock<Vec<Loaded>>,
}

/// A kernel's name, and the kernel once it is loaded; locked while it is compiled.
type Loaded = (Box<str>, Arc<Mutex<Option<Kernel>>>);

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

impl Device {
    /// The module with these `-D` values; there is one of it in a process.
    pub(crate) fn module(
        self: &Arc<Self>,
        source: &'static Source,
        defines: &[(&str, i64)],
    ) -> Result<Arc<Module>> {
        let module = self.known(source, defines).unwrap_or_else(|| {
            let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
            let known = modules.iter().find(|module| module.is(source, defines));
            known.cloned().unwrap_or_else(|| {
                modules.push(Arc::new(Module {
                    core: self.core.clone(),
                    source,
                    defines: (defines.iter())
                        .map(|(name, value)| (name.to_string(), *value))
                        .collect(),
                    #[cfg(feature = "cuda")]
                    executor: Mutex::default(),
                    kernels: RwLock::default(),
                }));
                modules[modules.len() - 1].clone()
            })
        });
        #[cfg(feature = "cuda")]
        if let Backend::Executor(ref executor) = self.core.backend {
            let code = &module.executor;
            let mut code = code.lock().unwrap_or_else(PoisonError::into_inner);
            if code.is_none() {
                *code = Some(executor.load(source, defines)?);
            }
        }
        Ok(module)
    }

    /// The module with these `-D` values, if someone has asked for it before.
    fn known(&self, source: &Source, defines: &[(&str, i64)]) -> Option<Arc<Module>> {
        let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        let known = modules.iter().find(|module| module.is(source, defines));
        known.cloned()
    }

    /// Loads these kernels, compiling side by side what is not cached: for work that will ask for them one by one. On the
    /// executor nothing: its modules take too long to compile one that is not used.
    pub(crate) fn prepare(self: &Arc<Self>, units: &[Unit]) -> Result<()> {
        #[cfg(feature = "cuda")]
        if let Backend::Executor(_) = self.core.backend {
            return Ok(());
        }
        let mut new: Vec<(&Unit, &str)> = Vec::new();
        for unit in units {
            let known = self.known(unit.source, &unit.defines);
            let is_new = |name: &&&str| !known.as_ref().is_some_and(|known| known.has(name));
            let kernels = unit.kernels.iter().filter(is_new);
            new.extend(kernels.map(|name| (unit, *name)));
        }
        let load = |i: usize| {
            let (unit, name) = new[i];
            let module = self.module(unit.source, &unit.defines)?;
            module.kernel(name).map(drop)
        };
        threads::map(new.len(), 1, load).into_iter().collect()
    }
}

impl Module {
    fn is(&self, source: &Source, defines: &[(&str, i64)]) -> bool {
        self.source == source
            && self.defines.len() == defines.len()
            && (self.defines.iter().zip(defines)).all(|(a, b)| a.0 == b.0 && a.1 == b.1)
    }

    /// Whether someone has asked for this kernel before.
    fn has(&self, name: &str) -> bool {
        let places = self.kernels.read().unwrap_or_else(PoisonError::into_inner);
        places.iter().any(|(known, _)| **known == *name)
    }

    /// The kernel of this name; compiled once per process, cached on disk.
    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel> {
        debug_assert!(
            self.source.kernels.contains(&name),
            "{name} is not declared"
        );
        let find = |places: &[Loaded]| {
            let found = places.iter().find(|(known, _)| **known == *name);
            found.map(|(_, place)| place.clone())
        };
        let known = find(&self.kernels.read().unwrap_or_else(PoisonError::into_inner));
        let place = known.unwrap_or_else(|| {
            let mut places = self.kernels.write().unwrap_or_else(PoisonError::into_inner);
            find(&places).unwrap_or_else(|| {
                places.push((name.into(), Arc::default()));
                places[places.len() - 1].1.clone()
            })
        });
        // Locked while it is compiled: no kernel is compiled twice, and different ones side by side.
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = &*place {
            return Ok(kernel.clone());
        }
        let kernel = self.load(name)?;
        *place = Some(kernel.clone());
        Ok(kernel)
    }

    fn load(&self, name: &str) -> Result<Kernel> {
        let missing = |reason: String| Error::Device {
            call: "kernel lookup",
            reason: format!("{name} in module {}: {reason}", self.source.name),
        };
        let symbol = std::ffi::CString::new(name).map_err(|e| missing(e.to_string()))?;
        let (function, max_block, max_shared) = match self.core.backend {
            #[cfg(feature = "cuda")]
            Backend::Driver(ref driver) => {
                let code = driver.load(self.source, &self.defines, name)?;
                let function = code.function(&symbol).map_err(|e| missing(e.to_string()))?;
                let (max_block, max_shared) = (function.max_block, function.max_shared);
                (Function::Driver(function), max_block, max_shared)
            }
            #[cfg(feature = "cuda")]
            Backend::Executor(_) => {
                let code = &self.executor;
                let code = code.lock().unwrap_or_else(PoisonError::into_inner);
                let code = code.as_ref();
                let code = code.ok_or_else(|| missing("it was not compiled".into()))?;
                (
                    Function::Executor(code.function(symbol)),
                    executor::MAX_BLOCK,
                    executor::MAX_SHARED,
                )
            }
        };
        Ok(Kernel {
            core: self.core.clone(),
            entry: Arc::new(Entry {
                name: name.into(),
                function,
                max_block,
                max_shared,
                resident: Mutex::default(),
            }),
        })
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
