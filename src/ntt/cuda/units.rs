//! The kernels of `columns.cu`, `rows.cu` and `split.cu`, and the `-D` values with which products
//! use them.

#![allow(unsafe_code)]

use crate::cuda::{Declaration, Handle, Read, Unit, Update, Write, kernels};
use crate::ntt::plan::{DevicePlan, Parts, Use, primes_for};
use crate::tuning::Tuning;

kernels! {
    pub(crate) static COLUMNS = "ntt_columns", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../ntt.cuh"),
        include_str!("../columns.cu")
    );

    fn ntt_columns_forward(
        to_a: Write<u32>[count << log_n], to_b: Write<u32>[count << log_n], a: Read<u64>[len_a],
        len_a: u64, b: Read<u64>[len_b], len_b: u64, tables: Read<u64>, first: u32, count: u32,
        operands: u32, log_n: u32, parts: u32, step: u32, width: u32,
    );
    fn ntt_columns_again(
        a: Update<u32>[count << log_n], b: Update<u32>[count << log_n], tables: Read<u64>,
        first: u32, count: u32, operands: u32, log_n: u32, parts: u32,
    );
    fn ntt_columns_inverse(
        values: Update<u32>[count << log_n], tables: Read<u64>, first: u32, count: u32, log_n: u32,
        parts: u32,
    );
}

kernels! {
    /// The number of a kernel in this list is its `ROW_KIND` in `rows.cu`.
    pub(crate) static ROWS = "ntt_rows", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../ntt.cuh"),
        include_str!("../rows.cu")
    );

    fn ntt_rows_product(
        a: Update<u32>[count << log_n], b: Read<u32>[count << log_n], tables: Read<u64>, first: u32,
        count: u32, parts: u32, primes: u32, log_n: u32,
    );
    fn ntt_rows_square(
        a: Update<u32>[count << log_n], tables: Read<u64>, first: u32, count: u32, parts: u32,
        primes: u32, log_n: u32,
    );
    /// The whole transform is one row of limbs.
    fn ntt_one_row(
        out: Write<u32>, a: Read<u64>[len_a], len_a: u64, b: Read<u64>[len_b], len_b: u64,
        tables: Read<u64>, primes: u32,
    );
    /// Forward, to keep.
    fn ntt_rows_keep(
        a: Update<u32>[count << log_n], tables: Read<u64>, first: u32, count: u32, parts: u32,
        log_n: u32,
    );
    /// By a kept transform, and back.
    fn ntt_rows_by_kept(
        a: Update<u32>[count << log_n], kept: Read<u32>, tables: Read<u64>, first: u32, count: u32,
        parts: u32, primes: u32, log_n: u32, share: u32,
    );
    /// Products of kept transforms, summed and back.
    fn ntt_rows_sum(
        out: Write<u32>[count << log_n], list: Read<u64>[2 * pairs], pairs: u32, tables: Read<u64>,
        first: u32, count: u32, parts: u32, primes: u32, log_n: u32,
    );
    /// Products of kept rows with each other, and back.
    fn ntt_rows_pairs(
        out: Write<u32>[count << log_n], a: Read<u32>, parts_a: u32, b: Read<u32>, parts_b: u32,
        terms: u32, tables: Read<u64>, first: u32, count: u32, parts: u32, primes: u32, log_n: u32,
    );
}

kernels! {
    pub(crate) static SPLIT = "ntt_split", concat!(
        include_str!("../../modp/montgomery.cuh"),
        include_str!("../ntt.cuh"),
        include_str!("../split.cu")
    );

    fn ntt_split(
        to: Write<u32>[(primes * m) << log_n], limbs: Read<u64>[len], len: u64, tables: Read<u64>,
        twists: Read<u64>, matrices: Read<u64>, prime: u32, primes: u32, log_n: u32, m: u32,
    );
    fn ntt_merge(
        values: Update<u32>[(primes * m) << log_n], tables: Read<u64>, twists: Read<u64>,
        matrices: Read<u64>, prime: u32, primes: u32, log_n: u32, m: u32,
    );
}

