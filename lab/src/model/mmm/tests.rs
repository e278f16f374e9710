//! The paper's values, worked out by hand; its costs against direct counting; its theorem against a
//! greedy scheduler.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::algorithms::*;
use super::equations::*;
use super::*;

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a / b - 1.0).abs() <= tolerance, "{a} against {b}");
}

#[test]
fn equations_by_hand() {
    let exact = 1e-12;
    // U = 10 and Z = 70, so that s = 10 in division; U = 6, Z = 48 for Euclid, s = 8, ℓ = 24.
    close(division_work(70.0), 568.0 / 637.0, exact);
    close(division_overhead(441.0), 20.0, exact);
    close(division_time(10.0, 70.0), 53.0 * 70.0 / 840.0, exact);
    // s = 2, ℓ = 4: 104·2·16 + 92·8 + 4 over 88·32 + 256 + 320 + 32 + 192 + 4.
    close(sort_work(2.0, 4.0), 4068.0 / 3620.0, exact);
    close(sort_overhead(2.0, 4.0), 2.0 * 322.0 / 356.0, exact);
    // (56 + 2)(53 + 16 + 90)·2 over (56 + 4)(82 + 32 + 12 + 90).
    close(sort_time(2.0, 4.0, 10.0), 18444.0 / 12960.0, exact);
    // 7·4·2·(16 + 90) over 60·4·4.
    close(sort_time_leading(4.0, 10.0), 5936.0 / 960.0, exact);
    // n = 8, s = 2: 8·4·53 over 9·(80 + 16 − 12).
    close(multiplication_overhead(8.0, 2.0), 1696.0 / 756.0, exact);
    // (24 + 24 − 1)(1 + 40) over (16 + 24 − 2)(40 + 20 + 8 − 2).
    close(multiplication_time(8.0, 2.0, 10.0), 1927.0 / 2508.0, exact);
    // n = 100, Z = 48: 5/48·48·250 over 648.
    close(euclid_overhead(100.0, 48.0), 1250.0 / 648.0, exact);
    // (600 − 2 + 48)·33·48 over (1800 + 48)(48 + 96).
    close(
        euclid_time(100.0, 6.0, 48.0),
        1_023_264.0 / 266_112.0,
        exact,
    );
    close(
        euclid_time_limit(6.0, 48.0),
        33.0 * 48.0 / (3.0 * 144.0),
        exact,
    );
}

#[test]
fn equations_are_ratios_of_the_costs() {
    let exact = 1e-9;
    for (u, z) in [(2.0, 84.0), (100.0, 4200.0), (37.5, 12_000.0)] {
        let (l, n, m) = (z / 2.0, 1e6, 3e5);
        let (naive, steps) = (naive_division_cost(n, m, l), division_cost(n, m, z / 7.0));
        close(division_work(z), naive.work / steps.work, exact);
        close(
            division_overhead(z),
            naive.overhead(u) / steps.overhead(u),
            exact,
        );
        close(division_time(u, z), naive.ratio(&steps, u), exact);
        assert_eq!(naive.span, steps.span);

        let (naive, steps) = (naive_euclid_cost(n, n, l), euclid_cost(n, n, z / 6.0));
        close(
            euclid_overhead(n, z),
            naive.overhead(u) / steps.overhead(u),
            exact,
        );
        close(euclid_time(n, u, z), naive.ratio(&steps, u), exact);
        close(euclid_time_limit(u, z), naive.ratio(&steps, u), 0.02);
        close(euclid_work(z), naive.work / steps.work, 0.02);

        for s in [1.0, 2.0, 4.0, 16.0] {
            let (naive, steps) = (
                multiplication_cost(n, n, 1.0, l),
                multiplication_cost(n, n, s, l),
            );
            close(
                multiplication_overhead(n, s),
                naive.overhead(u) / steps.overhead(u),
                exact,
            );
            close(multiplication_time(n, s, u), naive.ratio(&steps, u), exact);

            let l = 256.0;
            let (naive, steps) = (sort_cost(1e15, 32.0, 1.0, l), sort_cost(1e15, 32.0, s, l));
            close(sort_work(s, l), naive.work / steps.work, 1e-6);
            close(
                sort_overhead(s, l),
                naive.overhead(u) / steps.overhead(u),
                1e-6,
            );
            close(sort_time(s, l, u), naive.ratio(&steps, u), exact);
            let span =
                s * (24.0 * l.log2() + 95.0) / ((8.0 * s + 16.0) * l.log2() + 41.0 * s + 54.0);
            close(span, naive.span / steps.span, exact);
        }
    }
}

