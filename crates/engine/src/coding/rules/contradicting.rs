//! Rules of one scope that say otherwise than another (coding-agent-memory.md §§12.2, 16): the newer takes the older one's place, and both
//! are linked; what a person put in force gives way to no quorum. Never are two kept in silence.
//!
//! Whether two rules contradict is told by what consolidation tells of any two statements, from words alone.

use loci_model::ports::store::{ReadTx, RecordPage};
use loci_model::record::{Record, RecordKind, RecordState, TrustTier};
use loci_model::rule::RuleSupport;
use loci_model::scope::RecordScope;
use loci_model::telling::Telling;
use loci_model::{Namespace, NamespaceFilter, NamespaceMatch, Result, Timestamp, limits};
use loci_text::similarity::jaccard;
use loci_text::terms;

use super::settling::Ruler;
use crate::coding::rules_list::rules_of;
use crate::consolidation::{Alike, ReadStatement, Relation, Statement, Thresholds, WordPairs, relate_both};

/// A rule that says otherwise, with what supports it where that is known.
pub(super) struct Rival {
    pub(super) record: Record,
    pub(super) support: Option<RuleSupport>,
}

/// What becomes of a rule that comes into force beside its rivals.
pub(super) enum Contest {
    /// It takes the place of these; most often there are none.
    Wins(Vec<Rival>),
    /// A person must choose between it and these.
    Held(Vec<Rival>),
    /// This one is newer.
    Loses(Box<Rival>),
}

/// Whether two rules cannot both be followed.
pub(super) fn contradicts(one: &str, other: &str, at: Timestamp) -> bool {
    let told = Telling::at(at);
    let read = |text| {
        ReadStatement::of(Statement {
            text,
            kind: RecordKind::Rule,
            scope: None,
            tier: TrustTier::Agent,
            told,
        })
    };
    let alike = Alike { jaccard: jaccard(&terms(one), &terms(other)), cosine: None };
    let (one, other) = (read(one), read(other));
    let is_against = |new, old| {
        let pairs = &mut WordPairs::of_a_write();
        let (relation, _) = relate_both(new, old, alike, (&Thresholds::default(), pairs));
        matches!(relation, Relation::Supersedes | Relation::SupersededBy | Relation::Conflict)
    };
    is_against(&one, &other) || is_against(&other, &one)
}

/// What becomes of a rule that is about to be in force.
pub(super) fn contest(
    tx: &dyn ReadTx,
    ruler: &Ruler<'_>,
    rule: &Record,
    support: &RuleSupport,
) -> Result<Contest> {
    let rivals = rivals(tx, ruler, rule)?;
    let is_by_person = |support: &RuleSupport| support.approved.is_some() || support.pinned.is_some();
    let own = (is_by_person(support), said_at(support));
    let held = |rival: &Rival| {
        // What no review supports was put there by whoever may write: a person, for all that is known.
        !own.0 && rival.support.as_ref().is_none_or(is_by_person)
    };
    if rivals.iter().any(held) {
        return Ok(Contest::Held(rivals.into_iter().filter(held).collect()));
    }
    let newer = |rival: &Rival| {
        let theirs = rival.support.as_ref().map(|support| (is_by_person(support), said_at(support)));
        theirs.is_some_and(|theirs| theirs.0 == own.0 && theirs.1 > own.1)
    };
    match rivals.iter().position(newer) {
        Some(at) => {
            let mut rivals = rivals;
            Ok(Contest::Loses(Box::new(rivals.swap_remove(at))))
        }
        None => Ok(Contest::Wins(rivals)),
    }
}

/// When it was said last: by a person here, or in a review.
fn said_at(support: &RuleSupport) -> Timestamp {
    let items = support.items.iter().map(|item| item.at).max();
    let decided = support.approved.as_ref().map(|decided| decided.at);
    items.max(decided).unwrap_or(support.created_at)
}

/// Rules in force, or stale, of the same scope that say otherwise.
fn rivals(tx: &dyn ReadTx, ruler: &Ruler<'_>, rule: &Record) -> Result<Vec<Rival>> {
    let memory = &ruler.changing.memory.id;
    let beneath = Namespace::parse(rules_of(ruler.actor.as_str()))?;
    let scope = RecordScope {
        namespaces: vec![NamespaceFilter::new(&beneath, NamespaceMatch::Subtree)],
        states: vec![RecordState::Active, RecordState::Stale],
        ..RecordScope::whole(memory.clone(), ruler.changing.at)
    };
    let page = RecordPage { scope, after: None, limit: limits::HYDRATION_LISTED_MAX };
    let others = tx.records().list(&page)?;
    let same = |other: &Record| other.id != rule.id && other.scope == rule.scope;
    let mut rivals = Vec::new();
    for record in others
        .into_iter()
        .filter(same)
        .filter(|other| contradicts(&rule.text, &other.text, ruler.changing.at))
    {
        let support = tx.ledger().noun::<RuleSupport>(memory, record.id.as_str())?;
        rivals.push(Rival { record, support });
    }
    Ok(rivals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_cannot_both_be_followed() {
        let check = |one: &str, other: &str, expect: bool| {
            let at = Timestamp::from_millis(0).unwrap();
            assert_eq!(contradicts(one, other, at), expect, "{one} / {other}");
            assert_eq!(contradicts(other, one, at), expect, "{other} / {one}");
        };
        check("Use Jest for unit tests", "Use Vitest for unit tests", true);
        check("Use tabs for indentation", "Use spaces for indentation", true);
        check("Never use default exports", "Always use default exports", true);
        check("Use default exports", "Don't use default exports", true);
        check("Prefer `async`/`await` over callbacks", "Prefer callbacks over `async`/`await`", true);
        check("Use Jest for unit tests", "Use Playwright for browser tests", false);
        check("Never use default exports", "Name test files after the module", false);
        check("Use Jest for unit tests", "Use Jest for unit tests", false);
        check("Prefix private fields with an underscore", "Sort imports alphabetically", false);
    }
}
