//! The pass that resolves contradictions: of two facts that exclude each other, the newer
//! supersedes the older. Two facts exclude each other if they have the same key, the same label, or
//! are a statement and its negation, or two values of the same setting. Both must have the same
//! scope. If one scope is within the other, both stay, and a person decides.
//!
//! `consolidation::relate` decides if two statements contradict each other, for extraction, too.

use std::cmp::Ordering;

use loci_engine::consolidation::comparison::scope::{ScopeRelation, lie};
use loci_engine::consolidation::plan::{Action, Operation};
use loci_engine::consolidation::relate::rank;
use loci_engine::consolidation::snapshot::PlanDocument;
use loci_engine::consolidation::{Alike, Reason, Relation, Statement, Thresholds, relate};
use loci_engine::document_text::case_folding::folded;
use loci_model::limits;
use loci_model::record::RecordKind;
use loci_model::record::statement_time::StatementTime;
use loci_text::similarity::jaccard_ids;
use loci_text::terms;

use super::labels::{self, Labelled};
use super::planner::ReviewKind;
use super::planning_state::{PlanningState, is_system, newness, scope};
use super::similarity::{Interner, Shingles, pairs};
use super::{negations, normal_form};

/// The maximum number of characters of a body that is compared as a statement.
const STATEMENT_CHARS_MAX: usize = 1_000;
/// The minimum similarity of a statement of a change to an older statement that it may contradict.
const CHANGE_JACCARD_MIN: f32 = 0.1;
/// The units of work counted for each byte of two statements that are compared.
const RELATING_WORK: usize = 64;
/// Words that may express a change, such as the end of a former state. Statements without such
/// words are compared only at a higher similarity.
const CHANGES: &str = "\
    moved relocated switched changed migrated replaced replaces longer anymore instead now stopped quit dropped left ended \
    became former formerly";

/// The reason why one document supersedes another, and, if a person must decide, the reason for
/// that.
struct SupersessionReason {
    why: &'static str,
    held: Option<&'static str>,
}

/// The relation of an older and a newer document, as far as rules decide it.
enum Judged {
    /// The newer document supersedes the older one.
    Contradicts(SupersessionReason),
    /// The documents are similar, and no rule decides: a model or a person may.
    Open,
    /// The documents are unrelated.
    Apart,
}

struct Statements {
    terms: Vec<Shingles>,
    labels: Vec<Option<Vec<Labelled>>>,
    bodies: Vec<String>,
    /// For each document, true if its statement may express a change.
    changes: Vec<bool>,
}

pub(super) fn resolve(working: &mut PlanningState<'_>) {
    working.begin_pass();
    let statements = read(working);
    let mut newer_of: Vec<Vec<usize>> = vec![Vec::new(); working.documents.len()];
    for (left, right) in candidates(working, &statements) {
        let newer = newer(working, left, right);
        let older = if newer == left { right } else { left };
        if let Some(list) = newer_of.get_mut(older) {
            list.push(newer);
        }
    }
    let mut order: Vec<usize> = (0..working.documents.len()).collect();
    order.sort_by(|a, b| compare(working, *b, *a));
    for old in order {
        let mut newer = newer_of.get(old).cloned().unwrap_or_default();
        newer.sort_by(|a, b| compare(working, *b, *a));
        for new in newer {
            // A longer text is no statement; it is compared by its keys and labels.
            let bytes = |at: usize| {
                let document = working.documents.get(at);
                document.map_or(0, |document| document.text.len().min(STATEMENT_CHARS_MAX))
            };
            if !working.is_free(new) {
                continue;
            }
            if !working.may_work(RELATING_WORK * (bytes(old) + bytes(new))) {
                return;
            }
            if settle(working, &statements, old, new) {
                break;
            }
        }
    }
}

fn compare(working: &PlanningState<'_>, left: usize, right: usize) -> Ordering {
    let newness = |at: usize| working.documents.get(at).map(|document| newness(document));
    newness(left).cmp(&newness(right))
}

fn newer(working: &PlanningState<'_>, left: usize, right: usize) -> usize {
    if compare(working, left, right) == Ordering::Less { right } else { left }
}

