//! In the place of traces where the feature `otel` is off: nothing is queued and nothing sent. The configuration has
//! refused `[telemetry]` by then.

use std::sync::Arc;

use anyhow::Result;
use loci_model::ports::clock::Clock;
use loci_model::ports::ids::IdSource;
use loci_model::ports::observe::Observe;
use loci_outbound::request::Transport;

use crate::config::Config;
use crate::config::environment::Environment;

/// No traces.
#[derive(Debug, Default)]
pub struct TracesPlan(());

impl TracesPlan {
    /// What a configuration says.
    ///
    /// # Errors
    /// None.
    pub fn read(_: &Config, _: &Environment) -> Result<Self> {
        Ok(Self(()))
    }

    /// True.
    pub fn is_quiet(&self) -> bool {
        true
    }

    /// Passes on what is counted.
    pub fn begin(self, metrics: Arc<dyn Observe>, _: &Arc<dyn Clock>, _: &Arc<dyn IdSource>) -> Traces {
        Traces(metrics)
    }
}

/// Metrics alone.
pub struct Traces(Arc<dyn Observe>);

impl Traces {
    /// What the process tells.
    pub fn observe(&self) -> Arc<dyn Observe> {
        Arc::clone(&self.0)
    }

    /// Nothing to send.
    ///
    /// # Errors
    /// None.
    pub fn send_over(self, _: &Arc<dyn Transport>) -> Result<Self> {
        Ok(self)
    }

    /// Nothing to end.
    pub async fn end(&self) {}
}
