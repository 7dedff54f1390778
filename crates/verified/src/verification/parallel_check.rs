//! Verification of many facts at once.
//!
//! If the code is near, several threads read one commit in parallel, and each takes the next fact
//! when it has finished one. The verdict does not depend on the thread, except for a fact that
//! exceeds the time for tree searches, which each thread has for itself. A remote source is read by
//! one look, because it fetches in one batch what a look announces. So is a working tree, because
//! its files change and one look reads each file once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::join_all;
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};

use super::code_check::{CodeCheck, FactCheck, Subject, see, see_one};
use super::verdicts::{OwnedCodeCheck, unverifiable};
use crate::Verified;
use crate::repositories::code_access::{Tip, read_place};
use crate::verifier::{Verifier, VerifierLimits};
use loci_engine::calls::call_context::CallContext;

/// The number of facts that justify another thread. Each thread reads the trees of the revision
/// itself.
const FACTS_PER_PART: usize = 20;
/// The maximum number of parallel looks: one fewer than the default number of threads for reading
/// code, so that other calls get one.
const PARTS_MAX: usize = 3;

/// The facts that several threads verify.
pub(super) struct Parts {
    subjects: Vec<Subject>,
    /// The index of the first fact that no thread has taken.
    next: AtomicUsize,
    /// The results, in the order of the subjects.
    seen: Mutex<Vec<Option<FactCheck>>>,
}

impl Parts {
    fn new(subjects: Vec<Subject>) -> Self {
        let seen = Mutex::new(vec![None; subjects.len()]);
        Self { subjects, next: AtomicUsize::new(0), seen }
    }

    /// Returns true if this number of facts needs more than one thread.
    pub(super) fn are_worth_it(facts: usize) -> bool {
        parts_of(facts) > 1
    }

    /// Verifies one fact after the other, up to `most`, until all are taken.
    fn take(&self, source: &dyn CodeSource, look: &CodeCheck<'_>, tip: &Tip, most: usize) {
        let limits = VerifierLimits::default();
        let verifier = Verifier::new(source, tip.revision, look.lines, look.scope, look.clock, limits);
        for _ in 0..most {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(subject) = self.subjects.get(place) else { return };
            let one = see_one(&verifier, look, subject);
            if let Some(slot) = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get_mut(place) {
                *slot = Some(one);
            }
        }
    }

    /// Returns the results. A fact whose thread gave up is unverifiable with this error; the others
    /// are not affected.
    fn whole(&self, error: &CodeError) -> Vec<FactCheck> {
        let seen = std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner));
        let lost = |subject: &Subject| FactCheck {
            verification: unverifiable(error, subject.citations.len()),
            duration_ms: 0,
            lines: Vec::new(),
        };
        let both = seen.into_iter().zip(&self.subjects);
        both.map(|(seen, subject)| seen.unwrap_or_else(|| lost(subject))).collect()
    }
}

fn parts_of(facts: usize) -> usize {
    (facts / FACTS_PER_PART).clamp(1, PARTS_MAX)
}

impl Verified {
    /// Verifies many facts at one revision, which is resolved once.
    pub(super) async fn look_in_parts(
        &self,
        repository: &Repository,
        standing: &CallContext,
        look: OwnedCodeCheck,
        subjects: Vec<Subject>,
    ) -> CodeResult<(Tip, Vec<FactCheck>)> {
        let count = parts_of(subjects.len());
        let (look, parts) = (Arc::new(look), Arc::new(Parts::new(subjects)));
        let (own, all) = (Arc::clone(&look), Arc::clone(&parts));
        let first = move |source: &dyn CodeSource| {
            let tip = own.tip(source)?;
            if !source.capabilities().near || tip.clean_commit().is_none() {
                let seen = see(source, &own.borrowed(), &tip, &all.subjects);
                return Ok((tip, Some(seen)));
            }
            // The first look runs alone, because it reads data that all others need, such as the
            // changes since the citations were made.
            all.take(source, &own.borrowed(), &tip, 1);
            Ok((tip, None))
        };
        let (place, (tip, seen)) = self.on_code_at(repository, standing, Arc::new(first)).await?;
        let (None, Some(code)) = (&seen, &self.engine.code()) else {
            return Ok((tip, seen.unwrap_or_default()));
        };
        let looks = (0..count).map(|_| {
            let (own, all, tip) = (Arc::clone(&look), Arc::clone(&parts), tip.clone());
            let work = move |source: &dyn CodeSource| {
                all.take(source, &own.borrowed(), &tip, usize::MAX);
                Ok(())
            };
            read_place(code.as_ref(), &place, Arc::new(work))
        });
        // The other looks do the work of one that cannot begin.
        let failed = join_all(looks).await.into_iter().find_map(Result::err);
        let given_up = || CodeError::new(Unverifiable::Network, "the reading was given up");
        Ok((tip, parts.whole(&failed.unwrap_or_else(given_up))))
    }
}

