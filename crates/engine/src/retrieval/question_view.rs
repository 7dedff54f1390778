//! The properties of a query that ranking signals use: its kind, its terms with their rarity in
//! the scope, its pairs of adjacent words, and the maxima over all candidates.

use std::collections::HashMap;

use loci_model::event::Role;
use loci_model::ports::search::{Candidate, CandidateSet, LexicalView, ScopeStatistics};
use loci_model::record::RecordKind;
use loci_text::question::Question;
use loci_text::{bm25, turn_flags};

use super::turn_view::TurnView;

/// A query and the statistics of its scope, as ranking signals use them. A turn is one message of
/// a conversation, or a passage of a file.
#[derive(Debug)]
pub(crate) struct QuestionView<'a> {
    /// The parsed text of the query.
    pub(super) question: &'a Question,
    /// True if the query is about its author: it contains words such as I, my or we.
    pub(super) first_person: bool,
    /// Average lengths and counts of the turns in the scope.
    pub(super) statistics: &'a ScopeStatistics,
    /// The inverse document frequency of each term of the query; 0 if no turn contains the term.
    pub(super) idf: Vec<f32>,
    /// The inverse document frequency of each term among the paths of files.
    pub(super) path_idf: Vec<f32>,
    /// The number by which lexical scores are divided: the configured scale times the idf of a
    /// term that one turn contains.
    pub(super) lexical_unit: f32,
    /// The weight of each pair of adjacent terms of the query, by the ids of the terms. Pairs
    /// that no turn can contain are left out.
    pub(super) pairs: HashMap<(u32, u32), f32>,
    /// The ids of the first terms of these pairs, ascending.
    pub(super) pair_openers: Vec<u32>,
    /// A bit set of the last six bits of these ids, which excludes nearly all other words without
    /// a search.
    pub(super) pair_opener_bits: u64,
    /// The total weight of all pairs of adjacent terms of the query.
    pub(super) pair_total: f32,
    /// The maximum BM25 score, over the candidates, of a turn with the preceding one.
    pub(super) pair_max: f32,
    /// The maximum BM25 score, over the candidates, of a whole session.
    pub(super) session_max: f32,
    /// The terms of the query that each speaker uses in each session, as bits, over the turns
    /// that are ranked together.
    pub(super) said: HashMap<SessionSpeaker<'a>, u64>,
    /// For each file, the mean BM25 score of its second and third best passage among the
    /// candidates.
    pub(super) file_more: HashMap<u32, f32>,
}

impl<'a> QuestionView<'a> {
    /// Creates the properties of a query. `terms` are the terms of the candidate request that
    /// `set` answers.
    pub(crate) fn new(
        question: &'a Question,
        terms: &[String],
        set: &'a CandidateSet,
        lexical_scale: f32,
    ) -> Self {
        let statistics = &set.statistics;
        let idf_of = |n: u32, df: &[u32]| df.iter().map(|df| bm25::idf(n, *df)).collect::<Vec<_>>();
        let mut view = Self {
            question,
            first_person: turn_flags(&question.text).first_person(),
            statistics,
            idf: idf_of(statistics.turns, &statistics.df),
            path_idf: idf_of(statistics.paths, &statistics.path_df),
            lexical_unit: lexical_scale * bm25::idf_once(statistics.turns),
            pairs: HashMap::new(),
            pair_openers: Vec::new(),
            pair_opener_bits: 0,
            pair_total: 0.0,
            pair_max: 0.0,
            session_max: 0.0,
            said: HashMap::new(),
            file_more: HashMap::new(),
        };
        view.add_pairs(terms, &set.term_ids);
        view
    }

    /// Computes the maxima, and the terms that each speaker uses, over the turns that are ranked
    /// together.
    pub(crate) fn with_maxima<'t>(mut self, turns: impl Iterator<Item = &'t TurnView<'a>>) -> Self
    where
        'a: 't,
    {
        let mut files: HashMap<u32, [f32; 3]> = HashMap::new();
        let mut talk = Vec::new();
        for turn in turns {
            self.pair_max = self.pair_max.max(turn.talk_score(LexicalView::Pair));
            self.session_max = self.session_max.max(turn.talk_score(LexicalView::Session));
            if turn.candidate.kind == RecordKind::Document {
                let best = files.entry(turn.candidate.session).or_default();
                *best = with(*best, turn.score(LexicalView::Turn));
            } else {
                talk.push(turn);
            }
        }
        self.hear(talk);
        self.file_more =
            files.into_iter().map(|(file, [_, second, third])| (file, (second + third) / 2.0)).collect();
        self
    }

    /// Computes the terms of the query that each speaker uses in each session. A speaker with
    /// only one turn there is not stored, because the terms are those of the turn.
    fn hear<'t>(&mut self, mut talk: Vec<&'t TurnView<'a>>)
    where
        'a: 't,
    {
        talk.sort_unstable_by_key(|turn| turn.candidate.session);
        let together = talk.chunk_by(|left, right| left.candidate.session == right.candidate.session);
        for turn in together.filter(|turns| turns.len() > 1).flatten() {
            *self.said.entry(voice(turn.candidate)).or_default() |= turn.found;
        }
    }

    /// Adds the distinct pairs of adjacent terms of the query. A pair with a term that did not
    /// fit into the request is left out.
    fn add_pairs(&mut self, terms: &[String], term_ids: &[Option<u32>]) {
        let place: HashMap<&str, usize> =
            terms.iter().enumerate().map(|(place, term)| (term.as_str(), place)).collect();
        let places = self.question.terms.iter().map(|term| place.get(term.as_str()).copied());
        let following = places.clone().skip(1);
        let mut seen = std::collections::HashSet::new();
        for (first, second) in places.zip(following) {
            let (Some(first), Some(second)) = (first, second) else { continue };
            if !seen.insert((first, second)) {
                continue;
            }
            let idf = |place: usize| self.idf.get(place).copied().unwrap_or_default();
            let weight = idf(first) + idf(second);
            self.pair_total += weight;
            let id = |place: usize| term_ids.get(place).copied().flatten();
            if let (Some(first), Some(second)) = (id(first), id(second)) {
                self.pairs.insert((first, second), weight);
                self.pair_openers.push(first);
                self.pair_opener_bits |= 1 << (first % u64::BITS);
            }
        }
        self.pair_openers.sort_unstable();
        self.pair_openers.dedup();
    }
}

/// A speaker in a session: the session's number, the name if it is known, and the role.
pub(super) type SessionSpeaker<'a> = (u32, Option<&'a str>, Option<Role>);

/// Returns the speaker of a candidate and its session.
pub(super) fn voice(candidate: &Candidate) -> SessionSpeaker<'_> {
    (candidate.session, candidate.speaker.as_deref(), candidate.role)
}

/// Inserts a score into the list of the three best scores, best first.
fn with([first, second, third]: [f32; 3], score: f32) -> [f32; 3] {
    if score > first {
        [score, first, second]
    } else if score > second {
        [first, score, second]
    } else {
        [first, second, third.max(score)]
    }
}
