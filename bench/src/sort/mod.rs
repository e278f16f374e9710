//! `sort`: radix sort of 2^10 to 2^28 keys, alone and with values, against CUB on the same device
//! and the standard library on one core.
//!
//! On a device, input and result are different memory. On the host and with transfers a slice is
//! sorted where it lies, as a program would do it; the time includes copying the input there. Every
//! result is compared with that of rayon's sorts, and CUB's by a checksum.

mod cub;
pub mod mmm;

use bezout::Engine;
use bezout::engine::EXECUTOR;
use bezout::sort::{self, Array, Key, Options, Value};
use rayon::prelude::*;

use crate::Error;
use crate::measure::{self, Clock};
use crate::record::{Measurement, Timing};
use crate::session::Session;

/// What is sorted, and bits of a key.
pub const KINDS: [(&str, u64); 4] = [("u32", 32), ("u64", 64), ("u32+u32", 32), ("u64+u64", 64)];

/// The standard library's sort: unstable for keys alone, stable with values.
pub const STD: &str = "std";
/// CUB's radix sort.
pub const CUB: &str = "CUB";

/// Most keys, as a power of two, that the CPU engine, one core, and a device with transfers are
/// asked for.
const CPU_LOG: u32 = 24;
const STD_LOG: u32 = 22;
const TRANSFERS_LOG: u32 = 24;

/// Keys of a measurement.
pub fn keys(m: &Measurement) -> u64 {
    let kind = KINDS.iter().find(|(name, _)| *name == m.operation);
    m.bits / kind.map_or(1, |(_, bits)| *bits)
}

/// Runs it.
pub fn run(session: &mut Session) -> Result<(), Error> {
    let most = match &session.target {
        Some(target) if target.ordinal == EXECUTOR => 12,
        Some(_) if session.record.quick => 20,
        None if session.record.quick => 14,
        Some(_) => 28,
        None => 24,
    };
    let logs = (10..=most).step_by(2);
    let wanted: Vec<(&str, u32)> = logs
        .flat_map(|log| KINDS.map(|(kind, bits)| (kind, bits, log)))
        .filter(|(_, bits, log)| bits << log <= session.max_bits)
        .map(|(kind, _, log)| (kind, log))
        .collect();
    session.expect(wanted.len() + 1);
    let narrow: fn(u64) -> u32 = |word| word as u32;
    let wide: fn(u64) -> u64 = |word| word;
    let none: Option<fn(u64) -> u32> = None;
    let by_cub = cub::measure(session, &wanted)?;
    for (kind, log) in wanted {
        session.step(format!("{kind}, 2^{log} keys"));
        let cub = by_cub.iter().find(|l| l.kind == kind && l.log == log);
        match kind {
            "u32" => contest(session, kind, log, cub, narrow, none)?,
            "u64" => contest(session, kind, log, cub, wide, none)?,
            "u32+u32" => contest(session, kind, log, cub, narrow, Some(narrow))?,
            _ => contest(session, kind, log, cub, wide, Some(wide))?,
        }
    }
    Ok(())
}

/// Keys, and perhaps a value to each.
struct Columns<K: Key, V: Value> {
    keys: Array<K>,
    values: Option<Array<V>>,
}

impl<K: Key, V: Value> Columns<K, V> {
    fn sorted(&self) -> bezout::Result<Columns<K, V>> {
        let (keys, values) = match &self.values {
            None => (self.keys.try_sorted(Options::default())?, None),
            Some(values) => {
                let (keys, moved) = self.keys.try_sorted_with(values, Options::default())?;
                (keys, Some(moved))
            }
        };
        Ok(Columns { keys, values })
    }
}

/// The time of sorts of a slice in place, and the slices.
fn in_place<K: Key, V: Value>(
    session: &Session,
    engine: Engine,
    input: &Columns<K, V>,
) -> Result<(Timing, Columns<K, V>), Error> {
    let keys = input.keys.try_host()?;
    let values = input.values.as_ref().map(Array::try_host).transpose()?;
    let mut own_keys = keys.to_vec();
    let mut own_values = values.map(<[V]>::to_vec);
    let time = engine.scope(|| {
        measure::time(&session.effort, Clock::Host, 1, &mut |_| {
            own_keys.copy_from_slice(keys);
            match (&mut own_values, values) {
                (Some(own), Some(values)) => {
                    own.copy_from_slice(values);
                    sort::sort_with_values(&mut own_keys, own, Options::default())
                }
                _ => sort::sort(&mut own_keys, Options::default()),
            }
        })
    })?;
    let sorted = Columns {
        keys: own_keys.into(),
        values: own_values.map(Array::from),
    };
    Ok((time, sorted))
}

impl<K: Key + Into<u64>, V: Value + Into<u64>> Columns<K, V> {
    /// A sum in which the place of each word counts; as in `cub_sort.cu`.
    fn checksum(&self) -> bezout::Result<u64> {
        let add = |sum: u64, word: u64| sum.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(word);
        let sum = self
            .keys
            .try_host()?
            .iter()
            .fold(0, |s, k| add(s, (*k).into()));
        let values = self.values.as_ref().map_or(Ok(&[][..]), Array::try_host)?;
        Ok(values.iter().fold(sum, |s, v| add(s, (*v).into())))
    }
}

