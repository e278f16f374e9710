//! The one place that decides where a piece of work runs.
//!
//! | engine | operands | runs on |
//! |---|---|---|
//! | `cpu` | | the CPU |
//! | `cuda:N` | | that device; the CPU where all operands are on the host and the work is too short to pay |
//! | `auto` | one lies on a device alone | that device |
//! | | all long ones have a copy on a device | that device |
//! | | others | the first device where sending them pays, else the CPU |
//!
//! Sending pays from a length on that is measured for each kind of work, host to host, with the
//! device awake: its `*_auto_limbs` or the like in the tuning. The same lengths say what a device
//! that was asked for by name leaves to the host; sums and the like have `launch_limbs` there, as
//! sending them never pays.
//!
//! A device that is not ready is not waited for under `auto` where the CPU can do the work. Two
//! things may be missing:
//!
//! - the device sleeps: waking it takes some tenths of a second. It is woken in the background once
//!   the CPU has spent a third of that on work that a device would have done;
//! - kernels of the operation are in no pack and not in the cache: compiling one takes about half a
//!   second. They are compiled in the background.
//!
//! The CPU does the work until both are there. Work so long that waking, compiling and the device's
//! own time are less together than the CPU's waits for the device. So does all work where nothing
//! can run in the background (`background.rs`).
//!
//! Under `auto` a device that has no memory left hands the work to the CPU, and says so. An engine
//! asked for by name never falls back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use serde::Serialize;

use super::{EXECUTOR, Engine};
use crate::background::{self, Priority};
use crate::cuda::{self, Device, Residence, Unit};
use crate::error::{Error, Result};
use crate::fork::PerProcess;
use crate::tuning::Tuning;
use crate::{memory, notice, progress, threads};

/// Where an operation will run.
pub(crate) enum ChosenPlace {
    Cpu,
    Cuda(Arc<Device>),
}

/// What a decision needs to know of a piece of work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    kind: Kind,
    /// Limbs, keys or numbers, whatever the kind's threshold counts.
    size: u64,
    /// Limbs that it needs on the host besides what its kind and its size say.
    room: u64,
    /// Whether a device that was asked for by name does it however short it is.
    is_launched: bool,
    /// The kernels that it needs, as far as they are known before it runs.
    needs: Option<(KernelList, (u64, u64))>,
}

/// Lists the kernels of an operation on numbers of up to so many limbs. What two sizes mean is the
/// list's affair.
pub(crate) type KernelList = fn((u64, u64), &Tuning) -> Vec<Unit>;

/// What a row costs, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowCost {
    /// Nanoseconds of a row on one core of the host.
    pub(crate) core_nanos: u64,
    /// Nanoseconds of a few rows on an H200: they take as long as one.
    pub(crate) few_nanos: u64,
    /// Bytes of a row and of its result that move between host and device.
    pub(crate) bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Linear,
    Product,
    Division,
    Root,
    Power,
    Gcd,
    Cofactors,
    Print,
    Parse,
    Sort,
    Factors,
    Keys,
    Sieve,
    Curves,
    Series,
    PolyProduct,
    PolyDivision,
    PolyGcd,
    PolyPoints,
    /// Independent rows: the size is the time that the CPU takes for all of them, in nanoseconds.
    Rows {
        /// Nanoseconds that a device takes for them, transfers included.
        device_nanos: u64,
    },
}

impl Work {
    /// Work that is done where its operands are, however short they are.
    pub(crate) const IN_PLACE: Work = Work {
        kind: Kind::Linear,
        size: 0,
        room: 0,
        is_launched: true,
        needs: None,
    };

    /// Work that is done where its operands are, which have so many limbs with its result.
    pub(crate) fn in_place(limbs: usize) -> Work {
        Work {
            size: limbs as u64,
            ..Work::IN_PLACE
        }
    }

    /// Work whose time is that of reading its operands: moving them would cost more.
    pub(crate) fn linear(bits: u64) -> Work {
        Work::of(Kind::Linear, bits.div_ceil(64))
    }

    /// A product whose shorter operand has so many bits.
    pub(crate) fn product(shorter: u64) -> Work {
        Work::of(Kind::Product, shorter.div_ceil(64))
    }

    /// A division of m bits by n bits.
    pub(crate) fn division(m: u64, n: u64) -> Work {
        Work::of(Kind::Division, n.min(m.saturating_sub(n)).div_ceil(64))
    }

