//! `loci export --format`: writes a namespace for another program: Open Knowledge Format, Mem0's
//! JSON, a coding agent's memory folder. The output gets its name only when it is complete, and has
//! a checksum over all of it for comparing two exports.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use loci_api::documents::file::{DocumentAsk, FileDocument};
use loci_api::documents::tree::TreeQuery;
use loci_api::record::{Record, RecordListing};
use loci_client::formats::{Skipped, SourceFile, mem0, okf};
use serde::Serialize;
use sha2::{Digest, Sha256};

#[cfg(feature = "documents")]
use super::export_claude_folder::topics;
use crate::exit::{NotFound, Usage};
use crate::output::{self, counted};
use crate::session::Session;
use crate::staged_output::StagedOutput;

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportFormat {
    /// JSON lines with all data
    Jsonl,
    /// Memories of Mem0, in one file
    Mem0,
    /// A bundle in the Open Knowledge Format, in a folder
    Okf,
    /// The memory folder of Claude Code
    #[cfg(feature = "documents")]
    ClaudeCode,
    /// A memory of Amazon Bedrock AgentCore, or of any server that speaks its wire
    #[value(name = "agentcore")]
    AgentCore,
}

/// The result of an export.
#[derive(Debug, Serialize)]
struct ExportReport {
    format: String,
    files: usize,
    items: usize,
    /// SHA-256 over paths and contents. Equal exports have equal checksums.
    checksum: String,
    skipped: Vec<Skipped>,
    /// Differences between the source and the format.
    notes: Vec<String>,
}

/// Writes a namespace.
pub(super) async fn export(
    session: &Session,
    memory: &str,
    format: ExportFormat,
    namespace: &str,
    target: &Path,
) -> Result<()> {
    ensure_free(target, format == ExportFormat::Mem0)?;
    let (mut skipped, mut notes) = (Vec::new(), Vec::new());
    let (items, files) = match format {
        ExportFormat::Mem0 => {
            let records = records(session, memory, namespace, &mut skipped).await?;
            let (text, count) = mem0::write(&records);
            (count, vec![SourceFile { path: String::new(), text }])
        }
        ExportFormat::Okf => {
            let documents = documents(session, memory, namespace).await?;
            let files = bundle(&documents, &mut skipped);
            notes.extend(files.iter().filter_map(okf::departs));
            (files.len(), files)
        }
        #[cfg(feature = "documents")]
        ExportFormat::ClaudeCode => {
            let documents = documents(session, memory, namespace).await?;
            (documents.len(), topics(&documents)?)
        }
        ExportFormat::Jsonl | ExportFormat::AgentCore => {
            return Err(Usage("this format is no file or folder".to_owned()).into());
        }
    };
    if items == 0 {
        let rule = format!("{namespace} has nothing to export: name another --namespace");
        return Err(NotFound(rule).into());
    }
    write(target, &files, format == ExportFormat::Mem0)?;
    let name = format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let report =
        ExportReport { format: name, files: files.len(), items, checksum: checksum(&files), skipped, notes };
    output::result(session.json, &report, |report| {
        for Skipped { what, count, why } in &report.skipped {
            output::line(format!("left out: {count} × {what}: {why}"));
        }
        report.notes.iter().for_each(output::note);
        let ExportReport { items, files, checksum, .. } = report;
        output::line(format!(
            "wrote {}: {} in {}, sha256 {checksum}",
            target.display(),
            counted(items, "item"),
            counted(files, "file")
        ));
    })
}

/// Checks that the target does not exist. If it is a folder, it may exist and be empty.
fn ensure_free(target: &Path, is_one: bool) -> Result<()> {
    let is_empty = !is_one && fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    if fs::symlink_metadata(target).is_ok() && !is_empty {
        let rule = format!("{} exists: name a new file or folder", target.display());
        return Err(Usage(rule).into());
    }
    Ok(())
}