#[test]
fn conclusions_of_the_paper() {
    for u in [1.5, 10.0, 400.0] {
        assert!(division_time(u, 12.7) > 1.0 && division_time(u, 12.5) < 1.0);
        assert!(euclid_time_limit(u, 9.7) > 1.0 && euclid_time_limit(u, 9.5) < 1.0);
        // "Increasing s makes the performance worse."
        let ratios = [1.0, 2.0, 4.0, 8.0].map(|s| multiplication_time(8000.0, s, u));
        assert!(
            ratios[0] == 1.0 && ratios.is_sorted_by(|a, b| a > b),
            "{ratios:?}"
        );
    }
    let edge = (15.75f64 * 2.0).exp2();
    assert!(sort_time_leading(edge * 0.99, 2.0) > 1.0 && sort_time_leading(edge * 1.01, 2.0) < 1.0);
}

#[test]
fn costs_agree_with_counting() {
    let u = 25.0;
    let check = |program: &Program, cost: &Cost, tolerance: f64| {
        close(program.span(), cost.span, tolerance);
        close(program.overhead(u), cost.overhead(u), tolerance);
        close(program.blocks(), cost.blocks, tolerance);
        close(program.path(), cost.path, tolerance);
        close(program.widest() as f64, cost.widest, tolerance);
    };
    let check_time = |program: &Program, cost: &Cost, tolerance: f64| {
        check(program, cost, tolerance);
        close(program.heaviest(u), cost.heaviest(u), 1e-12);
        close(program.time(u), cost.time(u), tolerance);
    };
    // Sizes that divide, so that nothing is rounded.
    let (program, cost) = (
        naive_division(351, 160, 32),
        naive_division_cost(351.0, 160.0, 32.0),
    );
    check_time(&program, &cost, 1e-12);
    assert_eq!(program.work(), cost.work);
    let (program, cost) = (division(351, 160, 16), division_cost(351.0, 160.0, 16.0));
    check_time(&program, &cost, 1e-12);
    assert_eq!(program.work(), cost.work);
    for s in [1, 4, 8] {
        // n + s − 1 and m/s are powers of two, as are the sums left at each step.
        let program = multiplication(1025 - s, 256, s, 16);
        let cost = multiplication_cost(1025.0 - s as f64, 256.0, s as f64, 16.0);
        // The last row is added once less than rows there are.
        check(&program, &cost, 1e-12);
        let adding = s as f64 * (1.0 + 3.0 * u);
        assert_eq!(program.heaviest(u), cost.heaviest(u).max(adding));
        assert_eq!(program.work(), 511.0 * 1024.0);
        close(program.work(), cost.work, 1e-3);

        let program = sort(1 << 20, 32, s, 64);
        let cost = sort_cost(f64::from(1 << 20), 32.0, s as f64, 64.0);
        check_time(&program, &cost, 0.02);
        close(program.work(), cost.work, 0.01);
    }
    let program = naive_euclid(9000, 8000, 4);
    check_time(&program, &naive_euclid_cost(9000.0, 8000.0, 4.0), 0.02);
    close(
        program.work(),
        naive_euclid_cost(9000.0, 8000.0, 4.0).work,
        0.02,
    );
    let (program, cost) = (euclid(9000, 8000, 8), euclid_cost(9000.0, 8000.0, 8.0));
    check_time(&program, &cost, 0.02);
    // The paper's work is larger than what its blocks do.
    close(program.work() / cost.work, 0.63, 0.01);
}

#[test]
fn a_program_by_hand() {
    // Two kernels after one, and a last one after both; U = 3.
    let mut program = Program::default();
    let unit = |span: f64, words: f64| block_of(2.0 * span, span, words);
    let first = program.push(4, unit(5.0, 1.0), 1, &[]);
    let left = program.push(3, unit(7.0, 2.0), 2, &[first]);
    let right = program.push(6, unit(2.0, 5.0), 1, &[first]);
    program.push(1, unit(1.0, 1.0), 1, &[left, right]);
    assert_eq!(program.work(), 40.0 + 84.0 + 24.0 + 2.0);
    assert_eq!(program.span(), 5.0 + 14.0 + 1.0);
    assert_eq!(program.overhead(3.0), 3.0 * (4.0 + 12.0 + 30.0 + 1.0));
    assert_eq!((program.blocks(), program.path()), (17.0, 4.0));
    assert_eq!(program.heaviest(3.0), 17.0);
    // The blocks of left and right need not wait for each other.
    assert_eq!(program.widest(), 9);
    assert_eq!(program.time_on(2.0, 3.0), (8.5 + 4.0) * 17.0);
    assert_eq!(program.time(3.0), (17.0 / 9.0 + 4.0) * 17.0);
}

