//! Stored facts: their records, identity, flags, conflicts and events.

pub(super) mod conflicts;
pub(crate) mod content_hash;
pub(super) mod events;
pub(super) mod fact_record;
pub(super) mod flags;
pub(super) mod lookup;
pub(super) mod origins;
pub(super) mod receipts;
pub mod record_changes;
