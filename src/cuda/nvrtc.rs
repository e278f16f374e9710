//! NVRTC, the CUDA compiler as a library, found and loaded at run time.
//!
//! It is loaded here rather than through cudarc, which panics when the library is missing and does
//! not offer CUBIN output. Kernels are compiled straight to machine code (CUBIN) for the device at
//! hand; a device newer than this NVRTC gets PTX for the newest architecture that NVRTC knows, and
//! the driver finishes the work.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use libloading::Library;

use super::cache::{Key, fnv};
use super::declare::Source;
use super::{loader_words, places};
use crate::error::{Error, Result};
use crate::fork::PerProcess;
use crate::{background, variables};

const PRELUDE: &str = include_str!("device.cuh");

/// What the compiler gets, save the architecture.
pub(super) struct Program {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) flags: Vec<String>,
}

impl Program {
    /// One kernel of `source`, behind the prelude, with these `-D` values.
    pub(super) fn new(
        source: &Source,
        defines: &[(impl AsRef<str>, i64)],
        kernel: &str,
    ) -> Program {
        let Source {
            name,
            text,
            constants,
            ..
        } = source;
        let mut flags = vec!["--std=c++17".to_string(), "--device-int128".to_string()];
        let values = defines.iter();
        flags.extend(values.map(|(name, value)| format!("-D{}={value}", name.as_ref())));
        let values = constants.iter();
        flags.extend(values.map(|(name, value)| format!("-D{name}={value}")));
        // As `device.cuh` takes it.
        flags.push(format!("-DONLY_{kernel}=,"));
        Program {
            name: format!("{name}.cu"),
            text: format!("#line 1 \"device.cuh\"\n{PRELUDE}\n#line 1 \"{name}.cu\"\n{text}\n"),
            flags,
        }
    }
}

/// The key of a program's machine code for this architecture, in the cache and in packs. NVRTC's
/// version is no part of it, so that both serve a machine without NVRTC; code that a driver cannot
/// load is compiled anew.
pub(super) fn key(kernel: &str, source: &Source, program: &Program, architecture: u32) -> Key {
    let words = architecture.to_string();
    let flags: Vec<&str> = program.flags.iter().map(String::as_str).collect();
    Key::after(kernel, "cubin", &[&words, &program.text], &flags, |text| {
        once(source, architecture, || fnv(text))
    })
}

/// The checksum of all that is compiled for a source, whichever the kernel.
pub(super) fn checksum(source: &Source, program: &Program) -> u128 {
    once(source, 0, || fnv(program.text.as_bytes()))
}

/// A checksum of the text of a source, which has some ten thousand bytes: computed once for each
/// source and `what`.
fn once(source: &Source, what: u32, compute: impl FnOnce() -> u128) -> u128 {
    type Known = HashMap<(&'static str, usize, usize, u32), u128>;
    static KNOWN: PerProcess<Mutex<Option<Known>>> = PerProcess::new(Mutex::new(None));
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    // Texts are constants of the program: an address and a length mean one text for ever.
    let Source { name, text, .. } = source;
    let place = (*name, text.as_ptr().addr(), text.len(), what);
    *(known.get_or_insert_default().entry(place)).or_insert_with(compute)
}

type Status = c_int;
type Handle = *mut c_void;

/// The library's functions. They may be called from any thread.
pub(super) struct Nvrtc {
    version: (c_int, c_int),
    /// Newest first, as 90 for sm_90.
    architectures: Vec<u32>,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut Handle) -> Status,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status,
    /// Has a function asked during a compilation whether to go on: from CUDA 12.8 on.
    set_flow: Option<SetFlow>,
    log: Output,
    cubin: Output,
    ptx: Output,
    _library: Library,
    _builtins: Option<Library>,
}

/// Program, function, and what the function is given.
type SetFlow = unsafe extern "C" fn(Handle, Flow, *mut c_void) -> Status;
type Flow = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

/// Stops compilations when the process begins to end.
unsafe extern "C" fn flow(_: *mut c_void, _: *mut c_void) -> c_int {
    background::is_ending().into()
}

