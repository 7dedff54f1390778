//! The HTTP sender: sends one request under the policy, and repeats it where that is safe and may
//! help.
//!
//! Redirects are returned as responses and not followed. Proxy settings of the environment are
//! ignored. TLS is rustls with ring and the root certificates of the operating system. Logs contain
//! only the origin of an address.

use std::error::Error as StdError;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::HeaderValue;
use http::header::ACCEPT;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::ids::IdSource;
use loci_model::ports::observe::Observe;
use loci_model::ports::trace::{self, SpanContext};
use loci_model::{Error, Result};
use reqwest::{Client, Proxy, Url};

use crate::guard::{self, Rules};
use crate::names::{GuardedNames, Lookup, Refusal, SystemNames};
use crate::redact::origin;
use crate::request::{
    AddressOrigin, AddressRefusal, OutboundAnswer, OutboundError, OutboundRequest, Retry, Transport,
};
use crate::retry::{asked_pause_ms, is_passing, jittered, may_pass};
use crate::sign_v4::Signing;

/// The maximum time added to a pause that a server requests, in milliseconds, so that rejected
/// clients do not all return at the same time.
const SPREAD_MS: u64 = 250;

/// The limits and settings for all outgoing requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundOptions {
    /// The connection timeout, in milliseconds.
    pub connect_ms: u64,
    /// The timeout of one attempt, in milliseconds, unless its request sets another one.
    pub timeout_ms: u64,
    /// The maximum size of a response body, in bytes. A larger response is an error.
    pub body_bytes_max: usize,
    /// The maximum number of repeated attempts of a request, after the first one.
    pub retries_max: u32,
    /// The longest pause before a repeated attempt, in milliseconds. If a server requests a longer
    /// pause, its response is returned at once.
    pub retry_wait_ms_max: u64,
    /// The value of the `User-Agent` header.
    pub user_agent: String,
    /// The URL of a proxy for all requests. `None` connects directly.
    pub proxy: Option<String>,
    /// True if the addresses in the configuration may be those of cloud metadata services.
    pub allow_metadata: bool,
}

impl Default for OutboundOptions {
    fn default() -> Self {
        Self {
            connect_ms: 2_000,
            timeout_ms: 60_000,
            body_bytes_max: 8 * 1024 * 1024,
            retries_max: 2,
            retry_wait_ms_max: 30_000,
            user_agent: concat!("loci/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxy: None,
            allow_metadata: false,
        }
    }
}

/// The ports that an [`Outbound`] uses.
#[derive(Clone)]
pub struct OutboundParts {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of random numbers for the jitter of pauses.
    pub ids: Arc<dyn IdSource>,
    /// The observer that counts rejected addresses.
    pub observe: Arc<dyn Observe>,
    /// The resolver of host names.
    pub names: Arc<dyn Lookup>,
}

impl OutboundParts {
    /// Creates the parts with the resolver of the operating system.
    pub fn new(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, observe: Arc<dyn Observe>) -> Self {
        Self { clock, ids, observe, names: Arc::new(SystemNames) }
    }
}

/// The sender of all outgoing HTTP requests. A process has one, because it shares open connections.
pub struct Outbound {
    /// The client for configured addresses. It is created at the first call, because it reads the
    /// certificates of the system, and most processes make no call.
    configured: OnceLock<Client>,
    /// The client for addresses that callers specify.
    public: OnceLock<Client>,
    options: OutboundOptions,
    parts: OutboundParts,
}

impl Outbound {
    /// Creates a sender.
    ///
    /// # Errors
    /// `Invalid` if the address of the proxy is invalid.
    pub fn new(options: OutboundOptions, parts: OutboundParts) -> Result<Self> {
        if let Some(proxy) = &options.proxy {
            Proxy::all(proxy).map_err(|_| {
                Error::invalid("outbound.proxy", "outbound.proxy must be a URL like http://proxy:3128")
            })?;
        }
        Ok(Self { configured: OnceLock::new(), public: OnceLock::new(), options, parts })
    }

