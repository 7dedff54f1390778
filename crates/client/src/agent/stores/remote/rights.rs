//! A check of the key's grants for a store. A grant that may suffice passes, because the server
//! decides at each call. Only a right that no grant can give is reported when the store starts.

use loci_api::key::{Capability, Grant};

/// Returns true if a grant may give the actor the capability in the memory.
pub(super) fn allows(grants: &[Grant], memory: &str, actor: Option<&str>, wanted: Capability) -> bool {
    let fits = |granted: &Option<String>, asked: Option<&str>| match (granted, asked) {
        (Some(granted), Some(asked)) => granted == asked,
        // Without an actor a store reads everything that the key may read.
        (None, _) | (Some(_), None) => true,
    };
    grants.iter().any(|grant| {
        grant.capabilities.contains(&wanted) && fits(&grant.memory, Some(memory)) && fits(&grant.actor, actor)
    })
}

/// Returns the capability as grants spell it.
pub(super) fn word(capability: Capability) -> &'static str {
    match capability {
        Capability::Read => "read",
        Capability::Write => "write",
        Capability::Admin => "admin",
        Capability::Agent => "agent",
        Capability::Outcome => "outcome",
        Capability::Worker => "worker",
        Capability::Impersonate => "impersonate",
        Capability::Unverified => "unverified",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn grant(memory: Option<&str>, actor: Option<&str>, capabilities: &[Capability]) -> Grant {
        Grant {
            memory: memory.map(str::to_owned),
            actor: actor.map(str::to_owned),
            session: None,
            namespace: None,
            strategy: None,
            metadata: BTreeMap::new(),
            max_age_days: None,
            capabilities: capabilities.to_vec(),
        }
    }

    #[test]
    fn a_grant_must_fit_and_hold_the_capability() {
        let check = |grants: &[Grant], actor: Option<&str>, wanted: Capability, expect: bool| {
            assert_eq!(allows(grants, "mem-1", actor, wanted), expect, "{grants:?} {actor:?} {wanted:?}");
        };
        let reads = [Capability::Read];
        let both = [Capability::Read, Capability::Write];
        check(&[], None, Capability::Read, false);
        check(&[grant(None, None, &reads)], Some("alice"), Capability::Read, true);
        check(&[grant(None, None, &reads)], Some("alice"), Capability::Write, false);
        check(&[grant(Some("mem-2"), None, &both)], None, Capability::Read, false);
        check(&[grant(Some("mem-1"), Some("alice"), &both)], Some("alice"), Capability::Write, true);
        check(&[grant(Some("mem-1"), Some("bob"), &both)], Some("alice"), Capability::Write, false);
        check(&[grant(Some("mem-1"), Some("bob"), &both)], None, Capability::Read, true);
        let split = [grant(Some("mem-2"), None, &both), grant(None, None, &reads)];
        check(&split, Some("alice"), Capability::Write, false);
    }
}
