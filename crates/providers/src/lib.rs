//! Language models and embedders of others: [`registry::language_model`] and [`registry::embedder`] turn configurations
//! into the engine's ports.
//!
//! A protocol is one file: how a question becomes a request, how an answer and a refusal are read. Everything else is
//! shared: [`asking`] drives a call, [`manners`] remembers what a server turned out to take, [`failure`] says what an
//! error means, `schema_forms` bends schemas to what each vendor accepts, `embed` is the same for embedders. How requests
//! leave is `loci-outbound`'s.
//!
//! To add a protocol: a file with an `impl Dialect`, one line in `registry::DIALECTS`, a variant of
//! [`registry::Protocol`], and a vendor in `tests/it` with its exchanges.

mod anthropic;
pub mod asking;
mod bedrock;
mod dialect;
mod embed;
pub mod failure;
mod gemini;
pub mod manners;
mod openai;
pub mod registry;
mod reply_text;
mod schema_forms;