    async fn run(&self, mut request: OutboundRequest) -> std::result::Result<OutboundAnswer, OutboundError> {
        let began = self.parts.clock.monotonic_us();
        let url = guard::address(&request.url, rules(&self.options, request.reach))
            .map_err(|why| self.noted(OutboundError::Refused(why)))?;
        self.check_for_proxy(&url, request.reach).await.map_err(|error| self.noted(error))?;
        let client = self.client(request.reach)?;
        let mut tries = 0;
        loop {
            tries += 1;
            self.sign(&mut request)?;
            let outcome = self.once(client, &url, &request).await;
            let may_repeat = request.retry == Retry::Safe && tries <= self.options.retries_max;
            if let Some(pause) = self.pause_ms(&outcome, tries).filter(|_| may_repeat) {
                self.parts.clock.sleep(pause).await;
                continue;
            }
            let elapsed_ms = self.parts.clock.monotonic_us().saturating_sub(began) / 1_000;
            let status = outcome.as_ref().ok().map(|answer| answer.status);
            tracing::debug!(origin = origin(&request.url), status, tries, elapsed_ms, "called");
            return outcome
                .map(|answer| OutboundAnswer { tries, elapsed_ms, ..answer })
                .map_err(|failure| self.noted(failure.error));
        }
    }

    /// Signs a request that requires it, with the current time, and replaces the signature of an
    /// earlier attempt.
    fn sign(&self, request: &mut OutboundRequest) -> std::result::Result<(), OutboundError> {
        let Some(Signing { by, path }) = request.signing.clone() else { return Ok(()) };
        by.sign(request, self.parts.clock.now(), path).map_err(OutboundError::Unsignable)
    }

    /// Returns the pause before the next attempt, in milliseconds. `None` if the request must not
    /// be repeated.
    fn pause_ms(&self, outcome: &std::result::Result<OutboundAnswer, FailedTry>, tries: u32) -> Option<u64> {
        let max = self.options.retry_wait_ms_max;
        match outcome {
            Err(failure) => {
                (!failure.answered && may_pass(&failure.error)).then(|| jittered(tries, max, self.random()))
            }
            Ok(answer) if !is_passing(answer.status) || forbids_repeats(answer) => None,
            Ok(answer) => match asked_pause_ms(&answer.headers, &answer.body, self.parts.clock.now()) {
                Some(asked) if asked > max => None,
                Some(asked) => Some(asked.saturating_add(self.random() % SPREAD_MS)),
                None => Some(jittered(tries, max, self.random())),
            },
        }
    }

    async fn once(
        &self,
        client: &Client,
        url: &Url,
        request: &OutboundRequest,
    ) -> std::result::Result<OutboundAnswer, FailedTry> {
        let timeout = Duration::from_millis(request.timeout_ms.unwrap_or(self.options.timeout_ms));
        let mut asked = client.request(request.method.clone(), url.clone()).timeout(timeout);
        if !request.headers.iter().any(|(name, _)| name == ACCEPT) {
            asked = asked.header(ACCEPT, HeaderValue::from_static("application/json"));
        }
        for (name, value) in &request.headers {
            asked = asked.header(name, value);
        }
        if let Some(span) = trace::current() {
            asked = asked.header("traceparent", trace_parent(&span));
        }
        if !request.body.is_empty() {
            asked = asked.body(request.body.clone());
        }
        let mut response = asked.send().await.map_err(|error| before_answer(&error))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| within_answer(&error))? {
            if body.len().saturating_add(piece.len()) > self.options.body_bytes_max {
                return Err(FailedTry { error: OutboundError::TooLarge, answered: true });
            }
            body.extend_from_slice(&piece);
        }
        Ok(OutboundAnswer { status, headers, body, tries: 1, elapsed_ms: 0 })
    }

    /// Resolves the host name of a client's address before a request through a proxy, and rejects
    /// forbidden IP addresses. The proxy resolves the name again, so this check covers only the
    /// addresses that this host sees.
    async fn check_for_proxy(
        &self,
        url: &Url,
        reach: AddressOrigin,
    ) -> std::result::Result<(), OutboundError> {
        let name = url
            .host_str()
            .filter(|host| !host.starts_with('[') && host.parse::<std::net::Ipv4Addr>().is_err());
        let (Some(name), AddressOrigin::Public, true) = (name, reach, self.options.proxy.is_some()) else {
            return Ok(());
        };
        let names =
            GuardedNames { lookup: Arc::clone(&self.parts.names), rules: rules(&self.options, reach) };
        match names.addresses(name.to_owned()).await {
            Ok(_) => Ok(()),
            Err(error) => Err(refusal(error.as_ref()).map_or_else(
                || OutboundError::Connect("the name has no address".to_owned()),
                OutboundError::Refused,
            )),
        }
    }

