//! Writes rows in batches, mostly from another store: one statement per table, which takes its
//! columns as lists. Existing rows are kept.

use std::collections::BTreeSet;

use loci_model::event::ExtractionMode;
use loci_model::record::RecordKind;
use loci_model::transfer::{MovedEvent, MovedRecord, MovedVector, MovedVersion};
use loci_model::{Result, Timestamp};
use loci_store_kit::codes::{code_of, digest, json, key_of};
use loci_store_kit::event_members::EventMore;
use loci_store_kit::passages::passages;
use loci_store_kit::record_rules::strategy_name;
use loci_store_kit::transfer::stored_vector;
use loci_text::normalise_exact;
use tokio_postgres::types::ToSql;

use crate::digests::{model_number, session_key};
use crate::half_vectors::Halves;
use crate::tables::events::rows::{branch_name, plain};
use crate::tables::records::groups::group_of;
use crate::tables::records::rows::{body, state_code};
use crate::tx::{OwnedValues, PgTx, code, int, limit, signed};

/// The columns of rows for one table, without the memory.
pub(crate) struct Batch {
    table: &'static str,
    names: Vec<(&'static str, &'static str)>,
    lists: OwnedValues,
    /// True if an existing row is an error.
    is_new: bool,
}

impl Batch {
    pub(crate) fn of(table: &'static str) -> Self {
        Self { table, names: Vec::new(), lists: Vec::new(), is_new: false }
    }

    /// Adds a column: its name, its type, and its values by row.
    pub(crate) fn with<T>(mut self, name: &'static str, kind: &'static str, values: Vec<T>) -> Self
    where
        T: ToSql + Sync + Send + 'static,
    {
        self.names.push((name, kind));
        self.lists.push(Box::new(values));
        self
    }

    /// Makes an existing row an error.
    pub(crate) fn of_new(self) -> Self {
        Self { is_new: true, ..self }
    }

    fn sql(&self) -> String {
        let or = if self.is_new { "" } else { " ON CONFLICT DO NOTHING" };
        let names: Vec<&str> = self.names.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        let lists: Vec<String> =
            (2..).zip(&self.names).map(|(place, (_, kind))| format!("${place}::{kind}[]")).collect();
        format!(
            "INSERT INTO {}(mem, {names}) SELECT $1, {} FROM unnest({}) AS t({names}){or}",
            self.table,
            self.names.iter().map(|(name, _)| format!("t.{name}")).collect::<Vec<_>>().join(", "),
            lists.join(", ")
        )
    }
}

