//! The reference implementation: computes every result from raw texts by the formulas of the
//! ranking, without optimisation. It keeps no state between two questions.

use std::collections::{BTreeMap, BTreeSet};

use loci_index::StoredVector;
use loci_model::ports::search::{CandidateRequest, ScopeStatistics, ViewCounts, ViewStatistics};
use loci_model::record::RecordState;
use loci_model::record::metadata::{MetadataValue, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT};
use loci_model::record::provenance::Position;
use loci_model::record::scope::RecordScope;
use loci_model::{RecordId, Timestamp};
use loci_text::{bm25, terms, turn::speaker_prefix};

use crate::raw_records::RawRecord;

/// The tolerance between two ways to compute a cosine.
pub(crate) const NEAR: f64 = 2e-3;

/// The records by id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Twin(pub(crate) BTreeMap<RecordId, RawRecord>);

/// A parsed passage.
#[derive(Debug, Clone)]
pub(crate) struct Passage<'a> {
    pub(crate) raw: &'a RawRecord,
    pub(crate) part: u32,
    pub(crate) speaker: Option<String>,
    pub(crate) terms: Vec<String>,
    pub(crate) flags: u16,
    vector: Option<(Vec<f64>, &'static str)>,
    /// The number of its session, and its position in it.
    pub(crate) session: usize,
    pub(crate) position: usize,
}

/// The required and the permitted candidates.
pub(crate) struct Expected {
    pub(crate) must: BTreeSet<usize>,
    pub(crate) may: BTreeSet<usize>,
    pub(crate) in_scope: usize,
    pub(crate) without_vector: usize,
    pub(crate) statistics: ScopeStatistics,
}

/// All passages in their sessions.
pub(crate) struct Reading<'a> {
    pub(crate) passages: Vec<Passage<'a>>,
    sessions: Vec<Vec<usize>>,
}

type ChainKey<'a> =
    (&'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>, Option<&'a str>, Option<&'a str>);
type Order<'a> = (&'a Position, u32, &'a str);

impl Twin {
    /// Returns the names at the start of at least two active turns of conversation, with these
    /// turns.
    fn carriers(&self) -> BTreeMap<String, Vec<&RawRecord>> {
        let mut carriers: BTreeMap<String, Vec<&RawRecord>> = BTreeMap::new();
        for raw in self.0.values().filter(|raw| raw.head.verbatim && raw.head.state == RecordState::Active) {
            for (name, _) in raw.passages.iter().filter_map(|(_, text, _)| speaker_prefix(text)) {
                carriers.entry(name.to_owned()).or_default().push(raw);
            }
        }
        carriers.retain(|_, raws| raws.len() >= 2);
        carriers
    }

    pub(crate) fn known_names(&self, scope: &RecordScope) -> Vec<String> {
        let seen = |raws: &Vec<&RawRecord>| raws.iter().any(|raw| may_see(scope, raw));
        self.carriers().into_iter().filter(|(_, raws)| seen(raws)).map(|(name, _)| name).collect()
    }

    pub(crate) fn read(&self) -> Reading<'_> {
        let known = self.carriers();
        let mut passages = Vec::new();
        let mut sessions: BTreeMap<ChainKey<'_>, Vec<(Order<'_>, usize)>> = BTreeMap::new();
        for raw in self.0.values() {
            for (part, text, vector) in &raw.passages {
                let prefix = speaker_prefix(text).filter(|(name, _)| known.contains_key(*name));
                let rest = prefix.map_or(text.as_str(), |(_, rest)| rest);
                let path = raw.head.path.as_deref().map(terms).unwrap_or_default();
                sessions.entry(chain_of(raw)).or_default().push((order_of(raw, *part), passages.len()));
                passages.push(Passage {
                    raw,
                    part: *part,
                    speaker: prefix.map(|(name, _)| name.to_owned()),
                    terms: path.into_iter().chain(terms(rest)).collect(),
                    flags: loci_text::turn_flags(rest).0,
                    vector: vector.as_ref().map(|(values, model)| (dequantised(values), *model)),
                    session: 0,
                    position: 0,
                });
            }
        }
        let mut chains = Vec::new();
        for mut members in sessions.into_values() {
            members.sort();
            for (position, (_, passage)) in members.iter().enumerate() {
                passages[*passage].session = chains.len();
                passages[*passage].position = position;
            }
            chains.push(members.into_iter().map(|(_, passage)| passage).collect());
        }
        Reading { passages, sessions: chains }
    }
}

