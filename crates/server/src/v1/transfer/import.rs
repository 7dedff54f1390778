//! `POST /v1/import`: the JSON lines of an export, parsed as they arrive, written in chunks. It is
//! not one transaction: its memories are served once all of them are written. A failure names the
//! line, and the written part is erased.

use loci_api::table as api;
use std::collections::BTreeSet;

use axum::Json;
use axum::body::BodyDataStream;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use loci_api::admin as shape;
use loci_engine::access;
use loci_engine::admin::{ExportLine, ImportPart, ImportReport};
use loci_engine::calls::idempotency::IfErased;
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid4;
use loci_model::ports::trace;
use loci_model::principal::Principal;
use loci_model::{Error, ErrorKind, MemoryId, Result};

use super::import_lines;
use super::imports::RunningImport;
use crate::doors::Doors;
use crate::v1::protocol::call::{self, RepairMark};
use crate::v1::protocol::table::{Described, SchemaForm, Table};

/// The number of lines in one write.
const CHUNK_LINES: usize = 200;
/// The approximate number of bytes in one write.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;
/// The longest line in bytes: an event of 10 MiB, escaped.
const LINE_BYTES_MAX: usize = 64 * 1024 * 1024;

pub(in crate::v1) fn operations(table: Table) -> Table {
    let place = api::MEMORY_IMPORT.place;
    let answer = SchemaForm::json::<shape::ImportReport>();
    let described = Described { place, request: SchemaForm::Lines, answer };
    table.stream(described, |doors, request| async move { import(doors, request).await })
}

async fn import(doors: Doors, request: Request) -> Result<Response> {
    let (mut parts, body) = request.into_parts();
    let (caller, _) = call::admit(&doors, &mut parts).await?;
    access::require_server_admin(&caller)?;
    let if_erased = call::if_erased(&parts.headers)?;
    // The import runs as a separate task. If the client disconnects, its request is dropped, but
    // the written part must still be erased.
    let repaired = parts.extensions.get::<RepairMark>().cloned().unwrap_or_default();
    let under_way = doors.imports.begin()?;
    let import = Import::new(doors, caller, if_erased, repaired);
    let work = tokio::spawn(trace::under(trace::current(), run(import, body.into_data_stream(), under_way)));
    let report = work.await.map_err(|error| Error::bug("an import broke off").caused_by(error))??;
    Ok(Json(shown(report)).into_response())
}

fn shown(report: ImportReport) -> shape::ImportReport {
    let kinds = report.erased_kinds.into_iter();
    shape::ImportReport {
        memories: report.memories,
        events: report.events,
        records: report.records,
        erased_events: report.erased_events,
        erased_records: report.erased_records,
        erased_at: report.erased_at.map(|at| at.to_rfc3339()),
        erased_kinds: kinds.map(|(kind, count)| shape::ForgottenKind { kind, count }).collect(),
    }
}

/// Reads and writes everything, or erases the written part.
async fn run(mut import: Import, body: BodyDataStream, under_way: RunningImport) -> Result<ImportReport> {
    match import.read(body, &under_way).await {
        Ok(()) => Ok(import.report),
        Err(error) => {
            import.undo().await;
            Err(error)
        }
    }
}

/// The progress of an import.
struct Import {
    doors: Doors,
    caller: Principal,
    report: ImportReport,
    made: Vec<MemoryId>,
    /// The names of the memories that this import creates.
    names: BTreeSet<String>,
    chunk: Vec<ExportLine>,
    chunk_bytes: usize,
    lines: u64,
    begun: bool,
    end: Option<ImportReport>,
    if_erased: IfErased,
    /// The id that distinguishes this import from others of these memories.
    run: String,
    repaired: RepairMark,
}

impl Import {
    fn new(doors: Doors, caller: Principal, if_erased: IfErased, repaired: RepairMark) -> Self {
        let run = uuid4(doors.ids.as_ref());
        Self {
            doors,
            caller,
            report: ImportReport::default(),
            made: Vec::new(),
            names: BTreeSet::new(),
            chunk: Vec::new(),
            chunk_bytes: 0,
            lines: 0,
            begun: false,
            end: None,
            if_erased,
            run,
            repaired,
        }
    }

