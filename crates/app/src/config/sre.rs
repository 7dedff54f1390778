//! `[sre]`: what operations agents find.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use loci_engine::sre::{SreSettings, SreSynonyms};
use loci_model::limits;
use serde::{Deserialize, Serialize};

/// `[sre]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SreSection {
    /// An absolute path: a table of synonyms in place of the shipped one.
    pub synonyms: Option<PathBuf>,
    /// The time zone of users who prefer none, by its IANA name; absent: UTC.
    pub default_timezone: Option<String>,
}

impl SreSection {
    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        let settings = SreSettings { default_timezone: self.default_timezone.clone(), synonyms: None };
        settings.check().map_err(|error| anyhow!("sre.default_timezone: {}", error.message))?;
        match &self.synonyms {
            Some(path) if !path.is_absolute() => {
                bail!("sre.synonyms must be an absolute path, not {}", path.display())
            }
            Some(path) => read(path).map(drop),
            None => Ok(()),
        }
    }

    /// The settings; the table is kept for the life of the process.
    pub(super) fn settings(&self) -> Result<SreSettings> {
        let read = self.synonyms.as_deref().map(read).transpose()?;
        let synonyms = read.map(|table| &*Box::leak(Box::new(table)));
        Ok(SreSettings { synonyms, default_timezone: self.default_timezone.clone() })
    }
}

fn read(path: &Path) -> Result<SreSynonyms> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("sre.synonyms: reading {}", path.display()))?;
    if text.len() > limits::PATTERNS_BYTES_MAX {
        bail!("sre.synonyms: {} is larger than {} bytes", path.display(), limits::PATTERNS_BYTES_MAX);
    }
    SreSynonyms::parse(&text).map_err(|error| {
        let field = error.field.as_deref().unwrap_or("the file");
        anyhow!("sre.synonyms: {}: {field}: {}", path.display(), error.message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_ones_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.toml");
        let section = SreSection { synonyms: Some(path.clone()), ..SreSection::default() };
        let fails = |section: &SreSection, part: &str| {
            let error = format!("{:#}", section.check().unwrap_err());
            assert!(error.contains(part), "{error}");
        };
        fails(&section, "reading");
        std::fs::write(&path, "form = 2\nversion = 7\nfailing = []\n").unwrap();
        fails(&section, "form must be 1");
        std::fs::write(&path, "form = 1\nversion = 7\nfailing = []\n").unwrap();
        section.check().unwrap();
        assert_eq!(section.settings().unwrap().synonyms.unwrap().version(), 7);
        let relative = SreSection { synonyms: Some("own.toml".into()), ..SreSection::default() };
        fails(&relative, "absolute");
        let zone = SreSection { default_timezone: Some("Mars/Base".into()), ..SreSection::default() };
        fails(&zone, "sre.default_timezone");
    }
}
