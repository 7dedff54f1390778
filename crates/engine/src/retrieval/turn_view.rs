//! The properties of a candidate that ranking signals use: its stored columns and its lexical
//! scores.

use loci_model::ports::search::{Candidate, LexicalView, ScopeStatistics};
use loci_model::record::RecordKind;
use loci_text::TurnFlags;
use loci_text::bm25::{self, View};

/// A candidate with its lexical scores.
#[derive(Debug)]
pub(crate) struct TurnView<'a> {
    /// The candidate as the index returns it.
    pub(super) candidate: &'a Candidate,
    /// The terms of the query that the candidate contains: bit i is set for term i of at most 64.
    pub(super) found: u64,
    scores: [f32; 4],
}

impl<'a> TurnView<'a> {
    /// Computes the scores of a candidate. `idf` has one number for each term of the query.
    pub(crate) fn new(candidate: &'a Candidate, statistics: &ScopeStatistics, idf: &[f32]) -> Self {
        let parameters = [bm25::TURN, bm25::PAIR, bm25::WINDOW, bm25::SESSION];
        let mut scores = [0.0; 4];
        let views = parameters.into_iter().zip(LexicalView::ALL).zip(&statistics.views);
        for (score, ((parameters, view), average)) in scores.iter_mut().zip(views) {
            let counts = (candidate.views.length(view), candidate.views.tf(view));
            *score = bm25_score(parameters, counts, idf, average.average_length);
        }
        let counts = candidate.views.tf(LexicalView::Turn).iter().take(64).enumerate();
        let found = counts.fold(0, |found, (at, count)| found | (u64::from(*count > 0) << at));
        Self { candidate, found, scores }
    }

    /// Returns the BM25 score of the candidate in one of its lexical views.
    pub(super) fn score(&self, view: LexicalView) -> f32 {
        match view {
            LexicalView::Turn => self.scores[0],
            LexicalView::Pair => self.scores[1],
            LexicalView::Window => self.scores[2],
            LexicalView::Session => self.scores[3],
        }
    }

    /// Returns the BM25 score of the candidate with its surrounding conversation; 0 for files
    /// (decision 0036).
    pub(super) fn talk_score(&self, view: LexicalView) -> f32 {
        if self.candidate.kind == RecordKind::Document { 0.0 } else { self.score(view) }
    }

    /// Returns the flags of the text for times, quantities and people; no flags for files, whose
    /// text is not a conversation.
    pub(super) fn talk(&self) -> TurnFlags {
        if self.candidate.kind == RecordKind::Document {
            TurnFlags::default()
        } else {
            TurnFlags(self.candidate.flags)
        }
    }
}

/// Returns the BM25 score of a document with this length and these term frequencies.
pub(super) fn bm25_score(view: View, (length, tf): (u32, &[u32]), idf: &[f32], average_length: f32) -> f32 {
    let shares = tf
        .iter()
        .zip(idf)
        .map(|(tf, idf)| bm25::term_score(view, *idf, *tf as f32, length as f32, average_length));
    shares.sum()
}