/// Returns the records that are not documents, including those beneath the namespace.
async fn records(
    session: &Session,
    memory: &str,
    namespace: &str,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Record>> {
    let mut listing = RecordListing { namespace_paths: vec![namespace.to_owned()], ..Default::default() };
    let (mut records, mut left) = (Vec::new(), 0);
    loop {
        let page = session.client.record_list(memory, &listing).await?;
        let (documents, others): (Vec<_>, Vec<_>) =
            page.records.into_iter().partition(|record| record.kind == "document");
        left += documents.len();
        records.extend(others);
        listing.cursor = page.next_cursor;
        if listing.cursor.is_none() {
            break;
        }
    }
    if left > 0 {
        let why = "this format has no files: export them as okf".to_owned();
        skipped.push(Skipped { what: "document".to_owned(), count: left, why });
    }
    Ok(records)
}

/// A document with its file.
pub(super) struct ExportedDocument {
    pub(super) document: FileDocument,
    pub(super) file: String,
}

async fn documents(session: &Session, memory: &str, namespace: &str) -> Result<Vec<ExportedDocument>> {
    let mut query = TreeQuery { namespace: Some(namespace.to_owned()), ..TreeQuery::default() };
    let asked = DocumentAsk { namespace: Some(namespace.to_owned()), raw: None };
    let mut documents = Vec::new();
    let progress = output::items(0, "exporting");
    loop {
        let page = session.client.tree_list(memory, &query).await?;
        progress.inc_length(page.entries.len() as u64);
        for entry in page.entries.iter().filter(|entry| entry.kind == "file") {
            let document = session.client.document_get(memory, &entry.path, &asked).await?;
            let file = session.client.document_file(memory, &entry.path, asked.namespace.clone()).await?;
            documents.push(ExportedDocument { document, file });
            progress.inc(1);
        }
        query.cursor = page.next_cursor;
        if query.cursor.is_none() {
            progress.finish_and_clear();
            return Ok(documents);
        }
    }
}

fn bundle(documents: &[ExportedDocument], skipped: &mut Vec<Skipped>) -> Vec<SourceFile> {
    let mut files = Vec::with_capacity(documents.len());
    for ExportedDocument { document, file } in documents {
        let head = (!document.raw).then_some(document.body.as_str());
        match okf::written(&document.path, file, head, &document.kind) {
            Some(file) => files.push(file),
            None => {
                let why = "no Markdown below knowledge/".to_owned();
                skipped.push(Skipped { what: document.path.clone(), count: 1, why });
            }
        }
    }
    files
}

/// Writes the file or folder, which gets its name when it is complete.
fn write(target: &Path, files: &[SourceFile], is_one: bool) -> Result<()> {
    let failed = || format!("writing {}", target.display());
    let work = StagedOutput::beside(target)?;
    for file in files {
        let path = if is_one { work.path() } else { work.path().join(&file.path) };
        let inside = !file.path.split('/').any(|segment| segment == "..") && !file.path.starts_with('/');
        ensure!(inside, "{} leaves the folder", file.path);
        if let Some(folder) = path.parent().filter(|_| !is_one) {
            fs::create_dir_all(folder).with_context(failed)?;
        }
        let mut out = fs::File::create_new(&path).with_context(failed)?;
        out.write_all(file.text.as_bytes()).and_then(|()| out.sync_all()).with_context(failed)?;
    }
    if !is_one && fs::symlink_metadata(target).is_ok() {
        fs::remove_dir(target).with_context(failed)?;
    }
    work.publish()
}

fn checksum(files: &[SourceFile]) -> String {
    let mut ordered: Vec<&SourceFile> = files.iter().collect();
    ordered.sort_by(|a, b| a.path.cmp(&b.path));
    let mut digest = Sha256::new();
    for file in ordered {
        digest.update(Sha256::digest(&file.path));
        digest.update(Sha256::digest(&file.text));
    }
    hex::encode(digest.finalize())
}
