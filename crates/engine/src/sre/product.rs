//! The product value: what operations memory adds to the kernel.

use std::sync::Arc;

use super::capture::KNOWLEDGE;
use super::hooks::Hooks;
use super::jobs;
use crate::hooks::Product;
use crate::sre::SreSettingsByMemory;

/// Returns what operations memory adds to the kernel.
pub(crate) fn product(settings: &SreSettingsByMemory) -> Product {
    let hooks = Arc::new(Hooks { settings: settings.clone() });
    Product {
        name: "operations",
        records: Some(hooks.clone()),
        admission: Some(hooks.clone()),
        events: Some(hooks.clone()),
        access: Some(hooks.clone()),
        profiles: Some(hooks),
        jobs: vec![
            Arc::new(jobs::alert::AlertHook),
            Arc::new(jobs::agent_response::AgentResponse),
            Arc::new(jobs::session_summary::SessionSummary),
        ],
        prompts: vec![&KNOWLEDGE],
        ..Product::default()
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    /// Records name their prompt: what a version says may not change.
    #[test]
    fn released_words_stay() {
        let id = KNOWLEDGE.id(None).unwrap();
        let digest = hex::encode(Sha256::digest(KNOWLEDGE.text));
        assert_eq!((id.as_str(), &digest[..16]), ("sre.knowledge@1", "df3e7e9bb4605392"));
    }
}
