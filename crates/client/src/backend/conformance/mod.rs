//! The conformance suite of file backends: one table of named checks, each in a fresh prefix that
//! is removed at the end.
//!
//! A new check is a function in one of the files and a line in `CHECKS`. A check compares the
//! answers of a backend with the promises of the port, and never measures time.

mod absent_capabilities;
mod check_environment;
mod concurrency;
mod conditions;
mod content;
mod file_lists;
mod paths;
mod report;
mod versions;

use std::sync::Arc;

use futures::future::BoxFuture;

use self::check_environment::{BackendFault, CheckEnvironment, CheckVerdict};
use self::content::LARGE_BYTES;
pub use self::report::{CheckOutcome, CheckResult, ConformanceReport};
use super::file_backend::{BackendCapabilities, FileBackend};
use super::path_rules::clean_prefix;
use super::storage_error::StorageError;

/// The start of the names of the suite's prefixes.
const PREFIX: &str = "backend-check";
/// The name of the check that every file of the suite was removed.
pub const CLEAN_UP: &str = "clean-up";

/// A check.
struct Check {
    /// The name, for reports and for the guide.
    name: &'static str,
    /// The capability that it needs; `None`: the check runs for every backend.
    needs: Option<Capability>,
    run: for<'a> fn(&'a CheckEnvironment) -> BoxFuture<'a, CheckVerdict>,
}

/// The reason to skip a check, and the condition to run it.
type Capability = (&'static str, fn(&BackendCapabilities) -> bool);

const CAS: Option<Capability> = Some(("the backend has no cas", |can| can.cas));
const NO_CAS: Option<Capability> = Some(("the backend has cas", |can| !can.cas));
const VERSIONING: Option<Capability> = Some(("the backend has no versioning", |can| can.versioning));
const NO_VERSIONING: Option<Capability> = Some(("the backend has versioning", |can| !can.versioning));
const SEARCH: Option<Capability> = Some(("the backend has no search", |can| can.search));
const NO_SEARCH: Option<Capability> = Some(("the backend has search", |can| !can.search));
const SIZE_LIMIT: Option<Capability> = Some(("the backend has no file_bytes_max up to 1 MiB", |can| {
    can.file_bytes_max.is_some_and(|max| max <= LARGE_BYTES)
}));
const TEXT_ONLY: Option<Capability> = Some(("the backend is not text_only", |can| can.text_only));

/// Every check, in the order of a run.
const CHECKS: &[Check] = &[
    Check { name: "bytes-round-trip", needs: None, run: |it| Box::pin(content::round_trip(it)) },
    Check { name: "large-file", needs: None, run: |it| Box::pin(content::large_file(it)) },
    Check { name: "sha256", needs: None, run: |it| Box::pin(content::digests(it)) },
    Check { name: "overwrite", needs: None, run: |it| Box::pin(content::overwrite(it)) },
    Check { name: "absent-file", needs: None, run: |it| Box::pin(content::absent_file(it)) },
    Check { name: "delete", needs: None, run: |it| Box::pin(content::delete(it)) },
    Check { name: "size-limit", needs: SIZE_LIMIT, run: |it| Box::pin(content::size_limit(it)) },
    Check { name: "text-only", needs: TEXT_ONLY, run: |it| Box::pin(content::text_only(it)) },
    Check { name: "list-sorted", needs: None, run: |it| Box::pin(file_lists::sorted(it)) },
    Check { name: "list-prefix", needs: None, run: |it| Box::pin(file_lists::prefixes(it)) },
    Check { name: "list-many", needs: None, run: |it| Box::pin(file_lists::many(it)) },
    Check { name: "namespace-view", needs: None, run: |it| Box::pin(file_lists::view(it)) },
    Check { name: "path-names", needs: None, run: |it| Box::pin(paths::names(it)) },
    Check { name: "path-rules", needs: None, run: |it| Box::pin(paths::rules(it)) },
    Check { name: "refused-file-harms-no-other", needs: None, run: |it| Box::pin(paths::harmless(it)) },
    Check { name: "concurrent-files", needs: None, run: |it| Box::pin(concurrency::many_files(it)) },
    Check { name: "concurrent-writes-are-whole", needs: None, run: |it| Box::pin(concurrency::whole(it)) },
    Check { name: "precondition-absent", needs: CAS, run: |it| Box::pin(conditions::absent(it)) },
    Check { name: "precondition-sha256", needs: CAS, run: |it| Box::pin(conditions::sha256(it)) },
    Check { name: "precondition-delete", needs: CAS, run: |it| Box::pin(conditions::delete(it)) },
    Check { name: "concurrent-absent", needs: CAS, run: |it| Box::pin(concurrency::one_creates(it)) },
    Check { name: "concurrent-sha256", needs: CAS, run: |it| Box::pin(concurrency::one_updates(it)) },
    Check { name: "cas-unsupported", needs: NO_CAS, run: |it| Box::pin(absent_capabilities::cas(it)) },
    Check { name: "history", needs: VERSIONING, run: |it| Box::pin(versions::history(it)) },
    Check { name: "changes", needs: VERSIONING, run: |it| Box::pin(versions::changes(it)) },
    Check { name: "diff", needs: VERSIONING, run: |it| Box::pin(versions::diff(it)) },
    Check { name: "snapshot-label", needs: VERSIONING, run: |it| Box::pin(versions::label(it)) },
    Check { name: "restore", needs: VERSIONING, run: |it| Box::pin(versions::restore(it)) },
    Check {
        name: "versioning-unsupported",
        needs: NO_VERSIONING,
        run: |it| Box::pin(absent_capabilities::versioning(it)),
    },
    Check { name: "search", needs: SEARCH, run: |it| Box::pin(content::search(it)) },
    Check {
        name: "search-unsupported",
        needs: NO_SEARCH,
        run: |it| Box::pin(absent_capabilities::search(it)),
    },
];

/// Returns the names of all checks, in the order of a run.
pub fn check_names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.name).chain([CLEAN_UP])
}

