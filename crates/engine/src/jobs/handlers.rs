//! The kernel's job handlers, and the lookup of a job's handler among those of all products.

use futures::future::BoxFuture;
use loci_model::job::{Job, JobKind};
use loci_model::{Error, RecordId, Result, Timestamp};

use super::{JobAttemptEnd, embed, extract, handover, purge, reflect};
use crate::Engine;
use crate::hooks::{JobHandler, JobPolicy, KERNEL, Products};

/// A job kind that the kernel handles.
struct KernelJob {
    kind: JobKind,
    policy: JobPolicy,
    run: for<'a> fn(&'a Engine, &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>>,
}

const AWAITED: JobPolicy = JobPolicy { is_awaited: true, is_reported: false, has_few_tries: false };
const REPORTED: JobPolicy = JobPolicy { is_awaited: false, is_reported: true, has_few_tries: false };
const BOTH: JobPolicy = JobPolicy { is_awaited: true, is_reported: true, has_few_tries: false };
const CHORE: JobPolicy = JobPolicy { is_awaited: false, is_reported: false, has_few_tries: false };

/// The job kinds of the kernel.
static KERNEL_JOBS: [KernelJob; 5] = [
    KernelJob {
        kind: JobKind::EXTRACT,
        policy: BOTH,
        run: |engine, job| Box::pin(extract::run(engine, job)),
    },
    KernelJob { kind: JobKind::EMBED, policy: AWAITED, run: |engine, job| Box::pin(embed::run(engine, job)) },
    KernelJob { kind: JobKind::PURGE, policy: CHORE, run: |engine, job| Box::pin(purge::run(engine, job)) },
    KernelJob {
        kind: JobKind::HANDOVER,
        policy: REPORTED,
        run: |engine, job| Box::pin(handover::run(engine, job)),
    },
    KernelJob {
        kind: JobKind::REFLECT,
        policy: BOTH,
        run: |engine, job| Box::pin(reflect::run(engine, job)),
    },
];

impl JobHandler for KernelJob {
    fn kind(&self) -> JobKind {
        self.kind.clone()
    }

    fn policy(&self) -> JobPolicy {
        self.policy
    }

    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
        (self.run)(engine, job)
    }

    fn pulled_records<'a>(
        &'a self,
        engine: &'a Engine,
        job: &'a Job,
        since: Timestamp,
    ) -> Option<BoxFuture<'a, Result<Vec<RecordId>>>> {
        (self.kind == JobKind::REFLECT).then(|| Box::pin(reflect::made_since(engine, job, since)) as _)
    }
}

impl Products {
    /// Checks that no handler follows one that takes all jobs of its kind.
    ///
    /// # Errors
    /// A bug that names the kind and both registrations.
    pub(crate) fn check_jobs(&self) -> Result<()> {
        let of_products =
            self.named_jobs().map(|(product, handler)| (product, handler.kind(), handler.is_part()));
        let of_kernel = KERNEL_JOBS.iter().map(|handler| (KERNEL, handler.kind(), false));
        let mut whole: Vec<(&str, JobKind)> = Vec::new();
        for (product, kind, is_part) in of_products.chain(of_kernel) {
            if let Some((first, _)) = whole.iter().find(|(_, taken)| *taken == kind) {
                let kind = kind.as_str();
                return Err(Error::bug(format!(
                    "the kind of job {kind} is registered by {first}, which takes all of its jobs, and again by {product}"
                )));
            }
            if !is_part {
                whole.push((product, kind));
            }
        }
        Ok(())
    }
}

impl Engine {
    /// Returns the handlers of jobs: first those of the products in the order of registration, then
    /// those of the kernel. The first handler that accepts a job runs it.
    fn job_handlers(&self) -> impl Iterator<Item = &(dyn JobHandler + 'static)> {
        let of_kernel = KERNEL_JOBS.iter().map(|handler| handler as &(dyn JobHandler + 'static));
        self.products.jobs().map(AsRef::as_ref).chain(of_kernel)
    }

    /// Returns the handler of a job.
    ///
    /// # Errors
    /// `Conflict` for a job of a product that this program does not include.
    pub(crate) fn job_handler(&self, job: &Job) -> Result<&dyn JobHandler> {
        self.job_handlers().find(|handler| handler.handles(job)).ok_or_else(|| {
            let kind = job.kind.as_str();
            Error::conflict(format!(
                "no part of this program runs jobs of the kind {kind}: it was built without it"
            ))
        })
    }

    /// Returns the policy for the jobs of a kind; the default for a kind without a handler in this
    /// program.
    pub(super) fn job_policy(&self, kind: &JobKind) -> JobPolicy {
        let handler = self.job_handlers().find(|handler| handler.kind() == *kind);
        handler.map(JobHandler::policy).unwrap_or_default()
    }

    /// Returns the job kinds that produce records: a caller that waits for records waits for them.
    pub fn awaited_kinds(&self) -> Vec<JobKind> {
        self.job_kinds().into_iter().filter(|kind| self.job_policy(kind).is_awaited).collect()
    }

    /// Returns all job kinds that this program runs, sorted by name.
    pub fn job_kinds(&self) -> Vec<JobKind> {
        let mut kinds: Vec<JobKind> = self.job_handlers().map(JobHandler::kind).collect();
        kinds.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        kinds.dedup();
        kinds
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::hooks::Product;

    /// A handler of a kind, or of a part of it.
    struct Handler {
        kind: JobKind,
        is_part: bool,
    }

    impl JobHandler for Handler {
        fn kind(&self) -> JobKind {
            self.kind.clone()
        }

        fn is_part(&self) -> bool {
            self.is_part
        }

        fn run<'a>(&'a self, _engine: &'a Engine, _job: &'a Job) -> BoxFuture<'a, Result<JobAttemptEnd>> {
            Box::pin(async { Err(Error::bug("no job is run here")) })
        }
    }

    #[test]
    fn a_kind_of_jobs_is_registered_once_or_in_parts() {
        let digest = JobKind::named("digest");
        let check = |first: (&JobKind, bool), second: (&JobKind, bool)| {
            let product = |name, (kind, is_part): (&JobKind, bool)| Product {
                name,
                jobs: vec![Arc::new(Handler { kind: kind.clone(), is_part })],
                ..Product::default()
            };
            Products::new(vec![product("letters", first), product("papers", second)]).check()
        };
        check((&digest, true), (&digest, false)).unwrap();
        check((&digest, true), (&JobKind::REFLECT, true)).unwrap();
        for second in [false, true] {
            let error = check((&digest, false), (&digest, second)).unwrap_err();
            let expect = "digest is registered by letters, which takes all of its jobs, and again by papers";
            assert!(error.message.contains(expect), "{error:?}");
        }
        let error = check((&digest, false), (&JobKind::REFLECT, false)).unwrap_err();
        assert!(error.message.contains("reflect is registered by papers"), "{error:?}");
        assert!(error.message.contains("again by the kernel"), "{error:?}");
        Products::default().check().unwrap();
    }
}
