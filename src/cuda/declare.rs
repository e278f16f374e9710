//! Declarations of kernels: a kernel's name and its parameters, with what it reads and writes and
//! how long that is.
//!
//! [`kernels!`] takes the declarations of one source. From each of them it makes a handle, which
//! names the kernel where it is looked up, and the `launch` of that kernel, which takes the
//! declared parameters and no others. The lists of kernels that are compiled come from the
//! declarations too. A test compares every declaration with the head of its kernel.

use std::marker::PhantomData;

use super::span::{DevicePtr, Span};

/// The kernels of one `.cu` file: a name, their declarations, constants, and the text of the file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: &'static str,
    pub(crate) kernels: &'static [Declaration],
    /// What host and kernels must agree on: passed as `-D` with every compilation.
    pub(crate) constants: &'static [(&'static str, i64)],
    pub(crate) text: &'static str,
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        self.name == other.name
    }
}

/// What is declared of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static [Declared],
}

/// What is declared of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: &'static str,
    /// The type of the value, or of the elements that a pointer points at, as the source calls it.
    pub(crate) element: &'static str,
    pub(crate) access: Access,
}

/// How a kernel uses a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Value,
    Read,
    Write,
    Update,
}

/// Names a kernel of a source, as [`kernels!`] declares it.
pub(crate) trait Handle: Copy + 'static {
    fn source() -> &'static Source;

    /// Its number among the kernels of the source.
    fn place(self) -> usize;

    fn declaration(self) -> &'static Declaration {
        &Self::source().kernels[self.place()]
    }
}

/// The type of an element of device memory.
pub(crate) trait Element: Copy {
    /// As sources call it.
    const C: &'static str;
    /// 0 where a `-D` value decides: the length of such memory is not checked.
    const BYTES: u64;
}

/// The type of a parameter.
pub(crate) trait Parameter: Copy {
    const ELEMENT: &'static str;
    const ACCESS: Access;
    /// What the kernel sees.
    type Raw: Copy;
    fn raw(self) -> Self::Raw;
    /// As lengths are made of it: a value of 32 or 64 bits without a sign; 0 for all else.
    fn count(self) -> u64;
    /// Panics unless the memory that it points at holds so many elements.
    fn check(self, elements: u64, kernel: &str, name: &str);
}

/// A parameter that points at device memory.
pub(crate) trait Pointer: Parameter<Raw = DevicePtr> {}

/// A value that a launch takes for a parameter of type `P`.
pub(crate) trait Argument<P> {
    fn argument(self) -> P;
}

/// A pointer whose memory lives until the launch.
#[derive(Clone, Copy)]
pub(crate) struct Lent<'a, P> {
    pointer: P,
    owner: PhantomData<Span<'a>>,
}

impl<P: Pointer> Argument<P> for Lent<'_, P> {
    fn argument(self) -> P {
        self.pointer
    }
}

impl<P: Pointer> Argument<Option<P>> for Lent<'_, P> {
    fn argument(self) -> Option<P> {
        Some(self.pointer)
    }
}

impl<P: Pointer> Argument<Option<P>> for Option<Lent<'_, P>> {
    fn argument(self) -> Option<P> {
        self.map(|lent| lent.pointer)
    }
}

impl Argument<u64> for usize {
    fn argument(self) -> u64 {
        self as u64
    }
}

macro_rules! elements {
    ($($rust:ty = $c:literal),*) => {$(
        impl Element for $rust {
            const C: &'static str = $c;
            const BYTES: u64 = size_of::<$rust>() as u64;
        }
    )*};
}
elements!(
    u8 = "unsigned char",
    u32 = "u32",
    i32 = "i32",
    u64 = "u64",
    i64 = "i64",
    f64 = "double"
);

