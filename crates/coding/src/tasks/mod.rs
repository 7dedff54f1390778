//! Tasks of coding agents: the verbs on a task, and the rules for its names, its namespaces and its
//! agent.

mod agent_rights;
pub(super) mod alert;
pub(crate) mod alert_hold;
mod control_group;
pub(super) mod create;
pub(crate) mod exposures;
pub(super) mod field_checks;
mod get;
pub(super) mod list;
pub(super) mod log_fields;
mod name_secrets;
pub(super) mod patch;
pub(crate) mod reports;
pub(super) mod sessions;
mod task_answer;
pub(super) mod task_namespaces;
mod task_repository;
