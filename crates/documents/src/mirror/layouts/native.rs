//! The native layout: the paths of the tree, each document with its frontmatter. Transcripts and
//! the changelog are rendered next to it; a file there is never taken.

use loci_engine::document_text::areas::check_writable;
use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_model::ErrorKind;

use super::{FileMeaning, LaidDocument, LaidFile, LayoutState};

pub(super) fn render(documents: &[LaidDocument]) -> (Vec<LaidFile>, LayoutState) {
    let mut files: Vec<LaidFile> = documents
        .iter()
        .map(|document| LaidFile {
            path: document.path.to_string(),
            bytes: document.content.file().into_bytes(),
            record: Some(document.record.clone()),
        })
        .collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    (files, LayoutState::default())
}

pub(super) fn read(path: &str, file: &str, known: Option<&LaidDocument>) -> FileMeaning {
    let parsed = match DocumentPath::parse(path) {
        Ok(parsed) => parsed,
        Err(error) => return FileMeaning::Refused { why: error.to_string() },
    };
    // The mirror decides at the write if it may write documents that are loaded with every prompt.
    if let Err(error) = check_writable(&parsed, true)
        && matches!(error.kind, ErrorKind::Denied | ErrorKind::Invalid)
    {
        return FileMeaning::Refused { why: error.to_string() };
    }
    let (content, warnings) = match known {
        Some(document) if document.content.is_raw => {
            (document.content.clone().with_body(file.to_owned()), Vec::new())
        }
        Some(_) | None => DocumentContent::of_written_file(&parsed, file),
    };
    let executable = known.and_then(|document| document.content.executable);
    FileMeaning::Document {
        path: parsed,
        content: Box::new(DocumentContent { executable, ..content }),
        warnings,
    }
}
