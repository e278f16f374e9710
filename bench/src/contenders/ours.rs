//! The library's own ways to the same answer: on one thread, on all, on a device that holds the
//! operands, and on a device that does not.

use std::sync::Arc;

use bezout::cuda::Device;
use bezout::{Engine, Int};
use bezout_lab::measure as hooks;

use super::work::{Answer, Job, Ours, Work};
use super::{Magnitude, read};
use crate::Error;
use crate::measure::{self, Clock};
use crate::record::Timing;
use crate::session::{Session, Target};

/// Butterflies of a number-theoretic transform that an H200 does in a second, in registers with
/// nothing else to do: 31-bit primes, Shoup's products, radix 16, lazy reduction. Measured.
const H200_BUTTERFLIES: f64 = 2.8e12;

/// A way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// The CPU engine on one thread.
    OneThread,
    /// The CPU engine on all threads.
    AllThreads,
    /// A device: operands are there, the result stays there. Text is on the host in any case.
    Resident,
    /// A device: operands come from the host, the result goes back.
    Transfers,
}

/// What a lane took and gave.
pub struct Entry {
    pub time: Timing,
    pub answer: Option<Answer<Magnitude>>,
    /// Most device memory held at a time, operands included.
    pub peak_bytes: Option<u64>,
    pub share_of_limit: Option<f64>,
}

impl Entry {
    /// What the host took for an answer that was checked.
    pub fn of_host(time: Timing) -> Entry {
        Entry {
            time,
            answer: None,
            peak_bytes: None,
            share_of_limit: None,
        }
    }
}

impl Lane {
    /// Those that need no device.
    pub const HOST: [Lane; 2] = [Lane::OneThread, Lane::AllThreads];

    /// Those there are.
    pub fn all(target: Option<&Target>) -> Vec<Lane> {
        let device = [Lane::Resident, Lane::Transfers];
        let device = device.iter().filter(|_| target.is_some());
        Lane::HOST.iter().chain(device).copied().collect()
    }

    /// Its name in records.
    pub fn name(self, target: Option<&Target>) -> String {
        let device = target.map_or(Engine::Auto, |t| t.engine);
        match self {
            Lane::OneThread => format!("{}, 1 thread", Engine::Cpu),
            Lane::AllThreads => Engine::Cpu.to_string(),
            Lane::Resident => device.to_string(),
            Lane::Transfers => format!("{device}, transfers"),
        }
    }
}

/// Times `work` in `lane`; none where the operands are too small to stay on a device, or the work
/// too small to be done there.
pub fn run(
    session: &Session,
    one_thread: &rayon::ThreadPool,
    lane: Lane,
    job: &Job,
    work: Work,
) -> Result<Option<Entry>, Error> {
    let cpu = || {
        Engine::Cpu.scope(|| {
            let ours = Ours::new(job, work)?;
            measure::time_kept(&session.effort, Clock::Host, &mut || ours.apply())
        })
    };
    let (timed, peak_bytes) = match (lane, &session.target) {
        (Lane::OneThread, _) => (one_thread.install(cpu)?, None),
        (Lane::AllThreads, _) => (cpu()?, None),
        (Lane::Resident, Some(target)) => match resident(session, target, job, work)? {
            Some((timed, peak)) => (timed, Some(peak)),
            None => return Ok(None),
        },
        (Lane::Transfers, Some(target)) => match transfers(session, target, job, work)? {
            Some(timed) => (timed, None),
            None => return Ok(None),
        },
        (Lane::Resident | Lane::Transfers, None) => return Ok(None),
    };
    let (time, answer) = timed;
    let share_of_limit = session
        .target
        .as_ref()
        .filter(|_| lane == Lane::Resident)
        .and_then(|target| limit(&target.device, job.bits, work))
        .map(|seconds| seconds / time.median);
    let answer = answer.map(|answer| answer.try_map(read)).transpose()?;
    Ok(Some(Entry {
        time,
        answer,
        peak_bytes,
        share_of_limit,
    }))
}

