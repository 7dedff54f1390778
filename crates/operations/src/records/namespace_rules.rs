//! Namespaces of operations memory: the one mapping from a type, an actor and a session to a
//! namespace.

use loci_engine::access::segment;
use loci_model::memory::Memory;
use loci_model::memory::strategy::Strategy;
use loci_model::record::RecordState;
use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, Error, Namespace, NamespaceFilter, NamespaceMatch, Result, SessionId, Timestamp};

use crate::settings::SreSettings;

/// The session of preferences, which belong to no conversation.
pub(crate) const PREFERENCES_SESSION: &str = "preferences-default";

/// The session of knowledge that is saved outside any investigation.
pub const KNOWLEDGE_SESSION: &str = "knowledge-default";

/// Returns the actor of a record in the spelling of events and namespaces.
pub(crate) fn actor(kind: SreType, id: &str, settings: &SreSettings) -> Result<ActorId> {
    if id.is_empty() {
        return Err(Error::invalid("actor_id", "actor_id is required"));
    }
    let id = match kind {
        SreType::Infrastructure => settings.known_as(id),
        SreType::Preferences | SreType::Investigations => id,
    };
    let long = || {
        Error::invalid(
            "actor_id",
            "actor_id is too long once written for a path: use fewer signs beside letters and digits",
        )
    };
    ActorId::parse(segment::encode(id, "actor_id")?).map_err(|_| long())
}

/// Returns the session of a record. All preferences share one session.
pub(crate) fn session(kind: SreType, id: Option<&str>) -> Result<SessionId> {
    let id = match (kind, id.filter(|id| !id.is_empty())) {
        (SreType::Preferences, _) => PREFERENCES_SESSION,
        (_, Some(id)) => id,
        (_, None) => {
            return Err(Error::invalid(
                "session_id",
                format!("session_id is required for {}", kind.as_str()),
            ));
        }
    };
    let long = || {
        let rule = "session_id has more than 100 characters once written for a path: use fewer signs beside letters and digits";
        Error::invalid("session_id", rule)
    };
    SessionId::parse(segment::encode(id, "session_id")?).map_err(|_| long())
}

/// Returns the strategy of a type.
pub(crate) fn strategy(memory: &Memory, kind: SreType) -> Result<&Strategy> {
    let name = kind.strategy_name();
    memory.strategies.iter().find(|strategy| strategy.name == name).ok_or_else(|| {
        let remedy = format!("PUT /v1/memories/{} with the profile sre adds it", memory.name);
        Error::conflict(format!("the memory {} has no strategy {name}: {remedy}", memory.name))
            .on("memory_type")
    })
}

/// Returns the namespace of an actor's session.
pub(crate) fn namespace(strategy: &Strategy, actor: &ActorId, session: &SessionId) -> Result<Namespace> {
    strategy.template.render(&|variable| match variable {
        "actorId" => Some(actor.to_string()),
        "sessionId" => Some(session.to_string()),
        "memoryStrategyId" | "strategyId" => Some(strategy.id.to_string()),
        _ => None,
    })
}

/// Returns the parent namespace of an actor's sessions.
pub(crate) fn node(strategy: &Strategy, actor: &ActorId) -> Result<Namespace> {
    let up_to_actor = strategy.template.cut_after("actorId").unwrap_or_else(|| strategy.template.clone());
    up_to_actor.render(&|variable| match variable {
        "actorId" => Some(actor.to_string()),
        "memoryStrategyId" | "strategyId" => Some(strategy.id.to_string()),
        _ => None,
    })
}

/// Returns the scope of active records of a type: all of them, or those of one actor in any
/// session.
pub(crate) fn scope(
    memory: &Memory,
    kind: SreType,
    actor: Option<&ActorId>,
    now: Timestamp,
) -> Result<RecordScope> {
    let strategy = strategy(memory, kind)?;
    let namespaces = match actor {
        None => Vec::new(),
        Some(actor) => vec![NamespaceFilter::new(&node(strategy, actor)?, NamespaceMatch::Subtree)],
    };
    Ok(RecordScope {
        namespaces,
        strategy: Some(StrategyChoice::Of(strategy.id.clone())),
        states: vec![RecordState::Active],
        ..RecordScope::whole(memory.id.clone(), now)
    })
}
