//! The parts of operations memory, and its registration in the kernel.

use std::sync::Arc;

use loci_engine::hooks::{Product, ProfileFile};

use crate::capture::KNOWLEDGE;
use crate::hooks::Hooks;
use crate::jobs;
use crate::settings::SreSettingsByMemory;

/// The profile of operations memories.
const PROFILE_FILE: ProfileFile = ProfileFile { name: "sre.toml", text: include_str!("sre.toml") };
/// The prompt section of the profile for worker agents.
const AGENT_PROMPT: &str = include_str!("agent_prompt.md");

/// The parts of operations memory: its settings.
#[derive(Debug, Clone, Default)]
pub struct OperationsParts {
    pub(crate) settings: Arc<SreSettingsByMemory>,
}

impl OperationsParts {
    /// Returns the parts with these settings.
    pub fn new(settings: SreSettingsByMemory) -> Self {
        Self { settings: Arc::new(settings) }
    }

    /// Returns the extensions of the kernel.
    pub fn product(&self) -> Product {
        let hooks = Arc::new(Hooks { parts: self.clone() });
        Product {
            name: "operations",
            records: Some(hooks.clone()),
            admission: Some(hooks.clone()),
            events: Some(hooks.clone()),
            access: Some(hooks.clone()),
            profiles: Some(hooks),
            profile_files: vec![PROFILE_FILE],
            agent_prompts: vec![("sre", AGENT_PROMPT)],
            jobs: vec![
                Arc::new(jobs::alert::AlertHook { parts: self.clone() }),
                Arc::new(jobs::agent_response::AgentResponse { parts: self.clone() }),
                Arc::new(jobs::session_summary::SessionSummary { parts: self.clone() }),
            ],
            prompts: vec![&KNOWLEDGE],
            ..Product::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    /// Records refer to their prompt: the text of a released version must not change.
    #[test]
    fn released_words_stay() {
        let id = KNOWLEDGE.id(None).unwrap();
        let digest = hex::encode(Sha256::digest(KNOWLEDGE.text));
        assert_eq!((id.as_str(), &digest[..16]), ("sre.knowledge@1", "df3e7e9bb4605392"));
    }

    #[test]
    fn the_profile_holds() {
        let profile = loci_engine::memories::profiles::parse(PROFILE_FILE.text).unwrap();
        assert_eq!((profile.name.as_str(), profile.strategies.len()), ("sre", 3));
        assert!(!profile.description.is_empty());
    }

    #[test]
    fn the_example_is_one_that_is_kept() {
        let json = AGENT_PROMPT.split("```json").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let block: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(block["infrastructure_knowledge"][0]["knowledge_type"], "baseline");
        for word in ["dependency", "baseline", "config", "pattern", "passwords"] {
            assert!(AGENT_PROMPT.contains(word), "{word}");
        }
    }
}
