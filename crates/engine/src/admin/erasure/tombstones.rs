//! Tombstones: the names of erased sources and the texts of forgotten people's documents, each as a
//! digest under the vault's key, so that they reveal nothing about a source. An import checks
//! whether a source has a tombstone before it stores anything. Tombstones of records, events and
//! actors also outlive their memory: importing an export from before an erasure does not restore
//! the data.

use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::ports::vault::Vault;
use loci_model::record::erased_source::ErasedSource;
use loci_model::record::{Record, RecordKind, RecordOrigin};
use loci_model::trees::tree_entry::{TreePlace, owner_of};
use loci_model::{
    ActorId, Document, Error, EventId, MemoryId, Reason, RecordId, Result, SessionId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::erased_texts::ErasedTexts;
use super::forgotten_text;
use super::item_names::ItemNames;
use crate::access::keys::master_key::can_digest;
use crate::calls::idempotency::IfErased;
use crate::document_text::DocumentContent;

/// The key of the ledger entry that marks a memory as having tombstones. Without the entry no
/// digest needs to be computed.
const ANY: &str = "any";
/// The name of the idempotency operation under which tombstones are stored that must remain after
/// their memory is deleted.
const OPERATION: &str = "ErasedSource";
/// Metadata key of imported records and events: the id in the source.
pub const IMPORT_ID: &str = "import_id";

/// Metadata key of records imported from operations memory: the id in the source memory.
pub const SRE_IMPORT_ID: &str = "imported_id";
/// Import format of those records.
pub const SRE_FORMAT: &str = "loci-sre";

/// The name of erased data, from which a tombstone is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    /// A record of an export.
    Record(&'a RecordId),
    /// An event of an export.
    Event(&'a EventId),
    /// All data of an actor up to the erasure.
    Actor(&'a ActorId),
    /// An item that was imported from another program, in one namespace or in any.
    Item {
        /// The import format, which names the program.
        format: &'a str,
        /// The id of the item in that program.
        id: &'a str,
        /// The namespace; `None` means any namespace.
        namespace: Option<&'a str>,
    },
    /// An item of another program by its content, imported into any namespace.
    ItemContent {
        /// The import format, which names the program.
        format: &'a str,
        /// The digest of the item's content.
        content: &'a str,
    },
    /// The text of an item, by its digest, under any id and in any namespace.
    ItemText {
        /// The digest of the text.
        text: &'a str,
        /// The owner whom the erased item named.
        owner: TextOwner<'a>,
    },
    /// An imported event, by its conversation and its id in the source. The source may use the id
    /// in several conversations.
    ImportedEvent {
        /// The actor of the imported event.
        actor: &'a ActorId,
        /// The session of the imported event.
        session: &'a SessionId,
        /// The id of the event in the program from which it was imported.
        id: &'a str,
    },
    /// An imported event under the name that earlier versions used, in any conversation. It is read
    /// but never written.
    EventOfImport(&'a str),
    /// A document, by its path in a tree.
    Document {
        /// The namespace.
        namespace: &'a str,
        /// The key of the path.
        key: &'a str,
    },
    /// A document of a forgotten person: no file of a mirror restores it.
    ForgottenDocument {
        /// The namespace.
        namespace: &'a str,
        /// The key of the path.
        key: &'a str,
    },
    /// The text of a forgotten person's document, by its digest: no file and no import restores it,
    /// in any namespace.
    ForgottenText {
        /// The digest of the text.
        text: &'a str,
    },
    /// A request, by the digest of its idempotency token.
    Request(&'a str),
    /// A message from which a strategy extracted a record that was deleted.
    Message {
        /// The id of the strategy.
        strategy: &'a str,
        /// The name of the message, as [`message_name`] returns it.
        message: &'a str,
    },
    /// The pseudonym of a forgotten actor in the data of others. No tombstone has this name.
    Pseudonym(&'a ActorId),
}

/// The owner whom an erased item named. It decides which copies of the text an import rejects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOwner<'a> {
    Named(&'a str),
    /// A named owner, for copies of the item that name nobody.
    Somebody,
    /// No owner was named; copies that name an owner belong to that owner.
    Nobody,
    /// No owner was named, and the item was erased permanently, with a person or by a purge: no
    /// copy returns.
    Anybody,
}

/// Returns the name of an event's message.
pub fn message_name(event: &EventId, message: u32) -> String {
    format!("{event} {message}")
}

/// The extent of an erasure: one record, or all data of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErasureReach<'a> {
    /// One record was deleted in its namespace.
    Deleted,
    /// A person was forgotten: the source stays erased in every namespace, and so do documents with
    /// these texts.
    Forgotten(&'a ErasedTexts),
}

/// The content of a tombstone that remains after its memory is deleted.
#[derive(Serialize, Deserialize)]
struct ErasedContent {
    at: Timestamp,
}

impl Source<'_> {
    fn parts(&self) -> Vec<&str> {
        match self {
            Self::Record(id) => vec!["record", id.as_str()],
            Self::Event(id) => vec!["event", id.as_str()],
            Self::Actor(id) => vec!["actor", id.as_str()],
            Self::Item { format, id, namespace: Some(namespace) } => vec!["item", format, id, namespace],
            Self::Item { format, id, namespace: None } => vec!["item", format, id],
            Self::ItemContent { format, content } => vec!["item-content", format, content],
            Self::ItemText { text, owner: TextOwner::Named(owner) } => {
                vec!["item-text", text, "named", owner]
            }
            Self::ItemText { text, owner: TextOwner::Somebody } => vec!["item-text", text, "somebody"],
            Self::ItemText { text, owner: TextOwner::Nobody } => vec!["item-text", text, "nobody"],
            Self::ItemText { text, owner: TextOwner::Anybody } => vec!["item-text", text, "anybody"],
            Self::ImportedEvent { actor, session, id } => {
                vec!["imported-event", actor.as_str(), session.as_str(), id]
            }
            Self::EventOfImport(id) => vec!["imported-event", id],
            Self::Document { namespace, key } => vec!["document", namespace, key],
            Self::ForgottenDocument { namespace, key } => vec!["forgotten-document", namespace, key],
            Self::ForgottenText { text } => vec!["forgotten-text", text],
            Self::Request(name) => vec!["request", name],
            Self::Message { strategy, message } => vec!["message", strategy, message],
            Self::Pseudonym(id) => vec!["pseudonym", id.as_str()],
        }
    }

    fn outlives_memory(&self) -> bool {
        matches!(self, Self::Record(_) | Self::Event(_) | Self::Actor(_) | Self::Message { .. })
    }
}

/// The tombstones of a memory.
#[derive(Clone, Copy)]
pub struct Tombstones<'a> {
    /// The vault that computes the digests.
    pub vault: &'a dyn Vault,
    /// The memory.
    pub memory: &'a MemoryId,
}

impl Tombstones<'_> {
    /// Writes the tombstone of a source. The caller prepared sealing before the write.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub(crate) fn put(&self, tx: &mut dyn Tx, source: &Source<'_>, at: Timestamp) -> Result<()> {
        if !can_digest(tx, self.vault)? {
            return Err(Error::bug("a tombstone was made before the store was ready to seal"));
        }
        if !self.is_any(tx)? {
            self.put_in_memory(tx, ANY.to_owned(), at)?;
        }
        let digest = self.digest(source)?;
        if source.outlives_memory() {
            let answer = serde_json::to_string(&ErasedContent { at })
                .map_err(|error| Error::bug("a tombstone cannot be written").caused_by(error))?;
            let answer = TokenAnswer {
                parameters: String::new(),
                answer: Document::parse(&answer)?,
                expires: Timestamp::LATEST,
            };
            tx.idempotency_mut().put(&scope(&digest), &answer)?;
        }
        self.put_in_memory(tx, digest, at)
    }

    /// Writes tombstones of the sources of a record before its content is erased.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub fn put_record(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        reach: ErasureReach<'_>,
        at: Timestamp,
    ) -> Result<()> {
        if !record.has_content() {
            return Ok(());
        }
        self.put(tx, &Source::Record(&record.id), at)?;
        if reach == ErasureReach::Deleted {
            self.put_messages(tx, record, at)?;
        }
        if let Some(names) = ItemNames::of(record) {
            self.put_item(tx, record, names, reach, at)?;
        }
        if let Some(place) = tx.ledger().noun::<TreePlace>(self.memory, record.id.as_str())? {
            let (namespace, key) = (place.namespace.as_str(), place.key.as_str());
            self.put(tx, &Source::Document { namespace, key }, at)?;
            if reach != ErasureReach::Deleted {
                self.put(tx, &Source::ForgottenDocument { namespace, key }, at)?;
                if let Some(text) = short_text(key, record) {
                    self.put(tx, &Source::ForgottenText { text: &text }, at)?;
                }
            }
        }
        let ErasureReach::Forgotten(texts) = reach else { return Ok(()) };
        for text in texts.of(record) {
            self.put(tx, &Source::ForgottenText { text: &text }, at)?;
        }
        Ok(())
    }

    /// Writes tombstones of an imported item, with the texts of all its versions.
    fn put_item(
        &self,
        tx: &mut dyn Tx,
        record: &Record,
        mut names: ItemNames<'_>,
        reach: ErasureReach<'_>,
        at: Timestamp,
    ) -> Result<()> {
        for version in &tx.records().history(self.memory, &record.id)? {
            names.add_text(version);
        }
        let (format, id) = (names.format, names.id);
        self.put(tx, &Source::Item { format, id, namespace: Some(&names.namespace) }, at)?;
        if let Some(content) = names.content {
            self.put(tx, &Source::ItemContent { format, content }, at)?;
        }
        if reach != ErasureReach::Deleted {
            self.put(tx, &Source::Item { format, id, namespace: None }, at)?;
        }
        for text in names.erased_texts(reach) {
            self.put(tx, &text, at)?;
        }
        Ok(())
    }

    /// Writes tombstones of the messages from which a record was extracted: their events stay, and
    /// must not produce the record again. The events of a forgotten person are erased, so that
    /// their messages need none.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub(crate) fn put_messages(&self, tx: &mut dyn Tx, record: &Record, at: Timestamp) -> Result<()> {
        let strategy = record.strategy.as_ref().filter(|_| record.origin == RecordOrigin::Extracted);
        let Some(strategy) = strategy else { return Ok(()) };
        for source in &record.provenance.sources {
            let message = message_name(&source.event, source.message);
            self.put(tx, &Source::Message { strategy: strategy.as_str(), message: &message }, at)?;
        }
        Ok(())
    }

    /// Copies into a memory a tombstone that an earlier memory of the same id left, by its digest.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn carry(&self, tx: &mut dyn Tx, digest: &str, at: Timestamp) -> Result<()> {
        if !self.is_any(tx)? {
            self.put_in_memory(tx, ANY.to_owned(), at)?;
        }
        self.put_in_memory(tx, digest.to_owned(), at)
    }

    /// Ends a tombstone that outlives its memory, by its digest, because a caller restores the
    /// source deliberately.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) fn lift_outliving(&self, tx: &mut dyn Tx, digest: &str, now: Timestamp) -> Result<()> {
        let Some(found) = tx.idempotency().get(&scope(digest), now)? else { return Ok(()) };
        tx.idempotency_mut().put(&scope(digest), &TokenAnswer { expires: now, ..found })
    }

    /// Returns the time at which a source's data was erased; `None` if the source may be stored.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub fn get(&self, tx: &dyn ReadTx, source: &Source<'_>) -> Result<Option<Timestamp>> {
        if !self.is_any(tx)? || !can_digest(tx, self.vault)? {
            return Ok(None);
        }
        let found = tx.ledger().noun::<ErasedSource>(self.memory, &self.digest(source)?)?;
        Ok(found.map(|found| found.at))
    }

    /// Rejects a source whose data was erased, or removes its tombstone if the caller restores it.
    ///
    /// # Errors
    /// `SOURCE_ERASED`, naming `what`; errors of the store and of the vault.
    pub(crate) fn restore_or_refuse(
        &self,
        tx: &mut dyn Tx,
        (source, what): (&Source<'_>, &str),
        if_erased: IfErased,
    ) -> Result<()> {
        match self.get(tx, source)? {
            Some(_) if if_erased == IfErased::Restore => self.lift(tx, source),
            Some(at) => Err(refusal(what, at)),
            None => Ok(()),
        }
    }

    /// Returns the time at which a source's data was erased from an earlier memory of that id. The
    /// caller has checked that digests can be computed.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub(crate) fn get_outliving(
        &self,
        tx: &dyn ReadTx,
        source: &Source<'_>,
        now: Timestamp,
    ) -> Result<Option<Timestamp>> {
        let Some(found) = tx.idempotency().get(&scope(&self.digest(source)?), now)? else { return Ok(None) };
        let erased: ErasedContent = serde_json::from_str(found.answer.as_str())
            .map_err(|error| Error::bug("a tombstone is damaged").caused_by(error))?;
        Ok(Some(erased.at))
    }

    /// Returns the time at which an actor was forgotten, in this memory or in an earlier one of its
    /// id.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub fn of_actor(&self, tx: &dyn ReadTx, actor: &ActorId, now: Timestamp) -> Result<Option<Timestamp>> {
        let source = Source::Actor(actor);
        match self.get(tx, &source)? {
            Some(at) => Ok(Some(at)),
            None if can_digest(tx, self.vault)? => self.get_outliving(tx, &source, now),
            None => Ok(None),
        }
    }

    /// Returns the time at which an imported record's source was erased, alone or with its person.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub(crate) fn of_import(&self, tx: &dyn ReadTx, record: &Record) -> Result<Option<Timestamp>> {
        if !self.is_any(tx)? {
            return Ok(None);
        }
        let Some(names) = ItemNames::of(record) else { return Ok(None) };
        for source in names.sources() {
            if let Some(at) = self.get(tx, &source)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Removes the tombstones of an imported record, because a caller restores it deliberately.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub(crate) fn lift_import(&self, tx: &mut dyn Tx, record: &Record) -> Result<()> {
        let Some(names) = ItemNames::of(record) else { return Ok(()) };
        for source in names.sources() {
            self.lift(tx, &source)?;
        }
        Ok(())
    }

    /// Removes a tombstone, because a caller restores the source deliberately.
    ///
    /// # Errors
    /// Errors of the store and of the vault.
    pub fn lift(&self, tx: &mut dyn Tx, source: &Source<'_>) -> Result<()> {
        if !self.is_any(tx)? || !can_digest(tx, self.vault)? {
            return Ok(());
        }
        tx.ledger_mut().remove(self.memory, &ErasedSource::SHELF, &self.digest(source)?).map(drop)
    }

    /// Returns true for a memory that has tombstones.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn is_any(&self, tx: &dyn ReadTx) -> Result<bool> {
        Ok(tx.ledger().get(self.memory, &ErasedSource::SHELF, ANY)?.is_some())
    }

    fn put_in_memory(&self, tx: &mut dyn Tx, digest: String, at: Timestamp) -> Result<()> {
        let noun = ErasedSource { memory: self.memory.clone(), digest, at, actor: owner_of(None)? };
        tx.ledger_mut().put_noun(&noun)
    }

    /// Returns the keyed digest of a source. Each part is prefixed by its length, so that no two
    /// names share a text.
    pub(crate) fn digest(&self, source: &Source<'_>) -> Result<String> {
        let mut name = Vec::new();
        for part in std::iter::once(self.memory.as_str()).chain(source.parts()) {
            name.extend_from_slice(&(part.len() as u64).to_be_bytes());
            name.extend_from_slice(part.as_bytes());
        }
        Ok(hex::encode(self.vault.digest(&name)?))
    }
}

