//! Parses the query of a search: names that it contains, terms, and its vector. The response
//! warns if the query is too long or has no vector.

use std::borrow::Cow;
use std::sync::Arc;

use loci_model::ports::embedder::Vector;
use loci_model::ports::search::{CandidateRequest, ListLengths};
use loci_model::record::scope::RecordScope;
use loci_model::warning::{Degradation, Notices, Warning};
use loci_model::{Result, limits};
use loci_text::bm25;
use loci_text::question::{self, Question};

use super::question_vector;
use super::ranking::{distinct_terms, rarest};
use crate::Engine;

/// The maximum number of distinct terms whose frequencies are read. A longer query contributes
/// one half from its start and one from its end.
const TERMS_LOOKED_AT: usize = 1024;

/// A query in the form in which candidates are searched.
#[derive(Debug)]
pub(super) struct ParsedQuery {
    /// The parsed text of the query.
    pub(super) question: Question,
    /// The distinct terms of the query, at most 64.
    pub(super) terms: Vec<String>,
    /// The vector of the query and the name of its embedding model; `None` until it is computed,
    /// or without a model.
    pub(super) vector: Option<(Vector, String)>,
}

impl ParsedQuery {
    /// Adds synonyms after the terms of the query, up to the maximum number of terms.
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
    /// Parses a query for a search in a scope.
    pub(super) async fn read_question(
        &self,
        query: &str,
        scope: &RecordScope,
        notices: &mut Notices,
    ) -> Result<ParsedQuery> {
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
        Ok(ParsedQuery { question, terms, vector: None })
    }

    /// Returns the vector of the query without known names. If the model fails, the search
    /// continues without a vector, and the response warns of it.
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
            None => question_vector::made(embedder.clone(), embedded(&question.text).into_owned()).await,
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

    /// Returns an engine for a call that searches several namespaces with one query. It computes
    /// the vector of the query only once.
    pub fn asking_once(&self) -> Self {
        let question_once = self.question_once.clone().or_else(|| Some(Arc::default()));
        Self { question_once, ..self.clone() }
    }

    /// Returns the vector of the query from the previous embedding model; `None` if there is no
    /// such model or it does not respond.
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

    /// Returns the 64 terms of a query that are rarest in the scope, in the order of the query.
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

/// Returns the part of a query that is embedded. For a query longer than
/// [`limits::QUERY_CHARS_MAX`], this is its start and its end, because models read only a limited
/// number of tokens.
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

/// Shortens a list to its first and last items, `most` items in total.
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
