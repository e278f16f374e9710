//! Plain loops compiled for several levels of vector instructions, the best of which is chosen at
//! run time.

/// Defines functions whose bodies are compiled once for each level that the processor may have.
///
/// `vectorised! { avx2; fn … }` has the levels AVX2 and none; `vectorised! { avx512; fn … }` has
/// AVX-512 (F, DQ, VL) above them. The module that uses it must allow unsafe code. Functions that a
/// body calls must be `#[inline(always)]`, or they are not compiled for the level.
macro_rules! vectorised {
    ($level:ident; $(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block
    )*) => {$(
        $(#[$doc])*
        pub(crate) fn $name($($argument: $type),*) {
            #[inline(always)]
            fn body($($argument: $type),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                crate::vectorised::at_level!($level, body, $($argument: $type),*);
            }
            body($($argument),*)
        }
    )*};
}

/// Calls `body` compiled for this level or for the next one below, and returns, if the processor
/// has it.
macro_rules! at_level {
    (avx512, $body:ident, $($argument:ident: $type:ty),*) => {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
        fn avx512($($argument: $type),*) {
            $body($($argument),*)
        }
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
        {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { avx512($($argument),*) };
        }
        crate::vectorised::at_level!(avx2, $body, $($argument: $type),*);
    };
    (avx2, $body:ident, $($argument:ident: $type:ty),*) => {
        #[target_feature(enable = "avx2")]
        fn avx2($($argument: $type),*) {
            $body($($argument),*)
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { avx2($($argument),*) };
        }
    };
}

pub(crate) use {at_level, vectorised};