fn block_of(work: f64, span: f64, words: f64) -> Block {
    Block {
        threads: 2.0,
        work,
        span,
        reads: words,
        writes: 0.0,
        word_bytes: 8.0,
        operation: Operation::Word,
        barriers: 0.0,
        waits: 1.0,
    }
}

fn random_program(rng: &mut Xoshiro256PlusPlus) -> Program {
    let mut program = Program::default();
    let scheduling = rng.random_bool(0.5);
    for i in 0..rng.random_range(1..8usize) {
        let after: Vec<usize> = (0..i).filter(|_| rng.random_bool(0.35)).collect();
        let block = block_of(1.0, rng.random_range(1.0..9.0), rng.random_range(0.0..4.0));
        // Half of the programs unfold as they run.
        let decision = if scheduling {
            rng.random_range(0.0..40.0)
        } else {
            0.0
        };
        program.push_decided(decision, rng.random_range(1..6), block, 1, &after);
    }
    program
}

/// The time that a greedy scheduler takes on P multiprocessors. A kernel is decided on when all
/// that it waits for is done, and its blocks may run when that has taken its time.
fn greedy(program: &Program, multiprocessors: usize, u: f64) -> f64 {
    let kernels = program.kernels();
    let mut waiting: Vec<u64> = kernels.iter().map(|kernel| kernel.blocks).collect();
    let mut unfinished = waiting.clone();
    let mut decided: Vec<Option<f64>> = vec![None; kernels.len()];
    let mut running: Vec<(f64, usize)> = Vec::new();
    let mut now = 0.0f64;
    loop {
        for (i, kernel) in kernels.iter().enumerate() {
            let ready = kernel.after.iter().all(|place| unfinished[*place] == 0);
            if ready && decided[i].is_none() {
                decided[i] = Some(now + kernel.decision);
            }
            let may_run = decided[i].is_some_and(|at| at <= now);
            while may_run && waiting[i] > 0 && running.len() < multiprocessors {
                waiting[i] -= 1;
                running.push((now + kernel.block.time(u), i));
            }
        }
        let block = (0..running.len()).min_by(|a, b| running[*a].0.total_cmp(&running[*b].0));
        let later = decided.iter().flatten().copied().filter(|at| *at > now);
        let decision = later.fold(f64::INFINITY, f64::min);
        match block {
            Some(next) if running[next].0 <= decision => {
                let (end, kernel) = running.swap_remove(next);
                now = end;
                unfinished[kernel] -= 1;
            }
            _ if decision.is_finite() => now = decision,
            _ => return now,
        }
    }
}

#[test]
fn theorem_1_bounds_a_greedy_scheduler() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for _ in 0..300 {
        let program = random_program(&mut rng);
        let u = rng.random_range(1.0..20.0);
        for multiprocessors in [1, 2, 3, 7] {
            let taken = greedy(&program, multiprocessors, u);
            let bound = program.time_on(multiprocessors as f64, u);
            assert!(taken <= bound * (1.0 + 1e-12), "{taken} {bound}");
        }
        // More multiprocessors than K are never busy: as many as there are blocks serve no better.
        let unbounded = greedy(&program, 1000, u);
        assert_eq!(unbounded, greedy(&program, program.widest() as usize, u));
        assert!(unbounded <= program.time(u) * (1.0 + 1e-12));
    }
}

#[test]
fn widest_antichains_by_trying_all() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for _ in 0..200 {
        let program = random_program(&mut rng);
        let kernels = program.kernels();
        let n = kernels.len();
        let mut before = vec![0u32; n];
        for i in 0..n {
            for place in &kernels[i].after {
                before[i] |= 1 << place | before[*place];
            }
        }
        let antichain = |set: u32| (0..n).all(|i| set >> i & 1 == 0 || before[i] & set == 0);
        let weight = |set: u32| {
            (0..n)
                .filter(|i| set >> i & 1 == 1)
                .map(|i| kernels[i].blocks)
                .sum()
        };
        let best: u64 = (0..1u32 << n)
            .filter(|set| antichain(*set))
            .map(weight)
            .max()
            .unwrap();
        assert_eq!(program.widest(), best);
    }
}

