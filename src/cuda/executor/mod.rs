//! The executor: kernel sources compiled by the host's C++ compiler and run on the CPU, so that
//! every kernel can be tested, and checked by sanitizers, where there is no GPU.
//!
//! The text compiled is `executor/*.hpp` (threads, blocks, shared memory and the rest of the
//! machine), the prelude that NVRTC gets too, and the folder's `.cu`. The library it becomes has
//! one entry, `bezout_executor_launch`. Device memory is the host's heap, filled with a pattern at
//! allocation so that reading what was never written shows, and so that the address sanitizer sees
//! overruns. `BEZOUT_EXECUTOR_FLAGS` adds flags to the compiler's.

mod owners;

use std::alloc::Layout;
use std::ffi::{CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::io::Write;
use std::mem::MaybeUninit;
use std::path::Path;
use std::process::{Command, Stdio};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use libloading::Library;

use super::cache::{Cache, Key};
use super::declare::{Access, Declared, Source};
use super::kernel::Launch;
use super::mapped::{Mapping, zeroed};
use super::{DeviceInfo, DevicePtr, loader_words};
use crate::cache::PrivateFolder;
use crate::device::EXECUTOR;
use crate::error::{Error, Result};
use crate::{background, environment, variables};
pub(super) use owners::Owners;

const RUNTIME: &str = concat!(
    "#line 1 \"executor/fibers.hpp\"\n",
    include_str!("fibers.hpp"),
    "#line 1 \"executor/threads.hpp\"\n",
    include_str!("threads.hpp"),
    "#line 1 \"executor/scheduler.hpp\"\n",
    include_str!("scheduler.hpp"),
    "#line 1 \"executor/names.hpp\"\n",
    include_str!("names.hpp"),
);
const PRELUDE: &str = include_str!("../device.cuh");

/// Most threads of a block, as on every CUDA device.
pub(super) const MAX_BLOCK: u32 = 1024;
/// Most dynamic shared memory of a block: what compute capability 9.0 gives.
pub(super) const MAX_SHARED: u32 = 227 * 1024;

const MULTIPROCESSORS: u32 = 2;
/// Alignment of device memory, CUDA's own.
const ALIGNMENT: usize = 256;
/// Fills fresh memory: no kernel can take it for a result.
const UNWRITTEN: u8 = 0xA5;

#[derive(Clone)]
pub(super) struct Executor {
    compiler: String,
    /// The compiler's account of itself: part of the cache's key.
    compiler_version: String,
    flags: Vec<String>,
    /// The stream that this one is, and the memory of all.
    stream: usize,
    pub(super) owners: Arc<Owners>,
}

impl Executor {
    /// The same device with another stream.
    pub(super) fn with_stream(&self, stream: usize) -> Executor {
        Executor {
            stream,
            ..self.clone()
        }
    }

    /// Panics where a kernel is given memory that is not for this stream.
    ///
    /// # Safety
    /// `addresses` are those of arguments of these parameters.
    pub(super) unsafe fn check_owners(
        &self,
        kernel: &str,
        parameters: &[Declared],
        addresses: &[*mut c_void],
    ) {
        for (declared, argument) in parameters.iter().zip(addresses) {
            if declared.access == Access::Value {
                continue;
            }
            // SAFETY: the argument of a pointer is an address of 64 bits.
            let at = unsafe { argument.cast::<u64>().read() };
            let objection = self.owners.objection(at, declared.access, self.stream);
            if let Some(objection) = objection {
                panic!("{} of {kernel}: {objection}", declared.name);
            }
        }
    }

    pub(super) fn open() -> Result<(Executor, DeviceInfo)> {
        environment::check()?;
        let compiler = variables::text("CXX").unwrap_or_else(|| "c++".into());
        let missing = |reason: String| {
            Error::NoDevice(format!(
                "the executor needs a C++ compiler, and '{compiler}' cannot be used ({reason}): \
                 install g++ or clang, or set CXX to one"
            ))
        };
        let mut words = compiler.split_whitespace();
        let asked = Command::new(words.next().unwrap_or_default())
            .args(words)
            .arg("--version")
            .env_remove("LD_PRELOAD")
            .output()
            .map_err(|e| missing(e.to_string()))?;
        if !asked.status.success() {
            return Err(missing(format!("--version: {}", asked.status)));
        }
        let version = String::from_utf8_lossy(&asked.stdout).into_owned();
        let info = DeviceInfo {
            ordinal: EXECUTOR,
            name: "CPU executor".into(),
            compute_capability: (0, 0),
            multiprocessors: MULTIPROCESSORS,
            memory_bytes: 4 << 30,
            memory_limit: 0,
            l2_bytes: 1 << 20,
            shared_bytes_per_block: MAX_SHARED,
            driver_cuda: 0,
        };
        let mut flags: Vec<String> = ["-std=c++17", "-O1", "-g", "-fPIC", "-shared"]
            .map(String::from)
            .to_vec();
        let added = variables::text("BEZOUT_EXECUTOR_FLAGS").unwrap_or_default();
        flags.extend(added.split_whitespace().map(String::from));
        Ok((
            Executor {
                compiler,
                compiler_version: version,
                flags,
                stream: 0,
                owners: Arc::default(),
            },
            info,
        ))
    }

    /// Memory for `limbs` limbs, more than none; nothing where the host has none left.
    pub(super) fn alloc(&self, limbs: usize) -> Result<Option<DevicePtr>> {
        let Some(layout) = layout(limbs) else {
            return Ok(None);
        };
        // SAFETY: the layout has a size above zero, since `limbs` is; the fill covers just that
        // size.
        let memory = unsafe {
            let memory = std::alloc::alloc(layout);
            if !memory.is_null() {
                memory.write_bytes(UNWRITTEN, layout.size());
            }
            memory
        };
        if memory.is_null() {
            return Ok(None);
        }
        let at = DevicePtr(memory.expose_provenance() as u64);
        self.owners.add(at, limbs, self.stream);
        Ok(Some(at))
    }

    /// # Safety
    /// `at` came from `alloc` with this length and is not used after this.
    pub(super) unsafe fn free(&self, at: DevicePtr, limbs: usize) {
        self.owners.remove(at, self.stream);
        if let Some(layout) = layout(limbs) {
            // SAFETY: the caller's promise; `alloc` made the same layout from the same length.
            unsafe { std::alloc::dealloc(host(at).cast(), layout) };
        }
    }

    /// # Safety
    /// `from.len()` limbs of live device memory lie at `to`.
    pub(super) unsafe fn upload(&self, to: DevicePtr, from: &[u64]) -> Result<()> {
        // SAFETY: the caller's promise; device memory is never borrowed as a slice, so the two are
        // apart.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), host(to), from.len()) };
        Ok(())
    }

    /// # Safety
    /// `into.len()` limbs of live device memory lie at `from`.
    pub(super) unsafe fn download(
        &self,
        from: DevicePtr,
        into: &mut [MaybeUninit<u64>],
    ) -> Result<()> {
        // SAFETY: as for `upload`.
        unsafe { std::ptr::copy_nonoverlapping(host(from).cast(), into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    /// # Safety
    /// `limbs` limbs of live device memory lie at each address, and they do not overlap.
    pub(super) unsafe fn copy(&self, from: DevicePtr, to: DevicePtr, limbs: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(host(from), host(to), limbs) };
        Ok(())
    }

    /// # Safety
    /// `limbs` limbs of live device memory lie at `at`.
    pub(super) unsafe fn zero(&self, at: DevicePtr, limbs: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { host(at).write_bytes(0, limbs) };
        Ok(())
    }

    pub(super) fn map(&self, limbs: usize) -> Result<Mapping> {
        let address = self.alloc(limbs)?;
        let parts = address.and_then(|at| Some((at, NonNull::new(host(at).cast())?)));
        let (address, host) = parts.ok_or_else(|| refused("no memory to share".into()))?;
        Ok(zeroed(Mapping {
            host,
            address,
            limbs,
        }))
    }

    /// # Safety
    /// The mapping came from `map`, and neither side uses it after this.
    pub(super) unsafe fn unmap(&self, mapping: Mapping) {
        // SAFETY: the caller's promise; `map` took it from `alloc`.
        unsafe { self.free(mapping.address, mapping.limbs) };
    }

    /// Every launch is done when it returns.
    pub(super) fn compiler(&self) -> String {
        let version = self.compiler_version.lines().next();
        version.unwrap_or(&self.compiler).to_string()
    }

    /// # Safety
    /// `bytes` bytes of live memory lie at each address, and they do not overlap.
    pub(super) unsafe fn copy_bytes(&self, from: u64, to: DevicePtr, bytes: usize) -> Result<()> {
        let (from, to) = (from as *const u8, to.0 as *mut u8);
        // SAFETY: the caller's promise; addresses of the executor are those of the host.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        Ok(())
    }

    /// No handle: work is done when the call that asks for it returns.
    pub(super) fn stream(&self) -> u64 {
        0
    }

    /// # Safety
    /// None, as there are no streams.
    pub(super) unsafe fn wait_for(&self, _stream: u64) -> Result<()> {
        Ok(())
    }

    /// # Safety
    /// None, as there are no streams.
    pub(super) unsafe fn make_stream_wait(&self, _stream: u64) -> Result<()> {
        Ok(())
    }

    pub(super) fn synchronize_all(&self) -> Result<()> {
        Ok(())
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    pub(super) fn time_ms(&self, work: impl FnOnce() -> Result<()>) -> Result<f64> {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }

    /// What the compiler gets for a module, and the key of what it makes of it.
    pub(super) fn program(&self, source: &Source, defines: &[(impl AsRef<str>, i64)]) -> Program {
        let Source {
            name,
            text,
            constants,
            ..
        } = source;
        let text = format!(
            "{RUNTIME}\n#line 1 \"device.cuh\"\n{PRELUDE}\n\
             #line 1 \"{name}.cu\"\n{text}\n"
        );
        let mut flags = self.flags.clone();
        flags.push("-DBEZOUT_EXECUTOR=1".into());
        let defines = defines.iter().map(|(name, value)| (name.as_ref(), value));
        let constants = constants.iter().map(|(name, value)| (*name, value));
        flags.extend((defines.chain(constants)).map(|(name, value)| format!("-D{name}={value}")));
        let mut parts = vec![self.compiler.as_str(), &self.compiler_version, &text];
        parts.extend(flags.iter().map(String::as_str));
        let key = Key::new(name, "so", &parts);
        Program { text, flags, key }
    }

    /// Whether the cache has an entry for the module, which may be damaged.
    pub(super) fn has(&self, source: &Source, defines: &[(String, i64)]) -> bool {
        let key = self.program(source, defines).key;
        Cache::of_user()
            .path(&key)
            .is_some_and(|path| path.is_file())
    }

    /// The module as a library: from the cache on disk, or by the compiler.
    pub(super) fn load(&self, source: &Source, defines: &[(&str, i64)]) -> Result<Code> {
        let (cache, name) = (Cache::of_user(), source.name);
        let program = self.program(source, defines);
        let key = &program.key;
        if cache.get(key).is_some()
            && let Some(path) = cache.path(key)
            && let Ok(code) = Code::open(&path)
        {
            return Ok(code);
        }
        // Nobody else can put anything there. A library stays loaded without its file.
        let folder = PrivateFolder::new();
        let folder = folder.map_err(|e| refused(format!("no folder to compile in: {e}")))?;
        let built = folder.file(&format!("{name}.so"));
        self.compile(name, &program, &built)?;
        let module = std::fs::read(&built).map_err(|e| refused(e.to_string()))?;
        Code::open(cache.put(key, &module).as_deref().unwrap_or(&built))
    }

    fn compile(&self, name: &str, program: &Program, output: &Path) -> Result<()> {
        let bad = |log: String| Error::Compile {
            module: format!("{name}.cu"),
            log,
        };
        let mut words = self.compiler.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        #[cfg(unix)]
        if background::is_here() {
            use std::os::unix::process::CommandExt;
            // The compiler and what it starts end together.
            command.process_group(0);
        }
        let mut child = command
            .args(words)
            .args(["-x", "c++"])
            .args(&program.flags)
            .arg("-o")
            .arg(output)
            .arg("-")
            // A sanitizer's runtime that is preloaded for the kernels is not meant for the
            // compiler.
            .env_remove("LD_PRELOAD")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| bad(e.to_string()))?;
        if let Some(mut input) = child.stdin.take() {
            // A compiler that stops reading early says why on its own.
            let _ = input.write_all(program.text.as_bytes());
        }
        let group = child.id();
        let done = background::unless_ending(|| stop(group), || child.wait_with_output());
        let done = done.map_err(|e| bad(e.to_string()))?;
        if !done.status.success() {
            return Err(bad(String::from_utf8_lossy(&done.stderr).into_owned()));
        }
        Ok(())
    }
}

/// Ends a compiler that was started in the background, and all that it has started.
fn stop(group: u32) {
    #[cfg(unix)]
    // SAFETY: a signal to a group of processes that was made for one compiler, which is still
    // waited for: the number is not another's yet.
    unsafe {
        libc::kill(-(group as libc::pid_t), libc::SIGKILL);
    }
    let _ = group;
}

/// A module's text behind the runtime and the prelude, the compiler's flags, and the cache's key.
pub(super) struct Program {
    text: String,
    flags: Vec<String>,
    pub(super) key: Key,
}

fn layout(limbs: usize) -> Option<Layout> {
    Layout::from_size_align(limbs.checked_mul(8)?, ALIGNMENT).ok()
}

fn host(at: DevicePtr) -> *mut u64 {
    std::ptr::with_exposed_provenance_mut(at.0 as usize)
}

fn refused(reason: String) -> Error {
    Error::Device {
        call: "executor",
        reason,
    }
}

/// `bezout_executor_launch`: kernel, grid, block, shared bytes, cooperative, arguments' addresses,
/// and room for a message; zero if all went well.
type Entry = unsafe extern "C" fn(
    *const c_char,
    c_uint,
    c_uint,
    c_uint,
    c_int,
    *mut *mut c_void,
    *mut c_char,
    c_ulong,
) -> c_int;

/// A module as a library that is unloaded with its last kernel.
pub(super) struct Code {
    library: Arc<Library>,
    entry: Entry,
}

impl Code {
    fn open(path: &Path) -> Result<Code> {
        // SAFETY: the file is what the compiler made of our own text, verified by its checksum; its
        // initialisers only register kernels. The entry's type is the one `executor/scheduler.hpp`
        // declares.
        unsafe {
            let library = Library::new(path).map_err(|e| refused(loader_words(e)))?;
            let entry = *library
                .get::<Entry>(c"bezout_executor_launch")
                .map_err(|e| refused(loader_words(e)))?;
            Ok(Code {
                library: Arc::new(library),
                entry,
            })
        }
    }

    pub(super) fn function(&self, name: CString) -> Function {
        Function {
            _library: self.library.clone(),
            entry: self.entry,
            name,
        }
    }
}

pub(super) struct Function {
    _library: Arc<Library>,
    entry: Entry,
    name: CString,
}

impl Function {
    /// Few, so that tests of cooperative kernels stay quick, and more than one per multiprocessor.
    pub(super) fn resident_blocks(&self, block: u32, _shared_bytes: u32) -> Result<u32> {
        Ok(MULTIPROCESSORS * (MAX_BLOCK / block).clamp(1, 4))
    }

    /// # Safety
    /// `addresses` are those of the arguments the kernel declares, whose pointers cover what it
    /// touches.
    pub(super) unsafe fn launch(&self, shape: Launch, addresses: &mut [*mut c_void]) -> Result<()> {
        // What a stream gives a GPU: launches happen one after the other, whichever library they
        // are in, so that kernels may keep a workspace between them.
        static STREAM: Mutex<()> = Mutex::new(());
        let _turn = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
        let mut message = [0u8; 4096];
        // SAFETY: the library is loaded as long as this function lives; the message's room is given
        // with its length; the caller vouches for the arguments.
        let status = unsafe {
            (self.entry)(
                self.name.as_ptr(),
                shape.grid,
                shape.block,
                shape.shared_bytes,
                shape.cooperative.into(),
                addresses.as_mut_ptr(),
                message.as_mut_ptr().cast(),
                message.len() as c_ulong,
            )
        };
        if status == 0 {
            return Ok(());
        }
        let end = message
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(message.len());
        let words = String::from_utf8_lossy(&message[..end]);
        Err(refused(words.into_owned()))
    }
}
