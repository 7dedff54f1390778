//! A session of the verifier: one look at one repository at one revision, with the data read and
//! the results computed.

mod memo;
mod read_ahead;
pub(super) mod verifier;
