//! `profile_apply`: applies the settings and strategies of a profile to a memory. Strategies are
//! matched by name: missing ones are added, different ones are changed, others are kept. A second
//! application changes nothing.

use loci_api::profile::{ProfileApplied, ProfileChange};
use loci_model::memory::Memory;
use loci_model::memory::index_key::NamespaceKey;
use loci_model::memory::settings::MemorySettings;
use loci_model::memory::strategy::{Reflection, StepOverride, Strategy, StrategyBase};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, MemoryId, Result, Timestamp};

use super::file::Profile;
use super::template_change::{self, MovedRecordCounts};
use crate::memories::strategy_input::{self, Surroundings};
use crate::memories::{self, NewStrategy, existing};
use crate::{Engine, access};

/// Returns true if the profile changes the memory.
fn differs(applied: &ProfileApplied) -> bool {
    !applied.added.is_empty() || !applied.changed.is_empty()
}

/// A memory to which a profile is applied, and the changes so far.
pub(super) struct ProfileTarget {
    pub(super) memory: Memory,
    pub(super) applied: ProfileApplied,
}

impl Engine {
    /// Applies a profile to a memory, or only reports the changes that it would make.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `Conflict` if a strategy of the same name is
    /// of another kind; `Invalid` for a profile that does not fit the memory; `TooLarge` if too
    /// many records would move.
    pub async fn profile_apply(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        profile: &Profile,
        dry_run: bool,
    ) -> Result<ProfileApplied> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let (engine, id, profile, now) = (self.clone(), memory.clone(), profile.clone(), self.clock.now());
        if dry_run {
            return self
                .store
                .read(move |tx| {
                    let old = existing(tx, &id)?;
                    let mut target = engine.target(&old, &profile, now)?;
                    for (from, to) in pairs(&old, &target.memory) {
                        let moved = template_change::moves(tx, &old, from, to)?.moved;
                        count(&mut target.applied, moved);
                    }
                    target.applied.dry_run = true;
                    Ok(target.applied)
                })
                .await;
        }
        self.store
            .write(move |tx| {
                let old = existing(tx, &id)?;
                let mut target = engine.target(&old, &profile, now)?;
                if differs(&target.applied) {
                    for (from, to) in pairs(&old, &target.memory) {
                        let moved = template_change::migrate_namespaces(tx, &target.memory, from, to, now)?;
                        count(&mut target.applied, moved);
                    }
                    tx.memories_mut().update(&target.memory)?;
                }
                Ok(target.applied)
            })
            .await
    }

    pub(super) fn target(&self, old: &Memory, profile: &Profile, now: Timestamp) -> Result<ProfileTarget> {
        let mut memory = old.clone();
        let mut applied = ProfileApplied {
            profile: profile.name.clone(),
            version: profile.version,
            ..ProfileApplied::default()
        };
        memory_members(&mut memory, profile, &mut applied.changed)?;
        let around = Surroundings {
            settings: &self.settings,
            ids: self.ids.as_ref(),
            indexed_keys: &memory.indexed_keys.clone(),
            namespace_keys: &memory.namespace_keys.clone(),
            now,
        };
        for wanted in &profile.strategies {
            let built = strategy_input::build(wanted, &around)?;
            match memory.strategies.iter_mut().find(|strategy| strategy.name == wanted.name) {
                None => {
                    applied.added.push(wanted.name.clone());
                    memory.strategies.push(built);
                }
                Some(there) => change_strategy(there, built, wanted, &mut applied.changed, now)?,
            }
        }
        let unknown =
            |strategy: &&Strategy| profile.strategies.iter().all(|wanted| wanted.name != strategy.name);
        applied.kept = old.strategies.iter().filter(unknown).map(|strategy| strategy.name.clone()).collect();
        if differs(&applied) {
            memory.updated_at = now;
        }
        memories::check_whole(&memory)?;
        memories::check_settings(&memory.settings)?;
        Ok(ProfileTarget { memory, applied })
    }
}

