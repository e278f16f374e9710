//! Device memory: stream-ordered buffers, the limit, and eviction of idle copies by least recent use.

use std::sync::Arc;

use super::Device;
use crate::error::Result;

/// Device memory that frees itself, in stream order.
pub(crate) struct Buffer {}

impl Buffer {
    /// The device it lies on.
    pub(crate) fn device(&self) -> &Arc<Device> {
        todo!()
    }

    /// Its length in limbs.
    pub(crate) fn limbs(&self) -> usize {
        todo!()
    }
}

/// Something that holds a device copy it can give up.
pub(crate) trait Evict: Send + Sync {
    /// Makes sure a host copy exists, then drops the device copy. Returns false where it is in use or already gone.
    fn evict(&self) -> Result<bool>;
}

/// When a device copy was last used; shared between the copy's owner and the device's list.
pub(crate) struct Use {}
