//! `bezout ecm`: elliptic curves with the arguments, the output and the exit codes of GMP-ECM's
//! `ecm`, so that programs that call it can call this instead.

mod options;
mod residue;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use bezout::Int;
use bezout::factor::gmp_ecm::{self, Outcome, Start};
use rand::TryRng;
use rand::rngs::SysRng;

use crate::calc::Program;
use crate::failure::Failure;
use crate::number::without_mark;
use crate::{interrupt, output};
use options::Options;
use residue::Residue;

/// B2 for B1, where none is given.
const B2_RATIO: u64 = 100;

const HELP: &str = "\
Usage: bezout ecm [options] B1 [B2] < file

Runs elliptic curves on the numbers of standard input, one per line, as GMP-ECM's ecm does.

  -c n         perform n runs for each number, 0 for as many as it takes [default: 1]
  -sigma s     use this curve; i:s has the parametrisation before it
  -param i     parametrisation of curves: 0, 1 or 3 [default: 1]
  -save file   write residues at the end of stage 1 to a file, which must not be there
  -savea file  append them to a file
  -resume file go on with residues from a file, or from standard input for '-'
  -inp file    read numbers from a file
  -one         stop with the first factor of a number
  -q           print factors alone
  -h, --help   print this help

B2 is 100 times B1 unless it is given; 0 is for no stage 2. Options of GMP-ECM that choose among its
algorithms have no effect. Options of bezout come first: bezout --threads 4 ecm 11e3.

Exit codes: 0 no factor, 1 an error, 2 a composite factor and a composite cofactor, 6 a prime factor
and a composite cofactor, 8 the number itself, 10 a composite factor and a prime cofactor, 14 a
prime factor and a prime cofactor.";

/// Runs the command. `quiet` is what bezout's own option says: it is met first where `-q` comes
/// first.
pub fn run(arguments: &[OsString], quiet: bool) -> Result<(), Failure> {
    let mut options = Options::parse(arguments)?;
    options.quiet |= quiet;
    if options.help {
        return output::text(HELP);
    }
    let _ = interrupt::listen(None);
    let save = options.save.as_deref();
    let save = save
        .map(|path| open_save(path, options.append))
        .transpose()?;
    let mut run = Run {
        options,
        save,
        code: 0,
    };
    run.say(&format!("bezout {} [ECM]", env!("CARGO_PKG_VERSION")))?;
    if let Some(path) = run.options.resume.clone() {
        run.resume(&path)?;
    } else {
        let input = run.options.input.clone();
        for line in lines(input.as_deref())? {
            let line = line.map_err(|error| failed("cannot read the numbers", &error))?;
            run.number(line.trim())?;
        }
    }
    if interrupt::is_requested() {
        return Err(Failure::failed("interrupted"));
    }
    match run.code {
        0 => Ok(()),
        code => Err(Failure::said(code)),
    }
}

fn failed(what: &str, error: &io::Error) -> Failure {
    Failure::failed(format!("{what}: {error}"))
}

/// The lines of a file, or of standard input.
fn lines(path: Option<&Path>) -> Result<impl Iterator<Item = io::Result<String>>, Failure> {
    let input: Box<dyn BufRead> = match path {
        None => Box::new(BufReader::new(io::stdin())),
        Some(path) if path == Path::new("-") => Box::new(BufReader::new(io::stdin())),
        Some(path) => {
            let cannot = format!("cannot read '{}'", path.display());
            Box::new(BufReader::new(
                File::open(path).map_err(|error| failed(&cannot, &error))?,
            ))
        }
    };
    Ok(input.lines().enumerate().map(|(at, line)| {
        let line = line?;
        if at == 0 {
            return Ok(without_mark(&line).to_string());
        }
        Ok(line)
    }))
}

fn open_save(path: &Path, append: bool) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    if append {
        options.append(true).create(true);
    } else {
        options.write(true).create_new(true);
    }
    let cannot = format!("cannot write '{}'", path.display());
    let file = options.open(path).map_err(|error| failed(&cannot, &error));
    if append {
        file
    } else {
        file.map_err(|failure| failure.hint("-savea appends to a file"))
    }
}

/// A number, and what is left of it.
struct Candidate {
    /// As it was written, with divisions by the factors behind it.
    text: String,
    value: Int,
}

impl Candidate {
    fn divide(&mut self, factor: &Int) {
        self.value = &self.value / factor;
        let is_plain = self.text.bytes().all(|byte| byte.is_ascii_digit());
        self.text = if is_plain {
            self.value.to_string()
        } else {
            format!("({})/{factor}", self.text)
        };
    }
}

