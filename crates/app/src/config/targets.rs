//! `[[target]]` and `[[webhook]]`: where notifications go, and who is told of the ends of jobs. Secrets are named by the
//! variables that hold them, never written down.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// `[[target]]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    /// An ARN, a bucket, or a name as clients and `[[webhook]]` use it.
    pub name: String,
    /// `https://…`, `file:///folder`, `s3://bucket/prefix` or `kinesis://stream`.
    pub url: String,
    /// Variable that holds the secret by which notifications are signed.
    pub secret_env: Option<String>,
    /// Where the service is, for `s3` and `kinesis`; absent: AWS.
    pub endpoint: Option<String>,
    /// Region, for `s3` and `kinesis`.
    pub region: Option<String>,
    /// Variable that holds the access key, for `s3` and `kinesis`.
    pub access_key_env: Option<String>,
    /// Variable that holds the secret key, for `s3` and `kinesis`.
    pub secret_key_env: Option<String>,
    /// The bucket is in the path, for `s3`.
    #[serde(default)]
    pub path_style: bool,
}

/// `[[webhook]]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookEntry {
    /// The `[[target]]` that is told.
    pub target: String,
    /// Of these: `job.done`, `job.failed`.
    pub on: Vec<String>,
    /// Only of the memory of this name; absent: of all.
    pub memory: Option<String>,
}

/// What the entries must be.
pub(super) fn check(targets: &[TargetEntry], webhooks: &[WebhookEntry]) -> Result<()> {
    if !targets.is_empty() || !webhooks.is_empty() {
        bail!("this version sends no notification: leave [[target]] and [[webhook]] out");
    }
    Ok(())
}
