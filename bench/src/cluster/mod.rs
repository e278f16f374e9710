//! `cluster`: the same work on 1 to 16 ranks of one machine, one thread each: how much faster, and
//! how much memory each rank needs.
//!
//! The benchmark starts itself under `mpirun` once for each number of ranks. The first rank of such
//! a run prints what it measured, a line of JSON for each piece of work, and the process that
//! started it puts the record together.

mod factoring;
mod memory;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bezout::cluster::projection::{Parameters, Rates, predicted_seconds, weber_seconds};
use bezout::cluster::{Cluster, Network};
use bezout::{Engine, GcdAlgorithm, Int};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::record::{ClockKind, Measurement};
use crate::session::{Session, refuted};
use crate::{Error, Options, measure};

/// Seconds below which work is done three times, and the best counts: cores of a machine that
/// others use too are not always as fast.
const SHORT: f64 = 15.0;

/// How long the launcher may take to end after its ranks.
const PATIENCE: Duration = Duration::from_secs(10);

/// The names under which the ranks run their part of it: what is timed, and what only shows how
/// much memory it takes.
const TIMES: &str = "cluster-rank";
const MEMORY: &str = "cluster-memory";

const RANKS: [usize; 5] = [1, 2, 4, 8, 16];

/// Numbers long enough that a sixteenth of their residues is more than what every rank has whatever
/// their length: messages, sieve, a block's tables.
const MEMORY_BITS: u64 = 1 << 22;

/// Work for all ranks together: what it is, the sizes of a full and of a quick run, and what is to
/// be timed, checked, for one size.
struct Work {
    name: &'static str,
    sizes: &'static [u64],
    quick: &'static [u64],
    begin: fn(u64) -> Result<Timed, Error>,
    /// How often its ranks wait for each other while they do the work by which the speed of their
    /// cores is told.
    in_step: Option<usize>,
}

/// Does the work once, on every rank, and checks what came out.
type Timed = Box<dyn FnMut(&Cluster) -> Result<(), Error>>;

const LATTICE: &str = "gcd by lattices";
const WEBER: &str = "gcd by Weber's algorithm";

/// How often Weber's algorithm does, whose ranks meet every 50 to 100 microseconds.
const WEBER_STEPS: usize = 256;

/// Weber's algorithm takes a hundred times as long, and as a check of the paper's plan one size
/// does.
const WORK: &[Work] = &[
    Work {
        name: LATTICE,
        sizes: &[1 << 20, 1 << 21],
        quick: &[1 << 16],
        begin: |bits| gcd(bits, GcdAlgorithm::Lattice),
        in_step: Some(Cluster::STEPS_APART),
    },
    Work {
        name: WEBER,
        sizes: &[1 << 17],
        quick: &[1 << 14],
        begin: |bits| gcd(bits, GcdAlgorithm::Weber),
        in_step: Some(WEBER_STEPS),
    },
    Work {
        name: "elliptic curves",
        sizes: &[512],
        quick: &[128],
        begin: factoring::curves,
        in_step: None,
    },
    Work {
        name: "semiprimes",
        sizes: &[64],
        quick: &[48],
        begin: factoring::numbers,
        in_step: None,
    },
    Work {
        name: "shared factors",
        sizes: &[1 << 25],
        quick: &[1 << 18],
        begin: factoring::moduli,
        in_step: None,
    },
];

/// A line of what the ranks of one run say.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Network { network: Network },
    Sample(Sample),
    End { end: bool },
}

/// What they say of one piece of work.
#[derive(Debug, Serialize, Deserialize)]
struct Sample {
    operation: String,
    bits: u64,
    seconds: Vec<f64>,
    /// Seconds of a known piece of work on these cores, before and after.
    pace: Option<f64>,
    /// Bytes that the rank that needed the most held beside what it had before, where that was
    /// looked at.
    memory: Option<u64>,
}

/// Whether these are the benchmarks of a process that is one of many ranks.
pub fn is_of_ranks(names: &[String]) -> bool {
    names == [TIMES] || names == [MEMORY]
}

/// Random numbers with a common factor of a sixteenth of their length, the same on every rank.
fn operands(bits: u64) -> Result<(Int, Int), Error> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(bits);
    let mut draw = |bits| Engine::Cpu.scope(|| Int::try_random_bits(bits, &mut rng));
    let g = draw(bits / 16)?;
    Ok((draw(bits - bits / 16)? * &g, draw(bits - bits / 16)? * g))
}

/// The oracle of the gcds.
const HALF: &str = "the half-GCD of one rank";

/// Their gcd.
fn gcd(bits: u64, algorithm: GcdAlgorithm) -> Result<Timed, Error> {
    let (a, b) = operands(bits)?;
    let (expected, _) = Engine::Cpu.scope(|| a.try_gcd_by(&b, GcdAlgorithm::Half))?;
    Ok(Box::new(move |cluster| {
        let (found, _) = Engine::Cpu.scope(|| cluster.gcd(&a, &b, algorithm))?;
        if found == expected {
            Ok(())
        } else {
            Err(refuted(algorithm.name(), "cpu", bits, HALF))
        }
    }))
}