type Timed = (Timing, Option<Answer<Int>>);

/// Operands are put on the device first. After a first call a second shows what memory the work
/// takes beside them.
fn resident(
    session: &Session,
    target: &Target,
    job: &Job,
    work: Work,
) -> Result<Option<(Timed, u64)>, Error> {
    let operands = [&job.a, &job.b].into_iter().filter(|x| !x.is_zero());
    for x in operands.clone() {
        x.try_to_device(target.ordinal)?;
    }
    if !operands.clone().all(Int::is_on_device) {
        return Ok(None);
    }
    // Text is on the host when the call returns; all other results stay on the device, and only
    // queueing them need be waited for.
    let clock = match work {
        Work::ToDecimal | Work::Gcd | Work::Weber | Work::Cofactors => {
            Clock::Synchronized(&target.device)
        }
        _ => Clock::Events(&target.device),
    };
    let done = target.engine.scope(|| {
        let device = &target.device;
        if !launches(device, || Ours::new(job, work)?.apply().map(drop))? {
            return Ok(None);
        }
        let (beside, ()) = device.memory_peak(|| Ours::new(job, work)?.apply().map(drop))?;
        let ours = Ours::new(job, work)?;
        let timed = measure::time_kept(&session.effort, clock, &mut || ours.apply())?;
        Ok::<_, Error>(Some((timed, beside)))
    });
    for x in operands {
        x.try_drop_device()?;
    }
    let Some((timed, beside)) = done? else {
        return Ok(None);
    };
    let held = match work {
        Work::FromDecimal => 0,
        _ => job.operand_bytes(),
    };
    Ok(Some((timed, held + beside)))
}

/// Every call uploads its operands, but not one that was prepared, and fetches its result.
fn transfers(
    session: &Session,
    target: &Target,
    job: &Job,
    work: Work,
) -> Result<Option<Timed>, Error> {
    target.engine.scope(|| {
        let ours = Ours::new(job, work)?;
        let moved: &[&Int] = match work {
            Work::MulPrepared => &[&job.b],
            Work::DivRemPrepared => &[&job.a],
            _ => &[&job.a, &job.b],
        };
        let mut call = || host_to_host(&ours, moved);
        if !launches(&target.device, || call().map(drop))? {
            return Ok(None);
        }
        let timed = measure::time_kept(&session.effort, Clock::Host, &mut call)?;
        job.a.try_drop_device()?;
        job.b.try_drop_device()?;
        Ok(Some(timed))
    })
}

/// One call whose operands are on the host alone before it, and whose result is on the host after
/// it.
pub fn host_to_host(ours: &Ours, moved: &[&Int]) -> bezout::Result<Answer<Int>> {
    moved.iter().try_for_each(|x| x.try_drop_device())?;
    let answer = ours.apply()?;
    match &answer {
        Answer::One(x) => x.try_fetch()?,
        Answer::Two(x, y) => {
            x.try_fetch()?;
            y.try_fetch()?;
        }
        Answer::Three(x, y, z) => {
            x.try_fetch()?;
            y.try_fetch()?;
            z.try_fetch()?;
        }
        Answer::Text(_) => {}
    }
    Ok(answer)
}

/// Does `work`, which may compile kernels and make tables; whether the device had any part in it.
fn launches(device: &Device, work: impl FnOnce() -> bezout::Result<()>) -> Result<bool, Error> {
    let before = device.traffic().launches;
    work()?;
    Ok(device.traffic().launches > before)
}

/// Seconds that the butterflies of a product take at the device's full rate; none where that rate
/// is not known.
fn limit(device: &Arc<Device>, bits: u64, work: Work) -> Option<f64> {
    let known = device.info().name.contains("H200");
    let butterflies = hooks::transform_butterflies(bits)? * f64::from(work.transforms()?);
    known.then_some(butterflies / H200_BUTTERFLIES)
}