#[test]
fn scheduling_by_hand() {
    // Decisions of 10 and 20 on two branches; the last kernel is known before.
    let mut program = Program::default();
    let block = block_of(1.0, 2.0, 0.0);
    let first = program.push(1, block, 1, &[]);
    let left = program.push_decided(10.0, 1, block, 3, &[first]);
    let right = program.push_decided(20.0, 1, block, 1, &[first]);
    let both = program.push_decided(5.0, 1, block, 1, &[left, right]);
    program.push(1, block, 1, &[both]);
    assert_eq!(program.scheduling(), 25.0);
    assert_eq!(program.path(), 6.0);
    assert_eq!(program.time_on(2.0, 9.0), (7.0 / 2.0 + 6.0) * 2.0 + 25.0);
    // A generator sees what it has launched.
    let unfolded = Program::unfold(4.0, |so_far| {
        (so_far.blocks() < 6.0).then_some((1 + so_far.kernels().len() as u64, block, 1))
    });
    let blocks: Vec<u64> = unfolded.kernels().iter().map(|k| k.blocks).collect();
    assert_eq!(blocks, [1, 2, 3]);
    assert_eq!((unfolded.scheduling(), unfolded.path()), (12.0, 3.0));
    assert_eq!(unfolded.widest(), 3);
}

const P: i64 = 101;

fn degree(f: &[i64]) -> i64 {
    f.iter().rposition(|c| *c != 0).map_or(-1, |d| d as i64)
}

/// The degrees of both polynomials before Euclid's algorithm and after every leading coefficient
/// that it takes away, modulo P, until one is 0.
fn degrees_of(mut a: Vec<i64>, mut b: Vec<i64>) -> Vec<[i64; 2]> {
    let mut all = vec![[degree(&a), degree(&b)]];
    while degree(&a).min(degree(&b)) >= 0 {
        let (high, low) = if degree(&a) >= degree(&b) {
            (&mut a, &b)
        } else {
            (&mut b, &a)
        };
        let (d, e) = (degree(high) as usize, degree(low) as usize);
        let (top, by) = (high[d], low[e]);
        for i in 0..=d {
            let other = if i + e >= d { low[i + e - d] } else { 0 };
            high[i] = (by * high[i] - top * other).rem_euclid(P);
        }
        all.push([degree(&a), degree(&b)]);
    }
    all
}

fn product(a: &[i64], b: &[i64]) -> Vec<i64> {
    let mut out = vec![0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] = (out[i + j] + x * y) % P;
        }
    }
    out
}

#[test]
fn euclid_unfolds_with_its_data() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let mut random = |len: usize| -> Vec<i64> {
        let mut f: Vec<i64> = (0..len).map(|_| rng.random_range(0..P)).collect();
        f[len - 1] = 1;
        f
    };
    let (a, b) = (random(60), random(50));
    let common = random(40);
    for (a, b) in [
        (a.clone(), b.clone()),
        (product(&a, &common), product(&b, &common)),
        (common.clone(), common.clone()),
        (a.clone(), vec![0]),
    ] {
        let degrees = degrees_of(a, b);
        let steps = degrees.len() as u64 - 1;
        for (s, look) in [(1, 1), (4, 1), (8, 4), (512, 2)] {
            let program = euclid_unfolding(degrees.iter().copied(), s, look, 30.0);
            // By definition: the host looks after s·look steps, until there are none.
            let looks = steps.div_ceil(s * look);
            let launched: u64 = (0..looks)
                .map(|i| degrees[(i * s * look) as usize])
                .map(|[a, b]| ((a.max(b) + 1) as u64).div_ceil(s) * look)
                .sum();
            assert_eq!(program.blocks(), launched as f64);
            assert_eq!(program.path(), (looks * look) as f64);
            assert_eq!(program.scheduling(), 30.0 * looks as f64);
        }
    }
    // The larger the common factor, the fewer kernels: the program that is known before must have
    // them all.
    let [alone, shared] = [0, 40].map(|common| {
        // Remainders that lose a degree at a time, down to the common factor.
        let mut now = [99i64, 99];
        let mut degrees = vec![now];
        while now[0].min(now[1]) >= common {
            let longer = usize::from(now[1] > now[0]);
            now[longer] -= 1;
            if now[longer] < common {
                now[longer] = -1;
            }
            degrees.push(now);
        }
        euclid_unfolding(degrees, 4, 1, 0.0)
    });
    let known = euclid(100, 100, 4);
    assert!((alone.path() - known.path()).abs() <= 1.0);
    close(shared.path() / alone.path(), 0.6, 0.03);
}

