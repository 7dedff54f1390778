//! Remote language models and embedders: [`registry::language_model`] and [`registry::embedder`]
//! turn configurations into the engine's ports.
//!
//! One file implements a protocol: it creates requests, and parses responses and refusals.
//! Everything else is shared. [`model_call`] performs a call, [`server_capabilities`] remembers the
//! features that a server accepts, [`failure`] maps errors, `schema_forms` adapts schemas to
//! vendors, and `embed` contains the embedders. `loci-outbound` sends the requests.
//!
//! To add a protocol: a file with an `impl Dialect`, one line in `registry::DIALECTS`, a variant of
//! [`registry::Protocol`], and a vendor in `tests/it` with its exchanges.

mod anthropic;
mod bedrock;
mod dialect;
mod embed;
pub mod failure;
mod gemini;
pub mod model_call;
mod openai;
pub mod registry;
mod reply_text;
mod schema_forms;
pub mod server_capabilities;
