//! What `bezout model project` shows, and what `bezout model probe` does under `mpirun`.

use bezout::cluster::Network;
use bezout::cluster::projection::{Point, Projection, weber_brew};
use bezout_lab::model::pram::{Cost, Pram};

use super::{Form, write};
use crate::format::{bandwidth, count, seconds, significant, times};
use crate::table::Table;

/// What ranks cost each other.
pub fn network_table(network: &Network, form: Form) -> String {
    let ranks = network.ranks.into();
    let rows = [
        ("ranks", network.ranks.to_string()),
        ("of them on the first machine", network.local.to_string()),
        ("message of a word", seconds(network.message(8))),
        ("bandwidth of a message", bandwidth(network.bandwidth)),
        (
            "broadcast of 1 KiB",
            seconds(network.broadcast(Network::STEP_BYTES, ranks)),
        ),
        ("all-reduce of a word", seconds(network.all_reduce(ranks))),
        (
            "work on all ranks over one alone",
            significant(network.crowding),
        ),
    ];
    let table = Table {
        title: "Between ranks".into(),
        headers: vec!["measured", "value"],
        rows: rows
            .map(|(name, value)| vec![name.to_string(), value])
            .to_vec(),
    };
    write(&[table], form)
}

/// The costs of the modular GCD on a parallel random access machine.
pub fn pram_tables(pram: &Pram, form: Form) -> String {
    let names = [
        "MGCD1, find the moduli",
        "MGCD2, convert to residues",
        "MGCD3, reduce",
        "MGCD4, convert back",
    ];
    let whole = |x: f64| {
        if x < 1e15 {
            count(x.ceil() as u64)
        } else {
            significant(x)
        }
    };
    let row = |name: &str, cost: &Cost| {
        vec![
            name.to_string(),
            whole(cost.worst),
            whole(cost.average),
            whole(cost.processors),
        ]
    };
    let mut rows: Vec<_> = names
        .iter()
        .zip(&pram.steps)
        .map(|(n, c)| row(n, c))
        .collect();
    rows.push(row("all, theorem 9", &pram.total));
    rows.push(row("all on bit processors, theorem 10", &pram.bit_total));
    let costs = Table {
        title: format!(
            "The modular GCD of {} bits on a PRAM of {}-bit words: units of time, and processors",
            count(pram.bits),
            pram.width
        ),
        headers: vec!["step", "worst case", "average, by the model", "processors"],
        rows,
    };
    let parts = [
        ("moduli, ⌈2^(w/2) + n⌉", pram.moduli),
        ("processors of a minimum, lemma 7", pram.minimum_processors),
        ("bit processors for one of words, lemma 8", pram.emulation),
        ("bits of its tables, lemma 8", pram.table_bits),
    ];
    let parts = Table {
        title: "What they are made of".into(),
        headers: vec!["part", "number"],
        rows: parts
            .map(|(name, value)| vec![name.to_string(), whole(value)])
            .to_vec(),
    };
    write(&[costs, parts], form)
}

/// A projection, and Weber and Brew's for the same numbers.
pub fn projection_tables(projection: &Projection, form: Form) -> String {
    let Projection {
        bits,
        parameters,
        asked,
        best,
        points,
        alone,
        ..
    } = projection;
    let mut shown = points.clone();
    if !points.iter().any(|point| point.ranks == asked.ranks) {
        shown.push(*asked);
        shown.sort_by_key(|point| point.ranks);
    }
    let mark = |point: &Point| match (point.ranks == asked.ranks, point.ranks == best.ranks) {
        (true, true) => "asked for, best",
        (true, false) => "asked for",
        (false, true) => "best",
        (false, false) => "",
    };
    let rows = shown.iter().map(|point| {
        vec![
            point.ranks.to_string(),
            seconds(point.seconds),
            times(point.speed_up),
            significant(point.efficiency),
            seconds(point.weber_seconds),
            mark(point).to_string(),
        ]
    });
    let name = parameters.rates.name;
    let ranks = Table {
        title: format!(
            "gcd of two numbers of {} bits, on ranks of one {name} each: {} on {}, best {} on {}",
            count(*bits),
            seconds(asked.seconds),
            asked.ranks,
            seconds(best.seconds),
            best.ranks
        ),
        headers: vec!["ranks", "lattice", "speed-up", "efficiency", "weber", ""],
        rows: rows.collect(),
    };
    let lines = [weber_brew::PAPER, weber_brew::H200].map(|line| {
        vec![
            line.name.to_string(),
            format!("{} N {:+.2}", line.slope, line.start),
            seconds(line.seconds(*bits)),
            format!("{:.2} million", 1e-6 * weber_brew::moduli(*bits)),
            line.gpus(*bits).to_string(),
        ]
    });
    let theirs = Table {
        title: "Weber and Brew's projection: enough GPUs, and no communication".into(),
        headers: vec!["GPU", "ms, N in Kibit", "time", "moduli", "GPUs"],
        rows: lines.to_vec(),
    };
    let network = &parameters.network;
    let mut text = write(&[ranks, theirs], form);
    text += &format!(
        "\nRates: {}.\nBetween ranks: {} a message, {} a broadcast among {}{}.\n",
        parameters.rates.from,
        seconds(network.message),
        seconds(network.broadcast),
        network.ranks,
        if *network == Network::SHIPPED {
            ", as shipped"
        } else {
            ""
        }
    );
    if let Some(alone) = alone {
        text += &format!(
            "One {name} alone, by the algorithm that it would choose: {}.\n",
            seconds(*alone)
        );
    }
    text
}
