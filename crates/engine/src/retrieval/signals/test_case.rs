//! One query and one turn, for the tests of signals: all properties are absent until a test sets
//! them.

use loci_model::ports::search::{Candidate, CandidateSet, ViewCounts, Views};
use loci_model::record::{RecordKind, RecordState};
use loci_model::{RecordId, Timestamp};
use loci_text::question::{self, Question};

use super::super::ranking;
use super::SIGNALS;

/// A query, and a candidate set whose first candidate is checked.
pub(crate) struct SignalCase {
    question: Question,
    terms: Vec<String>,
    /// The candidate set; tests change it.
    pub(crate) set: CandidateSet,
}

/// Returns a fact without known properties.
pub(crate) fn bare_candidate(place: u32) -> Candidate {
    Candidate {
        record: RecordId::compose(&format!("{place:036}")).unwrap(),
        version: 1,
        part: 0,
        kind: RecordKind::Fact,
        state: RecordState::Active,
        views: Default::default(),
        path: None,
        dense: None,
        dense_window: None,
        question_before: None,
        terms: Vec::new(),
        flags: 0,
        speaker: None,
        role: None,
        session: 0,
        position: 0,
        time: Timestamp::EPOCH,
        has_time: false,
    }
}

/// Returns counts of one term in the turn itself, and in no other view.
pub(crate) fn one_view(tf: u32) -> Views {
    let views = [tf, 0, 0, 0].map(|tf| ViewCounts { length: 10, tf: vec![tf] });
    Views::of(views.each_ref())
}

impl SignalCase {
    /// Returns a case with a query and without known names.
    pub(crate) fn asking(question: &str) -> Self {
        Self::asking_among(question, &[])
    }

    /// Returns a case with a query and known `names`.
    pub(crate) fn asking_among(question: &str, names: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let question = question::parse(question, &names, None);
        let terms = ranking::distinct_terms(&question);
        let set = CandidateSet { candidates: vec![bare_candidate(0)], ..CandidateSet::default() };
        Self { question, terms, set }
    }

    /// Checks the value of a signal for the first candidate.
    pub(crate) fn expect(&self, name: &str, expect: f32) {
        let values = ranking::signal_values(&self.question, &self.terms, &self.set, 4.0);
        let at = SIGNALS.iter().position(|signal| signal.name == name).unwrap();
        let got = values[0][at];
        assert!((got - expect).abs() < 1e-5, "{name}: {got} is not {expect}");
    }
}
