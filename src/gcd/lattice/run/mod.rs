//! The run: one leader processes the blocks in order and sends each step to its followers.
//!
//! The *leader* (`leader.rs`) is one thread of the host. The *followers* (`followers.rs` has their
//! interface) own the residues modulo all primes and apply each step to them. Threads
//! (`threads.rs`) and the kernel (`cuda.rs`, `lattice.cu`) read steps from a log in shared memory
//! (`mailbox.rs`). If the moduli are distributed over several processes, each process is a
//! *participant* (`participant.rs`) with its own followers, which are a kernel or its thread pool
//! (`pool.rs`), and the processes exchange messages (`message.rs`).

pub(crate) mod cuda;
mod followers;
mod leader;
mod mailbox;
mod message;
mod participant;
mod pool;
mod threads;

pub(crate) use cuda::DeviceRun;
pub(crate) use followers::{Followers, PublishedBlock};
pub(crate) use leader::{CHECKS, Outcome, PassOutcome, lead};
pub(crate) use mailbox::{LogEntry, MailboxLengths, NO_BLOCK};
pub(crate) use message::{from_message, stop_message, to_message};
pub(crate) use participant::Participant;
pub(crate) use pool::PORTION;
pub(crate) use threads::{exercise, run};
