//! `profile_list`, `profile_get`: what profiles there are. They hold no content of memories: every caller may see them.

use loci_model::{Error, Result};

use super::file::Profile;
use super::shipped;
use crate::Engine;

impl Engine {
    /// Returns the part of the prompt of a profile's worker agents; `None` where it has no such
    /// agents.
    pub fn agent_prompt(&self, profile: &str) -> Option<&'static str> {
        self.products.agent_prompt(profile)
    }

    /// Every profile: the server's own first, then the shipped ones that it does not replace.
    pub fn profile_list(&self) -> Vec<&Profile> {
        shipped::all(&self.settings).collect()
    }

    /// One profile.
    ///
    /// # Errors
    /// `NotFound`, naming the profiles there are.
    pub fn profile_get(&self, name: &str) -> Result<&Profile> {
        shipped::named(&self.settings, name, "profile").map_err(|error| Error::not_found(error.message))
    }
}