/// Runs every check below `directory`, in a prefix named by `run`: letters and digits that no
/// earlier run used.
///
/// # Errors
/// `InvalidPath` for a directory that breaks a rule of paths. Faults of the backend are in the
/// report.
pub async fn run_conformance(
    backend: Arc<dyn FileBackend>,
    directory: &str,
    run: &str,
) -> Result<ConformanceReport, StorageError> {
    let name = clean_prefix(&format!("{directory}/{PREFIX}-{run}"))?;
    let capabilities = backend.capabilities();
    let mut checks = Vec::with_capacity(CHECKS.len() + 1);
    for check in CHECKS {
        let outcome = match check.needs {
            Some((reason, has)) if !has(&capabilities) => CheckOutcome::Skipped { reason: reason.to_owned() },
            Some(_) | None => {
                let prefix = format!("{name}/{}", check.name);
                let label = format!("{PREFIX}-{run}-{}", check.name);
                let ground = CheckEnvironment::new(Arc::clone(&backend), prefix, label);
                match (check.run)(&ground).await {
                    Ok(()) => CheckOutcome::Passed,
                    Err(BackendFault { expected, found }) => CheckOutcome::Failed { expected, found },
                }
            }
        };
        checks.push(CheckResult { name: check.name.to_owned(), outcome });
    }
    let whole = CheckEnvironment::new(backend, name, String::new());
    let outcome = match whole.clean_up().await {
        Ok(()) => CheckOutcome::Passed,
        Err(BackendFault { expected, found }) => CheckOutcome::Failed { expected, found },
    };
    checks.push(CheckResult { name: CLEAN_UP.to_owned(), outcome });
    Ok(ConformanceReport { capabilities, checks })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_stand_in_the_guide() {
        let guide = include_str!("../../../../../docs/guides/file-backends.md");
        let names: BTreeSet<_> = check_names().collect();
        assert_eq!(names.len(), CHECKS.len() + 1);
        for name in names {
            assert!(guide.contains(&format!("`{name}`")), "the guide does not explain {name}");
        }
    }
}
