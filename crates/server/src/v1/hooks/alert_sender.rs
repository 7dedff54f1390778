//! A sender of alerts: its memory, its secrets, and the reader of its bodies.

use std::sync::Arc;

use loci_model::ports::alerts::AlertReader;
use loci_model::services::alert_notice::AlertSource;

use super::HookKeys;

/// A sender of alerts.
#[derive(Clone)]
pub struct AlertHook {
    /// The alerting system.
    pub source: AlertSource,
    /// The name in the numbers of its deliveries. It does not depend on the position in the
    /// configuration.
    pub sender: String,
    /// The memory that it may send to, by name or id; `None` for any.
    pub memory: Option<String>,
    /// The secrets: one, or several during a rotation.
    pub keys: HookKeys,
    /// The header with the secret, for senders that cannot sign.
    pub header: Option<String>,
    /// The reader of its bodies.
    pub reader: Arc<dyn AlertReader>,
}

impl std::fmt::Debug for AlertHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("AlertHook");
        shown.field("source", &self.source).field("memory", &self.memory).field("keys", &self.keys);
        shown.finish_non_exhaustive()
    }
}
