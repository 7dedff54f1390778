//! Searches in a large memory. The database returns the best passages by words and by vector. They
//! are loaded with the passages around them and searched as a part of an index, with the statistics
//! of the whole memory.

use std::collections::BTreeMap;

use loci_index::Whole;
use loci_model::Result;
use loci_model::ports::search::{CandidateRequest, CandidateSet, ListLengths};
use loci_model::record::scope::RecordScope;
use loci_text::bm25::idf;

use super::context_passages::{Hit, around};
use super::counts::CountInput;
use super::graph::MissingGraph;
use super::load::load;
use super::memory_state::{Followed, GreatMemoryState};
use super::scope::{Extent, Scope};
use super::vector_search::{Nearest, nearest};
use super::windows::best_windows;
use super::words::{self, TermRow, TermRows, Terms};
use super::{Limits, PassageKey};
use crate::bound_values::PgBoundParameters;
use crate::digests::model_number;
use crate::tx::{Column, PgTx, signed, unsigned};

/// Plans statements of questions for each execution, because the best plan depends on their values.
pub(super) const PLANNED: &str = "SET LOCAL plan_cache_mode = force_custom_plan";

/// The maximum number of passages in a scope that is loaded completely.
const WHOLE_MAX: u64 = 500;

/// The result of a search, and the vector graphs that would have made it faster.
pub(crate) type GreatAnswer = (CandidateSet, Vec<MissingGraph>);

/// Returns candidates for a question.
pub(crate) fn candidates(
    tx: &PgTx<'_>,
    (standing, followed): (&GreatMemoryState, &Followed),
    request: &CandidateRequest,
    limits: Limits,
) -> Result<GreatAnswer> {
    tx.rows(PLANNED, &[])?;
    let memory = standing.number;
    let scope = Scope::new(tx, memory, &request.scope)?;
    let size = size(tx, &scope, followed)?;
    let mut whole = Whole { passages: followed.passages, passages_in_scope: size, ..Whole::default() };
    whole.sequence = followed.sequence;
    let usual = whole.usual_length();
    let lengths = request.lists.unwrap_or(ListLengths { window: usual, turn: usual, dense: usual });
    let terms = Terms::new(tx, memory, &request.terms)?;
    let by_words = TermSearch::read(tx, &scope, &terms, (size, limits))?;
    let counted = CountInput { scope: &scope, followed, terms: &terms, rows_max: limits.rows_max };
    whole.statistics = counted.statistics(tx, by_words.asked())?;
    let mut hits = by_words.hits(tx, &scope, &whole, lengths)?;
    if size <= WHOLE_MAX {
        hits.push(all(tx, &scope)?);
    }
    let mut graphs = Vec::new();
    for (vector, model) in request.vector.iter().chain(&request.earlier) {
        let Nearest { passages, lacks } =
            nearest(tx, &scope, (vector, model), lengths.dense, (size, limits))?;
        hits.push(placed(tx, memory, passages)?);
        graphs.extend(lacks);
    }
    let model = request.vector.as_ref().map(|(_, model)| model.as_str());
    whole.passages_without_vector = without_vector(tx, &scope, model)?;
    let keys = around(tx, memory, &interleaved(hits))?;
    let models: Vec<&str> =
        request.vector.iter().chain(&request.earlier).map(|(_, model)| model.as_str()).collect();
    let part = load(tx, memory, &keys, &models, (&[], limits.threads))?;
    let found = part.candidates_of_part(request, whole);
    Ok((CandidateSet { is_cut: by_words.is_cut(), ..found }, graphs))
}

/// Returns the number of passages in scope.
pub(super) fn size(tx: &PgTx<'_>, scope: &Scope<'_>, followed: &Followed) -> Result<u64> {
    if !scope.is_whole() {
        return scope.count(tx, Extent::Full, false, usize::MAX);
    }
    let sql = "SELECT count(*) FROM passages WHERE mem = $1 AND state = 0 AND expires IS NOT NULL AND expires <= $2";
    let now = scope.of.now.millis();
    let expired = tx.one(sql, &[&scope.memory, &now], |row| row.take::<i64>(0))?.unwrap_or(0);
    Ok(followed.turns.saturating_sub(unsigned(expired)))
}

/// Rows that contain terms: those in scope and, if more than groups narrow it, those for its
/// statistics.
struct TermSearch {
    full: TermRows,
    asked: Option<TermRows>,
}

impl TermSearch {
    fn read(tx: &PgTx<'_>, scope: &Scope<'_>, terms: &Terms, (size, limits): (u64, Limits)) -> Result<Self> {
        let rows_max = limits.rows_max;
        let is_small = usize::try_from(size).is_ok_and(|size| size <= rows_max);
        let taken = if is_small { vec![true; terms.numbers.len()] } else { terms.rarest(rows_max) };
        let most = rows_max.saturating_mul(2);
        let full = words::rows(tx, scope, Extent::Full, terms, (taken, most))?;
        if scope.is_plain() {
            return Ok(Self { full, asked: None });
        }
        let asked = words::rows(tx, scope, Extent::Asked, terms, (terms.rarest(rows_max), most))?;
        Ok(Self { full, asked: Some(asked) })
    }

    fn asked(&self) -> &TermRows {
        self.asked.as_ref().unwrap_or(&self.full)
    }

