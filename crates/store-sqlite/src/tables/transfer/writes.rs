//! Writes rows from another store unchanged: with their own arrival numbers, sequences and times.
//! Existing rows are kept.

use loci_model::facts::fact::FactEvent;
use loci_model::job::{Job, JobState};
use loci_model::record::RecordState;
use loci_model::transfer::{
    Moved, MovedChange, MovedEvent, MovedRecord, MovedSession, MovedToken, MovedTurn, MovedVersion,
};
use loci_model::{ActorId, Error, RecordId, Result, SessionId, Timestamp};
use loci_store_kit::codes::{code_of, json, key_of};
use loci_store_kit::job_kinds::stored_kind;
use loci_store_kit::passages::passages;
use loci_store_kit::tables;
use loci_store_kit::tables::exchanges::ExchangeRows as _;
use loci_store_kit::tables::verified::fact_events;
use loci_store_kit::transfer::{PARKED, stored_vector};
use rusqlite::params;

use crate::tables::events::rows::row_number;
use crate::tables::records::writes::RowPlace;
use crate::tables::vectors::first_row;
use crate::tx::{Column, SqlTx, limit, signed};

fn missing(what: &str) -> Error {
    Error::conflict(format!("a row needs a {what} that is not there: rows come in the order of their kinds"))
}

