//! The AgentCore API, both planes: AWS's paths, members and errors around the engine. It has no
//! rules of its own.
//!
//! `serve` passes a request through `route`, `constraints` and authentication to one file of
//! `operations`. `shapes` are the JSON forms that several operations share. `errors` maps errors to
//! names.

mod call;
pub mod constraints;
mod errors;
pub mod fuzz;
mod operations;
mod page_token;
pub mod route;
mod serve;
mod shapes;
mod time;
mod wire_names;

pub use serve::{Wire, WireSettings};
