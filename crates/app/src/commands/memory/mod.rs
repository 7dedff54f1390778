//! `loci memory`: memories, their settings and tags.

pub(super) mod ensure;
mod recreate;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use clap::{Subcommand, ValueEnum};
use loci_api::coding::reflection::Reflect;
use loci_api::memory as shape;
use loci_api::profile::ProfileApply;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// Days until events vanish where nobody says it.
const EVENT_EXPIRY_DAYS: u32 = 90;

/// A strategy that needs no more than its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrategyKind {
    /// Turns of talk, verbatim
    Semantic,
    /// A session in short
    Summary,
    /// What someone prefers
    UserPreference,
    /// Pieces of work, and what they teach
    Episodic,
}

/// Memories, their settings and tags
#[derive(Debug, Subcommand)]
pub(crate) enum Memory {
    /// Make a memory
    Create {
        /// Letters, digits and _
        name: String,
        /// What it is for
        #[arg(long)]
        description: Option<String>,
        /// Days until events vanish; 90 where neither this nor the profile says it
        #[arg(long)]
        event_expiry_days: Option<u32>,
        /// Settings and strategies of this profile: a name, or a file (a path with a dot or a slash in it)
        #[arg(long, conflicts_with = "strategies")]
        profile: Option<String>,
        /// What it makes of events; may be repeated
        #[arg(long = "strategy", value_name = "KIND", default_values = ["semantic"])]
        strategies: Vec<StrategyKind>,
        /// A tag KEY=VALUE; may be repeated
        #[arg(long = "tag", value_name = "KEY=VALUE")]
        tags: Vec<String>,
    },
    /// Make a memory, or complete the one of that name; its id goes to .memory_id here
    Ensure(ensure::Ensure),
    /// Destroy all that a memory holds, and make it anew under its name
    Recreate(recreate::Recreate),
    /// List memories, newest first
    List,
    /// Show a memory
    Get {
        /// By name or id
        memory: String,
    },
    /// Delete a memory with all it holds
    Delete {
        /// By name or id
        memory: String,
        /// Really
        #[arg(long)]
        yes: bool,
    },
    /// Show the settings that the wire lacks, or replace them
    Settings {
        /// By name or id
        memory: String,
        /// The new settings as JSON; absent members get their defaults
        #[arg(long, value_name = "JSON")]
        set: Option<String>,
    },
    /// Ask what the newest episodes of a strategy teach
    Reflect {
        /// By name or id
        memory: String,
        /// The strategy, by name or id
        strategy: String,
        /// The newest so many episodes
        #[arg(long, default_value_t = 50)]
        window: u32,
        /// Where the reflections go, and under which the episodes are
        #[arg(long)]
        namespace: Option<String>,
    },
    /// Show tags, add some, take some off
    Tags {
        /// By name or id
        memory: String,
        /// Add or replace KEY=VALUE; may be repeated
        #[arg(long, value_name = "KEY=VALUE")]
        add: Vec<String>,
        /// Take this key off; may be repeated
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
                let memory = session.memory(&memory).await?;
                output::json(&session.client.memory_get(&memory).await?)?;
            }
            Self::Delete { memory, yes } => {
                if !yes {
                    let rule = "this erases the memory with its events and records: say --yes if you mean it";
                    return Err(Usage(rule.to_owned()).into());
                }
                let memory = session.memory(&memory).await?;
                let nothing = session.client.memory_delete(&memory).await?;
                output::result(session.json, &nothing, |_| output::line(format!("deleted {memory}")))?;
            }
            Self::Settings { memory, set } => settings(&session, &memory, set).await?,
            Self::Reflect { memory, strategy, window, namespace } => {
                let asked = Reflect { window: Some(window), namespace };
                reflect(&session, &memory, strategy, &asked).await?;
            }
            Self::Tags { memory, add, remove } => {
                let memory = session.memory(&memory).await?;
                if !add.is_empty() {
                    session.client.tags_add(&memory, &shape::Tags { tags: pairs(&add)? }).await?;
                }
                if !remove.is_empty() {
                    session.client.tags_remove(&memory, &shape::TagKeys { keys: remove }).await?;
                }
                output::json(&session.client.tags_list(&memory).await?.tags)?;
            }
        }
        session.end().await
    }
}

/// Shows the settings of a memory, or replaces them.
async fn settings(session: &Session, memory: &str, set: Option<String>) -> Result<()> {
    let memory = session.memory(memory).await?;
    let shown = match set {
        None => session.client.memory_get(&memory).await?,
        Some(text) => {
            let settings = loci_json::from_str(&text)
                .map_err(|error| Usage(format!("--set must be the settings as JSON: {error}")))?;
            session.client.settings_put(&memory, &settings).await?
        }
    };
    output::json(&shown.settings)
}

/// Gives a new memory a profile, and what was said beside it; the memory as it is then.
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

/// Asks for a reflection; a strategy that is none by name is one by id, for the server to find.
async fn reflect(session: &Session, memory: &str, named: String, asked: &Reflect) -> Result<()> {
    let memory = session.memory(memory).await?;
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
        let mut rows = vec![["ID", "NAME", "STRATEGIES", "CREATED"].map(str::to_owned).to_vec()];
        for memory in &list.memories {
            let names: Vec<_> = memory.strategies.iter().map(|strategy| strategy.name.as_str()).collect();
            rows.push(vec![
                memory.id.clone(),
                memory.name.clone(),
                names.join(" "),
                memory.created_at.clone(),
            ]);
        }
        output::table(&rows);
    })
}

/// A strategy under its kind's own name, with the namespace that the demo and the guides use.
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
