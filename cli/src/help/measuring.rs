//! The words of the commands that measure.

pub const BENCH_EXAMPLES: &str = "\
Examples:
  bezout bench --list
  bezout bench linear --quick
  bezout bench mul --max-bits 2^26
  bezout bench --out results && bezout report results";

pub const BENCH_HELP: &str = "\
The CPU is always measured; so is the GPU that --engine names, with 'auto' the first one.
Every answer is compared with those of other libraries, with or without --verify.

JSON fields:
  command, records (a list: what each file of --out holds, with benchmark,
  machine, device, versions, commit, date, copy (the bandwidth of plain copies),
  measurements (operation, engine, bits, time, bandwidth, share_of_copy, ...),
  chains, sweeps, crossovers, leads); with --list: command, benchmarks (name, description)";

pub const REPORT_EXAMPLES: &str = "\
Examples:
  bezout report results --out report.html
  bezout report results --markdown
  bezout report results --pictures pictures";

pub const REPORT_HELP: &str = "\
The page needs nothing else: no script, no font and no picture from elsewhere.

JSON fields:
  command, out (the page); with --markdown: command, markdown (the tables);
  with --pictures: command, pictures (the files)";

pub const MODEL_EXAMPLES: &str = "\
Examples:
  bezout model probe
  bezout model explain cpu-product 200 --out choices.svg
  bezout model explain product-auto 2^14
  bezout model explain linear 2^20 --set linear_block=64,linear_items=2 --engine cuda
  bezout model regret cpu-product cpu-gcd-leaf --sizes 5
  bezout model optimise euclid 10000 9000
  bezout model optimise sort 2^24 --u 38.7 --z 29056
  bezout model equations --u 38.7 --z 29056
  mpirun -n 8 bezout model probe
  bezout model project --bits 50000000 --gpus 210
  bezout model pram 2^20 32
  bezout model show --markdown";

pub const MODEL_HELP: &str = "\
The model is that of Haque, Moreno Maza and Xie, with measured parameters. Probing takes the
engine's machine: with 'auto' the first GPU, or the CPU where there is none. Under mpirun it also
measures what the ranks cost each other, and keeps that in the user's cache for 'project'.

'optimise' tries s as far as the local memory and the paper's costs allow: of euclid up to m/2, as
the stated work falls below 0 from about 0.87*m on. Equations (5) to (7) are for s = Z/7, (13) to
(15) for s = Z/6, whatever s is chosen.

'project' computes from rates that are older than the stored results: a weber of 50 million bits on
one GPU takes half as long again as it says.

'pram' counts for any W. Where has_enough_primes is false there are too few primes of W bits, and
the costs are those of a machine that cannot be; without W the least W that has enough is taken.