fn read(working: &PlanningState<'_>) -> Statements {
    let mut interner = Interner::default();
    let mut statements =
        Statements { terms: Vec::new(), labels: Vec::new(), bodies: Vec::new(), changes: Vec::new() };
    for document in &working.documents {
        let is_short = document.text.chars().count() <= STATEMENT_CHARS_MAX;
        let words = if is_short { terms(&document.text) } else { Vec::new() };
        statements.terms.push(interner.words(words));
        statements.labels.push(labels::of(document.title.as_deref(), &document.text));
        let body = normal_form::body(&document.text);
        let mut words = body.split(|c: char| !c.is_alphanumeric());
        statements.changes.push(words.any(|word| CHANGES.split_ascii_whitespace().any(|cue| cue == word)));
        statements.bodies.push(body);
    }
    statements
}

/// Returns the pairs of documents that might contradict each other: they have the same key, or
/// common words.
fn candidates(working: &PlanningState<'_>, statements: &Statements) -> Vec<(usize, usize)> {
    let mut keyed: Vec<(String, usize)> = Vec::new();
    for (at, document) in working.documents.iter().enumerate() {
        if let Some(key) = key_of(document) {
            keyed.push((format!("{}\n{key}", working.place(at)), at));
        }
    }
    keyed.sort();
    let of_one_key = keyed.iter().enumerate().flat_map(|(place, (key, at))| {
        let same = keyed.iter().skip(place + 1).take_while(move |(other, _)| other == key);
        same.map(move |(_, other)| (*at.min(other), *at.max(other)))
    });
    let least = Thresholds::default().contradiction_jaccard;
    let tells = |at: usize| statements.changes.get(at).copied().unwrap_or(false);
    let pairs = pairs(&statements.terms, limits::PLAN_PAIRS_MAX);
    working.note_cut(pairs.is_cut);
    let like = pairs.found.into_iter().filter(|(left, right)| {
        let least = if tells(*left) || tells(*right) { CHANGE_JACCARD_MIN } else { least };
        let both = statements.terms.get(*left).zip(statements.terms.get(*right));
        both.is_some_and(|(left, right)| {
            working.may_work(left.len() + right.len()) && jaccard_ids(left, right) >= least
        })
    });
    let mut of_one_key = of_one_key.peekable();
    let keyed: Vec<(usize, usize)> = of_one_key.by_ref().take(limits::PLAN_PAIRS_MAX).collect();
    working.note_cut(of_one_key.peek().is_some());
    let mut all: Vec<(usize, usize)> =
        keyed.into_iter().chain(like).filter(|(left, right)| working.may_meet(*left, *right)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn key_of(document: &PlanDocument) -> Option<String> {
    document.key.as_deref().map(str::trim).filter(|key| !key.is_empty()).map(folded)
}

/// Plans the action for an older and a newer document that may contradict each other. Returns true
/// if there is one.
fn settle(working: &mut PlanningState<'_>, statements: &Statements, old: usize, new: usize) -> bool {
    let (Some(older), Some(newer)) =
        (working.documents.get(old).copied(), working.documents.get(new).copied())
    else {
        return false;
    };
    if !working.is_free(old) {
        return true;
    }
    match lie(newer.scope.as_deref(), older.scope.as_deref()) {
        ScopeRelation::Apart => return false,
        ScopeRelation::Within => {
            if matches!(judge(statements, old, new, older, newer), Judged::Contradicts(_)) {
                working.review(ReviewKind::MoreSpecific, old, new);
            }
            return false;
        }
        ScopeRelation::Equal => {}
    }
    let found = match judge(statements, old, new, older, newer) {
        Judged::Contradicts(found) => found,
        Judged::Open => {
            working.leave_open(old, new);
            return false;
        }
        Judged::Apart => return false,
    };
    if older.pinned || is_system(&older.reference) {
        working.review(ReviewKind::Protected, old, new);
        return false;
    }
    let held =
        if rank(newer.tier) < rank(older.tier) { Some("the newer one is trusted less") } else { found.held };
    let action = Action::Supersede {
        path: older.reference.clone(),
        by: newer.reference.clone(),
        reason: found.why.to_owned(),
    };
    // The newer one may supersede several, and no other action uses it.
    working.act(Operation::ResolveContradictions, action, held, &[old]);
    true
}

/// Returns the relation of the newer document to the older one, regardless of their scopes.
fn judge(
    statements: &Statements,
    old: usize,
    new: usize,
    older: &PlanDocument,
    newer: &PlanDocument,
) -> Judged {
    if let Some(found) = certain(statements, old, new, older, newer) {
        return Judged::Contradicts(found);
    }
    match related(statements, old, new, older, newer) {
        Some((Relation::Supersedes | Relation::Conflict, Reason::Denial)) => {
            let is_denial = !negations::of(statements.bodies.get(new).map_or("", String::as_str)).is_empty();
            Judged::Contradicts(denial(is_denial))
        }
        Some((Relation::Supersedes | Relation::Conflict, reason)) => {
            Judged::Contradicts(SupersessionReason { why: reason.text(), held: None })
        }
        Some((Relation::Unclear, _) | (_, Reason::OnlyInPart)) => Judged::Open,
        Some(_) | None => Judged::Apart,
    }
}

/// Returns the reason why the newer document certainly supersedes the older one: the same key, the
/// same labels, or a negation with otherwise equal words.
fn certain(
    statements: &Statements,
    old: usize,
    new: usize,
    older: &PlanDocument,
    newer: &PlanDocument,
) -> Option<SupersessionReason> {
    let (was, is) = statements.bodies.get(old).zip(statements.bodies.get(new))?;
    if was == is {
        return None;
    }
    if key_of(older).is_some() && key_of(older) == key_of(newer) {
        return Some(SupersessionReason { why: "a newer value of the same key", held: None });
    }
    let labels = statements.labels.get(old)?.as_ref().zip(statements.labels.get(new)?.as_ref());
    if labels.is_some_and(|(old, new)| labels::renews(new, old)) {
        return Some(SupersessionReason { why: "newer values of the same labels", held: None });
    }
    let are_short = is_statement(older) && is_statement(newer);
    (are_short && negations::is_pair(was, is)).then(|| denial(!negations::of(is).is_empty()))
}

fn is_statement(document: &PlanDocument) -> bool {
    document.text.chars().count() <= STATEMENT_CHARS_MAX
}

fn denial(newer_denies: bool) -> SupersessionReason {
    let held = (!newer_denies).then_some("the newer one says what the older one denies");
    SupersessionReason { why: Reason::Denial.text(), held }
}

fn related(
    statements: &Statements,
    old: usize,
    new: usize,
    older: &PlanDocument,
    newer: &PlanDocument,
) -> Option<(Relation, Reason)> {
    let (was, is) = statements.bodies.get(old).zip(statements.bodies.get(new))?;
    if was == is || !is_statement(older) || !is_statement(newer) {
        return None;
    }
    let jaccard = jaccard_ids(statements.terms.get(new)?, statements.terms.get(old)?);
    let statement = |document: &'_ PlanDocument| ScopelessStatement {
        text: document.text.trim().to_owned(),
        tier: document.tier,
        time: document.valid_from,
    };
    let (is, was) = (statement(newer), statement(older));
    let alike = Alike { jaccard, cosine: None };
    Some(relate(&is.statement(), &was.statement(), alike, &Thresholds::default()))
}

/// A document as a statement without a scope. The caller compares scopes separately.
struct ScopelessStatement {
    text: String,
    tier: loci_model::record::TrustTier,
    time: loci_model::Timestamp,
}

impl ScopelessStatement {
    fn statement(&self) -> Statement<'_> {
        let told = StatementTime::at(self.time);
        Statement { text: &self.text, kind: RecordKind::Fact, scope: None, tier: self.tier, told }
    }
}

/// Returns true if two documents have the same scope. Later passes use it, too.
pub(super) fn have_one_scope(left: &PlanDocument, right: &PlanDocument) -> bool {
    scope(left) == scope(right)
}
