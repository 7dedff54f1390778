//! The requests to a forge's API, and the parsing of its responses. Pure: this module sends, waits
//! for and stores nothing.

use http::{HeaderName, HeaderValue};
use loci_model::Timestamp;
use loci_model::facts::code::{ObjectId, Rename};
use loci_model::ports::forge::ForgeRoom;
use loci_outbound::request::OutboundAnswer;
use loci_outbound::secret::Secret;

use crate::listing::Listing;
use crate::review_dialect::ReviewDialect;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// The path and query below the API's address, each part encoded, without a leading slash.
    pub(crate) path: String,
    /// The requested media type.
    pub(crate) accept: &'static str,
}

/// A comparison of two revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// True if the first revision is the second one or one of its ancestors.
    pub(crate) is_ancestor: bool,
    /// Files that have another path in the second revision.
    pub(crate) renames: Vec<Rename>,
    /// True if the list of files may be incomplete.
    pub(crate) is_cut: bool,
}

/// The metadata of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) id: u64,
    pub(crate) path: String,
    pub(crate) default_branch: Option<String>,
    /// The number and path of the repository from which it was forked.
    pub(crate) parent: Option<(u64, String)>,
}

/// The meaning of a refusal beyond its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Too many requests; the pause in milliseconds, if the forge reports one.
    Rate(Option<u64>),
    /// The object is larger than the forge returns.
    TooLarge,
    /// No meaning beyond the status.
    Other,
}

/// The API of a kind of forge. `at` is a path as returned by [`Dialect::locate`]. A response that
/// does not follow the API is parsed as `None`.
pub(crate) trait Dialect: Send + Sync {
    /// Returns the default address of a host's API.
    fn api(&self, host: &str) -> String;
    /// Returns the headers of every request; `None` if the token or the version contains characters
    /// that are not allowed in a header.
    fn headers(
        &self,
        token: Option<&Secret>,
        version: Option<&str>,
    ) -> Option<Vec<(HeaderName, HeaderValue)>>;
    /// Returns the API path of a repository; `None` if the path cannot belong to this kind of
    /// forge.
    fn locate(&self, path: &str) -> Option<String>;

    fn repository(&self, at: &str) -> Ask;
    fn read_repository(&self, answer: &OutboundAnswer) -> Option<Facts>;

    /// Returns the request for the commit to which a name resolves; `None` if the text is not a
    /// valid name.
    fn tip(&self, at: &str, name: &str) -> Option<Ask>;
    fn read_tip(&self, answer: &OutboundAnswer) -> Option<ObjectId>;

    /// Returns the request for a tree by its own id or that of a commit: recursive, or only its own
    /// entries.
    fn tree(&self, at: &str, id: &ObjectId, is_deep: bool) -> Ask;
    fn read_tree(&self, answer: &OutboundAnswer) -> Option<Listing>;

    /// Returns the request for the content of a blob, which is the body of the response.
    fn blob(&self, at: &str, id: &ObjectId) -> Ask;

    fn comparison(&self, at: &str, older: &ObjectId, newer: &ObjectId) -> Ask;
    fn read_comparison(&self, answer: &OutboundAnswer) -> Option<Comparison>;

    fn refusal(&self, answer: &OutboundAnswer, now: Timestamp) -> Refusal;

    /// Returns the remaining rate limit that a response reports.
    fn room(&self, answer: &OutboundAnswer) -> Option<ForgeRoom>;

    /// The media type of JSON responses.
    fn json(&self) -> &'static str;
    /// The part of the API that concerns reviews.
    fn reviews(&self) -> &'static dyn ReviewDialect;
}
