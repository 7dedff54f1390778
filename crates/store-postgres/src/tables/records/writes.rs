//! Writes records: new ones, new versions, changes of state. Every write takes the memory's next
//! sequence number.

use loci_model::ports::store::{Confirmation, RecordChange, SupersedeChange};
use loci_model::record::provenance::Source;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{Error, MemoryId, RecordId, Result, Timestamp};
use loci_store_kit::codes::{code_of, digest, key_of};
use loci_store_kit::passages::passages;
use loci_store_kit::record_rules::{self, left_at, same_passages, strategy_name};
use loci_text::normalise_exact;

use super::groups::group_of;
use super::rows::{PlacedRecord, RECORDS, body, placed, state_code};
use crate::digests::Key16;
use crate::tx::{OwnedValues, PgTx, borrowed, code, int, unsigned};

/// The columns of a row that depend on the version, in the order of [`PgTx::values_of`].
const WRITTEN: &str = "mem, key, grp, state, kind, gone, parts, version, sequence, content, created, stated, left_at, expires, \
                       model, digest, strategy, actor, session, subtype, body";
/// A placeholder for each of them.
const MARKS: &str =
    "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21";

/// The columns of a row that are not part of the record.
#[derive(Debug, Clone)]
pub(super) struct RowPlace {
    pub(super) stated: Timestamp,
    pub(super) left_at: Option<Timestamp>,
    pub(super) model: Option<i64>,
    pub(super) gone: bool,
    /// The group of the previous version.
    pub(super) earlier_group: Option<Key16>,
}

impl RowPlace {
    fn of_new(record: &Record) -> Self {
        Self { stated: record.updated_at, left_at: None, model: None, gone: false, earlier_group: None }
    }

    /// Returns the current columns.
    pub(super) fn of(old: &PlacedRecord) -> Self {
        Self {
            stated: old.stated,
            left_at: old.stored.left_at,
            model: old.model,
            gone: old.stored.gone,
            earlier_group: Some(old.group),
        }
    }
}

