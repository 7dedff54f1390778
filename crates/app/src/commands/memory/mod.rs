//! `loci memory`: memories, their settings and tags.

pub(super) mod ensure;
mod recreate;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use clap::{Subcommand, ValueEnum};
use loci_api::coding::reflection::Reflect;
use loci_api::memory as shape;
use loci_api::profile::ProfileApply;
use serde_json::{Map, Value};

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::Confirmation;
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// The default retention of a memory's events, in days.
const EVENT_EXPIRY_DAYS: u32 = 90;

/// A kind of strategy that needs no further settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyKind {
    /// Turns of a conversation, verbatim
    Semantic,
    /// A summary of a session
    Summary,
    /// Preferences of a user
    UserPreference,
    /// Episodes of work, and their lessons
    Episodic,
}

/// Memories, their settings and tags
#[derive(Debug, Subcommand)]
pub(crate) enum Memory {
    /// Create a memory
    Create {
        /// Letters, digits and _
        name: String,
        /// The description
        #[arg(long)]
        description: Option<String>,
        /// The retention of events in days; 90 if neither this nor the profile specifies it
        #[arg(long)]
        event_expiry_days: Option<u32>,
        /// The profile with the settings and strategies: a name, or a file (a path with a dot or a
        /// slash in it)
        #[arg(long, conflicts_with = "strategies")]
        profile: Option<String>,
        /// A strategy that extracts records from events; repeatable
        #[arg(long = "strategy", value_name = "KIND", default_values = ["semantic"])]
        strategies: Vec<StrategyKind>,
        /// A tag KEY=VALUE; repeatable
        #[arg(long = "tag", value_name = "KEY=VALUE")]
        tags: Vec<String>,
    },
    /// Create a memory, or complete the one with this name; writes its id to .memory_id in this
    /// folder
    Ensure(ensure::Ensure),
    /// Destroy the content of a memory, and create it again under its name
    Recreate(recreate::Recreate),
    /// List memories, newest first
    List,
    /// Show a memory
    Get {
        /// The memory, by name or id
        memory: String,
    },
    /// Delete a memory with all its content
    Delete {
        /// The memory, by name or id
        memory: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
    /// Show or change the settings that the wire does not have
    Settings {
        /// The memory, by name or id
        memory: String,
        /// The settings to change, as a JSON object; absent members stay as they are
        #[arg(long, value_name = "JSON")]
        set: Option<String>,
    },
    /// Reflect on the newest episodes of a strategy
    Reflect {
        /// The memory, by name or id
        memory: String,
        /// The strategy, by name or id
        strategy: String,
        /// The number of newest episodes
        #[arg(long, default_value_t = 50)]
        window: u32,
        /// The namespace of the reflections, under which the episodes are
        #[arg(long)]
        namespace: Option<String>,
    },
    /// Show, add and remove tags
    Tags {
        /// The memory, by name or id
        memory: String,
        /// Add or replace KEY=VALUE; repeatable
        #[arg(long, value_name = "KEY=VALUE")]
        add: Vec<String>,
        /// Remove this key; repeatable
        #[arg(long, value_name = "KEY")]
        remove: Vec<String>,
    },
}

impl Memory {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        match self {
            Self::Create { name, description, event_expiry_days, profile, strategies, tags } => {
                let profile = profile.map(|profile| super::profile::asked(&profile, false)).transpose()?;
                let strategies = if profile.is_some() { Vec::new() } else { strategies };
                let new = shape::MemoryCreate {
                    name,
                    description,
                    event_expiry_days: Some(event_expiry_days.unwrap_or(EVENT_EXPIRY_DAYS)),
                    strategies: strategies.into_iter().map(strategy).collect(),
                    indexed_keys: Vec::new(),
                    namespace_keys: Vec::new(),
                    tags: pairs(&tags)?,
                    settings: None,
                };
                let mut made = session.client.memory_create(&new).await?;
                if let Some(profile) = profile {
                    made = furnish(&session, &made.id, &profile, event_expiry_days).await.with_context(|| {
                        let (name, id) = (&made.name, &made.id);
                        format!(
                            "the memory {name} ({id}) was made, but is not as the profile says: apply it with \
                             `loci profile apply --memory {name}`, or delete the memory"
                        )
                    })?;
                }
                output::result(session.json, &made, |made| output::line(&made.id))?;
            }
            Self::Ensure(ensure) => ensure.run(&session).await?,
            Self::Recreate(recreate) => recreate.run(&session).await?,
            Self::List => list(&session).await?,
            Self::Get { memory } => {
                let memory = session.memory_named(&memory).await?;
                output::details(session.json, &session.client.memory_get(&memory).await?)?;
            }
            Self::Delete { memory, confirmation } => delete(&session, &memory, &confirmation).await?,
            Self::Settings { memory, set } => settings(&session, &memory, set).await?,
            Self::Reflect { memory, strategy, window, namespace } => {
                let asked = Reflect { window: Some(window), namespace };
                reflect(&session, &memory, strategy, &asked).await?;
            }
            Self::Tags { memory, add, remove } => {
                let memory = session.memory_named(&memory).await?;
                if !add.is_empty() {
                    session.client.tags_add(&memory, &shape::Tags { tags: pairs(&add)? }).await?;
                }
                if !remove.is_empty() {
                    session.client.tags_remove(&memory, &shape::TagKeys { keys: remove }).await?;
                }
                output::details(session.json, &session.client.tags_list(&memory).await?.tags)?;
            }
        }
        session.end().await
    }
}

