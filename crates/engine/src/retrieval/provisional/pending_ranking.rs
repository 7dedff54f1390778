//! Ranks pending turns together with the candidates of the index, by the same signals and weights,
//! as if they were indexed without vectors. Pure.
//!
//! Stored records keep their score. A pending turn has no vector: if the query has one, the offset
//! of the calibration replaces the two missing terms, as it does if the query has no vector.

use std::collections::{BTreeMap, HashMap};

use loci_model::event::Role;
use loci_model::ports::search::{Candidate, CandidateSet, LexicalView, ScopeStatistics, ViewCounts, Views};
use loci_model::record::Record;
use loci_model::{ActorId, SessionId};
use loci_text::{TurnFlags, analyse_turn};

use super::super::query::ParsedQuery;
use super::super::ranking::{self, Ranked};
use super::super::weights::Weights;

/// The candidates of the index, followed by the pending ones.
pub(in crate::retrieval) struct PendingCandidates {
    set: CandidateSet,
    /// Number of candidates of the index.
    stored: usize,
}

/// The actor and session of a turn.
type Conversation<'a> = Option<(&'a ActorId, &'a SessionId)>;

/// A pending turn with its counts.
struct CountedTurn<'a> {
    record: &'a Record,
    terms: Vec<String>,
    flags: TurnFlags,
    speaker: Option<String>,
    counts: ViewCounts,
}

/// Adds records to a set of candidates. `names` are those known in the scope, sorted.
pub(in crate::retrieval) fn beside(
    set: &CandidateSet,
    asked: &ParsedQuery,
    records: &[&Record],
    names: &[String],
) -> PendingCandidates {
    let mut set = set.clone();
    let stored = set.candidates.len();
    let mut ids = Ids::new(&set, &asked.terms);
    let next = set
        .candidates
        .iter()
        .map(|candidate| candidate.session)
        .max()
        .map_or(0, |last| last.saturating_add(1));
    for (session, counted) in (next..).zip(by_session(records, &asked.terms, names)) {
        add_session(&mut set, &mut ids, session, &counted);
    }
    set.term_ids = asked.terms.iter().map(|term| ids.known.get(term).copied()).collect();
    PendingCandidates { set, stored }
}

/// Returns the ranked list including the pending turns.
pub(in crate::retrieval) fn ranked<'a>(
    mut list: Vec<Ranked<'a>>,
    beside: &'a PendingCandidates,
    asked: &ParsedQuery,
    weights: &Weights,
) -> Vec<Ranked<'a>> {
    let values = ranking::signal_values(&asked.question, &asked.terms, &beside.set, weights.lexical_scale);
    let offset = if asked.vector.is_some() { weights.calibration.offset_without_vectors } else { 0.0 };
    let waiting = beside.set.candidates.iter().zip(values).skip(beside.stored);
    list.extend(waiting.map(|(candidate, values)| Ranked {
        candidate,
        score: ranking::sum(&values, weights) + offset,
        values,
    }));
    ranking::in_order(list)
}

/// Ids of terms in one response.
struct Ids {
    known: HashMap<String, u32>,
    next: u32,
}

impl Ids {
    fn new(set: &CandidateSet, terms: &[String]) -> Self {
        let known: HashMap<String, u32> =
            terms.iter().cloned().zip(&set.term_ids).filter_map(|(term, id)| Some((term, (*id)?))).collect();
        let used = set.candidates.iter().flat_map(|candidate| &candidate.terms).chain(known.values());
        let next = used.max().map_or(0, |last| last.saturating_add(1));
        Self { known, next }
    }

    fn of(&mut self, term: &str) -> u32 {
        if let Some(id) = self.known.get(term) {
            return *id;
        }
        let id = self.next;
        self.next = self.next.saturating_add(1);
        self.known.insert(term.to_owned(), id);
        id
    }
}

