//! Looking for the driver, before anything else is asked of it.

use std::ffi::c_int;
use std::sync::OnceLock;

use cudarc::driver::{result, sys};

use super::super::Begun;
use super::describe;
use crate::error::{Error, Result};

/// The oldest driver served; every function called here exists in it.
const OLDEST_CUDA: u32 = 12000;

/// What the driver says of itself.
#[derive(Debug, Clone, Copy)]
pub(in crate::cuda) struct DriverFacts {
    pub(in crate::cuda) devices: u32,
    pub(in crate::cuda) cuda: u32,
}

/// Looks for the driver, once per process.
pub(in crate::cuda) fn probe() -> Result<DriverFacts> {
    static BEGUN: Begun = Begun::not_yet();
    static FOUND: OnceLock<std::result::Result<DriverFacts, String>> = OnceLock::new();
    let begun = BEGUN.here();
    match FOUND.get() {
        Some(Err(reason)) => Err(Error::NoDevice(reason.clone())),
        _ => begun
            .and_then(|()| (FOUND.get_or_init(look_for_driver).clone()).map_err(Error::NoDevice)),
    }
}

fn look_for_driver() -> std::result::Result<DriverFacts, String> {
    // SAFETY: loads and unloads the driver library, whose initialisers are NVIDIA's own.
    if !unsafe { sys::is_culib_present() } {
        return Err(
            "no NVIDIA driver was found (libcuda is missing): install the NVIDIA driver, \
                    or use engine cpu"
                .into(),
        );
    }
    let mut version: c_int = 0;
    // SAFETY: `version` outlives the call; the function is in every driver and needs no cuInit.
    unsafe { sys::cuDriverGetVersion(&mut version) }
        .result()
        .map_err(|e| format!("the NVIDIA driver does not answer: {}", describe(e)))?;
    let cuda = version as u32;
    if cuda < OLDEST_CUDA {
        return Err(format!(
            "the NVIDIA driver serves CUDA {}, older than {}: install a newer driver",
            dotted(cuda),
            dotted(OLDEST_CUDA)
        ));
    }
    result::init().map_err(|e| {
        format!(
            "the NVIDIA driver does not start: {}; `nvidia-smi` shows what it sees, and \
             CUDA_VISIBLE_DEVICES may hide devices",
            describe(e)
        )
    })?;
    let devices = result::device::get_count().map_err(|e| {
        format!(
            "the NVIDIA driver cannot count its devices: {}",
            describe(e)
        )
    })?;
    Ok(DriverFacts {
        devices: devices as u32,
        cuda,
    })
}

/// 12080 as 12.8.
pub(super) fn dotted(cuda: u32) -> String {
    format!("{}.{}", cuda / 1000, cuda % 1000 / 10)
}
