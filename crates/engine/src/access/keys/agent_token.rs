//! Tokens of agents. A caller who starts a task receives a token that lets an agent work on that
//! task only. The token contains the name of the task, encrypted under the master key: nothing is
//! stored, and every server of the store can open it. It is valid until one day after the end of
//! the task.
//!
//! The token also seals the namespace of the preferences that it opens. If a key later proves the
//! requester of a task, only tokens issued afterwards open that user's preferences.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::tasks::task::Task;
use loci_model::{MemoryId, Namespace, Result, TaskId};

use super::Secret;
use crate::Engine;

/// The prefix of an agent token, by which secret scanners find it.
const PREFIX: &str = "loci_task_";
/// The first line of the encrypted text of a token. It distinguishes a token from other data that
/// is encrypted under the same key.
const KIND: &str = "agent of a task 1";
/// The first line of an encrypted text that ends with the namespace of preferences. Tokens of
/// earlier versions contain no namespace and therefore open no preferences.
const KIND_WITH_PREFERENCES: &str = "agent of a task 2";
/// The number of days after the end of a task in which its agent may still report, because
/// reports from the spool arrive late.
const DAYS_AFTER_END: u32 = 1;
/// The maximum length of a token, in bytes.
const CHARS_MAX: usize = 2_000;

/// The task and rights that an agent token proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentClaim {
    /// The memory of the task.
    pub memory: MemoryId,
    /// The task on which the agent works.
    pub task: TaskId,
    /// The namespace of the preferences that the agent may read; `None` if it may read none.
    pub preferences: Option<Namespace>,
}

impl Engine {
    /// Creates a token for the agent of a task. Each call returns a new token, and earlier ones
    /// stay valid.
    ///
    /// # Errors
    /// `Unavailable` if the master key cannot be read.
    pub async fn agent_token(&self, claim: &AgentClaim) -> Result<Secret> {
        self.ready_to_seal().await?;
        let (memory, task) = (claim.memory.as_str(), claim.task.as_str());
        let text = match &claim.preferences {
            None => [KIND, memory, task].join("\n"),
            Some(place) => [KIND_WITH_PREFERENCES, memory, task, place.as_str()].join("\n"),
        };
        Ok(Secret::new(format!("{PREFIX}{}", hex::encode(self.vault.seal(text.as_bytes())?))))
    }

    /// Returns the principal of an agent token; `None` if the token is invalid, or its task ended
    /// more than a day ago.
    pub(super) async fn agent_of(&self, token: &str) -> Result<Option<Principal>> {
        let Some(AgentClaim { memory, task: id, preferences }) = self.claimed(token) else { return Ok(None) };
        let task = self.store.read(move |tx| tx.tasks().get(&memory, &id)).await?;
        let now = self.clock.now();
        let counts = |task: &Task| task.completed_at.is_none_or(|end| now <= end.plus_days(DAYS_AFTER_END));
        Ok(task.filter(counts).map(|task| agent(&task, preferences)))
    }

    /// Decrypts a token; `None` if this store's master key did not encrypt it.
    fn claimed(&self, token: &str) -> Option<AgentClaim> {
        let sealed = token.strip_prefix(PREFIX).filter(|_| token.len() <= CHARS_MAX)?;
        // A token that does not open is unknown, for any reason.
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

/// Returns true if a bearer token has the form of an agent token.
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
