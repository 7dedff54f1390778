//! Facts whose statement is withheld from a reader although their cited lines were found: the code
//! has changed, or it gives another value than the statement. The module reads no code and changes
//! no fact.

use loci_engine::access;
use loci_model::facts::support::{Assurance, DriftedFacts};
use loci_model::principal::Principal;
use loci_model::{MemoryId, Result};

use super::served_facts::FactReadOptions;
use crate::Verified;
use crate::reads::answers::{FactView, VerifyMode};
use loci_engine::calls::call_context::CallContext;

/// The kinds of statements withheld from one reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WithholdingPolicy {
    drifted: bool,
    contradicted: bool,
}

impl WithholdingPolicy {
    /// Returns the withholding for a setting and a reader: an agent (or a model that gets a
    /// prompt), or a person.
    fn of(setting: DriftedFacts, is_agent: bool) -> Self {
        let drifted = match setting {
            DriftedFacts::Label => false,
            DriftedFacts::WithholdFromAgents => is_agent,
            DriftedFacts::Withhold => true,
        };
        Self { drifted, contradicted: is_agent }
    }

    /// Returns true for a fact that is shown by its places alone. A proposal that its lines do not
    /// contradict is shown with its label, because people decide on it.
    pub fn hides(self, view: &FactView) -> bool {
        match view.assurance() {
            Assurance::Drifted => self.drifted,
            Assurance::Contradicted => self.contradicted && view.verification.is_some(),
            Assurance::Verified
            | Assurance::Cited
            | Assurance::Gone
            | Assurance::Unverified
            | Assurance::Proposed => false,
        }
    }
}

impl Verified {
    /// Returns the withholding for the caller of a read. A caller whose key may not act as a person
    /// counts as an agent, regardless of the request.
    pub fn withholding(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        standing: &CallContext,
        is_prompt: bool,
    ) -> WithholdingPolicy {
        let is_person = access::is_person(caller, memory, standing.by_person);
        WithholdingPolicy::of(self.parts.settings.drifted, !is_person || is_prompt)
    }

    /// Checks that the caller may read unverified facts, if the read requests them.
    ///
    /// # Errors
    /// `Denied`, on `verify`.
    pub(super) fn check_verify(
        &self,
        caller: &Principal,
        standing: &CallContext,
        memory: &MemoryId,
        serving: &FactReadOptions,
    ) -> Result<()> {
        match serving.verify {
            VerifyMode::None => access::require_unverified(caller, memory, standing.by_person),
            VerifyMode::Cached | VerifyMode::Fresh => Ok(()),
        }
    }
}

/// Returns the warning about facts whose statement was withheld; `None` if there are none.
pub(super) fn warning(count: usize) -> Option<String> {
    let rule = "the code they cite has changed or says otherwise: read the places in withheld, then memory_supersede with \
                new citations, or memory_invalidate; memory_get has a statement";
    (count > 0).then(|| format!("WITHHELD: {count} facts are not stated, for {rule}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_and_the_reader_decide() {
        for (setting, of_agent, of_person) in [
            (DriftedFacts::Label, false, false),
            (DriftedFacts::WithholdFromAgents, true, false),
            (DriftedFacts::Withhold, true, true),
        ] {
            let drifted = |is_agent| WithholdingPolicy::of(setting, is_agent).drifted;
            assert_eq!((drifted(true), drifted(false)), (of_agent, of_person), "{setting:?}");
            let contradicted = |is_agent| WithholdingPolicy::of(setting, is_agent).contradicted;
            assert_eq!((contradicted(true), contradicted(false)), (true, false), "{setting:?}");
        }
    }
}