impl SqlTx<'_> {
    /// Imports a row of the memory with that number; zero is the server.
    pub(super) fn load_row(&self, memory: i64, row: &Moved) -> Result<()> {
        match row {
            Moved::Memory(_) => Err(Error::bug("a memory is begun, not loaded")),
            Moved::Group(row) => self
                .run(
                    "INSERT OR IGNORE INTO groups(mem, normal, strategy, sequence) VALUES (?1, ?2, ?3, ?4)",
                    params![memory, row.normal, row.strategy, signed(row.sequence)],
                )
                .map(drop),
            Moved::Session(row) => self.load_session(memory, row),
            Moved::Place(row) => self
                .run(
                    "INSERT OR IGNORE INTO event_places(mem, time, place) VALUES (?1, ?2, ?3)",
                    params![memory, row.time, row.place],
                )
                .map(drop),
            Moved::Turn(row) => self.load_turn(memory, row),
            Moved::Event(row) => self.load_event(memory, row),
            Moved::Record(row) => self.load_record(memory, row),
            Moved::Version(row) => self.load_version(memory, row),
            Moved::Change(row) => self.load_change(memory, row),
            Moved::Fact(row) => self.load_fact(memory, self.record_of(memory, &row.record)?, row),
            Moved::FactEvent(row) => self.load_fact_event(memory, row),
            Moved::Repository(_)
            | Moved::Task(_)
            | Moved::Exposure(_)
            | Moved::Commit(_)
            | Moved::Prompt(_)
            | Moved::TaskSession(_)
            | Moved::SessionItem(_)
            | Moved::Ledger(_)
            | Moved::Object(_)
            | Moved::Key(_) => tables::load(self, memory, row),
            Moved::Token(row) => self.load_token(memory, row),
            Moved::Job(row) => self.load_job(memory, row),
            Moved::Exchange(row) => {
                let sql = "SELECT 1 FROM exchanges WHERE mem = ?1 AND id = ?2";
                match self.one(sql, params![memory, row.id.as_str()], |_| Ok(()))? {
                    Some(()) => Ok(()),
                    None => self.put_exchange(memory, row).map(drop),
                }
            }
            Moved::Delivery(row) => self.put_delivery(memory, row, PARKED).map(drop),
        }
    }

    fn session_of(&self, memory: i64, actor: &ActorId, session: &SessionId) -> Result<i64> {
        let sql = "SELECT num FROM sessions WHERE mem = ?1 AND actor = ?2 AND session = ?3";
        let number = self.one(sql, params![memory, actor.as_str(), session.as_str()], |row| row.take(0))?;
        number.ok_or_else(|| missing("session"))
    }

    fn record_of(&self, memory: i64, record: &RecordId) -> Result<i64> {
        self.record_number(memory, record)?.ok_or_else(|| missing("record"))
    }

    fn load_session(&self, memory: i64, row: &MovedSession) -> Result<()> {
        let added = self.run(
            "INSERT OR IGNORE INTO sessions(mem, actor, session, created, ends) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                memory,
                row.actor.as_str(),
                row.session.as_str(),
                row.created.map(Timestamp::millis),
                row.ends.millis()
            ],
        )?;
        if added == 0 {
            return Ok(());
        }
        let number = self.connection.last_insert_rowid();
        for branch in &row.branches {
            self.run(
                "INSERT INTO branches(sess, name, root) VALUES (?1, ?2, ?3)",
                params![number, branch.name.as_str(), branch.root.as_ref().map(|root| root.as_str())],
            )?;
        }
        for progress in &row.progress {
            self.run(
                "INSERT INTO progress(sess, strategy, arrival) VALUES (?1, ?2, ?3)",
                params![number, progress.strategy.as_str(), signed(progress.arrival)],
            )?;
        }
        Ok(())
    }

    fn load_turn(&self, memory: i64, row: &MovedTurn) -> Result<()> {
        let session = self.session_of(memory, &row.actor, &row.session)?;
        self.run(
            "INSERT OR IGNORE INTO turns(sess, run, number, digest) VALUES (?1, ?2, ?3, ?4)",
            params![session, row.run, signed(row.number), row.digest],
        )?;
        Ok(())
    }

    fn load_event(&self, memory: i64, row: &MovedEvent) -> Result<()> {
        let event = &row.event;
        let number = row_number(memory, event.arrival);
        if self.one("SELECT 1 FROM events WHERE num = ?1", [number], |_| Ok(()))?.is_some() {
            return Ok(());
        }
        let session = self.session_of(memory, &event.actor, &event.session)?;
        self.insert_row(event, memory, session, event.arrival)?;
        if row.deleted {
            self.run("UPDATE events SET deleted = 1 WHERE num = ?1", [number])?;
        }
        if !event.hidden {
            self.insert_metadata(event, session)?;
        }
        Ok(())
    }

    fn load_record(&self, memory: i64, row: &MovedRecord) -> Result<()> {
        let record = &row.record;
        if self.record_number(memory, &record.id)?.is_some() {
            return Ok(());
        }
        let parts = if row.gone { 0 } else { passages(record).len() };
        let model = row.complete_model(parts).map(|model| self.need_model(model)).transpose()?;
        let place = RowPlace {
            parts: limit(parts),
            stated: row.stated,
            left_at: row.left_at,
            model,
            earlier_group: None,
        };
        let group = self.need_group(memory, record.strategy.as_ref(), &record.namespace.normal())?;
        let number = self.write_row(record, None, &place, (memory, group, record.sequence))?;
        if row.gone {
            self.run("UPDATE records SET gone = 1, digest = 0 WHERE num = ?1", [number])?;
        }
        for vector in &row.vectors {
            let model = self.need_model(&vector.model)?;
            let stored = stored_vector(vector);
            let bytes: Vec<u8> = stored.values.iter().map(|value| value.cast_unsigned()).collect();
            self.run(
                "INSERT INTO vectors(num, model, scale, bytes) VALUES (?1, ?2, ?3, ?4)",
                params![first_row(number) + i64::from(vector.part), model, f64::from(stored.scale), bytes],
            )?;
        }
        Ok(())
    }

    fn load_version(&self, memory: i64, row: &MovedVersion) -> Result<()> {
        let record = &row.record;
        let number = self.record_of(memory, &record.id)?;
        let sql = "SELECT 1 FROM record_versions WHERE rec = ?1 AND version = ?2";
        if self.one(sql, params![number, record.version], |_| Ok(()))?.is_some() {
            return Ok(());
        }
        self.put_history(number, memory, record, row.until)?;
        record.provenance.sources.iter().try_for_each(|source| self.put_source(memory, number, source))
    }

    fn load_change(&self, memory: i64, row: &MovedChange) -> Result<()> {
        let change = &row.change;
        self.run(
            "INSERT OR IGNORE INTO telemetry(rec, number, at, version, source, target, reason, by) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                self.record_of(memory, &change.record)?,
                signed(row.number),
                change.at.millis(),
                change.version,
                change.from.map(|state| code_of(RecordState::ALL, state)),
                code_of(RecordState::ALL, change.to),
                change.reason,
                change.by
            ],
        )?;
        Ok(())
    }

    fn load_fact_event(&self, memory: i64, event: &FactEvent) -> Result<()> {
        let sql = "SELECT 1 FROM records r JOIN facts f ON f.num = r.num WHERE r.mem = ?1 AND r.key = ?2";
        let of_fact = |record| self.one(sql, params![memory, key_of(record)], |_| Ok(()));
        let is_there = event.record.as_ref().map(of_fact).transpose()?.flatten().is_some();
        fact_events::load(self, memory, &[event], |_| is_there)
    }

    fn load_token(&self, memory: i64, row: &MovedToken) -> Result<()> {
        self.run(
            "INSERT OR IGNORE INTO tokens(mem, digest, expires, parameters, answer) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                memory,
                row.digest,
                row.expires.millis(),
                row.parameters.as_bytes(),
                row.answer.as_str()
            ],
        )?;
        Ok(())
    }

    fn load_job(&self, memory: i64, job: &Job) -> Result<()> {
        let (kind, word) = stored_kind(&job.kind);
        let messages = if job.messages.is_empty() { None } else { Some(json(&job.messages)?) };
        self.run(
            "INSERT OR IGNORE INTO jobs(mem, id, state, kind, unique_key, strategy, actor, session, due, host, lease, rerun, \
             attempts, created, updated, failure, messages, waits, fallback, win, kind_word) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
            params![
                memory,
                job.id.as_str(),
                code_of(JobState::ALL, job.state) + PARKED,
                kind,
                job.unique_key,
                job.strategy.as_ref().map(|strategy| strategy.as_str()),
                job.actor.as_ref().map(|actor| actor.as_str()),
                job.session.as_ref().map(|session| session.as_str()),
                job.due.millis(),
                job.lease_host,
                job.lease_until.map(Timestamp::millis),
                job.rerun,
                job.attempts,
                job.created_at.millis(),
                job.updated_at.millis(),
                job.failure_reason,
                messages,
                job.waits,
                job.fallback,
                job.window.as_ref().map(json).transpose()?,
                word
            ],
        )?;
        Ok(())
    }
}
