//! Documents as the memory folder of Claude Code, in the layout of a mirror.

use anyhow::{Context, Result};
use loci_client::formats::SourceFile;
use loci_documents::mirror::layouts::{LaidDocument, Layout, LayoutState};
use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_model::RecordId;
use loci_model::record::RecordKind;

use super::export_format::ExportedDocument;
use super::import::claude_folder;

/// Returns the files of these documents.
///
/// # Errors
/// The path or id of a document cannot be parsed, or the document is not text.
pub(super) fn topics(documents: &[ExportedDocument]) -> Result<Vec<SourceFile>> {
    let mut laid = Vec::with_capacity(documents.len());
    let mut state = LayoutState::default();
    for ExportedDocument { document, file } in documents {
        if document.path == claude_folder::ABOVE {
            state.preface = Some(document.body.clone());
            continue;
        }
        let (content, _) = if document.raw {
            (DocumentContent::raw(file.clone()), Vec::new())
        } else {
            DocumentContent::of_file(file)
        };
        laid.push(LaidDocument {
            path: DocumentPath::parse(&document.path)?,
            record: RecordId::parse(&document.record)?,
            kind: RecordKind::parse(&document.kind).unwrap_or(RecordKind::Document),
            content,
            reads: 0,
        });
    }
    let (files, _) = Layout::ClaudeMemory.render(&laid, &state);
    let texts = files.into_iter().map(|file| {
        let text = String::from_utf8(file.bytes).with_context(|| format!("{} is no text", file.path))?;
        Ok(SourceFile { path: file.path, text })
    });
    texts.collect()
}
