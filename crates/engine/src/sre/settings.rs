//! What is configured of the memory of operations agents.

use loci_model::Result;

use super::synonyms::SreSynonyms;
use super::time_zone;

/// Settings of the memory of operations agents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreSettings {
    /// What operations people call one thing, in place of the shipped table; read once for the whole process.
    pub synonyms: Option<&'static SreSynonyms>,
    /// The IANA name of the time zone of users who prefer none; `None`: UTC.
    pub default_timezone: Option<String>,
}

impl SreSettings {
    /// What they must be.
    ///
    /// # Errors
    /// `Invalid` on `default_timezone`.
    pub fn check(&self) -> Result<()> {
        match &self.default_timezone {
            None => Ok(()),
            Some(name) => time_zone::zone(name, "default_timezone").map(drop),
        }
    }
}