/// Returns the strategies that the memory had before, each in its form before and after the
/// change.
pub(super) fn pairs<'a>(
    old: &'a Memory,
    new: &'a Memory,
) -> impl Iterator<Item = (&'a Strategy, &'a Strategy)> {
    old.strategies.iter().filter_map(|from| Some((from, new.strategy(&from.id)?)))
}

pub(super) fn count(applied: &mut ProfileApplied, moved: MovedRecordCounts) {
    applied.moved_records += moved.moved;
    applied.unmoved_records += moved.unmoved;
}

/// Applies the profile's settings, retention of events and metadata keys to a memory.
fn memory_members(memory: &mut Memory, profile: &Profile, changes: &mut Vec<ProfileChange>) -> Result<()> {
    let before = memory.settings.clone();
    set(&mut memory.settings, profile);
    changes.extend(settings_changes(&before, &memory.settings));
    if let Some(days) = profile.event_expiry_days {
        memories::check_event_expiry(days)?;
        note(
            changes,
            None,
            "event_expiry_days",
            Some(memory.event_expiry_days.to_string()),
            Some(days.to_string()),
        );
        memory.event_expiry_days = days;
    }
    for key in &profile.namespace_keys {
        match memory.namespace_keys.iter_mut().find(|there| there.key == key.key) {
            Some(there) if there == key => {}
            Some(there) => {
                let json = |key: &NamespaceKey| serde_json::to_string(key).ok();
                note(changes, None, "namespace_key", json(there), json(key));
                *there = key.clone();
            }
            None => {
                note(changes, None, "namespace_key", None, Some(key.key.clone()));
                memory.namespace_keys.push(key.clone());
            }
        }
    }
    memories::check_variables(&memory.namespace_keys)?;
    let there = memory.indexed_keys.len();
    memories::add_indexed_keys(&mut memory.indexed_keys, &profile.indexed_keys)?;
    for key in memory.indexed_keys.iter().skip(there) {
        note(changes, None, "indexed_key", None, Some(key.key.clone()));
    }
    Ok(())
}

/// Sets the settings that the profile specifies; the others stay unchanged.
pub(crate) fn set(settings: &mut MemorySettings, profile: &Profile) {
    let asked = &profile.settings;
    settings.profile = Some(profile.name.clone());
    settings.namespace_match = asked.namespace_match.unwrap_or(settings.namespace_match);
    settings.read_your_writes = asked.read_your_writes.unwrap_or(settings.read_your_writes);
    settings.safety.secrets = asked.secrets.or(settings.safety.secrets);
    settings.safety.injection = asked.injection.unwrap_or(settings.safety.injection);
    let window = &mut settings.window;
    window.messages = asked.messages.unwrap_or(window.messages);
    window.tokens = asked.tokens.unwrap_or(window.tokens);
    window.idle_ms = asked.idle_ms.unwrap_or(window.idle_ms);
    window.context_messages = asked.context_messages.unwrap_or(window.context_messages);
    let consolidation = &mut settings.consolidation;
    consolidation.reflect_every = asked.reflect_every.unwrap_or(consolidation.reflect_every);
    consolidation.reflect_min_episodes =
        asked.reflect_min_episodes.unwrap_or(consolidation.reflect_min_episodes);
}

/// Returns the settings that differ, by the names of their stored form.
fn settings_changes(before: &MemorySettings, after: &MemorySettings) -> Vec<ProfileChange> {
    let members = |settings| match serde_json::to_value(settings) {
        Ok(serde_json::Value::Object(members)) => members,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let (before, after) = (members(before), members(after));
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let shown = |value: Option<&serde_json::Value>| {
        value.filter(|value| !value.is_null()).map(|value| match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        })
    };
    let mut changes = Vec::new();
    for name in names {
        note(
            &mut changes,
            None,
            &format!("settings.{name}"),
            shown(before.get(name)),
            shown(after.get(name)),
        );
    }
    changes
}

