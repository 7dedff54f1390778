//! The calls of clients and their acknowledgements. Calls without a response stay open, to be sent
//! again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::wire::text_at;

/// A fact that a response has acknowledged.
#[derive(Debug, Clone, Default)]
pub(super) struct AcknowledgedFact {
    pub(super) subject: String,
    pub(super) fact: String,
    pub(super) part: u64,
    /// The fact that superseded it, as acknowledged.
    pub(super) superseded_by: Option<String>,
    pub(super) is_invalid: bool,
    /// The number of acknowledged refreshes. The next fields count other acknowledged calls.
    pub(super) refreshed: u64,
    pub(super) stored_again: u64,
    pub(super) invalidated: u64,
    pub(super) applied: u64,
}

/// The effect that a call requests.
#[derive(Debug, Clone)]
pub(super) enum CallAction {
    Store { subject: String, fact: String, part: u64 },
    Supersede { old: String, subject: String, fact: String, part: u64 },
    Refresh { id: String, part: u64 },
    Invalidate { id: String },
    Apply { id: String, part: u64 },
}

impl CallAction {
    /// Returns the part whose code the call must verify.
    pub(super) fn proves(&self) -> Option<u64> {
        match self {
            Self::Store { part, .. }
            | Self::Supersede { part, .. }
            | Self::Refresh { part, .. }
            | Self::Apply { part, .. } => Some(*part),
            Self::Invalidate { .. } => None,
        }
    }
}

/// A call.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) act: CallAction,
}

/// Calls and facts.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) facts: BTreeMap<String, AcknowledgedFact>,
    /// Facts that one client stored again before the response to their first store arrived, with
    /// their numbers. The responses of two clients arrive in any order.
    pub(super) early: BTreeMap<String, u64>,
    /// Calls without a response, by key.
    pub(super) open: BTreeMap<String, Sent>,
    /// Facts that changed since the last check.
    pub(super) fresh: BTreeSet<String>,
    pub(super) acknowledged: BTreeMap<&'static str, u64>,
    /// Calls that were validly rejected: another client was quicker, or the code is missing.
    pub(super) refused: u64,
    pub(super) in_flight: u64,
    /// Unexpected responses.
    pub(super) failures: Vec<String>,
}

/// The ledger, shared by all clients.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Ledger>>);

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger {
    /// Records that a call was acknowledged.
    pub(super) fn acknowledge(&mut self, key: &str, answer: &Value) -> Result<()> {
        let Some(sent) = self.open.remove(key) else { return Ok(()) };
        *self.acknowledged.entry(sent.tool).or_default() += 1;
        match sent.act {
            CallAction::Store { subject, fact, part } => {
                let id = text_at(answer, "/id")?;
                match text_at(answer, "/status")?.as_str() {
                    "created" => self.insert(id, subject, fact, part),
                    "refreshed" => self.stored_again(id),
                    other => anyhow::bail!("stored as {other}: {answer}"),
                }
            }
            CallAction::Supersede { old, subject, fact, part } => {
                let new = text_at(answer, "/new_memory_id")?;
                self.known(&old)?.superseded_by = Some(new.clone());
                if answer.get("merged") == Some(&Value::Bool(true)) {
                    self.stored_again(new);
                } else {
                    self.insert(new, subject, fact, part);
                }
            }
            CallAction::Refresh { id, .. } => self.known(&id)?.refreshed += 1,
            CallAction::Invalidate { id } => {
                let changed =
                    answer.get("changed").and_then(Value::as_bool).context("nothing about changed")?;
                let known = self.known(&id)?;
                known.is_invalid = true;
                known.invalidated += u64::from(changed);
            }
            CallAction::Apply { id, .. } => self.known(&id)?.applied += 1,
        }
        Ok(())
    }

    /// Records that a call was rejected. It has no effect.
    pub(super) fn refuse(&mut self, key: &str) {
        self.open.remove(key);
        self.refused += 1;
    }

    fn insert(&mut self, id: String, subject: String, fact: String, part: u64) {
        self.fresh.insert(id.clone());
        let stored_again = self.early.remove(&id).unwrap_or_default();
        self.facts.insert(
            id,
            AcknowledgedFact { subject, fact, part, stored_again, ..AcknowledgedFact::default() },
        );
    }

    fn stored_again(&mut self, id: String) {
        match self.facts.get_mut(&id) {
            Some(known) => known.stored_again += 1,
            None => *self.early.entry(id.clone()).or_default() += 1,
        }
        self.fresh.insert(id);
    }

    fn known(&mut self, id: &str) -> Result<&mut AcknowledgedFact> {
        self.fresh.insert(id.to_owned());
        self.facts.get_mut(id).with_context(|| format!("{id} was never acknowledged"))
    }
}
