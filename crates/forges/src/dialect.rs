//! What a forge's API is asked and how its answers are read. Pure: nothing here sends, waits or remembers.

use http::{HeaderName, HeaderValue};
use loci_model::Timestamp;
use loci_model::facts::code::{ObjectId, Rename};
use loci_model::ports::forge::ForgeRoom;
use loci_outbound::request::Answer;
use loci_outbound::secret::Secret;

use crate::listing::Listing;
use crate::review_dialect::ReviewDialect;

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// Path and query below the API's address, every part encoded, without a slash in front.
    pub(crate) path: String,
    /// The form that is wanted.
    pub(crate) accept: &'static str,
}

/// Two revisions side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The first is the second or one of its ancestors.
    pub(crate) is_ancestor: bool,
    /// Files that have another path in the second.
    pub(crate) renames: Vec<Rename>,
    /// There may be more: the forge names no further files.
    pub(crate) is_cut: bool,
}

/// Who a repository is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) id: u64,
    pub(crate) path: String,
    pub(crate) default_branch: Option<String>,
    /// Number and path of the repository it was forked from.
    pub(crate) parent: Option<(u64, String)>,
}

/// What a refusal means beyond its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Too many requests: again after so many milliseconds, where the forge says.
    Rate(Option<u64>),
    /// The object is larger than the forge gives out.
    TooLarge,
    /// What its status says.
    Other,
}

/// A forge's API. `at` is a path as [`Dialect::locate`] gives it. What cannot be read as the API's answer is `None`.
pub(crate) trait Dialect: Send + Sync {
    /// The address of a host's API where the configuration names none.
    fn api(&self, host: &str) -> String;
    /// Headers of every request. `None` where the token or the version holds characters no header takes.
    fn headers(
        &self,
        token: Option<&Secret>,
        version: Option<&str>,
    ) -> Option<Vec<(HeaderName, HeaderValue)>>;
    /// Where a repository is; `None` where its path is none of this forge.
    fn locate(&self, path: &str) -> Option<String>;

    fn repository(&self, at: &str) -> Ask;
    fn read_repository(&self, answer: &Answer) -> Option<Facts>;

    /// The commit a name stands for; `None` for what no name is.
    fn tip(&self, at: &str, name: &str) -> Option<Ask>;
    fn read_tip(&self, answer: &Answer) -> Option<ObjectId>;

    /// A tree by its own id or by a commit's; all that is below it, or its own entries.
    fn tree(&self, at: &str, id: &ObjectId, is_deep: bool) -> Ask;
    fn read_tree(&self, answer: &Answer) -> Option<Listing>;

    /// The content of a blob, which is the answer's body.
    fn blob(&self, at: &str, id: &ObjectId) -> Ask;

    fn comparison(&self, at: &str, older: &ObjectId, newer: &ObjectId) -> Ask;
    fn read_comparison(&self, answer: &Answer) -> Option<Comparison>;

    fn refusal(&self, answer: &Answer, now: Timestamp) -> Refusal;

    /// What is left of the limit, as an answer tells.
    fn room(&self, answer: &Answer) -> Option<ForgeRoom>;

    /// The form of answers that are JSON.
    fn json(&self) -> &'static str;
    /// The part about reviews.
    fn reviews(&self) -> &'static dyn ReviewDialect;
}
