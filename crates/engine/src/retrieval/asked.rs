//! Reading the question of a request: known names, terms, vector, and what to say where the
//! question is longer than is read or no vector came about.

use std::borrow::Cow;
use std::sync::Arc;

use loci_model::ports::embedder::Vector;
use loci_model::ports::search::{CandidateRequest, ListLengths};
use loci_model::record::scope::RecordScope;
use loci_model::warning::{Degradation, Notices, Warning};
use loci_model::{Result, limits};
use loci_text::bm25;
use loci_text::question::{self, Question};

use super::question_once;
use super::ranking::{distinct_terms, rarest};
use crate::Engine;

/// Distinct terms whose idf is looked at, half from each end of a question that has more.
const TERMS_LOOKED_AT: usize = 1024;

/// A question, ready to look for candidates.
#[derive(Debug)]
pub(super) struct Asked {
    /// As read.
    pub(super) question: Question,
    /// Its distinct terms, at most 64.
    pub(super) terms: Vec<String>,
    /// Its vector, and the model that made it; none until it is looked up.
    pub(super) vector: Option<(Vector, String)>,
}

impl Asked {
    /// Looks for these terms, too, after those of the question, as many as a request takes.
    pub(super) fn look_also_for(&mut self, also: &[String]) {
        for term in also {
            if self.terms.len() >= limits::QUERY_TERMS_MAX {
                return;
            }
            if !self.terms.contains(term) {
                self.terms.push(term.clone());
            }
        }
    }
}

impl Engine {
    /// Reads a question for a scope.
    pub(super) async fn read_question(
        &self,
        query: &str,
        scope: &RecordScope,
        notices: &mut Notices,
    ) -> Result<Asked> {
        let names = self.store.search().known_names(scope).await?;
        let question = question::parse(query, &names, Some(scope.now.civil()));
        let mut terms = distinct_terms(&question);
        if query.chars().count() > limits::QUERY_CHARS_MAX {
            notices.warn(Warning::QueryShortened);
        }
        if terms.len() > limits::QUERY_TERMS_MAX {
            notices.warn(Warning::QueryShortened);
            terms = self.rarest_terms(scope, terms).await?;
        }
        Ok(Asked { question, terms, vector: None })
    }

    /// The vector of q⁻. Without one the answer is degraded, not refused.
    pub(super) async fn question_vector(
        &self,
        question: &Question,
        notices: &mut Notices,
    ) -> Option<(Vector, String)> {
        let Some(embedder) = &self.embedder else {
            notices.degrade(Degradation::EmbeddingUnavailable);
            return None;
        };
        let made = match &self.question_once {
            Some(once) => once.vector(embedder, &embedded(&question.text)).await,
            None => question_once::made(embedder.clone(), embedded(&question.text).into_owned()).await,
        };
        let Some(made) = made else {
            notices.degrade(Degradation::EmbeddingUnavailable);
            return None;
        };
        if made.shortened {
            notices.warn(Warning::QueryShortened);
        }
        Some((made.vector, embedder.model_id().to_owned()))
    }

    /// The same engine for one call that puts its question to several places: it gets its vector once.
    pub fn asking_once(&self) -> Self {
        let question_once = self.question_once.clone().or_else(|| Some(Arc::default()));
        Self { question_once, ..self.clone() }
    }

    /// The vector by the model before, where there is one and it answers.
    pub(super) async fn earlier_vector(&self, question: &Question) -> Option<(Vector, String)> {
        let now = self.embedder.as_ref().map(|embedder| embedder.model_id());
        let earlier = self.previous_embedder.as_ref().filter(|earlier| now != Some(earlier.model_id()))?;
        match earlier.embed_question(embedded(&question.text).into_owned()).await {
            Ok(made) => Some((made.vector, earlier.model_id().to_owned())),
            Err(error) => {
                tracing::warn!(%error, "the embedder before gives no vector: what has none of the new one is found by words");
                None
            }
        }
    }

    /// The 64 terms of highest idf in the scope, in the order of the question. Counts come from requests without lists, as
    /// many as it takes.
    async fn rarest_terms(&self, scope: &RecordScope, terms: Vec<String>) -> Result<Vec<String>> {
        let terms = ends(terms, TERMS_LOOKED_AT);
        let mut rarity = Vec::with_capacity(terms.len());
        for some in terms.chunks(limits::QUERY_TERMS_MAX) {
            let counts = CandidateRequest {
                scope: scope.clone(),
                terms: some.to_vec(),
                vector: None,
                earlier: None,
                lists: Some(ListLengths { window: 0, turn: 0, dense: 0 }),
            };
            let statistics = self.store.search().candidates(counts).await?.statistics;
            rarity.extend(statistics.df.iter().map(|df| bm25::idf(statistics.turns, *df)));
        }
        Ok(rarest(terms, &rarity))
    }
}

/// The text of a question that is embedded. Of one longer than [`limits::QUERY_CHARS_MAX`], of
/// which `read_question` warns, it is both ends: models read only those of a long text.
fn embedded(text: &str) -> Cow<'_, str> {
    if text.len() <= limits::QUERY_CHARS_MAX || text.chars().count() <= limits::QUERY_CHARS_MAX {
        return Cow::Borrowed(text);
    }
    let half = limits::QUERY_CHARS_MAX / 2;
    let first = text.char_indices().nth(half).map_or(text.len(), |(at, _)| at);
    let last = text.char_indices().rev().nth(half - 1).map_or(0, |(at, _)| at);
    let [first, last] = [text.get(..first), text.get(last..)].map(Option::unwrap_or_default);
    Cow::Owned(format!("{first} {last}"))
}

/// The first and the last of a list, `most` together.
fn ends(mut terms: Vec<String>, most: usize) -> Vec<String> {
    if terms.len() > most {
        let half = most / 2;
        terms.drain(half..terms.len() - half);
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_long_question_is_embedded_by_its_ends() {
        let half = loci_model::limits::QUERY_CHARS_MAX / 2;
        let at_limit = format!("{}{}", "ä".repeat(half), "ö".repeat(half));
        assert_eq!(embedded(&at_limit), at_limit);
        let one_more = format!("{}-{}", "ä".repeat(half), "ö".repeat(half));
        assert_eq!(embedded(&one_more), format!("{} {}", "ä".repeat(half), "ö".repeat(half)));
    }

    #[test]
    fn both_ends_are_looked_at() {
        assert_eq!(ends(words("a b c d e"), 4), words("a b d e"));
        assert_eq!(ends(words("a b"), 4), words("a b"));
    }
}
