//! The search for candidates: the union of the best passages by vector, by window and by turn, with
//! the inputs of all ranking signals.

use std::cell::RefCell;

use loci_model::ports::embedder::Vector;
use loci_model::ports::search::{Candidate, CandidateRequest, CandidateSet, ListLengths};
use loci_text::TurnFlags;

use crate::changes::link::in_session;
use crate::columns::NONE;
use crate::columns::chains::OWN;
use crate::kernels::ask_for;
use crate::memory_index::MemoryIndex;
use crate::primitives::bits::Bits;
use crate::search::dense::DenseQuestion;
use crate::search::lexical::Lists;
use crate::search::marks::Marks;
use crate::search::statistics::{TermStatistics, TermTable};
use crate::search::views::{SessionCounts, ViewCountInput};

/// The number of passages in each list, if the request specifies none.
pub(crate) const LENGTHS: Lengths = Lengths { many_passages: 10_000, few: 200, many: 400 };
/// The maximum length of a session for a linear search; in longer ones a binary search by position
/// is faster.
const SCANNED_MAX: usize = 512;
/// The number of candidates by which prefetching of vectors is ahead.
const AHEAD: usize = 4;

thread_local! {
    /// The term marks of the current request. Each thread reuses them, sized for the largest index
    /// that it has searched.
    static MARKS: RefCell<Marks> = RefCell::default();
}

/// The number of passages in a list, by the size of the memory.
pub(crate) struct Lengths {
    /// The number of passages in a memory from which lists are longer.
    many_passages: usize,
    few: usize,
    many: usize,
}

impl Lengths {
    /// Returns the number of passages in a list for a memory with `passages` passages.
    pub(crate) fn of(&self, passages: usize) -> usize {
        if passages < self.many_passages { self.few } else { self.many }
    }
}

impl MemoryIndex {
    /// Returns the candidate passages for a query, with the statistics for ranking them.
    pub fn candidates(&self, request: &CandidateRequest) -> CandidateSet {
        self.candidates_meanwhile(request, || request.vector.clone())
    }

    /// Like [`MemoryIndex::candidates`], but calls for the query's vector only after all work on
    /// terms, so that another thread can compute the vector meanwhile. A vector in the request is
    /// ignored.
    pub fn candidates_meanwhile(
        &self,
        request: &CandidateRequest,
        vector: impl FnOnce() -> Option<(Vector, String)>,
    ) -> CandidateSet {
        let table = self.term_table(&request.terms);
        let seen = self.seen_groups(&request.scope);
        let asked_groups = self.asked_groups(&request.scope, &seen);
        let scope = self.passages_in(&request.scope, &asked_groups);
        let counted = self.count(&table, &seen, &asked_groups);
        self.answer(request, LENGTHS.of(self.live.count()), table, counted, &scope, vector)
    }

