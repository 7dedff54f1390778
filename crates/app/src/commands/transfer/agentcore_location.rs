//! The location of a memory behind AgentCore's wire, for import and export: endpoint, region and
//! credentials, from flags and from the variables that AWS's own tools read. Profiles, SSO and
//! instance roles are not read.

use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use loci_client::formats::agentcore::{Parts, WireError};
use loci_model::ports::observe::NoObserver;
use loci_outbound::client::{Outbound, OutboundOptions, OutboundParts};
use loci_outbound::guard::{self, Rules};
use loci_outbound::request::AddressOrigin;
use loci_outbound::secret::Secret;
use loci_outbound::sign_v4::Signer;

use crate::adapters::{AgentCoreWire, Halves, RandomIds, SERVICE, SystemClock};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::config::load;
use crate::exit::{NotFound, Usage};

/// The maximum number of bytes of one answer. If a page is larger, the request is repeated for a
/// smaller page.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// The default number of retries of a throttled call. Pauses double up to 30 s.
const RETRIES: u32 = 5;
/// The region in signatures for servers other than Amazon's.
const REGION: &str = "us-east-1";
/// The environment variables of AWS's tools. This one contains the endpoint.
const ENDPOINT: &str = "AWS_ENDPOINT_URL";
const ENDPOINT_DATA: &str = "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE";
const ENDPOINT_CONTROL: &str = "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL";

/// A part of a memory that is imported or exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TransferPart {
    /// The events
    Events,
    /// The records
    Records,
}

/// The location of a memory of the format agentcore
#[derive(Debug, Args)]
pub(crate) struct AgentCoreLocation {
    /// agentcore: the server [default: AWS_ENDPOINT_URL…, else Amazon's of the region]
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// agentcore: the region [default: AWS_REGION]
    #[arg(long)]
    region: Option<String>,
    /// agentcore: the transferred parts; with events only, strategies of the target extract records
    /// from them
    #[arg(long, value_delimiter = ',', value_name = "PARTS")]
    parts: Vec<TransferPart>,
}

/// A memory behind the AgentCore wire, with the connection to it.
pub(crate) struct RemoteMemory {
    /// The id or the ARN of the memory.
    pub(crate) memory: String,
    /// The parts of the memory that are imported or exported.
    pub(crate) parts: Parts,
    /// The connection.
    pub(crate) wire: AgentCoreWire,
}

impl AgentCoreLocation {
    /// Rejects these options for formats without a remote location.
    pub(crate) fn ensure_unused(&self) -> Result<()> {
        if self.endpoint.is_none() && self.region.is_none() && self.parts.is_empty() {
            return Ok(());
        }
        let rule = "--endpoint, --region and --parts go with --format agentcore; leave them out";
        Err(Usage(rule.to_owned()).into())
    }

    /// Returns the connection to a memory.
    pub(crate) fn resolve(
        &self,
        memory: &str,
        globals: &Globals,
        environment: &Environment,
    ) -> Result<RemoteMemory> {
        let config = load(globals.config.as_deref(), environment)?;
        let region = self.region(memory, environment);
        let (data, control) = (
            self.address("bedrock-agentcore", ENDPOINT_DATA, region.as_deref(), environment)?,
            self.address("bedrock-agentcore-control", ENDPOINT_CONTROL, region.as_deref(), environment)?,
        );
        let signer = signer(environment, region.as_deref().unwrap_or(REGION))?;
        if signer.is_none() && (data.is_amazons || control.is_amazons) {
            let rule = "Amazon wants credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN \
                        where they are temporary; or name another server with --endpoint";
            return Err(Usage(rule.to_owned()).into());
        }
        let configured = config.outbound.options();
        let options = OutboundOptions {
            body_bytes_max: ANSWER_BYTES_MAX,
            retries_max: configured.retries_max.max(RETRIES),
            ..configured
        };
        let parts = OutboundParts::new(
            Arc::new(SystemClock::new()),
            Arc::new(RandomIds::new()?),
            Arc::new(NoObserver),
        );
        let outbound = Outbound::new(options, parts).map_err(|error| anyhow::anyhow!("{}", error.message))?;
        let takes = |part: TransferPart| self.parts.is_empty() || self.parts.contains(&part);
        Ok(RemoteMemory {
            memory: memory.to_owned(),
            parts: Parts { events: takes(TransferPart::Events), records: takes(TransferPart::Records) },
            wire: AgentCoreWire {
                transport: Arc::new(outbound),
                data: data.url,
                control: control.url,
                signer,
                halves: Halves::default(),
            },
        })
    }

    /// Returns the region from the flag, a variable, or the memory's ARN.
    fn region(&self, memory: &str, environment: &Environment) -> Option<String> {
        let of_arn = || memory.starts_with("arn:").then(|| memory.split(':').nth(3)).flatten();
        let said = self.region.as_deref().or_else(|| environment.get("AWS_REGION"));
        said.or_else(|| environment.get("AWS_DEFAULT_REGION")).or_else(of_arn).map(str::to_owned)
    }

