//! `loci export`: writes one memory or all of them as JSON lines, to a file or standard output.
//! `export_format` writes for other programs, and `export_agentcore` through AgentCore's wire. A
//! truncated stream is an error, not a short file: the file gets its name only when it is complete.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use futures::StreamExt;
use indicatif::ProgressBar;
use loci_api::admin::ExportAsk;
use loci_api::memory::MemoryListing;
use loci_client::LineStream;
use serde::{Deserialize, Serialize};

use super::agentcore_location::AgentCoreLocation;
use super::export_format::{self, ExportFormat};
use super::{export_agentcore, manifest};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::{NotFound, Usage};
use crate::memory_argument::MemoryArgument;
use crate::output::{self, counted};
use crate::session::Session;
use crate::staged_output::{self, StagedFile};

/// The beginning of an export's first line.
const HEADER: &[u8] = br#"{"type":"header""#;
/// The beginning of its last line.
const END: &[u8] = br#"{"type":"end""#;

/// Write memories as JSON lines
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The memory, by name or id [default: LOCI_MEMORY, or the only one]
    #[arg(long, conflicts_with = "all")]
    memory: Option<String>,
    /// All memories, in one file
    #[arg(long)]
    all: bool,
    /// Only records in this namespace and beneath it, with the data of its repository
    #[arg(long, conflicts_with = "all")]
    namespace: Option<String>,
    /// Only the data of the memory about this actor, selected as by `loci forget`
    #[arg(long, conflicts_with_all = ["all", "namespace", "manifest"])]
    actor: Option<String>,
    /// The output format; all but jsonl cover one namespace and require a new file or folder
    #[arg(long, value_enum, default_value = "jsonl")]
    format: ExportFormat,
    /// Write counts and the SHA-256 of the file next to it; import compares them
    #[arg(long, requires = "file")]
    manifest: bool,
    /// agentcore: only report the mapping
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    place: AgentCoreLocation,
    /// The file [default: standard output, as with -]; for agentcore the memory's id or ARN there
    file: Option<PathBuf>,
}

/// The counts in the last line of an export, by kind of data.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    memories: u64,
    events: u64,
    records: u64,
}

impl Export {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if self.format == ExportFormat::AgentCore {
            return self.agentcore(globals, environment).await;
        }
        self.place.ensure_unused()?;
        if self.dry_run {
            let rule = "--dry-run of an export goes with --format agentcore; leave it out";
            return Err(Usage(rule.to_owned()).into());
        }
        if self.format != ExportFormat::Jsonl && self.actor.is_some() {
            let rule = "--actor goes with the format jsonl; leave --format out, or name a --namespace";
            return Err(Usage(rule.to_owned()).into());
        }
        if self.format != ExportFormat::Jsonl {
            return self.foreign(globals, environment).await;
        }
        let session = Session::begin(globals, environment)?;
        let memories = if self.all {
            all(&session).await?
        } else {
            vec![MemoryArgument::of(self.memory.clone(), environment).id(&session).await?]
        };
        let part = ExportAsk { namespace: self.namespace.clone(), actor: self.actor.clone() };
        match self.file.as_deref().filter(|path| !staged_output::is_standard_output(path)) {
            None => {
                ensure!(!self.manifest, "a manifest is written next to a file: name a file");
                write(&session, &memories, &part, &mut std::io::stdout().lock()).await?;
            }
            Some(path) => {
                let has_place = !self.manifest || !staged_output::is_written_through(path);
                ensure!(
                    has_place,
                    "a manifest is written next to a regular file: name a file, or omit --manifest"
                );
                let counts = to_file(&session, &memories, &part, path).await?;
                if self.manifest {
                    manifest::write(path, part.namespace.as_deref(), counts)?;
                }
                output::result(session.json, &counts, |counts| {
                    output::line(format!(
                        "wrote {}: {}, {}, {}",
                        path.display(),
                        memory_count(counts.memories),
                        counted(counts.events, "event"),
                        counted(counts.records, "record version")
                    ));
                })?;
            }
        }
        session.end().await
    }

    async fn agentcore(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let rule = "agentcore needs one memory and the id of the memory there, and has no --manifest";
        let there = self.file.filter(|path| path != Path::new("-") && !self.manifest);
        let (false, Some(there)) = (self.all, there) else {
            return Err(Usage(rule.to_owned()).into());
        };
        let place = self.place.resolve(&there.to_string_lossy(), globals, environment)?;
        let session = Session::begin(globals, environment)?;
        let memory = MemoryArgument::of(self.memory, environment).id(&session).await?;
        let namespace = self.namespace.as_deref().unwrap_or("/");
        let outcome = export_agentcore::export(&session, &memory, &place, namespace, self.dry_run).await;
        session.end().await?;
        outcome
    }

    async fn foreign(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let rule = "this format needs one memory and a file or folder to write, and has no --manifest";
        let target = self.file.filter(|path| path != Path::new("-") && !self.manifest);
        let (false, Some(target)) = (self.all, target) else {
            return Err(Usage(rule.to_owned()).into());
        };
        let session = Session::begin(globals, environment)?;
        let memory = MemoryArgument::of(self.memory, environment).id(&session).await?;
        let namespace = self.namespace.as_deref().unwrap_or("/");
        let outcome = export_format::export(&session, &memory, self.format, namespace, &target).await;
        session.end().await?;
        outcome
    }
}

