//! How Loci calls others: one policy for every request that leaves (docs/decisions/0039 and 0042).
//!
//! [`client::Outbound`] sends under it: addresses are checked before and while a connection is made ([`guard`],
//! [`names`]), what may be repeated is repeated with pauses ([`retry`]), bodies and times are bounded, redirects are not
//! followed, and nothing of addresses, headers or bodies is written to a log ([`redact`]). [`pace`] holds one provider's
//! requests to its limits. [`sign_v4`] signs for AWS. [`targets`] are where notifications go, [`signature`] how they are
//! signed; [`otlp`] sends traces. It knows no model's vendor: who builds requests sees [`request::Transport`], so that
//! tests give one of their own.

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
