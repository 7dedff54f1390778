//! Settings of mirrors.

/// Settings of mirrors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorSettings {
    /// The name of this instance, which the e-mail addresses in commits contain: letters, digits,
    /// dots and dashes.
    pub instance: String,
    /// The time without events after which a conversation counts as ended, in milliseconds.
    pub session_idle_ms: i64,
}

impl Default for MirrorSettings {
    fn default() -> Self {
        Self { instance: "loci.local".to_owned(), session_idle_ms: 1_800_000 }
    }
}
