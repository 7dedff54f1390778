//! The fields of log lines of this area: the task, its user, its
//! repository, trace and session, each where it is known; and the level of a call that fails, by
//! who is to blame. A broken rule of the program: ERROR. Time, load or credentials: WARN. A mistake
//! of the caller, whom the answer tells of it: INFO. This file writes no lines of success, and no
//! line has content of memories.

use loci_api::coding::task::TaskCreate;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::task::Task;
use loci_model::{ActorId, Error, ErrorKind, MemoryId, Result, TaskId};
use tracing::field::{Empty, display};
use tracing::{Instrument as _, Span};

use crate::Coding;

/// A call of this area.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    function: &'static str,
    is_load: bool,
    task: Option<&'a TaskId>,
}

impl<'a> Call<'a> {
    /// One that reads what is remembered.
    pub(crate) fn load(function: &'static str, task: Option<&'a TaskId>) -> Self {
        Self { function, is_load: true, task }
    }

    /// One that writes.
    pub(crate) fn write(function: &'static str, task: Option<&'a TaskId>) -> Self {
        Self { function, is_load: false, task }
    }

    /// Does the work of the call, so that its lines carry what is known of the task, and tells where it fails.
    ///
    /// # Errors
    /// Those of the work.
    pub(crate) async fn told<T>(self, work: impl Future<Output = Result<T>>) -> Result<T> {
        // Of the highest level: what a line carries does not depend on which lines are wanted.
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

/// Memory could not be read, for a reason that somebody must mend.
pub(crate) const LOAD_BUG: &str = "memory_load_bug";
/// Memory could not be read now.
pub(crate) const LOAD_INFRA: &str = "memory_load_infra_failure";
/// Memory could not be written, for a reason that somebody must mend.
pub(super) const WRITE_BUG: &str = "memory_write_bug";
/// Memory could not be written now.
pub(crate) const WRITE_INFRA: &str = "memory_write_infra_failure";

/// A read of memory that the caller has to ask for otherwise.
const LOAD_REFUSED: &str = "memory_load_refused";
/// A write of memory that the caller has to ask for otherwise.
const WRITE_REFUSED: &str = "memory_write_refused";

/// The party that has to mend a failure.
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

/// True where time, load or credentials are to blame, and no program.
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

/// Lets the lines of the call that is under way carry what is known of its task. A member is recorded once: in lines of text it would
/// stand there twice.
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

/// The same of a task that is not taken in yet.
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

/// The same, where a repository is named and no task.
pub(crate) fn of_repository(memory: &MemoryId, actor: &ActorId) {
    Span::current().record("repo", display(actor));
    of_memory(memory);
}

fn of_memory(memory: &MemoryId) {
    Span::current().record("memory", display(memory));
}

impl Coding {
    /// What is known of a task, for the lines of the call that is under way, and whoever may act for it.
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
