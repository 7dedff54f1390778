//! Export and import of operations memory as lines.

use loci_api::operations::table as api;
use loci_api::operations::transfer as shape;
use loci_model::services::knowledge::SreSource;
use loci_model::{Error, Reason, RecordId, Result, Timestamp};
use loci_operations::{SreImport, SreImportedLine, SreLine, SreRecordContent};

use super::retrieve::skipped;
use super::save::memory_type;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;

/// The state of records that wait for a person.
const WAITS: &str = "pending_confirmation";
/// The mark of records that outsiders could write.
const UNTRUSTED: &str = "untrusted";

pub(super) fn operations(table: Table) -> Table {
    table.query(api::SRE_EXPORT, sre_export).json(api::SRE_IMPORT, sre_import)
}

async fn sre_export(call: Call, asked: shape::SreExportAsk) -> Result<shape::SreExported> {
    let kind = memory_type(&asked.memory_type, "type")?;
    let after = cursor::read(asked.cursor.as_deref())?;
    let which = (kind, asked.actor.as_deref());
    let page =
        call.doors.engine.operations.sre_export(&call.caller, &call.memory().await?, which, after).await?;
    Ok(shape::SreExported {
        records: page.lines.into_iter().map(shown).collect(),
        skipped: skipped(page.skipped),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

pub(super) fn shown(line: SreLine) -> shape::SreRecordLine {
    let (data, text) = match line.said {
        SreRecordContent::Data(data) => (Some(data), None),
        SreRecordContent::Text(text) => (None, Some(text)),
    };
    shape::SreRecordLine {
        memory_type: line.kind.as_str().to_owned(),
        actor_id: line.actor,
        session_id: line.session,
        data,
        text,
        state: line.waits.then(|| WAITS.to_owned()),
        source: Some(line.source.as_str().to_owned()),
        private_to: line.private_to,
        observed_at: Some(line.observed_at.to_rfc3339()),
        expiry_days: line.expiry_days,
        superseded_keys: line.superseded_keys,
        contradicts: line.contradicts.map(|id| id.to_string()),
        confirmed_by: line.confirmed_by,
        refuted_by: line.refuted_by,
        seen: line.seen,
        record_id: line.record.map(|id| id.to_string()),
        trust: line.untrusted.then(|| UNTRUSTED.to_owned()),
    }
}

async fn sre_import(call: Call, asked: shape::SreImport) -> Result<shape::SreImported> {
    let now = call.doors.engine.now();
    let memory = call.memory().await?;
    // Unreadable lines are reported together with those that break a rule of their type. The engine
    // gets the readable ones.
    let read: Vec<Result<SreLine>> = asked.records.into_iter().map(|line| read(line, now)).collect();
    let import = SreImport {
        memory,
        lines: read.iter().filter_map(|line| line.as_ref().ok()).cloned().collect(),
        keep_sources: asked.keep_sources,
        dry_run: asked.dry_run,
        if_erased: call.if_erased()?,
    };
    let mut done = call.doors.engine.operations.sre_import(&call.caller, import).await?.into_iter();
    let missing = || Error::bug("a line of an import without a result");
    let results = read.into_iter().map(|line| match line {
        Err(error) => Ok(result(Err(error))),
        Ok(_) => done.next().map(result).ok_or_else(missing),
    });
    Ok(shape::SreImported { results: results.collect::<Result<_>>()? })
}

fn read(line: shape::SreRecordLine, now: Timestamp) -> Result<SreLine> {
    let time = |text: String| Timestamp::parse(&text).map_err(|error| error.on("observed_at"));
    let id = |field: &'static str| move |id: String| RecordId::parse(id).map_err(|error| error.on(field));
    let known = |word: String| {
        let words: Vec<_> = SreSource::ALL.iter().map(|source| source.as_str()).collect();
        let rule = || Error::invalid("source", format!("source must be one of {}", words.join(", ")));
        SreSource::parse(&word).ok_or_else(rule)
    };
    Ok(SreLine {
        kind: memory_type(&line.memory_type, "memory_type")?,
        actor: line.actor_id,
        session: line.session_id,
        said: match (line.data, line.text) {
            (Some(data), None) => SreRecordContent::Data(data),
            (None, Some(text)) => SreRecordContent::Text(text),
            (Some(_), Some(_)) | (None, None) => {
                return Err(Error::invalid("data", "a line must have data, or text, and not both"));
            }
        },
        waits: match line.state.as_deref() {
            None | Some("active") => false,
            Some(WAITS) => true,
            Some(_) => return Err(Error::invalid("state", format!("state must be active or {WAITS}"))),
        },
        source: line.source.map(known).transpose()?.unwrap_or(SreSource::Imported),
        private_to: line.private_to,
        observed_at: line.observed_at.map(time).transpose()?.unwrap_or(now),
        expiry_days: line.expiry_days,
        superseded_keys: line.superseded_keys,
        contradicts: line.contradicts.map(id("contradicts")).transpose()?,
        confirmed_by: line.confirmed_by,
        refuted_by: line.refuted_by,
        seen: line.seen,
        record: line.record_id.map(id("record_id")).transpose()?,
        untrusted: match line.trust.as_deref() {
            None => false,
            Some(UNTRUSTED) => true,
            Some(_) => {
                return Err(Error::invalid("trust", format!("trust must be {UNTRUSTED}, or left out")));
            }
        },
    })
}

fn result(done: SreImportedLine) -> shape::SreImportedLine {
    let line = |action: &str| shape::SreImportedLine {
        action: action.to_owned(),
        record_id: None,
        field: None,
        reason: None,
    };
    match done {
        Err(error) if error.reason == Some(Reason::SourceErased) => {
            shape::SreImportedLine { field: error.field, reason: Some(error.message), ..line("erased") }
        }
        Err(error) => {
            shape::SreImportedLine { field: error.field, reason: Some(error.message), ..line("invalid") }
        }
        Ok(None) => line("valid"),
        Ok(Some(kept)) => shape::SreImportedLine {
            record_id: kept.record.map(|id| id.to_string()),
            reason: kept.reason,
            ..line(kept.action.as_str())
        },
    }
}
