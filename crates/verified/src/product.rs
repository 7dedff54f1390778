//! The parts of verified memory, and its additions to the kernel.

use std::sync::Arc;

use loci_engine::hooks::{Product, ProfileFile};

use crate::hooks::Hooks;
use crate::jobs;
use crate::repository_hooks::RepositoryHooks;
use crate::settings::VerifiedSettings;
use crate::sweep::FactSweep;
use crate::verification::verdict_cache::VerdictCache;
use crate::verification::verdicts::LINE_CACHE_BYTES;
use crate::verifier::LineCache;

/// The profile of memories for code, whose facts cite it.
const PROFILE_FILE: ProfileFile = ProfileFile { name: "coding.toml", text: include_str!("coding.toml") };

/// The parts of verified memory: its settings, the repository hooks of other products, and this
/// process's caches of code and verdicts.
#[derive(Clone)]
pub struct VerifiedParts {
    pub(crate) settings: Arc<VerifiedSettings>,
    pub(crate) repositories: Vec<Arc<dyn RepositoryHooks>>,
    pub(crate) line_cache: Arc<LineCache>,
    pub(crate) verdict_cache: Arc<VerdictCache>,
}

impl VerifiedParts {
    /// Returns the parts with these settings and hooks.
    pub fn new(settings: VerifiedSettings, repositories: Vec<Arc<dyn RepositoryHooks>>) -> Self {
        Self {
            settings: Arc::new(settings),
            repositories,
            line_cache: Arc::new(LineCache::new(LINE_CACHE_BYTES)),
            verdict_cache: Arc::default(),
        }
    }

    /// Returns the additions of verified memory to the kernel.
    pub fn product(&self) -> Product {
        Product {
            name: "verified",
            records: Some(Arc::new(Hooks)),
            profile_files: vec![PROFILE_FILE],
            jobs: vec![
                Arc::new(jobs::cite::Cite { parts: self.clone() }),
                Arc::new(jobs::verify::Verify { parts: self.clone() }),
            ],
            sweeps: vec![Arc::new(FactSweep { parts: self.clone() })],
            ..Product::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use loci_engine::memories::profiles::parse;

    use super::*;

    #[test]
    fn the_profile_holds() {
        let profile = parse(PROFILE_FILE.text).unwrap();
        assert_eq!(profile.name, "coding");
        assert!(!profile.strategies.is_empty() && !profile.description.is_empty());
    }
}
