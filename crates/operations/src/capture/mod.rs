//! Parsers for the texts of an investigation. Pure: other modules check and save their results.
//!
//! | file | idea |
//! |---|---|
//! | `blocks` | knowledge about services in fenced JSON |
//! | `author_prose` | the author's own statements, without code and quotations |
//! | `plain_facts`, `service_names` | knowledge that sentences state explicitly |
//! | `contacts` | addresses and channels, which a person must confirm |
//! | `stated_preferences` | preferences in a user's own words |
//! | `findings`, `actions` | findings of a final answer, and actions taken |
//! | `model_extraction` | the question for a model about an answer's prose, and the parser of its reply |

mod actions;
mod author_prose;
mod blocks;
mod contacts;
mod findings;
mod model_extraction;
mod plain_facts;
mod service_names;
mod stated_preferences;

pub(super) use actions::{AgentText, actions};
pub(super) use blocks::{blocks, prose};
pub(super) use contacts::proposals;
pub(super) use findings::findings;
pub(crate) use model_extraction::{KNOWLEDGE, ProseReply};
pub(super) use model_extraction::{question, read};
pub(super) use plain_facts::plain_facts;
pub(super) use stated_preferences::{wishes, wishes_repeated};
