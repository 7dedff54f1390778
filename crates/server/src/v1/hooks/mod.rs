//! Hooks: what other services send here, each by a file of its own. A body is read by whoever knows its sender, and only behind its
//! signature (`signature`); it is stored, answered, and dealt with later.
//!
//! | file | idea |
//! |---|---|
//! | `signature` | keyed digests and secrets |
//! | `alert_sender` | one alerting system |
//!
//! The operations are their product's: `coding/github_hook`, `operations/alert_hook`.
//!
//! To add a sender: a file in the folder of its product, with its scheme of signatures and its headers; a member of [`Hooks`]; a line in
//! the product's `operations`. To add an alerting system: a reader in `loci-alerts`, its scheme in `operations/alert_proof`, a line in
//! `operations/alert_hook`.

mod alert_sender;
pub(in crate::v1) mod signature;

use std::sync::Arc;

use loci_model::Result;
use loci_model::json::reserved_names;
use loci_model::ports::forge::NoticeReader;

pub use alert_sender::AlertHook;
pub use signature::HookKeys;

/// Who may send, by sender.
#[derive(Clone, Default)]
pub struct Hooks {
    /// GitHub.
    pub github: Hook,
    /// Alerting systems: each may stand several times.
    pub alerts: Vec<AlertHook>,
}

/// One sender.
#[derive(Clone, Default)]
pub struct Hook {
    /// Secrets that its signatures are made with; none: it may not send.
    pub keys: HookKeys,
    /// Reads its bodies.
    pub reader: Option<Arc<dyn NoticeReader>>,
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hooks").field("github", &self.github.keys).field("alerts", &self.alerts).finish()
    }
}

/// Refuses a proven body with a member that our JSON library would read as something else than it says.
/// What is no text is no JSON either, which its reader says.
///
/// # Errors
/// `Invalid`, naming the rule.
pub(super) fn check_names(body: &[u8]) -> Result<()> {
    std::str::from_utf8(body).map_or(Ok(()), reserved_names::refuse)
}
