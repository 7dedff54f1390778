//! Conflicts between facts with opposite statements. Both facts get a flag that names the other,
//! and the flag is removed when that fact is. No conflict is resolved here.

use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::ports::store::Tx;
use loci_model::record::RecordState;
use loci_model::{RecordId, Result};

use super::events::{self, details};
use super::flags;
use crate::new_facts::FactWrite;
use crate::verification::state_write;

/// The maximum number of conflict flags that later facts add to a fact. Further conflicts are only
/// recorded as events, so that a fact does not grow with every similar one.
const KEPT_MAX: usize = 50;

/// Flags the facts that contradict a new one. The new fact already has its flags.
pub(crate) fn note(tx: &mut dyn Tx, new: &FactWrite<'_>, id: &RecordId) -> Result<()> {
    for other in &new.alike.conflicts {
        let Some(mut fact) = tx.facts().get(&new.memory.id, other)? else { continue };
        if fact.status != RecordState::Active {
            continue;
        }
        let event =
            new.scene.event(new.verified.engine.ids().as_ref(), FactEventKind::ConflictDetected, Some(other));
        let event = FactEvent { details: details(&serde_json::json!({ "with": id.as_str() }))?, ..event };
        if flags::conflicts(&fact.detail.flags).len() >= KEPT_MAX {
            events::append(tx, &[event])?;
            continue;
        }
        flags::add(&mut fact.detail.flags, [flags::conflict(id)]);
        state_write::fact(tx, &fact, &[event])?;
    }
    Ok(())
}

/// Removes the flags that name a fact which is no longer active.
pub(crate) fn lift(tx: &mut dyn Tx, gone: &Fact) -> Result<()> {
    let flag = flags::conflict(&gone.record);
    for other in flags::conflicts(&gone.detail.flags) {
        let Some(mut fact) = tx.facts().get(&gone.memory, &other)? else { continue };
        if fact.detail.flags.contains(&flag) {
            fact.detail.flags.retain(|one| *one != flag);
            tx.facts_mut().put(&fact)?;
        }
    }
    Ok(())
}
