//! The fields of log lines of this crate: the task, its user, repository, trace and session, if
//! known. The level of a failed call depends on the cause: ERROR for a bug in the program; WARN for
//! time, load or credentials; INFO for a mistake of the caller, whom the response informs. This
//! module logs no successes, and no line contains content of records.

use loci_api::coding::task::TaskCreate;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::task::Task;
use loci_model::{ActorId, Error, ErrorKind, MemoryId, Result, TaskId};
use tracing::field::{Empty, display};
use tracing::{Instrument as _, Span};

use crate::Coding;

/// A call of coding memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    function: &'static str,
    is_load: bool,
    task: Option<&'a TaskId>,
}

impl<'a> Call<'a> {
    /// Returns a call that reads memory.
    pub(crate) fn load(function: &'static str, task: Option<&'a TaskId>) -> Self {
        Self { function, is_load: true, task }
    }

    /// Returns a call that writes memory.
    pub(crate) fn write(function: &'static str, task: Option<&'a TaskId>) -> Self {
        Self { function, is_load: false, task }
    }

    /// Runs the work of the call within a span of the task's fields, and logs a failure.
    ///
    /// # Errors
    /// Errors of the work.
    pub(crate) async fn told<T>(self, work: impl Future<Output = Result<T>>) -> Result<T> {
        // The highest level, so that the fields of a line do not depend on the enabled levels.
        let span = tracing::error_span!(
            "task",
            task_id = Empty,
            user_id = Empty,
            repo = Empty,
            trace_id = Empty,
            session_id = Empty,
            memory = Empty,
        );
        if let Some(task) = self.task {
            span.record("task_id", display(task));
        }
        work.instrument(span.clone()).await.inspect_err(|error| span.in_scope(|| self.tell(error)))
    }

    fn tell(self, error: &Error) {
        let (function, error_type) = (self.function, error_type(error.kind));
        let [infrastructure, refused, bug] = match self.is_load {
            true => [LOAD_INFRA, LOAD_REFUSED, LOAD_BUG],
            false => [WRITE_INFRA, WRITE_REFUSED, WRITE_BUG],
        };
        match blame(error.kind) {
            Blame::Infrastructure => {
                tracing::warn!(metric_type = infrastructure, function, error_type, ?error, "failed");
            }
            Blame::Caller => {
                tracing::info!(metric_type = refused, function, error_type, ?error, "refused");
            }
            Blame::Program => {
                tracing::error!(metric_type = bug, function, error_type, ?error, "failed");
            }
        }
    }
}

/// Memory could not be read because of an error that needs a fix.
pub(crate) const LOAD_BUG: &str = "memory_load_bug";
/// Memory could not be read temporarily.
pub(crate) const LOAD_INFRA: &str = "memory_load_infra_failure";
/// Memory could not be written because of an error that needs a fix.
pub(super) const WRITE_BUG: &str = "memory_write_bug";
/// Memory could not be written temporarily.
pub(crate) const WRITE_INFRA: &str = "memory_write_infra_failure";

/// The caller must change a request that reads memory.
const LOAD_REFUSED: &str = "memory_load_refused";
/// The caller must change a request that writes memory.
const WRITE_REFUSED: &str = "memory_write_refused";

/// The party that must resolve a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blame {
    /// Time, load, credentials or another server.
    Infrastructure,
    /// The sender of the call.
    Caller,
    /// This program.
    Program,
}

fn blame(kind: ErrorKind) -> Blame {
    match kind {
        ErrorKind::Unavailable
        | ErrorKind::Upstream
        | ErrorKind::Throttled
        | ErrorKind::Denied
        | ErrorKind::Unauthenticated => Blame::Infrastructure,
        ErrorKind::NotFound | ErrorKind::Conflict | ErrorKind::Invalid | ErrorKind::TooLarge => Blame::Caller,
        ErrorKind::Bug => Blame::Program,
    }
}

/// True if time, load or credentials caused the failure, and not the program.
pub(crate) fn is_infrastructure(kind: ErrorKind) -> bool {
    blame(kind) == Blame::Infrastructure
}

fn error_type(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "not_found",
        ErrorKind::Conflict => "conflict",
        ErrorKind::Invalid => "invalid",
        ErrorKind::TooLarge => "too_large",
        ErrorKind::Denied => "denied",
        ErrorKind::Unauthenticated => "unauthenticated",
        ErrorKind::Throttled => "throttled",
        ErrorKind::Unavailable => "unavailable",
        ErrorKind::Upstream => "upstream",
        ErrorKind::Bug => "bug",
    }
}

/// Adds the fields of a task to the span of the current call. Each field is recorded once, because
/// a text line would otherwise repeat it.
fn of_task(task: &Task) {
    let span = Span::current();
    span.record("session_id", display(&task.session));
    if task.repository.is_some() {
        span.record("repo", display(&task.actor));
    }
    if let Some(user) = task.user_id.as_ref().or(task.user.as_ref()) {
        span.record("user_id", display(user));
    }
    if let Some(trace) = &task.trace_id {
        span.record("trace_id", display(trace));
    }
}

/// Adds the fields of a task that is not created yet.
pub(super) fn of_request(new: &TaskCreate) {
    let span = Span::current();
    if let Some(repo) = &new.repo {
        span.record("repo", display(repo));
    }
    if let Some(user) = new.user_id.as_ref().or(new.user.as_ref()) {
        span.record("user_id", display(user));
    }
    if let Some(trace) = &new.trace_id {
        span.record("trace_id", display(trace));
    }
}

/// Adds the fields of a repository, for a call without a task.
pub(crate) fn of_repository(memory: &MemoryId, actor: &ActorId) {
    Span::current().record("repo", display(actor));
    of_memory(memory);
}

fn of_memory(memory: &MemoryId) {
    Span::current().record("memory", display(memory));
}

impl Coding {
    /// Returns a task and adds its fields to the span of the current call, for use before the
    /// access check.
    pub(crate) async fn known_task(&self, memory: &MemoryId, id: &TaskId) -> Result<Option<Task>> {
        of_memory(memory);
        let (of, id) = (memory.clone(), id.clone());
        let task = self.engine.store().read(move |tx| tx.tasks().get(&of, &id)).await?;
        task.iter().for_each(of_task);
        Ok(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_s_mistake_is_no_error_of_the_program() {
        for kind in [ErrorKind::NotFound, ErrorKind::Conflict, ErrorKind::Invalid, ErrorKind::TooLarge] {
            assert_eq!(blame(kind), Blame::Caller, "{kind:?}");
        }
        for kind in [ErrorKind::Unavailable, ErrorKind::Throttled, ErrorKind::Denied] {
            assert_eq!(blame(kind), Blame::Infrastructure, "{kind:?}");
        }
        assert_eq!(blame(ErrorKind::Bug), Blame::Program);
    }
}
