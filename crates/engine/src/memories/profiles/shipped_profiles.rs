//! The profiles that ship with this version, and the lookup of a profile: by its name, or by the
//! namespace templates of a memory that an AgentCore client creates.

use std::sync::LazyLock;

use loci_model::memory::strategy::Strategy;
use loci_model::{Error, Result, namespace};

use super::file::{Profile, parse};
use crate::settings::EngineSettings;

static SHIPPED: LazyLock<[Profile; 1]> = LazyLock::new(|| [include_str!("assistant.toml")].map(read));

#[expect(clippy::expect_used, reason = "the kernel's files are parsed by the tests of this file")]
fn read(text: &str) -> Profile {
    parse(text).expect("a profile of the kernel")
}

/// Returns the profiles that the kernel ships; products ship others.
pub(crate) fn shipped() -> &'static [Profile] {
    &*SHIPPED
}

/// Returns every profile of a server: first those of its configuration, then the shipped ones
/// whose names the configuration does not use.
pub(crate) fn all(settings: &EngineSettings) -> impl Iterator<Item = &Profile> {
    let replaced = |name: &str| settings.profiles.iter().any(|own| own.name == name);
    let shipped = shipped().iter().chain(&settings.product_profiles);
    settings.profiles.iter().chain(shipped.filter(move |profile| !replaced(&profile.name)))
}

/// Returns the profile with this name.
///
/// # Errors
/// `Invalid` on `field`, with the names of the available profiles.
pub(crate) fn named<'a>(settings: &'a EngineSettings, name: &str, field: &str) -> Result<&'a Profile> {
    all(settings).find(|profile| profile.name == name).ok_or_else(|| {
        let known = all(settings).map(|profile| profile.name.as_str()).collect::<Vec<_>>().join(", ");
        Error::invalid(field, format!("there is no such profile; take one of {known}"))
    })
}

/// Returns the profile that lists the namespace template of one of the strategies; `None` if no
/// profile does.
pub(crate) fn known_by<'a>(settings: &'a EngineSettings, strategies: &[Strategy]) -> Option<&'a Profile> {
    all(settings).find(|profile| {
        strategies.iter().any(|strategy| {
            let written = namespace::normal(strategy.template.as_str());
            profile.known_by.iter().any(|template| namespace::normal(template.as_str()) == written)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_files_hold() {
        let names: Vec<_> = shipped().iter().map(|profile| profile.name.as_str()).collect();
        assert_eq!(names, ["assistant"]);
        for profile in shipped() {
            assert!(!profile.strategies.is_empty() && !profile.description.is_empty(), "{}", profile.name);
        }
    }

    #[test]
    fn a_servers_own_profile_takes_the_place_of_a_shipped_one() {
        let [own, other] =
            ["taken", "other"].map(|name| parse(&format!("profile = \"{name}\"\nversion = 9")).unwrap());
        let shipped = Profile { version: 1, ..own.clone() };
        let settings = EngineSettings {
            profiles: vec![own, other],
            product_profiles: vec![shipped],
            ..EngineSettings::default()
        };
        let found: Vec<_> = all(&settings).map(|profile| (profile.name.as_str(), profile.version)).collect();
        assert_eq!(found, [("taken", 9), ("other", 9), ("assistant", 1)]);
        assert!(named(&settings, "none-such", "f").unwrap_err().message.contains("taken, other, assistant"));
    }
}
