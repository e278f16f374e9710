//! The loops of the transforms, compiled once for each level of vector instructions.

/// The leaves of `Lanes` for the level `$level` with moduli `$k`: each is the shared loop in a
/// function with the attribute `$attribute`, which names the instructions, and is called through
/// the macro `$call`.
macro_rules! leaves {
    ($level:ident, $k:ty, $call:ident, $attribute:meta) => {
        leaves!(@ $level, $call, $attribute,
            fn forward(k: $k, tree: Tree, block: &mut [u64], width: usize, node: usize)
                = butterfly::forward;
            fn inverse(k: $k, tree: Tree, block: &mut [u64], width: usize, node: usize)
                = butterfly::inverse;
            fn split_node(k: $k, w: Factor, left: &mut [u64], right: &mut [u64])
                = butterfly::split_node;
            fn join_node(k: $k, w: Factor, left: &mut [u64], right: &mut [u64])
                = butterfly::join_node;
            fn subtract_scaled(k: $k, w: Factor, left: &[u64], right: &mut [u64])
                = butterfly::subtract_scaled;
            fn average(k: $k, half: Factor, w: Factor, left: &mut [u64], right: &[u64])
                = butterfly::average;
            fn double_less(k: $k, w: Factor, left: &mut [u64], right: &[u64])
                = butterfly::double_less;
            fn residues(k: $k, limbs: &[u64], wide: bool, out: &mut [u64]) = butterfly::residues;
            fn row_forward(k: $k, constants: &RowConstants, x: &mut [u64], scratch: &mut Scratch)
                = row::forward;
            fn row_product(
                k: $k,
                constants: &RowConstants,
                x: &mut [u64],
                other: Option<&[u64]>,
                scratch: &mut Scratch
            ) = row::product;
            fn row_sum(
                k: $k,
                constants: &RowConstants,
                x: &mut [u64],
                terms: &[Term],
                scratch: &mut Scratch
            ) = row::sum;
            fn add_to_all(k: $k, c: Factor, block: &mut [u64]) = butterfly::add_to_all;
            fn fold(k: $k, left: &mut [u64], right: &mut [u64]) = wrapped::fold;
            fn add_scaled(k: $k, w: Factor, x: &mut [u64], y: &[u64]) = wrapped::add_scaled;
            fn scale_difference(k: $k, w: Factor, x: &mut [u64], y: &[u64])
                = wrapped::scale_difference;
            fn scale_all(k: $k, w: Factor, x: &mut [u64]) = wrapped::scale_all;
        );

        fn propagate_carries<const N: usize, const D: usize>(
            crt: &Crt<Self>,
            rows: [&[u64]; N],
            out: &mut [u64],
            carry: &mut [u64; 4],
        ) {
            #[$attribute]
            fn leaf<const N: usize, const D: usize>(
                crt: &Crt<$level>,
                rows: [&[u64]; N],
                out: &mut [u64],
                carry: &mut [u64; 4],
            ) {
                crt::propagate_carries::<$level, N, D>(crt, rows, out, carry)
            }
            $call!(leaf::<N, D>(crt, rows, out, carry))
        }

        fn propagate_carries_in<const N: usize>(
            crt: &Crt<Self>,
            base: &Base,
            rows: [&[u64]; N],
            out: &mut [u64],
            carry: &mut Carry,
        ) {
            #[$attribute]
            fn leaf<const N: usize>(
                crt: &Crt<$level>,
                base: &Base,
                rows: [&[u64]; N],
                out: &mut [u64],
                carry: &mut Carry,
            ) {
                base::propagate_carries::<$level, N>(crt, base, rows, out, carry)
            }
            $call!(leaf::<N>(crt, base, rows, out, carry))
        }

        fn coefficients<const N: usize>(
            crt: &Crt<Self>,
            target: &Target,
            rows: [&[u64]; N],
            out: &mut [u64],
        ) {
            #[$attribute]
            fn leaf<const N: usize>(
                crt: &Crt<$level>,
                target: &Target,
                rows: [&[u64]; N],
                out: &mut [u64],
            ) {
                crt::coefficients::<$level, N>(crt, target, rows, out)
            }
            $call!(leaf::<N>(crt, target, rows, out))
        }
    };
    (@ $level:ident, $call:ident, $attribute:meta, $(
        fn $name:ident($($argument:ident: $type:ty),*) = $module:ident::$loop:ident;
    )*) => {$(
        fn $name($($argument: $type),*) {
            #[$attribute]
            fn leaf($($argument: $type),*) {
                $module::$loop::<$level>($($argument),*)
            }
            $call!(leaf($($argument),*))
        }
    )*};
}
pub(super) use leaves;
