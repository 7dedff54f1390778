//! When a self-managed strategy's owner is told: after so many messages, tokens, or so long a pause.
//!
//! Triggers are kept and echoed; none fires yet, as before.

use loci_model::event::Event;
use loci_model::job::NewJob;
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::strategy::Strategy;
use loci_model::{JobId, Result, Timestamp};

/// The hand-over that an event causes, or puts off; `id` is for a new one. Asked for every event that is read.
pub(crate) fn due(
    _tx: &mut dyn Tx,
    _memory: &Memory,
    _strategy: &Strategy,
    _event: &Event,
    _id: &JobId,
    _now: Timestamp,
) -> Result<Option<NewJob>> {
    Ok(None)
}
