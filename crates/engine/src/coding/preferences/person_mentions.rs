//! A person as tasks, reviews and rules of others name them, for the walk that forgets or exports a person.
//! Only memories for code know people by the logins of a forge.

use loci_model::ledger::{LedgerEntry, Shelved};
use loci_model::memory::Memory;
use loci_model::ports::store::ReadTx;
use loci_model::record::{Record, RecordKind};
use loci_model::task::Task;
use loci_model::{ActorId, Result};

use super::people::{self, Whose, login_of};
use super::pseudonym::Erased;

/// The profile of memories that know people.
const PROFILE: &str = "coding";

/// True for a memory that knows people by the logins of a forge.
pub(crate) fn knows_people(memory: &Memory) -> bool {
    memory.settings.profile.as_deref() == Some(PROFILE)
}

/// The names that others give a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PersonMentions {
    pub(super) erased: Erased,
    /// The key of the person's own settings.
    pub(crate) settings: Option<String>,
}

impl PersonMentions {
    /// The mentions of a person; `pseudonym` stands for them once they are forgotten.
    pub(super) fn of(whose: &Whose, pseudonym: &str) -> Self {
        let settings = whose.known.as_ref().map(Shelved::key);
        Self { erased: Erased::of(whose, pseudonym), settings }
    }

    /// True for a task that was done for the person.
    pub(crate) fn is_task(&self, task: &Task) -> bool {
        self.erased.is_task(task)
    }

    /// True for an entry of the ledger that names the person.
    ///
    /// # Errors
    /// A bug, where the entry is damaged.
    pub(crate) fn is_entry(&self, entry: &LedgerEntry) -> Result<bool> {
        Ok(self.erased.take_from_value(&mut entry.body.value()?))
    }

    /// True for a rule that says that it comes from the person.
    pub(crate) fn is_rule(&self, record: &Record) -> bool {
        record.kind == RecordKind::Rule && self.erased.take_from_metadata(&mut record.metadata.clone())
    }
}

/// The other actors of somebody whom a memory for code knows as a person, and how others name them. `None` in
/// other memories, and for an actor that is no person: a repository.
///
/// # Errors
/// Errors of the store.
pub(crate) fn person_of(
    tx: &dyn ReadTx,
    memory: &Memory,
    actor: &ActorId,
    pseudonym: &str,
) -> Result<Option<(Vec<ActorId>, PersonMentions)>> {
    if !knows_people(memory) || login_of(actor.as_str()).is_none() {
        return Ok(None);
    }
    let whose = people::named(tx, &memory.id, actor.as_str(), true)?;
    Ok(Some((actors_of(&whose), PersonMentions::of(&whose, pseudonym))))
}

/// The actors under which a person's own data is kept.
pub(super) fn actors_of(whose: &Whose) -> Vec<ActorId> {
    let mut actors = vec![whose.place.clone()];
    actors.extend(whose.user_id().and_then(|id| ActorId::parse(format!("user:{id}")).ok()));
    actors.dedup();
    actors
}
