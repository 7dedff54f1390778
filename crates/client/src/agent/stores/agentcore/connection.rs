//! The connection to an AgentCore server: its endpoint, credentials and clock. The SDK client is
//! built from the given values, else from the environment. Credential files and metadata services
//! are not read. Callers that need them pass their own client.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_bedrockagentcore::config::retry::RetryConfig;
use aws_sdk_bedrockagentcore::config::timeout::TimeoutConfig;
use aws_sdk_bedrockagentcore::config::{
    AsyncSleep, BehaviorVersion, Config, Credentials, Region, Sleep, StalledStreamProtectionConfig,
};
use aws_smithy_async::time::TimeSource;
use futures::future::BoxFuture;

use super::AgentCoreClient;
use super::http_client::Http;
use super::limits::{AGENTCORE_ATTEMPT_MS_MAX, AGENTCORE_ATTEMPTS_MAX};
use crate::agent::error::MemoryError;
use crate::agent::runtime::{Clock, SystemClock};

/// A function that returns the value of an environment variable.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The AWS region if neither the caller nor the environment specifies one.
const REGION_DEFAULT: &str = "us-west-2";
/// The provider name that the SDK shows for credentials from this crate.
const PROVIDER: &str = "loci";

/// An AgentCore server and the credentials for it.
///
/// Values that are `None` come from the environment: `AWS_ENDPOINT_URL_BEDROCK_AGENTCORE`, else
/// `AWS_ENDPOINT_URL`, else the service of the region; `AWS_REGION`, else `us-west-2`;
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. A blank variable counts as
/// absent.
///
/// ```
/// use loci_client::agent::stores::agentcore::{AgentCoreConnection, AgentCoreCredentials};
///
/// let credentials = AgentCoreCredentials::new("AKIAEXAMPLE", "secret", None, None, "example");
/// let loci = AgentCoreConnection {
///     endpoint: Some("http://127.0.0.1:8411".to_owned()),
///     credentials: Some(credentials),
///     ..AgentCoreConnection::system()
/// };
/// # let _ = loci;
/// ```
#[derive(Clone)]
pub struct AgentCoreConnection {
    /// A ready SDK client. If it is given, only the clock of the other fields is used.
    pub client: Option<AgentCoreClient>,
    /// The URL of the server.
    pub endpoint: Option<String>,
    /// The AWS region of the service.
    pub region: Option<String>,
    /// The AWS credentials.
    pub credentials: Option<Credentials>,
    /// The function that returns environment variables, for the values that are `None`.
    pub environment: Environment,
    /// The clock for signatures, for waits between attempts, and for events whose messages have no
    /// time.
    pub clock: Arc<dyn Clock>,
}

impl AgentCoreConnection {
    /// Creates a connection from an environment only.
    pub fn new(environment: Environment, clock: Arc<dyn Clock>) -> Self {
        Self { client: None, endpoint: None, region: None, credentials: None, environment, clock }
    }

    /// Creates a connection from the environment of this process, with the system clock.
    pub fn system() -> Self {
        Self::new(process_environment(), Arc::new(SystemClock))
    }

    /// Creates a connection from a ready client, with the system clock.
    pub fn of_client(client: AgentCoreClient) -> Self {
        Self { client: Some(client), ..Self::system() }
    }

    /// Returns the given SDK client, or builds one from the endpoint, region and credentials.
    ///
    /// # Errors
    /// If neither the caller nor the environment provides credentials.
    pub(super) fn client(&self) -> Result<AgentCoreClient, MemoryError> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let attempt = Duration::from_millis(AGENTCORE_ATTEMPT_MS_MAX);
        let mut config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(self.region()))
            .credentials_provider(self.credentials()?)
            .http_client(Http::new()?)
            .retry_config(RetryConfig::standard().with_max_attempts(AGENTCORE_ATTEMPTS_MAX))
            .timeout_config(TimeoutConfig::builder().operation_attempt_timeout(attempt).build())
            // Bodies are complete before they are sent and before they are read; the attempt
            // timeout limits them.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .time_source(SdkClock(Arc::clone(&self.clock)))
            .sleep_impl(SdkClock(Arc::clone(&self.clock)));
        config.set_endpoint_url(self.endpoint());
        Ok(AgentCoreClient::from_conf(config.build()))
    }

    fn region(&self) -> String {
        let region = given(self.region.as_ref()).or_else(|| self.variable("AWS_REGION"));
        region.unwrap_or_else(|| REGION_DEFAULT.to_owned())
    }

    /// Returns the URL of the server. `None` means the service of the region.
    fn endpoint(&self) -> Option<String> {
        given(self.endpoint.as_ref())
            .or_else(|| self.variable("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE"))
            .or_else(|| self.variable("AWS_ENDPOINT_URL"))
    }

    fn credentials(&self) -> Result<Credentials, MemoryError> {
        if let Some(credentials) = &self.credentials {
            return Ok(credentials.clone());
        }
        let pair = self.variable("AWS_ACCESS_KEY_ID").zip(self.variable("AWS_SECRET_ACCESS_KEY"));
        let Some((id, secret)) = pair else {
            return Err(MemoryError::Configuration(
                "AgentCoreMemoryStore: there are no credentials: give credentials or a client, or set AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY"
                    .to_owned(),
            ));
        };
        Ok(Credentials::new(id, secret, self.variable("AWS_SESSION_TOKEN"), None, PROVIDER))
    }

    fn variable(&self, name: &str) -> Option<String> {
        given((self.environment)(name).as_ref())
    }
}

