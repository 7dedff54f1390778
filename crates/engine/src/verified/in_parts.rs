//! Many facts at once: where the code is near, several threads look at it side by side, each taking the next fact when it is done
//! with one. A source far away is looked at once, for it fetches together what a look announces. What is found of a fact does not
//! depend on which thread found it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::join_all;
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};
use loci_model::repository::Repository;
use loci_model::verdict::Unverifiable;

use super::code_reading::Tip;
use super::looking::{Look, Seen, Subject, see, see_one};
use super::standing::Standing;
use super::verifier::{Verifier, VerifierLimits};
use super::verifying::OwnLook;
use crate::Engine;

/// Facts for which another thread is worth its own beginning: each reads the trees of the revision for itself.
const FACTS_PER_PART: usize = 20;
/// Looks at once, at most: other calls want threads, too.
const PARTS_MAX: usize = 4;

/// Facts that are looked at by several threads.
pub(super) struct Parts {
    subjects: Vec<Subject>,
    /// The first that nobody has taken.
    next: AtomicUsize,
    /// In the order of the subjects.
    seen: Mutex<Vec<Option<Seen>>>,
}

impl Parts {
    fn new(subjects: Vec<Subject>) -> Self {
        let seen = Mutex::new(vec![None; subjects.len()]);
        Self { subjects, next: AtomicUsize::new(0), seen }
    }

    /// Whether so many facts are looked at by more than one thread.
    pub(super) fn are_worth_it(facts: usize) -> bool {
        parts_of(facts) > 1
    }

    /// Looks at one fact after the other until none is left that nobody has taken.
    fn take(&self, source: &dyn CodeSource, look: &Look<'_>, tip: &Tip) {
        let limits = VerifierLimits::default();
        let verifier = Verifier::new(source, tip.revision, look.lines, look.scope, look.clock, limits);
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(subject) = self.subjects.get(place) else { return };
            let one = see_one(&verifier, look, subject);
            if let Some(slot) = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get_mut(place) {
                *slot = Some(one);
            }
        }
    }

    /// What was seen; `None` where a fact was left out.
    fn whole(&self) -> Option<Vec<Seen>> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *seen).into_iter().collect()
    }
}

fn parts_of(facts: usize) -> usize {
    (facts / FACTS_PER_PART).clamp(1, PARTS_MAX)
}

impl Engine {
    /// Verifies many facts at one revision, which is found once.
    pub(super) async fn look_in_parts(
        &self,
        repository: &Repository,
        standing: &Standing,
        look: OwnLook,
        subjects: Vec<Subject>,
    ) -> CodeResult<(Tip, Vec<Seen>)> {
        let count = parts_of(subjects.len());
        let (look, parts) = (Arc::new(look), Arc::new(Parts::new(subjects)));
        let (own, all) = (Arc::clone(&look), Arc::clone(&parts));
        let first = move |source: &dyn CodeSource| {
            let tip = own.tip(source)?;
            let is_near = source.capabilities().near;
            let seen = (!is_near).then(|| see(source, &own.borrowed(), &tip, &all.subjects));
            Ok((tip, seen))
        };
        let (tip, seen) = self.on_code(repository, standing, Arc::new(first)).await?;
        if let Some(seen) = seen {
            return Ok((tip, seen));
        }
        let looks = (0..count).map(|_| {
            let (own, all, tip) = (Arc::clone(&look), Arc::clone(&parts), tip.clone());
            let work = move |source: &dyn CodeSource| {
                all.take(source, &own.borrowed(), &tip);
                Ok(())
            };
            self.on_code(repository, standing, Arc::new(work))
        });
        let done = join_all(looks).await;
        // One that could not begin leaves its share to the others.
        let failed = done.into_iter().find_map(Result::err);
        let given_up = || CodeError::new(Unverifiable::Network, "the reading was given up");
        parts.whole().map(|seen| (tip, seen)).ok_or_else(|| failed.unwrap_or_else(given_up))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_facts_are_one_look_and_many_a_few() {
        let check = |facts, parts| assert_eq!(parts_of(facts), parts, "{facts}");
        check(0, 1);
        check(FACTS_PER_PART * 2 - 1, 1);
        check(FACTS_PER_PART * 2, 2);
        check(10_000, PARTS_MAX);
    }
}
