//! Principals: the callers of operations, and their grants. `engine/access` checks them, and no
//! other code does.

pub mod bounds;
pub mod key;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::principal::bounds::Bounds;
use crate::record::metadata::SYSTEM_PREFIX;
use crate::{ActorId, Error, MemoryId, Namespace, Result, SessionId, StrategyId, Timestamp, limits};

/// A capability of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Reads memories, events, sessions, actors, jobs and records.
    Read,
    /// Creates and deletes events and records, starts jobs.
    Write,
    /// Creates, changes and deletes memories, tags, settings; forgets, exports, imports.
    Admin,
    /// Acts as the agent of a task, for tasks of that actor and session only.
    Agent,
    /// Reports the outcome of investigations that the caller may write, on behalf of their users.
    Outcome,
    /// Submits the answers of a worker agent in investigations, as that actor only.
    Worker,
    /// Acts on behalf of any user of operations memory, or of that actor, where the caller may read
    /// and write. It grants no other right, and never makes the caller that user in person.
    Impersonate,
    /// Reads facts that cite code without a verification, where the caller may read them. It grants
    /// no other right.
    Unverified,
}

/// A part of the data, with the capabilities there. An absent member means any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The memory that the grant covers; `None` for every memory.
    #[serde(default)]
    pub memory: Option<MemoryId>,
    /// The actor that the grant covers; `None` for every actor.
    #[serde(default)]
    pub actor: Option<ActorId>,
    /// The session that the grant covers; `None` for every session.
    #[serde(default)]
    pub session: Option<SessionId>,
    /// The namespace that the grant covers, with everything beneath it.
    #[serde(default)]
    pub namespace: Option<Namespace>,
    /// The strategy whose records the grant covers; `None` for every strategy.
    #[serde(default)]
    pub strategy: Option<StrategyId>,
    /// Keys of metadata with the allowed texts of each. Data without one of these texts is outside
    /// of the grant. A write gets the text if there is exactly one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, BTreeSet<String>>,
    /// Maximum age in days: older data is outside of the grant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u32>,
    /// The granted capabilities.
    pub capabilities: BTreeSet<Capability>,
}

impl Grant {
    /// Returns a grant of everything, everywhere.
    pub fn everything() -> Self {
        Self {
            memory: None,
            actor: None,
            session: None,
            namespace: None,
            strategy: None,
            metadata: BTreeMap::new(),
            max_age_days: None,
            capabilities: BTreeSet::from([Capability::Read, Capability::Write, Capability::Admin]),
        }
    }

    /// True if the grant covers the whole of `memory`, not a part of it.
    pub fn is_whole(&self, memory: &MemoryId) -> bool {
        self.memory.as_ref().is_none_or(|granted| granted == memory)
            && self.actor.is_none()
            && self.session.is_none()
            && self.namespace.is_none()
            && self.strategy.is_none()
            && !self.is_bound()
    }

    /// True if the grant is restricted by metadata or age.
    pub fn is_bound(&self) -> bool {
        !self.metadata.is_empty() || self.max_age_days.is_some()
    }

    /// Returns the grant's conditions at `now`.
    pub fn bounds(&self, now: Timestamp) -> Bounds {
        Bounds { metadata: self.metadata.clone(), since: self.max_age_days.map(|days| now.minus_days(days)) }
    }

    /// Checks the members that restrict the grant.
    ///
    /// # Errors
    /// `Invalid`, on `metadata`, `max_age_days` or `capabilities`.
    pub fn check_bounds(&self) -> Result<()> {
        let is_agents = |one: &Capability| {
            matches!(one, Capability::Agent | Capability::Worker | Capability::Impersonate)
        };
        if self.is_bound() && self.capabilities.iter().any(is_agents) {
            let rule = "a grant of agent, worker or impersonate is on actors and sessions: leave metadata and max_age_days out";
            return Err(Error::invalid("capabilities", rule));
        }
        if self.max_age_days.is_some_and(|days| !(1..=limits::GRANT_AGE_DAYS_MAX).contains(&days)) {
            return Err(Error::invalid("max_age_days", "max_age_days must be 1 to 36500"));
        }
        if self.metadata.len() > limits::GRANT_METADATA_KEYS_MAX {
            return Err(Error::invalid("metadata", "a grant has at most 5 keys of metadata"));
        }
        self.metadata.iter().try_for_each(|(key, values)| check_values(key, values))
    }
}

