//! Writes records: new ones, new versions, changes of state. Every write takes the memory's next
//! sequence number.

use loci_model::ports::store::{Confirmation, RecordChange, SupersedeChange};
use loci_model::record::provenance::Source;
use loci_model::record::{Record, RecordState};
use loci_model::{Error, MemoryId, RecordId, Result, Timestamp};
use loci_text::normalise_exact;
use rusqlite::params;

use super::rows::{RECORDS, RareMembers, StoredRecordRow, read, spelled, state_code};
use crate::tx::{Column, SqlTx, limit, signed};
use loci_store_kit::codes::{ROLES, code_of, digest, json, key_of};
use loci_store_kit::passages::passages;
use loci_store_kit::record_rules::{self, left_at, same_passages};

/// The columns of a row that depend on the version, in the order of [`SqlTx::put_row`].
const WRITTEN: &str = "mem, key, grp, state, kind, version, sequence, created, updated, stated, expires, valid_from, \
    valid_to, parts, digest, actor, session, subtype, spelled, time, expiry, origin, trust, reason, verbatim, role, more, \
    text, left_at, model";

impl SqlTx<'_> {
    /// Returns the row of a record.
    pub(in crate::tables) fn record_number(&self, memory: i64, id: &RecordId) -> Result<Option<i64>> {
        let sql = "SELECT num FROM records WHERE mem = ?1 AND key = ?2";
        self.one(sql, params![memory, key_of(id)], |row| row.take(0))
    }

    /// Returns the current version of a record.
    pub(super) fn stored_record(&self, memory: &MemoryId, id: &RecordId) -> Result<Option<StoredRecordRow>> {
        let Some(number) = self.number(memory)? else { return Ok(None) };
        let sql = format!("{RECORDS} WHERE r.mem = ?1 AND r.key = ?2");
        self.one(&sql, params![number, key_of(id)], |row| read(memory, row))
    }

    pub(super) fn group_of_row(&self, number: i64) -> Result<i64> {
        let group = self.one("SELECT grp FROM records WHERE num = ?1", [number], |row| row.take(0))?;
        group.ok_or_else(|| Error::bug("a record's row is gone"))
    }

    /// Writes the row of a version, and replaces the one with `number` if given. Returns row and
    /// sequence.
    fn put_row(&self, record: &Record, number: Option<i64>, place: &RowPlace) -> Result<(i64, u64)> {
        let memory = self.need(&record.memory)?;
        let normal = record.namespace.normal();
        let group = self.need_group(memory, record.strategy.as_ref(), &normal)?;
        let mut groups = vec![group];
        groups.extend(place.earlier_group.filter(|earlier| *earlier != group));
        let sequence = self.next_sequence(memory, &groups)?;
        self.touch(&record.memory);
        let number = self.write_row(record, number, place, (memory, group, sequence))?;
        if let Some(earlier) = place.earlier_group.filter(|earlier| *earlier != group) {
            self.drop_empty_group(earlier)?;
        }
        Ok((number, sequence))
    }

    /// Writes the row of a version with this memory, group and sequence, and its sources. Returns
    /// the row.
    pub(in crate::tables) fn write_row(
        &self,
        record: &Record,
        number: Option<i64>,
        place: &RowPlace,
        (memory, group, sequence): (i64, i64, u64),
    ) -> Result<i64> {
        let marks = (1..=30).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ");
        let sql = match number {
            None => format!("INSERT INTO records({WRITTEN}) VALUES ({marks})"),
            Some(number) => format!("UPDATE records SET ({WRITTEN}) = ({marks}) WHERE num = {number}"),
        };
        let text = normalise_exact(&record.text);
        let provenance = &record.provenance;
        let values = params![
            memory,
            key_of(&record.id),
            group,
            state_code(record.state),
            code_of(loci_model::record::RecordKind::ALL, record.kind),
            record.version,
            signed(sequence),
            record.created_at.millis(),
            record.updated_at.millis(),
            place.stated.millis(),
            record.expires_at.map(Timestamp::millis),
            record.valid_from.millis(),
            record.valid_to.map(Timestamp::millis),
            place.parts,
            digest(&text),
            provenance.actor.as_ref().map(|actor| actor.as_str()),
            provenance.session.as_ref().map(|session| session.as_str()),
            record.subtype,
            spelled(record),
            record.timestamp.millis(),
            record.expiry_days,
            code_of(loci_model::record::RecordOrigin::ALL, record.origin),
            record.trust,
            record.state_reason,
            provenance.verbatim,
            provenance.role.map(|role| code_of(ROLES, role)),
            RareMembers::of(record)?,
            record.text,
            place.left_at.map(Timestamp::millis),
            place.model
        ];
        // The statement of an update contains the row number, so the statement cache is not used.
        match number {
            None => self.run(&sql, values)?,
            Some(_) => crate::errors::Sql::sql(self.connection.execute(&sql, values))?,
        };
        let number = number.unwrap_or_else(|| self.connection.last_insert_rowid());
        for source in &provenance.sources {
            self.put_source(memory, number, source)?;
        }
        Ok(number)
    }

    pub(in crate::tables) fn put_source(&self, memory: i64, record: i64, source: &Source) -> Result<()> {
        self.run(
            "INSERT OR IGNORE INTO record_sources(mem, event, message, rec) VALUES (?1, ?2, ?3, ?4)",
            params![memory, digest(source.event.as_str()), source.message, record],
        )?;
        Ok(())
    }

    pub(in crate::tables) fn put_history(
        &self,
        number: i64,
        memory: i64,
        record: &Record,
        until: Timestamp,
    ) -> Result<()> {
        self.run(
            "INSERT INTO record_versions(rec, version, mem, updated, until, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                number,
                record.version,
                memory,
                record.updated_at.millis(),
                until.millis(),
                json(record)?
            ],
        )?;
        Ok(())
    }

    pub(super) fn insert_record(&self, record: &Record) -> Result<u64> {
        let memory = self.need(&record.memory)?;
        if self.record_number(memory, &record.id)?.is_some() {
            return Err(Error::conflict("a record of that id exists"));
        }
        let (_, sequence) = self.put_row(record, None, &RowPlace::of_new(record))?;
        self.note_state(memory, record.state, record.updated_at)?;
        Ok(sequence)
    }

    pub(super) fn put_record_version(&self, record: &Record) -> Result<u64> {
        let memory = self.need(&record.memory)?;
        let Some(old) = self.stored_record(&record.memory, &record.id)? else {
            return Err(Error::not_found("the record does not exist"));
        };
        if old.gone || old.record.version.checked_add(1) != Some(record.version) {
            return Err(Error::conflict("the record has changed meanwhile: read it and try again"));
        }
        let mut place = RowPlace::of_new(record);
        place.earlier_group = Some(self.group_of_row(old.number)?);
        place.left_at = left_at(old.record.state, old.left_at, record.state, record.updated_at);
        if same_passages(&old.record, record) {
            let sql = "SELECT model FROM records WHERE num = ?1";
            place.model = self.one(sql, [old.number], |row| row.take(0))?.flatten();
        } else {
            self.drop_vectors(old.number)?;
        }
        self.put_history(old.number, memory, &old.record, record.updated_at)?;
        self.note_history(memory, record.updated_at)?;
        let (_, sequence) = self.put_row(record, Some(old.number), &place)?;
        self.note_state(memory, record.state, record.updated_at)?;
        Ok(sequence)
    }

    /// Sets the next sequence of a record, and new values in columns of its row.
    pub(in crate::tables) fn change_row(
        &self,
        memory: &MemoryId,
        number: i64,
        assignments: &str,
        values: &[(&str, &dyn rusqlite::ToSql)],
    ) -> Result<u64> {
        let place = self.need(memory)?;
        let sequence = signed(self.next_sequence(place, &[self.group_of_row(number)?])?);
        self.touch(memory);
        let comma = if assignments.is_empty() { "" } else { ", " };
        let sql = format!("UPDATE records SET sequence = :sequence{comma}{assignments} WHERE num = :number");
        let mut all: Vec<(&str, &dyn rusqlite::ToSql)> = vec![(":sequence", &sequence), (":number", &number)];
        all.extend_from_slice(values);
        self.run(&sql, all.as_slice())?;
        Ok(crate::tx::unsigned(sequence))
    }

    pub(super) fn set_record_state(
        &self,
        memory: &MemoryId,
        id: &RecordId,
        change: &RecordChange,
    ) -> Result<bool> {
        let Some(old) = self.stored_record(memory, id)? else { return Ok(false) };
        if old.gone || old.record.state == change.state {
            return Ok(false);
        }
        let left = left_at(old.record.state, old.left_at, change.state, change.at).map(Timestamp::millis);
        self.change_row(
            memory,
            old.number,
            "state = :state, reason = :reason, stated = :at, left_at = :left",
            &[
                (":state", &state_code(change.state)),
                (":reason", &change.reason),
                (":at", &change.at.millis()),
                (":left", &left),
            ],
        )?;
        self.note_state(self.need(memory)?, change.state, change.at)?;
        Ok(true)
    }

    pub(super) fn supersede_record(
        &self,
        memory: &MemoryId,
        id: &RecordId,
        change: &SupersedeChange,
    ) -> Result<bool> {
        let Some(mut old) = self.stored_record(memory, id)? else { return Ok(false) };
        if old.record.state != RecordState::Active {
            return Ok(false);
        }
        old.record.superseded_by = Some(change.by.clone());
        self.change_row(
            memory,
            old.number,
            "state = :state, reason = :reason, stated = :at, left_at = :at, valid_to = :to, more = :more",
            &[
                (":state", &state_code(RecordState::Superseded)),
                (":reason", &change.reason),
                (":at", &change.at.millis()),
                (":to", &change.valid_to.millis()),
                (":more", &RareMembers::of(&old.record)?),
            ],
        )?;
        self.note_state(self.need(memory)?, RecordState::Superseded, change.at)?;
        Ok(true)
    }

    pub(super) fn confirm_record(
        &self,
        memory: &MemoryId,
        id: &RecordId,
        confirmation: &Confirmation<'_>,
    ) -> Result<()> {
        let Some(mut old) = self.stored_record(memory, id)?.filter(|old| !old.gone) else {
            return Err(Error::not_found("the record does not exist"));
        };
        let Some(new) = record_rules::confirm(&mut old.record, confirmation) else { return Ok(()) };
        for source in &new {
            self.put_source(self.need(memory)?, old.number, source)?;
        }
        let expires = old.record.expires_at.map(Timestamp::millis);
        self.change_row(
            memory,
            old.number,
            "more = :more, expires = :expires, time = :time",
            &[
                (":more", &RareMembers::of(&old.record)?),
                (":expires", &expires),
                (":time", &old.record.timestamp.millis()),
            ],
        )?;
        Ok(())
    }

    /// Imports a version exactly as exported. The current one may arrive before or after its
    /// history.
    pub(super) fn import_record(&self, record: &Record, is_current: bool) -> Result<()> {
        let memory = self.need(&record.memory)?;
        self.note_imported(memory)?;
        let existing = self.stored_record(&record.memory, &record.id)?;
        match existing {
            None => {
                self.put_row(record, None, &RowPlace::of_new(record))?;
            }
            // The existing row was history: it moves there, and this one takes its row.
            Some(earlier) if is_current || earlier.record.version < record.version => {
                let mut place = RowPlace::of_new(record);
                place.earlier_group = Some(self.group_of_row(earlier.number)?);
                self.drop_vectors(earlier.number)?;
                self.put_history(earlier.number, memory, &earlier.record, record.updated_at)?;
                self.put_row(record, Some(earlier.number), &place)?;
            }
            Some(current) => {
                let later = "SELECT min(updated) FROM record_versions WHERE rec = ?1 AND version > ?2";
                let until =
                    self.one(later, params![current.number, record.version], |row| row.take(0))?.flatten();
                let until = until.map_or(current.record.updated_at, Timestamp::clamped);
                self.put_history(current.number, memory, record, until)?;
            }
        }
        Ok(())
    }
}

/// The columns of a row that are not part of the record.
pub(in crate::tables) struct RowPlace {
    pub(in crate::tables) parts: i64,
    pub(in crate::tables) stated: Timestamp,
    pub(in crate::tables) left_at: Option<Timestamp>,
    pub(in crate::tables) model: Option<i64>,
    pub(in crate::tables) earlier_group: Option<i64>,
}

impl RowPlace {
    fn of_new(record: &Record) -> Self {
        Self {
            parts: limit(passages(record).len()),
            stated: record.updated_at,
            left_at: None,
            model: None,
            earlier_group: None,
        }
    }
}
