//! `[outbound]`: how this server calls others.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// `[outbound]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutboundSection {
    /// A connection is given up after this long.
    pub connect_ms: u64,
    /// A request is given up after this long.
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
        Self { connect_ms: 2_000, timeout_ms: 60_000, retries_max: 2, proxy: None, allow_metadata: false }
    }
}

impl OutboundSection {
    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if *self != Self::default() {
            bail!("this version calls no other server: leave [outbound] as it is");
        }
        Ok(())
    }
}
