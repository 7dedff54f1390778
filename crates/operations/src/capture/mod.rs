//! Parsers for the texts of an investigation. Pure: other modules check and save their results.
//!
//! | file | idea |
//! |---|---|
//! | `blocks` | knowledge about services in fenced JSON |
//! | `own_prose` | the author's own statements, without code and quotations |
//! | `plain_facts`, `service_names` | knowledge that sentences state explicitly |
//! | `contacts` | addresses and channels, which a person must confirm |
//! | `wishes` | preferences in a user's own words |
//! | `findings`, `actions` | findings of a final answer, and actions taken |
//! | `modelled` | the question for a model about an answer's prose, and the parser of its reply |

mod actions;
mod blocks;
mod contacts;
mod findings;
mod modelled;
mod own_prose;
mod plain_facts;
mod service_names;
mod wishes;

pub(super) use actions::{Report, actions};
pub(super) use blocks::{blocks, prose};
pub(super) use contacts::proposals;
pub(super) use findings::findings;
pub(crate) use modelled::{KNOWLEDGE, Told};
pub(super) use modelled::{question, read};
pub(super) use plain_facts::plain_facts;
pub(super) use wishes::{wishes, wishes_repeated};
