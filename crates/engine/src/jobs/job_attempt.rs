//! One try of one job: it runs under a lease and is then finished, postponed or failed. The handler
//! of each kind makes sure that a job that runs twice does its work once.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use futures::future::{BoxFuture, Either, select};
use loci_model::job::{Job, JobMessage, JobState};
use loci_model::ports::observe::JobObservation;
use loci_model::ports::store::{JobFailure, StoreExt};
use loci_model::ports::trace;
use loci_model::{Error, Result, limits};

use super::{JobAttemptEnd, deliverer, extract, failure, lease};
use crate::Engine;

impl Engine {
    /// Runs a claimed job and records its end. It renews the lease meanwhile. If the lease is lost,
    /// the job belongs to another runner and nothing is recorded.
    pub(super) async fn run_one(&self, job: Job) {
        let (span, began) = (self.observe.open_span(), self.clock.monotonic_us());
        let outcome = trace::under(span, self.run_claimed(&job)).await;
        if let Some(span) = span {
            let elapsed_us = self.clock.monotonic_us().saturating_sub(began);
            let (id, kind, memory) = (&job.id, job.kind.as_str(), &job.memory);
            self.observe.job(&JobObservation { span, id, kind, memory, outcome, elapsed_us });
        }
    }

    /// Returns the outcome label.
    async fn run_claimed(&self, job: &Job) -> &'static str {
        let work = std::pin::pin!(AssertUnwindSafe(self.handled(job)).catch_unwind());
        let lease = std::pin::pin!(self.hold_job(job));
        let ended = match select(work, lease).await {
            Either::Left((Ok(ended), _)) => ended,
            Either::Left((Err(_), _)) => Err(Error::bug("the job broke off: see the server's log")),
            Either::Right(_) => {
                tracing::warn!(job = %job.id, memory = %job.memory, "the lease of a job was lost");
                return "lost";
            }
        };
        let outcome = match &ended {
            Ok(JobAttemptEnd::Done | JobAttemptEnd::Noted) => "done",
            Ok(JobAttemptEnd::Again(_)) => "again",
            Ok(JobAttemptEnd::Waits) => "waits",
            Ok(
                JobAttemptEnd::Unanswered { .. } | JobAttemptEnd::Failed(..) | JobAttemptEnd::FellBack(..),
            )
            | Err(_) => "failed",
        };
        if let Err(error) = self.note_end(job, ended).await {
            // The lease expires and the job runs again.
            tracing::error!(job = %job.id, memory = %job.memory, ?error, "the end of a job was not noted");
        }
        self.wake.call();
        outcome
    }

    async fn handled(&self, job: &Job) -> Result<JobAttemptEnd> {
        self.job_handler(job)?.run(self, job).await
    }

    /// Renews the job's lease; returns when it is lost.
    async fn hold_job(&self, job: &Job) {
        let until = job.lease_until.unwrap_or_else(|| self.clock.now());
        let renew = |until| -> BoxFuture<'_, Result<bool>> {
            let job = job.clone();
            Box::pin(
                self.store
                    .write(move |tx| tx.jobs_mut().renew(&job.memory, &job.id, lease::holder(&job), until)),
            )
        };
        lease::hold(self, limits::JOB_LEASE_MS, until, renew).await;
    }

    async fn note_end(&self, job: &Job, ended: Result<JobAttemptEnd>) -> Result<()> {
        let now = self.clock.now();
        let failure = match ended {
            Ok(JobAttemptEnd::Done) => {
                return self.finish(job, None).await;
            }
            Ok(JobAttemptEnd::Noted) => return Ok(()),
            Ok(JobAttemptEnd::Again(at)) => {
                return self.finish(job, Some(at)).await;
            }
            Ok(JobAttemptEnd::Waits) => {
                let job = job.clone();
                return self
                    .store
                    .write(move |tx| tx.jobs_mut().wait(&job.memory, &job.id, lease::holder(&job), now))
                    .await
                    .map(drop);
            }
            Ok(JobAttemptEnd::Failed(reason, messages)) => {
                JobFailure { reason, messages, retry_at: None, fallback: false, at: now }
            }
            Ok(JobAttemptEnd::FellBack(reason, messages)) => {
                JobFailure { reason, messages, retry_at: None, fallback: true, at: now }
            }
            Ok(JobAttemptEnd::Unanswered { reason, messages, retry_at }) => {
                JobFailure { reason, messages, retry_at: Some(retry_at), fallback: false, at: now }
            }
            Err(error) => {
                let [random, ..] = self.ids.random();
                let retry_at =
                    failure::retry_at(self.job_policy(&job.kind), &error, job.attempts, now, random);
                tracing::warn!(job = %job.id, memory = %job.memory, attempts = job.attempts, ?error, "a job failed");
                JobFailure {
                    reason: failure::reason(&error),
                    messages: self.messages(job).await,
                    retry_at,
                    fallback: false,
                    at: now,
                }
            }
        };
        let (job, news) = (job.clone(), self.job_news(&job.kind));
        self.store
            .write(move |tx| {
                let noted = tx.jobs_mut().fail(&job.memory, &job.id, lease::holder(&job), &failure)?;
                if noted && failure.retry_at.is_none() {
                    deliverer::job_ended(tx, &news, &job, JobState::Failed, failure.at)?;
                }
                Ok(())
            })
            .await
    }

    async fn finish(&self, job: &Job, again: Option<loci_model::Timestamp>) -> Result<()> {
        let now = self.clock.now();
        let (job, news) = (job.clone(), self.job_news(&job.kind));
        self.store
            .write(move |tx| {
                let holder = lease::holder(&job);
                let noted = tx.jobs_mut().finish(&job.memory, &job.id, holder, again, now)?;
                if noted && again.is_none() {
                    deliverer::job_ended(tx, &news, &job, JobState::Done, now)?;
                }
                Ok(())
            })
            .await
    }

    /// Returns the messages that an extraction was about to read, for its error report; empty if
    /// they cannot be read.
    async fn messages(&self, job: &Job) -> Vec<JobMessage> {
        match extract::messages(self, job).await {
            Ok(messages) => messages,
            Err(error) => {
                tracing::warn!(job = %job.id, ?error, "the messages of a failed job are unknown");
                Vec::new()
            }
        }
    }
}
