//! `[safety]`: what happens to texts before they are stored, where a memory says nothing of its own.

use std::path::PathBuf;

use anyhow::{Result, bail};
use loci_model::settings::{InjectionMode, SecretsMode};
use serde::{Deserialize, Serialize};

/// `[safety]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SafetySection {
    /// Secrets in the texts of records: `off` or `mask`.
    pub secrets: SecretsMode,
    /// Instructions to the reader: `off`, `flag` or `quarantine`.
    pub injection: InjectionMode,
    /// A file of patterns in place of the shipped one.
    pub patterns: Option<PathBuf>,
}

impl SafetySection {
    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if self.injection != InjectionMode::default() || self.patterns.is_some() {
            bail!(
                "this version does not look for instructions: leave safety.injection and safety.patterns out"
            );
        }
        Ok(())
    }
}