    /// A root of a number of so many bits.
    pub(crate) fn root(bits: u64) -> Work {
        Work::of(Kind::Root, bits.div_ceil(64))
    }

    /// A power, a factorial or the like with a result of so many bits.
    pub(crate) fn power(bits: u64) -> Work {
        Work::of(Kind::Power, bits.div_ceil(64))
    }

    /// A greatest common divisor of numbers of up to so many bits.
    pub(crate) fn gcd(bits: u64) -> Work {
        Work::of(Kind::Gcd, bits.div_ceil(64))
    }

    /// A greatest common divisor with cofactors, of numbers of up to so many bits.
    pub(crate) fn cofactors(bits: u64) -> Work {
        Work::of(Kind::Cofactors, bits.div_ceil(64))
    }

    /// The digits of a number of so many bits.
    pub(crate) fn print(bits: u64) -> Work {
        Work::of(Kind::Print, bits.div_ceil(64))
    }

    /// A number of so many bits from its digits.
    pub(crate) fn parse(bits: u64) -> Work {
        Work::of(Kind::Parse, bits.div_ceil(64))
    }

    /// A sort of so many keys.
    pub(crate) fn sort(keys: usize) -> Work {
        Work::of(Kind::Sort, keys as u64)
    }

    /// The factors of so many numbers of up to 128 bits.
    pub(crate) fn factors(numbers: usize) -> Work {
        Work::of(Kind::Factors, numbers as u64)
    }

    /// The factors that moduli of so many limbs together share.
    pub(crate) fn keys(limbs: u64) -> Work {
        Work::of(Kind::Keys, limbs)
    }

    /// A quadratic sieve of a number of so many bits.
    pub(crate) fn sieve(bits: u64) -> Work {
        Work::of(Kind::Sieve, bits)
    }

    /// Elliptic curves with the first bound `b1` modulo a number of so many bits.
    pub(crate) fn curves(bits: u64, b1: u64, count: u64) -> Work {
        let limbs = bits.div_ceil(64);
        let steps = (limbs * limbs).saturating_mul(b1).saturating_mul(count);
        Work::of(Kind::Curves, steps)
    }

    /// Binary splitting of a series whose denominator has so many bits.
    pub(crate) fn series(bits: u64) -> Work {
        Work::of(Kind::Series, bits.div_ceil(64))
    }

    /// A product of polynomials, of which the shorter has so many coefficients.
    pub(crate) fn poly_product(shorter: usize) -> Work {
        Work::of(Kind::PolyProduct, shorter as u64).launched()
    }

    /// A division of polynomials, or a reduction: the shorter of divisor and quotient has so many
    /// coefficients.
    pub(crate) fn poly_division(shorter: usize) -> Work {
        Work::of(Kind::PolyDivision, shorter as u64).launched()
    }

    /// A greatest common divisor of polynomials, with cofactors or without: the shorter has so many
    /// coefficients.
    pub(crate) fn poly_gcd(shorter: usize) -> Work {
        Work::of(Kind::PolyGcd, shorter as u64).launched()
    }

    /// The values of a polynomial at points: so many points, and at least as many coefficients.
    pub(crate) fn poly_points(count: usize) -> Work {
        Work::of(Kind::PolyPoints, count as u64).launched()
    }

    /// The same operation on each of `count` rows.
    ///
    /// The CPU shares rows out to its threads where that pays. The device's time has three parts:
    /// that of a few rows, the transfers, and the time of all rows once they fill the device.
    pub(crate) fn rows(count: usize, row: RowCost) -> Work {
        /// The first bytes that move take twice as long as the others.
        const SLOW_BYTES: u64 = 8 << 20;
        let (tuning, count) = (Tuning::in_force(), count as u64);
        let total = count.saturating_mul(row.core_nanos);
        let shared = total / threads::count() as u64 + 1000 * tuning.rows_share_micros;
        let bytes = count.saturating_mul(row.bytes);
        let bytes = bytes.saturating_add(bytes.min(SLOW_BYTES));
        let few = row.few_nanos.saturating_mul(tuning.rows_few_percent) / 100;
        let device_nanos = few
            .saturating_add(bytes.saturating_mul(tuning.rows_byte_picos) / 1000)
            .saturating_add(total / tuning.rows_device_cores);
        Work::of(Kind::Rows { device_nanos }, total.min(shared)).launched()
    }

