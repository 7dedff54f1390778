//! Reads of facts: lists, searches, one fact with its history, statistics, and cited code. Each
//! fact is verified before it is returned.

pub(super) mod answers;
pub(super) mod by_path;
pub(super) mod history;
mod proposed;
pub(super) mod read_citation;
pub(super) mod recent;
pub(super) mod search;
mod search_look;
pub(super) mod shown_code;
mod state_mark;
pub(super) mod stats;
pub(super) mod verify;
