//! The arguments of GMP-ECM's `ecm`, as far as they make sense here.

use std::ffi::OsString;
use std::path::PathBuf;

use bezout::Int;

use crate::calc::Program;
use crate::failure::Failure;

/// What is asked for.
#[derive(Debug, Default, PartialEq)]
pub struct Options {
    pub b1: u64,
    pub b2: Option<u64>,
    /// Runs for each number; 0 for as many as it takes.
    pub count: u64,
    pub parametrisation: Option<u8>,
    pub sigma: Option<Int>,
    pub save: Option<PathBuf>,
    /// Whether the file for residues is continued.
    pub append: bool,
    pub resume: Option<PathBuf>,
    pub input: Option<PathBuf>,
    /// Stop with the first factor of a number.
    pub one: bool,
    pub quiet: bool,
    pub help: bool,
}

/// Options of GMP-ECM that choose among its algorithms: there is no such choice here.
const WITHOUT_EFFECT: [&str; 11] = [
    "-v",
    "-timestamp",
    "-mpzmod",
    "-modmuln",
    "-redc",
    "-nobase2",
    "-nobase2s2",
    "-ntt",
    "-no-ntt",
    "-primetest",
    "-gpu",
];
/// The same with an argument.
const ARGUMENT_WITHOUT_EFFECT: [&str; 8] = [
    "-k",
    "-power",
    "-dickson",
    "-treefile",
    "-maxmem",
    "-stage1time",
    "-gpudevice",
    "-gpucurves",
];

impl Options {
    pub fn parse(arguments: &[OsString]) -> Result<Options, Failure> {
        let mut options = Options {
            count: 1,
            ..Options::default()
        };
        let mut bounds = Vec::new();
        let mut left = arguments.iter();
        while let Some(argument) = left.next() {
            let name = argument.to_string_lossy();
            let mut value = || {
                left.next()
                    .ok_or_else(|| refused(format!("{name} needs an argument")))
            };
            let text = |value: &OsString| value.to_string_lossy().into_owned();
            match name.as_ref() {
                "-c" => options.count = bound(&text(value()?))?,
                "-sigma" => options.set_sigma(&text(value()?))?,
                "-param" => options.parametrisation = Some(parametrisation(&text(value()?))?),
                "-save" => options.save = Some(value()?.into()),
                "-savea" => {
                    options.save = Some(value()?.into());
                    options.append = true;
                }
                "-resume" => options.resume = Some(value()?.into()),
                "-inp" => options.input = Some(value()?.into()),
                "-one" => options.one = true,
                "-q" => options.quiet = true,
                "-h" | "--help" | "-help" => options.help = true,
                other if WITHOUT_EFFECT.contains(&other) => {}
                other if ARGUMENT_WITHOUT_EFFECT.contains(&other) => drop(value()?),
                other if other.starts_with('-') => {
                    return Err(refused(format!("the option {other} is not known")));
                }
                other => bounds.push(bound(other)?),
            }
        }
        match bounds[..] {
            [b1] => options.b1 = b1,
            [b1, b2] => (options.b1, options.b2) = (b1, Some(b2)),
            _ if options.help => {}
            [] => return Err(refused("B1 is missing".into())),
            _ => return Err(refused("too many arguments".into())),
        }
        if options.resume.is_some() && (options.sigma.is_some() || options.input.is_some()) {
            return Err(refused(
                "-resume reads curves and numbers from its file".into(),
            ));
        }
        Ok(options)
    }

    /// sigma, or i:sigma with the parametrisation before it.
    fn set_sigma(&mut self, text: &str) -> Result<(), Failure> {
        let sigma = match text.split_once(':') {
            Some((before, sigma)) => {
                self.parametrisation = Some(parametrisation(before)?);
                sigma
            }
            None => text,
        };
        let value = Program::compile(sigma)?.whole()?;
        if value < 1 {
            return Err(refused(format!("sigma = {sigma}: it must be from 1 on")));
        }
        self.sigma = Some(value);
        Ok(())
    }
}

fn parametrisation(text: &str) -> Result<u8, Failure> {
    match text {
        "0" => Ok(0),
        "1" => Ok(1),
        "3" => Ok(3),
        _ => Err(refused(format!(
            "parametrisation {text}: 0, 1 and 3 are known"
        ))),
    }
}

/// A whole number below 2^53, such as 11000, 11e3 or 1.1e4.
fn bound(text: &str) -> Result<u64, Failure> {
    let number = text.parse::<f64>().unwrap_or(f64::NAN);
    if number.fract() == 0.0 && (0.0..9e15).contains(&number) {
        Ok(number as u64)
    } else {
        Err(refused(format!(
            "'{text}' is not a bound: a number such as 11000 or 11e3 is"
        )))
    }
}

fn refused(reason: String) -> Failure {
    Failure::failed(reason).hint("'bezout ecm --help' lists the arguments")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, Failure> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Options::parse(&words)
    }

    #[test]
    fn arguments_as_ecm_has_them() {
        let options = parse("-c 5 -sigma 3:77 -save out -one -q -maxmem 100 1e3 1.5e4").unwrap();
        assert_eq!(
            (options.b1, options.b2, options.count),
            (1000, Some(15000), 5)
        );
        assert_eq!(
            (options.parametrisation, options.sigma),
            (Some(3), Some(Int::from(77u32)))
        );
        assert!(options.one && options.quiet && !options.append);
        assert_eq!(options.save, Some("out".into()));
        assert_eq!(parse("11e6").unwrap().b2, None);
        for bad in [
            "",
            "-c",
            "-c x 5",
            "1 2 3",
            "-pm1 100",
            "-sigma 2:5 9",
            "-sigma 0 9",
            "1.5",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