/// Deletes a memory with all its content.
async fn delete(session: &Session, named: &str, confirmation: &Confirmation) -> Result<()> {
    let memory = session.memory_named(named).await?;
    let name = session.client.memory_get(&memory).await?.name;
    let effect = format!("delete the memory {name} with its events and records");
    if !confirmation.is_given(session.json, &effect, &name)? {
        return Ok(());
    }
    let nothing = session.client.memory_delete(&memory).await?;
    output::result(session.json, &nothing, |_| output::line(format!("deleted {memory}")))
}

/// Prints the settings of a memory, or changes the named ones. The API replaces all settings, so
/// the others are read first.
async fn settings(session: &Session, memory: &str, set: Option<String>) -> Result<()> {
    let memory = session.memory_named(memory).await?;
    let shown = match set {
        None => session.client.memory_get(&memory).await?,
        Some(text) => {
            let bad = |error| Usage(format!("--set must be the settings as JSON: {error}"));
            // The strict reader first: it names unknown, duplicate and invalid members of this text.
            let _: shape::MemorySettings = loci_json::from_str(&text).map_err(bad)?;
            let named: Map<String, Value> = loci_json::from_str(&text).map_err(bad)?;
            let mut all = serde_json::to_value(session.client.memory_get(&memory).await?.settings)?;
            merge(&mut all, Value::Object(named));
            let settings = loci_json::from_str(&all.to_string()).map_err(bad)?;
            session.client.settings_put(&memory, &settings).await?
        }
    };
    output::details(session.json, &shown.settings)
}