impl fmt::Debug for AgentCoreConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentCoreConnection")
            .field("client", &self.client.is_some())
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .field("credentials", &self.credentials.is_some())
            .finish_non_exhaustive()
    }
}

/// Returns a function that reads the environment of this process.
#[expect(clippy::disallowed_methods, reason = "the environment is one of the arguments a caller may give")]
pub fn process_environment() -> Environment {
    Arc::new(|name| std::env::var(name).ok())
}

fn given(text: Option<&String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).cloned()
}

/// The clock of this crate, as the SDK requires it.
struct SdkClock(Arc<dyn Clock>);

impl fmt::Debug for SdkClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SdkClock")
    }
}

impl TimeSource for SdkClock {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(u64::try_from(self.0.now_ms()).unwrap_or(0))
    }
}

impl AsyncSleep for SdkClock {
    fn sleep(&self, duration: Duration) -> Sleep {
        let sleep = self.0.sleep(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
        Sleep::new(Shareable(Mutex::new(sleep)))
    }
}

/// A future that threads may share, as the SDK requires. The mutex is never locked.
struct Shareable(Mutex<BoxFuture<'static, ()>>);

impl Future for Shareable {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const KEYS: [(&str, &str); 2] =
        [("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"), ("AWS_SECRET_ACCESS_KEY", "s3cret")];

    fn connection(variables: &[(&'static str, &'static str)]) -> AgentCoreConnection {
        let variables: BTreeMap<_, _> = variables.iter().copied().collect();
        let environment: Environment =
            Arc::new(move |name| variables.get(name).map(|&value| value.to_owned()));
        AgentCoreConnection::new(environment, Arc::new(SystemClock))
    }

    #[test]
    fn regions() {
        let check = |given: Option<&str>, variables: &[(&'static str, &'static str)], expect: &str| {
            let given = given.map(str::to_owned);
            let connection = AgentCoreConnection { region: given, ..connection(variables) };
            assert_eq!(connection.region(), expect);
        };
        check(Some("eu-west-1"), &[("AWS_REGION", "us-east-1")], "eu-west-1");
        check(None, &[("AWS_REGION", "us-east-1")], "us-east-1");
        check(Some(" "), &[("AWS_REGION", "")], "us-west-2");
        check(None, &[], "us-west-2");
    }

    #[test]
    fn endpoints() {
        let check =
            |given: Option<&str>, variables: &[(&'static str, &'static str)], expect: Option<&str>| {
                let given = given.map(str::to_owned);
                let connection = AgentCoreConnection { endpoint: given, ..connection(variables) };
                assert_eq!(connection.endpoint().as_deref(), expect);
            };
        let all = ("AWS_ENDPOINT_URL", "http://all");
        let ours = ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", "http://ours");
        check(Some("http://own"), &[all, ours], Some("http://own"));
        check(None, &[all, ours], Some("http://ours"));
        check(None, &[all], Some("http://all"));
        check(None, &[("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", " "), all], Some("http://all"));
        check(None, &[], None);
    }

    #[test]
    fn credentials() {
        let check = |variables: &[(&'static str, &'static str)], expect: Option<(&str, Option<&str>)>| {
            let got = connection(variables).credentials();
            let got = got.as_ref().ok().map(|found| (found.access_key_id(), found.session_token()));
            assert_eq!(got, expect);
        };
        check(&KEYS, Some(("AKIAEXAMPLE", None)));
        check(&[&KEYS[..], &[("AWS_SESSION_TOKEN", "t")]].concat(), Some(("AKIAEXAMPLE", Some("t"))));
        check(&KEYS[..1], None);
        check(&[], None);
        let error = connection(&[]).client().unwrap_err().to_string();
        assert!(
            error.starts_with("AgentCoreMemoryStore: there are no credentials: give credentials"),
            "{error}"
        );
        let explicit = AgentCoreConnection {
            credentials: Some(Credentials::new("own", "s3cret", None, None, "test")),
            ..connection(&KEYS)
        };
        assert_eq!(explicit.credentials().unwrap().access_key_id(), "own");
        assert!(!format!("{explicit:?}").contains("s3cret"));
    }

    #[test]
    fn a_client_that_is_given_wins() {
        let other = AgentCoreConnection { region: Some("eu-west-1".into()), ..connection(&KEYS) };
        let given = AgentCoreConnection { client: Some(other.client().unwrap()), ..connection(&[]) };
        let client = given.client().unwrap();
        assert_eq!(client.config().region().map(AsRef::as_ref), Some("eu-west-1"));
    }
}
