//! What is read out of what agents write (sre-memory.md §6.2, §6.3), and what a model is asked about it. Pure: what is found is saved, and checked,
//! elsewhere.
//!
//! | file | idea |
//! |---|---|
//! | `blocks` | knowledge of services in fenced JSON |
//! | `contacts` | addresses and channels, which a person must confirm |
//! | `findings` | findings of a final answer, each whole |
//! | `modelled` | the question about an answer's prose, and how its answer is read |

mod blocks;
mod contacts;
mod findings;
mod modelled;

pub(super) use blocks::{blocks, prose};
pub(super) use contacts::proposals;
pub(super) use findings::findings;
pub(crate) use modelled::{KNOWLEDGE, Told};
pub(super) use modelled::{question, read};
