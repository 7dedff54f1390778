//! One look at the code for a search by a question. It determines the origins of the matching
//! facts, which affect their order, and verifies the facts that are served. The search and the
//! serving policy are elsewhere.

use std::sync::Arc;

use loci_model::Result;
use loci_model::facts::fact::FactSource;
use loci_model::facts::repository::Repository;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::CodeSource;

use super::answers::VerifyMode;
use crate::Verified;
use crate::facts::fact_record::Remembered;
use crate::facts::origins::{LearnedOn, learned_on};
use crate::repositories::code_access::Tip;
use crate::serving_policy::served_facts::FactReadOptions;
use crate::verification::code_check::{Subject, see};
use crate::verification::verdicts::{CodeVerdicts, OwnedCodeCheck};
use loci_engine::calls::call_context::CallContext;

/// The time limit of a search for looking up origins, in microseconds.
const ORIGINS_US_MAX: u64 = 25_000;

/// A matching fact, in the form that the look needs.
struct MatchingFact {
    relevance: f32,
    source: FactSource,
    subject: Subject,
}

impl Verified {
    /// Orders the results of a search, takes the first `limit`, and verifies those. If the code
    /// cannot be read, the order stays. Verdicts that are not cached are computed in a second look,
    /// because the cache depends on the commit.
    ///
    /// # Errors
    /// `REF_NOT_FOUND` for a named revision that does not exist.
    pub(super) async fn look_ranked(
        &self,
        repository: &Repository,
        standing: &CallContext,
        serving: &FactReadOptions,
        ranked: Vec<(Remembered, f32)>,
        limit: usize,
    ) -> Result<(Vec<(Remembered, LearnedOn)>, CodeVerdicts)> {
        let reference = serving.reference.as_deref();
        let is_fresh = serving.verify == VerifyMode::Fresh;
        let look = OwnedCodeCheck::of(self, repository, reference);
        let answer = |(fact, relevance): &(Remembered, f32)| MatchingFact {
            relevance: *relevance,
            source: fact.fact.detail.source.clone(),
            subject: Subject::of(fact),
        };
        let answers: Vec<MatchingFact> = ranked.iter().map(answer).collect();
        let clock = self.engine.clock().clone();
        let work = move |source: &dyn CodeSource| {
            let tip = look.tip(source)?;
            let order = order(source, &tip, &answers, limit, clock.as_ref());
            let chosen = order.iter().filter(|_| is_fresh).filter_map(|(place, _)| answers.get(*place));
            let subjects: Vec<Subject> = chosen.map(|answer| answer.subject.clone()).collect();
            let seen = see(source, &look.borrowed(), &tip, &subjects);
            Ok((tip, order, seen))
        };
        let found = self.on_code(repository, standing, Arc::new(work)).await;
        let order = match &found {
            Ok((_, order, _)) => order.clone(),
            Err(_) => (0..ranked.len().min(limit)).map(|place| (place, LearnedOn::Elsewhere)).collect(),
        };
        let facts: Vec<Remembered> =
            order.iter().filter_map(|(place, _)| ranked.get(*place)).map(|(fact, _)| fact.clone()).collect();
        let looked = match found {
            Ok((tip, _, seen)) if is_fresh => self.look_made(repository, &facts, tip, seen)?,
            Ok((tip, ..)) => self.look_from(repository, standing, reference, &facts, Some(tip)).await?,
            Err(error) => CodeVerdicts::blind(error, repository, reference, &facts)?,
        };
        let learned = order.into_iter().map(|(_, learned)| learned);
        Ok((facts.into_iter().zip(learned).collect(), looked))
    }
}

/// Returns the indexes of the best answers, by relevance and origin.
fn order(
    source: &dyn CodeSource,
    tip: &Tip,
    answers: &[MatchingFact],
    limit: usize,
    clock: &dyn Clock,
) -> Vec<(usize, LearnedOn)> {
    // Origins affect the order only, so an error here does not fail the search.
    let default = source.default_branch().ok().flatten().map(|(_, tip)| tip);
    let until_us = clock.monotonic_us() + ORIGINS_US_MAX;
    let sources: Vec<FactSource> = answers.iter().map(|answer| answer.source.clone()).collect();
    let learned = learned_on(source, tip, default, &sources, &|| clock.monotonic_us() > until_us);
    let weighed =
        |(answer, learned): (&MatchingFact, LearnedOn)| (answer.relevance * learned.weight(), learned);
    let mut order: Vec<_> = answers.iter().zip(learned).map(weighed).enumerate().collect();
    // The sort is stable: equal weights keep the search's order.
    order.sort_by(|(_, (a, _)), (_, (b, _))| b.total_cmp(a));
    order.into_iter().take(limit).map(|(place, (_, learned))| (place, learned)).collect()
}
