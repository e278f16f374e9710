//! The macro that declares the functions of this library.

/// Declares exported functions. Each has
///
/// - a static [`Function`](crate::function::Function), named in capitals, with the family that
///   settings know it by and the tuned threshold in limbs;
/// - the size of a call in limbs, which is compared with the threshold;
/// - `compute`, which makes the result by bezout from copies of the operands and changes nothing
///   that the program sees;
/// - `deliver`, which hands the result over.
///
/// A call below the threshold costs one comparison and one indirect jump more than GMP's own.
macro_rules! entries {
    ($(
        $(#[$doc:meta])*
        $static:ident: $family:literal from $tuned:literal in $home:ident;
        fn $name:ident($($arg:ident: $type:ty),*) $(-> $ret:ty)?;
        limbs $limbs:expr;
        $(let $bind:pat = $value:expr;)*
        compute $compute:block
        deliver $deliver:expr;
    )*) => {$(
        pub(crate) static $static: $crate::function::Function = $crate::function::Function::new(
            // SAFETY: the text ends with its only zero byte.
            unsafe {
                std::ffi::CStr::from_bytes_with_nul_unchecked(
                    concat!(stringify!($name), "\0").as_bytes(),
                )
            },
            $family,
            $tuned,
            $crate::function::Home::$home,
        );

        $(#[$doc])*
        ///
        /// # Safety
        /// The contract is that of the function of the same name.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, clippy::macro_metavars_in_unsafe)]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) $(-> $ret)? {
            type Original = unsafe extern "C-unwind" fn($($type),*) $(-> $ret)?;

            #[cold]
            #[inline(never)]
            unsafe extern "C-unwind" fn slow($($arg: $type),*) $(-> $ret)? {
                $crate::start::once();
                // SAFETY: the caller keeps the contract of GMP's function, by which operands are
                // readable and results writable; the address is that of GMP's function.
                unsafe {
                    let original: Original = std::mem::transmute($static.address());
                    let limbs = $limbs;
                    // Made first, because operands may take the names of arguments.
                    let hand_on = || original($($arg),*);
                    $(let $bind = $value;)*
                    $static.call(
                        limbs,
                        hand_on,
                        move || $compute,
                        $deliver,
                    )
                }
            }

            // SAFETY: as above; below the gate the original's address is known, because the gate
            // is raised after it is stored.
            unsafe {
                let limbs = $limbs;
                if limbs < $static.gate.load(std::sync::atomic::Ordering::Acquire) {
                    let original: Original = std::mem::transmute(
                        $static.original.load(std::sync::atomic::Ordering::Relaxed),
                    );
                    return original($($arg),*);
                }
                slow($($arg),*)
            }
        }
    )*

        /// The functions declared here.
        pub(crate) static FUNCTIONS: &[&$crate::function::Function] = &[$(&$static),*];
    };
}
