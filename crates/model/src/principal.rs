//! Who asks, and what they may do (architecture §7). Checked in `engine/access.rs`, nowhere else.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use crate::{ActorId, MemoryId, Namespace, SessionId, StrategyId};

/// One thing a caller may be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// See memories, events, sessions, actors, jobs and records.
    Read,
    /// Make and delete events and records, start jobs.
    Write,
    /// Make, change and delete memories, tags, settings; forget, export, import.
    Admin,
    /// Do what the agent of a task does, for tasks of that actor and session, and nothing else.
    Agent,
}

/// A part of the world and what may be done there. An absent member means any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The memory.
    #[serde(default)]
    pub memory: Option<MemoryId>,
    /// The actor.
    #[serde(default)]
    pub actor: Option<ActorId>,
    /// The session.
    #[serde(default)]
    pub session: Option<SessionId>,
    /// The node of the namespace tree, with everything beneath it.
    #[serde(default)]
    pub namespace: Option<Namespace>,
    /// The strategy.
    #[serde(default)]
    pub strategy: Option<StrategyId>,
    /// What may be done.
    pub capabilities: BTreeSet<Capability>,
}

impl Grant {
    /// Everything, everywhere.
    pub fn everything() -> Self {
        Self {
            memory: None,
            actor: None,
            session: None,
            namespace: None,
            strategy: None,
            capabilities: BTreeSet::from([Capability::Read, Capability::Write, Capability::Admin]),
        }
    }

    /// True when the grant is on the whole of `memory`, not on a part of it.
    pub fn is_whole(&self, memory: &MemoryId) -> bool {
        self.memory.as_ref().is_none_or(|granted| granted == memory)
            && self.actor.is_none()
            && self.session.is_none()
            && self.namespace.is_none()
            && self.strategy.is_none()
    }
}

/// The caller of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// A name for logs and telemetry: the key's principal, or the user of the operating system.
    pub name: String,
    /// What they may do; the union counts.
    pub grants: Vec<Grant>,
}

impl Principal {
    /// The engine itself, for jobs and sweeps.
    pub fn engine() -> Self {
        Self { name: "loci".to_owned(), grants: vec![Grant::everything()] }
    }

    /// An administrator: whoever can read the folder's files.
    pub fn administrator(name: impl Into<String>) -> Self {
        Self { name: name.into(), grants: vec![Grant::everything()] }
    }
}
