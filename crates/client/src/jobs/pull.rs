//! Calls of pull mode, in which the caller's own model answers the questions of strategies, and the
//! call that ends a session.

use loci_api::Nothing;
use loci_api::pull::{JobGivenUp, JobNext, JobResult, JobResultTaken, PulledJob, SessionEnded};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Leases a question for the caller's own model. `None` if none arrived within the requested
    /// time.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn pulled_next(&self, next: &JobNext) -> Result<Option<PulledJob>, ClientError> {
        self.maybe_send(at(&api::PULLED_NEXT, &[]), next).await
    }

    /// Sends the answer of the caller's model to a leased question.
    ///
    /// # Errors
    /// See [`Client::job_list`]; `BAD_REPLY` with all errors of the answer, and the question is
    /// open again.
    pub async fn pulled_result(&self, job: &str, result: &JobResult) -> Result<JobResultTaken, ClientError> {
        self.send(at(&api::PULLED_RESULT, &[job]), result).await
    }

    /// Releases a leased question without an answer, so that other callers can lease it.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn pulled_fail(&self, job: &str, given_up: &JobGivenUp) -> Result<Nothing, ClientError> {
        self.send(at(&api::PULLED_FAIL, &[job]), given_up).await
    }

    /// Ends a session, so that its remaining events are extracted now.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn session_end(
        &self,
        memory: &str,
        actor: &str,
        session: &str,
    ) -> Result<SessionEnded, ClientError> {
        self.plain(at(&api::SESSION_END, &[memory, actor, session])).await
    }
}
