//! Initial settings of a new memory: the defaults, then its profile, then its tags `loci:<name>`.

use std::collections::BTreeMap;

use loci_model::memory::Memory;
use loci_model::memory::settings::{EventLimits, MemorySettings, NamespaceReading, TextDates};
use loci_model::memory::strategy::Strategy;
use loci_model::{Error, Result, namespace};

use super::NewStrategy;
use crate::hooks::Products;
use crate::memories::profiles::{self, Profile};
use crate::settings::EngineSettings;

/// The tag whose value is the name of the memory's profile.
const TAG: &str = "loci:profile";
const TAG_FIELD: &str = "tags.loci:profile";

/// Returns the settings of a new memory: the defaults, changed by the profile and then by tags
/// named `loci:<name>`.
pub(crate) fn initial_settings(
    engine: &EngineSettings,
    name: &str,
    tags: &BTreeMap<String, String>,
    strategies: &[Strategy],
) -> Result<MemorySettings> {
    let mut settings = engine.memory_defaults.clone();
    if let Some(profile) = find_profile(engine, name, tags, strategies)? {
        profiles::set(&mut settings, profile);
    }
    apply_tags(&mut settings, tags)?;
    Ok(settings)
}

/// Returns new settings for a memory to which strategies were added, if their namespace templates
/// match a profile. The settings are those of a memory created with these strategies. `None` if
/// the memory already has a profile or settings of its own.
pub(crate) fn recognised(
    engine: &EngineSettings,
    memory: &Memory,
    added: &[Strategy],
) -> Result<Option<MemorySettings>> {
    let plain = initial_settings(engine, &memory.name, &memory.tags, &[])?;
    if memory.settings.profile.is_some() || memory.settings != plain {
        return Ok(None);
    }
    let found = initial_settings(engine, &memory.name, &memory.tags, added)?;
    Ok(found.profile.is_some().then_some(found))
}

/// Sets the expiry of records on new strategies that have none, from the memory's profile. The
/// profile's strategy with the same template, or else the same name, provides the number of days.
///
/// # Errors
/// `Invalid` for a configured namespace that breaks a rule.
pub(super) fn add_retention(
    (engine, products): (&EngineSettings, &Products),
    memory: &str,
    settings: &MemorySettings,
    added: &mut [Strategy],
) -> Result<()> {
    let wanted = settings.profile.as_deref();
    // A profile that this server no longer has sets no retention: the memory is served anyway.
    let Some(profile) = profiles::all(engine).find(|one| Some(one.name.as_str()) == wanted) else {
        return Ok(());
    };
    let mut profile = profile.clone();
    products.configure(&mut profile, memory)?;
    for strategy in added.iter_mut().filter(|one| one.record_expiry_days.is_none()) {
        let place = namespace::normal(strategy.template.as_str());
        let is_same_place = |one: &&NewStrategy| {
            one.template.as_ref().is_some_and(|template| namespace::normal(template.as_str()) == place)
        };
        let is_same_name = |one: &&NewStrategy| one.name == strategy.name;
        let all = &profile.strategies;
        let like = all.iter().find(is_same_place).or_else(|| all.iter().find(is_same_name));
        strategy.record_expiry_days = like.and_then(|one| one.record_expiry_days);
    }
    Ok(())
}

fn find_profile<'a>(
    engine: &'a EngineSettings,
    name: &str,
    tags: &BTreeMap<String, String>,
    strategies: &[Strategy],
) -> Result<Option<&'a Profile>> {
    let configured =
        engine.memory_matches.iter().find(|entry| entry.name == name).map(|entry| &entry.profile);
    match tags.get(TAG).or(configured) {
        Some(wanted) => profiles::named(engine, wanted, TAG_FIELD).map(Some),
        None => Ok(profiles::known_by(engine, strategies)),
    }
}

fn apply_tags(settings: &mut MemorySettings, tags: &BTreeMap<String, String>) -> Result<()> {
    for (tag, value) in
        tags.iter().filter_map(|(tag, value)| Some((tag.strip_prefix("loci:")?, value.as_str())))
    {
        match (tag, value) {
            ("profile", _) => {}
            ("namespace_match", "exact") => settings.namespace_match = NamespaceReading::Exact,
            ("namespace_match", "segment_prefix") => {
                settings.namespace_match = NamespaceReading::SegmentPrefix
            }
            ("event_limits", "lenient") => settings.event_limits = EventLimits::Lenient,
            ("event_limits", "strict") => settings.event_limits = EventLimits::Strict,
            ("text_dates", "none") => settings.text_dates = TextDates::None,
            ("text_dates", "suffix") => settings.text_dates = TextDates::Suffix,
            ("read_your_writes", "true") => settings.read_your_writes = true,
            ("read_your_writes", "false") => settings.read_your_writes = false,
            ("main_branch_marker", "true") => settings.main_branch_marker = true,
            ("main_branch_marker", "false") => settings.main_branch_marker = false,
            _ => {
                let rule = "loci: tags are profile, namespace_match=exact|segment_prefix, event_limits=lenient|strict, \
                            text_dates=none|suffix, read_your_writes=true|false, main_branch_marker=true|false";
                return Err(Error::invalid(format!("tags.loci:{tag}"), rule));
            }
        }
    }
    Ok(())
}

/// Applies changed tags named `loci:<name>` to a memory's settings. A changed profile tag resets
/// the settings to the profile, and the other tags override it.
pub(crate) fn retagged(
    engine: &EngineSettings,
    settings: &MemorySettings,
    tags: &BTreeMap<String, String>,
) -> Result<MemorySettings> {
    let mut changed = settings.clone();
    if let Some(wanted) = tags.get(TAG) {
        profiles::set(&mut changed, profiles::named(engine, wanted, TAG_FIELD)?);
    }
    apply_tags(&mut changed, tags)?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn tags_win_over_profiles_and_defaults() {
        let own =
            profiles::parse("profile = \"by-segments\"\nversion = 1\nnamespace_match = \"segment_prefix\"");
        let engine = EngineSettings { profiles: vec![own.unwrap()], ..EngineSettings::default() };
        let settings = |pairs: &[(&str, &str)]| initial_settings(&engine, "notes", &tags(pairs), &[]);
        assert_eq!(settings(&[]).unwrap(), MemorySettings::default());
        let profiled = settings(&[("loci:profile", "by-segments")]).unwrap();
        assert_eq!(profiled.namespace_match, NamespaceReading::SegmentPrefix);
        let both = settings(&[("loci:profile", "by-segments"), ("loci:namespace_match", "exact")]).unwrap();
        assert_eq!(both.namespace_match, NamespaceReading::Exact);
        assert!(settings(&[("loci:read_your_writes", "true")]).unwrap().read_your_writes);
        assert!(settings(&[("loci:read_your_writes", "on")]).is_err());
        assert!(settings(&[("loci:profile", "none-such")]).is_err());
        assert!(settings(&[("loci:text_dates", "loud")]).is_err());
        assert_eq!(settings(&[("team", "a")]).unwrap(), MemorySettings::default());
    }
}
