//! `forget`: erases all data of a person in a memory immediately, with a receipt that lists every
//! kind. A dry run counts the same data and changes nothing. Without a dry run the caller confirms
//! by repeating the actor.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_api::admin::{ForgetReceipt, ForgottenKind};
use loci_model::memory::Memory;
use loci_model::ports::store::{Checkpoint, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, Error, MemoryId, RecordId, Result, Timestamp};

use crate::access::segment;
use crate::admin::erasure::{
    Counts, ErasedTexts, Erasing, MentionsTaken, Person, Source, Tombstones, erase_person, pseudonym,
};
use crate::hooks::{CopyAfterErasure, PersonMentions, PersonRemoval};
use crate::language_models::erasure;
use crate::memories::existing;
use crate::{Engine, access};

/// The maximum number of times that a call scans the memory. A later scan finds data that was
/// written between the earlier scan and its erasure.
const WALKS_MAX: usize = 3;
/// The copies of data that an erasure can never reach; the receipt lists them.
const UNREACHABLE: [&str; 6] = [
    "backups and exports made before",
    "clones and copies of mirrors, and files there that were edited since their last sync",
    "names in code, in its history, in names of branches, in texts of prompts and of documents of others, \
     and in the reasons and commits of those",
    "files of removed mirrors in buckets, outside of mirror.roots and on other servers",
    "spools of clones that were not sent yet",
    "access keys that are named after the person, and logs of the server",
];

/// The reason why a git mirror still contains the name of a forgotten person, and what the
/// operator can do.
const COMMITS_KEEP_AUTHOR: &str = "its commits keep the person as their author, by the name of an access \
     key: remove the mirror and delete its repository, or keep the files in a directory, without history";

/// Returns the actor for the name of a person in a request: an actor id, or a name that a forge
/// or a client uses (`octo[bot]`, `zoë-k`, `zoe@example.com`).
///
/// # Errors
/// `Invalid` for a name that nobody can have.
pub fn actor_of_person(name: &str) -> Result<ActorId> {
    let encoded = || ActorId::parse(segment::encode(name, "actor").ok()?).ok();
    ActorId::parse(name).ok().or_else(encoded).ok_or_else(|| {
        let rule = "actor must be an actor, or a name of 1 to 120 characters without slashes, braces and \
                    control characters";
        let remedy = "of another name the forge's number does: user: and the number, such as user:4711";
        Error::invalid("actor", format!("{rule}; {remedy}"))
    })
}

/// A request to erase the data of a person in a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetAsk {
    /// The memory from which the data is erased.
    pub memory: MemoryId,
    /// The actor id of the person.
    pub actor: ActorId,
    /// True to count the data without erasing it.
    pub dry_run: bool,
    /// The actor id repeated, as a confirmation; required unless `dry_run` is set.
    pub confirm: Option<String>,
}

/// A person whose data is to be erased, as one memory knows them.
#[derive(Debug, Clone)]
pub struct ForgetContext {
    /// The memory that contains the data.
    pub memory: Memory,
    /// The person, with all actors that stand for them.
    pub person: Person,
    /// The search for the person's names in the data of others; `None` if no product knows people
    /// in this memory.
    pub mentions: Option<Arc<dyn PersonMentions>>,
    /// True if an administrator requests the erasure: the receipt then lists files of all
    /// mirrors. If the person requests it, only the mirrors of the person's own trees are
    /// examined.
    pub names_files: bool,
}

/// The data of a person that was erased, and the data that remains.
#[derive(Debug, Clone)]
pub struct ErasedPersonData {
    pub counts: Counts,
    pub mentions_taken: MentionsTaken,
    /// The number of records that name the person and stay, because they also name others.
    pub left_shared: usize,
    /// The names of the mirrors that were updated.
    pub mirrors: Vec<String>,
    /// The copies of data that this server cannot reach.
    pub unreachable: Vec<String>,
    at: Timestamp,
}

impl ForgetAsk {
    fn check(&self) -> Result<()> {
        let is_actor = |confirm: &str| actor_of_person(confirm).is_ok_and(|actor| actor == self.actor);
        if self.dry_run || self.confirm.as_deref().is_some_and(is_actor) {
            return Ok(());
        }
        let actor = &self.actor;
        let rule = format!("confirm must be the actor, \"{actor}\": nothing brings back what is erased");
        let remedy = format!("look first with dry_run: true, then send confirm: \"{actor}\"");
        Err(Error::invalid("confirm", format!("{rule}; {remedy}")))
    }
}

