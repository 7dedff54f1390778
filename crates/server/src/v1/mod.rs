//! The native API (architecture §8): one file per group of operations, each a few lines around a method of the engine.
//!
//! To add an operation: its shapes in `loci-api`, a function here in the file of its noun, one line in that file's
//! `operations`. Router and OpenAPI document are both made from these lines.

mod admin;
mod agent_prompt;
mod agent_responses;
pub(crate) mod attribution;
mod call;
mod commits;
mod conflicts;
mod consolidations;
mod consolidations_shape;
mod cursor;
mod dead_letters;
mod deliveries;
mod evaluations;
mod events;
mod evidence;
mod export;
mod extraction_prompts;
mod files;
mod files_shape;
pub(crate) mod graph;
pub mod hooks;
mod identity;
mod import;
mod import_lines;
pub mod imports;
mod investigation_complete;
mod investigation_messages;
mod investigation_outcome;
mod investigation_start;
mod jobs;
mod keys;
mod me_records;
mod memories;
mod memory_ensure;
mod memory_recreate;
mod memory_tool;
mod metrics;
mod mirrors;
mod objects;
mod openapi;
mod outcomes;
mod preferences;
pub(crate) mod problem;
mod profiles;
mod prompts;
mod proposals;
mod pull;
mod quarantine;
mod record_feedback;
mod record_sources;
mod records;
mod records_shape;
mod reflections;
mod repositories;
pub(crate) mod repository_search;
mod repository_settings;
mod reviews;
mod rule_decisions;
pub(crate) mod rules;
mod safeguards;
mod scanners;
mod search;
mod sessions_end;
mod settings;
mod sre_doctor;
mod sre_history;
mod sre_preferences;
pub(crate) mod sre_retrieve;
mod sre_save;
mod sre_stats;
mod sre_transfer;
mod strategies;
mod table;
mod task_alerts;
pub(crate) mod task_end;
pub(crate) mod task_feedback;
pub(crate) mod task_hydration;
mod task_hydration_shape;
mod task_parts;
mod task_sessions;
pub(crate) mod tasks;
mod telemetry;
mod themes;
pub(crate) mod tools;
mod trees;
mod verdicts;
mod words;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header;

use crate::auth::site::OpenEndpoint;
use crate::doors::Doors;
use crate::operations::health;
pub(crate) use call::warn_of_repair;
pub use scanners::SCANNERS;
use table::Table;
pub use tools::error_of as tool_error_of;

/// All operations.
fn operations() -> Table {
    let table = memories::operations(Table::default());
    let table = memory_ensure::operations(table);
    let table = memory_recreate::operations(table);
    let table = events::operations(table);
    let table = records::operations(table);
    let table = search::operations(table);
    let table = files::operations(table);
    let table = trees::operations(table);
    let table = consolidations::operations(table);
    let table = objects::operations(table);
    let table = memory_tool::operations(table);
    let table = mirrors::operations(table);
    let table = tools::operations(table);
    let table = profiles::operations(table);
    let table = identity::operations(table);
    let table = repositories::operations(table);
    let table = repository_settings::operations(table);
    let table = evidence::operations(table);
    let table = verdicts::operations(table);
    let table = proposals::operations(table);
    let table = tasks::operations(table);
    let table = task_end::operations(table);
    let table = task_parts::operations(table);
    let table = task_alerts::operations(table);
    let table = outcomes::operations(table);
    let table = metrics::operations(table);
    let table = evaluations::operations(table);
    let table = task_hydration::operations(table);
    let table = task_feedback::operations(table);
    let table = commits::operations(table);
    let table = task_sessions::operations(table);
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
    let table = sessions_end::operations(table);
    let table = quarantine::operations(table);
    let table = record_feedback::operations(table);
    let table = record_sources::operations(table);
    let table = of_operations_agents(table);
    let table = pull::operations(table);
    let table = reflections::operations(table);
    let table = hooks::operations(table);
    let table = deliveries::operations(table);
    let table = jobs::operations(table);
    let table = dead_letters::operations(table);
    let table = keys::operations(table);
    let table = admin::operations(table);
    let table = export::operations(table);
    import::operations(table)
}

/// Those of the memory of operations agents.
fn of_operations_agents(table: Table) -> Table {
    let table = sre_save::operations(table);
    let table = investigation_start::operations(table);
    let table = agent_responses::operations(table);
    let table = investigation_messages::operations(table);
    let table = investigation_complete::operations(table);
    let table = investigation_outcome::operations(table);
    let table = sre_stats::operations(table);
    let table = agent_prompt::operations(table);
    let table = sre_retrieve::operations(table);
    let table = sre_doctor::operations(table);
    let table = me_records::operations(table);
    let table = sre_transfer::operations(table);
    let table = sre_history::operations(table);
    sre_preferences::operations(table)
}

/// The routes, and the document that describes them.
pub(crate) fn router() -> Router<Doors> {
    let table = operations();
    let document = openapi::document(&table);
    let text = move |request: Request| async move {
        match health::refused(OpenEndpoint::Description, &request) {
            Some(refused) => refused,
            None => ([(header::CONTENT_TYPE, "application/json")], document).into_response(),
        }
    };
    table.router.route("/openapi.json", get(text)).route("/v1/{*path}", axum::routing::any(call::unknown))
}
