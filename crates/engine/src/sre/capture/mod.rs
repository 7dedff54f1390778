//! What is read out of what agents write, without a model (sre-memory.md §6.2, §6.3). Pure: what is found is saved, and checked, elsewhere.
//!
//! | file | idea |
//! |---|---|
//! | `blocks` | knowledge of services in fenced JSON |
//! | `contacts` | addresses and channels, which a person must confirm |
//! | `findings` | findings of a final answer, each whole |

mod blocks;
mod contacts;
mod findings;

pub(super) use blocks::blocks;
pub(super) use contacts::proposals;
pub(super) use findings::findings;
