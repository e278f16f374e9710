//! The kernels of all operations: which there are, and compiling them before anyone asks for them.
//!
//! The list is closed: under the tuning in force an operation of any size asks for kernels of this
//! list alone. Those that are asked for by name and compiled then are not in it: modular GCDs with
//! moduli of other than 32 bits, sorts by digits of a size given by the caller.

#![cfg_attr(not(feature = "cuda"), allow(unused))]

use std::io;
use std::path::{Path, PathBuf};

use crate::cuda::{self, Unit};
use crate::error::Result;
use crate::model::probe;
use crate::tuning::Tuning;
use crate::{
    background, batch, factoring, gcd, limbs, modp, mul, ntt, poly, progress, radix, sort, threads,
};

/// Where a kernel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum State {
    /// In a pack that is shipped with the library or the program.
    Packed,
    /// In the user's cache.
    Cached,
    /// Nowhere: it is compiled when an operation first needs it.
    Missing,
}

/// A kernel of the list.
#[derive(Debug, Clone, serde::Serialize)]
#[non_exhaustive]
pub struct ListedKernel {
    /// Its name.
    pub name: &'static str,
    /// The values it is compiled with.
    pub defines: Vec<(&'static str, i64)>,
    /// Where it is.
    pub state: State,
}

/// Compiled kernels.
#[non_exhaustive]
pub struct Prepared {
    /// The compiler.
    pub compiler: String,
    /// How many there are, of all architectures.
    pub kernels: usize,
    /// How many of them had to be compiled.
    pub compiled: usize,
    /// Bytes of all.
    pub bytes: u64,
    #[cfg(feature = "cuda")]
    all: Vec<cuda::ahead::Ahead>,
}

/// Every kernel that an operation may ask for under these tunings.
pub(crate) fn units(tunings: &[Tuning]) -> Vec<Unit> {
    let mut all: Vec<Unit> = Vec::new();
    for tuning in tunings {
        let of_tuning = [
            // Those that take longest to compile first, so that none of them is left to the end.
            factoring::cuda::units(tuning),
            factoring::ecm::cuda::units(tuning),
            factoring::sieve::cuda::units(tuning),
            factoring::sieve::matrix::cuda::units(tuning),
            batch::arith::cuda::units(tuning),
            gcd::lattice::cuda::units(tuning),
            poly::cuda::units(tuning),
            ntt::cuda::units(tuning),
            mul::cuda::units(tuning),
            gcd::weber::cuda::units(tuning),
            sort::cuda::units(tuning),
            radix::cuda::units(tuning),
            limbs::cuda::units(tuning),
            modp::cuda::units(tuning),
            factoring::published::cuda::units(),
            probe::cuda::units(),
        ];
        for unit in of_tuning.into_iter().flatten() {
            if !all.contains(&unit) {
                all.push(unit);
            }
        }
    }
    all
}

/// The architecture of the first device, as 90 for sm_90; an error where there is none.
pub fn architecture_here() -> Result<u32> {
    let (major, minor) = cuda::device(0)?.info().compute_capability;
    Ok(10 * major + minor)
}

/// The list, and where the kernels for this architecture (90 for sm_90) are.
pub fn list(architecture: u32) -> Vec<ListedKernel> {
    let state = |unit: &Unit, kernel: &str| -> State {
        #[cfg(feature = "cuda")]
        match cuda::ahead::find(unit, kernel, architecture) {
            Some(cuda::ahead::Obtained::Packed) => return State::Packed,
            Some(_) => return State::Cached,
            None => {}
        }
        let _ = (unit, kernel, architecture);
        State::Missing
    };
    let mut all = Vec::new();
    for unit in units(&Tuning::all_in_force()) {
        all.extend(unit.kernels.iter().map(|kernel| ListedKernel {
            name: kernel.name,
            defines: unit.defines.clone(),
            state: state(&unit, kernel.name),
        }));
    }
    all
}

/// Compiles the list for these architectures, which need not be here, on all threads; the user's
/// cache has it afterwards.
pub fn prepare(architectures: &[u32]) -> Result<Prepared> {
    #[cfg(not(feature = "cuda"))]
    return Err(crate::error::Error::NoDevice(
        "this build has no CUDA: nothing compiles kernels".into(),
    ));
    #[cfg(feature = "cuda")]
    {
        let compiler = cuda::ahead::check(architectures)?;
        // Packs are also for machines without a tuning of their own.
        let mut tunings = Tuning::all_in_force();
        tunings.push(Tuning::DEFAULT);
        let units = units(&tunings);
        let mut tasks: Vec<(&Unit, &str, u32)> = Vec::new();
        for architecture in architectures {
            for unit in &units {
                let kernels = unit.kernels.iter();
                tasks.extend(kernels.map(|kernel| (unit, kernel.name, *architecture)));
            }
        }
        let all = progress::stage("compiling kernels", tasks.len() as u64, |stage| {
            let place = progress::shared();
            let one = |i: usize| {
                progress::inherit(place.clone(), progress::check)?;
                let (unit, kernel, architecture) = tasks[i];
                let compiled = cuda::ahead::compile(unit, kernel, architecture)?;
                stage.advance(1)?;
                Ok(compiled)
            };
            let all = threads::map(tasks.len(), 1, one);
            all.into_iter().collect::<Result<Vec<_>>>()
        })?;
        let is_new = |one: &&cuda::ahead::Ahead| one.found == cuda::ahead::Obtained::Compiled;
        Ok(Prepared {
            compiler,
            kernels: all.len(),
            compiled: all.iter().filter(is_new).count(),
            bytes: all.iter().map(|one| one.bytes() as u64).sum(),
            all,
        })
    }
}

/// Waits for what `Auto` does in the background: waking a device, and compiling kernels that an
/// operation has lacked. Operations alike run on the device afterwards where that pays.
pub fn wait() {
    background::wait();
}

impl Prepared {
    /// Writes a pack for each architecture, `bezout-sm_90.kernels` or the like, into a folder that
    /// `BEZOUT_KERNELS` can name; their paths, and bytes.
    pub fn write(self, folder: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
        #[cfg(not(feature = "cuda"))]
        return Err(io::ErrorKind::Unsupported.into());
        #[cfg(feature = "cuda")]
        cuda::ahead::write_packs(folder, self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_closed_for_products() {
        for tuning in [Tuning::DEFAULT, Tuning::MINIMAL] {
            let units = ntt::cuda::units(&tuning);
            for unit in ntt::cuda::examples(&tuning) {
                assert!(units.contains(&unit), "{unit:?}");
            }
        }
    }

    #[test]
    fn no_kernel_is_listed_twice() {
        let units = units(&[Tuning::DEFAULT, Tuning::MINIMAL]);
        for (i, unit) in units.iter().enumerate() {
            assert!(!units[..i].contains(unit), "{unit:?}");
        }
    }
}
