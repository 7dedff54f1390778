//! `[telemetry]`: traces for a collector.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// `[telemetry]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetrySection {
    /// A collector of OTLP over HTTP; absent: none.
    pub otlp_endpoint: Option<String>,
    /// Questions and records may be in traces.
    pub capture_content: bool,
    /// Variable that holds headers for the collector, as `name=value,…`.
    pub headers_env: Option<String>,
}

impl TelemetrySection {
    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if *self != Self::default() {
            bail!("this version sends no traces: leave [telemetry] as it is");
        }
        Ok(())
    }
}
