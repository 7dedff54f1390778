//! Hooks: messages that other services send to this server, each with its own file. A body is
//! parsed only after its signature is verified (`signature`), by the reader of its sender. It is
//! stored and acknowledged, and processed later.
//!
//! | file | idea |
//! |---|---|
//! | `signature` | keyed digests and secrets |
//! | `alert_sender` | one alerting system |
//!
//! The operations belong to their products: `coding/github_hook`, `operations/alert_hook`.
//!
//! To add a sender: a file in the folder of its product, with its signature scheme and its headers;
//! a member of [`Hooks`]; a line in the product's `operations`. To add an alerting system: a reader
//! in `loci-alerts`, its scheme in `operations/alert_proof`, a line in `operations/alert_hook`.

mod alert_sender;
pub(in crate::v1) mod signature;

use std::sync::Arc;

use loci_model::Result;
use loci_model::json::reserved_names;
use loci_model::ports::forge::NoticeReader;

pub use alert_sender::AlertHook;
pub use signature::HookKeys;

/// The senders of hooks.
#[derive(Clone, Default)]
pub struct Hooks {
    /// The settings for webhooks of GitHub.
    pub github: Hook,
    /// Alerting systems. Each may occur several times.
    pub alerts: Vec<AlertHook>,
}

/// The settings for the webhooks of one sender.
#[derive(Clone, Default)]
pub struct Hook {
    /// The secrets with which the sender signs; empty if the sender may not send.
    pub keys: HookKeys,
    /// The reader that parses the request bodies of the sender.
    pub reader: Option<Arc<dyn NoticeReader>>,
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hooks").field("github", &self.github.keys).field("alerts", &self.alerts).finish()
    }
}

/// Rejects an authenticated body with a member that the JSON library would misread. A body that is
/// not text is not JSON either; the reader reports that.
///
/// # Errors
/// `Invalid`, naming the rule.
pub(super) fn check_names(body: &[u8]) -> Result<()> {
    std::str::from_utf8(body).map_or(Ok(()), reserved_names::refuse)
}
