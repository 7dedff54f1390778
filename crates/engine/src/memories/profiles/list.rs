//! `profile_list`, `profile_get`: show the available profiles. They contain no content of memories,
//! so every caller may see them.

use loci_model::{Error, Result};

use super::file::Profile;
use super::shipped_profiles;
use crate::Engine;

impl Engine {
    /// Returns the text that the prompts of worker agents include for a profile; `None` if the
    /// profile has no worker agents.
    pub fn agent_prompt(&self, profile: &str) -> Option<&'static str> {
        self.products.agent_prompt(profile)
    }

    /// Returns every profile: first those of the server's configuration, then the shipped ones
    /// whose names the configuration does not use.
    pub fn profile_list(&self) -> Vec<&Profile> {
        shipped_profiles::all(&self.settings).collect()
    }

    /// Returns the profile with this name.
    ///
    /// # Errors
    /// `NotFound`, with the names of the available profiles.
    pub fn profile_get(&self, name: &str) -> Result<&Profile> {
        shipped_profiles::named(&self.settings, name, "profile")
            .map_err(|error| Error::not_found(error.message))
    }
}