struct Run {
    options: Options,
    save: Option<File>,
    /// The exit code for the last factor.
    code: u8,
}

impl Run {
    /// Prints a line, unless it is to be quiet.
    fn say(&self, line: &str) -> Result<(), Failure> {
        if self.options.quiet {
            return Ok(());
        }
        output::text(line)
    }

    /// Runs curves on a number of the input.
    fn number(&mut self, text: &str) -> Result<(), Failure> {
        if text.is_empty() || text.starts_with('#') || interrupt::is_requested() {
            return Ok(());
        }
        let value = Program::compile(text)?.whole()?;
        let count = match self.options.count {
            0 => u64::MAX,
            count => count,
        };
        let candidate = Candidate {
            text: text.to_string(),
            value,
        };
        self.code = 0;
        let fresh = (0..count).map(|_| None);
        self.curves(candidate, fresh, count)
    }

    /// Goes on with the residues of a file.
    fn resume(&mut self, path: &Path) -> Result<(), Failure> {
        for (line, number) in lines(Some(path))?.zip(1..) {
            let line = line.map_err(|error| failed("cannot read the residues", &error))?;
            let residue = match Residue::parse(&line) {
                Ok(None) => continue,
                Ok(Some(residue)) => residue,
                Err(reason) => {
                    output::report(&format!(
                        "bezout: {}, line {number}: {reason}",
                        path.display()
                    ));
                    continue;
                }
            };
            if interrupt::is_requested() {
                return Ok(());
            }
            let [who, program, time] = residue.origin.map(|field| field.unwrap_or_default());
            self.say(&format!(
                "Resuming ECM residue saved by {who} with {program} on {time}"
            ))?;
            let candidate = Candidate {
                text: residue.text,
                value: residue.number,
            };
            self.curves(candidate, [Some(residue.start)].into_iter(), 1)?;
        }
        Ok(())
    }

    /// The first point of a curve.
    fn fresh(&self) -> Result<Start, Failure> {
        let parametrisation = self.options.parametrisation.unwrap_or(1);
        let sigma = match &self.options.sigma {
            Some(sigma) => sigma.clone(),
            None => {
                let random = SysRng.try_next_u64();
                let random = random.map_err(|error| Failure::failed(error.to_string()))?;
                // Suyama's sigma has 64 bits, the other ones 32; the smallest give no curve.
                Int::from((random >> if parametrisation == 0 { 0 } else { 32 }).max(6))
            }
        };
        Ok(Start {
            parametrisation,
            sigma,
            b1: 1,
            x: None,
        })
    }

    /// Runs `count` curves on a number, as many at a time as there are threads; None stands for a
    /// new curve.
    fn curves(
        &mut self,
        mut left: Candidate,
        starts: impl Iterator<Item = Option<Start>>,
        count: u64,
    ) -> Result<(), Failure> {
        let digits = left.value.to_string().len();
        self.say(&format!("Input number is {} ({digits} digits)", left.text))?;
        let mut factors = Vec::new();
        let mut starts = starts.fuse();
        // Curves whose stage 1 is done, with another factor in the way of stage 2.
        let mut waiting: Vec<Start> = Vec::new();
        let mut done = 0;
        while left.value > 1 && !interrupt::is_requested() {
            // Those that wait are at another bound than new ones.
            let is_fresh = waiting.is_empty();
            let mut batch = std::mem::take(&mut waiting);
            while batch.is_empty() || (is_fresh && batch.len() < rayon::current_num_threads()) {
                match starts.next() {
                    None => break,
                    Some(Some(start)) => batch.push(start),
                    Some(None) => batch.push(self.fresh()?),
                }
            }
            if batch.is_empty() {
                break;
            }
            if left.value.is_even() {
                self.found(&mut left, Int::from(2u32), 1, &mut factors)?;
                if self.options.one || self.code & 8 != 0 {
                    break;
                }
                waiting.extend(batch);
                continue;
            }
            let b1 = self.options.b1.max(batch[0].b1);
            let b2 = self.options.b2.unwrap_or(b1.saturating_mul(B2_RATIO));
            let keep_going = || !interrupt::is_requested();
            let outcomes = gmp_ecm::run(&left.value, &batch, b1, b2, &keep_going)?;
            if outcomes.is_stopped {
                break;
            }
            let has_second = b2 > b1 && outcomes.seconds[1] > 0.0;
            let is_split = outcomes.curves.iter().any(|curve| curve.factor.is_some());
            for (start, outcome) in batch.into_iter().zip(outcomes.curves) {
                let after = Start {
                    b1,
                    x: outcome.x.clone(),
                    ..start.clone()
                };
                if outcome.factor.is_none() && is_split && !has_second && b2 > b1 {
                    waiting.push(after);
                    continue;
                }
                done += 1;
                self.report(&start, &outcome, (b1, b2), outcomes.seconds, (done, count))?;
                self.save(&left, after)?;
                if let Some((factor, stage)) = outcome.factor {
                    self.found(&mut left, factor, stage, &mut factors)?;
                    // One curve after the other would have stopped here.
                    if self.is_done(&factors) {
                        break;
                    }
                }
            }
            if self.is_done(&factors) {
                break;
            }
        }
        if self.options.quiet {
            let mut line = String::new();
            for factor in &factors {
                let _ = write!(line, "{factor} ");
            }
            let rest = (left.value > 1).then_some(left.text.as_str());
            output::text(&format!("{line}{}", rest.unwrap_or_default()))?;
        }
        Ok(())
    }

