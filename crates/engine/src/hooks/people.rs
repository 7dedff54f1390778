//! Hooks on people: persons whom a product knows by names that others give them. Forgetting and
//! exporting a person use these names. An object that names a forgotten person stays, without the
//! name.

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

/// Looks up the time at which an actor's person was forgotten, and their pseudonym.
pub type ForgottenLookup<'a> = dyn FnMut(&ActorId) -> Result<Option<(Timestamp, String)>> + 'a;

/// The result of removing forgotten people from an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgottenRemoval {
    /// It names no forgotten person.
    Nobody,
    /// The names were removed.
    Names,
    /// It was stored under the person's name and must be removed completely.
    Whole,
}

/// A person by an actor: the person's other actors, and the names that others give them.
pub type KnownPerson = (Vec<ActorId>, Arc<dyn PersonMentions>);

/// The people whom a product knows.
pub trait PeopleHooks: Send + Sync {
    /// Returns true for a memory in which the product knows people.
    fn knows_people(&self, memory: &Memory) -> bool;

    /// Returns the person of an actor; `None` if the product does not know them. `pseudonym`
    /// replaces their name once they are forgotten.
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

    /// Removes from an export line the people who were forgotten after it was written.
    ///
    /// # Errors
    /// Errors of `look_up`; a bug if the line is damaged.
    fn take_forgotten(
        &self,
        line: &mut ExportLine,
        look_up: &mut ForgottenLookup<'_>,
    ) -> Result<ForgottenRemoval>;
}

/// The names that others give a person.
pub trait PersonMentions: Send + Sync + std::fmt::Debug {
    /// Returns the person with the additional names that a scan of the memory finds.
    fn completed<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
    ) -> BoxFuture<'a, Result<Arc<dyn PersonMentions>>>;

    /// Returns true for an export line that names the person.
    ///
    /// # Errors
    /// Errors of the store; a bug if a document of the line is damaged.
    fn are_in(&self, tx: &dyn ReadTx, line: &ExportLine) -> Result<bool>;

    /// Returns the actors of the person's email addresses, by which an import recognizes a
    /// forgotten person.
    fn actors_of_addresses(&self) -> Vec<ActorId>;

    /// Returns the ledger entries with the person's own settings.
    fn settings(&self) -> Vec<(Shelf, &str)>;

    /// Returns the future name of a caller: the pseudonym if the caller is the person.
    fn caller<'a>(&'a self, name: &'a str) -> &'a str;

    /// Removes the person from the data of others; a dry run only counts.
    fn take_out<'a>(
        &'a self,
        engine: &'a Engine,
        whom: PersonRemoval<'a>,
        dry_run: bool,
    ) -> BoxFuture<'a, Result<MentionsTaken>>;
}

/// The input for removing a person from the data of others.
#[derive(Debug, Clone)]
pub struct PersonRemoval<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// The person.
    pub person: &'a Person,
    /// The person's own records, which are erased completely.
    pub own: BTreeSet<RecordId>,
    /// The name of the caller.
    pub by: &'a str,
    /// The time of the call.
    pub at: Timestamp,
}

/// The names of a person by several products.
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

    /// Returns true for a memory in which a product knows people.
    pub(crate) fn knows_people(&self, memory: &Memory) -> bool {
        self.people().any(|hooks| hooks.knows_people(memory))
    }

    /// Returns the person of an actor by all products that know them.
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

    /// Removes from an export line the people who were forgotten after it was written.
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

    /// The names of a person whom one product knows by a login.
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
