//! Rewrites the payload of an event in place, with the metadata for filters.

use loci_model::Result;
use loci_model::event::Event;
use loci_store_kit::codes::json;
use rusqlite::params;

use crate::tx::SqlTx;

impl SqlTx<'_> {
    /// Replaces the payload and the metadata of an event in place.
    pub(super) fn rewrite_event(&self, event: &Event) -> Result<bool> {
        let Some(session) = self.session_number(&event.memory, &event.actor, &event.session)? else {
            return Ok(false);
        };
        let metadata = if event.metadata.is_empty() { None } else { Some(json(&event.metadata)?) };
        let changed = self.run(
            "UPDATE events SET meta = ?3, payload = ?4 WHERE sess = ?1 AND id = ?2",
            params![session, event.id.as_str(), metadata, json(&event.payload)?],
        )?;
        if changed == 0 {
            return Ok(false);
        }
        let id = event.id.as_str();
        self.run("DELETE FROM event_meta WHERE sess = ?1 AND id = ?2", params![session, id])?;
        if !event.hidden {
            self.insert_metadata(event, session)?;
        }
        Ok(true)
    }

    pub(in crate::tables) fn insert_metadata(&self, event: &Event, session: i64) -> Result<()> {
        for (key, value) in &event.metadata {
            self.run(
                "INSERT INTO event_meta(sess, key, value, id) VALUES (?1, ?2, ?3, ?4)",
                params![session, key, value, event.id.as_str()],
            )?;
        }
        Ok(())
    }
}
