//! A file backend for the documents of a Loci server. The file is the text of a document. Title,
//! description and other members are stored with the record and are not in the file.
//!
//! If the server masks a secret in a written text, the write fails because the stored text differs
//! from the sent one, although the server keeps the masked text. A server stores documents below
//! `knowledge/`; a view with that prefix hides it.

use futures::FutureExt;
use loci_api::documents::file::{DocumentAsk, DocumentChange, FileDocument};
use loci_api::documents::tree::{
    ChangesQuery, DiffQuery, DocumentVersion, HistoryQuery, RestoreAsk, SnapshotMake, TreeChange, TreeItem,
    TreeQuery,
};

use super::file_backend::{BackendCapabilities, FileBackend, StorageFuture};
use super::file_change::{
    BackendChange, BackendChanges, BackendDiff, FileDifference, FileOperation, FileVersion, FileVersions,
    NotRestored, Restored, SnapshotRef, VersionQuery,
};
use super::listing_part::RisingPages;
use super::loci_errors::{is_absent, storage_error};
use super::path_rules::{clean_path, clean_prefix};
use super::storage_error::{StorageError, StorageErrorKind};
use super::stored_file::{BackendEntry, BackendFile, FilePrecondition, FileWriteResult, sha256_hex};
use crate::call::Client;

/// The maximum size of a document on the server, in bytes.
const DOCUMENT_BYTES_MAX: u64 = 102_400;
/// The start of an entity tag for a text, before the hex digits.
const TAG: &str = "sha256:";

/// A file backend for the documents in one namespace of a memory.
#[derive(Debug, Clone)]
pub struct LociBackend {
    client: Client,
    memory: String,
    namespace: Option<String>,
}

impl LociBackend {
    /// Opens the documents of a namespace. `None` means the namespace `/`. The memory is given by
    /// its id.
    ///
    /// # Errors
    /// `NotFound` for an unknown memory; `Denied` and `Unavailable` if the server says so.
    pub async fn open(
        client: Client,
        memory: impl Into<String>,
        namespace: Option<String>,
    ) -> Result<Self, StorageError> {
        let backend = Self { client, memory: memory.into(), namespace };
        backend.check_tree().await?;
        Ok(backend)
    }

    /// Checks that the memory and its namespace exist.
    async fn check_tree(&self) -> Result<(), StorageError> {
        let first = TreeQuery { limit: Some(1), ..self.tree_query("") };
        self.client.tree_list(&self.memory, &first).await.map_err(storage_error)?;
        Ok(())
    }

    /// Returns `answer` for a missing document after checking that the memory exists, because a
    /// deleted memory must not look like one without files.
    async fn absent<T>(&self, answer: T) -> Result<T, StorageError> {
        self.check_tree().await.map(|()| answer)
    }

    fn tree_query(&self, prefix: &str) -> TreeQuery {
        let prefix = (!prefix.is_empty()).then(|| prefix.to_owned());
        TreeQuery { namespace: self.namespace.clone(), prefix, ..TreeQuery::default() }
    }

    /// Returns the document at a path. `None` if there is none, or the document has moved to
    /// another path.
    async fn document(&self, path: &str) -> Result<Option<FileDocument>, StorageError> {
        let asked = DocumentAsk { namespace: self.namespace.clone(), raw: None };
        match self.client.document_get(&self.memory, path, &asked).await {
            Ok(document) => Ok(Some(document).filter(|document| document.redirected_from.is_none())),
            Err(error) if is_absent(&error) => self.absent(None).await,
            Err(error) => Err(storage_error(error)),
        }
    }

    /// Returns the client and the query parameters for a change under a precondition.
    fn change(&self, only_if: &FilePrecondition) -> Result<(Client, DocumentChange), StorageError> {
        let mut change = DocumentChange { namespace: self.namespace.clone(), ..DocumentChange::default() };
        let client = self.client.clone();
        let client = match only_if {
            FilePrecondition::Any => {
                change.force = Some("1".to_owned());
                client
            }
            FilePrecondition::Absent => client.with_if_absent(),
            FilePrecondition::Sha256(hex) => {
                client.with_if_match(&format!("\"{TAG}{}\"", hex.to_lowercase())).map_err(storage_error)?
            }
        };
        Ok((client, change))
    }

