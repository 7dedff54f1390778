//! The walk that removes a person from the data of others: table by table, page by page. Each page
//! is read first, and written only if it names the person, so that a walk over a large memory
//! blocks no writer. `person_inventory` lists the places of a noun that name people.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_engine::admin::erasure::{MentionsTaken, Person};
use loci_engine::hooks::ForgottenRemoval;
use loci_model::delivery::Delivery;
use loci_model::event::Event;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ledger::{LedgerEntry, Shelf};
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::TaskSession;
use loci_model::{ActorId, JobId, MemoryId, RecordId, Result, TaskId, Timestamp};

use super::people_in_text::PROGRAM;
use super::people_rows::{NamedAnswer, NamedFactEvent, NamedVersion, PAGE_ROWS};
use super::person_inventory::NamesPeople;
use super::person_mentions::CodingMentions;
use super::pseudonym::{ErasedPerson, PersonReplacement};
use super::session_rows::NamedItem;
use crate::Coding;

/// Local parts of addresses of programs, which belong to no person.
const OF_NOBODY: [&str; 4] = ["noreply", "no-reply", "bot", "action"];

/// The inputs of a walk.
#[derive(Debug)]
pub(crate) struct PersonWalk {
    pub(super) memory: Memory,
    pub(super) person: Person,
    /// The person's records, which are erased whole.
    pub(super) own: BTreeSet<RecordId>,
    pub(super) erased: ErasedPerson,
    /// The shelves of the ledger.
    pub(super) shelves: Vec<Shelf>,
    /// The name of the caller.
    pub(super) by: String,
    pub(super) at: Timestamp,
}

/// The inputs of the writes of one page.
pub(super) struct PageWriteInput<'a> {
    pub(super) walk: &'a PersonWalk,
    /// The job that computes the vectors of changed texts.
    pub(super) embed: JobId,
}

/// A row of a table that may name people.
pub(super) trait PeopleRow: NamesPeople + Sized + Send + 'static {
    /// The position of a row in the order of its table.
    type Key: Clone + Send + 'static;

    /// Returns the rows after a position; none at the end.
    fn page(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&Self::Key>) -> Result<Vec<Self>>;
    fn key(&self) -> Self::Key;
    /// Returns the owner of a row that is erased together with its owner.
    fn owner(&self) -> Option<&ActorId> {
        None
    }
    /// Returns the record of a row that is a version of one.
    fn record(&self) -> Option<&RecordId> {
        None
    }
    /// Returns the forge's number of the row's user, if the user's task has it.
    fn number(&self, _tx: &dyn ReadTx) -> Result<Option<String>> {
        Ok(None)
    }
    fn put(self, tx: &mut dyn Tx, taken: ForgottenRemoval, writing: &PageWriteInput<'_>) -> Result<()>;
}

/// The rows of a page that name the person, without the person, and the next position.
struct Round<T: PeopleRow> {
    named: Vec<(T, ForgottenRemoval)>,
    next: Option<T::Key>,
}

impl<T: PeopleRow> Round<T> {
    fn of(tx: &dyn ReadTx, walk: &PersonWalk, after: Option<&T::Key>) -> Result<Self> {
        let page = T::page(tx, walk, after)?;
        let next = page.last().map(T::key);
        let mut named = Vec::new();
        for mut row in page {
            let is_own = row.owner().is_some_and(|owner| walk.person.is_actor(owner))
                || row.record().is_some_and(|record| walk.own.contains(record));
            if is_own {
                continue;
            }
            let number = row.number(tx)?;
            let taken = row.visit_people(number.as_deref(), &mut PersonReplacement(&walk.erased))?;
            if taken != ForgottenRemoval::Nobody {
                named.push((row, taken));
            }
        }
        Ok(Self { named, next })
    }
}

/// The number of rows of a page that name the person, and the start of the next page.
struct Paged<K> {
    named: u64,
    next: Option<K>,
}

impl<K: Clone> Paged<K> {
    fn of<T: PeopleRow<Key = K>>(round: &Round<T>) -> Self {
        let named = u64::try_from(round.named.len()).unwrap_or(u64::MAX);
        Self { named, next: round.next.clone() }
    }
}