    /// This work, which needs so many limbs of the host's memory besides.
    pub(crate) fn with_room(self, limbs: usize) -> Work {
        Work {
            room: limbs as u64,
            ..self
        }
    }

    /// This work, done by a device that was asked for by name however short it is.
    pub(crate) fn launched(self) -> Work {
        Work {
            is_launched: true,
            ..self
        }
    }

    /// Its size, in what its kind counts.
    pub(crate) fn size(self) -> u64 {
        self.size
    }

    /// This work, which needs these kernels. `auto` begins it on a device when they are there.
    /// Kernels that it needs besides are waited for.
    pub(crate) fn needing(self, list: KernelList, sizes: (u64, u64)) -> Work {
        Work {
            needs: Some((list, sizes)),
            ..self
        }
    }

    fn of(kind: Kind, size: u64) -> Work {
        let is_launched = matches!(kind, Kind::Sort | Kind::Factors | Kind::Keys | Kind::Curves);
        Work {
            kind,
            size,
            room: 0,
            is_launched,
            needs: None,
        }
    }

    /// Whether a device that will be ready after so many microseconds is done before the CPU.
    fn is_worth_waiting(self, micros: u64) -> bool {
        /// How much faster a device does what is beyond the least work worth sending, at least: the
        /// least takes both as long.
        const GAIN: u64 = 8;
        let on_cpu = self.cpu_micros();
        let least = Work {
            size: self.least(),
            ..self
        };
        let least = least.cpu_micros().min(on_cpu);
        let on_device = least + (on_cpu - least) / GAIN;
        micros.saturating_add(on_device) < on_cpu
    }

    /// Whether operands on the host are worth sending to a device that is awake.
    fn is_worth_sending(self) -> bool {
        self.size >= self.least()
    }

    /// The least size that is worth sending.
    fn least(self) -> u64 {
        let tuning = Tuning::in_force();
        let least = match self.kind {
            Kind::Linear => usize::MAX,
            Kind::Product => tuning.mul_auto_limbs,
            Kind::Division => tuning.div_auto_limbs,
            Kind::Root => tuning.root_auto_limbs,
            Kind::Power => tuning.pow_auto_limbs,
            Kind::Gcd => tuning.gcd_auto_device_limbs,
            Kind::Cofactors => tuning.cofactors_auto_limbs,
            Kind::Print => tuning.print_auto_limbs,
            Kind::Parse => tuning.parse_auto_limbs,
            Kind::Sort => tuning.sort_auto_device_keys,
            Kind::Factors => tuning.factor_auto_device_numbers,
            Kind::Keys => tuning.keys_auto_device_limbs,
            Kind::Sieve => tuning.sieve_auto_device_bits,
            Kind::Curves => tuning.ecm_auto_device_steps,
            Kind::Series => tuning.series_auto_limbs,
            Kind::PolyProduct => tuning.poly_mul_auto_len,
            Kind::PolyDivision => tuning.poly_div_auto_len,
            Kind::PolyGcd => tuning.poly_gcd_auto_len,
            Kind::PolyPoints => tuning.poly_points_auto_len,
            Kind::Rows { device_nanos } => return device_nanos,
        };
        least as u64
    }

    /// Whether a device that was asked for by name leaves the work to the host, which has all
    /// operands.
    fn is_too_short(self) -> bool {
        !self.is_launched
            && match self.kind {
                Kind::Linear => self.size < Tuning::in_force().launch_limbs as u64,
                _ => !self.is_worth_sending(),
            }
    }

    /// Bits of the host's memory that it needs at least for its result and working space, roughly.
    /// What a result's length does not follow from is checked where the result is made.
    fn host_bits(self) -> u128 {
        let copies = match self.kind {
            Kind::Linear => 1,
            Kind::Product | Kind::Division | Kind::Sort => 2,
            Kind::Root | Kind::Power | Kind::Parse => 4,
            Kind::Gcd | Kind::Cofactors | Kind::Print | Kind::Keys => 6,
            Kind::Factors | Kind::Sieve | Kind::Curves | Kind::Series => 0,
            Kind::PolyProduct | Kind::PolyDivision | Kind::PolyGcd | Kind::PolyPoints => 0,
            Kind::Rows { .. } => 0,
        };
        64 * (copies * u128::from(self.size) + u128::from(self.room))
    }

