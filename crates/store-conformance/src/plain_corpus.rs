//! Finds candidates without an index: every turn is scored. A reference for indexes, and for
//! ranking without one.
//!
//! One scope that sees everything; no states, no access. It follows the rules of the ranking
//! literally and without optimisation.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use loci_model::event::Role;
use loci_model::ports::embedder::Vector;
use loci_model::ports::search::{
    Candidate, CandidateSet, LexicalView, ListLengths, ScopeStatistics, ViewCounts, ViewStatistics, Views,
};
use loci_model::record::{RecordKind, RecordState};
use loci_model::{RecordId, Timestamp};
use loci_text::bm25::{self, View};
use loci_text::{TurnFlags, analyse_turn, path_terms};

/// The weights of the neighbours in a turn's context vector, by offset.
const CONTEXT: [(isize, f32); 4] = [(-2, 0.2), (-1, 0.4), (0, 1.0), (1, 0.3)];
const VIEWS: [View; 4] = [bm25::TURN, bm25::PAIR, bm25::WINDOW, bm25::SESSION];

/// A turn of conversation, or a passage of a file.
#[derive(Debug, Clone)]
pub struct PlainTurn {
    /// The record.
    pub record: RecordId,
    /// The number of the passage.
    pub part: u32,
    /// The kind.
    pub kind: RecordKind,
    /// The session. Turns of the same session are neighbours, in the order of the corpus.
    pub session: u32,
    /// The text as received.
    pub text: String,
    /// The path, for a file.
    pub path: Option<String>,
    /// The role.
    pub role: Option<Role>,
    /// The time of the event.
    pub time: Option<Timestamp>,
    /// The unit vector.
    pub vector: Option<Vector>,
}

struct Analysed {
    terms: Vec<String>,
    flags: TurnFlags,
    speaker: Option<String>,
    /// The indexes in the corpus, by view.
    groups: [Vec<usize>; 4],
    position: u32,
}

/// The turns with their analysis.
pub struct PlainCorpus {
    turns: Vec<PlainTurn>,
    analysed: Vec<Analysed>,
    names: Vec<String>,
}

impl PlainCorpus {
    /// Analyses turns. Those of one session must be in its order.
    pub fn new(turns: Vec<PlainTurn>) -> Self {
        let mut carriers: BTreeMap<String, u32> = BTreeMap::new();
        let all: Vec<_> = turns.iter().map(|turn| analyse_turn(&turn.text)).collect();
        for prefix in all.iter().filter_map(|analysis| analysis.prefix.as_ref()) {
            *carriers.entry(prefix.name.clone()).or_default() += 1;
        }
        let names: Vec<String> =
            carriers.into_iter().filter(|(_, count)| *count >= 2).map(|(name, _)| name).collect();
        let mut sessions: HashMap<u32, Vec<usize>> = HashMap::new();
        for (place, turn) in turns.iter().enumerate() {
            sessions.entry(turn.session).or_default().push(place);
        }
        let analysed = all.into_iter().zip(&turns).enumerate().map(|(place, (analysis, turn))| {
            let known = analysis.prefix.as_ref().filter(|prefix| names.contains(&prefix.name));
            let from = known.map_or(0, |prefix| prefix.terms);
            let mut terms = turn.path.as_deref().map(path_terms).unwrap_or_default();
            terms.extend_from_slice(&analysis.terms[from..]);
            let session = &sessions[&turn.session];
            let position = session.iter().position(|other| *other == place).unwrap_or_default();
            let near = |before: usize, after: usize| {
                session[position.saturating_sub(before)..session.len().min(position + after + 1)].to_vec()
            };
            Analysed {
                terms,
                flags: known.map_or(analysis.flags, |prefix| prefix.flags),
                speaker: known.map(|prefix| prefix.name.clone()),
                groups: [near(0, 0), near(1, 0), near(2, 1), session.clone()],
                position: u32::try_from(position).unwrap_or(u32::MAX),
            }
        });
        let analysed = analysed.collect();
        Self { turns, analysed, names }
    }