JSON fields:
  probe: command, machine (identity, engine, threads_per_block, resident_threads,
  local_bytes, cache_bytes, launch, round_trip, latency (an access to memory),
  cache_latency (to the last cache), bandwidth, upload, download, operation, throughput,
  product (of residues in local memory), products (a second), block_barrier, grid_barrier;
  seconds, and per second), u (latency over operation), z,
  network (null without mpirun; ranks, local, message, bandwidth, broadcast, all_reduce,
  crowding; seconds, and bytes a second), device, version, commit, date
  explain: command, explained (kernel, about, parameters, size, machine, choices (values,
  predicted, measured, chosen), regret, model_regret; null where there is no choice),
  decision (null, or where an operation runs: operation, size, parameter, sent_from,
  cpu_micros, wake_micros, is_awake, devices, runs_on), out
  regret: command, explained (a list of such), device, version, commit, date
  paper: command, machine, tables (as text)
  optimise: command, optimised (problem, candidates (each s, work, span, overhead, heaviest,
  time: s = 1 over s), work_is_steady, s_min, is_accepted, chosen, equations), predicted
  (seconds of each candidate) and machine (null where --u and --z are given)
  equations: command, u, z, n, s, threads, equations (number, algorithm, about, formula,
  value), machine
  project: command, projection (bits, parameters (rates, network), asked, best, points (each
  ranks, seconds, speed_up, efficiency, weber_seconds), alone (seconds of one rank by what it
  would choose, or null)), weber_brew (a list: name, slope, start, held, seconds, moduli, gpus)
  pram: command, pram (bits, width, moduli, primes (of so many bits, an estimate from below),
  has_enough_primes, minimum_processors, steps (a list of four: worst, average (time units),
  processors), total, emulation, table_bits, bit_total)
  show: command, parameters (name, meaning, value, default, minimal, range, side,
  provenance), files (what was measured on this machine's CPU and GPU)";

pub const TUNE_EXAMPLES: &str = "\
Examples:
  bezout tune --list
  bezout tune --quick
  bezout tune --only cpu-product --only cpu-gcd --again
  bezout tune --engine cuda";

pub const TUNE_HELP: &str = "\
For each operation the model leaves a few choices, which are measured with verified output; the best
is kept in the user's cache (BEZOUT_CACHE names another folder) and used from the next start on.
A run that was interrupted goes on where it was. BEZOUT_TUNING=default leaves measured values out.

JSON fields:
  command, found (a list: kernel, tuned (parameters, choices (from, values), by_size,
  median_regret, worst_regret, scale, seconds, version, commit, date), shipped, measured
  (size, values, predicted, measured), earlier); with --list: command, kernels (name,
  about, parameters, side)";

pub const SOAK_HELP: &str = "\
Draws operands of random lengths and shapes (uniform, sparse, runs of ones, near powers of two, all
ones, limbs of zeros, planted common factors; lengths also within a limb of every threshold), runs
an operation on the engine of --engine, and compares: with another engine, with GMP, or by a check
of its own (residues modulo three primes, remainders and their bounds, cofactors). Most cases are
short and run on all threads; a few are as long as --max-bits allows.

Operands lie on the host, and an engine such as cuda leaves short work there: as shipped, sums and
other linear operations of fewer than 2^16 limbs (2^22 bits) and products of fewer than 1500 limbs.
BEZOUT_TUNING=minimal makes every threshold tiny, so that short cases reach every algorithm and
every kernel, and a GPU that is named does all work. The JSON has the tuning.

A wrong result ends the run and prints the line that replays the case alone; so does a failure (out
of memory, a lost device, a panic), which is counted apart. With --keep-going the run goes on. In
both cases the exit status is 1. An interrupt (Ctrl-C) ends the run early. A run that ended before
all cases of --cases, or else the time of --minutes, says that it was cut short.

With --cases N the run ends after N cases of each operation, and with --sizes after N cases of each
operation and size; --minutes then limits the time. A range of sizes has all powers of two in it.

Operations:
  add sub shl shr and or xor set popcount hamming compare      'linear' for all of these
  mul square pow divrem exact sqrt root
  gcd cofactors invert powmod
  print parse
  rows-mul rows-gcd rows-powmod     on batches
  poly-mul poly-div poly-gcd        modulo a prime
  sort

Examples:
  bezout soak --minutes 10
  bezout soak --minutes 60 --engine cuda --against cpu --keep-going --json
  bezout soak --minutes 1 --operations gcd,cofactors --max-bits 2^20 --seed 7
  bezout soak --operations linear --cases 10000 --sizes 2^4..2^25 --engine cuda --json
  BEZOUT_TUNING=minimal bezout soak --minutes 10 --engine cuda --against gmp
  bezout soak --replay divrem:4097:9f0c33d1 --engine cuda --against cpu

JSON fields:
  command, engine, against, tuning (what BEZOUT_TUNING says, or else measured where 'bezout tune'
  has kept values of this machine, or else shipped), seed (hexadecimal, as --seed takes it; null
  with --replay), complete (false where the run was cut short), cases, right, wrong, failed,
  cases_each and sizes (what --cases and --sizes asked for), operations (a list: name, right, wrong,
  failed, largest_bits), wrong_cases and failed_cases (lists of the first hundred each: case,
  reason, replay), seconds, device (null without one: name, driver, cuda, compiler, multiprocessors,
  memory_bytes, l2_bytes), version, commit, date";
