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
    /// Compile all kernels and write a pack for each architecture, to ship with a program
    Pack(Pack),
}

/// Arguments of `kernels prepare`.
#[derive(Debug, ClapArgs)]
pub struct Prepare {
    /// Write packs to this folder too, as 'pack' does
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Arguments of `kernels pack`.
#[derive(Debug, ClapArgs)]
pub struct Pack {
    /// The folder that the packs are written to
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub out: PathBuf,
}

/// 90 from sm_90.
fn architecture(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("sm_").unwrap_or(text);
    match number.parse() {
        Ok(number) if (10..1000).contains(&number) => Ok(number),
        _ => Err("write it as sm_90, or several as sm_80,sm_90".into()),
    }
}
