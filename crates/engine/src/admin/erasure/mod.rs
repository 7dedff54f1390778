//! Erasure: finds the data of a person in a memory, removes it, and keeps it removed.
//!
//! | file | idea |
//! |---|---|
//! | `person` | the actors, namespaces and records of one person: pure |
//! | `owner_keys` | the keys by which metadata and front matter name an owner: pure |
//! | `holdings` | the scan of a memory that finds the person's records |
//! | `erase` | the removal of a person's data in one write, kind by kind |
//! | `traces` | other data on erased records and on a person's namespaces, by key |
//! | `tombstones` | erased sources, by keyed digests |
//! | `item_names` | the names that identify an imported item after its erasure: pure |
//! | `erased_texts` | the texts of documents to erase, found before the write |
//! | `forgotten_text` | the normal form of a document's text for its tombstone: pure |
//! | `pseudonym` | the name that replaces a forgotten person's: pure |
//! | `dry_run` | a write that is rolled back |

mod dry_run;
mod erase;
mod erased_texts;
pub mod forgotten_text;
mod holdings;
mod item_names;
mod mention_counts;
mod owner_keys;
mod person;
mod pseudonym;
mod tombstones;
mod traces;

pub(crate) use erase::{Counts, Erasing, erase_person};
pub use erased_texts::ErasedTexts;
pub use holdings::Holdings;
pub use mention_counts::MentionsTaken;
pub use person::{Person, is_number, number_of_actor};
pub use pseudonym::{pseudonym, without_pseudonyms};
pub use tombstones::{
    ErasureReach, IMPORT_ID, SRE_FORMAT, SRE_IMPORT_ID, Source, Tombstones, day, message_name, refusal,
    refusal_of_actor,
};
