//! Record streams (agentcore-wire.md §15): what followers of a memory are told of a change, put into the outbox in the
//! change's own transaction. Sending is the deliverer's matter.
//!
//! Nothing is told yet: a memory's stream configuration is kept and echoed, as it was before.

use loci_model::Result;
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;

use crate::records::changes::{Change, Streamed};

/// Puts the event of a change into the outbox, where the memory has a stream that wants it.
pub(crate) fn enqueue(_tx: &mut dyn Tx, _memory: &Memory, change: &Change<'_>) -> Result<()> {
    let what = Streamed::of(change.from, change.to);
    tracing::trace!(record = %change.record.id, ?what, "a change nobody is told of");
    Ok(())
}
