//! Hooks on profiles: profiles that a product ships, and what the server's settings change of them.

use loci_model::memory::Memory;
use loci_model::{Namespace, Result};

use super::Products;
use crate::memories::profiles::{Profile, shipped};

/// The part of a product in profiles of memories.
pub trait ProfileHooks: Send + Sync {
    /// Sets what the server's settings say of a profile for the memory of that name.
    ///
    /// # Errors
    /// `Invalid` for a setting that breaks a rule.
    fn configure(&self, _profile: &mut Profile, _memory: &str) -> Result<()> {
        Ok(())
    }

    /// Returns the other name of a namespace, in a memory that knows one; `None` where it is the
    /// same.
    fn other_name(&self, _memory: &Memory, _namespace: &Namespace) -> Option<Namespace> {
        None
    }
}

impl Products {
    fn profiles(&self) -> impl Iterator<Item = &dyn ProfileHooks> {
        self.0.iter().filter_map(|product| product.profiles.as_deref())
    }

    /// Returns the profiles that products ship.
    pub(crate) fn shipped_profiles(&self) -> Vec<Profile> {
        self.0.iter().flat_map(|product| &product.profile_files).map(|file| shipped::read(file)).collect()
    }

    /// Returns the part of the prompt of a profile's worker agents.
    pub(crate) fn agent_prompt(&self, profile: &str) -> Option<&'static str> {
        let mut prompts = self.0.iter().flat_map(|product| &product.agent_prompts);
        prompts.find(|(name, _)| *name == profile).map(|(_, prompt)| *prompt)
    }

    /// Sets what the server's settings say of a profile for the memory of that name.
    ///
    /// # Errors
    /// As [`ProfileHooks::configure`].
    pub(crate) fn configure(&self, profile: &mut Profile, memory: &str) -> Result<()> {
        self.profiles().try_for_each(|hooks| hooks.configure(profile, memory))
    }

    /// Returns the other name of a namespace.
    pub(crate) fn other_name(&self, memory: &Memory, namespace: &Namespace) -> Option<Namespace> {
        self.profiles().find_map(|hooks| hooks.other_name(memory, namespace))
    }
}
