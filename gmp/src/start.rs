//! What the first call of any function does: reads the settings and finds the program's GMP. A
//! program that never calls GMP notices nothing of this library.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use bezout::engine::EXECUTOR;
use bezout::{Engine, cuda, environment, notice};

use crate::abi::Out;
use crate::function::Function;
use crate::loader::{self, Library};
use crate::{division, flint, log, mpn, mpz, sequences, serve, settings, text, trace};

/// Where a GMP lies when the program has loaded none.
const USUAL: &CStr = c"libgmp.so.10";
/// A function that every GMP has and that this library does not define.
const REALLOC: &CStr = c"__gmpz_realloc";

type Realloc = unsafe extern "C-unwind" fn(Out, i64) -> *mut c_void;
type GetMemory =
    unsafe extern "C-unwind" fn(*mut Allocate, *mut Option<AnyFunction>, *mut Option<AnyFunction>);
type SetMemory = unsafe extern "C-unwind" fn(Allocate, Option<AnyFunction>, Option<AnyFunction>);
/// A function that is only passed on.
type AnyFunction = unsafe extern "C-unwind" fn();
/// GMP's allocation function.
pub(crate) type Allocate = Option<unsafe extern "C-unwind" fn(usize) -> *mut c_void>;

struct Setup {
    /// Calls that are not served go to this GMP.
    gmp: Option<Library>,
    realloc: Option<Realloc>,
    get_memory: Option<GetMemory>,
}

static SETUP: OnceLock<Setup> = OnceLock::new();

/// Every function of this library.
pub(crate) fn functions() -> impl Iterator<Item = &'static Function> {
    let files = [
        mpn::FUNCTIONS,
        mpz::FUNCTIONS,
        division::FUNCTIONS,
        text::FUNCTIONS,
        sequences::FUNCTIONS,
        flint::FUNCTIONS,
    ];
    files.into_iter().flatten().copied()
}

/// Sets everything up, once.
pub(crate) fn once() {
    SETUP.get_or_init(set_up);
}

/// The GMP to hand calls on to.
pub(crate) fn gmp() -> Option<Library> {
    SETUP.get_or_init(set_up).gmp
}

fn set_up() -> Setup {
    std::panic::set_hook(Box::new(|_| {}));
    notice::set_listener(log::say_once);
    let loaded = loader::loaded_with(REALLOC);
    let named = settings::library().and_then(|path| {
        let library = Library::load(&path).filter(|library| library.symbol(REALLOC).is_some());
        if library.is_none() {
            log::say(&format!(
                "BEZOUT_GMP_LIB: {path:?} is not a GMP; it is not used"
            ));
        }
        library
    });
    let gmp = named.or(loaded).or_else(|| Library::load(USUAL));
    let own = loaded.or(gmp);
    let function = |name: &CStr| own.and_then(|library| library.symbol(name));
    let is_traced = settings::trace();
    trace::set(is_traced);
    let unfit = [own, gmp].into_iter().flatten().find_map(unfit);
    match unfit.or_else(missing_device) {
        // Every threshold is beyond reach already.
        Some(reason) => log::say(&format!("{reason}; every call goes to the original")),
        None => {
            if let Err(error) = environment::check() {
                log::say(&error.to_string());
            }
            let functions: Vec<&Function> = functions().collect();
            let thresholds = settings::thresholds(&functions, may_have_gpu());
            for (function, least) in functions.iter().zip(thresholds) {
                function.least.store(least, Ordering::Relaxed);
            }
        }
    }
    serve::watch_forks();
    // SAFETY: these are functions of GMP with the types that its header gives them.
    let (realloc, get_memory, set_memory) = unsafe {
        (
            function(REALLOC).map(|at| std::mem::transmute::<*mut c_void, Realloc>(at)),
            function(c"__gmp_get_memory_functions")
                .map(|at| std::mem::transmute::<*mut c_void, GetMemory>(at)),
            named
                .and_then(|library| library.symbol(c"__gmp_set_memory_functions"))
                .map(|at| std::mem::transmute::<*mut c_void, SetMemory>(at)),
        )
    };
    // A GMP that was named grows numbers of the program, so it must allocate as the program's does.
    // Programs choose their allocator before their first number.
    if let (Some(_), Some(get), Some(set)) = (loaded, get_memory, set_memory) {
        let (mut allocate, mut reallocate, mut free) = (None, None, None);
        // SAFETY: GMP's functions read and write these three variables.
        unsafe {
            get(&mut allocate, &mut reallocate, &mut free);
            set(allocate, reallocate, free);
        }
    }
    Setup {
        gmp,
        realloc,
        get_memory,
    }
}

/// Why this library cannot work beside a GMP; nothing if it can.
fn unfit(gmp: Library) -> Option<String> {
    if gmp.symbol(c"__mpir_version").is_some() {
        return Some("the program uses MPIR, not GMP".into());
    }
    let bits = gmp.symbol(c"__gmp_bits_per_limb")?.cast::<c_int>();
    // SAFETY: the variable is an `int` in every GMP.
    match unsafe { *bits } {
        64 => {}
        bits => {
            return Some(format!(
                "the program's GMP has limbs of {bits} bits, not of 64"
            ));
        }
    }
    let version = gmp.symbol(c"__gmp_version")?.cast::<*const c_char>();
    // SAFETY: the variable is a `const char *` to a constant text in every GMP.
    let version = unsafe { CStr::from_ptr(*version) }.to_string_lossy();
    // GMP 5 and 6 have the same functions with the same contracts.
    let major = version
        .split('.')
        .next()
        .and_then(|text| text.parse::<u32>().ok());
    let is_known = matches!(major, Some(5 | 6));
    (!is_known).then(|| format!("the program's GMP is of the unknown version {version}"))
}

/// Makes the engine of the settings the default; why it cannot be used, if it cannot.
fn missing_device() -> Option<String> {
    let engine = settings::engine();
    if let Engine::Cuda(n) = engine
        && let Err(error) = cuda::device(n)
    {
        let name = if n == EXECUTOR {
            "cuda:executor"
        } else {
            "the GPU"
        };
        return Some(format!("{name} cannot be used: {error}"));
    }
    engine.set_default();
    None
}

/// Whether work may go to a GPU. The driver is not started to find out, which would take longer
/// than many programs run.
fn may_have_gpu() -> bool {
    match Engine::current() {
        Engine::Cpu => false,
        Engine::Cuda(_) => true,
        Engine::Auto => Path::new("/dev/nvidiactl").exists(),
    }
}

/// Grows `r` to `limbs` limbs by the program's own GMP, which honours the program's allocator.
///
/// # Safety
/// `r` must be an initialised `mpz_t`.
pub(crate) unsafe fn grow(r: Out, limbs: i64) {
    let Some(realloc) = SETUP.get().and_then(|setup| setup.realloc) else {
        log::say("no GMP is loaded that could grow a number");
        std::process::abort();
    };
    // SAFETY: `r` is initialised, and this is GMP's `_mpz_realloc`.
    unsafe { realloc(r, limbs) };
}

/// The program's function for new memory.
pub(crate) fn allocator() -> Allocate {
    let get = SETUP.get().and_then(|setup| setup.get_memory)?;
    let mut allocate = None;
    let (nowhere, nowhere_too) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: GMP's function writes through those of its pointers that are not null.
    unsafe { get(&mut allocate, nowhere, nowhere_too) };
    allocate
}
