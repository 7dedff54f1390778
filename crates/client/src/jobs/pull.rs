//! Pull mode: coming for questions, and bringing answers; ending a session.

use loci_api::Nothing;
use loci_api::pull::{JobGivenUp, JobNext, JobResult, JobResultTaken, PulledJob, SessionEnded};
use loci_api::table as api;

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// A question for the caller's own model; `None` where none came within the time asked for.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn pulled_next(&self, next: &JobNext) -> Result<Option<PulledJob>, ClientError> {
        self.maybe_send(at(&api::PULLED_NEXT, &[]), next).await
    }

    /// Brings the answer to a question.
    ///
    /// # Errors
    /// See [`Client::job_list`]; `BAD_REPLY` with everything that is wrong, and the question is open again.
    pub async fn pulled_result(&self, job: &str, result: &JobResult) -> Result<JobResultTaken, ClientError> {
        self.send(at(&api::PULLED_RESULT, &[job]), result).await
    }

    /// Gives a question up: it is open for others.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn pulled_fail(&self, job: &str, given_up: &JobGivenUp) -> Result<Nothing, ClientError> {
        self.send(at(&api::PULLED_FAIL, &[job]), given_up).await
    }

    /// Ends a session: what is left to read of it is due now.
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
