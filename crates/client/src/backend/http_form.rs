//! The types of the HTTP format for file backends, which the client and the server share.
//! `docs/guides/file-backends.md` describes the format for other languages.

use serde::{Deserialize, Serialize};

/// The maximum size of a file, and of a response, in the HTTP format, in bytes.
pub const HTTP_BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The body of an error response.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HttpProblem {
    /// The code of the error's `StorageErrorKind`.
    pub(super) code: String,
    /// The message for people.
    #[serde(default)]
    pub(super) message: String,
}

/// The query parameters of a listing.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FilesQuery {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cursor: Option<String>,
}

/// The query parameters of a file's history.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HistoryAsk {
    pub(super) path: String,
    #[serde(default = "limit_default")]
    pub(super) limit: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cursor: Option<String>,
}

/// The query parameters of a list of changes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChangesAsk {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<String>,
    #[serde(default = "limit_default")]
    pub(super) limit: u32,
}

/// The query parameters of a difference: the labels of two snapshots.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DiffAsk {
    pub(super) a: String,
    pub(super) b: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
}

/// The request body of a restore.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RestoreBody {
    pub(super) label: String,
    #[serde(default)]
    pub(super) paths: Vec<String>,
}

/// The query parameters of a search.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SearchAsk {
    pub(super) question: String,
    #[serde(default)]
    pub(super) prefix: String,
    #[serde(default = "limit_default")]
    pub(super) limit: u32,
}

/// The response body of a search.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SearchHits {
    pub(super) hits: Vec<super::file_change::SearchHit>,
}

fn limit_default() -> u32 {
    100
}
