//! Citations that a caller gives, and their verification beside the stored facts that have them.

pub(super) mod given_sha;
pub(super) mod stored_facts;
mod verify_given;
