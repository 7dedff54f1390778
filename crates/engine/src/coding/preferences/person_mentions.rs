//! A person as tasks, commits, reviews and rules of others name them, for the walk that forgets or
//! exports them. Only memories for code know people by the logins of a forge.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_model::ledger::Shelved;
use loci_model::memory::Memory;
use loci_model::ports::store::ReadTx;
use loci_model::{ActorId, RecordId, Result, Timestamp};

use super::people::{self, Whose, login_of};
use super::people_places::{NamesPeople, Taken};
use super::person_walk::PersonWalk;
use super::pseudonym::{Erased, Taking};
use crate::erasure::Person;

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
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn of(tx: &dyn ReadTx, memory: &Memory, whose: &Whose, pseudonym: &str) -> Result<Self> {
        let settings = whose.known.as_ref().map(Shelved::key);
        let former = people::free_former_logins(tx, &memory.id, whose)?;
        let erased = Erased::of(whose, pseudonym).with_names(former).with_number_of(&whose.place);
        Ok(Self { erased, settings })
    }

    /// True for a noun that names the person; `number` is the forge's number of its user, where it
    /// is known.
    ///
    /// # Errors
    /// A bug, where a document of it is damaged.
    pub(crate) fn is_in<T: NamesPeople + Clone>(&self, noun: &T, number: Option<&str>) -> Result<bool> {
        Ok(noun.clone().visit_people(number, &mut Taking(&self.erased))? != Taken::Nobody)
    }

    /// The actors of the person's e-mail addresses, by which an import knows that they were
    /// forgotten.
    pub(crate) fn actors_of_addresses(&self) -> Vec<ActorId> {
        self.erased.actors_of_addresses()
    }

    /// The name of a caller from now on: the pseudonym, where the caller is the person.
    pub(crate) fn caller<'a>(&'a self, name: &'a str) -> &'a str {
        if self.erased.is(name, None) { self.erased.pseudonym() } else { name }
    }

    /// The inputs of the walk that takes the person out of all but their own records.
    pub(crate) fn walk(
        &self,
        (memory, person, own): (&Memory, &Person, BTreeSet<RecordId>),
        by: &str,
        at: Timestamp,
    ) -> Arc<PersonWalk> {
        let (memory, person, erased) = (memory.clone(), person.clone(), self.erased.clone());
        Arc::new(PersonWalk { memory, person, own, erased, by: by.to_owned(), at })
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
    Ok(Some((actors_of(&whose), PersonMentions::of(tx, memory, &whose, pseudonym)?)))
}

/// The actors under which a person's own data is kept.
pub(super) fn actors_of(whose: &Whose) -> Vec<ActorId> {
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
            let mentions = PersonMentions { erased: Erased::of_name(&person, "erased-1"), settings: None };
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