macro_rules! values {
    ($($rust:ty, $value:ident => $count:expr);*) => {$(
        impl Parameter for $rust {
            const ELEMENT: &'static str = <$rust as Element>::C;
            const ACCESS: Access = Access::Value;
            type Raw = $rust;
            fn raw(self) -> $rust {
                self
            }
            fn count(self) -> u64 {
                let $value = self;
                $count
            }
            fn check(self, _: u64, _: &str, _: &str) {}
        }

        impl Argument<$rust> for $rust {
            fn argument(self) -> $rust {
                self
            }
        }
    )*};
}
values!(u32, n => n.into(); u64, n => n; i32, _n => 0; i64, _n => 0; f64, _n => 0);

macro_rules! pointers {
    ($($(#[$doc:meta])* $name:ident $method:ident),*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy)]
            pub(crate) struct $name<T> {
                address: DevicePtr,
                bytes: u64,
                element: PhantomData<T>,
            }

            impl<T: Element> Parameter for $name<T> {
                const ELEMENT: &'static str = T::C;
                const ACCESS: Access = Access::$name;
                type Raw = DevicePtr;
                fn raw(self) -> DevicePtr {
                    self.address
                }
                fn count(self) -> u64 {
                    0
                }
                fn check(self, elements: u64, kernel: &str, name: &str) {
                    check(elements, T::BYTES, self.bytes, kernel, name);
                }
            }

            impl<T: Element> Pointer for $name<T> {}
        )*
        impl<'a> Span<'a> {
            $(
                $(#[$doc])*
                pub(crate) fn $method<T: Element>(self) -> Lent<'a, $name<T>> {
                    Lent {
                        pointer: $name {
                            address: self.ptr(),
                            bytes: self.bytes(),
                            element: PhantomData,
                        },
                        owner: PhantomData,
                    }
                }
            )*
        }
        impl super::Buffer {
            $(
                $(#[$doc])*
                pub(crate) fn $method<T: Element>(&self) -> Lent<'_, $name<T>> {
                    self.span().$method()
                }
            )*
        }
    };
}

fn check(elements: u64, element_bytes: u64, bytes: u64, kernel: &str, name: &str) {
    let needed = elements.checked_mul(element_bytes);
    assert!(
        needed.is_some_and(|needed| needed <= bytes),
        "{name} of {kernel}: {elements} elements of {element_bytes} bytes in {bytes} bytes"
    );
}

pointers! {
    /// Memory that a kernel only reads.
    Read read,
    /// Memory that a kernel writes before it reads any of it.
    Write write,
    /// Memory that a kernel reads and writes.
    Update update
}

/// A pointer that may be null.
impl<P: Pointer> Parameter for Option<P> {
    const ELEMENT: &'static str = P::ELEMENT;
    const ACCESS: Access = P::ACCESS;
    type Raw = DevicePtr;
    fn raw(self) -> DevicePtr {
        self.map_or(DevicePtr::NULL, P::raw)
    }
    fn count(self) -> u64 {
        0
    }
    fn check(self, elements: u64, kernel: &str, name: &str) {
        if let Some(pointer) = self {
            pointer.check(elements, kernel, name);
        }
    }
}

/// Declares the kernels of a source, in the order of their heads or in any other:
///
/// ```ignore
/// kernels! {
///     pub(crate) static MAP = "limbs_map", include_str!("../map.cu");
///     /// a ^ flip.
///     fn limbs_flip(out: Write<u64>[n], n: u64, a: Read<u64>[len_a], len_a: u64, flip: u64);
///     fn limbs_and | limbs_or | limbs_xor(out: Write<u64>[n], …);
/// }
/// ```
///
/// `const { NAME: u32 = 4; … }` before the kernels makes constants that the source gets as `-D` of
/// the same name.
///
/// A parameter is a plain value, or a pointer: [`Read`], [`Write`] or [`Update`] of an element, or
/// an `Option` of one where it may be null. What stands in brackets is how many elements there must
/// be at least, which every launch checks: an expression of other parameters, which are `u64` in it
/// whatever they are declared as. `|` joins kernels with the same parameters; the first one's name
/// is the type of all their handles.
macro_rules! kernels {
    (@length) => {
        0
    };
    (@length $length:expr) => {
        $length
    };
    (
        $(#[$about:meta])*
        $vis:vis static $source:ident = $name:literal, $text:expr;
        $(const {$(
            $(#[$meaning:meta])*
            $constant:ident: $kind:ty = $value:expr;
        )+})?
        $(
            $(#[$doc:meta])*
            fn $kernel:ident $(| $other:ident)* (
                $($param:ident: $type:ty $([$length:expr])?),* $(,)?
            );
        )+
    ) => {
        $(#[$about])*
        $vis static $source: $crate::cuda::Source = $crate::cuda::Source {
            name: $name,
            kernels: &[$(
                $crate::cuda::Declaration {
                    name: stringify!($kernel),
                    parameters: $kernel::PARAMETERS,
                },
                $($crate::cuda::Declaration {
                    name: stringify!($other),
                    parameters: $kernel::PARAMETERS,
                },)*
            )+],
            constants: &[$($((stringify!($constant), $constant as i64)),+)?],
            text: $text,
        };

        $($(
            $(#[$meaning])*
            $vis const $constant: $kind = $value;
        )+)?

        /// The numbers of the kernels.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum $source {
            $($kernel, $($other,)*)+
        }

        $(
            $(#[$doc])*
            #[allow(non_camel_case_types)]
            #[derive(Clone, Copy)]
            $vis struct $kernel {
                place: usize,
            }

            #[allow(non_upper_case_globals)]
            $vis const $kernel: $kernel = $kernel {
                place: $source::$kernel as usize,
            };
            $(
                #[allow(non_upper_case_globals)]
                $vis const $other: $kernel = $kernel {
                    place: $source::$other as usize,
                };
            )*

            impl $kernel {
                const PARAMETERS: &'static [$crate::cuda::Declared] = &[$(
                    $crate::cuda::Declared {
                        name: stringify!($param),
                        element: <$type as $crate::cuda::Parameter>::ELEMENT,
                        access: <$type as $crate::cuda::Parameter>::ACCESS,
                    },
                )*];
            }

            impl $crate::cuda::Handle for $kernel {
                fn source() -> &'static $crate::cuda::Source {
                    &$source
                }

                fn place(self) -> usize {
                    self.place
                }
            }

            impl $crate::cuda::Kernel<$kernel> {
                /// Queues the kernel on the device's stream.
                ///
                /// # Safety
                /// The types of the arguments and the declared lengths are checked. The caller
                /// vouches for the rest: the grid, the block and the shared memory that the
                /// kernel's head asks for; the length of memory without a declared one; what is in
                /// the memory that the kernel reads; that memory which it writes is apart from all
                /// other, as far as the head asks; and that nobody else uses it.
                #[allow(clippy::too_many_arguments, non_snake_case)]
                $vis unsafe fn launch(
                    &self,
                    shape: $crate::cuda::Launch,
                    $($param: impl $crate::cuda::Argument<$type>),*
                ) -> $crate::error::Result<()> {
                    $(let $param: $type = $crate::cuda::Argument::argument($param);)*
                    let lengths = {
                        $(
                            #[allow(unused_variables)]
                            let $param = $crate::cuda::Parameter::count($param);
                        )*
                        [$($crate::cuda::kernels!(@length $($length)?)),*]
                    };
                    let mut lengths = lengths.into_iter();
                    $(
                        let length = lengths.next().unwrap_or(0);
                        let (kernel, name) = (stringify!($kernel), stringify!($param));
                        $crate::cuda::Parameter::check($param, length, kernel, name);
                    )*
                    $(let $param = $crate::cuda::Parameter::raw($param);)*
                    // SAFETY: the arguments are those that the kernel declares; the caller vouches
                    // for the rest.
                    unsafe { self.queue(shape, &mut [$((&raw const $param).cast_mut().cast()),*]) }
                }
            }
        )+
    };
}
pub(crate) use kernels;
