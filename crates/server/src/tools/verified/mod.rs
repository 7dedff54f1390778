//! The family `verified`: facts about repositories that cite code, checked before they are served.
//! `code`, `new_facts`, `changes`, `one_fact`, `known_facts`, `stats`: the tools, those
//! together that read the same arguments; `shapes`: the forms that several of them take or give;
//! `asked`: arguments read. Results have the shapes of `loci_api::verified::fact`.

pub(super) mod asked;
mod changes;
mod code;
mod known_facts;
mod new_facts;
mod one_fact;
pub(super) mod shapes;
mod stats;

use loci_api::ErrorCode;
use loci_engine::calls::standing::Standing;
use loci_verified::FactsAsked;

use super::call::admit;
use super::error::ToolError;
use super::memory_search;
use super::table::Table;
use super::tool::{Arguments, Context, Tool};

/// The facts that a call would look at, for one who has the code where the server has not; `None` for tools and calls that look
/// at no stored facts. One line per tool.
fn facts(name: &str, arguments: &Arguments) -> Option<Result<FactsAsked, ToolError>> {
    match name {
        "memory_get_recent" => Some(known_facts::recent_asked(arguments)),
        "memory_search" => memory_search::facts_asked(arguments),
        "memory_search_by_path" => Some(known_facts::by_path_asked(arguments)),
        "memory_verify_citations" => code::verified_asked(arguments),
        _ => None,
    }
}

/// The facts that a call of a tool would look at, and where its caller stands.
///
/// # Errors
/// As [`call`](super::call::call); `INVALID_ARGUMENT` for a call that looks at no stored facts of one repository.
pub(crate) fn asked_facts(
    table: &Table,
    context: &Context,
    name: &str,
    arguments: Arguments,
) -> Result<(Standing, FactsAsked), ToolError> {
    let (tool, _, arguments) = admit(table, context, name, arguments)?;
    let rule = "this call looks at no stored facts of one repository: call the tool itself";
    let none = || Err(ToolError::new(ErrorCode::Invalid, rule));
    let asked = facts(tool.name, &arguments).unwrap_or_else(none)?;
    Ok((asked::standing(context, &arguments), asked))
}

/// The tools of the family, in the order in which they are listed.
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
