//! Writes rows from another store unchanged: with their own arrival numbers, sequences and times.
//! Events and records, the most numerous rows, are in `batches`.

use loci_model::facts::fact::FactEvent;
use loci_model::job::{Job, JobState};
use loci_model::record::RecordState;
use loci_model::transfer::{Moved, MovedChange, MovedSession, MovedToken, MovedTurn, TransferPlace};
use loci_model::{Error, Result, Timestamp};
use loci_store_kit::codes::{code_of, json, key_of};
use loci_store_kit::job_kinds::stored_kind;
use loci_store_kit::tables;
use loci_store_kit::transfer::PARKED;

use super::batches::Batch;
use crate::digests::{group_key, memory_number, session_key};
use crate::tables::events::rows::plain;
use crate::tx::{PgTx, code, signed};

/// The rows of a page by table.
#[derive(Default)]
struct RowsByTable<'a> {
    groups: Vec<&'a loci_model::transfer::MovedGroup>,
    sessions: Vec<&'a MovedSession>,
    places: Vec<&'a loci_model::transfer::MovedPlace>,
    turns: Vec<&'a MovedTurn>,
    events: Vec<&'a loci_model::transfer::MovedEvent>,
    records: Vec<&'a loci_model::transfer::MovedRecord>,
    versions: Vec<&'a loci_model::transfer::MovedVersion>,
    changes: Vec<&'a MovedChange>,
    fact_events: Vec<&'a FactEvent>,
    tokens: Vec<&'a MovedToken>,
}

