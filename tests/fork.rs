//! A process may be forked at any time, whatever its other threads are doing, and the child may go
//! on to use the library.

#![cfg(unix)]
#![allow(unsafe_code)]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use bezout::constant::Constant;
use bezout::poly::{Modulus, Poly};
use bezout::{Batch, Error, Int, keys, residues, sort, tree};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Forks of a short run: a few seconds. `BEZOUT_FORKS` asks for another number.
const FORKS: usize = 40;
/// Threads at work while the process is forked.
const THREADS: usize = 4;
/// Seconds after which a child that hangs is ended.
const PATIENCE: u32 = 120;

type Operation = fn(&Operands) -> Result<Int, Error>;

/// Work that threads share out, keep tables of, or keep memory for; each gives a number of some
/// limbs that says whether it was right.
const OPERATIONS: [(&str, Operation); 18] = [
    ("a long product", |x| x.a.try_mul(&x.b)),
    ("a short product", |x| x.c.try_mul(&x.d)),
    ("a long square", |x| x.b.try_square()),
    ("a sum", |x| x.a.try_add(&x.b)),
    ("a division", |x| x.a.try_rem(&x.c)),
    ("a GCD", |x| x.c.try_mul(&x.p)?.try_gcd(&x.d.try_mul(&x.p)?)),
    ("cofactors", |x| x.c.try_extended_gcd(&x.d).map(|all| all.1)),
    ("text", |x| {
        Int::from_str_radix(&x.c.try_to_string_radix(10)?, 11)
    }),
    ("a modular power", |x| {
        x.c.try_pow_mod(&x.p, &x.p.try_add_small(2)?)
    }),
    ("a root", |x| x.a.try_isqrt()),
    ("a prime", |x| {
        Ok(Int::from(u64::from(x.p.try_is_probable_prime()?))
            + x.p.try_shr(1700)?.try_next_prime()?)
    }),
    ("factors", |x| {
        let found = x.semiprime.try_factor()?;
        tree::product(
            &found
                .factors
                .iter()
                .map(|f| f.value.clone())
                .collect::<Vec<_>>(),
        )
    }),
    ("polynomials", |x| {
        let common = x.f.try_mul(&x.g)?.try_gcd(&x.g.try_square()?)?;
        Ok(Int::from_limbs_slice(common.try_coefficients()?))
    }),
    ("rows", |x| {
        let powers = x.rows.all().try_mul_wide(&x.rows.all())?;
        let quotients = powers.all().try_mul(&powers.all())?;
        Ok(Int::from_limbs_slice(quotients.try_limbs()?))
    }),
    ("a sort", |x| {
        let mut keys = x.keys.clone();
        sort::sort(&mut keys, sort::Options::default())?;
        Ok(Int::from_limbs_slice(&keys))
    }),
    ("keys", |x| {
        let shared = keys::shared_factors(&[x.c.abs(), x.d.abs(), (&x.c * &x.p).abs()])?;
        tree::product(&shared.into_iter().map(|s| s.factor).collect::<Vec<_>>())
    }),
    ("residues", |x| {
        let moduli = residues::Moduli::primes(32, 300)?;
        let x = residues::Residues::of(&x.p, &moduli)?;
        Ok(Int::from_limbs_slice(x.try_mul(&x)?.values()))
    }),
    ("digits", |_| {
        let digits = Constant::Pi.try_digits(5000)?;
        Int::from_str_radix(&digits[2..], 10)
    }),
];

struct Operands {
    a: Int,
    b: Int,
    c: Int,
    d: Int,
    p: Int,
    semiprime: Int,
    f: Poly,
    g: Poly,
    rows: Batch,
    keys: Vec<u64>,
}

impl Operands {
    fn new() -> Result<Operands, Error> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(53);
        let modulus = Modulus::new(998_244_353)?;
        Ok(Operands {
            a: Int::random_bits(3 << 20, &mut rng),
            b: Int::random_bits(1 << 20, &mut rng),
            c: Int::random_bits(1 << 17, &mut rng),
            d: Int::random_bits(1 << 16, &mut rng),
            p: Int::from(2).try_pow(2203)?.try_add_small(-1)?,
            // Two primes of 66 bits: the sieve's.
            semiprime: Int::from(2).try_pow(65)?.try_next_prime()?
                * (Int::from(3).try_pow(41)?).try_next_prime()?,
            f: Poly::random(3000, modulus, &mut rng),
            g: Poly::random(2000, modulus, &mut rng),
            rows: Batch::from_limbs((0..1 << 15).map(|_| rng.next_u64()).collect(), 8)?,
            keys: (0..1 << 17).map(|_| rng.next_u64()).collect(),
        })
    }
}

