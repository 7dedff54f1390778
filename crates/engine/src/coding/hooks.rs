//! The hooks of coding memory: what goes with a record or an event that is deleted, and rules that
//! are released.

use loci_model::event::Event;
use loci_model::ports::store::Tx;
use loci_model::record::Record;
use loci_model::{RecordId, Result, Timestamp};

use super::rules;
use super::settings::CodingSettings;
use super::tasks::sessions::deletion;
use crate::hooks::{EventHooks, RecordHooks};
use crate::records::changing::Changing;

/// The hooks, with the settings of the server.
pub(super) struct Hooks {
    pub(super) settings: CodingSettings,
}

impl RecordHooks for Hooks {
    fn deleted(&self, tx: &mut dyn Tx, record: &Record, at: Timestamp) -> Result<()> {
        deletion::of_record(tx, record, at)
    }

    fn released(&self, tx: &mut dyn Tx, changing: &Changing<'_>, records: &[RecordId]) -> Result<()> {
        rules::weigh_again(tx, changing, records, &self.settings)
    }
}

impl EventHooks for Hooks {
    fn deleted(&self, tx: &mut dyn Tx, event: &Event) -> Result<()> {
        deletion::of_event(tx, event)
    }
}
