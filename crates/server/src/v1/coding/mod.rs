//! Operations of coding memory: tasks, sessions, commits, reviews, rules, outcomes, prompts,
//! safeguards.

pub(crate) mod attribution;
mod commits;
mod conflicts;
mod dead_letters;
mod evaluations;
mod extraction_prompts;
mod github_hook;
pub(crate) mod graph;
mod hook_deliveries;
mod metrics;
mod outcomes;
mod preferences;
mod prompts;
mod reflections;
pub(crate) mod repository_search;
mod repository_settings;
mod reviews;
mod rule_decisions;
pub(crate) mod rules;
mod safeguards;
pub(crate) mod tasks;
mod themes;

use super::protocol::table::Table;

/// Adds the operations of the product.
pub(super) fn operations(table: Table) -> Table {
    let table = repository_settings::operations(table);
    let table = tasks::operations(table);
    let table = tasks::end::operations(table);
    let table = tasks::report_parts::operations(table);
    let table = tasks::alerts::operations(table);
    let table = outcomes::operations(table);
    let table = metrics::operations(table);
    let table = evaluations::operations(table);
    let table = tasks::hydration::operations(table);
    let table = tasks::feedback::operations(table);
    let table = commits::operations(table);
    let table = tasks::sessions::operations(table);
    let table = attribution::operations(table);
    let table = reviews::operations(table);
    let table = rules::operations(table);
    let table = graph::operations(table);
    let table = rule_decisions::operations(table);
    let table = repository_search::operations(table);
    let table = themes::operations(table);
    let table = preferences::operations(table);
    let table = conflicts::operations(table);
    let table = safeguards::operations(table);
    let table = prompts::operations(table);
    let table = extraction_prompts::operations(table);
    let table = reflections::operations(table);
    let table = github_hook::operations(table);
    let table = hook_deliveries::operations(table);
    dead_letters::operations(table)
}
