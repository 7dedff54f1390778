//! Hooks on people: persons whom a product knows under the names that other people's data
//! contains. The operations that forget or export a person use these names. Data of others that
//! names a forgotten person stays, without the name.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use loci_model::ledger::Shelf;
use loci_model::memory::Memory;
use loci_model::ports::store::ReadTx;
use loci_model::{ActorId, MemoryId, RecordId, Result, Timestamp};

use super::Products;
use crate::Engine;
use crate::admin::ExportLine;
use crate::admin::erasure::{MentionsTaken, Person};

/// A function that returns the time at which the person behind an actor was forgotten, and the
/// pseudonym; `None` if the person was not forgotten.
pub type ForgottenLookup<'a> = dyn FnMut(&ActorId) -> Result<Option<(Timestamp, String)>> + 'a;

/// The result of removing the names of forgotten people from a stored object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgottenRemoval {
    /// The object names no forgotten person.
    Nobody,
    /// The names were removed from the object.
    Names,
    /// The object was stored under the name of a forgotten person and must be removed completely.
    Whole,
}

/// A person whom a product knows: the person's other actors, and a search for the person's names
/// in other data.
pub type KnownPerson = (Vec<ActorId>, Arc<dyn PersonMentions>);

/// The people whom a product knows.
pub trait PeopleHooks: Send + Sync {
    /// Returns true if the product knows people in the memory.
    fn knows_people(&self, memory: &Memory) -> bool;

    /// Returns the person behind an actor; `None` if the product does not know the person.
    /// `pseudonym` replaces the person's name once they are forgotten.
    ///
    /// # Errors
    /// Errors of the store.
    fn person(
        &self,
        tx: &dyn ReadTx,
        memory: &Memory,
        actor: &ActorId,
        pseudonym: &str,
    ) -> Result<Option<KnownPerson>>;

    /// Removes from a line of an export the people who were forgotten after the export was
    /// written.
    ///
    /// # Errors
    /// Errors of `look_up`; a bug if the line is damaged.
    fn take_forgotten(
        &self,
        line: &mut ExportLine,
        look_up: &mut ForgottenLookup<'_>,
    ) -> Result<ForgottenRemoval>;
}

/// The names under which the data of others mentions one person.
pub trait PersonMentions: Send + Sync + std::fmt::Debug {
    /// Returns the same person with additional names that a scan of the memory finds.
    fn completed<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
    ) -> BoxFuture<'a, Result<Arc<dyn PersonMentions>>>;

    /// Returns true if a line of an export names the person.
    ///
    /// # Errors
    /// Errors of the store; a bug if a document of the line is damaged.
    fn are_in(&self, tx: &dyn ReadTx, line: &ExportLine) -> Result<bool>;

    /// Returns the actors that stand for the person's email addresses. An import recognizes a
    /// forgotten person by them.
    fn actors_of_addresses(&self) -> Vec<ActorId>;

    /// Returns the shelf and key of each ledger entry that holds the person's own settings.
    fn settings(&self) -> Vec<(Shelf, &str)>;

    /// Returns the name of a caller as it is stored after the removal: the pseudonym if the
    /// caller is the person.
    fn caller<'a>(&'a self, name: &'a str) -> &'a str;

    /// Removes the person's names from the data of others. A dry run only counts.
    fn take_out<'a>(
        &'a self,
        engine: &'a Engine,
        whom: PersonRemoval<'a>,
        dry_run: bool,
    ) -> BoxFuture<'a, Result<MentionsTaken>>;
}

/// The input for removing a person's names from the data of others.
#[derive(Debug, Clone)]
pub struct PersonRemoval<'a> {
    /// The memory whose data is changed.
    pub memory: &'a Memory,
    /// The person to remove.
    pub person: &'a Person,
    /// The person's own records. They are erased completely, so their texts need no change.
    pub own: BTreeSet<RecordId>,
    /// The name of the caller who requested the removal.
    pub by: &'a str,
    /// The time of the call.
    pub at: Timestamp,
}

/// The names of one person that several products know.
#[derive(Debug)]
struct MentionsOfProducts(Vec<Arc<dyn PersonMentions>>);

impl PersonMentions for MentionsOfProducts {
    fn completed<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
    ) -> BoxFuture<'a, Result<Arc<dyn PersonMentions>>> {
        Box::pin(async move {
            let mut completed = Vec::with_capacity(self.0.len());
            for mentions in &self.0 {
                completed.push(mentions.completed(engine, memory).await?);
            }
            Ok(Arc::new(Self(completed)) as Arc<dyn PersonMentions>)
        })
    }

    fn are_in(&self, tx: &dyn ReadTx, line: &ExportLine) -> Result<bool> {
        for mentions in &self.0 {
            if mentions.are_in(tx, line)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn actors_of_addresses(&self) -> Vec<ActorId> {
        self.0.iter().flat_map(|mentions| mentions.actors_of_addresses()).collect()
    }

    fn settings(&self) -> Vec<(Shelf, &str)> {
        self.0.iter().flat_map(|mentions| mentions.settings()).collect()
    }

    fn caller<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.iter().fold(name, |name, mentions| mentions.caller(name))
    }

    fn take_out<'a>(
        &'a self,
        engine: &'a Engine,
        whom: PersonRemoval<'a>,
        dry_run: bool,
    ) -> BoxFuture<'a, Result<MentionsTaken>> {
        Box::pin(async move {
            let mut taken = MentionsTaken::default();
            for mentions in &self.0 {
                taken.absorb(&mentions.take_out(engine, whom.clone(), dry_run).await?);
            }
            Ok(taken)
        })
    }
}

