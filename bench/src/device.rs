//! What the benchmarks ask of a device beyond the public arithmetic: a launch of chosen shape, and
//! a copy to compare with.

use std::sync::Arc;

use bezout::cuda::Device;
use bezout::{Int, Result};
use bezout_lab::measure::{LinearOp, linear_with_shape};

use crate::operation::Operation;
use crate::record::LaunchShape;

/// Queues one operation with a launch shape; nothing is waited for. A count stays on the device, as
/// a value of its own.
///
/// Only the operations that Liu and Tong vary the shape of can be asked for: and, add, sub,
/// popcount, fill.
pub fn queue(
    device: &Arc<Device>,
    operation: Operation,
    a: &Int,
    b: &Int,
    shape: LaunchShape,
) -> Result<Int> {
    let op = match operation {
        Operation::And => LinearOp::And,
        Operation::Add => LinearOp::Add,
        Operation::Sub => LinearOp::Sub,
        Operation::Popcount => LinearOp::Popcount,
        Operation::Fill => LinearOp::Fill(Operation::PATTERN),
        other => {
            return Err(bezout::Error::Domain(format!(
                "{} has no launch of chosen shape",
                other.name()
            )));
        }
    };
    linear_with_shape(device, op, a, b, shape.block, shape.grid)
}

/// Bytes read plus bytes written per second by a copy of `bits` bits from device memory to device
/// memory.
pub fn copy_bandwidth(device: &Arc<Device>, bits: u64) -> Result<f64> {
    device.copy_bandwidth(limbs(bits))
}

/// 64-bit limbs of a value of `bits` bits.
pub fn limbs(bits: u64) -> usize {
    bits.div_ceil(64) as usize
}