/// A pair of functions: the size of an output, and the output itself.
#[derive(Clone, Copy)]
struct Output {
    size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    get: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
}

impl Nvrtc {
    /// The library of this process: the one `BEZOUT_NVRTC` names, or else the first found, that of
    /// the driver's own CUDA version (`major`) before others.
    pub(super) fn get(major: u32) -> Result<&'static Nvrtc> {
        static FOUND: PerProcess<OnceLock<std::result::Result<Nvrtc, String>>> =
            PerProcess::new(OnceLock::new());
        let found = FOUND.get_or_init(|| {
            let named = variables::path("BEZOUT_NVRTC");
            Nvrtc::open(&candidates(named.as_deref(), major)).map_err(|tried| match named {
                Some(path) => format!("BEZOUT_NVRTC={} cannot be used: {tried}", path.display()),
                None => format!(
                    "NVRTC, which compiles the kernels, was not found ({tried}): install the CUDA \
                     toolkit, or `pip install nvidia-cuda-nvrtc` and set BEZOUT_NVRTC to the path \
                     of its libnvrtc, or install a pack of kernels"
                ),
            })
        });
        found
            .as_ref()
            .map_err(|reason| Error::NoDevice(reason.clone()))
    }

    /// Loads the first of these libraries that there is.
    pub(super) fn open(paths: &[PathBuf]) -> std::result::Result<Nvrtc, String> {
        let mut tried = Vec::new();
        for path in paths {
            // SAFETY: loading runs the library's initialisers; the names are NVRTC's, or the user's
            // word.
            match unsafe { Library::new(path) } {
                Ok(library) => {
                    return Nvrtc::bind(library, path)
                        .map_err(|e| format!("{}: {e}", path.display()));
                }
                Err(error) => tried.push(loader_words(error)),
            }
        }
        match &tried[..] {
            [only] => Err(only.clone()),
            _ => Err(format!("tried {} names", tried.len())),
        }
    }

    fn bind(library: Library, path: &Path) -> std::result::Result<Nvrtc, String> {
        /// The function of this name, of the type that is asked for.
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the types are those of nvrtc.h, unchanged from CUDA 11.2 on; the library
                // is kept loaded beside the pointers.
                *unsafe { library.get($name) }.map_err(loader_words)?
            };
        }
        type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
        type Integers = unsafe extern "C" fn(*mut c_int) -> Status;
        let version: Version = function!(c"nvrtcVersion");
        let arch_count: Integers = function!(c"nvrtcGetNumSupportedArchs");
        let archs: Integers = function!(c"nvrtcGetSupportedArchs");
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the pointers are to integers that outlive the calls.
        let status = unsafe { version(&mut major, &mut minor) | arch_count(&mut count) };
        let mut architectures: Vec<c_int> = vec![0; count.max(0) as usize];
        // SAFETY: the vector has as many integers as the library has just said it writes.
        if (status | unsafe { archs(architectures.as_mut_ptr()) }) != 0 {
            return Err("it does not say its version and architectures".into());
        }
        // NVRTC opens its own companion by name at the first compilation, and finds it beside
        // itself unless a sanitizer opens libraries in its place; what is loaded already is always
        // found.
        let builtins = path.with_file_name(format!("libnvrtc-builtins.so.{major}.{minor}"));
        // SAFETY: loading runs the initialisers of a library that NVRTC would load by itself.
        let builtins = unsafe { Library::new(builtins) }.ok();
        architectures.sort_unstable_by(|a, b| b.cmp(a));
        Ok(Nvrtc {
            version: (major, minor),
            architectures: architectures.into_iter().map(|a| a as u32).collect(),
            error_string: function!(c"nvrtcGetErrorString"),
            create: function!(c"nvrtcCreateProgram"),
            destroy: function!(c"nvrtcDestroyProgram"),
            compile: function!(c"nvrtcCompileProgram"),
            // SAFETY: the type is that of nvrtc.h.
            set_flow: unsafe { library.get::<SetFlow>(c"nvrtcSetFlowCallback") }
                .ok()
                .map(|function| *function),
            log: Output {
                size: function!(c"nvrtcGetProgramLogSize"),
                get: function!(c"nvrtcGetProgramLog"),
            },
            cubin: Output {
                size: function!(c"nvrtcGetCUBINSize"),
                get: function!(c"nvrtcGetCUBIN"),
            },
            ptx: Output {
                size: function!(c"nvrtcGetPTXSize"),
                get: function!(c"nvrtcGetPTX"),
            },
            _library: library,
            _builtins: builtins,
        })
    }

    /// Its name and version, as `NVRTC 13.4`.
    pub(super) fn name(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// Whether it makes machine code for this architecture.
    pub(super) fn serves(&self, architecture: u32) -> bool {
        self.architectures.contains(&architecture)
    }

    /// The architectures it knows, as `sm_90, sm_80`.
    pub(super) fn architectures(&self) -> String {
        let names = self.architectures.iter().map(|a| format!("sm_{a}"));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Machine code for `architecture` (90 for sm_90), or PTX that ends in a zero byte where this
    /// NVRTC does not know the architecture.
    pub(super) fn compile(&self, program: &Program, architecture: u32) -> Result<Vec<u8>> {
        let bad = |log: String| Error::Compile {
            module: program.name.clone(),
            log,
        };
        let newest = self
            .architectures
            .iter()
            .find(|known| **known <= architecture);
        let (target, output) = match newest {
            Some(known) if *known == architecture => (format!("sm_{known}"), self.cubin),
            Some(known) => (format!("compute_{known}"), self.ptx),
            None => {
                return Err(bad(format!(
                    "{} no longer serves sm_{architecture}: install an older one and set \
                     BEZOUT_NVRTC",
                    self.name()
                )));
            }
        };
        let text = |s: &str| CString::new(s).map_err(|e| bad(e.to_string()));
        let (source, name) = (text(&program.text)?, text(&program.name)?);
        let mut flags = vec![text(&format!("--gpu-architecture={target}"))?];
        for flag in &program.flags {
            flags.push(text(flag)?);
        }
        let flags: Vec<*const c_char> = flags.iter().map(|flag| flag.as_ptr()).collect();

        let mut handle: Handle = std::ptr::null_mut();
        let none = std::ptr::null();
        // SAFETY: source and name are zero-terminated and outlive the call; there are no headers.
        let status =
            unsafe { (self.create)(&mut handle, source.as_ptr(), name.as_ptr(), 0, none, none) };
        if status != 0 {
            return Err(bad(self.words(status)));
        }
        let open = Open {
            nvrtc: self,
            handle,
        };
        if let Some(set_flow) = self.set_flow {
            // SAFETY: the program was just created; `flow` reads an atomic and lives for ever.
            // Without it, compilations cannot be stopped.
            let _ = unsafe { set_flow(handle, flow, std::ptr::null_mut()) };
        }
        // SAFETY: the program was just created; the flags are zero-terminated and outlive the call.
        let status = unsafe { (self.compile)(handle, flags.len() as c_int, flags.as_ptr()) };
        if status != 0 {
            let log = open.output(self.log).unwrap_or_default();
            let log = String::from_utf8_lossy(&log);
            return Err(bad(format!(
                "{}: {}",
                self.words(status),
                log.trim_end_matches(['\0', '\n'])
            )));
        }
        open.output(output)
            .map_err(|status| bad(self.words(status)))
    }

    fn words(&self, status: Status) -> String {
        // SAFETY: the library returns a zero-terminated string of its own for every status.
        unsafe { CStr::from_ptr((self.error_string)(status)) }
            .to_string_lossy()
            .into_owned()
    }
}

/// A program that destroys itself.
struct Open<'a> {
    nvrtc: &'a Nvrtc,
    handle: Handle,
}

