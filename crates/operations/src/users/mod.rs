//! Users: the owner of a preference, events restricted to users, a user's own records, and the user
//! of a request.

pub(super) mod correction;
pub(super) mod event_guard;
pub(super) mod own_records;
pub(super) mod ownership;
pub(super) mod requester;