/// Checks a key and its values by the rule for event metadata, because they are written there.
fn check_values(key: &str, values: &BTreeSet<String>) -> Result<()> {
    let is_text = |text: &str, most: usize| {
        (1..=most).contains(&text.chars().count())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ' || "._:/=+@-".contains(c))
    };
    if !is_text(key, limits::METADATA_KEY_CHARS_MAX) || key.starts_with(SYSTEM_PREFIX) {
        let rule = format!(
            "a key of metadata must have 1 to 128 letters, digits, spaces and . _ : / = + @ -, and not start with {SYSTEM_PREFIX}"
        );
        return Err(Error::invalid("metadata", rule));
    }
    if !(1..=limits::GRANT_METADATA_VALUES_MAX).contains(&values.len()) {
        return Err(Error::invalid("metadata", format!("metadata.{key} must have 1 to 20 values")));
    }
    if !values.iter().all(|value| is_text(value, limits::EVENT_METADATA_VALUE_CHARS_MAX)) {
        let rule = format!(
            "values of metadata.{key} must have 1 to 256 letters, digits, spaces and . _ : / = + @ -"
        );
        return Err(Error::invalid("metadata", rule));
    }
    Ok(())
}

/// The caller of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// A name for logs and telemetry: the key's principal, or the user of the operating system.
    pub name: String,
    /// The grants; their union applies.
    pub grants: Vec<Grant>,
}

impl Principal {
    /// Returns the principal of the engine itself, for jobs and sweeps.
    pub fn engine() -> Self {
        Self { name: "loci".to_owned(), grants: vec![Grant::everything()] }
    }

    /// Returns an administrator: a user who can read the folder's files.
    pub fn administrator(name: impl Into<String>) -> Self {
        Self { name: name.into(), grants: vec![Grant::everything()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_grant_may_be_bound_to() {
        let names = |count: usize| -> BTreeSet<String> { (0..count).map(|nth| format!("v{nth}")).collect() };
        let check = |keys: usize, values: usize, days: Option<u32>, expect: Option<&str>| {
            let metadata = names(keys).into_iter().map(|key| (key, names(values))).collect();
            let grant = Grant { metadata, max_age_days: days, ..Grant::everything() };
            let found = grant.check_bounds().err().and_then(|error| error.field);
            assert_eq!(found.as_deref(), expect, "{keys} keys of {values} values, {days:?}");
        };
        check(0, 0, None, None);
        check(1, 1, None, None);
        check(1, 0, None, Some("metadata"));
        check(1, 20, None, None);
        check(1, 21, None, Some("metadata"));
        check(5, 20, None, None);
        check(6, 1, None, Some("metadata"));
        check(0, 0, Some(1), None);
        check(0, 0, Some(0), Some("max_age_days"));
        check(0, 0, Some(36_500), None);
        check(0, 0, Some(36_501), Some("max_age_days"));
    }

    #[test]
    fn what_is_of_actors_is_not_bound() {
        let check = |capability: Capability, expect: bool| {
            let bound =
                Grant { max_age_days: Some(1), capabilities: [capability].into(), ..Grant::everything() };
            assert_eq!(bound.check_bounds().is_ok(), expect, "{capability:?}");
        };
        check(Capability::Read, true);
        check(Capability::Agent, false);
        check(Capability::Worker, false);
        check(Capability::Impersonate, false);
    }

    #[test]
    fn texts_that_a_grant_may_be_bound_to() {
        let check = |key: &str, value: &str, expect: bool| {
            let metadata = [(key.to_owned(), [value.to_owned()].into())].into();
            let grant = Grant { metadata, ..Grant::everything() };
            assert_eq!(grant.check_bounds().is_ok(), expect, "{} {}", key.len(), value.len());
        };
        check(&"k".repeat(128), &"v".repeat(256), true);
        check(&"k".repeat(129), "v", false);
        check("k", &"v".repeat(257), false);
        check("k", "", false);
    }
}
