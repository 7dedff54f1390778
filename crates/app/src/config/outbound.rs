//! `[outbound]`: how this server calls others.

use anyhow::{Result, bail};
use loci_outbound::client::OutboundOptions;
use loci_outbound::guard::{Rules, address};
use loci_outbound::request::Reach;
use serde::{Deserialize, Serialize};

/// No request waits longer than ten minutes.
const TIME_MS_MAX: u64 = 600_000;
/// Repeats of one request.
const RETRIES_MAX: u32 = 10;

/// `[outbound]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutboundSection {
    /// A connection is given up after this long.
    pub connect_ms: u64,
    /// A request is given up after this long, unless its `[[model]]` or `[[embedder]]` says otherwise.
    pub timeout_ms: u64,
    /// A request is repeated so often at most.
    pub retries_max: u32,
    /// A proxy; absent: none, whatever the environment says.
    pub proxy: Option<String>,
    /// Addresses of cloud metadata may be called.
    pub allow_metadata: bool,
}

impl Default for OutboundSection {
    fn default() -> Self {
        let OutboundOptions { connect_ms, timeout_ms, retries_max, proxy, allow_metadata, .. } =
            OutboundOptions::default();
        Self { connect_ms, timeout_ms, retries_max, proxy, allow_metadata }
    }
}

impl OutboundSection {
    /// The policy's numbers.
    pub fn options(&self) -> OutboundOptions {
        OutboundOptions {
            connect_ms: self.connect_ms,
            timeout_ms: self.timeout_ms,
            retries_max: self.retries_max,
            proxy: self.proxy.clone().filter(|proxy| !proxy.is_empty()),
            allow_metadata: self.allow_metadata,
            ..OutboundOptions::default()
        }
    }

    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if !(1..=TIME_MS_MAX).contains(&self.connect_ms) || !(1..=TIME_MS_MAX).contains(&self.timeout_ms) {
            bail!("outbound.connect_ms and outbound.timeout_ms must be 1 to {TIME_MS_MAX}");
        }
        if self.retries_max > RETRIES_MAX {
            bail!("outbound.retries_max must be at most {RETRIES_MAX}");
        }
        let rules = Rules { reach: Reach::Configured, allow_metadata: true };
        let proxy = self.proxy.as_deref().filter(|proxy| !proxy.is_empty());
        if let Some(Err(why)) = proxy.map(|proxy| address(proxy, rules)) {
            bail!(
                "outbound.proxy must be a URL like http://proxy:3128, without user and password ({})",
                why.as_str()
            );
        }
        Ok(())
    }
}
