//! Effects of safeguards on rules, apart from their records: the support of an erased rule goes,
//! changes after a restored state are taken back, and a released rule is weighed by its support of
//! now. `safeguards` changes the records.

use loci_engine::records::changing::Changing;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::RecordKind;
use loci_model::tasks::rule::{RuleDecided, RuleSupport};
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use super::settling::{News, Ruler, settle};
use crate::settings::CodingSettings;

/// Of a rule that was erased for what it says, nothing that anybody said of it is kept; that reviews do not teach it again stands beside
/// its digest.
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

/// Takes back what people said and decided of rules after a moment; each as it was before. `known` are forms of them from before rollbacks
/// that came after that moment: what those took back holds again.
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

/// A rule's support without what came after a moment.
fn as_of(mut support: RuleSupport, until: Timestamp) -> RuleSupport {
    support.items.retain(|item| item.at <= until);
    support.dissent.retain(|item| item.at <= until);
    let is_of_then = |decided: &RuleDecided| decided.at <= until;
    support.approved = support.approved.filter(is_of_then);
    support.pinned = support.pinned.filter(is_of_then);
    support.closed = support.closed.filter(is_of_then);
    support
}

/// Weighs rules that are no longer held back: while they were, nothing moved them.
pub(crate) fn weigh_again(
    tx: &mut dyn Tx,
    changing: &Changing<'_>,
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
        let ruler = Ruler { changing: *changing, actor: &actor, settings };
        settle(tx, &ruler, &mut support, News::Quiet)?;
    }
    Ok(())
}

/// What is kept of a rule beside its record, where there is something.
pub(crate) fn support_of(tx: &dyn ReadTx, memory: &MemoryId, rule: &RecordId) -> Result<Option<RuleSupport>> {
    tx.ledger().noun(memory, rule.as_str())
}
