//! `[outbound]`: the outgoing calls of this server.

use anyhow::{Result, bail};
use loci_outbound::client::OutboundOptions;
use loci_outbound::guard::{Rules, address};
use loci_outbound::request::AddressOrigin;
use serde::{Deserialize, Serialize};

/// The maximum time limit in milliseconds.
const TIME_MS_MAX: u64 = 600_000;
/// The maximum number of retries.
const RETRIES_MAX: u32 = 10;

/// `[outbound]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutboundSection {
    /// The time limit of a connection attempt in milliseconds.
    pub connect_ms: u64,
    /// The time limit of a request in milliseconds, unless its `[[model]]` or `[[embedder]]`
    /// overrides it.
    pub timeout_ms: u64,
    /// The maximum number of retries of a request.
    pub retries_max: u32,
    /// A proxy. Absent means none, regardless of the environment.
    pub proxy: Option<String>,
    /// True if addresses of cloud metadata may be called.
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
    /// Returns the options of the outbound policy.
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

    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        if !(1..=TIME_MS_MAX).contains(&self.connect_ms) || !(1..=TIME_MS_MAX).contains(&self.timeout_ms) {
            bail!("outbound.connect_ms and outbound.timeout_ms must be 1 to {TIME_MS_MAX}");
        }
        if self.retries_max > RETRIES_MAX {
            bail!("outbound.retries_max must be at most {RETRIES_MAX}");
        }
        let rules = Rules { reach: AddressOrigin::Configured, allow_metadata: true };
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
