//! Hooks on background work: a product's part of the sweep, which removes outdated data, and
//! loops that run in parallel to jobs.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::BoxFuture;
use loci_model::{Result, Timestamp};

use super::Products;
use crate::Engine;

/// A product's part of the sweep, which removes outdated data. One server of a store runs the
/// sweep about once a minute, so each run must use small writes and do a bounded amount of work.
pub trait Sweep: Send + Sync {
    /// Returns the name of the data that this sweep removes, for the log.
    fn name(&self) -> &'static str;

    /// Runs the sweep once.
    fn run<'a>(&'a self, engine: &'a Engine, now: Timestamp) -> BoxFuture<'a, Result<()>>;
}

/// A product's loop that runs in parallel to jobs until the server stops.
pub trait BackgroundLoop: Send + Sync {
    /// Runs the loop until [`RunnerState::is_stopping`] returns true.
    fn run<'a>(&'a self, engine: &'a Engine, runner: &'a RunnerState) -> BoxFuture<'a, ()>;
}

/// The state of the job runner of this process, for background loops.
#[derive(Debug, Default)]
pub struct RunnerState {
    stopping: AtomicBool,
    hosting: AtomicBool,
}

impl RunnerState {
    /// Returns true when background loops must end.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Returns true while this process may run jobs and sweeps of the store.
    pub fn is_hosting(&self) -> bool {
        self.hosting.load(Ordering::Relaxed)
    }

    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_hosting(&self, hosting: bool) {
        self.hosting.store(hosting, Ordering::Relaxed);
    }
}

impl Products {
    pub(crate) fn sweeps(&self) -> impl Iterator<Item = &dyn Sweep> {
        self.0.iter().flat_map(|product| &product.sweeps).map(AsRef::as_ref)
    }

    pub(crate) fn loops(&self) -> impl Iterator<Item = &dyn BackgroundLoop> {
        self.0.iter().flat_map(|product| &product.loops).map(AsRef::as_ref)
    }
}