    /// Returns the names that at least two turns start with.
    pub fn known_names(&self) -> &[String] {
        &self.names
    }

    /// Returns the result of a search port, with candidates in the order of the corpus.
    pub fn candidates(&self, terms: &[String], vector: Option<&[f32]>, lists: ListLengths) -> CandidateSet {
        let statistics = self.statistics(terms);
        let mut ids: HashMap<&str, u32> = HashMap::new();
        for term in self.analysed.iter().flat_map(|turn| &turn.terms) {
            let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
            ids.entry(term).or_insert(next);
        }
        let all: Vec<Candidate> =
            (0..self.turns.len()).map(|place| self.candidate(place, terms, vector, &ids)).collect();
        let idf: Vec<f32> = statistics.df.iter().map(|df| bm25::idf(statistics.turns, *df)).collect();
        let lexical = |view: usize| {
            let average = statistics.views[view].average_length;
            let score = |candidate: &Candidate| {
                let length = candidate.views.length(LexicalView::ALL[view]) as f32;
                let share = |(tf, idf): (&u32, &f32)| {
                    bm25::term_score(VIEWS[view], *idf, *tf as f32, length, average)
                };
                candidate.views.tf(LexicalView::ALL[view]).iter().zip(&idf).map(share).sum::<f32>()
            };
            all.iter().map(score).map(|score| Some(score).filter(|score| *score > 0.0)).collect::<Vec<_>>()
        };
        let dense = all.iter().map(|candidate| candidate.dense).collect();
        let mut chosen = BTreeSet::new();
        for (scores, length) in [(lexical(2), lists.window), (lexical(0), lists.turn), (dense, lists.dense)] {
            chosen.extend(best(&all, &scores, length));
        }
        let without_vector = all.iter().filter(|candidate| candidate.dense.is_none()).count();
        CandidateSet {
            passages_in_scope: all.len() as u64,
            passages_without_vector: if vector.is_some() { without_vector as u64 } else { 0 },
            candidates: chosen.into_iter().map(|place| all[place].clone()).collect(),
            term_ids: terms.iter().map(|term| ids.get(term.as_str()).copied()).collect(),
            statistics,
            sequence: 0,
            is_cut: false,
        }
    }

    fn statistics(&self, terms: &[String]) -> ScopeStatistics {
        let count = |matches: &dyn Fn(&Analysed) -> bool| {
            u32::try_from(self.analysed.iter().filter(|turn| matches(turn)).count()).unwrap_or(u32::MAX)
        };
        let paths: BTreeSet<&str> = self.turns.iter().filter_map(|turn| turn.path.as_deref()).collect();
        let paths: Vec<Vec<String>> = paths.into_iter().map(path_terms).collect();
        let with = |term: &String| paths.iter().filter(|path| path.contains(term)).count();
        let views = std::array::from_fn(|view| {
            let groups: BTreeSet<&Vec<usize>> = self.analysed.iter().map(|turn| &turn.groups[view]).collect();
            // Windows of two turns may contain the same turns; each is a separate document
            // nonetheless.
            let documents: Vec<&Vec<usize>> = if view == 3 {
                groups.into_iter().collect()
            } else {
                self.analysed.iter().map(|turn| &turn.groups[view]).collect()
            };
            let total: u32 = documents.iter().map(|group| self.length(group)).sum();
            ViewStatistics { average_length: total as f32 / documents.len().max(1) as f32 }
        });
        ScopeStatistics {
            turns: u32::try_from(self.turns.len()).unwrap_or(u32::MAX),
            df: terms.iter().map(|term| count(&|turn| turn.terms.contains(term))).collect(),
            views,
            paths: u32::try_from(paths.len()).unwrap_or(u32::MAX),
            path_df: terms.iter().map(|term| u32::try_from(with(term)).unwrap_or(u32::MAX)).collect(),
            path_average_length: paths.iter().map(Vec::len).sum::<usize>() as f32 / paths.len().max(1) as f32,
            of_scope: true,
        }
    }