impl PgTx<'_> {
    /// Returns the current version of a record with its row.
    pub(super) fn placed_record(&self, memory: &MemoryId, id: &RecordId) -> Result<Option<PlacedRecord>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        self.one(&format!("{RECORDS} WHERE r.mem = $1 AND r.key = $2"), &[&number, &key_of(id)], placed)
    }

    /// Returns the next sequence number of a memory, and records it for the group of this change
    /// and the earlier one.
    pub(in crate::tables) fn next_sequence(&self, record: &Record, earlier: Option<Key16>) -> Result<u64> {
        let sequence = self.count(&record.memory, |counters| {
            counters.sequence += 1;
            counters.sequence
        })?;
        let number = self.need(&record.memory)?;
        let (normal, strategy) = (record.namespace.normal(), strategy_name(record.strategy.as_ref()));
        let group = group_of(record.strategy.as_ref(), &record.namespace);
        self.change_group(number, group, &normal, strategy, sequence);
        if let Some(earlier) = earlier.filter(|earlier| *earlier != group) {
            // Update only an existing group: this transaction may delete it as empty.
            self.flush_groups();
            self.later(
                "UPDATE groups SET sequence = $3 WHERE mem = $1 AND grp = $2",
                vec![Box::new(number), Box::new(earlier), Box::new(sequence)],
            );
        }
        self.touch(&record.memory);
        Ok(unsigned(sequence))
    }

    fn values_of(&self, record: &Record, place: &RowPlace) -> Result<OwnedValues> {
        let sequence = crate::tx::signed(record.sequence);
        let parts = if place.gone { 0 } else { passages(record).len() };
        let provenance = &record.provenance;
        Ok(vec![
            Box::new(self.need(&record.memory)?),
            Box::new(key_of(&record.id)),
            Box::new(group_of(record.strategy.as_ref(), &record.namespace)),
            Box::new(state_code(record.state)),
            Box::new(code(code_of(RecordKind::ALL, record.kind))),
            Box::new(place.gone),
            Box::new(int(parts)),
            Box::new(int(record.version)),
            Box::new(sequence),
            Box::new(sequence),
            Box::new(record.created_at.millis()),
            Box::new(place.stated.millis()),
            Box::new(place.left_at.map(Timestamp::millis)),
            Box::new(record.expires_at.map(Timestamp::millis)),
            Box::new(place.model),
            Box::new(digest(&normalise_exact(&record.text))),
            Box::new(strategy_name(record.strategy.as_ref()).to_owned()),
            Box::new(provenance.actor.as_ref().map(|actor| actor.as_str().to_owned())),
            Box::new(provenance.session.as_ref().map(|session| session.as_str().to_owned())),
            Box::new(record.subtype.as_deref().map(digest)),
            Box::new(body(record)?),
        ])
    }

    /// Rewrites the row of a record with the next sequence.
    pub(super) fn rewrite(&self, record: &mut Record, place: &RowPlace) -> Result<u64> {
        record.sequence = self.next_sequence(record, place.earlier_group)?;
        self.note_place(record, place)?;
        let values = self.values_of(record, place)?;
        self.later(format!("UPDATE records SET ({WRITTEN}) = ({MARKS}) WHERE mem = $1 AND key = $2"), values);
        let group = group_of(record.strategy.as_ref(), &record.namespace);
        if let Some(earlier) = place.earlier_group.filter(|earlier| *earlier != group) {
            self.drop_empty_group(self.need(&record.memory)?, earlier);
        }
        Ok(record.sequence)
    }

    pub(super) fn put_sources(&self, record: &Record, sources: &[Source]) -> Result<()> {
        if sources.is_empty() {
            return Ok(());
        }
        let events: Vec<i64> = sources.iter().map(|source| digest(source.event.as_str())).collect();
        let messages: Vec<i64> = sources.iter().map(|source| i64::from(source.message)).collect();
        self.later(
            "INSERT INTO record_sources(mem, event, message, key) SELECT $1, t.event, t.message, $2 \
             FROM unnest($3::bigint[], $4::bigint[]) t(event, message) ON CONFLICT DO NOTHING",
            vec![
                Box::new(self.need(&record.memory)?),
                Box::new(key_of(&record.id)),
                Box::new(events),
                Box::new(messages),
            ],
        );
        Ok(())
    }

    /// Records the due times for sweeps.
    fn note_place(&self, record: &Record, place: &RowPlace) -> Result<()> {
        if place.gone {
            return self.note_history(&record.memory, place.stated);
        }
        self.note_state(&record.memory, record.state, place.stated)
    }

    fn put_history(&self, record: &Record, until: Timestamp) -> Result<()> {
        self.note_history(&record.memory, until)?;
        self.later(
            "INSERT INTO record_versions(mem, key, version, updated, until, body) VALUES ($1, $2, $3, $4, $5, $6)",
            vec![
                Box::new(self.need(&record.memory)?),
                Box::new(key_of(&record.id)),
                Box::new(int(record.version)),
                Box::new(record.updated_at.millis()),
                Box::new(until.millis()),
                Box::new(body(record)?),
            ],
        );
        Ok(())
    }

    pub(super) fn insert_record(&self, record: &Record) -> Result<u64> {
        self.need(&record.memory)?;
        let mut record = record.clone();
        record.sequence = self.next_sequence(&record, None)?;
        self.note_place(&record, &RowPlace::of_new(&record))?;
        let values = self.values_of(&record, &RowPlace::of_new(&record))?;
        let sql =
            format!("INSERT INTO records({WRITTEN}) VALUES ({MARKS}) ON CONFLICT DO NOTHING RETURNING 1");
        if self.run(&sql, &borrowed(&values))? == 0 {
            return Err(Error::conflict("a record of that id exists"));
        }
        self.put_sources(&record, &record.provenance.sources)?;
        Ok(record.sequence)
    }

    pub(super) fn put_record_version(&self, record: &Record) -> Result<u64> {
        self.need(&record.memory)?;
        let Some(old) = self.placed_record(&record.memory, &record.id)? else {
            return Err(Error::not_found("the record does not exist"));
        };
        if old.stored.gone || old.stored.record.version.checked_add(1) != Some(record.version) {
            return Err(Error::conflict("the record has changed meanwhile: read it and try again"));
        }
        let before = &old.stored.record;
        let mut place = RowPlace::of_new(record);
        place.earlier_group = Some(old.group);
        place.left_at = left_at(before.state, old.stored.left_at, record.state, record.updated_at);
        if same_passages(before, record) {
            place.model = old.model;
        } else {
            self.drop_vectors(&record.memory, &record.id)?;
        }
        self.put_history(before, record.updated_at)?;
        let sequence = self.rewrite(&mut record.clone(), &place)?;
        self.put_sources(record, &record.provenance.sources)?;
        Ok(sequence)
    }

    pub(super) fn set_record_state(
        &self,
        memory: &MemoryId,
        id: &RecordId,
        change: &RecordChange,
    ) -> Result<bool> {
        let Some(old) = self.placed_record(memory, id)? else { return Ok(false) };
        if old.stored.gone || old.stored.record.state == change.state {
            return Ok(false);
        }
        let mut place = RowPlace::of(&old);
        place.left_at = left_at(old.stored.record.state, old.stored.left_at, change.state, change.at);
        place.stated = change.at;
        let mut record = old.stored.record;
        record.state = change.state;
        record.state_reason = Some(change.reason.clone());
        self.rewrite(&mut record, &place)?;
        Ok(true)
    }

    pub(super) fn supersede_record(
        &self,
        memory: &MemoryId,
        id: &RecordId,
        change: &SupersedeChange,
    ) -> Result<bool> {
        let Some(old) = self.placed_record(memory, id)? else { return Ok(false) };
        if old.stored.record.state != RecordState::Active {
            return Ok(false);
        }
        let mut place = RowPlace::of(&old);
        place.left_at = Some(change.at);
        place.stated = change.at;
        let mut record = old.stored.record;
        record.state = RecordState::Superseded;
        record.state_reason = Some(change.reason.clone());
        record.superseded_by = Some(change.by.clone());
        record.valid_to = Some(change.valid_to);
        self.rewrite(&mut record, &place)?;
        Ok(true)
    }

    pub(super) fn confirm_record(
        &self,
        memory: &MemoryId,
        id: &RecordId,
        confirmation: &Confirmation<'_>,
    ) -> Result<()> {
        let Some(old) = self.placed_record(memory, id)?.filter(|old| !old.stored.gone) else {
            return Err(Error::not_found("the record does not exist"));
        };
        let place = RowPlace::of(&old);
        let mut record = old.stored.record;
        let Some(new) = record_rules::confirm(&mut record, confirmation) else { return Ok(()) };
        self.put_sources(&record, &new)?;
        self.rewrite(&mut record, &place)?;
        Ok(())
    }

    /// Imports a version exactly as exported. The current one may arrive before or after its
    /// history.
    pub(super) fn import_record(&self, record: &Record, is_current: bool) -> Result<()> {
        self.need(&record.memory)?;
        self.note_imported(&record.memory)?;
        match self.placed_record(&record.memory, &record.id)? {
            None => {
                self.insert_record(record)?;
            }
            // The existing row was history: it moves there, and this one takes its row.
            Some(earlier) if is_current || earlier.stored.record.version < record.version => {
                let mut place = RowPlace::of_new(record);
                place.earlier_group = Some(earlier.group);
                self.drop_vectors(&record.memory, &record.id)?;
                self.put_history(&earlier.stored.record, record.updated_at)?;
                self.rewrite(&mut record.clone(), &place)?;
                self.put_sources(record, &record.provenance.sources)?;
            }
            Some(current) => {
                let later =
                    "SELECT min(updated) FROM record_versions WHERE mem = $1 AND key = $2 AND version > $3";
                let number = self.need(&record.memory)?;
                let until = self
                    .one(later, &[&number, &key_of(&record.id), &int(record.version)], |row| {
                        crate::tx::Column::take::<Option<i64>>(row, 0)
                    })?
                    .flatten();
                let until = until.map_or(current.stored.record.updated_at, Timestamp::clamped);
                self.put_history(record, until)?;
            }
        }
        Ok(())
    }
}