    /// Whether a number needs no more curves: what is left is prime, or one factor was asked for.
    fn is_done(&self, factors: &[Int]) -> bool {
        self.options.one && !factors.is_empty() || self.code & 8 != 0
    }

    /// Prints what a run did.
    fn report(
        &self,
        start: &Start,
        outcome: &Outcome,
        (b1, b2): (u64, u64),
        seconds: [f64; 2],
        (done, count): (u64, u64),
    ) -> Result<(), Failure> {
        if done > 1 && count == u64::MAX {
            self.say(&format!("Run {done}:"))?;
        } else if done > 1 {
            self.say(&format!("Run {done} out of {count}:"))?;
        }
        let from = match start.x {
            Some(_) => format!("{}-", start.b1),
            None => String::new(),
        };
        let (parametrisation, sigma) = (start.parametrisation, &start.sigma);
        self.say(&format!(
            "Using B1={from}{b1}, B2={b2}, polynomial x^1, sigma={parametrisation}:{sigma}"
        ))?;
        let [first, second] = seconds.map(|seconds| (1000.0 * seconds).round());
        self.say(&format!("Step 1 took {first}ms"))?;
        let is_first = outcome
            .factor
            .as_ref()
            .is_some_and(|(_, stage)| *stage == 1);
        if b2 > b1 && !is_first {
            self.say(&format!("Step 2 took {second}ms"))?;
        }
        Ok(())
    }

    /// Adds the point of a curve after stage 1 to the save file.
    fn save(&mut self, candidate: &Candidate, start: Start) -> Result<(), Failure> {
        let Some(file) = self.save.as_mut().filter(|_| start.x.is_some()) else {
            return Ok(());
        };
        let residue = Residue {
            text: candidate.text.clone(),
            number: candidate.value.clone(),
            start,
            origin: [None, None, None],
        };
        let written = file.write_all(residue.line().as_bytes());
        written.map_err(|error| failed("cannot write the residues", &error))
    }

    /// Prints a factor, divides by it, and sets the exit code.
    fn found(
        &mut self,
        left: &mut Candidate,
        factor: Int,
        stage: u8,
        factors: &mut Vec<Int>,
    ) -> Result<(), Failure> {
        // Curves of one batch may find the same factor.
        let factor = factor.gcd(&left.value);
        // Another one may have left a prime, which is no factor to be found.
        let is_done = !factors.is_empty() && self.code & 8 != 0;
        if factor == 1 || is_done {
            return Ok(());
        }
        self.say(&format!(
            "********** Factor found in step {stage}: {factor}"
        ))?;
        if factor == left.value {
            self.code = 8;
            return self.say("Found input number N");
        }
        let is_prime = factor.try_is_probable_prime()?;
        let kind = |is_prime: bool| if is_prime { "prime" } else { "composite" };
        let digits = factor.to_string().len();
        self.say(&format!(
            "Found {} factor of {digits} digits: {factor}",
            kind(is_prime)
        ))?;
        left.divide(&factor);
        let is_rest_prime = left.value.try_is_probable_prime()?;
        let name = if is_rest_prime { "Prime" } else { "Composite" };
        let digits = left.value.to_string().len();
        self.say(&format!(
            "{name} cofactor {} has {digits} digits",
            left.text
        ))?;
        self.code = 2 + 4 * u8::from(is_prime) + 8 * u8::from(is_rest_prime);
        factors.push(factor);
        Ok(())
    }
}
