//! Reconstructs the limbs of a number from the residues of its coefficients.

use super::crt::Crt;
use super::lanes::Lanes;
use super::plan::HostPlan;
use super::scratch::Buffer;
use crate::threads;
use crate::word::sum::add_assign;

/// Returns the lowest `len` limbs of the number whose coefficients have these residues, one buffer
/// per prime of the plan.
pub(super) fn propagate_carries<L: Lanes>(
    plan: HostPlan,
    residues: &[Buffer],
    len: usize,
) -> Vec<u64> {
    if plan.limbs == 1 {
        limbs_of::<L, 3, 3>(plan, residues, len)
    } else {
        limbs_of::<L, 6, 6>(plan, residues, len)
    }
}

/// As [`propagate_carries`], for N primes whose product has D words of 52 bits.
fn limbs_of<L: Lanes, const N: usize, const D: usize>(
    plan: HostPlan,
    residues: &[Buffer],
    len: usize,
) -> Vec<u64> {
    let crt = Crt::<L>::new(&plan);
    let residues: [&[u64]; N] = std::array::from_fn(|i| &residues[i][..]);
    let per_row = plan.row_limbs();
    // Rows of a block. One task computes the limbs of a block. Carries between blocks are added at
    // the end.
    let block_rows = plan.parts_per_task(plan.row);
    let block = |at: usize, out: &mut [u64]| {
        let mut carry = [0; 4];
        for (r, out) in out.chunks_mut(per_row).enumerate() {
            let r = at * block_rows + r;
            if r >= plan.rows {
                // Past the last row of values, only the carry is left to write.
                let some = carry.len().min(out.len());
                out[..some].copy_from_slice(&carry[..some]);
                carry = [0; 4];
                continue;
            }
            let rows = residues.map(|x| &x[r * plan.pitch()..][..plan.row]);
            if out.len() == per_row {
                L::propagate_carries::<N, D>(&crt, rows, out, &mut carry);
            } else {
                let mut whole = vec![0; per_row];
                L::propagate_carries::<N, D>(&crt, rows, &mut whole, &mut carry);
                out.copy_from_slice(&whole[..out.len()]);
                carry = [0; 4];
            }
        }
        carry
    };
    let block_limbs = block_rows * per_row;
    let (mut out, carries) = if plan.parallel {
        threads::build_chunks(len, block_limbs, block)
    } else {
        let mut out = vec![0; len];
        let blocks = out.chunks_mut(block_limbs).enumerate();
        let carries = blocks.map(|(at, out)| block(at, out)).collect();
        (out, carries)
    };
    for (at, carry) in carries.iter().enumerate() {
        let above = out.get_mut((at + 1) * block_limbs..).unwrap_or_default();
        add(above, carry);
    }
    out
}

/// x += y. Limbs of y past the end of x must be 0. Returns the carry out of x.
pub(crate) fn add(x: &mut [u64], y: &[u64]) -> bool {
    let (low, past) = y.split_at(y.len().min(x.len()));
    debug_assert!(past.iter().all(|limb| *limb == 0));
    add_assign(x, low)
}
