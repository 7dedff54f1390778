//! Stores documents of a source in a tree. The reason of a version identifies the last import. A
//! document that was changed here since is not silently replaced. It stays if the source is
//! unchanged. If both changed, the conflict is reported, or the source's version replaces it
//! (`--force`).

use anyhow::Result;
use loci_api::documents::file::{DocumentAsk, DocumentChange, DocumentWritten};
use loci_api::documents::tree::{DocumentVersion, HistoryQuery};
use loci_client::{Client, ClientError};
use loci_engine::document_text::DocumentPath;
use sha2::{Digest, Sha256};

use super::item_import::ItemImport;

/// The maximum number of versions to search for the last import.
const VERSIONS_MAX: u32 = 100;

/// The part of a tree that each model session loads.
const ALWAYS_LOADED: &str = "knowledge/system";

/// A document that another program's files contain.
struct SourceDocument {
    place: String,
    path: String,
    file: String,
    raw: bool,
    /// The digest of the document's content in the source.
    digest: String,
}

/// The state of an existing document, compared with the source of the import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ImportedDocumentState {
    /// The document is unchanged since the last import, and the source has changed.
    AsImported,
    /// The document and the source are unchanged since the last import.
    Same,
    /// The document was changed in Loci, and the source is unchanged.
    ChangedHere,
    /// The document was changed in Loci and in the source, or was never imported.
    Conflict,
}

impl ItemImport<'_> {
    pub(super) async fn document(
        &mut self,
        place: String,
        path: &str,
        file: String,
        raw: bool,
    ) -> Result<()> {
        if is_always_loaded(path) {
            let rule =
                "an import never writes below knowledge/system/, because models always load those documents";
            self.report.problem(&place, rule, "put it by `loci files put`, or give it another path");
            return Ok(());
        }
        let digest = hex::encode(Sha256::digest(&file));
        let one = SourceDocument { place, path: path.to_owned(), file, raw, digest };
        let written = match self.into.force {
            true => self.put(&self.session.client.clone(), &one, true).await,
            false => self.put(&self.session.client.clone().with_if_absent(), &one, false).await,
        };
        match written {
            Err(ClientError::Refused { status: 412, .. }) => self.meet(one).await,
            written => self.note(&one, written),
        }
    }

    /// Handles a document that already exists.
    async fn meet(&mut self, one: SourceDocument) -> Result<()> {
        let (memory, client) = (self.into.memory, &self.session.client);
        let namespace = Some(self.into.namespace.clone());
        // The entity tag is read before the history, so that a concurrent change makes the write
        // fail instead of invalidating the comparison.
        let asked = DocumentAsk { namespace: namespace.clone(), raw: None };
        let there = match client.document_get(memory, &one.path, &asked).await {
            Ok(there) => there,
            Err(error) => return self.refused_or_gone("document", &one.place, error),
        };
        let query =
            HistoryQuery { namespace, path: one.path.clone(), limit: Some(VERSIONS_MAX), cursor: None };
        let history = match client.document_history(memory, &query).await {
            Ok(history) => history.versions,
            Err(error) => return self.refused_or_gone("document", &one.place, error),
        };
        match standing(&history, self.into.format, &one.digest) {
            ImportedDocumentState::Same => self.report.unchanged += 1,
            ImportedDocumentState::ChangedHere => {
                self.report.skip("document", "it was changed here, and the source is as it was: it stays so");
            }
            ImportedDocumentState::Conflict => {
                let by = history.first().and_then(|version| version.by.as_deref()).unwrap_or("somebody");
                let rule = format!(
                    "{} was changed here (by {by}), and the source is not what the last import wrote",
                    one.path
                );
                self.conflict(&one, rule);
            }
            ImportedDocumentState::AsImported => {
                let client = client.clone().with_if_match(&there.etag)?;
                match self.put(&client, &one, false).await {
                    Err(ClientError::Refused { status: 412, .. }) => {
                        let rule = format!("{} was changed here while it was imported", one.path);
                        self.conflict(&one, rule);
                    }
                    written => self.note(&one, written)?,
                }
            }
        }
        Ok(())
    }

    fn conflict(&mut self, one: &SourceDocument, rule: String) {
        let remedy = "bring both together here or there, or import with --force, which takes the source's";
        self.report.problem(&one.place, &rule, remedy);
    }

    async fn put(
        &self,
        client: &Client,
        one: &SourceDocument,
        force: bool,
    ) -> Result<DocumentWritten, ClientError> {
        let change = DocumentChange {
            namespace: Some(self.into.namespace.clone()),
            force: force.then(|| "1".to_owned()),
            raw: one.raw.then(|| "1".to_owned()),
            reason: Some(format!("{}, sha256 {}", reason(self.into.format), one.digest)),
        };
        client.document_put_file(self.into.memory, &one.path, &change, one.file.clone()).await
    }

    fn note(&mut self, one: &SourceDocument, written: Result<DocumentWritten, ClientError>) -> Result<()> {
        match written {
            Ok(written) => {
                match written.operation.as_deref() {
                    None => self.report.unchanged += 1,
                    Some(_) if written.version == 1 => self.report.created += 1,
                    Some(_) => self.report.updated += 1,
                }
                self.report.warned(&one.place, &written.warnings);
                Ok(())
            }
            Err(error) => self.refused_or_gone("document", &one.place, error),
        }
    }
}

