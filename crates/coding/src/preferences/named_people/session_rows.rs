//! Sessions of tasks and their items in the walk that looks for a person: the rows of both tables,
//! read and written. An item comes with its words, even if only its event has them.

use loci_engine::hooks::ForgottenRemoval;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::tasks::task_session::{SessionItem, TaskSession};
use loci_model::{ActorId, Result, TaskId, Timestamp};

use super::people_rows::PAGE_ROWS;
use super::person_fields::{PeopleVisitor, Places};
use super::person_inventory::NamesPeople;
use super::person_removal::{PageWriteInput, PeopleRow, PersonWalk, number_of};
use crate::tasks::sessions::archive_rules::{chars_of, digest_of, said_in};
use crate::tasks::task_namespaces;

/// An item of a session, with its words. They come from its event if the archive stores only digest
/// and length.
pub(super) struct NamedItem {
    item: SessionItem,
    said: Option<String>,
}

impl NamedItem {
    fn of(tx: &dyn ReadTx, item: SessionItem, at: Timestamp) -> Result<Self> {
        let mut said = None;
        if let (None, Some(event)) = (&item.text, &item.event) {
            let session = task_namespaces::session_of(&item.task)?;
            let event = tx.events().get(&item.memory, &item.actor, &session, event, at)?;
            said = event.and_then(|event| said_in(&event));
        }
        Ok(Self { said: said.filter(|said| digest_of(said) == item.text_sha256), item })
    }
}

impl NamesPeople for NamedItem {
    fn visit_people(
        &mut self,
        number: Option<&str>,
        visitor: &mut dyn PeopleVisitor,
    ) -> Result<ForgottenRemoval> {
        let new = self.said.as_deref().and_then(|said| Places::new(visitor).new_text(said));
        if let Some(new) = &new {
            (self.item.text_sha256, self.item.text_chars) = (digest_of(new), chars_of(new));
        }
        let taken = self.item.visit_people(number, visitor)?;
        Ok(if new.is_some() { ForgottenRemoval::Names } else { taken })
    }
}

impl PeopleRow for NamedItem {
    type Key = (TaskId, u64);

    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        let after = after.map(|(task, seq)| (task, *seq));
        let items = tx.task_sessions().list_items(&walk.memory.id, after, PAGE_ROWS)?;
        items.into_iter().map(|item| Self::of(tx, item, walk.at)).collect()
    }

    fn key(&self) -> Self::Key {
        (self.item.task.clone(), self.item.seq)
    }

    fn owner(&self) -> Option<&ActorId> {
        Some(&self.item.actor)
    }

    fn number(&self, tx: &dyn ReadTx) -> Result<Option<String>> {
        number_of(tx, &self.item.memory, Some(&self.item.task), self.item.user.as_deref())
    }

    fn put(self, tx: &mut dyn Tx, _: ForgottenRemoval, _: &PageWriteInput<'_>) -> Result<()> {
        tx.task_sessions_mut().put_item(&self.item)
    }
}

impl PeopleRow for TaskSession {
    type Key = TaskId;

    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>> {
        tx.task_sessions().list(&walk.memory.id, after, PAGE_ROWS)
    }

    fn key(&self) -> Self::Key {
        self.task.clone()
    }

    fn owner(&self) -> Option<&ActorId> {
        Some(&self.actor)
    }

    fn put(self, tx: &mut dyn Tx, _: ForgottenRemoval, _: &PageWriteInput<'_>) -> Result<()> {
        tx.task_sessions_mut().put(&self)
    }
}