    /// Microseconds that it takes on the CPU, roughly: only whether to wake a device depends on it.
    /// The weights, in products of the same length, are estimates.
    pub(crate) fn cpu_micros(self) -> u64 {
        let per_mille = match self.kind {
            Kind::Linear => 50,
            Kind::Product | Kind::Power => 1000,
            Kind::Root => 2000,
            Kind::Division | Kind::Parse => 4000,
            Kind::Print => 8000,
            Kind::Series => 20_000,
            Kind::Gcd => 60_000,
            Kind::Cofactors => 100_000,
            // A key takes less than a limb, a number of 64 bits or a modulus far more.
            Kind::Sort => 100,
            Kind::Factors | Kind::Keys => 100_000,
            // It takes twice as long for every eleven bits: 0.9 s on one core at 199 bits.
            Kind::Sieve => {
                let seconds = 0.9 * ((self.size as f64 - 199.0) / 11.0).exp2();
                return (1e6 * seconds / threads::count() as f64) as u64;
            }
            // Of a coefficient, on 16 threads.
            Kind::PolyProduct => 200,
            Kind::PolyDivision => 1000,
            Kind::PolyGcd | Kind::PolyPoints => 30_000,
            Kind::Rows { .. } => return self.size / 1000,
            // Measured on 16 threads, modulo three limbs.
            Kind::Curves => return self.size / 12 / threads::count() as u64,
        };
        let nanos = Tuning::in_force().mul_limb_nanos.saturating_mul(self.size);
        nanos.saturating_mul(per_mille) / 1_000_000
    }
}

/// An error where a device was asked for by name and is not there: also for work that does not need
/// it.
pub(crate) fn check() -> Result<()> {
    match Engine::current() {
        Engine::Cuda(ordinal) => cuda::device(ordinal).map(drop),
        Engine::Auto | Engine::Cpu => Ok(()),
    }
}

/// Bytes of a device's memory that this work has beside the host's: 0 where it runs on the CPU.
pub(crate) fn device_bytes(work: Work) -> Result<u64> {
    Ok(match place(work, [Residence::Host])? {
        ChosenPlace::Cpu => 0,
        ChosenPlace::Cuda(device) => device.info().memory_limit,
    })
}

/// Where this work runs. An error where a device was asked for by name and is not there, whatever
/// the work.
pub(crate) fn place(
    work: Work,
    operands: impl IntoIterator<Item = Residence>,
) -> Result<ChosenPlace> {
    chosen(work, &mut operands.into_iter())
}

fn chosen(work: Work, operands: &mut dyn Iterator<Item = Residence>) -> Result<ChosenPlace> {
    let engine = Engine::current();
    if engine == Engine::Cpu {
        return Ok(ChosenPlace::Cpu);
    }
    let (mut home, mut is_host_only) = (None, false);
    for operand in operands {
        match operand {
            Residence::Inline => {}
            Residence::Host => is_host_only = true,
            Residence::Both(device) => home = Some(device),
            Residence::Device(device) if engine == Engine::Auto => {
                return Ok(where_ready(work, device.of_thread()));
            }
            Residence::Device(device) => home = Some(device),
        }
    }
    if let Engine::Cuda(ordinal) = engine {
        let device = cuda::device(ordinal)?;
        return Ok(if home.is_none() && work.is_too_short() {
            ChosenPlace::Cpu
        } else {
            ChosenPlace::Cuda(device)
        });
    }
    let device = match home {
        Some(device) if !is_host_only || work.is_worth_sending() => Some(device),
        _ => receiver(work),
    };
    Ok(device.map_or(ChosenPlace::Cpu, |device| {
        where_ready(work, device.of_thread())
    }))
}

/// This device where it can begin with this work at once, or so soon that the CPU would take
/// longer. The CPU elsewhere: what the device lacks is compiled in the background.
fn where_ready(work: Work, device: Arc<Device>) -> ChosenPlace {
    /// Microseconds that a kernel takes to compile on one thread, roughly.
    const COMPILE_MICROS: u64 = 500_000;
    let Some((list, sizes)) = work.needs else {
        return ChosenPlace::Cuda(device);
    };
    let missing = device.missing_of(list, sizes);
    if missing.is_empty() {
        return ChosenPlace::Cuda(device);
    }
    let rounds = missing.len().div_ceil(threads::count()) as u64;
    if work.is_worth_waiting(COMPILE_MICROS * rounds) || !cuda::load_later(missing) {
        return ChosenPlace::Cuda(device);
    }
    ChosenPlace::Cpu
}

