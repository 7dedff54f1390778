//! Agreement with a record: a statement from several tasks, or with a person's approval, is trusted
//! more, and its age counts from the last agreement. One entry of the ledger for each record with
//! an agreement.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::{ActorId, MemoryId, RecordId, Timestamp, limits};

/// The agreement with a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// The memory that the agreement belongs to.
    pub memory: MemoryId,
    /// The actor of the repository that the agreement belongs to.
    pub actor: ActorId,
    /// The record that others agree with.
    pub record: RecordId,
    /// Tasks with an equal statement, without duplicates and without the first one; at most
    /// [`limits::AGREEING_TASKS_MAX`].
    pub tasks: BTreeSet<String>,
    /// The name of the person who approved the record; `None` if no person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// The time of the last agreement.
    pub confirmed_at: Timestamp,
}

impl Agreement {
    /// Returns an empty agreement with a record.
    pub fn none(memory: MemoryId, actor: ActorId, record: RecordId, at: Timestamp) -> Self {
        Self { memory, actor, record, tasks: BTreeSet::new(), approved_by: None, confirmed_at: at }
    }

    /// Returns the number of others that agree; a person counts as one.
    pub fn count(&self) -> u32 {
        let people = usize::from(self.approved_by.is_some());
        u32::try_from(self.tasks.len() + people).unwrap_or(u32::MAX)
    }

    /// Adds the agreement of a task; false if the task agreed before, or if the limit is reached.
    pub fn add(&mut self, task: &str, at: Timestamp) -> bool {
        self.confirmed_at = self.confirmed_at.max(at);
        self.tasks.len() < limits::AGREEING_TASKS_MAX && self.tasks.insert(task.to_owned())
    }
}

impl LedgerNoun for Agreement {
    const SHELF: Shelf = Shelf::named("agreement");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.record.to_string()
    }

    fn at(&self) -> Timestamp {
        self.confirmed_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_agrees_once_and_so_many_are_counted() {
        let (memory, actor) =
            (MemoryId::parse("m-0123456789").unwrap(), ActorId::parse("acme/shop").unwrap());
        let record = RecordId::compose("00000000-0000-7000-8000-0000000000ff").unwrap();
        let mut one = Agreement::none(memory, actor, record, Timestamp::EPOCH);
        assert!(one.add("t-1", Timestamp::EPOCH.plus_millis(5)));
        assert!(!one.add("t-1", Timestamp::EPOCH.plus_millis(3)));
        assert_eq!((one.count(), one.confirmed_at.millis()), (1, 5), "never back in time");
        for number in 2..=crate::limits::AGREEING_TASKS_MAX {
            assert!(one.add(&format!("t-{number}"), Timestamp::EPOCH), "{number}");
        }
        assert!(!one.add("one-more", Timestamp::EPOCH));
        one.approved_by = Some("alice".to_owned());
        assert_eq!(one.count() as usize, crate::limits::AGREEING_TASKS_MAX + 1);
    }
}
