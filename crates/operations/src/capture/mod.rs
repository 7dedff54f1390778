//! Readers of texts of an investigation. Pure: what they find is checked and saved elsewhere.
//!
//! | file | idea |
//! |---|---|
//! | `blocks` | knowledge of services in fenced JSON |
//! | `own_prose` | what a text states itself, without code and quotations |
//! | `plain_facts`, `service_names` | knowledge that sentences state plainly |
//! | `contacts` | addresses and channels, which a person must confirm |
//! | `wishes` | preferences in a user's own words |
//! | `findings`, `actions` | what a final answer found, and what was done |
//! | `modelled` | the question about an answer's prose, and how its answer is read |

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
