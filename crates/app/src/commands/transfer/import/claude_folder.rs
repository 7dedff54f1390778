//! A coding agent's own memory (`MEMORY.md` and topic files) as documents, in the layout of
//! mirrors. Text above the list of the index becomes a document of its own, which an export
//! restores to its place.

use std::collections::BTreeSet;

use loci_client::formats::{FormatProblem, ImportItem, ItemTarget, Mapping, Skipped, SourceFile};
use loci_documents::mirror::layouts::{FileMeaning, LaidDocument, Layout, LayoutContext, LayoutState};
use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_model::RecordId;
use loci_model::record::RecordKind;

const LAYOUT: Layout = Layout::ClaudeMemory;
/// The document with the text above the list of the index.
pub(in crate::commands) const ABOVE: &str = "knowledge/claude-code/MEMORY.md";

/// Reads a folder. The index follows the files that it lists.
pub(super) fn read(files: &[SourceFile]) -> Mapping {
    let mut mapping = Mapping::default();
    let names: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
    let mut reading =
        FolderReader { mapping: &mut mapping, documents: Vec::new(), state: LayoutState::default() };
    let (indexes, topics): (Vec<_>, Vec<_>) = files.iter().partition(|file| LAYOUT.is_index(&file.path));
    for file in topics.into_iter().chain(indexes) {
        let around = LayoutContext { documents: &reading.documents, state: &reading.state, files: &names };
        let meaning = LAYOUT.read(&file.path, &file.text, None, &around);
        reading.take(file, meaning);
    }
    mapping
}

struct FolderReader<'a> {
    mapping: &'a mut Mapping,
    documents: Vec<LaidDocument>,
    state: LayoutState,
}

impl FolderReader<'_> {
    fn take(&mut self, file: &SourceFile, meaning: FileMeaning) {
        match meaning {
            FileMeaning::Document { path, content, warnings } => {
                self.mapping.lossy.extend(warnings);
                self.document("topic", file, path, *content);
            }
            FileMeaning::Index { new, preface } => {
                if let Some(text) = preface {
                    self.above(file, text);
                }
                let headings = headings_below(&file.text);
                if headings > 0 {
                    let why = "headings within the list: the list is rewritten without them".to_owned();
                    self.mapping.skipped.push(Skipped { what: file.path.clone(), count: headings, why });
                }
                let why = "the index: it is made of the topics".to_owned();
                self.mapping.skipped.push(Skipped { what: file.path.clone(), count: 1, why });
                for (path, content) in new {
                    self.document("line of the index", file, path, content);
                }
            }
            FileMeaning::Refused { why } => {
                let remedy = "correct the file, and import again".to_owned();
                let (place, field) = (file.path.clone(), String::new());
                self.mapping.problems.push(FormatProblem { place, field, rule: why, remedy });
            }
            FileMeaning::Lines { into, .. } => {
                let why = format!("its lines belong to {into}");
                self.mapping.skipped.push(Skipped { what: file.path.clone(), count: 1, why });
            }
        }
    }

    fn above(&mut self, file: &SourceFile, text: String) {
        if text.trim().is_empty() {
            self.mapping.lossy.insert("empty lines above the list of MEMORY.md are left out".to_owned());
            return;
        }
        *self.mapping.mapped.entry(("text above the index", "document")).or_default() += 1;
        let becomes = ItemTarget::Document { path: ABOVE.to_owned(), file: text, raw: true };
        self.mapping.items.push(ImportItem { id: ABOVE.to_owned(), place: file.path.clone(), becomes });
    }

    fn document(
        &mut self,
        what: &'static str,
        file: &SourceFile,
        path: DocumentPath,
        content: DocumentContent,
    ) {
        *self.mapping.mapped.entry((what, "document")).or_default() += 1;
        let becomes =
            ItemTarget::Document { path: path.to_string(), file: content.file(), raw: content.is_raw };
        self.mapping.items.push(ImportItem { id: path.to_string(), place: file.path.clone(), becomes });
        // The id only distinguishes the paths of two topics.
        let Ok(record) = RecordId::parse(format!("mem-{:0>36}", self.documents.len())) else { return };
        self.state.names.insert(record.clone(), file.path.clone());
        let kind = RecordKind::Document;
        self.documents.push(LaidDocument { path, record, kind, content, reads: 0 });
    }
}

/// Counts the headings after the first line of the list.
fn headings_below(text: &str) -> usize {
    let is_item = |line: &&str| line.starts_with("- ") || line.starts_with("* ");
    text.lines().skip_while(|line| !is_item(line)).filter(|line| line.starts_with('#')).count()
}