    fn length(&self, group: &[usize]) -> u32 {
        group.iter().map(|place| u32::try_from(self.analysed[*place].terms.len()).unwrap_or(u32::MAX)).sum()
    }

    fn candidate(
        &self,
        place: usize,
        terms: &[String],
        vector: Option<&[f32]>,
        ids: &HashMap<&str, u32>,
    ) -> Candidate {
        let (turn, own) = (&self.turns[place], &self.analysed[place]);
        let views: [ViewCounts; 4] = std::array::from_fn(|view| {
            let group = &own.groups[view];
            let words: Vec<&String> = group.iter().flat_map(|place| &self.analysed[*place].terms).collect();
            ViewCounts { length: self.length(group), tf: counts(terms, &words) }
        });
        let path = turn.path.as_deref().map(|path| {
            let path = path_terms(path);
            let words: Vec<&String> = path.iter().collect();
            ViewCounts { length: u32::try_from(path.len()).unwrap_or(u32::MAX), tf: counts(terms, &words) }
        });
        Candidate {
            record: turn.record.clone(),
            version: 1,
            part: turn.part,
            kind: turn.kind,
            state: RecordState::Active,
            views: Views::of(views.each_ref()),
            path,
            dense: vector.zip(turn.vector.as_deref()).map(|(a, b)| dot(a, b)),
            dense_window: vector.and_then(|vector| Some(dot(vector, &self.context(place)?))),
            question_before: vector.and_then(|vector| self.question_before(place, vector)),
            terms: own.terms.iter().map(|term| ids[term.as_str()]).collect(),
            flags: own.flags.0,
            speaker: own.speaker.clone(),
            role: turn.role,
            session: turn.session,
            position: own.position,
            time: turn.time.unwrap_or(Timestamp::EPOCH),
            has_time: turn.time.is_some(),
        }
    }

    /// Returns the cosine of the previous turn, if it is a short question.
    fn question_before(&self, place: usize, vector: &[f32]) -> Option<f32> {
        self.turns[place].vector.as_ref()?;
        let own = &self.analysed[place];
        let at = usize::try_from(own.position).ok()?.checked_sub(1)?;
        let before = *own.groups[3].get(at)?;
        let asks = self.analysed[before].flags.question();
        asks.then(|| self.turns[before].vector.as_deref().map(|other| dot(vector, other)))?
    }

    /// Returns the normalised weighted sum of the vectors of a turn and its neighbours.
    fn context(&self, place: usize) -> Option<Vector> {
        let own = self.turns[place].vector.as_ref()?;
        let session = &self.analysed[place].groups[3];
        let position = self.analysed[place].position as isize;
        let mut sum = vec![0.0; own.len()];
        for (offset, weight) in CONTEXT {
            let neighbour = usize::try_from(position + offset).ok().and_then(|at| session.get(at));
            if let Some(vector) = neighbour.and_then(|place| self.turns[*place].vector.as_ref()) {
                sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        let norm = dot(&sum, &sum).sqrt();
        Some(sum.into_iter().map(|value| value / norm).collect())
    }
}

fn counts(terms: &[String], words: &[&String]) -> Vec<u32> {
    let count = |term: &String| words.iter().filter(|word| **word == term).count();
    terms.iter().map(|term| u32::try_from(count(term)).unwrap_or(u32::MAX)).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the indexes of the highest scores; newer first among equal ones, then by id.
fn best(all: &[Candidate], scores: &[Option<f32>], length: usize) -> Vec<usize> {
    let mut places: Vec<(usize, f32)> =
        scores.iter().enumerate().filter_map(|(place, score)| Some((place, (*score)?))).collect();
    places.sort_by(|(left, a), (right, b)| {
        let (x, y) = (&all[*left], &all[*right]);
        let order: Ordering = b.total_cmp(a).then_with(|| y.time.cmp(&x.time));
        order.then_with(|| (&x.record, x.part).cmp(&(&y.record, y.part)))
    });
    places.into_iter().take(length).map(|(place, _)| place).collect()
}
