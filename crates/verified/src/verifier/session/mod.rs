//! A session of the verifier: one look at one repository at one revision, and what it has read and
//! found out.

mod memo;
mod read_ahead;
pub(super) mod verifier;
