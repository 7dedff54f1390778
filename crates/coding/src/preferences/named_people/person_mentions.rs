//! The names of a person in tasks, commits, reviews and rules of others, for the walk that erases
//! or exports them. Only memories for code know people by the logins of a forge.

use std::sync::Arc;

use futures::future::BoxFuture;
use loci_engine::Engine;
use loci_engine::admin::ExportLine;
use loci_engine::admin::erasure::MentionsTaken;
use loci_engine::hooks::{
    ForgottenLookup, ForgottenRemoval, KnownPerson, PeopleHooks, PersonMentions, PersonRemoval,
};
use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::memory::Memory;
use loci_model::ports::store::ReadTx;
use loci_model::tasks::preference::PreferenceUser;
use loci_model::{ActorId, MemoryId, Result};

use super::forgotten_people::{naming, take_forgotten};
use super::person_inventory::NamesPeople;
use super::person_removal::{PersonWalk, number_of};
use super::pseudonym::{ErasedPerson, PersonReplacement};
use crate::preferences::owner::{self, PreferenceOwner, login_of};
use crate::product::Registered;

/// The profile of memories that know people.
const PROFILE: &str = "coding";

/// True for a memory that knows people by the logins of a forge.
pub(in crate::preferences) fn knows_people(memory: &Memory) -> bool {
    memory.settings.profile.as_deref() == Some(PROFILE)
}

/// The names of a person in the data of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::preferences) struct CodingMentions {
    pub(super) erased: ErasedPerson,
    /// The key of the person's own settings.
    pub(super) settings: Option<String>,
}

impl CodingMentions {
    /// Returns the mentions of a person. `pseudonym` replaces them after the erasure.
    ///
    /// # Errors
    /// Errors of the store.
    pub(in crate::preferences) fn of(
        tx: &dyn ReadTx,
        memory: &Memory,
        whose: &PreferenceOwner,
        pseudonym: &str,
    ) -> Result<Self> {
        let settings = whose.known.as_ref().map(LedgerNoun::key);
        let former = owner::free_former_logins(tx, &memory.id, whose)?;
        let erased = ErasedPerson::of(whose, pseudonym).with_names(former).with_number_of(&whose.place);
        Ok(Self { erased, settings })
    }

    /// True for a noun that names the person. `number` is the forge's number of its user, if known.
    ///
    /// # Errors
    /// A bug, if a document of the noun is damaged.
    fn is_in(&self, noun: &mut dyn NamesPeople, number: Option<&str>) -> Result<bool> {
        Ok(noun.visit_people(number, &mut PersonReplacement(&self.erased))? != ForgottenRemoval::Nobody)
    }

    /// Returns the inputs of the walk that removes the person from all data except their own
    /// records.
    fn walk(&self, whom: PersonRemoval<'_>, shelves: Vec<Shelf>) -> Arc<PersonWalk> {
        let PersonRemoval { memory, person, own, by, at } = whom;
        let (memory, person, erased) = (memory.clone(), person.clone(), self.erased.clone());
        Arc::new(PersonWalk { memory, person, own, erased, shelves, by: by.to_owned(), at })
    }

    /// Returns the name of a caller, or the pseudonym if the caller is the person.
    fn caller<'a>(&'a self, name: &'a str) -> &'a str {
        if self.erased.is(name, None) { self.erased.pseudonym() } else { name }
    }
}

/// The names of a person in the data of others, as the kernel uses them.
#[derive(Debug)]
pub(in crate::preferences) struct RegisteredMentions {
    pub(in crate::preferences) mentions: CodingMentions,
    pub(in crate::preferences) registered: Registered,
}

