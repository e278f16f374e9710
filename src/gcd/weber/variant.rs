//! Variants of the reduction on a device, for measurements: how blocks meet, how products are
//! reduced, whether a meeting waits for every inverse, and how many blocks a multiprocessor has.
//! All that wait find the same steps and digits.

use super::plan::Moduli;
use super::{Options, Stats, cuda, finish, plan};
use crate::engine::{self, ChosenPlace, Work};
use crate::error::{Error, Result};
use crate::limbs::Resident;

/// How the blocks of the kernel find the least quotient of all, once a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// In slots with tags, which the first warp of a block reads: Weber–Brew section 4.1.
    Slots,
    /// By an atomic minimum and a barrier of the whole grid, a counter and a round.
    Barrier,
    /// By an atomic minimum and the barrier of NVIDIA's Cooperative Groups, `grid.sync()`, in the
    /// driver's workspace of a cooperative launch.
    GridSync,
}

/// A variant of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// How blocks meet.
    pub meeting: Meeting,
    /// Whether products are reduced by quotients (Cavagnino–Werbrouck, Weber–Brew section 3.1) in
    /// place of Montgomery's method.
    pub quotients: bool,
    /// Whether the first steps of the next inverse are made while blocks meet.
    pub early: bool,
    /// How many times two steps of an inverse are made before a meeting that goes on without those
    /// that are not known then; 0 where it waits for all. Where a thread has one modulus.
    pub patience: u32,
    /// Most blocks of a multiprocessor, where the device has room for them; at least 1.
    pub resident: u32,
}

impl Default for Variant {
    fn default() -> Variant {
        Variant::USUAL
    }
}

impl Variant {
    const USUAL: Variant = Variant {
        meeting: Meeting::Slots,
        quotients: false,
        early: true,
        patience: 0,
        resident: 1,
    };

    /// Six times two steps: one inverse in a thousand takes more.
    const PATIENT: Variant = Variant {
        patience: 6,
        ..Variant::USUAL
    };

    /// The variants that are measured, the usual one first, with their names.
    pub const ALL: [(&str, Variant); 8] = [
        ("usual", Variant::USUAL),
        (
            "late inverses",
            Variant {
                early: false,
                ..Variant::USUAL
            },
        ),
        ("patience", Variant::PATIENT),
        (
            "patience, quotients",
            Variant {
                quotients: true,
                ..Variant::PATIENT
            },
        ),
        ("grid barrier", Variant::met(Meeting::Barrier)),
        ("grid.sync()", Variant::met(Meeting::GridSync)),
        (
            "quotients",
            Variant {
                quotients: true,
                ..Variant::USUAL
            },
        ),
        (
            "two blocks",
            Variant {
                resident: 2,
                ..Variant::USUAL
            },
        ),
    ];

    const fn met(meeting: Meeting) -> Variant {
        Variant {
            meeting,
            ..Variant::USUAL
        }
    }

    /// Whether it is compiled as the usual one is, and differs in its launch at most.
    pub(super) fn is_usual_kernel(self) -> bool {
        let usual = Variant::USUAL;
        let compiled = |v: Variant| (v.meeting, v.quotients, v.early, v.patience);
        compiled(self) == compiled(usual)
    }
}

/// gcd(a, b) for a ≥ b > 0 by this variant, on the device in force.
pub(crate) fn gcd_by(
    a: &Resident,
    b: &Resident,
    options: Options,
    variant: Variant,
) -> Result<(Resident, Stats)> {
    let place = engine::place(Work::IN_PLACE, [a.residence(), b.residence()])?;
    let ChosenPlace::Cuda(device) = place else {
        return Err(Error::Unsupported {
            operation: "a variant of Weber's reduction",
            engine: "cpu".into(),
        });
    };
    let bits = [a.bits_bound(), b.bits_bound()];
    let mut moduli = Moduli::new(cuda::options_on(&device, options, bits[0]), bits[0], 32)?;
    let mut retries = 0;
    loop {
        let run = cuda::run_by(&a.on(&device)?, &b.on(&device)?, &moduli, variant)?;
        if let Some(most) = plan::proved(bits, &run, &moduli) {
            return finish(&run, &moduli, most, retries);
        }
        retries += 1;
        moduli = moduli.more(32, bits[0])?;
    }
}
