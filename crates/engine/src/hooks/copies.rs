//! Hooks on copies: files outside of the store that contain data of a memory, such as mirrors. An
//! erasure marks these copies as outdated in its write, updates them afterwards, and reports
//! those that it could not reach.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::BoxFuture;
use loci_model::ports::store::Tx;
use loci_model::{MemoryId, Namespace, Result};

use super::Products;
use crate::Engine;
use crate::admin::erasure::Person;

/// A copy outside of the store that contained erased data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyAfterErasure {
    /// The name of the copy.
    pub name: String,
    /// The reason why files of the copy may still contain erased data, and until when; `None` if
    /// no file does.
    pub left: Option<String>,
}

/// Files that the erasure of a person does not examine, with advice on what the operator can do.
#[derive(Debug, Default)]
pub struct NotExamined {
    /// The names of copies of the person's own trees that have unexamined files.
    pub of_person: BTreeSet<String>,
    /// A line of text for each copy that has unexamined files, by the name of the copy.
    pub copies: BTreeMap<String, String>,
    /// Lines of text about the folders of copies that are no longer configured.
    pub removed: Vec<String>,
}

impl NotExamined {
    /// Returns the lines, except those of copies in `reported`, which the caller reports for
    /// another reason.
    pub(crate) fn lines_without(self, reported: &BTreeSet<String>) -> impl Iterator<Item = String> {
        let copies = self.copies.into_iter().filter(move |(name, _)| !reported.contains(name));
        copies.map(|(_, line)| line).chain(self.removed)
    }

    fn absorb(&mut self, other: Self) {
        self.of_person.extend(other.of_person);
        self.copies.extend(other.copies);
        self.removed.extend(other.removed);
    }
}

/// The copies outside of the store that a product keeps.
pub trait CopyHooks: Send + Sync {
    /// Marks copies as outdated because a person was erased: the copies of these namespaces,
    /// copies of conversations, and copies whose history may contain more than the store.
    ///
    /// # Errors
    /// Errors of the store. This also applies to the methods below.
    fn outdate(&self, tx: &mut dyn Tx, memory: &MemoryId, namespaces: &[&Namespace]) -> Result<()>;

    /// Marks as outdated the copies that keep the history of a namespace, which is given in
    /// normal form.
    fn outdate_history(&self, tx: &mut dyn Tx, memory: &MemoryId, namespace: &str) -> Result<()>;

    /// Updates the copies that are marked as outdated.
    fn bring_up<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
    ) -> BoxFuture<'a, Result<Vec<CopyAfterErasure>>>;

    /// Returns the copies whose history names a person as an author.
    fn with_author<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
    ) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Removes the copies of a person's own trees after these trees were emptied. Returns the
    /// names of copies that are in the configuration and therefore stay.
    fn remove_of_person<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
        not_emptied: &'a BTreeSet<String>,
    ) -> BoxFuture<'a, Result<Vec<String>>>;

    /// Returns the copies with files that have no corresponding data in the memory. The search
    /// covers the person's own trees, or all copies.
    fn not_examined<'a>(
        &'a self,
        engine: &'a Engine,
        memory: &'a MemoryId,
        person: &'a Person,
        everywhere: bool,
    ) -> BoxFuture<'a, Result<NotExamined>>;
}

impl Products {
    fn copies(&self) -> impl Iterator<Item = &dyn CopyHooks> {
        self.0.iter().filter_map(|product| product.copies.as_deref())
    }

    /// Marks as outdated the copies of all products that may contain a person's erased data.
    ///
    /// # Errors
    /// Errors of the store. This also applies to the methods below.
    pub(crate) fn outdate_copies(
        &self,
        tx: &mut dyn Tx,
        memory: &MemoryId,
        namespaces: &[&Namespace],
    ) -> Result<()> {
        self.copies().try_for_each(|hooks| hooks.outdate(tx, memory, namespaces))
    }

    /// Marks as outdated the copies of all products that keep the history of a namespace.
    pub fn outdate_history(&self, tx: &mut dyn Tx, memory: &MemoryId, namespace: &str) -> Result<()> {
        self.copies().try_for_each(|hooks| hooks.outdate_history(tx, memory, namespace))
    }
}

impl Engine {
    pub(crate) async fn copies_brought_up(&self, memory: &MemoryId) -> Result<Vec<CopyAfterErasure>> {
        let mut done = Vec::new();
        for hooks in self.products.copies() {
            done.extend(hooks.bring_up(self, memory).await?);
        }
        Ok(done)
    }

    pub(crate) async fn copies_with_author(&self, memory: &MemoryId, person: &Person) -> Result<Vec<String>> {
        let mut named = Vec::new();
        for hooks in self.products.copies() {
            named.extend(hooks.with_author(self, memory, person).await?);
        }
        Ok(named)
    }

    pub(crate) async fn copies_of_person_removed(
        &self,
        memory: &MemoryId,
        person: &Person,
        not_emptied: &BTreeSet<String>,
    ) -> Result<Vec<String>> {
        let mut configured = Vec::new();
        for hooks in self.products.copies() {
            configured.extend(hooks.remove_of_person(self, memory, person, not_emptied).await?);
        }
        Ok(configured)
    }

    pub(crate) async fn files_not_examined(
        &self,
        memory: &MemoryId,
        person: &Person,
        everywhere: bool,
    ) -> Result<NotExamined> {
        let mut found = NotExamined::default();
        for hooks in self.products.copies() {
            found.absorb(hooks.not_examined(self, memory, person, everywhere).await?);
        }
        Ok(found)
    }
}
