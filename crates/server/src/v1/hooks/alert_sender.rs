//! A sender of alerts: its memory, its secrets, and the reader of its bodies.

use std::sync::Arc;

use loci_model::ports::alerts::AlertReader;
use loci_model::services::alert_notice::AlertSource;

use super::HookKeys;

/// A sender of alerts.
#[derive(Clone)]
pub struct AlertHook {
    /// The kind of the alerting system, which determines the form of its requests.
    pub source: AlertSource,
    /// The name of the sender, which the ids of its deliveries contain. It does not depend on the
    /// position of the sender in the configuration.
    pub sender: String,
    /// The memory that it may send to, by name or id; `None` for any.
    pub memory: Option<String>,
    /// The secrets of the sender: one, or several while they are being changed.
    pub keys: HookKeys,
    /// The name of the header that contains the secret, for senders that cannot sign requests.
    pub header: Option<String>,
    /// The reader that parses the request bodies of the sender.
    pub reader: Arc<dyn AlertReader>,
}

impl std::fmt::Debug for AlertHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("AlertHook");
        shown.field("source", &self.source).field("memory", &self.memory).field("keys", &self.keys);
        shown.finish_non_exhaustive()
    }
}