impl PersonMentions for RegisteredMentions {
    fn completed<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
    ) -> BoxFuture<'a, Result<Arc<dyn PersonMentions>>> {
        let coding = self.registered.coding(engine);
        Box::pin(async move {
            let mentions = coding.with_addresses(memory, self.mentions.clone(), true).await?;
            let completed = Self { mentions, registered: self.registered.clone() };
            Ok(Arc::new(completed) as Arc<dyn PersonMentions>)
        })
    }

    fn are_in(&self, tx: &dyn ReadTx, line: &ExportLine) -> Result<bool> {
        let number = number_of_line(tx, line)?;
        match naming(&mut line.clone()) {
            Some(line) => self.mentions.is_in(line.noun, number.as_deref()),
            None => Ok(false),
        }
    }

    fn actors_of_addresses(&self) -> Vec<ActorId> {
        self.mentions.erased.actors_of_addresses()
    }

    fn settings(&self) -> Vec<(Shelf, &str)> {
        self.mentions.settings.as_deref().map(|key| (PreferenceUser::SHELF, key)).into_iter().collect()
    }

    fn caller<'a>(&'a self, name: &'a str) -> &'a str {
        self.mentions.caller(name)
    }

    fn take_out<'a>(
        &'a self,
        engine: &'a Engine,
        whom: PersonRemoval<'a>,
        dry_run: bool,
    ) -> BoxFuture<'a, Result<MentionsTaken>> {
        let (coding, walk) =
            (self.registered.coding(engine), self.mentions.walk(whom, engine.products().shelves()));
        Box::pin(async move { coding.take_person_out(&walk, dry_run).await })
    }
}

/// Returns the forge's number of a line's user, if the user's task has it.
fn number_of_line(tx: &dyn ReadTx, line: &ExportLine) -> Result<Option<String>> {
    match line {
        ExportLine::Commit { commit } => {
            number_of(tx, &commit.memory, commit.task.as_ref(), commit.user.as_deref())
        }
        ExportLine::SessionItem { item } => {
            number_of(tx, &item.memory, Some(&item.task), item.user.as_deref())
        }
        _ => Ok(None),
    }
}

/// The people of memories for code.
pub(crate) struct People {
    pub(crate) registered: Registered,
}

impl PeopleHooks for People {
    fn knows_people(&self, memory: &Memory) -> bool {
        knows_people(memory)
    }

    fn person(
        &self,
        tx: &dyn ReadTx,
        memory: &Memory,
        actor: &ActorId,
        pseudonym: &str,
    ) -> Result<Option<KnownPerson>> {
        let known = person_of(tx, memory, actor, pseudonym)?;
        Ok(known.map(|(actors, mentions)| {
            let mentions = RegisteredMentions { mentions, registered: self.registered.clone() };
            (actors, Arc::new(mentions) as Arc<dyn PersonMentions>)
        }))
    }

    fn take_forgotten(
        &self,
        line: &mut ExportLine,
        look_up: &mut ForgottenLookup<'_>,
    ) -> Result<ForgottenRemoval> {
        naming(line).map_or(Ok(ForgottenRemoval::Nobody), |line| take_forgotten(line, look_up))
    }
}

/// Returns the other actors of a person known to a memory for code, and the person's mentions.
/// `None` in other memories, and for an actor that is not a person, such as a repository.
///
/// # Errors
/// Errors of the store.
fn person_of(
    tx: &dyn ReadTx,
    memory: &Memory,
    actor: &ActorId,
    pseudonym: &str,
) -> Result<Option<(Vec<ActorId>, CodingMentions)>> {
    if !knows_people(memory) || login_of(actor.as_str()).is_none() {
        return Ok(None);
    }
    let whose = owner::named(tx, &memory.id, actor.as_str(), true)?;
    Ok(Some((actors_of(&whose), CodingMentions::of(tx, memory, &whose, pseudonym)?)))
}

/// Returns the actors under which a person's own data is stored.
pub(in crate::preferences) fn actors_of(whose: &PreferenceOwner) -> Vec<ActorId> {
    let mut actors = vec![whose.place.clone()];
    actors.extend(whose.user_id().and_then(|id| ActorId::parse(format!("user:{id}")).ok()));
    actors.dedup();
    actors
}

#[cfg(test)]
mod tests {
    use super::super::pseudonym::NamedPerson;
    use super::*;

    #[test]
    fn a_caller_who_is_the_person_is_named_no_more() {
        let check = |person: NamedPerson, caller: &str, expect: &str| {
            let mentions =
                CodingMentions { erased: ErasedPerson::of_name(&person, "erased-1"), settings: None };
            assert_eq!(mentions.caller(caller), expect, "{person:?}");
        };
        let login = || NamedPerson::Login("zoe-k".to_owned());
        let address = || NamedPerson::Address("zoe@example.org".to_owned());
        check(login(), "Zoe-K", "erased-1");
        check(login(), "zoe", "zoe");
        check(address(), "Zoe@example.org", "erased-1");
        check(address(), "zoe", "zoe");
        check(NamedPerson::Number("7".to_owned()), "7", "7");
    }
}