    fn address(
        &self,
        host: &str,
        variable: &str,
        region: Option<&str>,
        environment: &Environment,
    ) -> Result<Address> {
        let said = self.endpoint.as_deref().or_else(|| environment.get(variable));
        if let Some(url) = said.or_else(|| environment.get(ENDPOINT)) {
            let rules = Rules { reach: AddressOrigin::Configured, allow_metadata: false };
            if guard::address(url, rules).is_err() || url.contains(['?', '#']) {
                let rule = format!("the endpoint of {host} must be a URL like http://127.0.0.1:8411");
                return Err(Usage(rule).into());
            }
            return Ok(Address { url: url.trim_end_matches('/').to_owned(), is_amazons: false });
        }
        let rule = "say --endpoint URL, or the --region whose memory of Amazon is meant";
        let region = region.filter(|region| is_region(region)).ok_or_else(|| Usage(rule.to_owned()))?;
        let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        Ok(Address { url: format!("https://{host}.{region}.{suffix}"), is_amazons: true })
    }
}

/// The endpoint URL of the data plane or the control plane.
struct Address {
    url: String,
    is_amazons: bool,
}

fn is_region(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Returns the signer. `None` if no key is set.
fn signer(environment: &Environment, region: &str) -> Result<Option<Signer>> {
    let key = environment.get("AWS_ACCESS_KEY_ID").map(str::to_owned);
    let secret = environment.secret("AWS_SECRET_ACCESS_KEY").map(Secret::new);
    let session_token = environment.secret("AWS_SESSION_TOKEN").map(Secret::new);
    match (key, secret) {
        (Some(access_key), Some(secret)) => {
            let region = region.to_owned();
            Ok(Some(Signer { access_key, secret, session_token, region, service: SERVICE }))
        }
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => {
            let rule = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together: set both, or neither";
            Err(Usage(rule.to_owned()).into())
        }
    }
}

/// Converts an error of the wire to one of a command.
pub(crate) fn refusal(error: WireError) -> anyhow::Error {
    match error {
        WireError::Refused { status: 404, .. } => NotFound(format!("there: {error}")).into(),
        error => anyhow::Error::from(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(endpoint: Option<&str>, region: Option<&str>) -> AgentCoreLocation {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        AgentCoreLocation { endpoint: owned(endpoint), region: owned(region), parts: Vec::new() }
    }

    #[test]
    fn addresses_of_both_planes() {
        let check = |place: &AgentCoreLocation,
                     memory: &str,
                     variables: &[(&str, &str)],
                     expect: [&str; 2]| {
            let environment = Environment::of(variables);
            let region = place.region(memory, &environment);
            let one = |host: &str, variable: &str| {
                let found = place.address(host, variable, region.as_deref(), &environment);
                found.map_or_else(|error| error.to_string(), |address| address.url)
            };
            let found =
                [one("bedrock-agentcore", ENDPOINT_DATA), one("bedrock-agentcore-control", ENDPOINT_CONTROL)];
            assert_eq!(found, expect);
        };
        let here = "http://127.0.0.1:8411";
        check(&place(Some("http://127.0.0.1:8411/"), None), "m", &[], [here, here]);
        check(&place(None, None), "m", &[(ENDPOINT, here)], [here, here]);
        let amazons = [
            "https://bedrock-agentcore.eu-west-1.amazonaws.com",
            "https://bedrock-agentcore-control.eu-west-1.amazonaws.com",
        ];
        check(&place(None, Some("eu-west-1")), "m", &[("AWS_REGION", "us-east-1")], amazons);
        check(&place(None, None), "m", &[("AWS_DEFAULT_REGION", "eu-west-1")], amazons);
        check(&place(None, None), "arn:aws:bedrock-agentcore:eu-west-1:123456789012:memory/m", &[], amazons);
        check(&place(None, Some("eu-west-1")), "m", &[(ENDPOINT_DATA, here)], [here, amazons[1]]);
        let china = [
            "https://bedrock-agentcore.cn-north-1.amazonaws.com.cn",
            "https://bedrock-agentcore-control.cn-north-1.amazonaws.com.cn",
        ];
        check(&place(None, Some("cn-north-1")), "m", &[], china);
        let none = "say --endpoint URL, or the --region whose memory of Amazon is meant";
        check(&place(None, None), "m", &[], [none, none]);
        check(&place(None, Some("evil.example/")), "m", &[], [none, none]);
    }

    #[test]
    fn credentials_go_in_pairs() {
        let check = |variables: &[(&str, &str)], expect: Option<bool>| {
            let found = signer(&Environment::of(variables), "eu-west-1");
            assert_eq!(found.ok().map(|signer| signer.is_some()), expect, "{variables:?}");
        };
        check(&[], Some(false));
        check(&[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")], Some(true));
        check(&[("AWS_ACCESS_KEY_ID", "a")], None);
        check(&[("AWS_SECRET_ACCESS_KEY", "b")], None);
    }
}
