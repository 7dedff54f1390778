//! Hooks on background work: parts of the sweep, and loops that run in parallel to the jobs.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::BoxFuture;
use loci_model::{Result, Timestamp};

use super::Products;
use crate::Engine;

/// A part of the sweep, which one server of a store runs about once a minute. It uses small writes
/// and a bounded amount of work.
pub trait Sweep: Send + Sync {
    /// Returns the name of the swept data, for the log.
    fn name(&self) -> &'static str;

    /// Runs the sweep.
    fn run<'a>(&'a self, engine: &'a Engine, now: Timestamp) -> BoxFuture<'a, Result<()>>;
}

/// A loop that runs in parallel to the jobs until the runner stops.
pub trait BackgroundLoop: Send + Sync {
    /// Runs until [`RunnerState::is_stopping`].
    fn run<'a>(&'a self, engine: &'a Engine, runner: &'a RunnerState) -> BoxFuture<'a, ()>;
}

/// The state of a process's runner for its loops.
#[derive(Debug, Default)]
pub struct RunnerState {
    stopping: AtomicBool,
    hosting: AtomicBool,
}

impl RunnerState {
    /// Returns true when loops must end.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Returns true while this process is a host of the store.
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
