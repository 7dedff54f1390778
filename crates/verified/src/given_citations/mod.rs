//! Citations that a caller gives, and their verification in addition to that of the stored facts.

pub(super) mod given_sha;
pub(super) mod stored_facts;
mod verify_given;