impl Reading<'_> {
    pub(crate) fn expected(&self, request: &CandidateRequest) -> Expected {
        let all = || 0..self.passages.len();
        let scope: Vec<usize> = all().filter(|at| in_scope(&request.scope, self.passages[*at].raw)).collect();
        let statistics = self.statistics(request);
        let many = if self.passages.len() < 10_000 { 200 } else { 400 };
        let lists = request.lists.map_or([many; 3], |lists| [lists.window, lists.turn, lists.dense]);
        let mut must = BTreeSet::new();
        for (view, length) in [(2, lists[0]), (0, lists[1])] {
            let scores = scope.iter().map(|at| (self.score(request, &statistics, *at, view), *at));
            let mut scored: Vec<(f32, usize)> = scores.filter(|(score, _)| *score > 0.0).collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| self.newer_first(a.1, b.1)));
            must.extend(scored.into_iter().take(length).map(|(_, at)| at));
        }
        let mut may = must.clone();
        let mut cosines: Vec<(f64, usize)> =
            scope.iter().filter_map(|at| self.cosine(request, *at).map(|cosine| (cosine, *at))).collect();
        cosines.sort_by(|a, b| b.0.total_cmp(&a.0));
        let with_vector = cosines.len();
        if lists[2] > 0 && with_vector > 0 {
            let last = cosines[lists[2].min(with_vector) - 1].0;
            let slack = if lists[2] >= with_vector { -3.0 } else { NEAR };
            must.extend(cosines.iter().filter(|(cosine, _)| *cosine > last + slack).map(|(_, at)| *at));
            may.extend(cosines.iter().filter(|(cosine, _)| *cosine > last - NEAR).map(|(_, at)| *at));
        }
        let held = scope.iter().filter(|at| match (&self.passages[**at].vector, &request.vector) {
            (Some((values, model)), Some((question, asked))) => {
                model == asked && values.len() == question.len()
            }
            (held, None) => held.is_some(),
            (None, Some(_)) => false,
        });
        let without_vector = scope.len() - held.count();
        Expected { must, may, in_scope: scope.len(), without_vector, statistics }
    }

    fn statistics(&self, request: &CandidateRequest) -> ScopeStatistics {
        let scope = &request.scope;
        let active = |passage: &&Passage<'_>| passage.raw.head.state == RecordState::Active;
        let seen: Vec<&Passage<'_>> =
            self.passages.iter().filter(active).filter(|passage| may_see(scope, passage.raw)).collect();
        let asks = |raw: &RawRecord| scope.asks_for(&raw.head.namespace, raw.head.strategy.as_ref());
        let asked: Vec<&Passage<'_>> = seen.iter().copied().filter(|passage| asks(passage.raw)).collect();
        let of_scope = asked.len() >= 100;
        let counted = if of_scope { &asked } else { &seen };
        let paths: BTreeSet<(&str, &str)> = counted
            .iter()
            .filter_map(|passage| {
                Some((passage.raw.head.namespace.as_str(), passage.raw.head.path.as_deref()?))
            })
            .collect();
        let path_terms: Vec<Vec<String>> = paths.iter().map(|(_, path)| terms(path)).collect();
        let having = |term: &String, of: &[&Vec<String>]| {
            of.iter().filter(|terms| terms.contains(term)).count() as u32
        };
        let turn_terms: Vec<&Vec<String>> = counted.iter().map(|passage| &passage.terms).collect();
        let sessions: BTreeSet<usize> = seen.iter().map(|passage| passage.session).collect();
        let view = |at: usize| {
            let (sum, count) = if at == 3 {
                // Count only the visible turns of a session: restricted grants show a part of it.
                (seen.iter().map(|passage| passage.terms.len() as u64).sum::<u64>(), sessions.len())
            } else {
                let place = |passage: &&Passage<'_>| self.sessions[passage.session][passage.position];
                (
                    seen.iter().map(|passage| self.length(self.group(place(passage), at).into_iter())).sum(),
                    seen.len(),
                )
            };
            ViewStatistics { average_length: mean(sum, count) }
        };
        ScopeStatistics {
            turns: counted.len() as u32,
            df: request.terms.iter().map(|term| having(term, &turn_terms)).collect(),
            views: [view(0), view(1), view(2), view(3)],
            paths: paths.len() as u32,
            path_df: request
                .terms
                .iter()
                .map(|term| having(term, &path_terms.iter().collect::<Vec<_>>()))
                .collect(),
            path_average_length: mean(path_terms.iter().map(|terms| terms.len() as u64).sum(), paths.len()),
            of_scope,
        }
    }

    /// Returns the passages in a view of a passage.
    fn group(&self, at: usize, view: usize) -> Vec<usize> {
        let passage = &self.passages[at];
        let session = &self.sessions[passage.session];
        let (before, after) = [(0, 0), (1, 0), (2, 1), (usize::MAX, session.len())][view];
        let from = passage.position.saturating_sub(before);
        session[from..session.len().min(passage.position + after + 1)].to_vec()
    }

    fn length(&self, passages: impl Iterator<Item = usize>) -> u64 {
        passages.map(|at| self.passages[at].terms.len() as u64).sum()
    }

    pub(crate) fn view(&self, request: &CandidateRequest, at: usize, view: usize) -> ViewCounts {
        let group = self.group(at, view);
        let count = |term: &String| {
            let of =
                |at: &usize| self.passages[*at].terms.iter().filter(|other| *other == term).count() as u32;
            group.iter().map(of).sum()
        };
        let tf = request.terms.iter().map(count).collect();
        ViewCounts { length: self.length(group.iter().copied()) as u32, tf }
    }

    pub(crate) fn path(&self, request: &CandidateRequest, at: usize) -> Option<ViewCounts> {
        let path = terms(self.passages[at].raw.head.path.as_deref()?);
        let count = |term: &String| path.iter().filter(|other| *other == term).count() as u32;
        Some(ViewCounts { length: path.len() as u32, tf: request.terms.iter().map(count).collect() })
    }

    fn score(&self, request: &CandidateRequest, statistics: &ScopeStatistics, at: usize, view: usize) -> f32 {
        let counts = self.view(request, at, view);
        let constants = [bm25::TURN, bm25::PAIR, bm25::WINDOW, bm25::SESSION][view];
        let average = statistics.views[view].average_length;
        let mut score = 0.0;
        for (tf, df) in counts.tf.iter().zip(&statistics.df) {
            let idf = bm25::idf(statistics.turns, *df);
            score += bm25::term_score(constants, idf, *tf as f32, counts.length as f32, average);
        }
        score
    }

    fn newer_first(&self, left: usize, right: usize) -> std::cmp::Ordering {
        let key = |at: usize| {
            let passage = &self.passages[at];
            let head = &passage.raw.head;
            (std::cmp::Reverse(head.position.time), head.record.clone(), passage.part)
        };
        key(left).cmp(&key(right))
    }

    fn comparable<'a>(&'a self, request: &'a CandidateRequest, at: usize) -> Option<(&'a [f64], &'a [f32])> {
        let (question, asked) = request.vector.as_ref()?;
        let (values, model) = self.passages[at].vector.as_ref()?;
        (model == asked && values.len() == question.len()).then_some((values, question))
    }

    pub(crate) fn cosine(&self, request: &CandidateRequest, at: usize) -> Option<f64> {
        self.comparable(request, at).map(|(values, question)| cosine(values, question))
    }

    /// Returns the cosine of the previous turn, if it is a short question and both have vectors.
    pub(crate) fn question_before(&self, request: &CandidateRequest, at: usize) -> Option<f64> {
        self.comparable(request, at)?;
        let passage = &self.passages[at];
        let before = *self.sessions[passage.session].get(passage.position.checked_sub(1)?)?;
        if !loci_text::TurnFlags(self.passages[before].flags).question() {
            return None;
        }
        self.comparable(request, before).map(|(values, question)| cosine(values, question))
    }

    pub(crate) fn cosine_in_context(&self, request: &CandidateRequest, at: usize) -> Option<f64> {
        let (values, question) = self.comparable(request, at)?;
        let mut sum = values.to_vec();
        let passage = &self.passages[at];
        let session = &self.sessions[passage.session];
        for (offset, weight) in [(-1i64, 0.4), (-2, 0.2), (1, 0.3)] {
            let place = usize::try_from(passage.position as i64 + offset).ok();
            let neighbour = place.and_then(|place| session.get(place));
            if let Some((values, _)) = neighbour.and_then(|at| self.comparable(request, *at)) {
                sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        Some(cosine(&sum, question))
    }

    pub(crate) fn find(&self, record: &RecordId, part: u32) -> Option<usize> {
        self.passages.iter().position(|passage| passage.raw.head.record == *record && passage.part == part)
    }
}

fn chain_of(raw: &RawRecord) -> ChainKey<'_> {
    let head = &raw.head;
    if !head.verbatim || head.state != RecordState::Active {
        return (head.record.as_str(), None, None, None, None, Some("own"));
    }
    (
        &head.namespace,
        head.strategy.as_ref().map(AsRef::as_ref),
        head.actor.as_ref().map(AsRef::as_ref),
        head.session.as_ref().map(AsRef::as_ref),
        head.branch.as_ref().map(AsRef::as_ref),
        None,
    )
}