    /// True if more rows contain the terms than were read.
    fn is_cut(&self) -> bool {
        self.full.is_cut || self.asked().is_cut
    }

    /// Returns the lists of turns and windows.
    fn hits(
        &self,
        tx: &PgTx<'_>,
        scope: &Scope<'_>,
        whole: &Whole,
        lengths: ListLengths,
    ) -> Result<Vec<Vec<Hit>>> {
        let statistics = &whole.statistics;
        let idf: Vec<f32> = statistics.df.iter().map(|df| idf(statistics.turns, *df)).collect();
        let [turn, _, window, _] = &statistics.views;
        let rows = &self.full.rows;
        let turns = words::best_turns(rows, &idf, turn.average_length, lengths.turn);
        let turns = turns.into_iter().filter_map(|at| rows.get(at)).map(hit).collect();
        let by_window = (idf.as_slice(), window.average_length);
        let windows = best_windows(tx, scope, &self.asked().rows, by_window, lengths.window)?;
        Ok(vec![turns, windows])
    }
}

/// Returns all passages of a small scope.
fn all(tx: &PgTx<'_>, scope: &Scope<'_>) -> Result<Vec<Hit>> {
    let mut bound = PgBoundParameters::default();
    let condition = scope.condition(Extent::Full, &mut bound);
    let sql = format!(
        "SELECT p.key, p.part, CASE WHEN p.state = 0 THEN p.chain END, p.place FROM passages p WHERE {condition} \
         ORDER BY p.key, p.part"
    );
    tx.all(&sql, &bound.values(), |row| {
        Ok(Hit { passage: (row.take(0)?, row.take(1)?), chain: row.take(2)?, place: row.take(3)? })
    })
}

fn hit(found: &TermRow) -> Hit {
    Hit { passage: found.passage.clone(), chain: found.chain.filter(|_| found.is_active), place: found.place }
}

/// Returns the conversations of passages, in the order of the passages.
fn placed(tx: &PgTx<'_>, memory: i64, passages: Vec<PassageKey>) -> Result<Vec<Hit>> {
    let keys: Vec<&[u8]> = passages.iter().map(|(key, _)| key.as_slice()).collect();
    let sql = "SELECT key, CASE WHEN state = 0 THEN chain END, place FROM passages WHERE mem = $1 AND key = ANY($2)";
    let mut places = BTreeMap::new();
    for row in tx.rows(sql, &[&memory, &keys])? {
        places.insert(row.take::<Vec<u8>>(0)?, (row.take(1)?, row.take(2)?));
    }
    let hit = |passage: PassageKey| {
        let (chain, place) = places.get(&passage.0).copied()?;
        Some(Hit { passage, chain, place })
    };
    Ok(passages.into_iter().filter_map(hit).collect())
}

/// Returns the first entry of each list, then the second of each, and so on.
fn interleaved(lists: Vec<Vec<Hit>>) -> Vec<Hit> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|at| lists.iter().filter_map(move |list| list.get(at))).cloned().collect()
}

/// Returns the number of passages in scope without a vector of the model or, without a model, of
/// any. Their records are marked accordingly.
fn without_vector(tx: &PgTx<'_>, scope: &Scope<'_>, model: Option<&str>) -> Result<u64> {
    let mut bound = PgBoundParameters::default();
    let condition = scope.condition(Extent::Full, &mut bound);
    let memory = bound.put(scope.memory);
    let (lacks, is_held) = match model {
        Some(model) => {
            let model = bound.put(model_number(model));
            (
                format!("(r.model IS NULL OR r.model < {model} OR r.model > {model})"),
                format!(" AND v.model = {model}"),
            )
        }
        None => ("r.model IS NULL".to_owned(), String::new()),
    };
    let sql = format!(
        "SELECT count(*) FROM records r JOIN passages p ON p.key = r.key WHERE r.mem = {memory} AND r.parts > 0 AND {lacks} \
         AND {condition} AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.mem = {memory} AND v.key = p.key \
         AND v.part = p.part{is_held})"
    );
    Ok(unsigned(tx.one(&sql, &bound.values(), |row| row.take::<i64>(0))?.unwrap_or(0)))
}

/// Returns the names, sorted, that turns of conversation in the caller's view start with and that
/// the memory knows.
pub(crate) fn known_names(
    tx: &PgTx<'_>,
    standing: &GreatMemoryState,
    scope: &RecordScope,
) -> Result<Vec<String>> {
    let mut bound = PgBoundParameters::default();
    let memory = bound.put(standing.number);
    let mut sql = format!(
        "SELECT n.name FROM name_counts n WHERE n.mem = {memory} AND n.turns >= {}",
        bound.put(signed(2))
    );
    if !scope.sees_all() {
        tx.rows(PLANNED, &[])?;
        let seen = Scope::new(tx, standing.number, scope)?.condition(Extent::Seen, &mut bound);
        sql.push_str(&format!(
            " AND EXISTS (SELECT 1 FROM passages p WHERE {seen} AND p.name = n.name AND p.chain IS NOT NULL AND p.state = 0)"
        ));
    }
    sql.push_str(" ORDER BY n.name");
    tx.all(&sql, &bound.values(), |row| row.take(0))
}
