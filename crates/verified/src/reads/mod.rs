//! Reads of facts: lists, searches, one fact with its history, statistics, and cited code. Each
//! fact is verified before it is returned.

pub(super) mod answers;
pub(super) mod by_path;
pub(super) mod displayed_code;
pub(super) mod history;
mod proposed_facts;
pub(super) mod read_citation;
pub(super) mod recent_facts;
pub(super) mod search;
mod search_check;
mod state_mark;
pub(super) mod stats;
pub(super) mod verify;