#[test]
fn strategies_of_the_paper() {
    use super::strategy::{Algorithm, Problem};
    let (u, z) = (38.0, 4200.0);
    let problem = |algorithm: Algorithm, n: u64, m: u64, threads: u64| Problem {
        algorithm,
        n,
        m,
        bits: 32,
        threads,
        u,
        z,
    };
    // Division and Euclid: as many steps as the local memory holds, which the equations are about.
    let found = problem(Algorithm::Division, 1 << 20, 1 << 19, 2100);
    let found = found.optimise().unwrap();
    assert_eq!((found.s_min, found.chosen), (600, 600));
    assert!(found.is_accepted && found.work_is_steady);
    let last = found.candidates.last().unwrap();
    let numbers: Vec<&str> = found.equations.iter().map(|e| e.number).collect();
    assert_eq!(numbers, ["(5)", "(6)", "(7)"]);
    for (equation, ratio) in found
        .equations
        .iter()
        .zip([last.work, last.overhead, last.time])
    {
        close(equation.value, ratio, 1e-9);
    }
    let found = problem(Algorithm::Euclid, 1 << 20, 1 << 20, 2100);
    let found = found.optimise().unwrap();
    assert_eq!((found.s_min, found.chosen), (700, 700));
    let last = found.candidates.last().unwrap();
    close(found.equations[0].value, last.work, 0.02);
    for (equation, ratio) in found.equations[1..].iter().zip([last.overhead, last.time]) {
        close(equation.value, ratio, 1e-9);
    }
    close(found.equations[3].value, last.time, 0.02);
    // Where the memory holds more than the costs hold for, s ends at m/2.
    for (n, m) in [(4000, 4000), (4000, 100), (1 << 20, 7), (9, 3), (5, 1)] {
        let problem = Problem {
            u: 37.3,
            z: 29_056.0,
            ..problem(Algorithm::Euclid, n, m, 14_528)
        };
        let found = problem.optimise().unwrap();
        for candidate in &found.candidates {
            assert!(candidate.s <= (m / 2).max(1), "{candidate:?}");
            assert!((0.1..=1.0).contains(&candidate.work), "{candidate:?}");
        }
        let work = problem.cost(m).work;
        assert!(m != 4000 || (found.s_min == 2000 && work < 0.0), "{work}");
    }
    // Sort: the overhead falls by s until 2^s is about ℓ.
    let found = problem(Algorithm::Sort, 1 << 40, 0, 256)
        .optimise()
        .unwrap();
    assert!(
        found.is_accepted && (6..=9).contains(&found.s_min),
        "{found:?}"
    );
    let best = found
        .candidates
        .iter()
        .find(|c| c.s == found.s_min)
        .unwrap();
    for (equation, ratio) in found
        .equations
        .iter()
        .zip([best.work, best.overhead, best.time])
    {
        close(equation.value, ratio, 1e-6);
    }
    // Multiplication: the largest s has the least overhead, and Corollary 1 refuses it.
    let found = problem(Algorithm::Multiplication, 8000, 8000, 64)
        .optimise()
        .unwrap();
    assert_eq!((found.s_min, found.chosen), (32, 1));
    assert!(!found.is_accepted && found.work_is_steady);
    let last = found.candidates.last().unwrap();
    for (equation, ratio) in found.equations.iter().zip([last.overhead, last.time]) {
        close(equation.value, ratio, 1e-9);
    }
    // Every equation is somebody's.
    let all = Algorithm::ALL.map(|a| problem(a, 1000, 500, 64).equations(2));
    let all: Vec<&str> = all.iter().flatten().map(|e| e.number).collect();
    assert!((5..=15).all(|i| all.contains(&format!("({i})").as_str())));
    // The costs of a program with s are those that are stated, but for Euclid's work.
    let counted = problem(Algorithm::Division, 351, 160, 32);
    assert_eq!(counted.program(16).work(), counted.cost(16).work);
    for refused in [
        problem(Algorithm::Division, 10, 11, 32),
        problem(Algorithm::Euclid, 10, 0, 32),
        problem(Algorithm::Sort, 0, 0, 32),
        // O_1 is below 0.
        problem(Algorithm::Sort, 10, 0, 256),
        Problem {
            u: 0.5,
            ..problem(Algorithm::Euclid, 10, 10, 32)
        },
        Problem {
            bits: 65,
            ..problem(Algorithm::Sort, 10, 0, 32)
        },
    ] {
        assert!(refused.optimise().is_err());
    }
    assert_eq!("euclid".parse::<Algorithm>().unwrap(), Algorithm::Euclid);
    assert!("heapsort".parse::<Algorithm>().is_err());
}