/// The number of the device that `auto` sends work to.
static RECEIVER: AtomicU32 = AtomicU32::new(0);

/// Makes `auto` send work to this device in place of GPU 0: the executor, in tests.
#[doc(hidden)]
pub fn send_to(ordinal: u32) {
    RECEIVER.store(ordinal, Ordering::Relaxed);
}

/// The device that `auto` sends work to, where it is awake.
fn awake() -> Option<Arc<Device>> {
    cuda::opened(RECEIVER.load(Ordering::Relaxed))
}

/// Wakes the device that `auto` sends work to. None where there is none, or it does not wake.
fn wake() -> Option<Arc<Device>> {
    let ordinal = RECEIVER.load(Ordering::Relaxed);
    let is_there = ordinal == EXECUTOR || cuda::device_count() > 0;
    is_there.then(|| cuda::device(ordinal).ok()).flatten()
}

/// The device that work on operands of the host is sent to, where that pays.
fn receiver(work: Work) -> Option<Arc<Device>> {
    /// Microseconds of work that a device would have done, had it been awake.
    static MISSED: AtomicU64 = AtomicU64::new(0);
    if !work.is_worth_sending() {
        return None;
    }
    if let Some(device) = awake() {
        return (!device.is_lost()).then_some(device);
    }
    let wake_micros = Tuning::in_force().wake_micros;
    if !work.is_worth_waiting(wake_micros) {
        // On the threads of a pool a product takes longer, but other work goes on beside it.
        // Curves are asked about before they are run, so that they are not counted.
        let is_counted = work.kind != Kind::Curves;
        let micros = if is_counted { work.cpu_micros() } else { 0 };
        let missed = MISSED.fetch_add(micros, Ordering::Relaxed);
        if missed < wake_micros / 3 || wake_later() {
            return None;
        }
    }
    wake()
}

/// Wakes the device in the background, once. False where nothing can run there.
fn wake_later() -> bool {
    static IS_BEGUN: PerProcess<AtomicBool> = PerProcess::new(AtomicBool::new(false));
    if IS_BEGUN.swap(true, Ordering::Relaxed) {
        return true;
    }
    // A device that does not wake is an error where it is asked for by name.
    let is_running = background::spawn("bezout-wake", Priority::Usual, || drop(wake()));
    IS_BEGUN.store(is_running, Ordering::Relaxed);
    is_running
}

/// Wakes the device in the background for work that comes later, where it will be woken for that
/// work anyway.
pub(crate) fn wake_ahead(work: Work) {
    let pays = Engine::current() == Engine::Auto
        && work.is_worth_sending()
        && work.is_worth_waiting(Tuning::in_force().wake_micros)
        && awake().is_none();
    if pays {
        wake_later();
    }
}

/// The engine by which this process does its part of work that it shares with other processes. Each
/// does its part as it is able to: nothing that one of them sends depends on its engine. There is
/// no second try on the CPU, as the others are under way.
pub(crate) fn for_part(work: Work) -> Engine {
    match Engine::current() {
        Engine::Auto if work.is_worth_sending() && cuda::device_count() > 0 => Engine::Cuda(0),
        Engine::Auto => Engine::Cpu,
        named => named,
    }
}

/// Where one piece of work on operands of the host runs, and by what that is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// The operation.
    pub operation: &'static str,
    /// Its size, in limbs, keys, numbers or coefficients.
    pub size: u64,
    /// The parameter that says from which size on it is sent.
    pub parameter: &'static str,
    /// Its value.
    pub sent_from: u64,
    /// Microseconds that the CPU takes, roughly.
    pub cpu_micros: u64,
    /// Microseconds that it takes to wake a device.
    pub wake_micros: u64,
    /// Whether a device is awake.
    pub is_awake: bool,
    /// How many there are.
    pub devices: u32,
    /// Where it runs if it is all that a program does.
    pub runs_on: String,
}

