//! The engine's use of [`loci_safety`]: texts are checked for secrets, hidden characters and
//! injections before or inside a write.

mod prewrite_checks;
mod safe_store;

pub use loci_safety::*;

pub(crate) use prewrite_checks::MaskedPayload;
pub(crate) use safe_store::SafeStore;

use crate::settings::EngineSettings;

impl ServerSafety for EngineSettings {
    fn redaction(&self) -> RedactionMode {
        self.redaction
    }

    fn patterns(&self) -> Option<&'static Patterns> {
        self.patterns
    }
}
