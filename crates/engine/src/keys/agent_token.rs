//! Tokens of agents (coding-agent-memory.md §2.3): whoever takes a task in is given one for the agent, which may do what agents do, for that
//! task and no other. A token is the task's name, sealed under the master key: nothing is stored, every server of a store knows it, and a
//! task that ended a day ago has none that counts. What an agent may do is `access`'s matter and that of the verbs.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::task::Task;
use loci_model::{MemoryId, Result, TaskId};

use super::Secret;
use crate::Engine;

/// How a token begins; secret scanners find it by that.
const PREFIX: &str = "loci_task_";
/// What is sealed begins so: nothing else that is sealed under the same key is a token.
const KIND: &str = "agent of a task 1";
/// A task's agent may report so long behind its end: what waited in a spool comes late.
const DAYS_AFTER_END: u32 = 1;
/// More characters are no token.
const CHARS_MAX: usize = 2_000;

impl Engine {
    /// A token for the agent of a task. Each call makes another one, and all count.
    ///
    /// # Errors
    /// `Unavailable` where the master key cannot be read.
    pub async fn agent_token(&self, task: &Task) -> Result<Secret> {
        self.ready_to_seal().await?;
        let claim = [KIND, task.memory.as_str(), task.id.as_str()].join("\n");
        Ok(Secret::new(format!("{PREFIX}{}", hex::encode(self.vault.seal(claim.as_bytes())?))))
    }

    /// Whom a token of an agent stands for; `None` where it is none, or its task is over.
    pub(super) async fn agent_of(&self, token: &str) -> Result<Option<Principal>> {
        let Some((memory, id)) = self.claimed(token) else { return Ok(None) };
        let task = self.store.read(move |tx| tx.tasks().get(&memory, &id)).await?;
        let now = self.clock.now();
        let counts = |task: &Task| task.completed_at.is_none_or(|end| now <= end.plus_days(DAYS_AFTER_END));
        Ok(task.filter(counts).map(|task| agent(&task)))
    }

    /// The task that a token names, if this server made it.
    fn claimed(&self, token: &str) -> Option<(MemoryId, TaskId)> {
        let sealed = token.strip_prefix(PREFIX).filter(|_| token.len() <= CHARS_MAX)?;
        // What does not open is a token that nobody knows, whatever the reason.
        let claim = String::from_utf8(self.vault.open(&hex::decode(sealed).ok()?).ok()?).ok()?;
        let mut parts = claim.split('\n');
        let (kind, memory, id) = (parts.next()?, parts.next()?, parts.next()?);
        let is_one = kind == KIND && parts.next().is_none();
        is_one.then_some(())?;
        Some((MemoryId::parse(memory).ok()?, TaskId::parse(id).ok()?))
    }
}

/// Whether a bearer token is one of these.
pub(super) fn is_agents(token: &str) -> bool {
    token.starts_with(PREFIX)
}

fn agent(task: &Task) -> Principal {
    let grant = Grant {
        memory: Some(task.memory.clone()),
        actor: Some(task.actor.clone()),
        session: Some(task.session.clone()),
        capabilities: [Capability::Agent].into(),
        ..Grant::everything()
    };
    Principal { name: format!("agent of {}", task.id), grants: vec![grant] }
}