#[cfg(test)]
mod tests {
    use loci_model::facts::citation::{Citation, LineRange};
    use loci_model::facts::code::Revision;
    use loci_model::facts::verdict::Verdict;
    use loci_testkit_ports::{CodeHistory, ManualClock};

    use super::*;
    use crate::verifier::LineCache;

    /// The number of facts, each with one citation.
    const FACTS: usize = 60;

    #[test]
    fn few_facts_are_one_look_and_many_a_few() {
        let check = |facts, parts| assert_eq!(parts_of(facts), parts, "{facts}");
        check(0, 1);
        check(FACTS_PER_PART * 2 - 1, 1);
        check(FACTS_PER_PART * 2, 2);
        check(10_000, PARTS_MAX);
    }

    fn path(number: usize) -> String {
        format!("src/part_{number}.rs")
    }

    fn code(number: usize, lead: usize) -> String {
        let lead = "// moved\n".repeat(lead);
        format!(
            "{lead}/// The shelf.\npub fn shelf_{number}() -> usize {{\n    {number} * 17 + BASE_{number}\n}}\n"
        )
    }

    /// Returns a deterministic history whose second commit moves the code of most files and removes
    /// that of every seventh.
    fn history() -> (CodeHistory, Tip, Vec<Subject>) {
        let mut history = CodeHistory::new();
        let commit = |history: &mut CodeHistory, text: &dyn Fn(usize) -> String| {
            let files: Vec<_> = (0..FACTS).map(|number| (path(number), text(number))).collect();
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            history.commit(&files)
        };
        let first = commit(&mut history, &|number| code(number, 0));
        let subjects = with_look(|look| {
            let limits = VerifierLimits::default();
            let at = Revision::Commit(first);
            let verifier = Verifier::new(&history, at, look.lines, look.scope, look.clock, limits);
            let cited = |number: usize| {
                let place = LineRange { path: path(number), line_start: 1, line_end: 4 };
                let anchor = verifier.anchor(&place, "", true).unwrap().anchor;
                Citation { anchor, current: None, earlier_paths: Vec::new() }
            };
            (0..FACTS)
                .map(|number| Subject {
                    citations: vec![cited(number)],
                    claims: Vec::new(),
                    statement: String::new(),
                })
                .collect()
        });
        let second = commit(&mut history, &|number| {
            if number.is_multiple_of(7) {
                "pub const NOTHING: u8 = 1;\n".to_owned()
            } else {
                code(number, number % 5)
            }
        });
        let tip = Tip { reference: "main".to_owned(), revision: Revision::Commit(second), is_default: true };
        (history, tip, subjects)
    }

    fn with_look<T>(work: impl FnOnce(&CodeCheck<'_>) -> T) -> T {
        let (lines, clock) = (LineCache::new(1 << 20), ManualClock::default());
        let (scope, reference) = ("test", "main");
        work(&CodeCheck {
            reference,
            default_ref: None,
            verified_tip: None,
            quorum: None,
            scope,
            lines: &lines,
            clock: &clock,
            with_lines: false,
        })
    }

    fn given_up() -> CodeError {
        CodeError::new(Unverifiable::Network, "the reading was given up")
    }

    #[test]
    fn threads_find_what_one_look_finds() {
        let (source, tip, subjects) = history();
        let alone = with_look(|look| see(&source, look, &tip, &subjects));
        let gone = alone.iter().filter(|seen| seen.verification.verdict == Verdict::Gone).count();
        assert_eq!(gone, FACTS.div_ceil(7));
        let parts = Parts::new(subjects);
        with_look(|look| {
            std::thread::scope(|threads| {
                for _ in 0..PARTS_MAX {
                    let (parts, look, tip) = (&parts, &look, &tip);
                    threads.spawn(move || parts.take(&history().0, look, tip, usize::MAX));
                }
            });
        });
        assert_eq!(parts.whole(&given_up()), alone);
    }

    #[test]
    fn a_thread_that_gives_up_loses_one_fact() {
        let (source, tip, subjects) = history();
        let alone = with_look(|look| see(&source, look, &tip, &subjects));
        let parts = Parts::new(subjects);
        with_look(|look| {
            parts.take(&source, look, &tip, 20);
            // Taken, but never verified.
            let lost = parts.next.fetch_add(1, Ordering::Relaxed);
            assert_eq!(lost, 20);
            parts.take(&source, look, &tip, usize::MAX);
        });
        let whole = parts.whole(&given_up());
        let differ: Vec<_> = (0..FACTS).filter(|place| whole.get(*place) != alone.get(*place)).collect();
        assert_eq!(differ, [20]);
        assert_eq!(whole.get(20).unwrap().verification, unverifiable(&given_up(), 1));
    }
}
