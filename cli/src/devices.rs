//! `bezout devices`: what this machine can compute on.

use std::fs;
use std::thread;

use bezout::cuda::{self, Device};
use serde_json::{Value, json};

use crate::args::Global;
use crate::failure::Failure;
use crate::output;

/// Runs the command.
pub fn run(global: &Global) -> Result<(), Failure> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let name = cpu_name();
    let features = cpu_features();
    let gpus: Vec<_> = (0..cuda::device_count())
        .map(|n| (n, cuda::device(n)))
        .collect();
    // With no GPU, opening the first one says what is missing.
    let missing = if gpus.is_empty() {
        cuda::device(0).err().map(|error| error.to_string())
    } else {
        None
    };
    if global.json {
        let gpus: Vec<_> = gpus
            .iter()
            .map(|(n, gpu)| match gpu {
                Ok(device) => record(device),
                Err(error) => json!({ "engine": format!("cuda:{n}"), "error": error.to_string() }),
            })
            .collect();
        return output::json(&json!({
            "command": "devices",
            "cpu": { "engine": "cpu", "name": name, "cores": cores, "features": features },
            "cuda": gpus,
            "cuda_missing": missing,
        }));
    }
    let mut rows = vec![(
        "cpu".to_string(),
        name.unwrap_or_else(|| std::env::consts::ARCH.to_string()),
        format!("{cores} cores; {}", features.join(" ")),
    )];
    for (n, gpu) in gpus {
        let engine = format!("cuda:{n}");
        rows.push(match gpu {
            Ok(device) => (engine, device.info().name.clone(), describe(&device)),
            Err(error) => (engine, "cannot be used".to_string(), error.to_string()),
        });
    }
    let width = |column: fn(&(String, String, String)) -> &String| {
        rows.iter()
            .map(|row| column(row).chars().count())
            .max()
            .unwrap_or(0)
    };
    let (engines, names) = (width(|row| &row.0).max("cuda".len()), width(|row| &row.1));
    let mut lines: Vec<_> = rows
        .iter()
        .map(|(engine, name, rest)| format!("{engine:engines$}  {name:names$}  {rest}"))
        .collect();
    lines.extend(missing.map(|missing| format!("{:engines$}  {missing}", "cuda")));
    output::text(&lines.join("\n"))
}

fn record(device: &Device) -> Value {
    let info = device.info();
    let (major, minor) = info.compute_capability;
    json!({
        "engine": format!("cuda:{}", info.ordinal),
        "name": info.name,
        "compute_capability": format!("{major}.{minor}"),
        "multiprocessors": info.multiprocessors,
        "memory_bytes": info.memory_bytes,
        "memory_limit": info.memory_limit,
        "l2_bytes": info.l2_bytes,
        "shared_bytes_per_block": info.shared_bytes_per_block,
        "driver_cuda": cuda_version(info.driver_cuda),
        "compiler": device.compiler(),
    })
}

fn describe(device: &Device) -> String {
    let info = device.info();
    const GIB: f64 = (1_u64 << 30) as f64;
    let (major, minor) = info.compute_capability;
    format!(
        "compute {major}.{minor}; {} multiprocessors; {:.1} GiB, {:.1} usable; driver for CUDA {}; \
         {}",
        info.multiprocessors,
        info.memory_bytes as f64 / GIB,
        info.memory_limit as f64 / GIB,
        cuda_version(info.driver_cuda),
        device.compiler(),
    )
}

/// 12080 is CUDA 12.8.
fn cuda_version(number: u32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// The CPU's name, where the system has a file that says so.
fn cpu_name() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// The vector and wide-multiply extensions that integer arithmetic can use.
fn cpu_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let features = [
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("adx", is_x86_feature_detected!("adx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512ifma", is_x86_feature_detected!("avx512ifma")),
        (
            "avx512vpopcntdq",
            is_x86_feature_detected!("avx512vpopcntdq"),
        ),
    ];
    #[cfg(target_arch = "aarch64")]
    let features = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("sve", std::arch::is_aarch64_feature_detected!("sve")),
        ("sve2", std::arch::is_aarch64_feature_detected!("sve2")),
    ];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let features: [(&str, bool); 0] = [];
    features
        .into_iter()
        .filter(|(_, present)| *present)
        .map(|(name, _)| name)
        .collect()
}