impl PgTx<'_> {
    /// Imports rows of the server, or of a memory that is being imported.
    pub(super) fn load_rows(&self, place: &TransferPlace, rows: &[Moved]) -> Result<()> {
        let memory = match place {
            TransferPlace::Server => 0,
            TransferPlace::Memory(memory) => memory_number(memory),
        };
        let mut sorted = RowsByTable::default();
        for row in rows {
            match row {
                Moved::Memory(_) => return Err(Error::bug("a memory is begun, not loaded")),
                Moved::Group(row) => sorted.groups.push(row),
                Moved::Session(row) => sorted.sessions.push(row),
                Moved::Place(row) => sorted.places.push(row),
                Moved::Turn(row) => sorted.turns.push(row),
                Moved::Event(row) => sorted.events.push(row),
                Moved::Record(row) => sorted.records.push(row),
                Moved::Version(row) => sorted.versions.push(row),
                Moved::Change(row) => sorted.changes.push(row),
                Moved::Fact(row) => self.load_fact(memory, row)?,
                Moved::FactEvent(row) => sorted.fact_events.push(row),
                Moved::Repository(_)
                | Moved::Task(_)
                | Moved::Exposure(_)
                | Moved::Commit(_)
                | Moved::Prompt(_)
                | Moved::TaskSession(_)
                | Moved::SessionItem(_)
                | Moved::Ledger(_)
                | Moved::Object(_)
                | Moved::Key(_) => tables::load(self, memory, row)?,
                Moved::Token(row) => sorted.tokens.push(row),
                Moved::Job(row) => self.load_job(memory, row)?,
                Moved::Exchange(row) => self.load_exchange(memory, row)?,
                Moved::Delivery(row) => self.load_delivery(memory, row)?,
            }
        }
        self.load_sorted(memory, &sorted)
    }

    fn load_sorted(&self, memory: i64, sorted: &RowsByTable<'_>) -> Result<()> {
        if !sorted.groups.is_empty() {
            let groups = sorted.groups.iter();
            let batch = Batch::of("groups")
                .with(
                    "grp",
                    "uuid",
                    groups.clone().map(|row| group_key(&row.normal, &row.strategy)).collect(),
                )
                .with("normal", "text", groups.clone().map(|row| row.normal.clone()).collect())
                .with("strategy", "text", groups.clone().map(|row| row.strategy.clone()).collect())
                .with("sequence", "bigint", groups.map(|row| signed(row.sequence)).collect());
            self.insert_batch(memory, batch);
        }
        if !sorted.places.is_empty() {
            let places = sorted.places.iter();
            let batch = Batch::of("event_places")
                .with("time", "bigint", places.clone().map(|row| row.time).collect())
                .with("place", "bigint", places.map(|row| i64::from(row.place)).collect());
            self.insert_batch(memory, batch);
        }
        if !sorted.sessions.is_empty() {
            self.load_sessions(memory, &sorted.sessions);
        }
        if !sorted.turns.is_empty() {
            self.load_turns(memory, &sorted.turns);
        }
        if !sorted.events.is_empty() {
            self.load_events(memory, &sorted.events)?;
        }
        if !sorted.records.is_empty() {
            self.load_records(memory, &sorted.records)?;
        }
        if !sorted.versions.is_empty() {
            self.load_versions(memory, &sorted.versions)?;
        }
        if !sorted.changes.is_empty() {
            self.load_changes(memory, &sorted.changes);
        }
        if !sorted.fact_events.is_empty() {
            self.load_fact_events(memory, &sorted.fact_events)?;
        }
        if !sorted.tokens.is_empty() {
            self.load_tokens(memory, &sorted.tokens);
        }
        Ok(())
    }

    fn load_sessions(&self, memory: i64, rows: &[&MovedSession]) {
        let key = |row: &MovedSession| session_key(&row.actor, &row.session);
        let batch = Batch::of("sessions")
            .with("sess", "uuid", rows.iter().map(|row| key(row)).collect())
            .with("actor", "text", rows.iter().map(|row| row.actor.to_string()).collect())
            .with("session", "text", rows.iter().map(|row| row.session.to_string()).collect())
            .with("created", "bigint", rows.iter().map(|row| row.created.map(Timestamp::millis)).collect())
            .with("ends", "bigint", rows.iter().map(|row| row.ends.millis()).collect());
        self.insert_batch(memory, batch);
        let branches: Vec<_> =
            rows.iter().flat_map(|row| row.branches.iter().map(move |branch| (row, branch))).collect();
        if !branches.is_empty() {
            let roots = branches.iter().map(|(_, branch)| branch.root.as_ref().map(ToString::to_string));
            let batch = Batch::of("branches")
                .with("sess", "uuid", branches.iter().map(|(row, _)| key(row)).collect())
                .with("name", "text", branches.iter().map(|(_, branch)| branch.name.to_string()).collect())
                .with("root", "text", roots.collect());
            self.insert_batch(memory, batch);
        }
        let progress: Vec<_> =
            rows.iter().flat_map(|row| row.progress.iter().map(move |read| (row, read))).collect();
        if !progress.is_empty() {
            let batch = Batch::of("progress")
                .with("sess", "uuid", progress.iter().map(|(row, _)| key(row)).collect())
                .with(
                    "strategy",
                    "text",
                    progress.iter().map(|(_, read)| read.strategy.to_string()).collect(),
                )
                .with("arrival", "bigint", progress.iter().map(|(_, read)| signed(read.arrival)).collect());
            self.insert_batch(memory, batch);
        }
    }

    fn load_turns(&self, memory: i64, rows: &[&MovedTurn]) {
        let batch = Batch::of("turns")
            .with("sess", "uuid", rows.iter().map(|row| session_key(&row.actor, &row.session)).collect())
            .with("run", "text", rows.iter().map(|row| plain(&row.run)).collect())
            .with("number", "bigint", rows.iter().map(|row| signed(row.number)).collect())
            .with("digest", "text", rows.iter().map(|row| row.digest.clone()).collect());
        self.insert_batch(memory, batch);
    }

    fn load_changes(&self, memory: i64, rows: &[&MovedChange]) {
        let state = |state| code(code_of(RecordState::ALL, state));
        let batch = Batch::of("telemetry")
            .with("key", "bytea", rows.iter().map(|row| key_of(&row.change.record)).collect())
            .with("number", "bigint", rows.iter().map(|row| signed(row.number)).collect())
            .with("at", "bigint", rows.iter().map(|row| row.change.at.millis()).collect())
            .with("version", "bigint", rows.iter().map(|row| i64::from(row.change.version)).collect())
            .with("source", "smallint", rows.iter().map(|row| row.change.from.map(state)).collect())
            .with("target", "smallint", rows.iter().map(|row| state(row.change.to)).collect())
            .with("reason", "text", rows.iter().map(|row| plain(&row.change.reason)).collect())
            .with("by", "text", rows.iter().map(|row| plain(&row.change.by)).collect());
        self.insert_batch(memory, batch);
    }

    fn load_tokens(&self, memory: i64, rows: &[&MovedToken]) {
        let batch = Batch::of("tokens")
            .with("digest", "bytea", rows.iter().map(|row| row.digest.clone()).collect())
            .with("expires", "bigint", rows.iter().map(|row| row.expires.millis()).collect())
            .with("parameters", "bytea", rows.iter().map(|row| row.parameters.as_bytes().to_vec()).collect())
            .with("answer", "text", rows.iter().map(|row| row.answer.as_str().to_owned()).collect());
        self.insert_batch(memory, batch);
    }

    fn load_job(&self, memory: i64, job: &Job) -> Result<()> {
        let (kind, word) = stored_kind(&job.kind);
        let messages = if job.messages.is_empty() { None } else { Some(json(&job.messages)?) };
        self.later(
            "INSERT INTO jobs(mem, id, memory, state, kind, unique_key, strategy, actor, session, due, host, lease, rerun, \
             waits, fallback, attempts, created, updated, failure, messages, win, kind_word) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, \
             $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) ON CONFLICT DO NOTHING",
            vec![
                Box::new(memory),
                Box::new(job.id.to_string()),
                Box::new(job.memory.to_string()),
                Box::new(code(code_of(JobState::ALL, job.state) + PARKED)),
                Box::new(code(kind)),
                Box::new(job.unique_key.clone()),
                Box::new(job.strategy.as_ref().map(ToString::to_string)),
                Box::new(job.actor.as_ref().map(ToString::to_string)),
                Box::new(job.session.as_ref().map(ToString::to_string)),
                Box::new(job.due.millis()),
                Box::new(job.lease_host.as_deref().map(plain)),
                Box::new(job.lease_until.map(Timestamp::millis)),
                Box::new(job.rerun),
                Box::new(job.waits),
                Box::new(job.fallback),
                Box::new(i64::from(job.attempts)),
                Box::new(job.created_at.millis()),
                Box::new(job.updated_at.millis()),
                Box::new(job.failure_reason.as_deref().map(plain)),
                Box::new(messages),
                Box::new(job.window.as_ref().map(json).transpose()?),
                Box::new(word.map(str::to_owned)),
            ],
        );
        Ok(())
    }
}