    async fn put(
        &self,
        path: &str,
        bytes: &[u8],
        only_if: &FilePrecondition,
    ) -> Result<FileWriteResult, StorageError> {
        let path = clean_path(path)?;
        let refused =
            |rule: &str| StorageError::new(StorageErrorKind::InvalidContent, format!("{path}: {rule}"));
        let text = String::from_utf8(bytes.to_vec()).map_err(|error| {
            refused("documents are UTF-8 text: store other bytes elsewhere").caused_by(error)
        })?;
        let (client, mut change) = self.change(only_if)?;
        change.raw = Some("1".to_owned());
        let written =
            client.document_put_file(&self.memory, &path, &change, text).await.map_err(storage_error)?;
        let sha256 = sha256_hex(bytes);
        if written.path.is_none() {
            return Err(refused(
                "the server holds the text back, since it looks like instructions: a person decides",
            ));
        }
        if written.content_sha256.as_deref() != Some(&sha256) {
            return Err(refused(
                "the server masked a secret in the text and stored the rest: remove the secret",
            ));
        }
        Ok(FileWriteResult { sha256 })
    }

    async fn remove(&self, path: &str, only_if: &FilePrecondition) -> Result<bool, StorageError> {
        let path = clean_path(path)?;
        // An earlier path of a moved document must not delete that document.
        let Some(document) = self.document(&path).await? else { return Ok(false) };
        if *only_if == FilePrecondition::Absent {
            only_if.check(&path, Some(&document.content_sha256))?;
        }
        let (client, change) = self.change(only_if)?;
        match client.document_delete(&self.memory, &path, &change).await {
            Ok(_) => Ok(true),
            Err(error) if is_absent(&error) => self.absent(false).await,
            Err(error) => Err(storage_error(error)),
        }
    }

    async fn listed(&self, prefix: &str) -> Result<Vec<BackendEntry>, StorageError> {
        let mut query = self.tree_query(prefix);
        let mut pages = RisingPages::default();
        loop {
            let page = self.client.tree_list(&self.memory, &query).await.map_err(storage_error)?;
            // The tag of an item belongs to its file with a head, and not to its text.
            let entry = |item: TreeItem| BackendEntry { path: item.path, size: item.bytes, sha256: None };
            pages.add(page.entries.into_iter().map(entry).collect())?;
            match page.next_cursor {
                None => return Ok(pages.files),
                // A page may be empty; its cursor still advances.
                next if next == query.cursor => {
                    let message = "the listing of the server does not end: update the server";
                    return Err(StorageError::new(StorageErrorKind::Broken, message));
                }
                next => query.cursor = next,
            }
        }
    }
}

impl FileBackend for LociBackend {
    fn capabilities(&self) -> BackendCapabilities {
        BackendCapabilities {
            versioning: true,
            cas: true,
            // The search of a server returns records of a whole namespace, and only its best hits.
            search: false,
            atomic_multi_write: false,
            file_bytes_max: Some(DOCUMENT_BYTES_MAX),
            text_only: true,
        }
    }

    fn read<'a>(&'a self, path: &'a str) -> StorageFuture<'a, Option<BackendFile>> {
        async move {
            let document = self.document(&clean_path(path)?).await?;
            Ok(document.map(|document| BackendFile::new(document.body.into_bytes())))
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        path: &'a str,
        bytes: &'a [u8],
        only_if: &'a FilePrecondition,
    ) -> StorageFuture<'a, FileWriteResult> {
        self.put(path, bytes, only_if).boxed()
    }