    /// Returns the best passages of a scope, by counted terms and by the vector that `vector`
    /// returns.
    pub(crate) fn answer(
        &self,
        request: &CandidateRequest,
        usual: usize,
        table: TermTable,
        counted: TermStatistics<'_>,
        scope: &Bits,
        vector: impl FnOnce() -> Option<(Vector, String)>,
    ) -> CandidateSet {
        let usual = ListLengths { window: usual, turn: usual, dense: usual };
        let lengths = request.lists.unwrap_or(usual);
        let (candidates, without_vector) = MARKS.with_borrow_mut(|marks| {
            marks.mark(&counted.lists, self.columns.len());
            let lists = self.best_by_terms(&counted, marks, scope, (lengths.window, lengths.turn));
            let counting = ViewCountInput { columns: &self.columns, marks, lists: &counted.lists };
            let mut sessions = SessionCounts::default();
            let mut filled = |passages| self.filled(passages, &counting, &table, &mut sessions);
            let listed = union(lists);
            let by_words = filled(listed.clone());
            let vector = vector();
            let compared = |vector: Option<&(Vector, String)>| {
                vector.and_then(|(vector, model)| self.asked(vector, model))
            };
            let asked = compared(vector.as_ref());
            let is_other = |earlier: &DenseQuestion<'_>| {
                asked.as_ref().is_none_or(|asked| !std::ptr::eq(asked.space, earlier.space))
            };
            let earlier = compared(request.earlier.as_ref()).filter(is_other);
            let spaces: Vec<&DenseQuestion<'_>> = asked.iter().chain(&earlier).collect();
            let mut candidates = by_words;
            if !spaces.is_empty() {
                let mut others = self.best_of_spaces(&spaces, scope, lengths.dense);
                others.retain(|passage| listed.binary_search(passage).is_err());
                candidates = self.merged(candidates, filled(others));
                spaces.iter().for_each(|asked| self.add_cosines(asked, &mut candidates));
            }
            marks.wipe(&counted.lists);
            (candidates, scope.count() - self.with_vector(vector.as_ref(), asked.as_ref(), scope))
        });
        CandidateSet {
            candidates: candidates.into_iter().map(|(_, candidate)| candidate).collect(),
            statistics: counted.statistics,
            passages_in_scope: scope.count() as u64,
            passages_without_vector: without_vector as u64,
            sequence: self.sequence,
            term_ids: table.numbers,
            is_cut: false,
        }
    }

    /// Returns the best passages in scope by cosine, in the space of each embedding model. Cosines
    /// of different models are not comparable, so each space gets a share of the list in proportion
    /// to its passages.
    fn best_of_spaces(&self, spaces: &[&DenseQuestion<'_>], scope: &Bits, length: usize) -> Vec<u32> {
        if let [only] = spaces {
            return self.best_by_vector(only, scope, length);
        }
        let held: Vec<usize> = spaces.iter().map(|asked| asked.space.holders.count_shared(scope)).collect();
        let all = held.iter().sum::<usize>().max(1);
        let share = |held: usize| length.saturating_mul(held).div_ceil(all);
        let best =
            |(asked, held): (&&DenseQuestion<'_>, &usize)| self.best_by_vector(asked, scope, share(*held));
        spaces.iter().zip(&held).flat_map(best).collect()
    }

    /// Returns the signal inputs of these passages except their vectors, by record id and part.
    fn filled(
        &self,
        passages: Vec<u32>,
        counting: &ViewCountInput<'_>,
        table: &TermTable,
        sessions: &mut SessionCounts,
    ) -> Vec<(u32, Candidate)> {
        let ordered = self.ordered(passages);
        let mut filled = Vec::with_capacity(ordered.len());
        for (at, passage) in ordered.iter().enumerate() {
            ordered.get(at + AHEAD).iter().for_each(|soon| self.ask_for_passage(**soon));
            let candidate = self.candidate(*passage, counting, table, sessions);
            filled.extend(candidate.map(|candidate| (*passage, candidate)));
        }
        filled
    }

    /// Returns the passages by record id and part.
    fn ordered(&self, mut passages: Vec<u32>) -> Vec<u32> {
        let key = |passage: &u32| {
            let row = self.columns.row(*passage);
            Some((self.records.row(row.record).id.number()?, row.part, *passage))
        };
        match passages.iter().map(key).collect::<Option<Vec<_>>>() {
            Some(mut keyed) => {
                keyed.sort_unstable();
                keyed.into_iter().map(|(_, _, passage)| passage).collect()
            }
            None => {
                passages.sort_by(|a, b| self.by_id(*a, *b));
                passages
            }
        }
    }

    /// Merges two lists by record id and part.
    fn merged(&self, first: Vec<(u32, Candidate)>, second: Vec<(u32, Candidate)>) -> Vec<(u32, Candidate)> {
        let mut merged = Vec::with_capacity(first.len() + second.len());
        let mut second = second.into_iter().peekable();
        for one in first {
            while let Some(other) = second.next_if(|other| self.by_id(other.0, one.0).is_lt()) {
                merged.push(other);
            }
            merged.push(one);
        }
        merged.extend(second);
        merged
    }

    /// Compares the vectors of candidates with that of the question.
    fn add_cosines(&self, asked: &DenseQuestion<'_>, candidates: &mut [(u32, Candidate)]) {
        let passages: Vec<u32> = candidates.iter().map(|(passage, _)| *passage).collect();
        for (at, (passage, candidate)) in candidates.iter_mut().enumerate() {
            passages.get(at + AHEAD).iter().for_each(|soon| self.ask_for_context(asked, **soon));
            let Some(cosines) = self.cosines(asked, *passage) else { continue };
            candidate.dense = Some(cosines.own);
            candidate.dense_window = Some(cosines.in_context);
            candidate.question_before = cosines.before.filter(|_| self.follows_a_question(*passage));
        }
    }

    /// Prefetches the data that [`MemoryIndex::candidate`] will read.
    fn ask_for_passage(&self, passage: u32) {
        ask_for(self.columns.all_terms(passage));
        ask_for(self.records.row(self.columns.row(passage).record));
        self.chains.get(self.columns.chain[passage as usize]).iter().for_each(|chain| ask_for(*chain));
    }

    fn by_id(&self, left: u32, right: u32) -> std::cmp::Ordering {
        let (a, b) = (self.columns.row(left), self.columns.row(right));
        let ids = || self.records.row(a.record).id.cmp(&self.records.row(b.record).id);
        ids().then(a.part.cmp(&b.part))
    }

    /// Returns the number of passages in scope with a vector of the question's model; without a
    /// question vector, of any model.
    fn with_vector(
        &self,
        vector: Option<&(Vector, String)>,
        asked: Option<&DenseQuestion<'_>>,
        scope: &Bits,
    ) -> usize {
        match (asked, vector) {
            (Some(asked), _) => asked.space.holders.count_shared(scope),
            (None, Some((vector, model))) => self
                .vectors
                .space(model, vector.len())
                .map_or(0, |(_, space)| space.holders.count_shared(scope)),
            (None, None) => self.vectors.spaces().iter().map(|space| space.holders.count_shared(scope)).sum(),
        }
    }

    fn candidate(
        &self,
        passage: u32,
        counting: &ViewCountInput<'_>,
        table: &TermTable,
        sessions: &mut SessionCounts,
    ) -> Option<Candidate> {
        let row = self.columns.row(passage);
        let record = self.records.row(row.record);
        let chain = self.columns.chain[passage as usize];
        let (first, second) = self.columns.terms(passage);
        let is_alone = chain & OWN != 0 && record.passages.len() == 1;
        let views = if is_alone {
            counting.alone(passage)
        } else {
            counting.among(passage, self.session_view(counting, sessions, chain))
        };
        Some(Candidate {
            record: self.records.id(row.record)?,
            version: record.version,
            part: row.part,
            kind: record.kind,
            state: record.state,
            views,
            path: self.path_view(table, record.path),
            dense: None,
            dense_window: None,
            question_before: None,
            terms: [first, second].concat(),
            flags: row.flags_now(),
            speaker: (row.stripped && row.name != NONE).then(|| self.names.text(row.name).to_owned()),
            role: record.role,
            session: chain,
            position: if is_alone { 0 } else { self.position(passage, chain) },
            time: record.time,
            has_time: record.has_time,
        })
    }

    /// Returns true if the previous passage in the session is a short question.
    fn follows_a_question(&self, passage: u32) -> bool {
        let before = self.columns.before(passage);
        before.is_some_and(|before| TurnFlags(self.columns.row(before).flags_now()).question())
    }

    /// Returns the index of a passage in its session, from 0.
    pub(crate) fn position(&self, passage: u32, chain: u32) -> u32 {
        let shared = self.chains.get(chain).map_or(&[][..], |shared| &shared.members);
        let at = if shared.len() > SCANNED_MAX {
            let before = |other: &u32| in_session(&self.records, &self.columns, *other, passage).is_lt();
            shared.partition_point(before)
        } else {
            self.session(chain).position(|other| other == passage).unwrap_or(0)
        };
        at as u32
    }
}

/// Returns the passages of the lists without duplicates, ascending.
fn union(lists: Lists) -> Vec<u32> {
    let mut passages = lists.window;
    passages.extend(lists.turn);
    passages.sort_unstable();
    passages.dedup();
    passages
}