impl Coding {
    /// Removes a person from the data of others. A dry run only counts.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) async fn take_person_out(
        &self,
        walk: &Arc<PersonWalk>,
        dry_run: bool,
    ) -> Result<MentionsTaken> {
        // Items come before the events that have their words.
        let items = self.take_from::<NamedItem>(walk, dry_run).await?;
        let sessions = items + self.take_from::<TaskSession>(walk, dry_run).await?;
        let versions = self.take_from::<NamedVersion>(walk, dry_run).await?;
        let records = versions + self.take_from::<NamedFactEvent>(walk, dry_run).await?;
        Ok(MentionsTaken {
            records,
            sessions,
            events: self.take_from::<Event>(walk, dry_run).await?,
            deliveries: self.take_from::<Delivery>(walk, dry_run).await?,
            answers: self.take_from::<NamedAnswer>(walk, dry_run).await?,
            repositories: self.take_from::<Repository>(walk, dry_run).await?,
            entries: self.take_from::<LedgerEntry>(walk, dry_run).await?,
            // Tasks come last, because they have the numbers of the users of the others.
            commits: self.take_from::<TaskCommit>(walk, dry_run).await?,
            tasks: self.take_from::<Task>(walk, dry_run).await?,
        })
    }

    async fn take_from<T: PeopleRow>(&self, walk: &Arc<PersonWalk>, dry_run: bool) -> Result<u64> {
        let (mut all, mut after) = (0, None::<T::Key>);
        loop {
            let (of, from) = (walk.clone(), after.clone());
            let read = self.engine.store().read(move |tx| Round::<T>::of(tx, &of, from.as_ref()));
            let mut round = Paged::of(&read.await?);
            if round.named > 0 && !dry_run {
                round = self.put_page::<T>(walk, after).await?;
            }
            all += round.named;
            after = round.next;
            if after.is_none() {
                return Ok(all);
            }
        }
    }

    /// Writes a page that names the person after reading it again: rows added since the first
    /// reading may move its end.
    async fn put_page<T: PeopleRow>(
        &self,
        walk: &Arc<PersonWalk>,
        after: Option<T::Key>,
    ) -> Result<Paged<T::Key>> {
        let (of, embed) = (walk.clone(), JobId::parse(uuid7(self.engine.ids().as_ref(), walk.at.millis()))?);
        self.engine
            .store()
            .write(move |tx| {
                let writing = PageWriteInput { walk: &of, embed: embed.clone() };
                let round = Round::<T>::of(tx, &of, after.as_ref())?;
                let paged = Paged::of(&round);
                for (row, taken) in round.named {
                    row.put(tx, taken, &writing)?;
                }
                Ok(paged)
            })
            .await
    }

    /// Adds to a person the e-mail addresses, and author names, that occur only in commits done for
    /// the person. An address whose local part is the login of another person belongs to that
    /// person. The reporter of a commit states its author. Therefore the author of a commit without
    /// a user may be another person and stays, unless an administrator requests the walk
    /// (`is_proved`).
    ///
    /// # Errors
    /// Errors of the store.
    pub(in crate::preferences) async fn with_addresses(
        &self,
        memory: &MemoryId,
        mentions: CodingMentions,
        is_proved: bool,
    ) -> Result<CodingMentions> {
        let (mut theirs, mut of_others) = (BTreeSet::new(), BTreeSet::new());
        let mut after: Option<(ActorId, ObjectId)> = None;
        loop {
            let (of, from, erased) = (memory.clone(), after.take(), mentions.erased.clone());
            let read = self.engine.store().read(move |tx| {
                let from = from.as_ref().map(|(actor, sha)| (actor, sha));
                let commits = tx.commits().list(&of, from, PAGE_ROWS)?;
                let mut authors = Vec::new();
                for commit in &commits {
                    let Some(author) = &commit.author else { continue };
                    if commit.user.is_none() && is_proved {
                        continue;
                    }
                    let user = commit.user.as_deref().unwrap_or_default();
                    let number = number_of(tx, &of, commit.task.as_ref(), Some(user))?;
                    let is_theirs = erased.is(user, number.as_deref());
                    authors.push((spelling(author), user.to_lowercase(), is_theirs));
                }
                Ok((authors, commits.last().map(|last| (last.actor.clone(), last.sha))))
            });
            let (authors, next) = read.await?;
            for (author, user, is_theirs) in authors {
                if is_theirs {
                    theirs.extend(author);
                } else {
                    of_others.extend(author);
                    of_others.insert(user);
                }
            }
            after = next;
            if after.is_none() {
                break;
            }
        }
        theirs.retain(|author| !of_others.contains(author) && !of_others.contains(local_part(author)));
        Ok(CodingMentions { erased: mentions.erased.with_addresses(theirs), ..mentions })
    }
}

/// Returns the address of an author, or the name of an author without one; `None` for programs.
fn spelling(author: &str) -> Option<String> {
    let author = author.to_lowercase();
    let address = author.split_once('<').map(|(_, address)| address.trim_end_matches('>').trim());
    let known = address.filter(|address| !address.is_empty()).unwrap_or(author.trim());
    let is_program = author.contains(PROGRAM) || OF_NOBODY.contains(&local_part(known));
    (!known.is_empty() && !is_program).then(|| known.to_owned())
}

fn local_part(address: &str) -> &str {
    address.split_once('@').map_or(address, |(local, _)| local)
}

/// Returns the forge's number of a user, if the user's task has it.
pub(crate) fn number_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    task: Option<&TaskId>,
    user: Option<&str>,
) -> Result<Option<String>> {
    let (Some(task), Some(user)) = (task, user) else { return Ok(None) };
    let Some(task) = tx.tasks().get(memory, task)? else { return Ok(None) };
    let is_same = task.user.as_deref().is_some_and(|name| name.to_lowercase() == user.to_lowercase());
    Ok(task.user_id.filter(|_| is_same))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_are_known_by_their_addresses() {
        let check = |author: &str, expect: Option<&str>| {
            assert_eq!(spelling(author).as_deref(), expect, "{author}");
        };
        check("Carol Dee <C.Dee@example.com>", Some("c.dee@example.com"));
        check("Carol Dee", Some("carol dee"));
        check("carol@x.org", Some("carol@x.org"));
        check("Carol <>", Some("carol <>"));
        check("Claude <noreply@example.com>", None);
        check("shop[bot] <7+shop[bot]@users.noreply.github.com>", None);
        check("", None);
    }
}
