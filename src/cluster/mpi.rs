//! The MPI library. Several threads may call. A lock serialises their calls, so
//! `MPI_THREAD_SERIALIZED` is enough.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ::mpi::collective::SystemOperation;
use ::mpi::environment::Universe;
use ::mpi::point_to_point::MatchedReceiveVec;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::*;
use ::mpi::{Threading, initialize_with_threading};

use super::{Cluster, Reduce};
use crate::error::{Error, Result};

/// Buffer for messages that do not wait for the receiver: bytes for each rank of the job, and below
/// it the minimum.
const ROOM: usize = 1 << 17;
const LEAST_ROOM: usize = 1 << 22;

/// Proof that MPI is running.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wire(());

/// MPI ends when this is dropped.
static UNIVERSE: Mutex<Option<Universe>> = Mutex::new(None);

/// Serialises the calls of MPI.
static TURN: Mutex<()> = Mutex::new(());

fn world() -> (SimpleCommunicator, MutexGuard<'static, ()>) {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    (SimpleCommunicator::world(), turn)
}

/// Starts MPI. `ranks` is the number of ranks, or `usize::MAX` if the launcher does not state it.
pub(super) fn start(ranks: usize) -> Result<Cluster> {
    let failed = |reason: String| Err(Error::Cluster(reason));
    let Some((mut universe, threading)) = initialize_with_threading(Threading::Serialized) else {
        return failed("MPI was started by somebody else in this process".into());
    };
    if threading < Threading::Serialized {
        return failed("this MPI library cannot be called from several threads".into());
    }
    let all = universe.world().size() as usize;
    // Pages that no message has used take no memory.
    universe.set_buffer_size((ROOM * all).max(LEAST_ROOM));
    *UNIVERSE.lock().unwrap_or_else(PoisonError::into_inner) = Some(universe);
    let (world, _turn) = world();
    let local = world.split_shared(0);
    let [rank, size, local_rank, local_size] =
        [world.rank(), world.size(), local.rank(), local.size()].map(|n| n as usize);
    if size == 1 && ranks > 1 && ranks < usize::MAX {
        return failed(format!(
            "the launcher started {ranks} ranks, and this build's MPI library finds one: use the \
             mpirun of the library it was built with"
        ));
    }
    Ok(Cluster {
        rank,
        size,
        local_rank,
        local_size,
        wire: (size > 1).then_some(Wire(())),
    })
}

impl Wire {
    /// Replaces the bytes by those of rank `from`. Collective, with equal lengths.
    pub(super) fn broadcast(&self, from: usize, bytes: &mut [u8]) {
        let (world, _turn) = world();
        world.process_at_rank(from as i32).broadcast_into(bytes);
    }

    /// Combines the words of all ranks. Collective.
    pub(super) fn reduce(&self, word: u64, how: Reduce) -> u64 {
        let (world, _turn) = world();
        let mut all = word;
        let operation = match how {
            Reduce::Min => SystemOperation::min(),
            Reduce::Or => SystemOperation::bitwise_or(),
            Reduce::Sum => SystemOperation::sum(),
        };
        world.all_reduce_into(&word, &mut all, operation);
        all
    }

    /// Sends a message of at most `PIECE` bytes. May wait for the receiver.
    pub(super) fn send(&self, to: usize, tag: u16, bytes: &[u8]) {
        let (world, _turn) = world();
        let process = world.process_at_rank(to as i32);
        process.send_with_tag(bytes, tag.into());
    }

    /// Copies a message to MPI's buffer and returns. The buffer has `ROOM` bytes per rank.
    pub(super) fn post(&self, to: usize, tag: u16, bytes: &[u8]) {
        let (world, _turn) = world();
        let process = world.process_at_rank(to as i32);
        process.buffered_send_with_tag(bytes, tag.into());
    }

    /// Waits for the next message of rank `from` with this tag.
    pub(super) fn receive(&self, from: usize, tag: u16) -> Vec<u8> {
        let (world, _turn) = world();
        let process = world.process_at_rank(from as i32);
        process
            .matched_probe_with_tag(tag.into())
            .matched_receive_vec()
            .0
    }

    /// Whether a message of rank `from` with this tag has arrived.
    pub(super) fn has_arrived(&self, from: usize, tag: u16) -> bool {
        let (world, _turn) = world();
        let process = world.process_at_rank(from as i32);
        process.immediate_probe_with_tag(tag.into()).is_some()
    }

    /// Receives a message with this tag, if one has arrived, with the rank of its sender.
    pub(super) fn try_receive(&self, tag: u16) -> Option<(usize, Vec<u8>)> {
        let (world, _turn) = world();
        let any = world.any_process();
        let (bytes, status) = any
            .immediate_matched_probe_with_tag(tag.into())?
            .matched_receive_vec();
        Some((status.source_rank() as usize, bytes))
    }

    /// Ends MPI. Waits for all ranks.
    pub(super) fn end(&self) {
        let universe = UNIVERSE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        drop(universe);
    }

    /// Ends all ranks with this exit code.
    pub(super) fn abort(&self, code: u8) {
        // If another thread has the lock, it waits for another rank. The launcher then sees that
        // this rank failed.
        match TURN.try_lock() {
            Ok(_turn) => SimpleCommunicator::world().abort(code.into()),
            Err(_) => std::process::exit(code.into()),
        }
    }
}