impl Engine {
    /// Erases all data of a person in a memory, or only counts it.
    ///
    /// # Errors
    /// `Invalid` without a confirmation; else as [`Engine::forget_actor`].
    pub async fn forget(&self, caller: &Principal, ask: &ForgetAsk) -> Result<ForgetReceipt> {
        access::require_whole(caller, &ask.memory, Capability::Admin)?;
        ask.check()?;
        self.forget_or_count(caller, &ask.memory, &ask.actor, ask.dry_run).await
    }

    /// Erases all data of a person in a memory: records of every kind that are the person's by
    /// provenance, source, namespace, path or named owner, events, tasks, sessions, the ledger,
    /// trees, parked objects and pending deliveries. `erase_after_ms` does not delay it, because it
    /// is the data subject's right. Existing backups keep their content. The caller has confirmed.
    ///
    /// # Errors
    /// `Denied` without administration of the whole memory; `NotFound`; errors of the store.
    pub async fn forget_actor(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
    ) -> Result<ForgetReceipt> {
        access::require_whole(caller, memory, Capability::Admin)?;
        self.forget_or_count(caller, memory, actor, false).await
    }

    async fn forget_or_count(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
        dry_run: bool,
    ) -> Result<ForgetReceipt> {
        let (memory, person, mentions) = self.person(memory, actor).await?;
        let whom = ForgetContext { memory, person, mentions, names_files: true };
        let forgotten = self.forget_person(caller, &whom, dry_run).await?;
        Ok(receipt(&whom.memory, actor, dry_run, forgotten))
    }