    fn delete<'a>(&'a self, path: &'a str, only_if: &'a FilePrecondition) -> StorageFuture<'a, bool> {
        self.remove(path, only_if).boxed()
    }

    fn list<'a>(&'a self, prefix: &'a str) -> StorageFuture<'a, Vec<BackendEntry>> {
        async move { self.listed(&clean_prefix(prefix)?).await }.boxed()
    }

    fn exists<'a>(&'a self, path: &'a str) -> StorageFuture<'a, bool> {
        async move { Ok(self.document(&clean_path(path)?).await?.is_some()) }.boxed()
    }

    fn history<'a>(&'a self, path: &'a str, page: &'a VersionQuery) -> StorageFuture<'a, FileVersions> {
        async move {
            let query = HistoryQuery {
                namespace: self.namespace.clone(),
                path: clean_path(path)?,
                limit: Some(page.limit),
                cursor: page.cursor.clone(),
            };
            match self.client.document_history(&self.memory, &query).await {
                Ok(found) => Ok(FileVersions {
                    versions: found.versions.into_iter().map(version).collect(),
                    next: found.next_cursor,
                }),
                Err(error) if is_absent(&error) => self.absent(FileVersions::default()).await,
                Err(error) => Err(storage_error(error)),
            }
        }
        .boxed()
    }

    fn changes_since<'a>(&'a self, since: Option<&'a str>, limit: u32) -> StorageFuture<'a, BackendChanges> {
        async move {
            let query = ChangesQuery {
                namespace: self.namespace.clone(),
                since: since.map(str::to_owned),
                limit: Some(limit),
            };
            let found = self.client.tree_changes(&self.memory, &query).await.map_err(storage_error)?;
            let more = found.changes.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
            let changes = found.changes.into_iter().flat_map(changes_of).collect();
            Ok(BackendChanges { changes, next: found.next_since, more })
        }
        .boxed()
    }

    fn diff<'a>(
        &'a self,
        a: &'a SnapshotRef,
        b: &'a SnapshotRef,
        path: Option<&'a str>,
    ) -> StorageFuture<'a, BackendDiff> {
        async move {
            let query = DiffQuery {
                namespace: self.namespace.clone(),
                a: a.label.clone(),
                b: Some(b.label.clone()),
                path: path.map(clean_path).transpose()?,
            };
            let found = self.client.tree_diff(&self.memory, &query).await.map_err(storage_error)?;
            let file = |file: loci_api::documents::tree::FileDiff| FileDifference {
                path_a: file.path_a,
                path_b: file.path_b,
                unified: file.unified,
            };
            Ok(BackendDiff { files: found.files.into_iter().map(file).collect(), left_out: found.left_out })
        }
        .boxed()
    }

    fn snapshot<'a>(&'a self, label: &'a str) -> StorageFuture<'a, SnapshotRef> {
        async move {
            let make = SnapshotMake { namespace: self.namespace.clone(), label: label.to_owned() };
            let made = self.client.tree_snapshot(&self.memory, &make).await.map_err(storage_error)?;
            Ok(SnapshotRef { label: made.label })
        }
        .boxed()
    }

    fn restore<'a>(&'a self, to: &'a SnapshotRef, paths: &'a [String]) -> StorageFuture<'a, Restored> {
        async move {
            let asked = RestoreAsk {
                namespace: self.namespace.clone(),
                snapshot: Some(to.label.clone()),
                state: None,
                paths: paths.iter().map(|path| clean_path(path)).collect::<Result<_, _>>()?,
                dry_run: false,
                reason: None,
            };
            let found = self.client.tree_restore(&self.memory, &asked).await.map_err(storage_error)?;
            let mut restored = Restored::default();
            for document in found.documents {
                // A record without a path is no file.
                let Some(path) = document.path else { continue };
                match document.gap {
                    Some(reason) => restored.left_out.push(NotRestored { path, reason }),
                    None => restored.changed.push(path),
                }
            }
            Ok(restored)
        }
        .boxed()
    }
}

fn version(found: DocumentVersion) -> FileVersion {
    let is_there = found.state == "active" && found.path.is_some();
    FileVersion {
        version: found.version_id,
        operation: if is_there { FileOperation::Write } else { FileOperation::Delete },
        sha256: found.content_sha256.filter(|_| is_there),
        size: found.bytes.filter(|_| is_there),
        by: found.by,
        at: Some(found.at),
        reason: found.reason,
    }
}

/// Returns the changes of files for a change of a document. A moved document is deleted at the old
/// path and written at the new one.
fn changes_of(change: TreeChange) -> Vec<BackendChange> {
    let is_write = change.op == "write";
    let left = change.path_before.filter(|before| !is_write || change.path.as_ref() != Some(before));
    let deleted = left.map(|path| BackendChange {
        cursor: change.state.clone(),
        path,
        operation: FileOperation::Delete,
        sha256: None,
    });
    let written = change.path.filter(|_| is_write).map(|path| BackendChange {
        cursor: change.state,
        path,
        operation: FileOperation::Write,
        sha256: change.content_sha256,
    });
    deleted.into_iter().chain(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_a_tree_is_one_of_files() {
        let check = |op: &str, before: Option<&str>, path: Option<&str>, expect: &[(&str, FileOperation)]| {
            let change = TreeChange {
                state: "s".to_owned(),
                operation: "modified".to_owned(),
                op: op.to_owned(),
                path: path.map(str::to_owned),
                path_before: before.map(str::to_owned),
                record: "mem-1".to_owned(),
                version: None,
                content_sha256: Some("ab".to_owned()),
                by: None,
                run: None,
                at: String::new(),
            };
            let found = changes_of(change);
            let found: Vec<_> = found.iter().map(|one| (one.path.as_str(), one.operation)).collect();
            assert_eq!(found, expect);
        };
        use FileOperation::{Delete, Write};
        check("write", None, Some("a"), &[("a", Write)]);
        check("write", Some("a"), Some("a"), &[("a", Write)]);
        check("write", Some("a"), Some("b"), &[("a", Delete), ("b", Write)]);
        check("delete", Some("a"), None, &[("a", Delete)]);
    }
}
