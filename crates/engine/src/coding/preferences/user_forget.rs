//! `user_forget`: a person's right to be forgotten, for that person or an administrator. Others' tasks, reviews and rules lose who they
//! were; what was the person's own is erased, now. Again it does what is left of it.

use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::memory::Memory;
use loci_model::ports::store::{LedgerPage, RecordPage, StoreExt, TaskQuery, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordKind;
use loci_model::scope::RecordScope;
use loci_model::{Document, Result, TaskId, Timestamp, limits};

use super::people;
use super::person_mentions::{PersonMentions, actors_of};
use super::preferences_list::person;
use super::pseudonym::{Erased, pseudonym};
use crate::admin::Forgetting;
use crate::erasure::Person;
use crate::records::changing::Changing;
use crate::verified::Standing;
use crate::{Engine, access};

/// What was erased of somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserForgotten {
    /// What stands for them from now on.
    pub pseudonym: String,
    /// Records that are erased, preferences among them.
    pub records: u64,
    /// Events.
    pub events: u64,
    /// Tasks of others, done for them, that say so no more.
    pub tasks: u64,
    /// Reviews and the like that do not name them any more.
    pub entries: u64,
    /// Rules likewise: their earlier versions go when their time is over.
    pub rules: u64,
}

/// The places where others named somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MentionsTaken {
    /// Tasks that were done for them.
    pub(crate) tasks: u64,
    /// Reviews and the like.
    pub(crate) entries: u64,
    /// Rules.
    pub(crate) rules: u64,
}

impl MentionsTaken {
    /// All of them.
    pub(crate) fn count(&self) -> u64 {
        self.tasks + self.entries + self.rules
    }
}

/// How far a round went.
struct Round<K> {
    changed: u64,
    next: Option<(Timestamp, K)>,
}

impl Engine {
    /// Erases somebody. Of a caller who does not administer the whole memory, what names others or
    /// an agent as its owner, too, stays outside of the person's own places, and what lies with
    /// another.
    ///
    /// # Errors
    /// `Denied` for whoever is neither that person nor an administrator.
    pub async fn user_forget(
        &self,
        caller: &Principal,
        standing: &Standing,
        user: &str,
    ) -> Result<UserForgotten> {
        let memory = self.code_memory(caller, standing).await?;
        let (asks, name, of) = (caller.clone(), user.to_owned(), memory.clone());
        let (memory, whose) =
            self.store.read(move |tx| person(tx, &asks, &of, &name, Capability::Write)).await?;
        let pseudonym = pseudonym(&hex::encode(self.ids.random()));
        let mentions = Some(PersonMentions::of(&whose, &pseudonym));
        let person = Person::of(&memory, actors_of(&whose));
        let is_admin = access::require_whole(caller, &memory.id, Capability::Admin).is_ok();
        let person = if is_admin { person } else { person.alone() };
        let whom = Forgetting { memory, person, mentions, names_files: false };
        let forgotten = self.forget_person(caller, &whom, false).await?;
        let (mirrors, left_shared) = (forgotten.mirrors.len(), forgotten.left_shared);
        let unreachable = forgotten.unreachable.len();
        tracing::info!(mirrors, left_shared, unreachable, "a person was forgotten");
        let MentionsTaken { tasks, entries, rules } = forgotten.mentions_taken;
        let (records, events) = (forgotten.counts.records(), forgotten.counts.get("events"));
        Ok(UserForgotten { pseudonym, records, events, tasks, entries, rules })
    }