/// Kinds of work that may be sent, by their names, and the parameters of their least sizes.
const SENT: [(Kind, &str, &str); 18] = [
    (Kind::Product, "product", "mul_auto_limbs"),
    (Kind::Division, "division", "div_auto_limbs"),
    (Kind::Root, "root", "root_auto_limbs"),
    (Kind::Power, "power", "pow_auto_limbs"),
    (Kind::Gcd, "gcd", "gcd_auto_device_limbs"),
    (Kind::Cofactors, "cofactors", "cofactors_auto_limbs"),
    (Kind::Print, "print", "print_auto_limbs"),
    (Kind::Parse, "parse", "parse_auto_limbs"),
    (Kind::Sort, "sort", "sort_auto_device_keys"),
    (Kind::Factors, "factor", "factor_auto_device_numbers"),
    (Kind::Keys, "keys", "keys_auto_device_limbs"),
    (Kind::Sieve, "sieve", "sieve_auto_device_bits"),
    (Kind::Curves, "curves", "ecm_auto_device_steps"),
    (Kind::Series, "series", "series_auto_limbs"),
    (Kind::PolyProduct, "poly-product", "poly_mul_auto_len"),
    (Kind::PolyDivision, "poly-division", "poly_div_auto_len"),
    (Kind::PolyGcd, "poly-gcd", "poly_gcd_auto_len"),
    (Kind::PolyPoints, "poly-points", "poly_points_auto_len"),
];

/// Where an operation of this size on operands of the host runs under the engine in force, and why;
/// none for a name other than `product`, `division`, `root`, `power`, `gcd`, `cofactors`, `print`,
/// `parse`, `sort`, `factor`, `keys`, `sieve`, `curves`, `series`, `poly-product`, `poly-division`,
/// `poly-gcd` and `poly-points`.
pub fn decision(operation: &str, size: u64) -> Result<Option<Decision>> {
    let mut known = SENT.into_iter();
    let Some((kind, operation, parameter)) = known.find(|(_, name, _)| *name == operation) else {
        return Ok(None);
    };
    let work = Work::of(kind, size);
    let runs_on = match place(work, [Residence::Host])? {
        ChosenPlace::Cpu => Engine::Cpu,
        ChosenPlace::Cuda(device) => Engine::Cuda(device.info().ordinal),
    };
    Ok(Some(Decision {
        operation,
        size,
        parameter,
        sent_from: work.least(),
        cpu_micros: work.cpu_micros(),
        wake_micros: Tuning::in_force().wake_micros,
        is_awake: awake().is_some(),
        devices: cuda::device_count(),
        runs_on: runs_on.to_string(),
    }))
}

/// Runs work where [`place`] says, unless it is to stop.
pub(crate) fn run<T>(
    work: Work,
    operands: impl IntoIterator<Item = Residence>,
    on_cpu: impl FnOnce() -> Result<T>,
    on_cuda: impl FnOnce(&Arc<Device>) -> Result<T>,
) -> Result<T> {
    progress::check()?;
    if let ChosenPlace::Cuda(device) = place(work, operands)? {
        match on_cuda(&device) {
            Err(error) if falls_back(&error, &device) => {}
            done => {
                Engine::Cuda(device.info().ordinal).note_used();
                return done;
            }
        }
    }
    memory::check_copies("the operation", work.host_bits(), 1)?;
    let done = on_cpu();
    Engine::Cpu.note_used();
    done
}

/// Whether the CPU goes on after this error, which is said.
fn falls_back(error: &Error, device: &Device) -> bool {
    match error {
        Error::DeviceMemory { needed, .. } if Engine::current() == Engine::Auto => {
            notice::say(&format!(
                "{} has no room for {needed} more bytes: using the CPU",
                device.info().name
            ));
            true
        }
        Error::Device { .. } if Engine::current() == Engine::Auto && device.is_lost() => {
            notice::say(&format!(
                "{} failed: using the CPU: {error}",
                device.info().name
            ));
            true
        }
        _ => false,
    }
}

/// The device that does this work on operands of the host, if one does, and the note of it.
pub(crate) fn device_for(work: Work) -> Result<Option<Arc<Device>>> {
    progress::check()?;
    Ok(match place(work, [Residence::Host])? {
        ChosenPlace::Cuda(device) => {
            Engine::Cuda(device.info().ordinal).note_used();
            Some(device)
        }
        ChosenPlace::Cpu => {
            Engine::Cpu.note_used();
            None
        }
    })
}

/// Runs work made of many operations wholly where [`place`] says, each of them under that engine;
/// where a device runs out of memory under `auto`, again and wholly on the CPU.
pub(crate) fn wholly<T>(
    work: Work,
    operands: impl IntoIterator<Item = Residence>,
    operations: impl Fn() -> Result<T>,
) -> Result<T> {
    run(
        work,
        operands,
        || Engine::Cpu.scope(&operations),
        |device| Engine::Cuda(device.info().ordinal).scope(&operations),
    )
}
