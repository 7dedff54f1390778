//! The tools: what an agent may call by name, whatever the door. One file per tool,
//! or for tools that read the same arguments, one line per tool in its family; no tool knows which
//! protocol serves it.
//!
//! * [`tool`]: what a tool is; `schema` and `check`: the form of its arguments, and whether arguments have it;
//! * [`call`](mod@call): a call by name: scope, arguments, the tool, in this order; [`error`]: what may go wrong, by code;
//! * `asked`, `shapes`: arguments that several families share; `native`: tools that are calls of the native API;
//! * [`place`]: which memory a call means; [`profile`]: which tools are listed together.
//!
//! To add a tool: a file in the folder of its family with a function that makes its [`Tool`](tool::Tool), and a line in
//! the family's `tools`. A tool that cannot be called yet has no `call`: it is neither listed nor found.

mod asked;
pub mod call;
mod check;
#[cfg(feature = "coding")]
mod coding;
#[cfg(feature = "documents")]
mod documents;
pub mod error;
mod given_back;
#[cfg(feature = "verified")]
mod memory_search;
mod native;
#[cfg(feature = "operations")]
mod operations;
pub mod place;
pub mod profile;
mod recall;
mod schema;
mod shapes;
pub mod table;
pub mod tool;
#[cfg(feature = "verified")]
pub(crate) mod verified;

#[cfg(test)]
mod lints;