impl Open<'_> {
    fn output(&self, output: Output) -> std::result::Result<Vec<u8>, Status> {
        let mut size = 0;
        // SAFETY: the program lives; `size` outlives the call.
        let status = unsafe { (output.size)(self.handle, &mut size) };
        if status != 0 {
            return Err(status);
        }
        let mut bytes = vec![0u8; size];
        // SAFETY: the library writes the `size` bytes that it has just announced.
        let status = unsafe { (output.get)(self.handle, bytes.as_mut_ptr().cast()) };
        if status != 0 { Err(status) } else { Ok(bytes) }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // SAFETY: the program lives and is not used after this; a failure leaks it, no more.
        let _ = unsafe { (self.nvrtc.destroy)(&mut self.handle) };
    }
}

/// Where NVRTC may be: only at `named` (a library, or a folder with one), or else by its usual
/// names on the loader's path, in the toolkit's folders, and in packages for Python and conda.
pub(super) fn candidates(named: Option<&Path>, major: u32) -> Vec<PathBuf> {
    let names: Vec<String> = if cfg!(windows) {
        [major, 13, 12]
            .iter()
            .map(|m| format!("nvrtc64_{m}0_0.dll"))
            .chain(["nvrtc64_112_0.dll".into()])
            .collect()
    } else {
        let numbered = [major, 13, 12].map(|m| format!("libnvrtc.so.{m}"));
        numbered
            .into_iter()
            .chain(["libnvrtc.so".into(), "libnvrtc.so.11.2".into()])
            .collect()
    };
    let inside = |folder: &Path| names.iter().map(|n| folder.join(n)).collect::<Vec<_>>();
    match named {
        Some(folder) if folder.is_dir() => return inside(folder),
        Some(library) => return vec![library.to_path_buf()],
        None => {}
    }
    let mut paths: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
    let libraries = if cfg!(windows) { "bin" } else { "lib64" };
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(root) = std::env::var_os(variable) {
            paths.extend(inside(&Path::new(&root).join(libraries)));
        }
    }
    if !cfg!(windows) {
        paths.extend(inside(Path::new("/usr/local/cuda/lib64")));
    }
    let folders = folders_of_packages(places::folder_of_library().as_deref());
    let mut packaged: Vec<PathBuf> = folders.iter().flat_map(|folder| found_in(folder)).collect();
    // The driver's own version first, then the newest; the order of the folders otherwise.
    packaged.sort_by_key(|path| {
        let version = version_of(path);
        (version != Some(major), std::cmp::Reverse(version))
    });
    paths.extend(packaged);
    paths
}