#[test]
fn a_child_computes_whatever_other_threads_did_at_the_fork() {
    let forks = std::env::var("BEZOUT_FORKS").map_or(FORKS, |n| n.parse().unwrap());
    let operands = Operands::new().unwrap();
    let right: Vec<Int> = OPERATIONS
        .iter()
        .map(|(name, work)| work(&operands).unwrap_or_else(|e| panic!("{name}: {e}")))
        .collect();
    let check = |at: usize| (OPERATIONS[at].1)(&operands).as_ref() == Ok(&right[at]);
    let done = AtomicBool::new(false);
    let wrong = thread::scope(|threads| {
        for first in 0..THREADS {
            let (check, done) = (&check, &done);
            threads.spawn(move || {
                for round in 0.. {
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                    // Each second time a product or a GCD, as these are most of all work.
                    let at = if round % 2 == 0 { round / 2 % 6 } else { round };
                    assert!(check((first * 5 + at) % OPERATIONS.len()));
                }
            });
        }
        let wrong = (0..forks).find_map(|fork| {
            let at = fork % OPERATIONS.len();
            let next = (at + 1) % OPERATIONS.len();
            let status = in_child(|| check(at) && check(next) && grandchild(|| check(at)));
            (status != 0).then(|| format!("{} in fork {fork}: {status:#x}", OPERATIONS[at].0))
        });
        done.store(true, Ordering::Relaxed);
        wrong
    });
    assert_eq!(wrong, None);
}

fn grandchild(work: impl FnOnce() -> bool) -> bool {
    in_child(work) == 0
}

/// What `waitpid` says of a child that does this work: 0 where it was right.
fn in_child(work: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child only uses what this test is about, the allocator, which the C library keeps
    // usable, and calls of the system; it ends without running anything of its parent's.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0, "fork");
        if child == 0 {
            libc::alarm(PATIENCE);
            let right = catch_unwind(AssertUnwindSafe(work)).unwrap_or(false);
            libc::_exit(i32::from(!right));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        status
    }
}

/// Locks of the process that are not `PerProcess`, each with the reason.
const OTHERS: [(&str, &str); 5] = [
    // Guarded by `Begun`.
    ("src/cuda/driver/probe.rs", "FOUND"),
    // The executor cannot be used in a child.
    ("src/cuda/executor/mod.rs", "STREAM"),
    // Ranks do not fork.
    ("src/cluster/mod.rs", "STARTED"),
    ("src/cluster/mpi.rs", "UNIVERSE"),
    ("src/cluster/mpi.rs", "TURN"),
];

/// A lock that another thread held at a fork is held for ever in the child.
#[test]
fn locks_of_the_process_are_new_in_a_child() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for path in sources(&root.join("src")) {
        let file = path
            .strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).unwrap();
        // Test modules stand last in a file.
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for rest in text.split("static ").skip(1) {
            let Some((head, _)) = rest.split_once('=') else {
                continue;
            };
            let Some((name, kind)) = head.split_once(':') else {
                continue;
            };
            let locks = [
                "Mutex", "RwLock", "OnceLock", "LazyLock", "Condvar", "Once<",
            ];
            let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            let has_lock = locks.iter().any(|lock| kind.contains(lock));
            let is_known = kind.contains("PerProcess<") || OTHERS.contains(&(file.as_str(), name));
            if is_name && has_lock && !is_known {
                found.push(format!("{file}: {name}"));
            }
        }
        // Threads are asked for in one place, which knows of forks.
        let asks = [
            "rayon::join",
            "rayon::current",
            "rayon::scope",
            "into_par_iter",
        ];
        if file != "src/threads.rs" && asks.iter().any(|call| text.contains(call)) {
            found.push(format!("{file}: rayon"));
        }
    }
    assert!(found.is_empty(), "{found:?}");
}

/// All sources but those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if name == "tests" || name.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
