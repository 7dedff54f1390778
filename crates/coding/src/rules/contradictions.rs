//! Contradictions between rules of one scope: the newer rule supersedes the older one, and both are
//! linked. A rule that a person put in force does not yield to a quorum. If no rule of comparison
//! is certain, both stay in force and a conflict is recorded. Contradicting rules are never kept
//! silently.
//!
//! The comparison is that of consolidation for any two statements, by words only.

use loci_engine::consolidation::{
    Alike, ReadStatement, Relation, Statement, Thresholds, WordPairs, relate_both,
};
use loci_model::ports::store::{ReadTx, RecordPage};
use loci_model::record::scope::RecordScope;
use loci_model::record::statement_time::StatementTime;
use loci_model::record::{Record, RecordKind, RecordState, TrustTier};
use loci_model::tasks::rule::RuleSupport;
use loci_model::{Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp, limits};
use loci_text::similarity::jaccard;
use loci_text::terms;

use super::extraction::{canonical, head};
use super::state_transition::RuleContext;
use crate::rules::rules_list::rules_of;

/// A contradicting rule, with its support if known.
pub(super) struct ContradictingRule {
    pub(super) record: Record,
    pub(super) support: Option<RuleSupport>,
    /// True if it states the same in other words.
    pub(super) says_same: bool,
}

/// The result for a rule that comes into force.
pub(super) enum ContradictionResult {
    /// It supersedes its rivals, usually none. It may contradict further rules.
    Wins {
        /// Its rivals.
        losers: Vec<ContradictingRule>,
        /// Rules that may be rivals, without certainty.
        doubts: Vec<RecordId>,
    },
    /// A person must choose between the rule and these.
    Held(Vec<ContradictingRule>),
    /// This rival is newer, or a person's rule that states the same.
    Loses(Box<ContradictingRule>),
}

/// The relation of two rules of one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// They state the same.
    Same,
    /// They cannot both be followed.
    Against,
    /// They may contradict each other.
    Doubtful,
    /// They concern different subjects.
    Apart,
}

/// Returns the relation of two rules of one scope. A rule that is kept whole is compared by its
/// prohibition.
pub(super) fn between(one: &str, other: &str, at: Timestamp) -> Between {
    let (form, other_form) = (canonical(one), canonical(other));
    if form == other_form {
        return Between::Same;
    }
    if denies(&form, &other_form) || denies(&other_form, &form) {
        return Between::Against;
    }
    let (one, other) = (head(one), head(other));
    let told = StatementTime::at(at);
    let read = |text| {
        ReadStatement::of(Statement {
            text,
            kind: RecordKind::Rule,
            scope: None,
            tier: TrustTier::Agent,
            told,
        })
    };
    let alike = Alike { jaccard: jaccard(&terms(&one), &terms(&other)), cosine: None };
    let (one, other) = (read(one.as_str()), read(other.as_str()));
    let relation = |new, old| {
        let pairs = &mut WordPairs::of_a_write();
        relate_both(new, old, alike, (&Thresholds::default(), pairs)).0
    };
    let both = [relation(&one, &other), relation(&other, &one)];
    let is_against = |relation: &Relation| {
        matches!(relation, Relation::Supersedes | Relation::SupersededBy | Relation::Conflict)
    };
    if both.iter().any(is_against) {
        return Between::Against;
    }
    if both.iter().all(|relation| *relation == Relation::Duplicate) {
        return Between::Same;
    }
    if both.contains(&Relation::Doubtful) { Between::Doubtful } else { Between::Apart }
}

/// True if a canonical form forbids the subject of another one.
fn denies(ban: &str, asked: &str) -> bool {
    let Some(forbidden) = ban.strip_prefix("not ") else { return false };
    let choice = |text| ["use ", "prefer ", "favor "].iter().find_map(|verb| str::strip_prefix(text, verb));
    forbidden == asked || choice(forbidden).is_some_and(|thing| choice(asked) == Some(thing))
}