/// Applies a change to a value as JSON Merge Patch (RFC 7396) does: objects merge member by member,
/// and `null` removes a member.
fn merge(value: &mut Value, change: Value) {
    let Value::Object(changes) = change else {
        *value = change;
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let Value::Object(members) = value else { return };
    for (name, change) in changes {
        match change {
            Value::Null => drop(members.remove(&name)),
            change => merge(members.entry(name).or_insert(Value::Null), change),
        }
    }
}

/// Applies a profile to a new memory, and then the explicit expiry. Returns the resulting memory.
async fn furnish(
    session: &Session,
    memory: &str,
    profile: &ProfileApply,
    event_expiry_days: Option<u32>,
) -> Result<shape::Memory> {
    session.client.profile_apply(memory, profile).await?;
    if event_expiry_days.is_some() {
        let change = shape::MemoryUpdate { event_expiry_days, ..shape::MemoryUpdate::default() };
        return Ok(session.client.memory_update(memory, &change).await?);
    }
    Ok(session.client.memory_get(memory).await?)
}

/// Requests a reflection. A strategy that is not found by name is passed to the server as an id.
async fn reflect(session: &Session, memory: &str, named: String, asked: &Reflect) -> Result<()> {
    let memory = session.memory_named(memory).await?;
    let shown = session.client.memory_get(&memory).await?;
    let found = shown.strategies.into_iter().find(|strategy| strategy.name == named);
    let strategy = found.map_or(named, |strategy| strategy.id);
    let asked = session.client.strategy_reflect(&memory, &strategy, asked).await?;
    output::result(session.json, &asked, |asked| output::line(&asked.job))
}

async fn list(session: &Session) -> Result<()> {
    let mut listing = shape::MemoryListing::default();
    let mut memories = Vec::new();
    loop {
        let page = session.client.memory_list(&listing).await?;
        memories.extend(page.memories);
        listing.cursor = page.next_cursor;
        if listing.cursor.is_none() {
            break;
        }
    }
    output::result(session.json, &shape::MemoryList { memories, next_cursor: None }, |list| {
        let mut rows = Vec::new();
        for memory in &list.memories {
            let names: Vec<_> = memory.strategies.iter().map(|strategy| strategy.name.as_str()).collect();
            rows.push(vec![
                memory.id.clone(),
                memory.name.clone(),
                names.join(" "),
                memory.created_at.clone(),
            ]);
        }
        let empty = "No memories: `loci memory create NAME` creates one.";
        output::list(&["ID", "NAME", "STRATEGIES", "CREATED"], rows, empty);
    })
}

/// Returns a strategy named after its kind, with the namespace that the demo and the guides use.
pub(crate) fn strategy(kind: StrategyKind) -> shape::StrategyCreate {
    let (kind, name, namespace) = match kind {
        StrategyKind::Semantic => (shape::StrategyKind::Semantic, "semantic", "/facts/{actorId}/"),
        StrategyKind::Summary => {
            (shape::StrategyKind::Summary, "summary", "/summaries/{actorId}/{sessionId}/")
        }
        StrategyKind::UserPreference => {
            (shape::StrategyKind::UserPreference, "preference", "/preferences/{actorId}/")
        }
        StrategyKind::Episodic => {
            (shape::StrategyKind::Episodic, "episodic", "/episodes/{actorId}/{sessionId}/")
        }
    };
    shape::StrategyCreate {
        kind,
        name: name.to_owned(),
        description: None,
        namespace: Some(namespace.to_owned()),
        reflection_namespace: None,
        metadata: Vec::new(),
        record_expiry_days: None,
    }
}

fn pairs(texts: &[String]) -> Result<BTreeMap<String, String>> {
    let pair = |text: &String| {
        let (key, value) =
            text.split_once('=').ok_or_else(|| Usage(format!("a tag must be KEY=VALUE, not {text}")))?;
        Ok((key.to_owned(), value.to_owned()))
    };
    texts.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_keeps_the_members_that_it_does_not_name() {
        let check = |value: Value, change: Value, expect: Value| {
            let mut merged = value;
            merge(&mut merged, change);
            assert_eq!(merged, expect);
        };
        let safety = json!({"safety": {"secrets": "mask", "injection": "quarantine"}, "rerank": true});
        check(
            safety.clone(),
            json!({"safety": {"secrets": "off"}}),
            json!({"safety": {"secrets": "off", "injection": "quarantine"}, "rerank": true}),
        );
        check(safety.clone(), json!({"safety": null}), json!({"rerank": true}));
        check(
            safety,
            json!({"safety": 1, "new": {"a": null, "b": [1]}}),
            json!({"safety": 1, "rerank": true, "new": {"b": [1]}}),
        );
    }
}
