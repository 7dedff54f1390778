//! Purged words in reviews: a selection by words alone also removes them from the reviews that
//! contain them. The search runs outside of writes. A write blanks a review that has not changed
//! since it was read; a changed one is read again.

use std::sync::Arc;

use loci_engine::Engine;
use loci_engine::calls::text_scan::TextScan;
use loci_engine::language_models::erasure as asking_forgetting;
use loci_model::job::exchange::Step;
use loci_model::ledger::LedgerNoun as _;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::review::Review;
use loci_model::{Result, Timestamp};

use super::RepositoryShare;
use super::selection::Selection;
use crate::Coding;
use crate::reviews;

/// The number of reviews that one write blanks.
const ROWS: usize = 200;

/// The words to search in reviews, and the time range of the statements.
struct ReviewWords {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    scan: TextScan,
}

impl ReviewWords {
    /// Returns the words of a selection; `None` unless it consists only of words, optionally of
    /// rules.
    fn of(which: &Selection) -> Result<Option<Self>> {
        let Selection { content, pattern, kind, since, until, .. } = which.clone();
        let words = Selection { content, pattern, since, until, ..Selection::default() };
        let is_meant = Selection { kind: None, ..which.clone() } == words
            && kind.as_deref().is_none_or(|kind| kind == "rule");
        if !is_meant || (words.content.is_none() && words.pattern.is_none()) {
            return Ok(None);
        }
        let pattern = which.check()?;
        let scan = TextScan::new(Arc::new(move |text: &str| words.names(text, pattern.as_ref())));
        Ok(Some(Self { since, until, scan }))
    }

    /// Returns the rest of each review that contains such words.
    async fn blanked(&mut self, engine: &Engine, read: &[Review]) -> Result<Vec<Option<Review>>> {
        let covers = |at: Timestamp| {
            self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
        };
        let texts = read.iter().flat_map(reviews::texts_of);
        let texts = texts.map(|(text, at)| covers(at).then(|| text.to_owned()).into_iter().collect());
        let texts: Vec<Vec<String>> = texts.collect();
        let mut held = self.scan.holds(engine, texts).await?.into_iter();
        Ok(read.iter().map(|review| reviews::blanked(review, &mut held)).collect())
    }
}

impl Coding {
    /// Returns the keys of the reviews that contain the selected words; empty unless the selection
    /// consists only of words.
    ///
    /// # Errors
    /// `Invalid` if a text is too long for the pattern, or if the search takes too much time.
    pub(super) async fn reviews_with_words(
        &self,
        part: &RepositoryShare,
        which: &Selection,
    ) -> Result<Vec<String>> {
        let Some(mut words) = ReviewWords::of(which)? else { return Ok(Vec::new()) };
        let (mut keys, mut after) = (Vec::new(), None);
        loop {
            let (of, from) = (part.clone(), after);
            let read = self
                .engine
                .store()
                .read(move |tx| reviews::of_actor(tx, &of.memory, &of.actor, from.clone()))
                .await?;
            let Some(last) = read.last() else { return Ok(keys) };
            after = Some((last.at(), last.key()));
            let blanked = words.blanked(&self.engine, &read).await?;
            keys.extend(blanked.iter().flatten().map(|review| review.key()));
        }
    }

    /// Erases the selected words from some reviews. Returns the number of reviews that contained
    /// them.
    ///
    /// # Errors
    /// See [`Coding::reviews_with_words`].
    pub(super) async fn blank_reviews(
        &self,
        part: &RepositoryShare,
        which: &Selection,
        keys: Vec<String>,
    ) -> Result<u64> {
        let Some(mut words) = ReviewWords::of(which)? else { return Ok(0) };
        let (memory, at) = (part.memory.clone(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| asking_forgetting::of_step(tx, &memory, Step::ReviewRules, at))
            .await?;
        let mut blanked = 0_u64;
        for some in keys.chunks(ROWS) {
            let mut left = some.to_vec();
            while !left.is_empty() {
                let memory = part.memory.clone();
                let read = self.engine.store().read(move |tx| reviews::of_keys(tx, &memory, &left)).await?;
                let without = words.blanked(&self.engine, &read).await?;
                let pairs: Vec<(Review, Review)> =
                    read.into_iter().zip(without).filter_map(|(was, is)| Some((was, is?))).collect();
                let (memory, at) = (part.memory.clone(), self.engine.now());
                let written = self.engine.store().write(move |tx| {
                    asking_forgetting::of_step(tx, &memory, Step::ReviewRules, at)?;
                    reviews::blank(tx, &memory, &pairs)
                });
                let (count, changed) = written.await?;
                blanked = blanked.saturating_add(count);
                left = changed;
            }
        }
        Ok(blanked)
    }
}
