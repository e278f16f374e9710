//! The pictures of `liu-tong`: time by block and grid, speed-up over one core with crossovers.

use std::fmt::Write;

use super::plot::{self, HeatMap, LineChart, Mark, Series, Style};
use super::{Headline, main_engine};
use crate::format::{count, times};
use crate::record::{Crossover, LaunchShape, Measurement, Record, Sweep};
use crate::table::crossing;

/// Crossovers of the engine a reader looks for, against the strongest library that was built.
fn main_crossovers(record: &Record) -> Vec<&Crossover> {
    let engine = main_engine(record);
    let gmp = record.crossovers.iter().any(|c| c.baseline == "GMP");
    let baseline = if gmp { "GMP" } else { "malachite" };
    let all = record.crossovers.iter();
    all.filter(|c| c.engine == engine && c.baseline == baseline)
        .collect()
}

/// What a reader wants first.
pub fn headlines(record: &Record) -> Vec<Headline> {
    let card = |c: &&Crossover| Headline {
        number: crossing(c),
        about: format!(
            "32-bit limbs from which ‘{}’ on {} is faster than {} on one core; {} in the paper",
            c.operation,
            c.engine,
            c.baseline,
            count(c.paper_limbs)
        ),
    };
    main_crossovers(record).iter().map(card).collect()
}

/// The pictures.
pub fn pictures(record: &Record) -> String {
    let mut html = String::new();
    if !record.sweeps.is_empty() {
        let _ = writeln!(
            html,
            "<h3>Time against block and grid size</h3>\n<p class=\"about\">Each operation at the \
             paper’s own data size, with the launch shape forced. “resident” is as many blocks as \
             the device holds at once.</p>\n{}<div class=\"panels wide\">",
            plot::heat_legend()
        );
        for sweep in &record.sweeps {
            html += &heat_map(record, sweep).figure();
        }
        html += "</div>\n";
    }
    html += "<h3>Speed-up over one core against data size</h3>\n<p class=\"about\">Operands are \
             where the engine works; each result is waited for. The dotted line is where both are \
             equal, the red line where the engine overtakes the core, the dashed one where it did \
             in the paper.</p>\n";
    html += &speed_ups(record);
    html
}

fn heat_map(record: &Record, sweep: &Sweep) -> HeatMap {
    let cells: Vec<(&Measurement, u32, Option<u32>)> = record
        .measurements
        .iter()
        .filter(|m| m.operation == sweep.operation && m.bits == 32 * sweep.limbs)
        .filter_map(|m| m.shape.and_then(|s| Some((m, s.block?, s.grid))))
        .collect();
    let (mut blocks, mut grids) = (Vec::new(), Vec::new());
    for (_, block, grid) in &cells {
        if !blocks.contains(block) {
            blocks.push(*block);
        }
        if !grids.contains(grid) {
            grids.push(*grid);
        }
    }
    let time = |block: u32, grid: Option<u32>| {
        let cell = cells.iter().find(|(_, b, g)| *b == block && *g == grid);
        cell.map(|(m, ..)| m.time.median)
    };
    let LaunchShape { block, grid } = sweep.paper;
    let paper = blocks.iter().position(|b| Some(*b) == block);
    HeatMap {
        title: format!(
            "Fig. {}: {}, {} limbs",
            sweep.figure,
            sweep.operation,
            count(sweep.limbs)
        ),
        x_label: "blocks in the grid",
        y_label: "threads in a block",
        columns: grids
            .iter()
            .map(|g| g.map_or("resident".into(), |g| g.to_string()))
            .collect(),
        rows: blocks.iter().map(u32::to_string).collect(),
        cells: blocks
            .iter()
            .map(|b| grids.iter().map(|g| time(*b, *g)).collect())
            .collect(),
        paper: paper.zip(grids.iter().position(|g| *g == grid)),
    }
}

/// One panel for each operation. Colour tells the engine, a dashed line malachite.
fn speed_ups(record: &Record) -> String {
    let mut names: Vec<(String, Style)> = Vec::new();
    let mut html = String::new();
    let main = main_crossovers(record);
    let mut operations: Vec<(&str, u32)> = Vec::new();
    for c in &record.crossovers {
        if !operations.contains(&(&c.operation, c.figure)) {
            operations.push((&c.operation, c.figure));
        }
    }
    for (operation, figure) in operations {
        let mut series = Vec::new();
        for c in record
            .crossovers
            .iter()
            .filter(|c| c.operation == operation)
        {
            let measured = record.measurements.iter();
            let points = measured
                .filter(|m| m.operation == operation && m.engine == c.engine && m.shape.is_none())
                .filter_map(|m| Some((m.bits as f64 / 32.0, m.baseline(&c.baseline)?.ratio)));
            let style = Style {
                colour: usize::from(c.engine == "cpu"),
                dashed: c.baseline == "malachite",
            };
            let name = format!("{} over {}", c.engine, c.baseline);
            if !names.iter().any(|(known, _)| *known == name) {
                names.push((name.clone(), style));
            }
            series.push(Series {
                name,
                points: points.collect(),
                style,
            });
        }
        let crossover = main.iter().find(|c| c.operation == operation);
        let chart = LineChart {
            title: format!("Fig. {figure}: {operation}"),
            x_label: "size in 32-bit limbs",
            y_label: "speed-up",
            y_text: times,
            series,
            marks: crossover.map_or(Vec::new(), |c| marks(c)),
            ratio: true,
            extent: (360.0, 290.0),
        };
        html += &chart.figure();
    }
    names.sort_by_key(|(_, style)| (style.colour, style.dashed));
    let legend = plot::legend(names.iter().map(|(name, style)| (name.as_str(), *style)));
    format!("{legend}<div class=\"panels\">\n{html}</div>\n")
}

fn marks(c: &Crossover) -> Vec<Mark> {
    let mut marks = vec![Mark {
        x: c.paper_limbs as f64,
        label: format!("paper: {}", count(c.paper_limbs)),
        theirs: true,
    }];
    marks.extend(c.limbs.map(|x| Mark {
        x,
        label: format!("here: {}", crossing(c)),
        theirs: false,
    }));
    marks
}
