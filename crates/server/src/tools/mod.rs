//! The tools that an agent may call by name, over any interface. Each tool has one file, or one
//! line in its family for tools that read the same arguments. No tool knows the protocol that
//! serves it.
//!
//! * [`tool`]: the definition of a tool; `schema` and `check`: the form of its arguments, and the
//!   check of it;
//! * [`call`](mod@call): a call by name: scope, arguments, the tool, in this order; [`error`]:
//!   errors by code;
//! * `arguments`, `shapes`: arguments that several families share; `native`: tools that are calls
//!   of the native API;
//! * [`memory_selection`]: the memory of a call; [`profile`]: the sets of tools that are listed
//!   together.
//!
//! To add a tool: a file in the folder of its family with a function that makes its
//! [`Tool`](tool::Tool), and a line in the family's `tools`. A tool that cannot be called yet has
//! no `call`: it is neither listed nor found.

mod arguments;
pub mod call;
mod check;
#[cfg(feature = "coding")]
mod coding;
#[cfg(feature = "documents")]
mod documents;
pub mod error;
#[cfg(feature = "verified")]
mod memory_search;
pub mod memory_selection;
mod native;
#[cfg(feature = "operations")]
mod operations;
pub mod profile;
mod recall;
mod returned_citations;
mod schema;
mod shapes;
pub mod table;
pub mod tool;
#[cfg(feature = "verified")]
pub(crate) mod verified;

#[cfg(test)]
mod lints;
