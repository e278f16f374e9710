//! Finds GMP and FLINT.
//!
//! A program's GMP is often loaded with `RTLD_LOCAL`, as every extension module of Python is, or
//! bundled under a hashed name. `dlsym(RTLD_NEXT)` does not find these, so the list of all loaded
//! objects is searched.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// A library that stays loaded.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    handle: *mut c_void,
}

// SAFETY: a handle of the loader may be used by any thread.
unsafe impl Send for Library {}
// SAFETY: the loader's functions take their own lock.
unsafe impl Sync for Library {}

impl Library {
    /// Loads a library without offering its symbols to others. With `RTLD_DEEPBIND` its calls of
    /// its own functions do not come to this library.
    pub(crate) fn load(path: &CStr) -> Option<Library> {
        let flags = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_DEEPBIND;
        open(path, flags)
    }

    /// The address of a function or a variable of the library or of those that it needs.
    pub(crate) fn symbol(self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is open for ever, and the name ends with a zero byte.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}

fn open(path: &CStr, flags: c_int) -> Option<Library> {
    // SAFETY: the path ends with a zero byte.
    let handle = unsafe { libc::dlopen(path.as_ptr(), flags) };
    (!handle.is_null()).then_some(Library { handle })
}

/// The path of the object that an address belongs to.
pub(crate) fn object_of(address: *const c_void) -> Option<CString> {
    // SAFETY: all zeros is a valid `Dl_info`, which `dladdr` fills in.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is only compared with those of loaded objects.
    let found = unsafe { libc::dladdr(address, &mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: the loader's names end with a zero byte.
    found.then(|| unsafe { CStr::from_ptr(info.dli_fname) }.to_owned())
}

/// The library, other than this one, that the loader would take this symbol from: the next in the
/// program's own order, or the first of all loaded ones that defines it.
pub(crate) fn loaded_with(symbol: &CStr) -> Option<Library> {
    // SAFETY: the name ends with a zero byte.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, symbol.as_ptr()) };
    let next = (!next.is_null()).then(|| object_of(next)).flatten();
    next.into_iter()
        .chain(loaded())
        .find_map(|path| defines(&path, symbol))
}

/// The object at `path`, if it is loaded and itself defines the symbol.
fn defines(path: &CStr, symbol: &CStr) -> Option<Library> {
    let library = open(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD)?;
    let home = library.symbol(symbol).and_then(|at| object_of(at));
    let own = object_of(defines as *const c_void);
    if home.as_deref() == Some(path) && home != own {
        return Some(library);
    }
    // The program may want to unload it.
    // SAFETY: the handle was opened above and is not used any more.
    unsafe { libc::dlclose(library.handle) };
    None
}

/// The paths of all loaded objects, in the order of loading.
fn loaded() -> Vec<CString> {
    unsafe extern "C" fn note(
        object: *mut libc::dl_phdr_info,
        _: usize,
        paths: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes a description of a loaded object, whose name ends with a zero
        // byte, and the pointer that `dl_iterate_phdr` was given.
        let (name, paths): (*const c_char, _) =
            unsafe { ((*object).dlpi_name, &mut *paths.cast::<Vec<CString>>()) };
        if !name.is_null() {
            // SAFETY: see above.
            let name = unsafe { CStr::from_ptr(name) };
            if !name.is_empty() {
                paths.push(name.to_owned());
            }
        }
        0
    }
    let mut paths = Vec::new();
    // SAFETY: `note` gets the vector, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut paths).cast()) };
    paths
}
