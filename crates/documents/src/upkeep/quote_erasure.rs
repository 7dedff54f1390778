//! Removes a document's quotations from runs: the texts of actions based on a record whose content
//! was redacted or erased, and a model's reasons for them, also in the changelog. Paths and numbers
//! stay.

use loci_model::ports::store::Tx;
use loci_model::trees::consolidation_run::ActionStatus;
use loci_model::{MemoryId, RecordId, Result, limits};

use super::runs::run_ledger;
use crate::consolidation::changelog::line;

/// The replacement of a model's reason.
const FORGOTTEN: &str = "why is not kept: a document that it was about was taken out";

/// Removes the texts of pending actions on these records of a tree, and a model's reasons for
/// applied actions, too.
///
/// # Errors
/// The errors of the store.
pub(crate) fn of_records(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    namespace: &str,
    records: &[RecordId],
) -> Result<()> {
    for mut run in run_ledger::newest(tx, memory, namespace, 10 * limits::UPKEEP_PLANS_MAX)? {
        let mut is_changed = false;
        for one in &mut run.actions {
            if !one.seen.iter().any(|seen| records.contains(&seen.record)) {
                continue;
            }
            if one.by_model && one.action.reason() != FORGOTTEN {
                let before = line(&one.action);
                one.action.set_reason(FORGOTTEN);
                run.changelog = run.changelog.replace(&before, &line(&one.action));
                is_changed = true;
            }
            if matches!(one.status, ActionStatus::Planned | ActionStatus::Held) {
                one.drop_words();
                one.status = ActionStatus::Conflict;
                is_changed = true;
            }
        }
        if is_changed {
            tx.ledger_mut().put_noun(&run)?;
        }
    }
    Ok(())
}