/// Returns a column of rows.
pub(crate) fn list<R, T>(rows: &[R], value: impl Fn(&R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

impl PgTx<'_> {
    /// Writes rows of a table together with the next statement.
    pub(crate) fn insert_batch(&self, memory: i64, batch: Batch) {
        let sql = batch.sql();
        let mut values: OwnedValues = vec![Box::new(memory)];
        values.extend(batch.lists);
        self.later(sql, values);
    }

    pub(super) fn load_events(&self, memory: i64, rows: &[&MovedEvent]) -> Result<()> {
        let mut documents = Vec::with_capacity(rows.len());
        for row in rows {
            let event = &row.event;
            let metadata = if event.metadata.is_empty() { None } else { Some(json(&event.metadata)?) };
            documents.push((metadata, EventMore::of(event)?, json(&event.payload)?));
        }
        let (meta, rest): (Vec<_>, Vec<_>) =
            documents.into_iter().map(|(meta, more, payload)| (meta, (more, payload))).unzip();
        let (more, payload): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
        let batch = Batch::of("events")
            .with("arrival", "bigint", list(rows, |row| signed(row.event.arrival)))
            .with("sess", "uuid", list(rows, |row| session_key(&row.event.actor, &row.event.session)))
            .with("id", "text", list(rows, |row| row.event.id.as_str().to_owned()))
            .with("branch", "text", list(rows, |row| branch_name(&row.event.branch.name).map(str::to_owned)))
            .with("hidden", "boolean", list(rows, |row| row.event.hidden))
            .with("extract", "boolean", list(rows, |row| row.event.extraction == ExtractionMode::Extract))
            .with("deleted", "boolean", list(rows, |row| row.deleted))
            .with("expires", "bigint", list(rows, |row| row.event.expires.millis()))
            .with("time", "bigint", list(rows, |row| row.event.time.millis()))
            .with("arrived", "bigint", list(rows, |row| row.event.arrived.millis()))
            .with("items", "bigint", list(rows, |row| limit(row.event.payload.len())))
            .with("messages", "bigint", list(rows, |row| i64::from(row.event.load.messages)))
            .with("tokens", "bigint", list(rows, |row| i64::from(row.event.load.tokens)))
            .with("meta", "text", meta)
            .with("more", "text", more)
            .with("payload", "text", payload);
        self.insert_batch(memory, batch);
        self.load_metadata(memory, rows);
        Ok(())
    }

    fn load_metadata(&self, memory: i64, rows: &[&MovedEvent]) {
        let visible = rows.iter().map(|row| &row.event).filter(|event| !event.hidden);
        let pairs: Vec<_> =
            visible.flat_map(|event| event.metadata.iter().map(move |pair| (event, pair))).collect();
        if pairs.is_empty() {
            return;
        }
        let batch = Batch::of("event_meta")
            .with("sess", "uuid", list(&pairs, |(event, _)| session_key(&event.actor, &event.session)))
            .with("key", "text", list(&pairs, |(_, (key, _))| plain(key)))
            .with("value", "text", list(&pairs, |(_, (_, value))| plain(value)))
            .with("id", "text", list(&pairs, |(event, _)| event.id.as_str().to_owned()));
        self.insert_batch(memory, batch);
    }

    pub(super) fn load_records(&self, memory: i64, rows: &[&MovedRecord]) -> Result<()> {
        let parts = list(rows, |row| if row.gone { 0 } else { passages(&row.record).len() });
        let models = rows.iter().zip(&parts).map(|(row, parts)| row.complete_model(*parts).map(model_number));
        let bodies = rows.iter().map(|row| body(&row.record)).collect::<Result<Vec<_>>>()?;
        let provenance = |row: &&MovedRecord| row.record.provenance.clone();
        let batch = Batch::of("records")
            .with("key", "bytea", list(rows, |row| key_of(&row.record.id)))
            .with(
                "grp",
                "uuid",
                list(rows, |row| group_of(row.record.strategy.as_ref(), &row.record.namespace)),
            )
            .with("state", "smallint", list(rows, |row| state_code(row.record.state)))
            .with("kind", "smallint", list(rows, |row| code(code_of(RecordKind::ALL, row.record.kind))))
            .with("gone", "boolean", list(rows, |row| row.gone))
            .with("parts", "integer", list(&parts, |parts| int(*parts)))
            .with("version", "integer", list(rows, |row| int(row.record.version)))
            .with("sequence", "bigint", list(rows, |row| signed(row.record.sequence)))
            .with("content", "bigint", list(rows, |row| signed(row.record.sequence)))
            .with("created", "bigint", list(rows, |row| row.record.created_at.millis()))
            .with("stated", "bigint", list(rows, |row| row.stated.millis()))
            .with("left_at", "bigint", list(rows, |row| row.left_at.map(Timestamp::millis)))
            .with("expires", "bigint", list(rows, |row| row.record.expires_at.map(Timestamp::millis)))
            .with("model", "bigint", models.collect::<Vec<_>>())
            .with("digest", "bigint", list(rows, |row| digest(&normalise_exact(&row.record.text))))
            .with(
                "strategy",
                "text",
                list(rows, |row| strategy_name(row.record.strategy.as_ref()).to_owned()),
            )
            .with("actor", "text", list(rows, |row| provenance(row).actor.map(|actor| actor.to_string())))
            .with(
                "session",
                "text",
                list(rows, |row| provenance(row).session.map(|session| session.to_string())),
            )
            .with("subtype", "bigint", list(rows, |row| row.record.subtype.as_deref().map(digest)))
            .with("body", "text", bodies);
        self.insert_batch(memory, batch);
        self.load_sources(memory, &list(rows, |row| &row.record));
        self.load_vectors(memory, rows);
        Ok(())
    }

    fn load_sources(&self, memory: i64, records: &[&loci_model::record::Record]) {
        let sources: Vec<_> = records
            .iter()
            .flat_map(|record| record.provenance.sources.iter().map(move |source| (record, source)))
            .collect();
        if sources.is_empty() {
            return;
        }
        let batch = Batch::of("record_sources")
            .with("event", "bigint", list(&sources, |(_, source)| digest(source.event.as_str())))
            .with("message", "bigint", list(&sources, |(_, source)| i64::from(source.message)))
            .with("key", "bytea", list(&sources, |(record, _)| key_of(&record.id)));
        self.insert_batch(memory, batch);
    }

    fn load_vectors(&self, memory: i64, rows: &[&MovedRecord]) {
        let vectors: Vec<(&MovedRecord, &MovedVector)> =
            rows.iter().flat_map(|row| row.vectors.iter().map(move |vector| (*row, vector))).collect();
        let models: BTreeSet<&str> = vectors.iter().map(|(_, vector)| vector.model.as_str()).collect();
        for model in models {
            self.later(
                "INSERT INTO models(model, id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                vec![Box::new(model_number(model)), Box::new(model.to_owned())],
            );
        }
        if vectors.is_empty() {
            return;
        }
        let batch = Batch::of("vectors")
            .with("key", "bytea", list(&vectors, |(row, _)| key_of(&row.record.id)))
            .with("part", "integer", list(&vectors, |(_, vector)| int(vector.part)))
            .with("model", "bigint", list(&vectors, |(_, vector)| model_number(&vector.model)))
            .with("vector", "halfvec", list(&vectors, |(_, vector)| Halves::of(&stored_vector(vector))));
        self.insert_batch(memory, batch);
    }

    pub(super) fn load_versions(&self, memory: i64, rows: &[&MovedVersion]) -> Result<()> {
        let bodies = rows.iter().map(|row| body(&row.record)).collect::<Result<Vec<_>>>()?;
        let batch = Batch::of("record_versions")
            .with("key", "bytea", list(rows, |row| key_of(&row.record.id)))
            .with("version", "integer", list(rows, |row| int(row.record.version)))
            .with("updated", "bigint", list(rows, |row| row.record.updated_at.millis()))
            .with("until", "bigint", list(rows, |row| row.until.millis()))
            .with("body", "text", bodies);
        self.insert_batch(memory, batch);
        self.load_sources(memory, &list(rows, |row| &row.record));
        Ok(())
    }
}
