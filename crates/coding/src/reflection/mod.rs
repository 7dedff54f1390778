//! Reflections over a repository: what several of its tasks have in
//! common, each with its evidence. Strategies reflect on sessions (`loci_engine::jobs::reflect`),
//! this module on tasks, their ends and their reviews. Both share the job, the rule for sufficient
//! evidence, and the form of the records.
//!
//! | file | idea |
//! |---|---|
//! | `ground` | what reflections are drawn from |
//! | `themes` | what several tasks lacked |
//! | `looking` | reading that |
//! | `together` | what files of tasks usually change with, and what reviewers named of it |
//! | `generators` | what is found without a model: pure |
//! | `counting` | whether enough tasks bear it out: pure |
//! | `writing` | new, next version, expired |
//! | `reflecting` | by rules, and by a model |
//! | `repository_reflect` | asking for it, and when it is done by itself |

mod counting;
mod generators;
mod ground;
mod looking;
pub(crate) mod model;
mod reflecting;
mod repository_reflect;
pub(super) mod themes;
mod together;
mod writing;

pub(crate) use looking::ReflectionPlace;
pub(crate) use repository_reflect::due_by_time;
pub(super) use repository_reflect::finished;

/// How the subtypes of these records begin.
const SUBTYPE: &str = "repository/";
