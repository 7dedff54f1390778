//! The union of the three lists, with everything the signals read (retrieval.md §5, §6).

use loci_model::ports::search::{Candidate, CandidateRequest, CandidateSet, ListLengths};

use crate::bits::Bits;
use crate::chains::OWN;
use crate::columns::NONE;
use crate::dense::Asked;
use crate::link::in_session;
use crate::memory_index::MemoryIndex;
use crate::statistics::TermTable;
use crate::views::SessionCounts;

/// Passages of a memory from which on the lists are the longer ones.
const MANY_PASSAGES: usize = 10_000;
/// Passages of a session up to which looking at each number is faster than comparing places.
const SCANNED_MAX: usize = 512;

impl MemoryIndex {
    /// Candidates for a question, and the statistics to rank them by.
    pub fn candidates(&self, request: &CandidateRequest) -> CandidateSet {
        let table = self.term_table(&request.terms);
        let seen = self.seen_groups(&request.scope);
        let asked_groups = self.asked_groups(&request.scope, &seen);
        let scope = self.passages_in(&request.scope, &asked_groups);
        let counted = self.count(&table, &seen, &asked_groups);
        let lengths = request.lists.unwrap_or_else(|| self.usual_lengths());
        let asked = request.vector.as_ref().and_then(|(vector, model)| self.asked(vector, model));
        let lists = self.best_by_terms(&counted, &scope, (lengths.window, lengths.turn));
        let mut passages = lists.window;
        passages.extend(lists.turn);
        if let Some(asked) = &asked {
            passages.extend(self.best_by_vector(asked, &scope, lengths.dense));
        }
        passages.sort_unstable();
        passages.dedup();
        passages.sort_by(|a, b| self.by_id(*a, *b));
        let sessions = self.session_views(&table, &counted, &passages);
        let filled =
            passages.iter().filter_map(|passage| self.candidate(*passage, &table, &sessions, asked.as_ref()));
        CandidateSet {
            candidates: filled.collect(),
            statistics: counted.statistics,
            passages_in_scope: scope.count() as u64,
            passages_without_vector: (scope.count() - self.with_vector(request, asked.as_ref(), &scope))
                as u64,
            sequence: self.sequence,
            term_ids: table.numbers,
        }
    }

    fn usual_lengths(&self) -> ListLengths {
        let length = if self.live.count() < MANY_PASSAGES { 200 } else { 400 };
        ListLengths { window: length, turn: length, dense: length }
    }

    fn by_id(&self, left: u32, right: u32) -> std::cmp::Ordering {
        let (a, b) = (self.columns.row(left), self.columns.row(right));
        let ids = || self.records.row(a.record).id.cmp(&self.records.row(b.record).id);
        ids().then(a.part.cmp(&b.part))
    }

    /// Passages in scope with a vector of the question's model; without a question vector, of any model.
    fn with_vector(&self, request: &CandidateRequest, asked: Option<&Asked<'_>>, scope: &Bits) -> usize {
        match (asked, &request.vector) {
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
        table: &TermTable,
        sessions: &SessionCounts,
        asked: Option<&Asked<'_>>,
    ) -> Option<Candidate> {
        let row = self.columns.row(passage);
        let record = self.records.row(row.record);
        let chain = self.columns.chain[passage as usize];
        let (first, second) = self.columns.terms(passage);
        Some(Candidate {
            record: self.records.id(row.record)?,
            version: record.version,
            part: row.part,
            kind: record.kind,
            state: record.state,
            views: [
                self.view(table, [passage].into_iter()),
                self.view(table, self.columns.pair(passage)),
                self.view(table, self.columns.window(passage)),
                sessions.get(&chain).cloned().unwrap_or_default(),
            ],
            path: self.path_view(table, record.path),
            dense: asked.and_then(|asked| self.cosine(asked, passage)),
            dense_window: asked.and_then(|asked| self.cosine_in_context(asked, passage)),
            terms: [first, second].concat(),
            flags: row.flags_now(),
            speaker: (row.stripped && row.name != NONE).then(|| self.names.text(row.name).to_owned()),
            role: record.role,
            session: chain,
            position: self.position(passage, chain),
            time: record.time,
            has_time: record.has_time,
        })
    }

    /// The place of a passage in its session, from 0.
    pub(crate) fn position(&self, passage: u32, chain: u32) -> u32 {
        let session = self.session(chain);
        let at = if chain & OWN == 0 && session.len() > SCANNED_MAX {
            let before = |other: &u32| in_session(&self.records, &self.columns, *other, passage).is_lt();
            session.partition_point(before)
        } else {
            session.iter().position(|other| *other == passage).unwrap_or(0)
        };
        at as u32
    }
}
