//! `[profiles]`: a folder of further profiles.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// `[profiles]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfilesSection {
    /// An absolute path; every `.toml` in it is a profile.
    pub dir: Option<PathBuf>,
}

impl ProfilesSection {
    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if self.dir.is_some() {
            bail!("this version has the shipped profiles alone: leave profiles.dir out");
        }
        Ok(())
    }
}
