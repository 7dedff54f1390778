//! The verbs on runs, from the start of one to its reversal, and the ledger that holds them.
//!
//! | file | idea |
//! |---|---|
//! | `start`, `run_ledger` | a run begins; one at a time of a tree |
//! | `apply`, `preflight`, `action_write` | it is done, if nothing moved, action after action |
//! | `replan`, `affected_actions` | what moved is planned again, the rest stays |
//! | `revert` | documents as they were before, by a run of its own |
//! | `list`, `differences` | runs, and what they change |

mod action_write;
mod affected_actions;
mod apply;
pub(super) mod differences;
pub(super) mod list;
mod preflight;
pub(super) mod replan;
pub(super) mod revert;
pub(super) mod run_ledger;
mod start;