/// Where packages have NVRTC: those for Python beside the package of the module that holds this
/// code (`library` is its folder), and those of conda.
pub(super) fn folders_of_packages(library: Option<&Path>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let of_conda = if cfg!(windows) { "Library/bin" } else { "lib" };
    if let Some(packages) = library.and_then(Path::parent) {
        let inside = if cfg!(windows) {
            [
                "nvidia/cu13/bin/x86_64",
                "nvidia/cuda_nvrtc/bin",
                "torch/lib",
            ]
        } else {
            ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "torch/lib"]
        };
        folders.extend(inside.map(|name| packages.join(name)));
        // PREFIX/lib/python3.12/site-packages, or PREFIX/Lib/site-packages.
        let levels = if cfg!(windows) { 2 } else { 3 };
        folders.extend(
            packages
                .ancestors()
                .nth(levels)
                .map(|prefix| prefix.join(of_conda)),
        );
    }
    if let Some(prefix) = std::env::var_os("CONDA_PREFIX") {
        folders.push(Path::new(&prefix).join(of_conda));
    }
    folders
}

/// Libraries in a folder that are NVRTC by their names, such as `libnvrtc.so.12`,
/// `libnvrtc-672ee683.so.11.2` and `nvrtc64_120_0.dll`.
pub(super) fn found_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(|path| version_of(path).is_some()).collect()
}

/// CUDA's major version by the name of a library; none where that is not NVRTC.
pub(super) fn version_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    if name.contains("builtins") || name.contains(".alt.") {
        return None;
    }
    let leading = |text: &str| {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        text[..end].parse::<u32>().ok()
    };
    if let Some(rest) = name.strip_prefix("libnvrtc") {
        return leading(rest.split_once(".so.")?.1);
    }
    let rest = name.strip_prefix("nvrtc64_")?;
    // 120 for 12.0.
    name.ends_with(".dll").then_some(leading(rest)? / 10)
}
