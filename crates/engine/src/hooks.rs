//! Hooks: what a product adds to the kernel. A product is one [`Product`] value of handlers and policies, registered where
//! the program is wired; the kernel calls them and names none.
//!
//! A hook in a write is synchronous and gets the transaction. It reads and writes rows of its own shelves and asks the
//! kernel for records, never the other way round.

use std::sync::Arc;

use futures::future::BoxFuture;
use loci_model::job::{Job, JobKind};
use loci_model::{RecordId, Result, Timestamp};

use crate::Engine;
use crate::jobs::Ended;

/// A product: what it adds to the kernel, by kind of hook.
#[derive(Clone, Default)]
pub struct Product {
    /// The name in logs and errors.
    pub name: &'static str,
    /// Handlers of the product's kinds of jobs.
    pub jobs: Vec<Arc<dyn JobHandler>>,
}

/// The products of an engine, in the order of their registration.
#[derive(Clone, Default)]
pub struct Products(Arc<[Product]>);

impl Products {
    /// Returns the products in this order.
    pub fn new(products: Vec<Product>) -> Self {
        Self(products.into())
    }

    pub(crate) fn jobs(&self) -> impl Iterator<Item = &Arc<dyn JobHandler>> {
        self.0.iter().flat_map(|product| &product.jobs)
    }
}

/// A handler of one kind of job. A job that runs twice does its work once.
pub trait JobHandler: Send + Sync {
    /// The kind.
    fn kind(&self) -> JobKind;

    /// What holds for all jobs of the kind.
    fn policy(&self) -> JobPolicy {
        JobPolicy::default()
    }

    /// Returns true for a job that this handler runs; two handlers may share a kind and part it by its keys.
    fn handles(&self, job: &Job) -> bool {
        job.kind == self.kind()
    }

    /// Runs the job.
    fn run<'a>(&'a self, engine: &'a Engine, job: &'a Job) -> BoxFuture<'a, Result<Ended>>;

    /// Returns the records that the job made of an answer which a caller's model gave since then; `None`: those that are
    /// found by the job's strategy, actor and session.
    fn pulled_records<'a>(
        &'a self,
        _engine: &'a Engine,
        _job: &'a Job,
        _since: Timestamp,
    ) -> Option<BoxFuture<'a, Result<Vec<RecordId>>>> {
        None
    }
}

/// What holds for all jobs of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobPolicy {
    /// Jobs of the kind make something to find: a caller that waits for records waits for them.
    pub is_awaited: bool,
    /// The end of a job is reported to the webhooks of the settings.
    pub is_reported: bool,
    /// A job is given up after a few tries, whatever failed, and is a dead letter then. Others are tried again for as long
    /// as a part of the server is out of service.
    pub has_few_tries: bool,
}
