//! Which settings a new memory starts with: defaults, then its profile, then its tags `loci:<name>` (architecture §7).

use std::collections::BTreeMap;

use loci_model::settings::{EventLimits, MemorySettings, NamespaceReading, TextDates};
use loci_model::strategy::Strategy;
use loci_model::{Error, Result, namespace};

use crate::settings::EngineSettings;

/// A shipped profile, as far as this engine reads it: how namespaces are read, and the templates it is known by.
struct ShippedProfile {
    name: &'static str,
    reading: NamespaceReading,
    templates: &'static [&'static str],
}

/// The shipped profiles. Templates are those of the designs whose unmodified clients create such memories.
const SHIPPED: &[ShippedProfile] = &[
    ShippedProfile { name: "assistant", reading: NamespaceReading::Exact, templates: &[] },
    ShippedProfile {
        name: "coding",
        reading: NamespaceReading::SegmentPrefix,
        templates: &["/{actorId}/knowledge/", "/{actorId}/episodes/{sessionId}/"],
    },
    ShippedProfile {
        name: "sre",
        reading: NamespaceReading::SegmentPrefix,
        templates: &[
            "/sre/users/{actorId}/preferences",
            "/sre/infrastructure/{actorId}/{sessionId}",
            "/sre/investigations/{actorId}/{sessionId}",
        ],
    },
];

/// The settings of a new memory.
pub(crate) fn initial_settings(
    engine: &EngineSettings,
    name: &str,
    tags: &BTreeMap<String, String>,
    strategies: &[Strategy],
) -> Result<MemorySettings> {
    let mut settings = engine.memory_defaults.clone();
    if let Some(profile) = find_profile(engine, name, tags, strategies)? {
        settings.profile = Some(profile.name.to_owned());
        settings.namespace_match = profile.reading;
    }
    apply_tags(&mut settings, tags)?;
    Ok(settings)
}

fn find_profile(
    engine: &EngineSettings,
    name: &str,
    tags: &BTreeMap<String, String>,
    strategies: &[Strategy],
) -> Result<Option<&'static ShippedProfile>> {
    let configured =
        engine.memory_matches.iter().find(|entry| entry.name == name).map(|entry| &entry.profile);
    match tags.get("loci:profile").or(configured) {
        Some(wanted) => SHIPPED.iter().find(|profile| profile.name == wanted).map(Some).ok_or_else(|| {
            let known = SHIPPED.iter().map(|profile| profile.name).collect::<Vec<_>>().join(", ");
            Error::invalid("tags.loci:profile", format!("there is no such profile; take one of {known}"))
        }),
        None => Ok(SHIPPED.iter().find(|profile| has_a_template_of(profile, strategies))),
    }
}

fn has_a_template_of(profile: &ShippedProfile, strategies: &[Strategy]) -> bool {
    strategies.iter().any(|strategy| {
        let written = namespace::normal(strategy.template.as_str());
        profile.templates.iter().any(|template| namespace::normal(template) == written)
    })
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
            ("main_branch_marker", "true") => settings.main_branch_marker = true,
            ("main_branch_marker", "false") => settings.main_branch_marker = false,
            _ => {
                let rule = "loci: tags are profile, namespace_match=exact|segment_prefix, event_limits=lenient|strict, \
                            text_dates=none|suffix, main_branch_marker=true|false";
                return Err(Error::invalid(format!("tags.loci:{tag}"), rule));
            }
        }
    }
    Ok(())
}

/// Applies the `loci:` tags of a change to a memory's settings.
pub(crate) fn retagged(settings: &MemorySettings, tags: &BTreeMap<String, String>) -> Result<MemorySettings> {
    let mut changed = settings.clone();
    apply_tags(&mut changed, tags)?;
    if let Some(wanted) = tags.get("loci:profile") {
        let known = SHIPPED.iter().find(|profile| profile.name == wanted);
        let profile = known.ok_or_else(|| Error::invalid("tags.loci:profile", "there is no such profile"))?;
        changed.profile = Some(profile.name.to_owned());
        if !tags.contains_key("loci:namespace_match") {
            changed.namespace_match = profile.reading;
        }
    }
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
        let engine = EngineSettings::default();
        let settings = |pairs: &[(&str, &str)]| initial_settings(&engine, "notes", &tags(pairs), &[]);
        assert_eq!(settings(&[]).unwrap(), MemorySettings::default());
        let coding = settings(&[("loci:profile", "coding")]).unwrap();
        assert_eq!(coding.namespace_match, NamespaceReading::SegmentPrefix);
        let both = settings(&[("loci:profile", "coding"), ("loci:namespace_match", "exact")]).unwrap();
        assert_eq!(both.namespace_match, NamespaceReading::Exact);
        assert!(settings(&[("loci:profile", "none-such")]).is_err());
        assert!(settings(&[("loci:text_dates", "loud")]).is_err());
        assert_eq!(settings(&[("team", "a")]).unwrap(), MemorySettings::default());
    }
}