/// Determines the result for a rule that is about to come into force.
pub(super) fn contest(
    tx: &dyn ReadTx,
    ruler: &RuleContext<'_>,
    rule: &Record,
    support: &RuleSupport,
) -> Result<ContradictionResult> {
    let (rivals, doubts) = rivals(tx, ruler, rule)?;
    let is_by_person = |support: &RuleSupport| support.approved.is_some() || support.pinned.is_some();
    let own = (is_by_person(support), said_at(support));
    let held = |rival: &ContradictingRule| {
        // A rule without supporting reviews was written by a client, so it counts as written by a
        // person.
        !own.0 && !rival.says_same && rival.support.as_ref().is_none_or(is_by_person)
    };
    if rivals.iter().any(held) {
        return Ok(ContradictionResult::Held(rivals.into_iter().filter(held).collect()));
    }
    let newer = |rival: &ContradictingRule| {
        let theirs = rival.support.as_ref().map(|support| (is_by_person(support), said_at(support)));
        let Some(theirs) = theirs else { return rival.says_same && !own.0 };
        (theirs.0 == own.0 && theirs.1 > own.1) || (rival.says_same && theirs.0 && !own.0)
    };
    match rivals.iter().position(newer) {
        Some(at) => {
            let mut rivals = rivals;
            Ok(ContradictionResult::Loses(Box::new(rivals.swap_remove(at))))
        }
        None => Ok(ContradictionResult::Wins { losers: rivals, doubts }),
    }
}

/// Returns the time of its latest statement: a decision of a person, or a review.
fn said_at(support: &RuleSupport) -> Timestamp {
    let items = support.items.iter().map(|item| item.at).max();
    let decided = support.approved.as_ref().map(|decided| decided.at);
    items.max(decided).unwrap_or(support.created_at)
}

/// Returns the rules of the same scope, in force or stale, that contradict a rule or state the same
/// in other words; and those that may contradict it.
fn rivals(
    tx: &dyn ReadTx,
    ruler: &RuleContext<'_>,
    rule: &Record,
) -> Result<(Vec<ContradictingRule>, Vec<RecordId>)> {
    let memory = &ruler.changing.memory.id;
    let beneath = Namespace::parse(rules_of(ruler.actor.as_str()))?;
    let scope = RecordScope {
        namespaces: vec![NamespaceFilter::new(&beneath, NamespaceMatch::Subtree)],
        states: vec![RecordState::Active, RecordState::Stale],
        ..RecordScope::whole(memory.clone(), ruler.changing.at)
    };
    let page = RecordPage { scope, after: None, limit: limits::HYDRATION_LISTED_MAX };
    let others = tx.records().list(&page)?;
    let (mut rivals, mut doubts) = (Vec::new(), Vec::new());
    for record in others.into_iter().filter(|other| other.id != rule.id && other.scope == rule.scope) {
        let between = between(&rule.text, &record.text, ruler.changing.at);
        match between {
            Between::Apart => continue,
            Between::Doubtful => doubts.push(record.id),
            Between::Same | Between::Against => {
                let support = tx.ledger().noun::<RuleSupport>(memory, record.id.as_str())?;
                rivals.push(ContradictingRule { record, support, says_same: between == Between::Same });
            }
        }
    }
    Ok((rivals, doubts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_cannot_both_be_followed() {
        let check = |one: &str, other: &str, expect: Between| {
            let at = Timestamp::from_millis(0).unwrap();
            assert_eq!(between(one, other, at), expect, "{one} / {other}");
            assert_eq!(between(other, one, at), expect, "{other} / {one}");
        };
        let (against, apart) = (Between::Against, Between::Apart);
        check("Use Jest for unit tests", "Use Vitest for unit tests", against);
        check("Use tabs for indentation", "Use spaces for indentation", against);
        check("Never use default exports", "Always use default exports", against);
        check("Use default exports", "Don't use default exports", against);
        check("Prefer `async`/`await` over callbacks", "Prefer callbacks over `async`/`await`", against);
        check("Avoid default exports", "Use default exports everywhere", against);
        check("Avoid named exports", "Prefer named exports", against);
        check("Always sort imports", "Never sort imports in this repo", against);
        check("We don't use `any` types. Use proper generics.", "Use any types everywhere", against);
        check("Use Jest for unit tests", "Use Playwright for browser tests", apart);
        check("Never use default exports", "Name test files after the module", apart);
        check("Prefix private fields with an underscore", "Sort imports alphabetically", apart);
        check("Avoid default exports", "Avoid default exports in tests", apart);
        // The same rule, in equal and in other words.
        check("Use Jest for unit tests", "Use Jest for unit tests", Between::Same);
        check("We don't use any types", "Avoid any types everywhere", Between::Same);
        let whole = "We don't use `any` types in this codebase. Use proper generics.";
        check(whole, "Avoid `any` types everywhere", Between::Same);
    }
}
