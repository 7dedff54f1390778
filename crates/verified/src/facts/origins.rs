//! The origin of facts relative to the revision of a call, and its weight in a ranking.
//!
//! Facts learned on this history rank higher. Facts learned on a branch that is gone rank lower and
//! are marked. The validity of a fact is not decided here.

use std::collections::HashMap;

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::FactSource;
use loci_model::ports::code::{CodeResult, CodeSource};

use crate::repositories::code_access::{HEAD, Tip, WORKTREE};

/// The factors by which the origin changes a relevance.
const OWN_HISTORY: f32 = 1.1;
const GONE_BRANCH: f32 = 0.5;

/// The origin of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LearnedOn {
    /// An ancestor of the revision.
    OwnHistory,
    /// A branch that is gone, at a commit that neither the revision nor the default branch
    /// contains.
    GoneBranch,
    /// Another or unknown origin.
    Elsewhere,
}

impl LearnedOn {
    /// Returns the factor for the relevance.
    pub(crate) const fn weight(self) -> f32 {
        match self {
            Self::OwnHistory => OWN_HISTORY,
            Self::GoneBranch => GONE_BRANCH,
            Self::Elsewhere => 1.0,
        }
    }
}

/// Returns the origin of each fact, in order. An unknown origin is [`LearnedOn::Elsewhere`]: an
/// error is no evidence, and a garbage-collected commit looks like one beyond the edge of a shallow
/// clone. Sources that cannot walk a history are skipped, because each lookup at a forge is a
/// request. After `is_late` no further origin is looked up, because it affects the order only.
pub(crate) fn learned_on(
    source: &dyn CodeSource,
    tip: &Tip,
    default: Option<ObjectId>,
    facts: &[FactSource],
    is_late: &dyn Fn() -> bool,
) -> Vec<LearnedOn> {
    let Some(at) = tip.commit().filter(|_| source.capabilities().history) else {
        return vec![LearnedOn::Elsewhere; facts.len()];
    };
    let mut known: HashMap<(ObjectId, Option<&str>), LearnedOn> = HashMap::new();
    let look = |commit: ObjectId, reference: Option<&str>| {
        let branch = reference.filter(|name| is_branch(name));
        let found =
            if is_late() { Ok(LearnedOn::Elsewhere) } else { one(source, &at, default, &commit, branch) };
        found.unwrap_or(LearnedOn::Elsewhere)
    };
    let mut learned = Vec::with_capacity(facts.len());
    for fact in facts {
        let reference = fact.reference.as_deref();
        let of = |commit| *known.entry((commit, reference)).or_insert_with(|| look(commit, reference));
        learned.push(fact.commit.map_or(LearnedOn::Elsewhere, of));
    }
    learned
}

fn one(
    source: &dyn CodeSource,
    at: &ObjectId,
    default: Option<ObjectId>,
    commit: &ObjectId,
    branch: Option<&str>,
) -> CodeResult<LearnedOn> {
    if source.is_ancestor(commit, at)? {
        return Ok(LearnedOn::OwnHistory);
    }
    let Some(branch) = branch else { return Ok(LearnedOn::Elsewhere) };
    let named = source.resolve(branch)?.and_then(|revision| revision.commit());
    for living in [default, named].into_iter().flatten() {
        if source.is_ancestor(commit, &living)? {
            return Ok(LearnedOn::Elsewhere);
        }
    }
    Ok(LearnedOn::GoneBranch)
}