pub(super) fn column_defines(plan: &DevicePlan, tuning: &Tuning) -> [(&'static str, i64); 3] {
    [
        ("NTT_RESIDENT", tuning.ntt_resident.into()),
        ("COLUMN_LOG", plan.log_rows.into()),
        ("COLUMN_THREADS", plan.column_threads.into()),
    ]
}

pub(super) fn row_defines(
    plan: &DevicePlan,
    kind: usize,
    tuning: &Tuning,
) -> [(&'static str, i64); 4] {
    [
        ("NTT_RESIDENT", tuning.ntt_resident.into()),
        ("ROW_LOG", (plan.log_n - plan.log_rows).into()),
        ("ROW_THREADS", plan.row_threads.into()),
        ("ROW_KIND", kind as i64),
    ]
}

pub(super) fn split_defines(tuning: &Tuning) -> [(&'static str, i64); 1] {
    [("NTT_RESIDENT", tuning.ntt_resident.into())]
}

/// A kernel over rows, by its number.
fn row_unit(plan: &DevicePlan, kind: usize, tuning: &Tuning) -> Unit {
    Unit::new(&ROWS, &row_defines(plan, kind, tuning)).only(&[&ROWS.kernels[kind]])
}

/// Every module that a product may ask for.
pub(crate) fn units(tuning: &Tuning) -> Vec<Unit> {
    let mut all = vec![Unit::new(&SPLIT, &split_defines(tuning))];
    let mut add = |unit: Unit| {
        if !all.contains(&unit) {
            all.push(unit);
        }
    };
    for (plan, use_of) in DevicePlan::shapes(tuning) {
        let kinds: &[usize] = match use_of {
            _ if plan.log_rows == 0 => &[ntt_one_row.place],
            Use::Once => &[ntt_rows_product.place, ntt_rows_square.place],
            Use::Kept => &[
                ntt_rows_keep.place,
                ntt_rows_by_kept.place,
                ntt_rows_sum.place,
            ],
            Use::Rows => &[ntt_rows_keep.place, ntt_rows_pairs.place],
        };
        for kind in kinds {
            add(row_unit(&plan, *kind, tuning));
        }
        if plan.log_rows > 0 {
            add(Unit::new(&COLUMNS, &column_defines(&plan, tuning)));
        }
    }
    all
}

/// The kernels of operations that use products of up to `limbs` limbs: products, kept transforms
/// and sums, of lengths near the powers of two.
pub(crate) fn needed(limbs: u64, tuning: &Tuning) -> Vec<Unit> {
    let mut all: Vec<Unit> = Vec::new();
    let mut add = |plan: DevicePlan, kinds: &[usize]| {
        let kinds = match plan.log_rows {
            0 => &[ntt_one_row.place],
            _ => kinds,
        };
        let rows = kinds.iter().map(|kind| row_unit(&plan, *kind, tuning));
        let columns = (plan.log_rows > 0).then(|| {
            Unit::new(&COLUMNS, &column_defines(&plan, tuning)).only(&[
                &COLUMNS.kernels[ntt_columns_forward.place],
                &COLUMNS.kernels[ntt_columns_inverse.place],
            ])
        });
        for unit in rows.chain(columns) {
            if !all.contains(&unit) {
                all.push(unit);
            }
        }
    };
    let (least, most) = DevicePlan::row_logs(tuning);
    let longest = (2 * limbs).next_power_of_two().ilog2().clamp(least, most);
    for log_n in least..=longest {
        let half = 1 << (log_n - 1);
        if let Some(plan) = DevicePlan::new(half, half, tuning) {
            add(plan, &[ntt_rows_product.place]);
        }
        let kept = [
            ntt_rows_keep.place,
            ntt_rows_by_kept.place,
            ntt_rows_sum.place,
        ];
        // Sums are of short products.
        let kinds = &kept[..if log_n <= 16 { 3 } else { 2 }];
        let primes = primes_for(half, tuning);
        add(DevicePlan::wrapped(primes, log_n, true, tuning), kinds);
        if let Some(plan) = DevicePlan::for_reuse(primes, 3 * half, tuning) {
            add(plan, &kept[..2]);
        }
        // The longest number by a shorter one is multiplied in pieces, which makes blocks larger.
        if let Some(plan) = DevicePlan::new(limbs, half, tuning)
            && let Parts::Pieces { .. } = plan.parts
        {
            add(plan, &kept[..2]);
        }
    }
    all
}

/// The kernels of one product, or of one square, by this plan.
pub(crate) fn of_plan(plan: &DevicePlan, tuning: &Tuning) -> Vec<Unit> {
    let columns = |plan: &DevicePlan, kernels: &[&'static Declaration]| {
        Unit::new(&COLUMNS, &column_defines(plan, tuning)).only(kernels)
    };
    let [forward, again, inverse] = [
        ntt_columns_forward.declaration(),
        ntt_columns_again.declaration(),
        ntt_columns_inverse.declaration(),
    ];
    if plan.log_rows == 0 {
        return vec![row_unit(plan, ntt_one_row.place, tuning)];
    }
    match plan.parts {
        Parts::Pieces { .. } => {
            let one = plan.one();
            vec![
                row_unit(&one, ntt_rows_keep.place, tuning),
                columns(&one, &[forward]),
                row_unit(plan, ntt_rows_by_kept.place, tuning),
                columns(plan, &[forward, inverse]),
            ]
        }
        parts => {
            let mut all = vec![
                row_unit(plan, ntt_rows_product.place, tuning),
                row_unit(plan, ntt_rows_square.place, tuning),
            ];
            match parts {
                Parts::Split(_) => {
                    all.push(columns(plan, &[again, inverse]));
                    all.push(Unit::new(&SPLIT, &split_defines(tuning)));
                }
                _ => all.push(columns(plan, &[forward, inverse])),
            }
            all
        }
    }
}

/// The kernels of kept transforms by this plan, of products by them, and of their sums.
pub(crate) fn of_kept(plan: &DevicePlan, tuning: &Tuning) -> Vec<Unit> {
    let kinds = [
        ntt_rows_keep.place,
        ntt_rows_by_kept.place,
        ntt_rows_sum.place,
    ];
    let rows = kinds.map(|kind| row_unit(plan, kind, tuning));
    let columns = Unit::new(&COLUMNS, &column_defines(plan, tuning)).only(&[
        ntt_columns_forward.declaration(),
        ntt_columns_inverse.declaration(),
    ]);
    rows.into_iter().chain([columns]).collect()
}

/// The kernels of products of many short numbers side by side.
pub(crate) fn of_rows(tuning: &Tuning) -> Vec<Unit> {
    let mut all: Vec<Unit> = Vec::new();
    let shapes = DevicePlan::shapes(tuning).into_iter();
    for (plan, _) in
        shapes.filter(|(plan, use_of)| matches!(use_of, Use::Rows) && plan.log_rows > 0)
    {
        let kernels = [
            ntt_columns_forward.declaration(),
            ntt_columns_inverse.declaration(),
        ];
        let units = [
            row_unit(&plan, ntt_rows_keep.place, tuning),
            row_unit(&plan, ntt_rows_pairs.place, tuning),
            Unit::new(&COLUMNS, &column_defines(&plan, tuning)).only(&kernels),
        ];
        for unit in units {
            if !all.contains(&unit) {
                all.push(unit);
            }
        }
    }
    all
}

/// Modules that products of many lengths and shapes ask for.
#[cfg(test)]
pub(crate) fn examples(tuning: &Tuning) -> Vec<Unit> {
    let mut all = Vec::new();
    let mut add = |plan: Option<DevicePlan>, kinds: &[usize]| {
        let Some(plan) = plan else { return };
        for kind in kinds {
            match plan.log_rows {
                0 => all.push((plan, ntt_one_row.place)),
                _ => all.push((plan, *kind)),
            }
        }
    };
    for log in 1..30 {
        for a in [1u64 << log, (1 << log) + 1, 3 << log, (5 << log) - 1] {
            for b in [1, 2, a / 1000 + 1, a / 3 + 1, a] {
                let once = DevicePlan::new(a, b, tuning);
                let pieces = once.filter(|plan| matches!(plan.parts, Parts::Pieces { .. }));
                add(once, &[ntt_rows_product.place, ntt_rows_square.place]);
                add(pieces.map(|plan| plan.one()), &[ntt_rows_keep.place]);
                add(pieces, &[ntt_rows_by_kept.place]);
                let primes = primes_for(b, tuning);
                let kept = DevicePlan::for_reuse(primes, a + b, tuning);
                add(
                    kept,
                    &[
                        ntt_rows_keep.place,
                        ntt_rows_by_kept.place,
                        ntt_rows_sum.place,
                    ],
                );
                add(
                    kept.and_then(|plan| plan.with_kept(a, b)),
                    &[ntt_rows_by_kept.place],
                );
                add(
                    DevicePlan::cyclic(primes, a, tuning),
                    &[
                        ntt_rows_keep.place,
                        ntt_rows_by_kept.place,
                        ntt_rows_sum.place,
                    ],
                );
            }
        }
    }
    let (least, most) = DevicePlan::row_logs(tuning);
    for log in least..=most {
        add(
            Some(DevicePlan::rows(log, 5, tuning)),
            &[ntt_rows_keep.place, ntt_rows_pairs.place],
        );
    }
    let units = all.into_iter().flat_map(|(plan, kind)| {
        let columns = Unit::new(&COLUMNS, &column_defines(&plan, tuning));
        let rows = row_unit(&plan, kind, tuning);
        [Some(rows), (plan.log_rows > 0).then_some(columns)]
    });
    units.flatten().collect()
}