    fn client(&self, reach: AddressOrigin) -> std::result::Result<&Client, OutboundError> {
        let made = match reach {
            AddressOrigin::Configured => &self.configured,
            AddressOrigin::Public => &self.public,
        };
        if let Some(made) = made.get() {
            return Ok(made);
        }
        let new = client(&self.options, &self.parts, reach).map_err(|error| {
            tracing::warn!(%error, "the HTTP client cannot be made");
            OutboundError::Connect(
                "the HTTP client cannot be made: install the root certificates of the system (ca-certificates)"
                    .to_owned(),
            )
        })?;
        Ok(made.get_or_init(|| new))
    }

    fn random(&self) -> u64 {
        self.parts.ids.random().iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    }

    /// Reports a rejected address to the observer, and returns the error unchanged.
    fn noted(&self, error: OutboundError) -> OutboundError {
        if let OutboundError::Refused(why) = &error {
            self.parts.observe.outbound_refused(why.as_str());
        }
        error
    }
}

impl Transport for Outbound {
    fn send(
        &self,
        request: OutboundRequest,
    ) -> BoxFuture<'_, std::result::Result<OutboundAnswer, OutboundError>> {
        Box::pin(self.run(request))
    }
}

/// Returns the `traceparent` header of W3C Trace Context. Every open span is exported, so it is
/// marked as sampled.
fn trace_parent(span: &SpanContext) -> String {
    format!("00-{}-{}-01", hex::encode(span.trace), hex::encode(span.span))
}

fn rules(options: &OutboundOptions, reach: AddressOrigin) -> Rules {
    Rules { reach, allow_metadata: options.allow_metadata }
}

fn client(options: &OutboundOptions, parts: &OutboundParts, reach: AddressOrigin) -> reqwest::Result<Client> {
    // The process needs one provider; if another call has installed it already, this call has no
    // effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // The configuration sets the proxy, so the proxy may be in a private network, also for
    // addresses of callers.
    let named_by = if options.proxy.is_some() { AddressOrigin::Configured } else { reach };
    let names = GuardedNames { lookup: Arc::clone(&parts.names), rules: rules(options, named_by) };
    let builder = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(Duration::from_millis(options.connect_ms))
        .user_agent(&options.user_agent)
        .dns_resolver(names);
    match &options.proxy {
        Some(proxy) => builder.proxy(Proxy::all(proxy)?).build(),
        None => builder.build(),
    }
}

/// Returns true if the response has the header by which some vendors forbid a repeat.
fn forbids_repeats(answer: &OutboundAnswer) -> bool {
    answer.headers.get("x-should-retry").is_some_and(|value| value == "false")
}

/// An attempt that gave no complete response.
struct FailedTry {
    error: OutboundError,
    /// True if a response had begun. Then the request took effect and is not repeated.
    answered: bool,
}

/// Returns the failure of an attempt before any part of the response arrived.
fn before_answer(error: &reqwest::Error) -> FailedTry {
    FailedTry { error: unreached(error), answered: false }
}

fn unreached(error: &reqwest::Error) -> OutboundError {
    if let Some(why) = refusal(error) {
        return OutboundError::Refused(why);
    }
    if error.is_timeout() {
        return OutboundError::Timeout;
    }
    let why = chain(error).find_map(|cause| {
        if let Some(tls) = tls(cause) {
            return Some(format!("TLS: {tls}"));
        }
        cause.downcast_ref::<std::io::Error>().map(|io| io.kind().to_string())
    });
    OutboundError::Connect(match why {
        _ if error.is_dns() => "the name cannot be resolved".to_owned(),
        Some(why) => why,
        None => "it broke off before an HTTP answer came".to_owned(),
    })
}

/// Returns the failure of an attempt while the body was read.
fn within_answer(error: &reqwest::Error) -> FailedTry {
    let broke_off = || OutboundError::Protocol("it broke off in the middle".to_owned());
    FailedTry { error: if error.is_timeout() { OutboundError::Timeout } else { broke_off() }, answered: true }
}

fn refusal(error: &(dyn StdError + 'static)) -> Option<AddressRefusal> {
    chain(error).find_map(|cause| cause.downcast_ref::<Refusal>()).map(|refusal| refusal.0)
}

/// Returns the TLS error inside an I/O error.
fn tls<'e>(cause: &'e (dyn StdError + 'static)) -> Option<&'e rustls::Error> {
    let mut inner = cause;
    loop {
        if let Some(found) = inner.downcast_ref::<rustls::Error>() {
            return Some(found);
        }
        // I/O errors are nested in I/O errors, and `source` does not return the inner ones.
        inner = inner.downcast_ref::<std::io::Error>()?.get_ref()?;
    }
}

fn chain<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |cause: &&'e (dyn StdError + 'static)| (*cause).source())
}
