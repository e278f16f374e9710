//! Modules and kernels, and what every launch checks.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::declare::{Declaration, Declared, Handle, Source};
use super::{Backend, Core, Device};
#[cfg(feature = "cuda")]
use super::{driver, executor};
use crate::error::{Error, Result};
use crate::threads;

/// Kernels of a source with the `-D` values that they are compiled with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    pub(crate) source: &'static Source,
    pub(crate) defines: Vec<(&'static str, i64)>,
    pub(crate) kernels: Vec<&'static Declaration>,
}

impl Unit {
    /// All kernels of the source.
    pub(crate) fn new(source: &'static Source, defines: &[(&'static str, i64)]) -> Unit {
        Unit {
            source,
            defines: defines.to_vec(),
            kernels: source.kernels.iter().collect(),
        }
    }

    /// Only these of its kernels.
    pub(crate) fn only(mut self, kernels: &[&'static Declaration]) -> Unit {
        self.kernels = kernels.to_vec();
        self
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
    /// More first-level cache and less shared memory, where the device has one memory for both.
    pub prefers_l1: bool,
}

impl Launch {
    /// An ordinary launch without dynamic shared memory.
    pub(crate) fn of(grid: u32, block: u32) -> Launch {
        Launch {
            grid,
            block,
            shared_bytes: 0,
            cooperative: false,
            prefers_l1: false,
        }
    }
}

/// A source with its `-D` values on a device. The driver's kernels are compiled one by one, when
/// they are first asked for; the executor's all at once.
pub(crate) struct Module {
    core: Arc<Core>,
    source: &'static Source,
    defines: Vec<(String, i64)>,
    /// Locked while it is compiled.
    #[cfg(feature = "cuda")]
    executor: Mutex<Option<executor::Code>>,
    /// By their numbers in the source.
    kernels: Box<[LoadedKernel]>,
}

/// A kernel once it is loaded.
#[derive(Default)]
pub(super) struct LoadedKernel {
    loaded: OnceLock<Arc<Entry>>,
    /// Held while it is compiled. No kernel is compiled twice; different ones are compiled side by
    /// side.
    loading: Mutex<()>,
    /// Whether it was seen in a pack or in the cache.
    is_at_hand: AtomicBool,
    /// What `later.rs` does about it.
    pub(super) later: AtomicU8,
}

/// A kernel of a module, of the parameters that `K` declares.
pub(crate) struct Kernel<K> {
    entry: Arc<Entry>,
    kind: PhantomData<K>,
}

struct Entry {
    core: Arc<Core>,
    name: &'static str,
    parameters: &'static [Declared],
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

/// Evaluates `$call` with `$side` bound to what `$value`, of the enum `$kind`, holds for its
/// backend, whichever of the two that is.
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
        let module = self.entry_of(source, defines);
        module.build()?;
        Ok(module)
    }

    /// The module with these `-D` values, of which nothing may be compiled.
    pub(super) fn entry_of(&self, source: &'static Source, defines: &[(&str, i64)]) -> Arc<Module> {
        let find = |modules: &[Arc<Module>]| {
            let found = modules.iter().find(|module| module.is(source, defines));
            found.cloned()
        };
        let known = find(&self.modules.read().unwrap_or_else(PoisonError::into_inner));
        known.unwrap_or_else(|| {
            let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
            find(&modules).unwrap_or_else(|| {
                let module = Arc::new(Module::new(&self.core, source, defines));
                modules.push(module.clone());
                module
            })
        })
    }

    /// A kernel with these `-D` values.
    pub(crate) fn kernel<K: Handle>(
        self: &Arc<Self>,
        handle: K,
        defines: &[(&str, i64)],
    ) -> Result<Kernel<K>> {
        self.module(K::source(), defines)?.kernel(handle)
    }

    /// Loads these kernels, compiling side by side what is not cached: for work that will ask for
    /// them one by one. On the executor nothing: its modules take too long to compile one that is
    /// not used.
    pub(crate) fn prepare(self: &Arc<Self>, units: &[Unit]) -> Result<()> {
        #[cfg(feature = "cuda")]
        if let Backend::Executor(_) = self.core.backend {
            return Ok(());
        }
        let mut wanted: Vec<(Arc<Module>, &Declaration)> = Vec::new();
        for unit in units {
            let module = self.module(unit.source, &unit.defines)?;
            wanted.extend(unit.kernels.iter().map(|kernel| (module.clone(), *kernel)));
        }
        let wanted: Vec<_> = (wanted.iter())
            .map(|(module, kernel)| (&**module, *kernel))
            .collect();
        load_together(&wanted)
    }
}