/// Runs it: the ranks of every count, one after the other.
pub fn run(session: &mut Session) -> Result<(), Error> {
    if !cfg!(feature = "mpi") {
        let note = "This build has no MPI: `--features mpi` gives it.";
        session.record.notes.push(note.into());
        return Ok(());
    }
    let cores = session.record.machine.cores;
    let counts: Vec<usize> = RANKS.into_iter().filter(|ranks| *ranks <= cores).collect();
    session.expect(counts.len());
    let mut networks = Vec::new();
    for ranks in counts {
        session.step(format!("{ranks} ranks"));
        let Some(mut lines) = launch(session, ranks, TIMES)? else {
            let note = "No `mpirun` was found in the path.";
            session.record.notes.push(note.into());
            return Ok(());
        };
        // One rank keeps tables of all blocks, and so is no measure of what the others hold.
        if ranks > 1 {
            lines.extend(launch(session, ranks, MEMORY)?.into_iter().flatten());
        }
        for line in lines {
            let sample = match line {
                Line::Sample(sample) => sample,
                Line::Network { network } => {
                    networks.push(network);
                    continue;
                }
                Line::End { .. } => continue,
            };
            let time = measure::summary(ClockKind::Host, sample.seconds);
            let engine = "cpu, 1 thread".to_string();
            session.record.measurements.push(Measurement {
                ranks: Some(ranks),
                rank_memory: sample.memory,
                rank_pace: sample.pace,
                ..Measurement::alone(&sample.operation, engine, sample.bits, time, &[])
            });
        }
    }
    predict(&mut session.record.measurements, &networks);
    Ok(())
}

/// Enters what the model of ranks makes of each measurement: from the times of one rank, and from
/// what the ranks of that run cost each other. What they take of each other's cores is what they
/// took just before and after it, because others use those cores too.
fn predict(measurements: &mut [Measurement], networks: &[Network]) {
    let of_one = |name: &str| -> Vec<Measurement> {
        let all = measurements.iter();
        all.filter(|m| m.ranks == Some(1) && m.operation == name)
            .cloned()
            .collect()
    };
    let (lattice, weber) = (of_one(LATTICE), of_one(WEBER));
    let times: Vec<(u64, f64)> = lattice.iter().map(|m| (m.bits, m.time.min)).collect();
    let mut rates = Rates::CORE.calibrated(&times);
    if let Some(one) = weber.first() {
        rates = rates.with_weber(one.bits, one.time.min);
    }
    for m in measurements {
        let Some(ranks) = m.ranks else { continue };
        let (of_one, seconds): (_, fn(u64, usize, &Parameters) -> f64) = match m.operation.as_str()
        {
            LATTICE => (&lattice, predicted_seconds),
            WEBER => (&weber, weber_seconds),
            _ => continue,
        };
        let Some(one) = of_one.iter().find(|one| one.bits == m.bits) else {
            continue;
        };
        let mut network = match networks.iter().find(|n| n.ranks as usize == ranks) {
            Some(network) => *network,
            // One rank has none, and needs none.
            None if ranks == 1 => Network::SHIPPED,
            None => continue,
        };
        if let (Some(all), Some(one)) = (m.rank_pace, one.rank_pace) {
            network.crowding = all / one;
        }
        m.predicted = Some(seconds(m.bits, ranks, &Parameters { rates, network }));
    }
}

/// What so many ranks measure; none without `mpirun`.
fn launch(session: &Session, ranks: usize, part: &str) -> Result<Option<Vec<Line>>, Error> {
    let failed = |reason: String| bezout::Error::Cluster(format!("{ranks} ranks: {reason}"));
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new("mpirun");
    // Each rank has a core to itself, where the system lets it: one that is moved, or shares a core
    // for a moment, holds up all others. With one rank the leader and its follower are two threads,
    // which need two cores.
    let bound = [
        "--map-by",
        "core",
        "--bind-to",
        "core:overload-allowed,if-supported",
    ];
    command
        .args(["--allow-run-as-root", "--oversubscribe"])
        .args(match ranks {
            1 => &["--bind-to", "none"],
            _ => &bound[..],
        })
        .args(["-n", &ranks.to_string()])
        .arg(program)
        .args(["bench", part, "--threads", "1", "--quiet"])
        .args(["--max-bits", &session.max_bits.to_string()])
        .args(session.record.quick.then_some("--quick"))
        .envs([
            ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
            ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        ]);
    let mut child = match command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
    {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        child => child.map_err(|error| failed(error.to_string()))?,
    };
    let read = |child: &mut Child| -> std::io::Result<(Vec<Line>, String)> {
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        std::thread::scope(|scope| {
            let words = scope.spawn(|| stderr.map(std::io::read_to_string));
            let mut lines = Vec::new();
            for line in stdout
                .into_iter()
                .flat_map(|out| BufReader::new(out).lines())
            {
                match line?.as_str() {
                    line if !line.starts_with('{') => continue,
                    line => lines.push(serde_json::from_str(line)?),
                }
                if let Some(Line::End { .. }) = lines.last() {
                    end(child)?;
                }
            }
            let words = words.join().ok().flatten().unwrap_or(Ok(String::new()))?;
            Ok((lines, words))
        })
    };
    let (lines, words) = read(&mut child).map_err(|error| failed(error.to_string()))?;
    let _ = child.wait();
    match lines.last() {
        Some(Line::End { .. }) => Ok(Some(lines)),
        _ => Err(failed(words.trim().to_string()).into()),
    }
}