/// Returns a number of memories with its noun.
pub(super) fn memory_count(count: u64) -> String {
    if count == 1 { "1 memory".to_owned() } else { format!("{count} memories") }
}

/// Returns all memories that the caller may see, oldest first.
async fn all(session: &Session) -> Result<Vec<String>> {
    let mut listing = MemoryListing::default();
    let mut ids = Vec::new();
    loop {
        let page = session.client.memory_list(&listing).await?;
        ids.extend(page.memories.into_iter().map(|memory| memory.id));
        listing.cursor = page.next_cursor;
        if listing.cursor.is_none() {
            break;
        }
    }
    if ids.is_empty() {
        return Err(NotFound("there is no memory to export".to_owned()).into());
    }
    ids.reverse();
    Ok(ids)
}

/// Writes the file, which gets its name when it is complete.
async fn to_file(session: &Session, memories: &[String], part: &ExportAsk, path: &Path) -> Result<Counts> {
    let mut work = StagedFile::at(path)?;
    let counts = write(session, memories, part, work.out()).await?;
    work.publish()?;
    Ok(counts)
}

/// Writes the exports of these memories as one: the first header, the lines of each, and the sum of
/// their counts.
async fn write(
    session: &Session,
    memories: &[String],
    part: &ExportAsk,
    out: &mut impl Write,
) -> Result<Counts> {
    let progress = output::spinner("exporting");
    let mut joined = CombinedExport { out, headed: false, counts: Counts::default() };
    for memory in memories {
        joined.append(session.client.export_part(memory, part).await?, &progress).await?;
    }
    let last = serde_json::to_string(&joined.counts)?;
    let members = last.strip_prefix('{').context("counts are an object")?;
    joined.line(format!("{{\"type\":\"end\",{members}").as_bytes())?;
    joined.out.flush().context("writing the export")?;
    progress.finish_and_clear();
    Ok(joined.counts)
}

/// The output of several exports that are combined into one.
struct CombinedExport<'a, W> {
    out: &'a mut W,
    headed: bool,
    counts: Counts,
}

impl<W: Write> CombinedExport<'_, W> {
    async fn append(&mut self, mut pieces: LineStream, progress: &ProgressBar) -> Result<()> {
        let mut rest: Vec<u8> = Vec::new();
        let mut ended = false;
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| anyhow::anyhow!("the export ended early: {error}"))?;
            progress.inc(piece.len() as u64);
            rest.extend_from_slice(&piece);
            let Some(last) = rest.iter().rposition(|byte| *byte == b'\n') else { continue };
            let tail = rest.split_off(last + 1);
            for line in rest.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                ended = self.take(line)?;
            }
            rest = tail;
        }
        ensure!(ended && rest.is_empty(), "the export ended early: its last line is missing");
        Ok(())
    }

    /// Takes a line. Returns true for the last line of an export.
    fn take(&mut self, line: &[u8]) -> Result<bool> {
        if line.starts_with(END) {
            let end: Counts = serde_json::from_slice(line).context("the last line of the export")?;
            self.counts.memories += end.memories;
            self.counts.events += end.events;
            self.counts.records += end.records;
            return Ok(true);
        }
        if !line.starts_with(HEADER) || !std::mem::replace(&mut self.headed, true) {
            self.line(line)?;
        }
        Ok(false)
    }

    fn line(&mut self, line: &[u8]) -> Result<()> {
        self.out.write_all(line).and_then(|()| self.out.write_all(b"\n")).context("writing the export")
    }
}
