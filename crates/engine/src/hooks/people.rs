//! Hooks on people: persons whom a product knows by names that others give them. Forgetting a
//! person and exporting what is held of one ask for these names; a noun that names a person keeps
//! its place and loses the name.

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

/// Looks up when the person of an actor was forgotten, and the pseudonym in their place.
pub type ForgottenLookup<'a> = dyn FnMut(&ActorId) -> Result<Option<(Timestamp, String)>> + 'a;

/// The outcome for a noun that may name people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It names nobody who is taken out.
    Nobody,
    /// It names them no more.
    Names,
    /// It was kept under their name: all of it goes.
    Whole,
}

/// A person by an actor: the person's other actors, and the names that others give them.
pub type KnownPerson = (Vec<ActorId>, Arc<dyn PersonMentions>);

/// The people whom a product knows.
pub trait PeopleHooks: Send + Sync {
    /// Returns true for a memory in which the product knows people.
    fn knows_people(&self, memory: &Memory) -> bool;

    /// Returns the person of an actor; `None` where the product does not know them. `pseudonym`
    /// stands for them once they are forgotten.
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

    /// Takes people out of a line of an export who were forgotten since it was written.
    ///
    /// # Errors
    /// Errors of `look_up`; a bug, where the line is damaged.
    fn take_forgotten(&self, line: &mut ExportLine, look_up: &mut ForgottenLookup<'_>) -> Result<Taken>;
}

/// The names that others give a person.
pub trait PersonMentions: Send + Sync + std::fmt::Debug {
    /// Returns the person with names that only a walk over the memory finds.
    fn completed<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
    ) -> BoxFuture<'a, Result<Arc<dyn PersonMentions>>>;

    /// Returns true for a line of an export that names the person.
    ///
    /// # Errors
    /// Errors of the store; a bug, where a document of the line is damaged.
    fn are_in(&self, tx: &dyn ReadTx, line: &ExportLine) -> Result<bool>;

    /// Returns the actors of the person's addresses, by which an import knows that they were
    /// forgotten.
    fn actors_of_addresses(&self) -> Vec<ActorId>;

    /// Returns the entry of the ledger that holds the person's own settings.
    fn settings(&self) -> Option<(Shelf, &str)>;

    /// Returns the name of a caller from now on: the pseudonym, where the caller is the person.
    fn caller<'a>(&'a self, name: &'a str) -> &'a str;

    /// Takes the person out of the data of others; a dry run only counts.
    fn take_out<'a>(
        &'a self,
        engine: &'a Engine,
        whom: TakingOut<'a>,
        dry_run: bool,
    ) -> BoxFuture<'a, Result<MentionsTaken>>;
}

/// The inputs of taking a person out of the data of others.
#[derive(Debug)]
pub struct TakingOut<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// The person.
    pub person: &'a Person,
    /// The person's own records, which are erased whole.
    pub own: BTreeSet<RecordId>,
    /// The name of the caller.
    pub by: &'a str,
    /// The time of the call.
    pub at: Timestamp,
}

impl Products {
    fn people(&self) -> impl Iterator<Item = &dyn PeopleHooks> {
        self.0.iter().filter_map(|product| product.people.as_deref())
    }

    /// Returns true for a memory in which a product knows people.
    pub(crate) fn knows_people(&self, memory: &Memory) -> bool {
        self.people().any(|hooks| hooks.knows_people(memory))
    }

    /// Returns the person of an actor, where a product knows them.
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
        for hooks in self.people() {
            if let Some(known) = hooks.person(tx, memory, actor, pseudonym)? {
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    /// Takes people out of a line of an export who were forgotten since it was written.
    ///
    /// # Errors
    /// As [`PeopleHooks::take_forgotten`].
    pub(crate) fn take_forgotten(
        &self,
        memory: &Memory,
        line: &mut ExportLine,
        look_up: &mut ForgottenLookup<'_>,
    ) -> Result<Taken> {
        let mut taken = Taken::Nobody;
        for hooks in self.people().filter(|hooks| hooks.knows_people(memory)) {
            match hooks.take_forgotten(line, look_up)? {
                Taken::Nobody => {}
                Taken::Names => taken = Taken::Names,
                Taken::Whole => return Ok(Taken::Whole),
            }
        }
        Ok(taken)
    }
}