/// Loads these kernels, compiling side by side what is not cached.
pub(crate) fn load_together(kernels: &[(&Module, &Declaration)]) -> Result<()> {
    let is_new = |&(module, kernel): &(&Module, &Declaration)| !module.has(kernel);
    if !kernels.iter().any(is_new) {
        return Ok(());
    }
    let new: Vec<_> = kernels.iter().copied().filter(is_new).collect();
    let load = |i: usize| {
        let (module, kernel) = new[i];
        module.entry(module.place_of(kernel)).map(drop)
    };
    threads::map(new.len(), 1, load).into_iter().collect()
}

impl Module {
    fn new(core: &Arc<Core>, source: &'static Source, defines: &[(&str, i64)]) -> Module {
        Module {
            core: core.clone(),
            source,
            defines: (defines.iter())
                .map(|(name, value)| (name.to_string(), *value))
                .collect(),
            #[cfg(feature = "cuda")]
            executor: Mutex::default(),
            kernels: source
                .kernels
                .iter()
                .map(|_| LoadedKernel::default())
                .collect(),
        }
    }

    fn is(&self, source: &Source, defines: &[(&str, i64)]) -> bool {
        self.source == source
            && self.defines.len() == defines.len()
            && (self.defines.iter().zip(defines)).all(|(a, b)| a.0 == b.0 && a.1 == b.1)
    }

    /// The number of a kernel of this module's source.
    pub(super) fn place_of(&self, kernel: &Declaration) -> usize {
        let place = self
            .source
            .kernels
            .iter()
            .position(|k| k.name == kernel.name);
        place.expect("a kernel of the module's source")
    }

    /// Compiles it for the executor, whose modules are compiled as a whole.
    fn build(&self) -> Result<()> {
        #[cfg(feature = "cuda")]
        if let Backend::Executor(ref executor) = self.core.backend {
            let mut code = self.executor.lock().unwrap_or_else(PoisonError::into_inner);
            if code.is_none() {
                let defines: Vec<_> = (self.defines.iter())
                    .map(|(name, value)| (name.as_str(), *value))
                    .collect();
                *code = Some(executor.load(self.source, &defines)?);
            }
        }
        Ok(())
    }

    /// A kernel by its number.
    pub(super) fn kernel_at(&self, place: usize) -> &LoadedKernel {
        &self.kernels[place]
    }

