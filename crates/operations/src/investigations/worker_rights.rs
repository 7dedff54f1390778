//! Rights of a caller with the capability `worker`: it submits the answers of its agent, and can do
//! nothing else. Only the operations on answers use this module. All other operations ignore the
//! capability and deny access.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_engine::access::segment;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, MemoryId};

use crate::SreSettings;

/// The principals with which an answer is submitted.
pub(super) struct Reporter {
    /// The principal that finds the investigation. A worker may name any that is not private.
    pub(super) finds: Principal,
    /// The principal that writes the answer: a worker as its agent, and only in its session if the
    /// grant has one.
    pub(super) writes: Principal,
}

impl Reporter {
    /// Returns the caller, with the additional rights of a worker if it is a worker of this agent.
    /// Only configured agents of the memory have workers, so that a user's name is never one.
    pub(super) fn of(
        caller: &Principal,
        memory: &MemoryId,
        (agent, settings): (&ActorId, &SreSettings),
    ) -> Self {
        let is_agent = settings.agents.iter().any(|one| *one == segment::decode(agent.as_str()));
        let grants = access::of_worker(caller, memory, agent).filter(|_| is_agent);
        let write = || BTreeSet::from([Capability::Write]);
        let whole = Grant { memory: Some(memory.clone()), capabilities: write(), ..Grant::everything() };
        let mut reporter = Self { finds: caller.clone(), writes: caller.clone() };
        for grant in grants {
            let own = Grant { actor: Some(agent.clone()), session: grant.session.clone(), ..whole.clone() };
            reporter.finds.grants.push(whole.clone());
            reporter.writes.grants.push(own);
        }
        reporter
    }
}
