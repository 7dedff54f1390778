//! Erasure: what a memory holds about a person, removing all of it, and keeping it removed.
//!
//! | file | idea |
//! |---|---|
//! | `person` | which actors, places and records are one person's: pure |
//! | `owner_keys` | the keys by which metadata and heads name an owner: pure |
//! | `holdings` | the walk over a memory that finds the person's records |
//! | `erase` | removing everything of a person in one write, kind by kind |
//! | `traces` | what else is kept of erased records and of a person's places, by key |
//! | `tombstones` | sources that were erased, by keyed digests |
//! | `item_names` | the names by which an imported item is known again after its erasure: pure |
//! | `erased_texts` | the texts of documents that are to be erased, found before the write |
//! | `forgotten_text` | the text of a document as its tombstone knows it: pure |
//! | `pseudonym` | the name that stands for a forgotten person: pure |
//! | `dry_run` | a write that is undone |

mod dry_run;
mod erase;
mod erased_texts;
pub mod forgotten_text;
mod holdings;
mod item_names;
mod mentions_taken;
mod owner_keys;
mod person;
mod pseudonym;
mod tombstones;
mod traces;

pub(crate) use erase::{Counts, Erasing, erase_person};
pub use erased_texts::ErasedTexts;
pub use holdings::Holdings;
pub use mentions_taken::MentionsTaken;
pub use person::{Person, is_number, number_of_actor};
pub use pseudonym::{pseudonym, without_pseudonyms};
pub use tombstones::{
    IMPORT_ID, Reach, SRE_FORMAT, SRE_IMPORT_ID, Source, Tombstones, day, message_name, refusal,
    refusal_of_actor,
};
