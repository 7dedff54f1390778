//! The family `verified`: facts about repositories that cite code, checked before they are served (verified-memory.md §12).
//! One file per tool; `shapes`: the forms that several of them take or give; `asked` and `said`: arguments read and
//! results written.

pub(super) mod asked;
mod delete;
mod get;
mod get_recent;
mod history;
mod invalidate;
mod log_applied;
mod read_citation;
mod refresh;
pub(super) mod said;
mod search;
mod search_by_path;
mod shapes;
mod stats;
mod store;
mod supersede;
mod verify_citations;

use loci_api::ErrorCode;
use loci_engine::calls::standing::Standing;
use loci_verified::FactsAsked;

use super::call::admit;
use super::error::ToolError;
use super::table::Table;
use super::tool::{Arguments, Context, Tool};

/// The facts that a call would look at, for one who has the code where the server has not; `None` for tools and calls that look
/// at no stored facts. One line per tool.
fn facts(name: &str, arguments: &Arguments) -> Option<Result<FactsAsked, ToolError>> {
    match name {
        "memory_get_recent" => Some(get_recent::facts(arguments)),
        "memory_search" => search::facts_asked(arguments),
        "memory_search_by_path" => Some(search_by_path::facts(arguments)),
        "memory_verify_citations" => verify_citations::facts(arguments),
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
        store::tool(),
        get_recent::tool(),
        search::tool(),
        verify_citations::tool(),
        supersede::tool(),
        invalidate::tool(),
        log_applied::tool(),
        search_by_path::tool(),
        read_citation::tool(),
        refresh::tool(),
        stats::tool(),
        get::tool(),
        history::tool(),
        delete::tool(),
    ]
}
