//! Outgoing requests: one policy for every request that leaves the process (decisions 0039 and
//! 0042).
//!
//! [`client::Outbound`] sends under this policy. It checks addresses before and during the
//! connection ([`guard`], [`names`]), repeats requests with pauses where this is safe ([`retry`]),
//! and limits bodies and times. It does not follow redirects, and logs no paths, queries, headers
//! or bodies ([`redact`]). [`pace`] keeps the requests to one provider within its limits.
//! [`sign_v4`] signs for AWS. [`targets`] delivers notifications, [`signature`] signs them, and
//! [`otlp`] sends traces. The crate knows no model vendors. Code that builds requests depends on
//! [`request::Transport`], so that tests can supply their own.

pub mod client;
pub mod guard;
pub mod names;
pub mod otlp;
pub mod pace;
pub mod redact;
pub mod request;
pub mod retry;
pub mod secret;
pub mod sign_v4;
pub mod signature;
pub mod targets;
