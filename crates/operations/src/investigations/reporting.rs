//! Who answers as a worker agent: whoever has the capability `worker` hands in what that agent
//! answered, and nothing else. The verbs of answers ask here for the rights that takes; every other
//! verb knows nothing of the capability and refuses.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_engine::access::segment;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, MemoryId};

use crate::SreSettings;

/// Whoever hands in an answer.
pub(super) struct Reporter {
    /// Finds the investigation: a worker may name any that is not kept to its user.
    pub(super) finds: Principal,
    /// Writes the answer: a worker as its agent, and in its session where it has one.
    pub(super) writes: Principal,
}

impl Reporter {
    /// The caller, with a worker's rights where they are one of that agent; unchanged where not. Nobody is a worker of what is no agent of the
    /// memory: a user's name is none.
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
