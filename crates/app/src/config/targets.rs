//! `[[target]]` and `[[webhook]]`: targets of notifications, and webhooks for the ends of jobs. The
//! configuration contains the names of variables with secrets, never secrets.

use std::fmt;

use anyhow::{Result, anyhow, bail};
use loci_engine::settings::JobWebhook;
use loci_model::job::JobState;
use loci_model::limits;
use loci_outbound::guard::{self, Rules};
use loci_outbound::redact;
use loci_outbound::request::AddressOrigin;
use loci_outbound::targets::Address;
use serde::{Deserialize, Serialize};

use super::outbound::OutboundSection;

/// The end states of jobs that webhooks report.
const ENDS: [JobState; 2] = [JobState::Done, JobState::Failed];

/// `[[target]]`
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    /// An ARN, a bucket, or a name as in clients and `[[webhook]]`.
    pub name: String,
    /// `https://…`, `file:///folder`, `file:///folder/name.jsonl`, `s3://bucket/prefix` or
    /// `kinesis://stream`.
    pub url: String,
    /// The variable with the secret that signs notifications.
    pub secret_env: Option<String>,
    /// The address of the service, for `s3` and `kinesis`. Absent means AWS.
    pub endpoint: Option<String>,
    /// The region, for `s3` and `kinesis`.
    pub region: Option<String>,
    /// The variable with the access key, for `s3` and `kinesis`.
    pub access_key_env: Option<String>,
    /// The variable with the secret key, for `s3` and `kinesis`.
    pub secret_key_env: Option<String>,
    /// The variable with the token of temporary credentials, for `s3` and `kinesis`.
    pub session_token_env: Option<String>,
    /// True if the path contains the bucket, for `s3`.
    #[serde(default)]
    pub path_style: bool,
    /// True if the service supports conditional writes, for mirrors in `s3`.
    #[serde(default = "yes")]
    pub conditional_writes: bool,
}

/// `[[webhook]]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookEntry {
    /// The `[[target]]` that receives the notifications.
    pub target: String,
    /// The reported events: `job.done`, `job.failed`.
    pub on: Vec<String>,
    /// Only the memory of this name. Absent means all.
    pub memory: Option<String>,
}

const fn yes() -> bool {
    true
}

impl TargetEntry {
    /// Returns the address of the target.
    pub fn address(&self) -> Result<Address> {
        Address::parse(&self.url).map_err(|error| anyhow!("[[target]] {}: {}", self.name, error.message))
    }

    /// Returns its displayable address.
    pub(super) fn place(&self) -> String {
        // The address parser would rewrite the paths of files.
        if self.url.starts_with("http") { redact::place(&self.url) } else { self.url.clone() }
    }

    /// Checks that its address and its endpoint may be called.
    fn check_addresses(&self, outbound: &OutboundSection) -> Result<()> {
        let rules = Rules { reach: AddressOrigin::Configured, allow_metadata: outbound.allow_metadata };
        let web = match self.address()? {
            Address::Web(url) => Some(("url", url)),
            Address::Folder(_) | Address::Lines(_) | Address::Bucket { .. } | Address::Stream(_) => None,
        };
        let endpoint = self.endpoint.clone().map(|endpoint| ("endpoint", endpoint));
        for (member, text) in web.into_iter().chain(endpoint) {
            if let Err(why) = guard::address(&text, rules) {
                bail!(
                    "[[target]] {}: its {member} must be a URL like https://hooks.example.org/x, without user and password, and none of cloud metadata ({})",
                    self.name,
                    why.as_str()
                );
            }
            if member == "endpoint" && text.contains(['?', '#']) {
                bail!("[[target]] {}: its endpoint must have no query", self.name);
            }
        }
        Ok(())
    }
}

impl fmt::Debug for TargetEntry {
    /// Prints no queries of addresses, which may contain keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TargetEntry")
            .field("name", &self.name)
            .field("url", &self.place())
            .finish_non_exhaustive()
    }
}

impl WebhookEntry {
    /// Returns the webhook as a type of the engine.
    pub(super) fn engine(&self) -> JobWebhook {
        let state = |word: &String| {
            word.strip_prefix("job.").and_then(JobState::parse).filter(|state| ENDS.contains(state))
        };
        JobWebhook {
            target: self.target.clone(),
            on: self.on.iter().filter_map(state).collect(),
            memory: self.memory.clone(),
        }
    }
}

/// Checks the entries.
pub(super) fn check(
    targets: &[TargetEntry],
    webhooks: &[WebhookEntry],
    outbound: &OutboundSection,
) -> Result<()> {
    if targets.len() > limits::TARGETS_MAX {
        bail!("there may be at most {} [[target]]", limits::TARGETS_MAX);
    }
    for (number, target) in targets.iter().enumerate() {
        let name = &target.name;
        if targets.iter().take(number).any(|other| other.name == *name) {
            bail!("[[target]] {name} is there twice");
        }
        target.check_addresses(outbound)?;
        let is_of_aws = match target.address()? {
            Address::Bucket { .. } | Address::Stream(_) => true,
            Address::Web(_) | Address::Folder(_) | Address::Lines(_) => false,
        };
        let of_aws = [
            &target.endpoint,
            &target.region,
            &target.access_key_env,
            &target.secret_key_env,
            &target.session_token_env,
        ];
        if !is_of_aws && (target.path_style || of_aws.iter().any(|member| member.is_some())) {
            bail!(
                "[[target]] {name}: endpoint, region, the keys, session_token_env and path_style are for s3 and kinesis"
            );
        }
        if is_of_aws && target.endpoint.is_none() && target.region.is_none() {
            bail!("[[target]] {name}: give its region, or the endpoint of a service of your own");
        }
        if target.access_key_env.is_some() != target.secret_key_env.is_some() {
            bail!("[[target]] {name}: access_key_env and secret_key_env belong together");
        }
        if target.session_token_env.is_some() && target.access_key_env.is_none() {
            bail!("[[target]] {name}: session_token_env needs access_key_env and secret_key_env");
        }
    }
    for webhook in webhooks {
        if !targets.iter().any(|target| target.name == webhook.target) {
            bail!("[[webhook]] names no [[target]]: {}", webhook.target);
        }
        if webhook.on.is_empty() || webhook.engine().on.len() != webhook.on.len() {
            bail!("[[webhook]] on must be a list of job.done, job.failed");
        }
    }
    Ok(())
}