    /// The name of a kernel by its number.
    pub(super) fn name_at(&self, place: usize) -> &'static str {
        self.source.kernels[place].name
    }

    /// Compiles what is missing of a kernel and loads it.
    pub(super) fn make_ready(&self, place: usize) -> Result<()> {
        self.build()?;
        self.entry(place).map(drop)
    }

    /// Whether a kernel is loaded, or can be without being compiled.
    pub(super) fn is_ready(&self, place: usize) -> bool {
        let kernel = &self.kernels[place];
        if kernel.loaded.get().is_some() || kernel.is_at_hand.load(Ordering::Relaxed) {
            return true;
        }
        let is_at_hand = match self.core.backend {
            #[cfg(feature = "cuda")]
            Backend::Driver(ref driver) => {
                driver.has(self.source, &self.defines, self.name_at(place))
            }
            #[cfg(feature = "cuda")]
            Backend::Executor(ref executor) => match self.executor.try_lock() {
                Ok(code) => code.is_some() || executor.has(self.source, &self.defines),
                // It is being compiled, or that has panicked.
                Err(_) => false,
            },
        };
        kernel.is_at_hand.store(is_at_hand, Ordering::Relaxed);
        is_at_hand
    }

    /// Whether this kernel is loaded.
    fn has(&self, kernel: &Declaration) -> bool {
        self.kernels[self.place_of(kernel)].loaded.get().is_some()
    }

    /// A kernel; compiled once per process, cached on disk.
    pub(crate) fn kernel<K: Handle>(&self, handle: K) -> Result<Kernel<K>> {
        assert!(
            std::ptr::eq(self.source, K::source()),
            "{} is not in {}",
            handle.declaration().name,
            self.source.name
        );
        Ok(Kernel {
            entry: self.entry(handle.place())?,
            kind: PhantomData,
        })
    }

    fn entry(&self, place: usize) -> Result<Arc<Entry>> {
        let LoadedKernel {
            loaded, loading, ..
        } = &self.kernels[place];
        if let Some(entry) = loaded.get() {
            return Ok(entry.clone());
        }
        let _loading = loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = loaded.get() {
            return Ok(entry.clone());
        }
        let entry = Arc::new(self.load(&self.source.kernels[place])?);
        Ok(loaded.get_or_init(|| entry).clone())
    }

    fn load(&self, kernel: &'static Declaration) -> Result<Entry> {
        let name = kernel.name;
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
        Ok(Entry {
            core: self.core.clone(),
            name: kernel.name,
            parameters: kernel.parameters,
            function,
            max_block,
            max_shared,
            resident: Mutex::default(),
        })
    }
}

impl<K> Clone for Kernel<K> {
    fn clone(&self) -> Kernel<K> {
        Kernel {
            entry: self.entry.clone(),
            kind: PhantomData,
        }
    }
}

impl<K> Kernel<K> {
    /// Most blocks of this shape that are resident on the whole device at once; at least one.
    pub(crate) fn resident_blocks(&self, block: u32, shared_bytes: u32) -> Result<u32> {
        self.entry.resident_blocks(block, shared_bytes)
    }

    /// What a declared `launch` ends in.
    ///
    /// # Safety
    /// `addresses` are those of the arguments that the kernel declares, in order, and every pointer
    /// covers what the kernel touches.
    pub(crate) unsafe fn queue(&self, shape: Launch, addresses: &mut [*mut c_void]) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.entry.queue(shape, addresses) }
    }
}

impl Entry {
    fn resident_blocks(&self, block: u32, shared_bytes: u32) -> Result<u32> {
        self.check(block, shared_bytes)?;
        let shape = (block, shared_bytes);
        let mut known = (self.resident.lock()).unwrap_or_else(PoisonError::into_inner);
        if let Some((_, blocks)) = known.iter().find(|(other, _)| *other == shape) {
            return Ok(*blocks);
        }
        let function = &self.function;
        let blocks: Result<u32> =
            on_kind!(Function, *function, f => f.resident_blocks(block, shared_bytes));
        let blocks = blocks?;
        if blocks == 0 {
            return Err(self.refused(format!(
                "no block of {block} threads with {shared_bytes} bytes of shared memory fits on a \
                 multiprocessor"
            )));
        }
        known.push((shape, blocks));
        Ok(blocks)
    }

    /// # Safety
    /// As for [`Kernel::queue`].
    unsafe fn queue(&self, shape: Launch, addresses: &mut [*mut c_void]) -> Result<()> {
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
        #[cfg(feature = "cuda")]
        if let Backend::Executor(ref executor) = self.core.backend {
            // SAFETY: the caller's promise.
            unsafe { executor.check_owners(self.name, self.parameters, addresses) };
        }
        let function = &self.function;
        self.core.alive(|_| {
            // SAFETY: the shape was checked above; the caller vouches for the arguments, whose
            // addresses are valid during the call, and both backends read them before it returns.
            unsafe { on_kind!(Function, *function, f => f.launch(shape, addresses)) }
        })?;
        self.core.counters.launches.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn check(&self, block: u32, shared_bytes: u32) -> Result<()> {
        let Entry {
            max_block,
            max_shared,
            ..
        } = *self;
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
            reason: format!("{}: {reason}", self.name),
        }
    }
}
