//! Documents and trees in the shapes of the native API.

use loci_api::documents::file as shape;
use loci_api::documents::tree as tree_shape;

use loci_documents::{DocumentShown, DocumentWritten, TreeAsk};
use loci_engine::document_text::DocumentContent;
use loci_model::trees::tree_entry::TreeSnapshot;
use loci_model::{Namespace, Result};

use crate::v1::protocol::call::Call;

/// The default namespace of a tree.
const ROOT: &str = "/";

/// Returns the tree of a call.
pub(super) async fn tree(call: &Call, namespace: Option<&str>) -> Result<TreeAsk> {
    let namespace = Namespace::parse(namespace.unwrap_or(ROOT)).map_err(|error| error.on("namespace"))?;
    Ok(TreeAsk { memory: call.memory().await?, namespace })
}

/// Returns the content of a document sent in parts.
pub(super) fn content(put: shape::DocumentPut) -> DocumentContent {
    let mut content = DocumentContent {
        body: put.body,
        title: put.title,
        description: put.description,
        scope: put.scope,
        ..DocumentContent::default()
    };
    if let Some(pinned) = put.pinned {
        content.set_pinned(pinned);
    }
    if let Some(priority) = put.priority {
        content.set_priority(priority);
    }
    content
}

pub(super) fn document(shown: DocumentShown) -> shape::FileDocument {
    let etag = shown.etag();
    let DocumentShown { content, .. } = shown;
    shape::FileDocument {
        path: shown.path,
        redirected_from: shown.redirected_from,
        record: shown.record.to_string(),
        kind: shown.kind.as_str().to_owned(),
        version: shown.version,
        path_origin: shown.origin.as_str().to_owned(),
        description: shown.summary,
        described: content.description.is_some(),
        pinned: content.is_pinned(),
        priority: content.priority(),
        bytes: content.body.len() as u64,
        title: content.title,
        scope: content.scope,
        body: content.body,
        raw: content.is_raw,
        etag,
        content_sha256: shown.content_sha256,
        trust: shown.tier.as_str().to_owned(),
        expires_at: shown.expires_at.map(|time| time.to_rfc3339()),
        created_at: shown.created_at.to_rfc3339(),
        updated_at: shown.updated_at.to_rfc3339(),
    }
}

pub(super) fn written(written: DocumentWritten) -> shape::DocumentWritten {
    shape::DocumentWritten {
        etag: written.etag(),
        path: written.path,
        record: written.record.to_string(),
        version: written.version,
        operation: written.operation.map(|operation| operation.as_str().to_owned()),
        content_sha256: written.content_sha256,
        bytes: written.bytes,
        state: written.state.as_str().to_owned(),
        added: written.added,
        updated_at: written.updated_at.to_rfc3339(),
        warnings: written.warnings,
    }
}

pub(super) fn snapshot(snapshot: TreeSnapshot) -> tree_shape::TreeSnapshot {
    let TreeSnapshot { label, by, at, .. } = snapshot;
    tree_shape::TreeSnapshot { label, by, at: at.to_rfc3339() }
}