/// Returns true for the name of a branch. Only a name shows that the branch still exists; `HEAD`
/// can have been any commit.
fn is_branch(name: &str) -> bool {
    let is_commit = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_steps = name.contains(['~', '^']);
    name != HEAD && name != WORKTREE && !is_commit && !has_steps
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use loci_model::facts::code::{CodeEntry, CodeFile, Origin, Rename, Revision};
    use loci_model::facts::verdict::Unverifiable;
    use loci_model::ports::code::{CodeCapabilities, CodeError};

    use super::*;

    /// `main` is 1 ← 2 ← 3; `topic` is 1 ← 4; 5 was on a branch that is gone; 6 is beyond the edge
    /// of this clone.
    struct Branches;

    fn id(number: u8) -> ObjectId {
        ObjectId::from_bytes(&[number; 20]).unwrap()
    }

    impl CodeSource for Branches {
        fn capabilities(&self) -> CodeCapabilities {
            CodeCapabilities { renames: false, history: true, worktree: false, near: true }
        }
        fn resolve(&self, name: &str) -> CodeResult<Option<Revision>> {
            Ok(match name {
                "main" => Some(Revision::Commit(id(3))),
                "topic" => Some(Revision::Commit(id(4))),
                _ => None,
            })
        }
        fn default_branch(&self) -> CodeResult<Option<(String, ObjectId)>> {
            Ok(Some(("main".to_owned(), id(3))))
        }
        fn is_ancestor(&self, older: &ObjectId, newer: &ObjectId) -> CodeResult<bool> {
            if *older == id(6) {
                return Err(CodeError::new(Unverifiable::PartialClone, "cut off"));
            }
            let history: &[u8] = if *newer == id(3) { &[1, 2, 3] } else { &[1, 4] };
            Ok(history.iter().any(|number| id(*number) == *older))
        }
        fn entry(&self, _: &Revision, _: &str) -> CodeResult<Option<CodeEntry>> {
            Ok(None)
        }
        fn read(&self, _: &ObjectId, _: u64) -> CodeResult<Arc<[u8]>> {
            Ok(Arc::from([]))
        }
        fn files(&self, _: &Revision) -> CodeResult<Arc<Vec<CodeFile>>> {
            Ok(Arc::default())
        }
        fn renames(&self, _: &ObjectId, _: &Revision, _: u8) -> CodeResult<Arc<Vec<Rename>>> {
            Ok(Arc::default())
        }
        fn follow(&self, _: &str, _: &ObjectId, _: &Revision, _: u8) -> CodeResult<Option<String>> {
            Ok(None)
        }
        fn origin(&self, _: &str, _: &ObjectId, _: &Revision, _: u8) -> CodeResult<Origin> {
            Ok(Origin::Unknown)
        }
    }

    #[test]
    fn facts_of_this_history_of_others_and_of_branches_that_are_gone() {
        use LearnedOn::{Elsewhere, GoneBranch, OwnHistory};
        let check = |at: u8, commit: Option<u8>, reference: Option<&str>, expected: LearnedOn| {
            let tip =
                Tip { reference: "x".to_owned(), revision: Revision::Commit(id(at)), is_default: at == 3 };
            let fact = FactSource {
                commit: commit.map(id),
                reference: reference.map(str::to_owned),
                ..FactSource::default()
            };
            let found = learned_on(&Branches, &tip, Some(id(3)), std::slice::from_ref(&fact), &|| false);
            assert_eq!(found, [expected], "{at} {commit:?} {reference:?}");
            let late = learned_on(&Branches, &tip, Some(id(3)), &[fact], &|| true);
            assert_eq!(late, [Elsewhere]);
        };
        check(3, Some(2), Some("main"), OwnHistory);
        check(3, Some(1), Some("gone"), OwnHistory);
        check(3, Some(4), Some("topic"), Elsewhere);
        check(4, Some(4), Some("topic"), OwnHistory);
        check(4, Some(2), Some("gone"), Elsewhere); // merged since
        check(3, Some(5), Some("gone"), GoneBranch);
        check(4, Some(5), Some("topic"), GoneBranch); // pushed over
        check(3, Some(5), Some("HEAD"), Elsewhere);
        check(3, Some(5), Some("0123abc"), Elsewhere);
        check(3, Some(5), None, Elsewhere);
        check(3, Some(6), Some("gone"), Elsewhere);
        check(3, None, Some("main"), Elsewhere);
    }
}