/// Changes an existing strategy to the form in the profile; its id and creation time stay.
fn change_strategy(
    there: &mut Strategy,
    wanted: Strategy,
    asked: &NewStrategy,
    changes: &mut Vec<ProfileChange>,
    now: Timestamp,
) -> Result<()> {
    if there.base != wanted.base {
        let message = format!(
            "the memory has a strategy {} of another kind: give the profile's another name, or delete the memory's",
            there.name
        );
        return Err(Error::conflict(message).on("strategy.kind"));
    }
    let before = changes.len();
    let name = Some(there.name.as_str());
    let text = |value: &dyn ToString| Some(value.to_string());
    note(changes, name, "namespace", text(&there.template), text(&wanted.template));
    there.template = wanted.template;
    if asked.reflection.is_some() {
        change_reflection(&there.name, &mut there.reflection, wanted.reflection, changes);
    } else if there.base == StrategyBase::Episodic {
        // The default follows the template, which may have changed.
        let default = strategy_input::reflection(there.base, None, &there.template)?;
        let fits = there.reflection.as_ref().is_some_and(|part| part.template.is_prefix_of(&there.template));
        if !fits {
            change_reflection(&there.name, &mut there.reflection, default, changes);
        }
    }
    let days = |days: Option<u32>| days.map(|days| days.to_string());
    note(changes, name, "ttl_days", days(there.record_expiry_days), days(wanted.record_expiry_days));
    there.record_expiry_days = wanted.record_expiry_days;
    if asked.description.is_some() {
        note(changes, name, "description", there.description.clone(), wanted.description.clone());
        there.description = wanted.description;
    }
    let json = |value: &Option<Vec<loci_model::record::metadata::MetadataSchemaEntry>>| {
        value.as_ref().and_then(|schema| serde_json::to_string(schema).ok())
    };
    note(changes, name, "metadata", json(&there.schema), json(&wanted.schema));
    there.schema = wanted.schema;
    change_custom(there, asked, changes)?;
    if changes.len() > before {
        there.updated_at = now;
    }
    Ok(())
}

/// Changes the namespace of reflections; a profile does not change their metadata and their prompt.
fn change_reflection(
    strategy: &str,
    there: &mut Option<Reflection>,
    wanted: Option<Reflection>,
    changes: &mut Vec<ProfileChange>,
) {
    let place = |part: Option<&Reflection>| part.map(|part| part.template.to_string());
    let (from, to) = (place(there.as_ref()), place(wanted.as_ref()));
    note(changes, Some(strategy), "reflection_namespace", from, to);
    match (there, wanted) {
        (Some(part), Some(wanted)) => part.template = wanted.template,
        (there, wanted) => *there = wanted,
    }
}

/// Changes the members of a custom configuration that the profile specifies: the instructions and
/// their model, or the target of notifications.
fn change_custom(there: &mut Strategy, asked: &NewStrategy, changes: &mut Vec<ProfileChange>) -> Result<()> {
    let name = there.name.clone();
    let mut change = |member: &str, to: &str, place: &mut String| {
        if !to.is_empty() && to != place.as_str() {
            let from = (!place.is_empty()).then(|| place.clone());
            note(changes, Some(&name), member, from, Some(to.to_owned()));
            to.clone_into(place);
        }
    };
    let Some(custom) = &asked.custom else { return Ok(()) };
    if let Some(wanted) = &custom.self_managed {
        let own = strategy_input::self_managed(there)?;
        change("topic", &wanted.topic_arn, &mut own.topic_arn);
        change("bucket", &wanted.payload_bucket, &mut own.payload_bucket);
    }
    if let Some(wanted) = &custom.extraction {
        let empty = || StepOverride { append_to_prompt: String::new(), model_id: String::new() };
        let steps = there.custom.get_or_insert_default();
        let step = steps.extraction.get_or_insert_with(empty);
        change("instructions", &wanted.append_to_prompt, &mut step.append_to_prompt);
        change("model_id", &wanted.model_id, &mut step.model_id);
    }
    Ok(())
}

fn note(
    changes: &mut Vec<ProfileChange>,
    strategy: Option<&str>,
    member: &str,
    from: Option<String>,
    to: Option<String>,
) {
    if from != to {
        let strategy = strategy.map(str::to_owned);
        changes.push(ProfileChange { strategy, member: member.to_owned(), from, to });
    }
}
