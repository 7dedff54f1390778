//! The operations on runs, from the start of one to its reversal, and the ledger that holds them.
//!
//! | file | content |
//! |---|---|
//! | `start`, `run_ledger` | the start of a run; one run of a tree at a time |
//! | `apply`, `preflight`, `action_write` | applying it action by action, if nothing changed |
//! | `replan`, `affected_actions` | a new plan of the changed parts; the rest stays |
//! | `revert` | restoring the former documents, by a run of its own |
//! | `list`, `differences` | runs, and their changes |

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
