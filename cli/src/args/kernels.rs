//! Arguments of `kernels`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

/// Arguments of `kernels`.
#[derive(Debug, ClapArgs)]
pub struct Kernels {
    #[command(subcommand)]
    pub action: Option<KernelsAction>,
    /// Architectures, such as sm_90 or sm_80,sm_120 [default: that of the first GPU]
    #[arg(
        long,
        global = true,
        value_name = "ARCH",
        value_delimiter = ',',
        value_parser = architecture
    )]
    pub arch: Vec<u32>,
}

/// What to do with kernels.
#[derive(Debug, Subcommand)]
pub enum KernelsAction {
    /// Compile all kernels, also for GPUs that are not here, and keep them in the cache
    Prepare(Prepare),
}

/// Arguments of `kernels prepare`.
#[derive(Debug, ClapArgs)]
pub struct Prepare {
    /// Write them to this file too, which BEZOUT_KERNELS can name on another machine
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// 90 from sm_90.
fn architecture(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("sm_").unwrap_or(text);
    match number.parse() {
        Ok(number) if (10..1000).contains(&number) => Ok(number),
        _ => Err("write it as sm_90, or several as sm_80,sm_90".into()),
    }
}
