//! The repository in whose clone `loci mcp` was started. Tools of a repository use it if their
//! caller names none, and errors name it if a caller guesses another. An agent seldom knows the
//! name under which it is stored.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use loci_api::ErrorCode;
use loci_server::tools::error::ToolError;
use loci_server::tools::table::Table;
use loci_server::tools::tool::ReceivedArguments;

/// The argument with the repository.
const REPO: &str = "repo";
/// A tool whose repository filters a list. Without one the list covers all repositories.
const NARROWED: &str = "attribution_lookup";
/// Arguments that replace the repository.
const INSTEAD: &[(&str, &str)] = &[("memory_search", "store"), ("memory_hydrate", "task_id")];

/// The names of the tools of a repository.
static TOOLS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let table = Table::shipped();
    let of_one = table.all().iter().filter(|tool| tool.input["properties"].get(REPO).is_some());
    of_one.map(|tool| tool.name).filter(|name| *name != NARROWED).collect()
});

/// Returns the arguments with the repository, if the tool needs one and the arguments contain
/// neither it nor its replacement.
pub(super) fn named(own: Option<&String>, tool: &str, mut arguments: ReceivedArguments) -> ReceivedArguments {
    let Some(own) = own else { return arguments };
    let tool = tool.replacen('.', "_", 1);
    let is_given = |(of, name): &(&str, &str)| *of == tool && arguments.contains_key(*name);
    let is_named = arguments.contains_key(REPO) || INSTEAD.iter().any(is_given);
    if !is_named && TOOLS.contains(tool.as_str()) {
        arguments.insert(REPO.to_owned(), own.as_str().into());
    }
    arguments
}

/// Adds the name of the local repository to an error about an unknown one.
pub(super) fn naming(mut error: ToolError, own: Option<&String>) -> ToolError {
    if let (ErrorCode::RepositoryUnknown, Some(own)) = (error.code, own) {
        error.message = format!("{}; the clone here is {own}: leave repo out, or name it so", error.message);
    }
    error
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[cfg(all(feature = "verified", feature = "coding"))]
    #[test]
    fn a_tool_that_means_a_repository_is_a_decision() {
        let names: Vec<&str> = TOOLS.iter().copied().collect();
        let known = [
            "memory_get_recent",
            "memory_hydrate",
            "memory_read_citation",
            "memory_search",
            "memory_search_by_path",
            "memory_stats",
            "memory_store",
            "memory_verify_citations",
            "related_files",
            "rules_list",
            "task_history",
        ];
        assert_eq!(names, known);
    }

    #[test]
    fn where_nobody_names_one() {
        let check = |own: Option<&str>, tool: &str, given: Value, expect: Value| {
            let own = own.map(str::to_owned);
            let given = given.as_object().cloned().unwrap();
            assert_eq!(Value::Object(named(own.as_ref(), tool, given)), expect, "{tool}");
        };
        let ours = json!({ "repo": "local/shop-01234567" });
        let own = Some("local/shop-01234567");
        check(own, "memory_get_recent", json!({}), ours.clone());
        check(own, "memory.get_recent", json!({}), ours.clone());
        check(own, "memory_stats", json!({ "repo": "o/r" }), json!({ "repo": "o/r" }));
        check(own, "memory_search", json!({ "store": "notes" }), json!({ "store": "notes" }));
        check(own, "memory_hydrate", json!({ "task_id": "t-1" }), json!({ "task_id": "t-1" }));
        check(own, "memory_get", json!({}), json!({}));
        check(own, "attribution_lookup", json!({}), json!({}));
        check(None, "memory_get_recent", json!({}), json!({}));
    }

    #[test]
    fn a_guess_is_answered_with_the_name() {
        let own = "local/shop-01234567".to_owned();
        let error = naming(
            ToolError::new(ErrorCode::RepositoryUnknown, "no repository x/y is known here"),
            Some(&own),
        );
        assert!(error.message.contains("the clone here is local/shop-01234567"), "{}", error.message);
        let other = naming(ToolError::new(ErrorCode::NotFound, "gone"), Some(&own));
        assert_eq!(other.message, "gone");
    }
}