/// Joins the actors and names of a person from several products.
fn joined(mut known: Vec<KnownPerson>) -> Option<KnownPerson> {
    if known.len() < 2 {
        return known.pop();
    }
    let (mut actors, mut mentions): (Vec<ActorId>, Vec<_>) = (Vec::new(), Vec::new());
    for (of_product, names) in known {
        for actor in of_product {
            if !actors.contains(&actor) {
                actors.push(actor);
            }
        }
        mentions.push(names);
    }
    Some((actors, Arc::new(MentionsOfProducts(mentions))))
}

impl Products {
    fn people(&self) -> impl Iterator<Item = &dyn PeopleHooks> {
        self.0.iter().filter_map(|product| product.people.as_deref())
    }

    /// Returns true if any product knows people in the memory.
    pub(crate) fn knows_people(&self, memory: &Memory) -> bool {
        self.people().any(|hooks| hooks.knows_people(memory))
    }

    /// Returns the person behind an actor, with the names that all products know.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn person(
        &self,
        tx: &dyn ReadTx,
        memory: &Memory,
        actor: &ActorId,
        pseudonym: &str,
    ) -> Result<Option<KnownPerson>> {
        let mut known = Vec::new();
        for hooks in self.people() {
            known.extend(hooks.person(tx, memory, actor, pseudonym)?);
        }
        Ok(joined(known))
    }

    /// Removes from a line of an export the people who were forgotten after the export was
    /// written, for all products.
    ///
    /// # Errors
    /// As [`PeopleHooks::take_forgotten`].
    pub(crate) fn take_forgotten(
        &self,
        memory: &Memory,
        line: &mut ExportLine,
        look_up: &mut ForgottenLookup<'_>,
    ) -> Result<ForgottenRemoval> {
        let mut taken = ForgottenRemoval::Nobody;
        for hooks in self.people().filter(|hooks| hooks.knows_people(memory)) {
            match hooks.take_forgotten(line, look_up)? {
                ForgottenRemoval::Nobody => {}
                ForgottenRemoval::Names => taken = ForgottenRemoval::Names,
                ForgottenRemoval::Whole => return Ok(ForgottenRemoval::Whole),
            }
        }
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of a test person whom one product knows under a login.
    #[derive(Debug)]
    struct Login(&'static str);

    impl PersonMentions for Login {
        fn completed<'a>(
            &'a self,
            _engine: &'a Engine,
            _memory: &'a MemoryId,
        ) -> BoxFuture<'a, Result<Arc<dyn PersonMentions>>> {
            Box::pin(async move { Ok(Arc::new(Self(self.0)) as Arc<dyn PersonMentions>) })
        }

        fn are_in(&self, _tx: &dyn ReadTx, _line: &ExportLine) -> Result<bool> {
            Ok(false)
        }

        fn actors_of_addresses(&self) -> Vec<ActorId> {
            vec![ActorId::parse(format!("{}/address", self.0)).unwrap()]
        }

        fn settings(&self) -> Vec<(Shelf, &str)> {
            vec![(Shelf::named("settings"), self.0)]
        }

        fn caller<'a>(&'a self, name: &'a str) -> &'a str {
            if name == self.0 { "pseudonym" } else { name }
        }

        fn take_out<'a>(
            &'a self,
            _engine: &'a Engine,
            _whom: PersonRemoval<'a>,
            _dry_run: bool,
        ) -> BoxFuture<'a, Result<MentionsTaken>> {
            Box::pin(async { Ok(MentionsTaken { tasks: 1, ..MentionsTaken::default() }) })
        }
    }

    #[test]
    fn a_person_is_known_by_all_products() {
        let actor = |text: &str| ActorId::parse(text).unwrap();
        let known = |actors: &[&str], login| -> KnownPerson {
            (actors.iter().map(|text| actor(text)).collect(), Arc::new(Login(login)))
        };
        assert!(joined(Vec::new()).is_none());
        let (actors, mentions) = joined(vec![known(&["one"], "ann")]).unwrap();
        assert_eq!((actors, mentions.settings().len()), (vec![actor("one")], 1));
        let (actors, mentions) =
            joined(vec![known(&["one", "two"], "ann"), known(&["two", "three"], "mara")]).unwrap();
        assert_eq!(actors, ["one", "two", "three"].map(actor));
        let addresses = ["ann/address", "mara/address"].map(actor);
        assert_eq!(mentions.actors_of_addresses(), addresses);
        let keys: Vec<&str> = mentions.settings().into_iter().map(|(_, key)| key).collect();
        assert_eq!(keys, ["ann", "mara"]);
        for (name, stands_for) in [("ann", "pseudonym"), ("mara", "pseudonym"), ("bob", "bob")] {
            assert_eq!(mentions.caller(name), stands_for);
        }
    }

    #[test]
    fn what_is_taken_out_adds_up() {
        let mut taken = MentionsTaken { tasks: 1, records: 2, ..MentionsTaken::default() };
        taken.absorb(&MentionsTaken { tasks: 3, events: 4, ..MentionsTaken::default() });
        assert_eq!((taken.tasks, taken.events, taken.records, taken.count()), (4, 4, 2, 10));
    }
}
