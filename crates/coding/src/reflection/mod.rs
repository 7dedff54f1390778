//! Reflections over a repository: common properties of several of its tasks, each with its
//! evidence. Strategies reflect on sessions (`loci_engine::jobs::reflect`), this module on tasks,
//! their ends and their reviews. Both share the job, the rule for sufficient evidence, and the form
//! of the records.
//!
//! | file | idea |
//! |---|---|
//! | `ground` | the data that reflections are based on |
//! | `themes` | information that several tasks lacked |
//! | `looking` | reads that data |
//! | `together` | files that usually change with those of tasks, if reviewers named them |
//! | `generators` | findings without a model: pure |
//! | `counting` | determines if enough tasks support a finding: pure |
//! | `writing` | new, next version, expired |
//! | `reflecting` | reflection by rules, and by a model |
//! | `repository_reflect` | reflection on request, and its automatic schedule |

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

/// The prefix of the subtypes of these records.
const SUBTYPE: &str = "repository/";
