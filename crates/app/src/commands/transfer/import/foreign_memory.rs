//! Imports the file-based memory of another program into one of Loci: read, mapped, and stored item
//! by item, or only reported (`--dry-run`).

use std::path::Path;

use anyhow::Result;
use loci_client::formats::{self, FormatInput, HALVES_OF_LETTERS, Mapping, Skipped};
use loci_model::ports::clock::Clock;

#[cfg(feature = "documents")]
use super::claude_folder;
use super::item_import::{Destination, ItemImport};
use super::mapping_report::MappingReport;
use super::{document_names, source};
use crate::adapters::SystemClock;
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// The format that uses a mirror's layout.
#[cfg(feature = "documents")]
pub(super) const CLAUDE_CODE: &str = "claude-code";

/// Reads a source and stores it.
pub(super) async fn import(session: &Session, source: &Path, into: &Destination<'_>) -> Result<()> {
    let mapping = mapping(source, into)?;
    let mut report = MappingReport::new(into.format, into.dry_run);
    report.absorb(&mapping);
    if !into.dry_run {
        let progress = output::items(mapping.items.len() as u64, "importing");
        let mut storing = ItemImport::new(session, into, &progress, &mut report);
        let outcome = storing.all(mapping.items).await;
        progress.finish_and_clear();
        outcome?;
    }
    report.tell(session.json)
}

fn mapping(source: &Path, into: &Destination<'_>) -> Result<Mapping> {
    let reader = formats::reader(into.format);
    let takes = reader.map_or(FormatInput::Folder(&[".md"]), |reader| reader.takes);
    let mut found = source::read(source, takes)?;
    if found.files.is_empty() && found.problems.is_empty() {
        let rule = format!("{} holds nothing of the format {}", source.display(), into.format);
        return Err(Usage(format!("{rule}: name another folder, or give another --format")).into());
    }
    let mut mapping = match reader {
        Some(reader) if !found.files.is_empty() => {
            (reader.read)(&found.files, &into.namespace, SystemClock::new().now().millis())
                .map_err(|problem| Usage(format!("{}: {problem}", source.display())))?
        }
        Some(_) => Mapping::default(),
        #[cfg(feature = "documents")]
        None => claude_folder::read(&found.files),
        #[cfg(not(feature = "documents"))]
        None => Mapping::default(),
    };
    document_names::make_distinct(&mut mapping);
    mapping.problems.append(&mut found.problems);
    if found.replaced > 0 {
        mapping.lossy.insert(HALVES_OF_LETTERS.to_owned());
    }
    // In a project nearly all files are unrelated.
    let others = if takes == FormatInput::Folder(&[".md"]) { found.others } else { 0 };
    for (what, count, why) in [
        ("link", found.links, "links are not followed"),
        ("pipe, socket or device", found.special, "not a regular file: such are not read"),
        ("file", others, "no Markdown: only such files are read"),
        ("folder", found.hidden, "hidden: such folders are not entered"),
        ("folder", found.fetched, "generated or downloaded content: such folders are not entered"),
    ] {
        if count > 0 {
            mapping.skipped.push(Skipped { what: what.to_owned(), count, why: why.to_owned() });
        }
    }
    Ok(mapping)
}
