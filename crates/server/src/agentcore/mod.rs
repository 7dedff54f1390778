//! The AgentCore wire, both planes: AWS's paths, members and errors around the engine. No rule lives here.
//!
//! `serve` takes a request through `route`, `constraints` and authentication to one file of `operations`; `shapes` are
//! the forms of JSON that several of them share; `errors` names what went wrong.

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