/// Word i of the input: splitmix64, as in `cub_sort.cu`.
fn word(i: u64) -> u64 {
    let z = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Measures all contenders on 2^log keys, with values where `value` makes them.
fn contest<K, V>(
    session: &mut Session,
    kind: &str,
    log: u32,
    cub: Option<&cub::Line>,
    key: fn(u64) -> K,
    value: Option<fn(u64) -> V>,
) -> Result<(), Error>
where
    K: Key + Ord + Into<u64>,
    V: Value + Into<u64>,
{
    let bits = KINDS.iter().find(|k| k.0 == kind).map_or(0, |k| k.1 << log);
    let refuted = |engine: &str| Error::Verification {
        operation: format!("sort of {kind}"),
        engine: engine.to_string(),
        bits,
        oracle: "another sort".into(),
    };
    let n = 1u64 << log;
    let keys: Vec<K> = (0..n).into_par_iter().map(|i| key(word(i))).collect();
    let input = Columns {
        keys: Array::from(keys.clone()),
        values: value.map(|make| (0..n).map(make).collect::<Vec<V>>().into()),
    };
    // So many keys take rayon longer than all the rest; then CUB is whom ours must agree with.
    let wanted = match cub {
        Some(line) if log > CPU_LOG => line.checksum,
        _ => expected(keys.clone(), value)?.checksum()?,
    };
    let check = |engine: &str, result: Option<Columns<K, V>>| -> Result<(), Error> {
        match result {
            Some(columns) if columns.checksum()? != wanted => Err(refuted(engine)),
            _ => Ok(()),
        }
    };

    let mut baselines = Vec::new();
    if log <= STD_LOG {
        baselines.push((STD, one_core(session, &keys, value)?));
    }
    drop(keys);
    if log <= CPU_LOG {
        let (time, result) = in_place(session, Engine::Cpu, &input)?;
        check("cpu", Some(result))?;
        enter(session, kind, "cpu".into(), bits, time, &baselines);
    }
    let Some(target) = session.target.clone() else {
        return Ok(());
    };
    let engine = target.engine;
    if log <= TRANSFERS_LOG {
        let (time, result) = in_place(session, engine, &input)?;
        let name = format!("{engine}, transfers");
        check(&name, Some(result))?;
        enter(session, kind, name, bits, time, &baselines);
    }

    input.keys.try_to_device(target.ordinal)?;
    if let Some(values) = &input.values {
        values.try_to_device(target.ordinal)?;
    }
    let clock = Clock::Events(&target.device);
    let (time, result) =
        engine.scope(|| measure::time_kept(&session.effort, clock, &mut || input.sorted()))?;
    check(&engine.to_string(), result)?;
    if let Some(line) = cub {
        if line.checksum != wanted {
            return Err(refuted(CUB));
        }
        baselines.push((CUB, line.time));
    }
    enter(session, kind, engine.to_string(), bits, time, &baselines);
    Ok(())
}

/// The result, by rayon's sorts.
fn expected<K: Key + Ord, V: Value>(
    mut keys: Vec<K>,
    value: Option<fn(u64) -> V>,
) -> Result<Columns<K, V>, Error> {
    let Some(make) = value else {
        keys.par_sort_unstable();
        return Ok(Columns {
            keys: keys.into(),
            values: None,
        });
    };
    let mut pairs: Vec<(K, V)> = keys.into_iter().zip((0..).map(make)).collect();
    pairs.par_sort_by_key(|pair| pair.0);
    let (keys, values): (Vec<K>, Vec<V>) = pairs.into_iter().unzip();
    Ok(Columns {
        keys: keys.into(),
        values: Some(values.into()),
    })
}

/// The standard library on one core; a copy of the keys, or of pairs, is in its time.
fn one_core<K: Key + Ord, V: Value>(
    session: &Session,
    keys: &[K],
    value: Option<fn(u64) -> V>,
) -> Result<Timing, Error> {
    let time = match value {
        None => {
            measure::time_kept(&session.effort, Clock::Host, &mut || {
                let mut own = keys.to_vec();
                own.sort_unstable();
                Ok(own)
            })?
            .0
        }
        Some(make) => {
            let pairs: Vec<(K, V)> = keys.iter().copied().zip((0..).map(make)).collect();
            measure::time_kept(&session.effort, Clock::Host, &mut || {
                let mut own = pairs.clone();
                own.sort_by_key(|pair| pair.0);
                Ok(own)
            })?
            .0
        }
    };
    Ok(time)
}

fn enter(
    session: &mut Session,
    kind: &str,
    engine: String,
    bits: u64,
    time: Timing,
    others: &[(&str, Timing)],
) {
    let measurement = Measurement::alone(kind, engine, bits, time, others);
    session.record.measurements.push(measurement);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tested_engines;

    fn quick(engine: Engine) -> Session {
        let mut session = engine.scope(|| Session::begin("sort", true, true).unwrap());
        session.max_bits = 64 << 10;
        session
    }

    #[test]
    fn every_engine_is_measured() {
        for engine in tested_engines() {
            let mut session = quick(engine);
            run(&mut session).unwrap();
            let record = session.finish();
            for (kind, _) in KINDS {
                let list = record.measurements.iter().filter(|m| m.operation == kind);
                let small: Vec<_> = list.filter(|m| keys(m) == 1 << 10).collect();
                assert_eq!(small.len(), if engine == Engine::Cpu { 1 } else { 3 });
                assert!(small.iter().all(|m| m.baseline(STD).is_some()));
            }
        }
    }

    #[test]
    fn checksums_know_places() {
        let columns = |keys: [u32; 3], values: [u32; 3]| Columns {
            keys: Array::from(keys.to_vec()),
            values: Some(Array::from(values.to_vec())),
        };
        let sum = columns([1, 1, 2], [0, 1, 2]).checksum().unwrap();
        assert_ne!(columns([1, 1, 2], [1, 0, 2]).checksum().unwrap(), sum);
        assert_ne!(columns([1, 2, 1], [0, 1, 2]).checksum().unwrap(), sum);
        let sorted = columns([1, 2, 1], [0, 2, 1]).sorted().unwrap();
        assert_eq!(sorted.checksum().unwrap(), sum);
    }
}
