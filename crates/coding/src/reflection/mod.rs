//! Reflections over a repository: common properties of several of its tasks, each with its
//! evidence. Strategies reflect on sessions (`loci_engine::jobs::reflect`), this module on tasks,
//! their ends and their reviews. Both share the job, the rule for sufficient evidence, and the form
//! of the records.
//!
//! | file | idea |
//! |---|---|
//! | `evidence` | the data that reflections are based on |
//! | `themes` | information that several tasks lacked |
//! | `evidence_read` | reads that data |
//! | `co_changed_files` | files that usually change with those of tasks, if reviewers named them |
//! | `generators` | findings without a model: pure |
//! | `evidence_count` | determines if enough tasks support a finding: pure |
//! | `reflection_write` | new, next version, expired |
//! | `reflection_run` | reflection by rules, and by a model |
//! | `repository_reflect` | reflection on request, and its automatic schedule |

mod co_changed_files;
mod evidence;
mod evidence_count;
mod evidence_read;
mod generators;
pub(crate) mod model;
mod reflection_run;
mod reflection_write;
mod repository_reflect;
pub(super) mod themes;

pub(crate) use evidence_read::ReflectionPlace;
pub(crate) use repository_reflect::due_by_time;
pub(super) use repository_reflect::finished;

/// The prefix of the subtypes of these records.
const SUBTYPE: &str = "repository/";
