//! What a record says of the machine it was made on. Whatever a system does not tell is `unknown`,
//! never an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use bezout::cuda::Device;

use crate::record::{DeviceRecord, Machine};

const UNKNOWN: &str = "unknown";

/// The host.
pub fn host() -> Machine {
    let field = |file: &str, name: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let kibibytes = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    Machine {
        cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| UNKNOWN.into()),
        cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
        memory_bytes: kibibytes.map(|k| k * 1024),
        os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    }
}

/// The device.
pub fn device(device: &Device) -> DeviceRecord {
    let info = device.info();
    let driver = fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    let cuda = match info.driver_cuda {
        0 => "none".to_string(),
        n => format!("{}.{}", n / 1000, n % 1000 / 10),
    };
    DeviceRecord {
        name: info.name.clone(),
        driver: match driver.trim() {
            "" => UNKNOWN.into(),
            version => version.into(),
        },
        cuda,
        compiler: device.compiler(),
        multiprocessors: info.multiprocessors,
        memory_bytes: info.memory_bytes,
        l2_bytes: info.l2_bytes,
    }
}

/// Versions of the compiler and of the libraries that are built in to compare with.
pub fn versions() -> BTreeMap<String, String> {
    let mut versions = BTreeMap::from([("rustc".to_string(), env!("BEZOUT_RUSTC").to_string())]);
    #[cfg(feature = "malachite")]
    {
        let version = env!("BEZOUT_MALACHITE").to_string();
        versions.insert("malachite".to_string(), version);
    }
    #[cfg(feature = "gmp")]
    {
        use gmp_mpfr_sys::gmp::{VERSION, VERSION_MINOR, VERSION_PATCHLEVEL};
        let version = format!("{VERSION}.{VERSION_MINOR}.{VERSION_PATCHLEVEL}");
        versions.insert("GMP".to_string(), version);
    }
    #[cfg(feature = "flint")]
    {
        let (version, flags) = (
            crate::contenders::flint_version(),
            env!("BEZOUT_FLINT_FLAGS"),
        );
        versions.insert("FLINT".to_string(), format!("{version} ({flags})"));
    }
    versions.retain(|_, version| version != UNKNOWN);
    versions
}

/// The commit this program was built from, and whether its tree had other changes: `BEZOUT_COMMIT`,
/// with `-dirty` at its end for changes, or else that of the tree this program lies in.
pub fn commit() -> (String, bool) {
    match bezout::environment::text("BEZOUT_COMMIT") {
        Some(text) => match text.strip_suffix("-dirty") {
            Some(commit) => (commit.to_string(), true),
            None => (text, false),
        },
        None => commit_by_git().unwrap_or((UNKNOWN.to_string(), false)),
    }
}

fn commit_by_git() -> Option<(String, bool)> {
    let folder = std::env::current_exe().ok()?.parent()?.to_path_buf();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        let output = command.arg("-C").arg(&folder).args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_string())
    };
    // An installed program may lie in someone's own repository, whose commits say nothing of it.
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    let ours = fs::read_to_string(top.join("bench/Cargo.toml")).ok()?;
    if !ours.contains("name = \"bezout-bench\"") {
        return None;
    }
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some((git(&["rev-parse", "HEAD"])?, !changes.is_empty()))
}

/// Now, UTC, as in `2026-11-15T09:30:00Z`.
pub fn date() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    iso_8601(since.map_or(0, |d| d.as_secs()))
}

/// `seconds` after 1970 as a date. Hinnant's `civil_from_days`: years begin in March, so that the
/// leap day is the last of its year, and a month's first day is (153·m + 2)/5; eras of 400 years
/// have 146097 days.
fn iso_8601(seconds: u64) -> String {
    let (days, second) = (seconds / 86400, seconds % 86400);
    // 719468 days lie between 0000-03-01 and 1970-01-01.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_are_known() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_000_000_000, "2001-09-09T01:46:40Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (4_107_456_000, "2100-02-28T00:00:00Z"),
        ] {
            assert_eq!(iso_8601(seconds), date);
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        // Counted by hand from 1970 to past 2400, which covers a whole cycle of leap years.
        let leap =
            |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..160_000 {
            let wanted = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
            assert_eq!(iso_8601(days * 86400), wanted);
            let length = match month {
                2 => 28 + u64::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }

    #[test]
    fn the_host_is_described() {
        let host = host();
        assert!(host.cores >= 1);
        assert!(!host.os.is_empty());
        assert!(versions().contains_key("rustc"));
    }
}
