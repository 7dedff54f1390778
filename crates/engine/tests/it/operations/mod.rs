//! The memory of operations agents on the embedded store: each test writes, reopens the store and
//! reads.

mod agent_responses;
mod alerts;
mod arguments;
mod completion;
mod conversation;
mod declared_preferences;
mod diagnostics;
mod ensure;
mod evidence;
mod findings;
mod idempotency;
mod import;
mod incident_names;
mod infrastructure;
mod investigation_start;
mod investigations;
mod outcomes;
mod own_records;
mod preference_isolation;
mod preferences;
mod private_records;
mod prose;
mod retrieval;
mod safety;
mod session_summary;
mod transaction_counts;
mod wire;

use std::collections::BTreeSet;

use loci_engine::EngineSettings;
use loci_engine::memories::profiles::MemoryEnsure;
use loci_engine::records::NamespaceAsk;
use loci_engine::retrieval::SearchRequest;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ActorId, Result};
use loci_operations::{SreAction, SrePreferences, SreSave, SreSaved};
use serde_json::Value;

use super::fixture::World;

/// Name of the profile's memory.
const NAME: &str = "sre_agent_memory";

fn ensured(update: bool) -> MemoryEnsure {
    let profile = Some("sre".to_owned());
    MemoryEnsure { name: NAME.to_owned(), profile, update, ..MemoryEnsure::default() }
}

/// Returns a world with a memory of the profile.
fn world() -> World {
    let mut world = World::with(&[]);
    world.memory = world.drive(world.engine.memory_ensure(&world.caller, ensured(false))).unwrap().memory;
    world
}

fn reopened(world: World) -> World {
    world.reopened(EngineSettings::default(), |_| {})
}

/// Returns a key for the data of one actor.
fn of_actor(name: &str, actor: &str) -> Principal {
    let actor = Some(ActorId::parse(actor).unwrap());
    let capabilities = BTreeSet::from([Capability::Read, Capability::Write]);
    Principal { name: name.to_owned(), grants: vec![Grant { actor, capabilities, ..Grant::everything() }] }
}

/// Returns a key of a team member, who may read and write the whole memory without administration.
fn of_team(name: &str) -> Principal {
    let capabilities = BTreeSet::from([Capability::Read, Capability::Write]);
    Principal { name: name.to_owned(), grants: vec![Grant { capabilities, ..Grant::everything() }] }
}

/// Returns the single key of an agent that works for every user.
fn of_every_user(name: &str) -> Principal {
    let mut key = of_team(name);
    key.grants[0].capabilities.insert(Capability::Impersonate);
    key
}

/// Returns a search request for some namespaces.
fn searching(world: &World, query: &str, namespaces: Vec<NamespaceAsk>) -> SearchRequest {
    SearchRequest {
        memory: world.memory.id.clone(),
        query: query.to_owned(),
        namespaces,
        strategy: None,
        metadata: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        citing: None,
        as_of: None,
        top_k: 10,
        fold: false,
        budget_tokens: None,
        relevance_min: None,
        explain: false,
        lists: None,
        include_system: false,
    }
}

/// A statement with its caller.
struct CallerStatement<'a> {
    by: &'a Principal,
    source: SreSource,
    kind: SreType,
    actor: &'a str,
    session: Option<&'a str>,
}

impl CallerStatement<'_> {
    fn save(&self, world: &World, data: Value) -> Result<SreSaved> {
        world.clock.advance_ms(1_000);
        let asked = SreSave {
            memory: world.memory.id.clone(),
            kind: self.kind,
            actor: self.actor.to_owned(),
            session: self.session.map(str::to_owned),
            data,
            source: self.source,
        };
        world.drive(world.engine.operations.sre_save(self.by, asked))
    }

    /// Returns the result of each record.
    fn actions(&self, world: &World, data: Value) -> Vec<SreAction> {
        self.save(world, data).unwrap().records.into_iter().map(|kept| kept.action).collect()
    }
}

fn preferences(world: &World, user: &str) -> std::collections::BTreeMap<String, SrePreferences> {
    world.drive(world.engine.operations.sre_preferences(&world.caller, &world.memory.id, user)).unwrap()
}

/// Returns the active records as JSON, oldest first.
fn known(world: &World) -> Vec<Value> {
    world.active().iter().map(stored).collect()
}

fn superseded(world: &World) -> Vec<Value> {
    world.records(&[RecordState::Superseded]).iter().map(stored).collect()
}

/// Returns the text of a record, which is always JSON.
fn stored(record: &Record) -> Value {
    serde_json::from_str(&record.text).unwrap()
}
