//! Hooks on profiles: the profiles that a product ships, and their adjustment to the server's
//! settings.

use loci_model::memory::Memory;
use loci_model::{Error, Namespace, Result};

use super::Products;
use crate::memories::profiles::{Profile, parse};

/// The file of a memory profile that a product ships.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileFile {
    /// The name of the file, for error messages.
    pub name: &'static str,
    /// The contents of the file, in TOML.
    pub text: &'static str,
}

/// The profile hooks of a product.
pub trait ProfileHooks: Send + Sync {
    /// Changes a profile according to the server's settings for the memory with the name
    /// `memory`.
    ///
    /// # Errors
    /// `Invalid` for a setting that breaks a rule.
    fn configure(&self, _profile: &mut Profile, _memory: &str) -> Result<()> {
        Ok(())
    }

    /// Returns a second name under which the records of a namespace can also be found; `None` if
    /// there is none.
    fn other_name(&self, _memory: &Memory, _namespace: &Namespace) -> Option<Namespace> {
        None
    }
}

impl Products {
    fn profiles(&self) -> impl Iterator<Item = &dyn ProfileHooks> {
        self.0.iter().filter_map(|product| product.profiles.as_deref())
    }

    /// Parses the profiles that products ship.
    fn read_profiles(&self) -> impl Iterator<Item = Result<Profile>> {
        let files =
            self.0.iter().flat_map(|product| product.profile_files.iter().map(|file| (product.name, file)));
        let read = |(product, file): (&'static str, &ProfileFile)| {
            parse(file.text).map_err(|error| {
                let (file, rule) = (file.name, &error.message);
                Error::bug(format!("the file {file} of the product {product} is no profile: {rule}"))
            })
        };
        files.map(read)
    }

    /// Returns the profiles that products ship, without files that [`Self::check`] reports as
    /// invalid.
    pub(crate) fn shipped_profiles(&self) -> Vec<Profile> {
        self.read_profiles().filter_map(Result::ok).collect()
    }

    /// Checks that every profile file of a product is valid.
    ///
    /// # Errors
    /// A bug, naming the product and the file.
    pub(super) fn check_profiles(&self) -> Result<()> {
        self.read_profiles().try_for_each(|read| read.map(drop))
    }

    /// Returns the text that the prompts of worker agents include for a profile; `None` if the
    /// profile has no worker agents.
    pub(crate) fn agent_prompt(&self, profile: &str) -> Option<&'static str> {
        let mut prompts = self.0.iter().flat_map(|product| &product.agent_prompts);
        prompts.find(|(name, _)| *name == profile).map(|(_, prompt)| *prompt)
    }

    /// Changes a profile according to the server's settings for the memory with the name
    /// `memory`, by the hooks of all products.
    ///
    /// # Errors
    /// As [`ProfileHooks::configure`].
    pub(crate) fn configure(&self, profile: &mut Profile, memory: &str) -> Result<()> {
        self.profiles().try_for_each(|hooks| hooks.configure(profile, memory))
    }

    /// Returns a second name under which the records of a namespace can also be found; `None` if
    /// no product has one.
    pub(crate) fn other_name(&self, memory: &Memory, namespace: &Namespace) -> Option<Namespace> {
        self.profiles().find_map(|hooks| hooks.other_name(memory, namespace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::Product;

    #[test]
    fn a_file_that_is_no_profile_is_named_with_its_product() {
        let good = ProfileFile { name: "good.toml", text: "profile = \"good\"\nversion = 1" };
        let bad = ProfileFile { name: "bad.toml", text: "profile = \"bad\"\nversion = 0" };
        let products = |files: &[ProfileFile]| {
            Products::new(vec![Product {
                name: "notes",
                profile_files: files.to_vec(),
                ..Product::default()
            }])
        };
        let names: Vec<_> =
            products(&[bad, good]).shipped_profiles().into_iter().map(|profile| profile.name).collect();
        assert_eq!(names, ["good"]);
        let error = products(&[good, bad]).check().unwrap_err();
        products(&[good]).check().unwrap();
        let expect = "the file bad.toml of the product notes is no profile: version must be at least 1";
        assert_eq!(error.message.to_string(), expect);
    }
}
