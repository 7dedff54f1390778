//! The family `verified`: facts about repositories that cite code, verified before they are served.
//!
//! `code`, `new_facts`, `changes`, `one_fact`, `known_facts`, `stats` have the tools, grouped by
//! their arguments. `shapes` has the schemas that several of them share. `arguments` parses
//! arguments. Results have the shapes of `loci_api::verified::fact`.

pub(super) mod arguments;
mod changes;
mod code;
mod known_facts;
mod new_facts;
mod one_fact;
pub(super) mod shapes;
mod stats;

use loci_api::ErrorCode;
use loci_engine::calls::call_context::CallContext;
use loci_verified::FactsAsked;

use super::call::admit;
use super::error::ToolError;
use super::memory_search;
use super::table::Table;
use super::tool::{Context, ReceivedArguments, Tool};

/// Returns the facts that a call would verify, for a client that has the code where the server does
/// not. Returns `None` for tools and calls without stored facts. Each tool has one line.
fn facts(name: &str, arguments: &ReceivedArguments) -> Option<Result<FactsAsked, ToolError>> {
    match name {
        "memory_get_recent" => Some(known_facts::recent_asked(arguments)),
        "memory_search" => memory_search::facts_asked(arguments),
        "memory_search_by_path" => Some(known_facts::by_path_asked(arguments)),
        "memory_verify_citations" => code::verified_asked(arguments),
        _ => None,
    }
}

/// Returns the facts that a tool call would verify, with the standing of its caller.
///
/// # Errors
/// As [`call`](super::call::call); `INVALID_ARGUMENT` for a call without stored facts of one
/// repository.
pub(crate) fn asked_facts(
    table: &Table,
    context: &Context,
    name: &str,
    arguments: ReceivedArguments,
) -> Result<(CallContext, FactsAsked), ToolError> {
    let (tool, _, arguments) = admit(table, context, name, arguments)?;
    let rule = "this call looks at no stored facts of one repository: call the tool itself";
    let none = || Err(ToolError::new(ErrorCode::Invalid, rule));
    let asked = facts(tool.name, &arguments).unwrap_or_else(none)?;
    Ok((arguments::standing(context, &arguments), asked))
}

/// Returns the tools of the family in listing order.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        new_facts::store(),
        known_facts::recent(),
        memory_search::tool(),
        code::verify_citations(),
        new_facts::supersede(),
        changes::invalidate(),
        changes::log_applied(),
        known_facts::by_path(),
        code::read_citation(),
        changes::refresh(),
        stats::tool(),
        one_fact::get(),
        one_fact::history(),
        changes::delete(),
    ]
}
