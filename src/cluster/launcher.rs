//! Reads the environment variables in which the launcher describes the ranks.

/// The number of ranks. None if this process was not started as a rank.
pub(super) fn ranks() -> Option<usize> {
    ranks_of(&|name| std::env::var(name).ok())
}

fn ranks_of(variable: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
    // Open MPI; MPICH, Intel MPI and Slurm's PMI; MVAPICH.
    let named = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"];
    named.into_iter().find_map(number).or_else(|| {
        // PMIx does not state the number of ranks. A step of Slurm does, and otherwise only MPI
        // knows it.
        variable("PMIX_RANK")?;
        let slurm = ["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"];
        Some(slurm.into_iter().find_map(number).unwrap_or(usize::MAX))
    })
}

/// The rank of this process, if the launcher states it.
pub(super) fn rank() -> Option<usize> {
    let named = [
        "OMPI_COMM_WORLD_RANK",
        "PMI_RANK",
        "MV2_COMM_WORLD_RANK",
        "PMIX_RANK",
    ];
    let number = |name: &str| std::env::var(name).ok()?.trim().parse().ok();
    named.into_iter().find_map(number)
}

/// The number of threads of a rank: an even share of the cores of this machine, and no more cores
/// than this process may use. A launcher may have bound it to some of them.
pub(super) fn threads(local_size: usize) -> usize {
    let usable = std::thread::available_parallelism().map_or(1, |n| n.get());
    (online().unwrap_or(usable) / local_size).clamp(1, usable)
}

/// The number of online cores, if the system states it: `0-3,8` are five.
fn online() -> Option<usize> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/online").ok()?;
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let [first, last] = [first, last].map(|n| n.trim().parse::<usize>().ok());
        Some(last?.checked_sub(first?)? + 1)
    };
    text.trim().split(',').map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers() {
        let of = |list: &'static [(&str, &str)]| {
            ranks_of(&|name| {
                let found = list.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| value.to_string())
            })
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("OMPI_COMM_WORLD_SIZE", "4")]), Some(4));
        assert_eq!(of(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]), Some(2));
        // A batch script of Slurm is no rank.
        assert_eq!(of(&[("SLURM_NTASKS", "8")]), None);
        let step = &[("PMIX_RANK", "3"), ("SLURM_STEP_NUM_TASKS", "8")];
        assert_eq!(of(step), Some(8));
        assert_eq!(of(&[("PMIX_RANK", "3")]), Some(usize::MAX));
    }

    #[test]
    fn every_rank_has_a_thread() {
        assert_eq!(threads(1 << 20), 1);
        assert!(threads(1) >= 1);
    }
}
