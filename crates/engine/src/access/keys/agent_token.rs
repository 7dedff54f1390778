//! Tokens of agents: whoever takes a task in is given one for the agent, which may do what agents
//! do, for that task and no other. A token is the task's name, sealed under the master key: nothing
//! is stored, every server of a store knows it, and a task that ended a day ago has none that
//! counts. What an agent may do is `access`'s matter and that of the verbs.
//!
//! The place of the preferences that a token opens is sealed with the name. A key that proves the
//! requester of a task later changes what later tokens open, and no token that was given before.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::tasks::task::Task;
use loci_model::{MemoryId, Namespace, Result, TaskId};

use super::Secret;
use crate::Engine;

/// How a token begins; secret scanners find it by that.
const PREFIX: &str = "loci_task_";
/// What is sealed begins so: nothing else that is sealed under the same key is a token.
const KIND: &str = "agent of a task 1";
/// The beginning of a sealed claim that ends in a place of preferences. Earlier versions sealed
/// none: their tokens open no preferences.
const KIND_WITH_PREFERENCES: &str = "agent of a task 2";
/// A task's agent may report so long behind its end: what waited in a spool comes late.
const DAYS_AFTER_END: u32 = 1;
/// More characters are no token.
const CHARS_MAX: usize = 2_000;

/// The claim that a token seals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentClaim {
    /// The memory of the task.
    pub memory: MemoryId,
    /// The task whose agent it is.
    pub task: TaskId,
    /// The place of the preferences that the agent is shown; `None`: nobody's.
    pub preferences: Option<Namespace>,
}

impl Engine {
    /// A token for the agent of a task. Each call makes another one, and all count.
    ///
    /// # Errors
    /// `Unavailable` where the master key cannot be read.
    pub async fn agent_token(&self, claim: &AgentClaim) -> Result<Secret> {
        self.ready_to_seal().await?;
        let (memory, task) = (claim.memory.as_str(), claim.task.as_str());
        let text = match &claim.preferences {
            None => [KIND, memory, task].join("\n"),
            Some(place) => [KIND_WITH_PREFERENCES, memory, task, place.as_str()].join("\n"),
        };
        Ok(Secret::new(format!("{PREFIX}{}", hex::encode(self.vault.seal(text.as_bytes())?))))
    }

    /// Returns the principal of an agent's token; `None` where it is none, or its task is over.
    pub(super) async fn agent_of(&self, token: &str) -> Result<Option<Principal>> {
        let Some(AgentClaim { memory, task: id, preferences }) = self.claimed(token) else { return Ok(None) };
        let task = self.store.read(move |tx| tx.tasks().get(&memory, &id)).await?;
        let now = self.clock.now();
        let counts = |task: &Task| task.completed_at.is_none_or(|end| now <= end.plus_days(DAYS_AFTER_END));
        Ok(task.filter(counts).map(|task| agent(&task, preferences)))
    }

    /// The claim of a token, if this server made it.
    fn claimed(&self, token: &str) -> Option<AgentClaim> {
        let sealed = token.strip_prefix(PREFIX).filter(|_| token.len() <= CHARS_MAX)?;
        // What does not open is a token that nobody knows, whatever the reason.
        let claim = String::from_utf8(self.vault.open(&hex::decode(sealed).ok()?).ok()?).ok()?;
        let mut parts = claim.split('\n');
        let (kind, memory, task, place) = (parts.next()?, parts.next()?, parts.next()?, parts.next());
        let expect = if place.is_some() { KIND_WITH_PREFERENCES } else { KIND };
        let is_one = kind == expect && parts.next().is_none();
        is_one.then_some(())?;
        let (memory, task) = (MemoryId::parse(memory).ok()?, TaskId::parse(task).ok()?);
        Some(AgentClaim { memory, task, preferences: place.map(Namespace::parse).transpose().ok()? })
    }
}

/// Whether a bearer token is one of these.
pub(super) fn is_agents(token: &str) -> bool {
    token.starts_with(PREFIX)
}

fn agent(task: &Task, preferences: Option<Namespace>) -> Principal {
    let acts = || Grant {
        memory: Some(task.memory.clone()),
        capabilities: [Capability::Agent].into(),
        ..Grant::everything()
    };
    let mut grants =
        vec![Grant { actor: Some(task.actor.clone()), session: Some(task.session.clone()), ..acts() }];
    grants.extend(preferences.map(|place| Grant { namespace: Some(place), ..acts() }));
    Principal { name: format!("agent of {}", task.id), grants }
}