/// Returns the turns of each session in their order.
fn by_session<'a>(records: &[&'a Record], terms: &[String], names: &[String]) -> Vec<Vec<CountedTurn<'a>>> {
    let mut sessions: BTreeMap<Conversation<'_>, Vec<&Record>> = BTreeMap::new();
    for record in records {
        let from = &record.provenance;
        sessions.entry(from.actor.as_ref().zip(from.session.as_ref())).or_default().push(record);
    }
    let counted = |mut together: Vec<&'a Record>| {
        together.sort_by_key(|record| {
            let from = &record.provenance;
            let run = from.run.as_ref().map(|run| (run.run.clone(), run.first));
            (run, record.timestamp, from.sources.first().cloned(), record.id.clone())
        });
        together.into_iter().map(|record| counted(record, terms, names)).collect()
    };
    sessions.into_values().map(counted).collect()
}

fn counted<'a>(record: &'a Record, terms: &[String], names: &[String]) -> CountedTurn<'a> {
    let turn = analyse_turn(record.indexed());
    let prefix = turn.prefix.filter(|prefix| names.binary_search(&prefix.name).is_ok());
    let (taken_off, flags) = prefix.as_ref().map_or((0, turn.flags), |prefix| (prefix.terms, prefix.flags));
    let own: Vec<String> = turn.terms.into_iter().skip(taken_off).collect();
    let tf = terms.iter().map(|term| count(own.iter().filter(|own| *own == term).count())).collect();
    let counts = ViewCounts { length: count(own.len()), tf };
    CountedTurn { record, terms: own, flags, speaker: prefix.map(|prefix| prefix.name), counts }
}

/// Adds the turns of one session, and updates the averages.
fn add_session(set: &mut CandidateSet, ids: &mut Ids, session: u32, turns: &[CountedTurn<'_>]) {
    let whole = together(turns);
    for (at, turn) in turns.iter().enumerate() {
        let from_to = |before: usize, after: usize| {
            let end = at.saturating_add(after).saturating_add(1).min(turns.len());
            together(turns.get(at.saturating_sub(before)..end).unwrap_or_default())
        };
        let (pair, window) = (from_to(1, 0), from_to(2, 1));
        let views = [&turn.counts, &pair, &window, &whole];
        note(&mut set.statistics, views);
        let role: Option<Role> = turn.record.provenance.role;
        set.candidates.push(Candidate {
            record: turn.record.id.clone(),
            version: turn.record.version,
            part: 0,
            kind: turn.record.kind,
            state: turn.record.state,
            views: Views::of(views),
            path: None,
            dense: None,
            dense_window: None,
            question_before: None,
            terms: turn.terms.iter().map(|term| ids.of(term)).collect(),
            flags: turn.flags.0,
            speaker: turn.speaker.clone(),
            role,
            session,
            position: count(at),
            time: turn.record.timestamp,
            has_time: true,
        });
    }
}

/// Returns the counts of several turns as one text.
fn together(turns: &[CountedTurn<'_>]) -> ViewCounts {
    let mut sum = ViewCounts::default();
    for turn in turns {
        sum.length = sum.length.saturating_add(turn.counts.length);
        sum.tf.resize(turn.counts.tf.len(), 0);
        for (sum, tf) in sum.tf.iter_mut().zip(&turn.counts.tf) {
            *sum = sum.saturating_add(*tf);
        }
    }
    sum
}

/// Adds one turn to the averages. Each view has one text per turn, so all are means over the turns.
fn note(statistics: &mut ScopeStatistics, views: [&ViewCounts; 4]) {
    let before = statistics.turns as f32;
    statistics.turns = statistics.turns.saturating_add(1);
    for (mean, view) in statistics.views.iter_mut().zip(views) {
        mean.average_length = (mean.average_length * before + view.length as f32) / (before + 1.0);
    }
    let own = &views[LexicalView::Turn as usize].tf;
    statistics.df.resize(own.len(), 0);
    for (df, tf) in statistics.df.iter_mut().zip(own) {
        *df = df.saturating_add(u32::from(*tf > 0));
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
