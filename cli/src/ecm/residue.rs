//! Lines of GMP-ECM's save files: a curve and its point after stage 1.

use bezout::Int;
use bezout::factor::gmp_ecm::Start;

use crate::calc::Program;

/// The modulus of check sums.
const CHECKSUM: u64 = 4_294_967_291;

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Residue {
    /// The number as it was written.
    pub text: String,
    pub number: Int,
    pub start: Start,
    /// Who wrote it, with what and when, where that is known.
    pub origin: [Option<String>; 3],
}

impl Residue {
    /// Reads a line. None for a comment and for an empty line.
    pub fn parse(line: &str) -> Result<Option<Residue>, String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let fields = line
            .split(';')
            .filter_map(|field| field.trim().split_once('='));
        let fields: Vec<(&str, &str)> = fields.collect();
        let field = |name: &str| {
            let found = fields.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.trim())
        };
        let needed = |name: &str| field(name).ok_or_else(|| format!("{name} is missing"));
        if let method @ ("P-1" | "P+1") = needed("METHOD")? {
            return Err(format!("the method {method} is not resumed here"));
        }
        let number = |name: &str| -> Result<Int, String> {
            let program = Program::compile(needed(name)?);
            let value = program.and_then(|program| program.whole());
            value.map_err(|failure| format!("{name}: {}", failure.message()))
        };
        let b1 = needed("B1")?.parse::<f64>().unwrap_or(f64::NAN);
        if b1.fract() != 0.0 || !(1.0..9e15).contains(&b1) {
            return Err("B1 is no bound".into());
        }
        // Files of GMP-ECM before version 7 have Suyama's curves alone.
        let parametrisation = field("PARAM").unwrap_or("0").parse();
        let residue = Residue {
            text: needed("N")?.to_string(),
            number: number("N")?,
            start: Start {
                parametrisation: parametrisation.map_err(|_| "PARAM is no number".to_string())?,
                sigma: number("SIGMA")?,
                b1: b1 as u64,
                x: Some(number("X")?),
            },
            origin: ["WHO", "PROGRAM", "TIME"].map(|name| field(name).map(String::from)),
        };
        if let Some(given) = field("CHECKSUM") {
            let expected = residue.checksum();
            if given.parse() != Ok(expected) {
                return Err(format!("bad check sum {given}, expected {expected}"));
            }
        }
        Ok(Some(residue))
    }

    fn checksum(&self) -> u64 {
        let start = &self.start;
        let modulus = Int::from(CHECKSUM);
        let x = start.x.as_ref().unwrap_or(&Int::ZERO);
        let mut sum = Int::from(u64::from(start.parametrisation) + 1);
        for factor in [&Int::from(start.b1), &start.sigma, &self.number, x] {
            sum = sum * factor % &modulus;
        }
        u64::try_from(&sum).unwrap_or(0)
    }

    /// The line, with its end.
    pub fn line(&self) -> String {
        let Start {
            parametrisation,
            sigma,
            b1,
            x,
        } = &self.start;
        let x = x.as_ref().unwrap_or(&Int::ZERO);
        format!(
            "METHOD=ECM; PARAM={parametrisation}; SIGMA={sigma}; B1={b1}; N={}; X=0x{x:x}; \
             CHECKSUM={}; PROGRAM=bezout {}; Y=0x0; X0=0x0; Y0=0x0;\n",
            self.text,
            self.checksum(),
            env!("CARGO_PKG_VERSION"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by GMP-ECM 7.0.5.
    const LINES: [&str; 3] = [
        "METHOD=ECM; PARAM=0; SIGMA=11; B1=1000; N=1265822784810126582278481012658227848101265\
         8227848101265822784810126583; X=0x146788efe28b57486c73746609a490daab9b92ad6d00a9f2f63\
         72022867; CHECKSUM=2394019612; PROGRAM=GMP-ECM 7.0.5; Y=0x0; X0=0x0; Y0=0x0; WHO=@vm; \
         TIME=Tue Nov 17 10:10:31 2026;",
        "METHOD=ECM; PARAM=1; SIGMA=12345; B1=1000; N=126582278481012658227848101265822784810\
         12658227848101265822784810126583; X=0x15ec4bd4d0f610bf2c85f020b3e614d7e70140faecac510\
         c54130d7b7d6; CHECKSUM=3786624816; PROGRAM=GMP-ECM 7.0.5; Y=0x0; X0=0x0; Y0=0x0;",
        "METHOD=ECM; PARAM=3; SIGMA=987654; B1=1000; N=12658227848101265822784810126582278481\
         012658227848101265822784810126583; X=0x1c604ee80c2d9c8f9ccc866e26caf77690361074fa2db6\
         f4f230e4a9dcc; CHECKSUM=114269668; PROGRAM=GMP-ECM 7.0.5; Y=0x0; X0=0x0; Y0=0x0;",
    ];

    #[test]
    fn lines_of_gmp_ecm_are_read() {
        for line in LINES {
            let residue = Residue::parse(line).unwrap().unwrap();
            let again = Residue::parse(&residue.line()).unwrap().unwrap();
            assert_eq!(
                (&again.number, &again.start),
                (&residue.number, &residue.start)
            );
            // The same fields in the same order up to the check sum.
            let common = line.split("PROGRAM").next().unwrap();
            assert!(residue.line().starts_with(common), "{}", residue.line());
        }
    }

    #[test]
    fn changed_lines_are_refused() {
        for (from, to) in [
            ("SIGMA=11;", "SIGMA=12;"),
            ("B1=1000;", "B1=1001;"),
            ("X=0x14", "X=0x15"),
            ("METHOD=ECM", "METHOD=P-1"),
            ("CHECKSUM=2394019612", "CHECKSUM=x"),
            ("SIGMA=11;", ""),
            ("B1=1000;", "B1=-5;"),
        ] {
            assert!(
                Residue::parse(&LINES[0].replace(from, to)).is_err(),
                "{from} {to}"
            );
        }
        assert_eq!(Residue::parse("# comment"), Ok(None));
        assert_eq!(Residue::parse("  "), Ok(None));
    }
}
