//! `[safety]`: checks and masking of texts before they are stored, unless a memory has its own
//! settings.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use loci_engine::safety::Patterns;
use loci_model::limits;
use loci_model::memory::settings::{InjectionMode, SecretsMode};
use serde::{Deserialize, Serialize};

use crate::input::file_text;

/// `[safety]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SafetySection {
    /// The treatment of secrets in messages and in the texts of records: `off` or `mask`.
    pub secrets: SecretsMode,
    /// The treatment of injected instructions in new memories: `off`, `flag` or `quarantine`.
    pub injection: InjectionMode,
    /// The absolute path of a pattern file that replaces the shipped one.
    pub patterns: Option<PathBuf>,
}

impl SafetySection {
    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        match &self.patterns {
            Some(path) if !path.is_absolute() => {
                bail!("safety.patterns must be an absolute path, not {}", path.display())
            }
            Some(path) => read(path).map(drop),
            None => Ok(()),
        }
    }

    /// Returns the patterns of the file, which stay for the life of the process.
    pub(super) fn patterns(&self) -> Result<Option<&'static Patterns>> {
        let read = self.patterns.as_deref().map(read).transpose()?;
        Ok(read.map(|patterns| &*Box::leak(Box::new(patterns))))
    }
}

fn read(path: &Path) -> Result<Patterns> {
    let text = file_text(path).with_context(|| format!("safety.patterns: reading {}", path.display()))?;
    if text.len() > limits::PATTERNS_BYTES_MAX {
        bail!("safety.patterns: {} is larger than {} bytes", path.display(), limits::PATTERNS_BYTES_MAX);
    }
    Patterns::parse(&text).map_err(|error| {
        let field = error.field.as_deref().unwrap_or("the file");
        anyhow!("safety.patterns: {}: {field}: {}", path.display(), error.message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.toml");
        let section = SafetySection { patterns: Some(path.clone()), ..SafetySection::default() };
        let fails = |part: &str| {
            let error = format!("{:#}", section.check().unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        fails("reading");
        std::fs::write(&path, "form = 1\nversion = 7\n[[pattern]]\nreason = \"r\"\nweight = 2\nwords = [\"a\"]\nany = [\"a\"]\n").unwrap();
        fails("pattern[0].weight");
        std::fs::write(&path, "form = 1\nversion = 7\n[[pattern]]\nreason = \"r\"\nweight = 1\nwords = [\"a\"]\nany = [\"a\"]\n").unwrap();
        section.check().unwrap();
        assert_eq!(section.patterns().unwrap().unwrap().version(), 7);
        let relative = SafetySection { patterns: Some("own.toml".into()), ..SafetySection::default() };
        assert!(relative.check().unwrap_err().to_string().contains("absolute"));
    }
}
