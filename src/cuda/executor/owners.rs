//! Which stream may use which memory.
//!
//! The executor does its work at once, so that no answer of its kernels could show that a stream
//! did not wait for another. What it can see is the crossing itself: a kernel may only be given
//! memory of its own stream, or memory that was lent to it to read, and whoever lends or hands over
//! queues the waits (`cuda/streams.rs`). Addresses within tables that kernels read are not seen.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::DevicePtr;
use super::super::declare::Access;

/// All device memory by its address, for all streams of a device.
#[derive(Default)]
pub(in crate::cuda) struct Owners(Mutex<BTreeMap<u64, Owned>>);

struct Owned {
    limbs: usize,
    /// The stream that may write, and that frees.
    owner: usize,
    /// Streams that may read, once for every loan.
    readers: Vec<usize>,
}

impl Owners {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Owned>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, at: DevicePtr, change: impl FnOnce(&mut Owned)) {
        if let Some(owned) = self.lock().get_mut(&at.0) {
            change(owned);
        }
    }

    pub(super) fn add(&self, at: DevicePtr, limbs: usize, owner: usize) {
        let readers = Vec::new();
        let owned = Owned {
            limbs,
            owner,
            readers,
        };
        self.lock().insert(at.0, owned);
    }

    pub(super) fn remove(&self, at: DevicePtr, owner: usize) {
        let owned = self.lock().remove(&at.0);
        debug_assert!(owned.is_none_or(|owned| owned.owner == owner && owned.readers.is_empty()));
    }

    /// A stream may read the memory until [`Owners::end_loan`].
    pub(in crate::cuda) fn lend(&self, at: DevicePtr, reader: usize) {
        self.change(at, |owned| owned.readers.push(reader));
    }

    pub(in crate::cuda) fn end_loan(&self, at: DevicePtr, reader: usize) {
        self.change(at, |owned| {
            if let Some(place) = owned.readers.iter().position(|other| *other == reader) {
                owned.readers.swap_remove(place);
            }
        });
    }

    /// The memory is another stream's from now on.
    pub(in crate::cuda) fn hand_over(&self, at: DevicePtr, owner: usize) {
        self.change(at, |owned| owned.owner = owner);
    }

    /// Why a kernel of a stream may not use memory at an address; none where it may, or where the
    /// address is not one of device memory.
    pub(super) fn objection(&self, at: u64, access: Access, stream: usize) -> Option<String> {
        let owned = self.lock();
        let (begin, owned) = owned.range(..=at).next_back()?;
        if at - begin >= 8 * owned.limbs as u64 || owned.owner == stream {
            return None;
        }
        let may_read = access == Access::Read && owned.readers.contains(&stream);
        (!may_read).then(|| {
            let Owned { owner, readers, .. } = owned;
            format!("{access:?} by stream {stream} of memory of {owner}, lent to {readers:?}")
        })
    }
}
