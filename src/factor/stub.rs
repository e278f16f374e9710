pub(crate) mod ecm {
    use crate::error::Result;
    use malachite_nz::natural::Natural;
    pub(crate) struct Found {
        pub(crate) factor: Natural,
        pub(crate) sigma: u64,
    }
    pub(crate) fn curves(
        _n: &Natural,
        _b1: u64,
        _b2: u64,
        _first_sigma: u64,
        _count: usize,
        _keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Found>> {
        Ok(Vec::new())
    }
    pub(crate) fn preferred_count(_bits: u64) -> usize {
        2
    }
}
pub(crate) mod pminus1 {
    use crate::error::Result;
    use malachite_nz::natural::Natural;
    pub(crate) fn run(
        _n: &Natural,
        _b1: u64,
        _b2: u64,
        _keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Natural>> {
        Ok(None)
    }
}
pub(crate) mod pplus1 {
    use crate::error::Result;
    use malachite_nz::natural::Natural;
    pub(crate) fn run(
        _n: &Natural,
        _b1: u64,
        _b2: u64,
        _seed: u64,
        _keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Natural>> {
        Ok(None)
    }
}