/// Ends a launcher whose ranks have done everything: some sleep for ever instead of that.
fn end(launcher: &mut Child) -> std::io::Result<()> {
    let patience = Instant::now() + PATIENCE;
    while launcher.try_wait()?.is_none() {
        if Instant::now() > patience {
            return launcher.kill();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// One rank's part, on all of them.
pub fn rank(options: &Options) -> Result<(), Error> {
    let cluster = Cluster::start()?;
    // Threads, tables and the library's own buffers are there before anything is looked at.
    gcd(1 << 14, GcdAlgorithm::Lattice)?(&cluster)?;
    if options.names == [MEMORY] {
        of_memory(options, &cluster)?
    } else {
        of_time(options, &cluster)?
    }
    cluster.barrier();
    if cluster.is_first() {
        say(&Line::End { end: true })
    } else {
        Ok(())
    }
}

/// The time of all work.
fn of_time(options: &Options, cluster: &Cluster) -> Result<(), Error> {
    if let Some(network) = cluster.probe()
        && cluster.is_first()
    {
        say(&Line::Network { network })?;
    }
    for work in WORK {
        let sizes = if options.quick {
            work.quick
        } else {
            work.sizes
        };
        let most = options.max_bits.unwrap_or(u64::MAX);
        for bits in sizes.iter().filter(|bits| **bits <= most) {
            let mut timed = (work.begin)(*bits)?;
            let pace = || match work.in_step {
                Some(parts) => cluster.pace_in_step(parts),
                None => cluster.pace(),
            };
            let before = pace();
            let mut seconds = vec![once(cluster, &mut timed)?];
            // All ranks must come to the same.
            let mut again = [u64::from(seconds[0] < SHORT)];
            cluster.broadcast_words(0, &mut again);
            for _ in 0..2 * again[0] {
                seconds.push(once(cluster, &mut timed)?);
            }
            let sample = Sample {
                operation: work.name.into(),
                bits: *bits,
                seconds,
                pace: Some((before + pace()) / 2.0),
                memory: None,
            };
            if cluster.is_first() {
                say(&Line::Sample(sample))?;
            }
        }
    }
    Ok(())
}

/// The memory of the gcd by lattices, whose ranks share what one of them would hold.
fn of_memory(options: &Options, cluster: &Cluster) -> Result<(), Error> {
    let most = options.max_bits.unwrap_or(u64::MAX);
    let bits = if options.quick {
        1 << 16
    } else {
        MEMORY_BITS.min(most)
    };
    let (a, b) = operands(bits)?;
    cluster.barrier();
    let start = Instant::now();
    let lattice = || cluster.gcd(&a, &b, GcdAlgorithm::Lattice);
    let (done, own) = memory::during(|| Engine::Cpu.scope(lattice));
    let seconds = vec![start.elapsed().as_secs_f64()];
    let ((found, _), own) = (done?, own.unwrap_or(0));
    let (expected, _) = Engine::Cpu.scope(|| a.try_gcd_by(&b, GcdAlgorithm::Half))?;
    if found != expected {
        return Err(refuted(GcdAlgorithm::Lattice.name(), "cpu", bits, HALF));
    }
    let most = u64::MAX - cluster.all_min(u64::MAX - own);
    let sample = Sample {
        operation: format!("{LATTICE}, memory"),
        bits,
        seconds,
        pace: None,
        memory: (most > 0).then_some(most),
    };
    if cluster.is_first() {
        say(&Line::Sample(sample))
    } else {
        Ok(())
    }
}

fn say(line: &Line) -> Result<(), Error> {
    let line = serde_json::to_string(line).map_err(Error::Encode)?;
    crate::print(&format!("{line}\n"))
}

/// Seconds from when all ranks are there to when this one is done.
fn once(cluster: &Cluster, work: &mut Timed) -> Result<f64, Error> {
    cluster.barrier();
    let start = Instant::now();
    work(cluster)?;
    Ok(start.elapsed().as_secs_f64())
}
