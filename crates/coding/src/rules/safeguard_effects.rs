//! Effects of safeguards on rules, in addition to their records: the support of an erased rule is
//! removed, changes after a restored state are withdrawn, and a released rule is weighed by its
//! present support. `safeguards` changes the records.

use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::RecordKind;
use loci_model::tasks::rule::{RuleDecided, RuleSupport};
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use super::state_transition::{News, RuleContext, settle};
use crate::settings::CodingSettings;

/// Removes all statements on a rule that was erased because of its content. The entry with its
/// digest stays, so that reviews do not create the rule again.
pub(crate) fn bar(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    rule: &RecordId,
    by: &str,
    at: Timestamp,
) -> Result<()> {
    let Some(support) = support_of(tx, memory, rule)? else { return Ok(()) };
    let closed = Some(RuleDecided { by: by.to_owned(), at, reason: None });
    tx.ledger_mut().put_noun(&RuleSupport {
        items: Vec::new(),
        dissent: Vec::new(),
        approved: None,
        pinned: None,
        conflicts: Default::default(),
        closed,
        ..support
    })
}

/// Withdraws statements and decisions on rules after a time. Returns the former entries. `known`
/// holds their forms before rollbacks that came after that time: what those rollbacks withdrew
/// applies again.
pub(crate) fn take_back(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    rules: &[RecordId],
    until: Timestamp,
    known: &[RuleSupport],
) -> Result<Vec<RuleSupport>> {
    let mut before = Vec::new();
    for rule in rules {
        let Some(support) = support_of(tx, memory, rule)? else { continue };
        let from = known.iter().find(|one| one.rule == *rule).unwrap_or(&support);
        let then = as_of(from.clone(), until);
        if then != support {
            tx.ledger_mut().put_noun(&then)?;
            before.push(support);
        }
    }
    Ok(before)
}

/// Returns a rule's support without later items.
fn as_of(mut support: RuleSupport, until: Timestamp) -> RuleSupport {
    support.items.retain(|item| item.at <= until);
    support.dissent.retain(|item| item.at <= until);
    let is_of_then = |decided: &RuleDecided| decided.at <= until;
    support.approved = support.approved.filter(is_of_then);
    support.pinned = support.pinned.filter(is_of_then);
    support.closed = support.closed.filter(is_of_then);
    support
}

/// Weighs rules that are released from quarantine, because quarantined rules do not change.
pub(crate) fn weigh_again(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    released: &[RecordId],
    server: &CodingSettings,
) -> Result<()> {
    for record in tx.records().get_many(&changing.memory.id, released)? {
        if record.kind != RecordKind::Rule {
            continue;
        }
        let Some(mut support) = support_of(tx, &record.memory, &record.id)? else { continue };
        let repository = tx.repositories().get(&record.memory, &support.repository)?;
        let actor = support.actor.clone();
        let settings = server.of(repository.as_ref()).rules;
        let ruler = RuleContext { changing: *changing, actor: &actor, settings };
        settle(tx, &ruler, &mut support, News::Quiet)?;
    }
    Ok(())
}

/// Returns the support of a rule, if there is any.
pub(crate) fn support_of(tx: &dyn ReadTx, memory: &MemoryId, rule: &RecordId) -> Result<Option<RuleSupport>> {
    tx.ledger().noun(memory, rule.as_str())
}
