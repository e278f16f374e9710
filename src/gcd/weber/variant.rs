//! Variants of the reduction on a device, for measurements. They differ in how blocks exchange
//! their words, how products are reduced, whether an exchange waits for every inverse, and how many
//! blocks a multiprocessor has. All variants that wait find the same steps and digits.

use super::plan::Moduli;
use super::{Options, Stats, cuda, finish, plan};
use crate::engine::{self, ChosenPlace, Work};
use crate::error::{Error, Result};
use crate::limbs::Resident;

/// How the blocks of the kernel find the smallest quotient of the grid, once per step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// By slots with tags, which the first warp of each block reads: Weber–Brew section 4.1.
    Slots,
    /// By an atomic minimum and a barrier of the whole grid, made of a counter and a round number.
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
    /// Whether the first steps of the next inverse are made while blocks exchange their words.
    pub early: bool,
    /// The number of pairs of steps of an inverse before an exchange. The exchange leaves out the
    /// inverses that are not known then. 0 if it waits for all. Applies if a thread has one
    /// modulus.
    pub patience: u32,
    /// The maximum number of blocks of a multiprocessor, if the device has room for them; at least
    /// 1.
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

    /// Six pairs of steps: one inverse in a thousand takes more.
    const PATIENT: Variant = Variant {
        patience: 6,
        ..Variant::USUAL
    };

    /// The measured variants with their names, the default first.
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

    /// Whether this variant is compiled like the default and differs at most in its launch.
    pub(super) fn is_usual_kernel(self) -> bool {
        let usual = Variant::USUAL;
        let compiled = |v: Variant| (v.meeting, v.quotients, v.early, v.patience);
        compiled(self) == compiled(usual)
    }
}

/// gcd(a, b) for a ≥ b > 0 by this variant, on the current device.
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