fn order_of(raw: &RawRecord, part: u32) -> Order<'_> {
    (&raw.head.position, part, raw.head.record.as_str())
}

pub(crate) fn may_see(scope: &RecordScope, raw: &RawRecord) -> bool {
    let head = &raw.head;
    scope.view.iter().any(|clause| {
        let (strategy, actor, session) = (head.strategy.as_ref(), head.actor.as_ref(), head.session.as_ref());
        let has = |(key, allowed): (&String, &BTreeSet<String>)| match head.metadata.get(key) {
            Some(MetadataValue::String(text)) => allowed.contains(text),
            _ => false,
        };
        clause.admits(&head.namespace, strategy, actor, session)
            && clause.bounds.metadata.iter().all(has)
            && clause.bounds.since.is_none_or(|since| head.position.time >= since)
    })
}

pub(crate) fn in_scope(scope: &RecordScope, raw: &RawRecord) -> bool {
    let head = &raw.head;
    let standing = match scope.as_of {
        None => scope.states.contains(&head.state),
        Some(then) => held_at(raw, then),
    };
    let value = |key: &str| match key {
        SYSTEM_CREATED_AT => Some(MetadataValue::DateTime(head.created_at)),
        SYSTEM_UPDATED_AT => Some(MetadataValue::DateTime(head.updated_at)),
        SYSTEM_RECORD_TYPE => Some(MetadataValue::String(head.origin.wire().to_owned())),
        key => head.metadata.get(key).cloned(),
    };
    may_see(scope, raw)
        && scope.asks_for(&head.namespace, head.strategy.as_ref())
        && standing
        && head.expires_at.is_none_or(|expires| scope.now < expires)
        && (scope.kinds.is_empty() || scope.kinds.contains(&head.kind))
        && scope.metadata.iter().all(|filter| filter.admits(value(&filter.key).as_ref()))
}

fn held_at(raw: &RawRecord, then: Timestamp) -> bool {
    let head = &raw.head;
    let known_to = head.known_to.or((head.state != RecordState::Active).then_some(Timestamp::EPOCH));
    head.created_at <= then
        && known_to.is_none_or(|end| then < end)
        && head.valid_from <= then
        && head.valid_to.is_none_or(|end| then < end)
}

fn mean(sum: u64, count: usize) -> f32 {
    if count == 0 { 0.0 } else { (sum as f64 / count as f64) as f32 }
}

fn dequantised(values: &[f32]) -> Vec<f64> {
    let stored = StoredVector::quantise(values, "");
    stored.values.iter().map(|value| f64::from(*value) * f64::from(stored.scale)).collect()
}

fn cosine(values: &[f64], question: &[f32]) -> f64 {
    let dot: f64 = values.iter().zip(question).map(|(a, b)| a * f64::from(*b)).sum();
    let length = |squares: f64| squares.sqrt();
    let of_values = length(values.iter().map(|value| value * value).sum());
    let of_question = length(question.iter().map(|value| f64::from(*value) * f64::from(*value)).sum());
    if of_values * of_question == 0.0 { 0.0 } else { dot / (of_values * of_question) }
}