/// True for a path that models always load, in any format and spelling: imported text must not be
/// loaded without review.
fn is_always_loaded(path: &str) -> bool {
    DocumentPath::parse(path)
        .is_ok_and(|path| path.is_below(ALWAYS_LOADED) || path.key().as_str() == ALWAYS_LOADED)
}

/// Returns the reason of an imported version.
fn reason(format: &str) -> String {
    format!("imported from {format}")
}

/// Returns the state of a document by its history, newest first.
fn standing(history: &[DocumentVersion], format: &str, digest: &str) -> ImportedDocumentState {
    let reason = reason(format);
    let imported = history.iter().find_map(|version| {
        let rest = version.reason.as_deref()?.strip_prefix(&reason)?;
        (rest.is_empty() || rest.starts_with(", ")).then(|| (version.version, rest.ends_with(digest)))
    });
    let newest = history.first().map(|version| version.version);
    match imported {
        Some((version, true)) if newest == Some(version) => ImportedDocumentState::Same,
        Some((version, false)) if newest == Some(version) => ImportedDocumentState::AsImported,
        Some((_, true)) => ImportedDocumentState::ChangedHere,
        Some((_, false)) | None => ImportedDocumentState::Conflict,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_models_always_see() {
        for path in [
            "knowledge/system/a.md",
            "/Knowledge//SYSTEM/a.md",
            "knowledge/\u{17f}ystem/x.md",
            "knowledge/system",
        ] {
            assert!(is_always_loaded(path), "{path}");
        }
        for path in ["knowledge/systems/a.md", "knowledge/facts/system/a.md", "knowledge/system.md", "../x"] {
            assert!(!is_always_loaded(path), "{path}");
        }
    }

    fn version(version: u32, reason: Option<&str>) -> DocumentVersion {
        DocumentVersion {
            version_id: String::new(),
            record: String::new(),
            version,
            operation: "put".to_owned(),
            path: None,
            content_sha256: None,
            bytes: None,
            by: None,
            reason: reason.map(str::to_owned),
            at: String::new(),
            state: "active".to_owned(),
            source_events: Vec::new(),
        }
    }

    #[test]
    fn whose_change_it_is() {
        let check = |history: &[(u32, Option<&str>)], expect: ImportedDocumentState| {
            let history: Vec<_> = history.iter().map(|(number, reason)| version(*number, *reason)).collect();
            assert_eq!(standing(&history, "okf", "aa"), expect);
        };
        check(&[(1, Some("imported from okf, sha256 aa"))], ImportedDocumentState::Same);
        check(&[(1, Some("imported from okf, sha256 bb"))], ImportedDocumentState::AsImported);
        check(&[(1, Some("imported from okf"))], ImportedDocumentState::AsImported);
        check(&[(2, None), (1, Some("imported from okf, sha256 aa"))], ImportedDocumentState::ChangedHere);
        check(
            &[(2, Some("better")), (1, Some("imported from okf, sha256 bb"))],
            ImportedDocumentState::Conflict,
        );
        check(
            &[(1, Some("read")), (1, Some("imported from okf, sha256 bb"))],
            ImportedDocumentState::AsImported,
        );
        check(&[(1, None)], ImportedDocumentState::Conflict);
        check(&[(1, Some("imported from okf2, sha256 aa"))], ImportedDocumentState::Conflict);
        check(&[], ImportedDocumentState::Conflict);
    }
}