    /// Takes a person out of what others own; a dry run only counts.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) async fn take_person_out(
        &self,
        memory: &Memory,
        mentions: &PersonMentions,
        by: &str,
        dry_run: bool,
    ) -> Result<MentionsTaken> {
        let (now, erased) = (self.clock.now(), &mentions.erased);
        let tasks = self.take_from_tasks(memory, erased, now, dry_run).await?;
        let entries = self.take_from_ledger(memory, erased, dry_run).await?;
        let rules = self.take_from_rules(memory, erased, (by, dry_run), now).await?;
        Ok(MentionsTaken { tasks, entries, rules })
    }

    async fn take_from_tasks(
        &self,
        memory: &Memory,
        erased: &Erased,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<u64> {
        let (mut all, mut after): (u64, Option<(Timestamp, TaskId)>) = (0, None);
        loop {
            let (memory, erased) = (memory.id.clone(), erased.clone());
            let query = TaskQuery { after, ..TaskQuery::all(memory, limits::PAGE_ITEMS_MAX as usize) };
            let round = self.write_or_undo(dry_run, move |tx| {
                let page = tx.tasks().list(&query)?;
                let last = page.last().filter(|_| page.len() == query.limit);
                let next = last.map(|task| (task.created_at, task.id.clone()));
                let mut changed = 0;
                for mut task in page {
                    if erased.take_from_task(&mut task) {
                        task.updated_at = now;
                        tx.tasks_mut().put(&task)?;
                        changed += 1;
                    }
                }
                Ok(Round { changed, next })
            });
            let Round { changed, next } = round.await?;
            all += changed;
            after = next;
            if after.is_none() {
                return Ok(all);
            }
        }
    }

    async fn take_from_ledger(&self, memory: &Memory, erased: &Erased, dry_run: bool) -> Result<u64> {
        let mut all = 0;
        // Whose preferences they are is asked of that shelf until the end.
        for shelf in Shelf::ALL.iter().filter(|shelf| **shelf != Shelf::PreferenceUser) {
            let mut after = None;
            loop {
                let (memory, erased, shelf) = (memory.id.clone(), erased.clone(), *shelf);
                let limit = limits::PAGE_ITEMS_MAX as usize;
                let page = LedgerPage { memory, shelf, actor: None, subject: None, after, limit };
                let Round { changed, next } =
                    self.write_or_undo(dry_run, move |tx| take_from_page(tx, &page, &erased)).await?;
                all += changed;
                after = next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(all)
    }

    async fn take_from_rules(
        &self,
        memory: &Memory,
        erased: &Erased,
        (by, dry_run): (&str, bool),
        now: Timestamp,
    ) -> Result<u64> {
        let (mut all, mut after) = (0, None);
        loop {
            let (memory, erased, by) = (memory.clone(), erased.clone(), by.to_owned());
            let scope = RecordScope {
                kinds: vec![RecordKind::Rule],
                states: people::ALL_STATES.to_vec(),
                ..RecordScope::whole(memory.id.clone(), now)
            };
            let page = RecordPage { scope, after, limit: limits::PAGE_ITEMS_MAX as usize };
            let round = self.write_or_undo(dry_run, move |tx| {
                let records = tx.records().list(&page)?;
                let last = records.last().filter(|_| records.len() == page.limit);
                let next = last.map(|record| (record.created_at, record.id.clone()));
                let changing = Changing { memory: &memory, by: &by, at: now };
                let mut changed = 0;
                for mut record in records {
                    for mut version in tx.records().history(&memory.id, &record.id)? {
                        if erased.take_from_metadata(&mut version.metadata) {
                            tx.records_mut().rewrite(&version)?;
                        }
                    }
                    if erased.take_from_metadata(&mut record.metadata) {
                        record.version = record.version.saturating_add(1);
                        record.updated_at = now;
                        tx.records_mut().put_version(&record)?;
                        changing.note(
                            tx,
                            &record,
                            Some(record.state),
                            record.state,
                            "a person was forgotten",
                        )?;
                        changed += 1;
                    }
                }
                Ok(Round { changed, next })
            });
            let Round { changed, next } = round.await?;
            all += changed;
            after = next;
            if after.is_none() {
                return Ok(all);
            }
        }
    }
}

fn take_from_page(tx: &mut dyn Tx, page: &LedgerPage, erased: &Erased) -> Result<Round<String>> {
    let entries = tx.ledger().list(page)?;
    let last = entries.last().filter(|_| entries.len() == page.limit);
    let next = last.map(|entry| (entry.at, entry.key.clone()));
    let mut changed = 0;
    for entry in entries {
        if page.shelf == Shelf::Person && erased.is_key(&entry.key) {
            tx.ledger_mut().remove(&page.memory, page.shelf, &entry.key)?;
            changed += 1;
            continue;
        }
        let mut value = entry.body.value()?;
        if erased.take_from_value(&mut value) {
            tx.ledger_mut().put(&LedgerEntry { body: Document::from_value(&value)?, ..entry })?;
            changed += 1;
        }
    }
    Ok(Round { changed, next })
}