    /// Erases the data of a person that was found in a memory, or only counts it. The caller has
    /// checked the grants.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn forget_person(
        &self,
        caller: &Principal,
        whom: &ForgetContext,
        dry_run: bool,
    ) -> Result<ErasedPersonData> {
        let ForgetContext { memory, person, mentions, names_files } = whom;
        let (mut by, at) = (caller.name.as_str(), self.clock.now());
        if !dry_run {
            self.ready_to_seal().await?;
        }
        let (mut counts, mut mentions_taken) = (Counts::new(), MentionsTaken::default());
        if let Some(mentions) = mentions {
            by = mentions.caller(by);
            let own = self.holdings(memory, person, None).await?.records;
            let whom = PersonRemoval { memory, person, own, by, at };
            mentions_taken = mentions.take_out(self, whom, dry_run).await?;
            for (kind, count) in mentions_taken.listed() {
                counts.add(kind, count);
            }
            counts.add("mentions by others", mentions_taken.count());
        }
        let (mut records, mut left_shared) = (BTreeSet::new(), 0);
        for _ in 0..WALKS_MAX {
            // References to a record that an earlier scan erased are found by its id only.
            let held = self.holdings(memory, person, None).await?;
            records.extend(held.records);
            left_shared = held.left_shared;
            let found = self.erase_found(whom, &records, by, dry_run).await?;
            counts.absorb(&found);
            if dry_run || found.is_empty() {
                break;
            }
        }
        if !dry_run && mentions_taken.count() > 0 {
            let memory = memory.id.clone();
            self.store.write(move |tx| erasure::of_names(tx, &memory, at)).await?;
        }
        let mut unreachable: Vec<String> = UNREACHABLE.iter().map(|place| (*place).to_owned()).collect();
        let mut mirrors = Vec::new();
        if dry_run {
            let not_examined = self.files_not_examined(&memory.id, person, *names_files).await?;
            unreachable.extend(not_examined.lines_without(&BTreeSet::new()));
        } else {
            self.wake.call();
            self.leave_no_trace(whom, &mut mirrors, &mut unreachable).await?;
        }
        // In other memories a scan has removed the person from the history that commits are made
        // of.
        if mentions.is_none() {
            let named = self.copies_with_author(&memory.id, person).await?;
            unreachable.extend(named.iter().map(|name| format!("mirror {name}: {COMMITS_KEEP_AUTHOR}")));
        }
        Ok(ErasedPersonData { counts, mentions_taken, left_shared, mirrors, unreachable, at })
    }

    /// Returns the person for whom an actor stands.
    pub(super) async fn person(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
    ) -> Result<(Memory, Person, Option<Arc<dyn PersonMentions>>)> {
        let pseudonym = pseudonym(&hex::encode(self.ids.random()));
        let (memory, actor, products) = (memory.clone(), actor.clone(), self.products.clone());
        let found = self.store.read(move |tx| {
            let memory = existing(tx, &memory)?;
            let mut actors = vec![actor.clone()];
            let known = products.person(tx, &memory, &actor, &pseudonym)?;
            let (others, mentions) = known.map_or((Vec::new(), None), |(all, known)| (all, Some(known)));
            actors.extend(others.into_iter().filter(|other| *other != actor));
            let person = Person::of(&memory, actors, products.knows_people(&memory));
            Ok((memory, person, mentions))
        });
        let (memory, person, mentions) = found.await?;
        let mentions = match mentions {
            Some(mentions) => Some(mentions.completed(self, &memory.id).await?),
            None => None,
        };
        Ok((memory, person, mentions))
    }

    async fn erase_found(
        &self,
        whom: &ForgetContext,
        records: &BTreeSet<RecordId>,
        by: &str,
        dry_run: bool,
    ) -> Result<Counts> {
        let traces = self.traces(&whom.memory.id, &whom.person, records).await?;
        let texts = if dry_run {
            ErasedTexts::default()
        } else {
            self.erased_texts(&whom.memory.id, records).await?
        };
        let (whom, found, by) = (whom.clone(), records.clone(), by.to_owned());
        let (vault, clock) = (self.vault.clone(), self.clock.clone());
        self.write_or_undo(dry_run, move |tx| {
            let memory = &existing(tx, &whom.memory.id)?;
            let (person, records, traces, texts) = (&whom.person, &found, &traces, &texts);
            // The time of the write, so that no erased data is newer.
            let (vault, by, at) = (vault.as_ref(), by.as_str(), clock.now());
            let erasing = Erasing { memory, person, records, traces, texts, vault, marks: !dry_run, by, at };
            let mut counts = erase_person(tx, &erasing)?;
            // The person's settings are removed with their actor; settings under another name are
            // removed here.
            for (shelf, key) in whom.mentions.iter().flat_map(|mentions| mentions.settings()) {
                let is_there = tx.ledger_mut().remove(&memory.id, &shelf, key)?;
                counts.add("ledger entries", u64::from(is_there));
            }
            for actor in
                whom.mentions.iter().flat_map(|mentions| mentions.actors_of_addresses()).filter(|_| !dry_run)
            {
                let tombstones = Tombstones { vault, memory: &memory.id };
                tombstones.put(tx, &Source::Actor(&actor), at)?;
            }
            Ok(counts)
        })
        .await
    }

    /// Updates data outside the store's rows: mirrors and the write-ahead log. Files that belong to
    /// no document are listed, and the person's mirrors with such files stay.
    async fn leave_no_trace(
        &self,
        whom: &ForgetContext,
        mirrors: &mut Vec<String>,
        unreachable: &mut Vec<String>,
    ) -> Result<()> {
        let (memory, person) = (&whom.memory.id, &whom.person);
        let brought_up = self.copies_brought_up(memory).await?;
        let not_examined = self.files_not_examined(memory, person, whom.names_files).await?;
        let mut not_emptied = BTreeSet::new();
        for CopyAfterErasure { name, left } in brought_up {
            match left {
                // The line of this mirror already lists the remaining files.
                None if not_examined.of_person.contains(&name) => {}
                None => mirrors.push(name),
                Some(left) => {
                    unreachable.push(left);
                    not_emptied.insert(name);
                }
            }
        }
        let of_person = not_examined.of_person.clone();
        unreachable.extend(not_examined.lines_without(&not_emptied));
        not_emptied.extend(of_person);
        for name in self.copies_of_person_removed(memory, person, &not_emptied).await? {
            unreachable.push(format!("mirror {name}: the configuration names the person's tree"));
        }
        let moment = Checkpoint::Underway { monotonic_us: self.clock.monotonic_us() };
        if let Err(error) = self.store.checkpoint(moment).await {
            unreachable.push(format!("the write-ahead log, until the next checkpoint: {}", error.message));
        }
        Ok(())
    }
}

fn receipt(memory: &Memory, actor: &ActorId, dry_run: bool, forgotten: ErasedPersonData) -> ForgetReceipt {
    let ErasedPersonData { counts, mirrors, unreachable, at, .. } = forgotten;
    let kinds = counts.listed().into_iter();
    ForgetReceipt {
        memory: memory.id.to_string(),
        actor: actor.to_string(),
        dry_run,
        events: counts.get("events"),
        records: counts.records(),
        jobs: counts.get("jobs"),
        tasks: counts.get("tasks"),
        exposures: counts.get("exposures"),
        kinds: kinds.map(|(kind, count)| ForgottenKind { kind: kind.to_owned(), count }).collect(),
        mirrors,
        unreachable,
        at: at.to_rfc3339(),
    }
}