/// Returns the error for an erased source.
pub fn refusal(what: &str, at: Timestamp) -> Error {
    let day = day(at);
    let rule = format!("{what} was erased here on {day} and stays erased");
    refused(&rule, vec![format!("erased_on {day}")])
}

/// Returns the error for an event of a forgotten actor from before the erasure or without a time,
/// independent of whether the event is known here.
pub fn refusal_of_actor(at: Timestamp) -> Error {
    let day = day(at);
    let rule = format!("the actor was forgotten here on {day}, with all that is from before or has no time");
    refused(&rule, vec![format!("erased_on {day}"), "actor_erased".to_owned()])
}

fn refused(rule: &str, told: Vec<String>) -> Error {
    let remedy = "an import restores it with --force, a request with the header Loci-If-Erased: restore";
    Error::conflict(format!("{rule}: {remedy}")).because(Reason::SourceErased).listing(told)
}

/// Returns the day of an erasure as error texts show it.
pub fn day(at: Timestamp) -> String {
    at.to_rfc3339().chars().take(10).collect()
}

fn scope(digest: &str) -> TokenScope {
    TokenScope { place: "server".to_owned(), operation: OPERATION.to_owned(), token: digest.to_owned() }
}

/// Returns the digest of a document's path and words, if the words alone are too short to identify
/// it.
fn short_text(key: &str, record: &Record) -> Option<String> {
    let is_document = record.kind == RecordKind::Document;
    is_document.then(|| forgotten_text::short_digest(key, &DocumentContent::of(record))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imported_events_are_known_by_their_conversation_and_as_earlier_versions_knew_them() {
        let (ann, ben) = (ActorId::parse("ann").unwrap(), ActorId::parse("ben").unwrap());
        let session = SessionId::parse("s").unwrap();
        let of = |actor| Source::ImportedEvent { actor, session: &session, id: "1" };
        assert_ne!(of(&ann).parts(), of(&ben).parts());
        assert_eq!(Source::EventOfImport("1").parts(), ["imported-event", "1"]);
    }
}