    async fn read(&mut self, mut body: BodyDataStream, under_way: &RunningImport) -> Result<()> {
        let mut rest: Vec<u8> = Vec::new();
        // A stop takes effect between two pieces, so a write is never interrupted.
        while let Some(piece) = under_way.unless_stopped(body.next()).await? {
            let piece = piece.map_err(|error| {
                Error::new(ErrorKind::Invalid, "the body ended before it was whole").caused_by(error)
            })?;
            let mut piece: &[u8] = &piece;
            while let Some(at) = piece.iter().position(|byte| *byte == b'\n') {
                let (line, tail) = piece.split_at(at);
                rest.extend_from_slice(line);
                piece = tail.get(1..).unwrap_or_default();
                let whole = std::mem::take(&mut rest);
                self.line(&whole).await?;
            }
            rest.extend_from_slice(piece);
            if rest.len() > LINE_BYTES_MAX {
                let message = format!("line {} is longer than {LINE_BYTES_MAX} bytes", self.lines + 1);
                return Err(Error::new(ErrorKind::TooLarge, message));
            }
        }
        self.line(&rest).await?;
        self.write().await?;
        self.check_end()?;
        self.doors.engine.import_finish(&self.caller, &self.made, &self.run).await
    }

    async fn line(&mut self, text: &[u8]) -> Result<()> {
        self.lines += 1;
        if text.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let (line, is_repaired) = import_lines::read(text, self.lines)?;
        if is_repaired {
            self.repaired.set();
        }
        if let ExportLine::Header { .. } = &line {
            self.begun = true;
        }
        if let ExportLine::End { memories, events, records } = line {
            self.end = Some(ImportReport { memories, events, records, ..ImportReport::default() });
        }
        if !self.begun {
            let message = format!("line {} comes before the header: this is no export of Loci", self.lines);
            return Err(Error::invalid("line", message));
        }
        self.chunk_bytes += text.len();
        self.chunk.push(line);
        if self.chunk.len() >= CHUNK_LINES || self.chunk_bytes >= CHUNK_BYTES {
            self.write().await?;
        }
        Ok(())
    }

    async fn write(&mut self) -> Result<()> {
        let lines = std::mem::take(&mut self.chunk);
        self.chunk_bytes = 0;
        let memory = |line: &ExportLine| match line {
            ExportLine::Memory { memory } => Some((**memory).clone()),
            _ => None,
        };
        let new: Vec<Memory> = lines.iter().filter_map(memory).collect();
        // A memory that this import created itself blocks a second one with its id: the write
        // rejects that.
        for memory in new.iter().filter(|memory| !self.is_made(memory)) {
            self.doors.engine.import_room(&self.caller, memory).await?;
        }
        let engine = &self.doors.engine;
        let part = ImportPart { run: Some(&self.run), resuming: &self.made, if_erased: self.if_erased };
        let outcome = engine.import_part(&self.caller, lines, part).await;
        let wrote = outcome.map_err(|mut error| {
            error.message = format!("{} (in the lines up to {})", error.message, self.lines);
            error
        })?;
        self.names.extend(new.iter().map(|memory| memory.name.clone()));
        self.made.extend(new.into_iter().map(|memory| memory.id));
        self.report.absorb(&wrote);
        Ok(())
    }

    fn is_made(&self, memory: &Memory) -> bool {
        self.made.contains(&memory.id) || self.names.contains(&memory.name)
    }

    /// Detects a truncated file by its last line.
    fn check_end(&self) -> Result<()> {
        let ImportReport { memories, events, records, erased_events, erased_records, .. } = &self.report;
        let read = (*memories, events + erased_events, records + erased_records);
        match &self.end {
            Some(end) if (end.memories, end.events, end.records) == read => Ok(()),
            Some(_) => Err(Error::invalid(
                "line",
                "the last line counts other lines than there are: the file is damaged",
            )),
            None => Err(Error::invalid("line", "the last line is missing: the file was cut off")),
        }
    }

    /// Erases the written part. A failure here is logged and cleaned up later; the response has the
    /// import's error.
    async fn undo(&self) {
        if let Err(error) = self.doors.engine.import_undo(&self.caller, &self.made, &self.run).await {
            tracing::error!(
                ?error,
                "the partial data of a failed import is not erased yet; the server does not serve it"
            );
        }
    }
}
