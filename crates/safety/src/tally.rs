//! Counting of the safety findings of a write. They are counted after the write, because a store
//! may run the transaction more than once.

use loci_model::ports::observe::Observe;
use loci_model::record::{RecordState, TrustTier};

use super::secrets::SecretKind;
use super::{FLAGGED, HIDDEN, QUARANTINED, SafeText};

/// The names of findings to count, once for each occurrence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(Vec<&'static str>);

impl Tally {
    /// Returns a tally of the kinds of secrets that were masked.
    pub fn of_masked(masked: &[SecretKind]) -> Self {
        Self(masked.iter().map(|kind| kind.as_str()).collect())
    }

    /// Adds the findings of a text.
    pub fn add(&mut self, safe: &SafeText) {
        self.0.extend(safe.masked.iter().map(|kind| kind.as_str()));
        if safe.hidden {
            self.0.push(HIDDEN);
        }
        match (safe.state, safe.tier) {
            (RecordState::Quarantined, _) => self.0.push(QUARANTINED),
            (_, TrustTier::Flagged) => self.0.push(FLAGGED),
            (_, TrustTier::Agent | TrustTier::Confirmed | TrustTier::External) => {}
        }
    }

    /// Adds the findings of another tally.
    pub fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Reports the findings to the observer.
    pub fn tell(&self, observe: &dyn Observe) {
        self.0.iter().for_each(|what| observe.finding(what));
    }
}
