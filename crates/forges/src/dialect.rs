//! The port for the API of a kind of forge: its requests, and the parsing of its responses. Pure:
//! nothing here sends, waits or stores.

use http::{HeaderName, HeaderValue};
use loci_model::Timestamp;
use loci_model::facts::code::{ObjectId, Rename};
use loci_model::ports::forge::ForgeRoom;
use loci_outbound::request::OutboundAnswer;
use loci_outbound::secret::Secret;

use crate::listing::Listing;
use crate::review_dialect::ReviewDialect;

/// A request to the API of a forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// The path and query of the request, relative to the base URL of the API. Each part is
    /// encoded.
    pub(crate) path: String,
    /// The media type that the request asks for.
    pub(crate) accept: &'static str,
}

/// The comparison of two revisions by a forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// True if the first revision is the second one, or one of its ancestors.
    pub(crate) is_ancestor: bool,
    /// The files whose path differs between the two revisions.
    pub(crate) renames: Vec<Rename>,
    /// True if the list of files may be incomplete.
    pub(crate) is_cut: bool,
}

/// The data of a repository on a forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) id: u64,
    pub(crate) path: String,
    pub(crate) default_branch: Option<String>,
    /// The number and the path of the repository that it was forked from. `None` if it is not a
    /// fork.
    pub(crate) parent: Option<(u64, String)>,
}

/// The meaning of an error response, if the status alone does not tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The caller sent too many requests to the forge. The value is the requested pause in
    /// milliseconds, if the forge states one.
    Rate(Option<u64>),
    /// The requested object is larger than the forge returns.
    TooLarge,
    /// The status alone tells the meaning.
    Other,
}

/// The API of a kind of forge. The argument `at` of its methods is a path returned by
/// [`Dialect::locate`]. Responses that are not valid in the API are parsed as `None`.
pub(crate) trait Dialect: Send + Sync {
    /// Returns the default address of a host's API.
    fn api(&self, host: &str) -> String;
    /// Returns the headers of every request. `None` if the token or the version contains a
    /// character that a header cannot contain.
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

    /// Returns the request for the commit that a name (branch, tag or id) resolves to. `None` if
    /// the text is not a valid name.
    fn tip(&self, at: &str, name: &str) -> Option<Ask>;
    fn read_tip(&self, answer: &OutboundAnswer) -> Option<ObjectId>;

    /// Returns the request for a git tree, by its own id or that of a commit. `is_deep` asks for
    /// all entries below it, too.
    fn tree(&self, at: &str, id: &ObjectId, is_deep: bool) -> Ask;
    fn read_tree(&self, answer: &OutboundAnswer) -> Option<Listing>;

    /// Returns the request for the content of a blob, which is the body of the response.
    fn blob(&self, at: &str, id: &ObjectId) -> Ask;

    fn comparison(&self, at: &str, older: &ObjectId, newer: &ObjectId) -> Ask;
    fn read_comparison(&self, answer: &OutboundAnswer) -> Option<Comparison>;

    fn refusal(&self, answer: &OutboundAnswer, now: Timestamp) -> Refusal;

    /// Returns the remaining rate limit that a response states.
    fn room(&self, answer: &OutboundAnswer) -> Option<ForgeRoom>;

    /// The media type of JSON responses.
    fn json(&self) -> &'static str;
    /// The part of the API that concerns reviews.
    fn reviews(&self) -> &'static dyn ReviewDialect;
}
