//! The port that each provider protocol implements: it converts a completion to an HTTP request,
//! the response body to a reply, and an error response to its meaning.

use http::{HeaderName, HeaderValue, Method};
use loci_model::job::exchange::Usage;
use loci_model::ports::language_model::{Completion, Finish, Reply};
use loci_model::{Result, limits};
use loci_outbound::request::{AddressOrigin, OutboundAnswer, OutboundRequest, Retry};
use serde_json::Value;

use crate::failure::ProviderFailure;
use crate::registry::{Endpoint, ModelConfig};
use crate::server_capabilities::{JsonForm, ServerCapabilities};

/// The maximum length of an error code of a provider, in characters. Longer codes are cut.
const WORD_CHARS_MAX: usize = 64;

/// A request for a completion.
pub(crate) struct PendingQuestion<'a> {
    pub(crate) config: &'a ModelConfig,
    pub(crate) completion: &'a Completion,
    /// The features that the server of the model is known to accept.
    pub(crate) manners: ServerCapabilities,
    /// The maximum number of output tokens of the completion.
    pub(crate) max_output_tokens: u32,
}

/// A provider's protocol for language models.
pub(crate) trait Dialect: Send + Sync {
    /// Returns the forms in which JSON output can be requested, the strictest first. The last one
    /// uses only the prompt.
    fn forms(&self) -> &'static [JsonForm];

    /// Returns the words in the text of an error response (status 400) which show that the server
    /// rejects the form of JSON output.
    fn form_words(&self) -> &'static [&'static str];

    /// Checks the settings that the protocol requires; `section` is `model` or `embedder`.
    fn check(&self, endpoint: &Endpoint, section: &str) -> Result<()>;

    /// Creates the request for a completion.
    fn request(&self, asking: &PendingQuestion<'_>) -> OutboundRequest;

    /// Parses the body of a successful response. `None` if the body is not valid in this protocol.
    fn read(&self, body: &Value, asking: &PendingQuestion<'_>) -> Option<Reply>;

    /// Returns the meaning of an error response.
    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure;
}

impl PendingQuestion<'_> {
    /// Returns the output schema if the completion requests JSON and the form is `Schema`.
    pub(crate) fn schema(&self) -> Option<(&'static str, Value)> {
        match (&self.completion.output, self.manners.form) {
            (loci_model::ports::language_model::OutputForm::Json { name, schema }, JsonForm::Schema) => {
                Some((name, serde_json::from_str(schema).ok()?))
            }
            _ => None,
        }
    }

    /// Creates a reply. The name of the model is the one in the response, or else the configured
    /// one, cut to the maximum length of a name.
    pub(crate) fn reply(&self, text: String, model: Option<&str>, usage: Usage, finish: Finish) -> Reply {
        let model = model.unwrap_or(&self.config.endpoint.model);
        Reply { text, model: model.chars().take(limits::SHORT_TEXT_CHARS_MAX).collect(), usage, finish }
    }
}

impl Endpoint {
    /// Creates a POST request with JSON to a path below the base URL.
    pub(crate) fn post(&self, base: &str, path: &str, body: &Value) -> OutboundRequest {
        let base = self.base_url.as_deref().unwrap_or(base).trim_end_matches('/');
        OutboundRequest {
            method: Method::POST,
            url: format!("{base}{path}"),
            headers: vec![(http::header::CONTENT_TYPE, HeaderValue::from_static("application/json"))],
            body: body.to_string().into_bytes(),
            reach: AddressOrigin::Configured,
            retry: Retry::Safe,
            timeout_ms: Some(self.timeout_ms),
            signing: None,
        }
    }

    /// Adds the key, if there is one.
    pub(crate) fn with_key(&self, request: &mut OutboundRequest, name: &'static str, prefix: &str) {
        if let Some(value) = self.key.as_ref().and_then(|key| key.header(prefix)) {
            request.headers.push((HeaderName::from_static(name), value));
        }
    }
}

/// Returns the count at a JSON pointer of a body, or 0 if it is missing.
pub(crate) fn count(body: &Value, pointer: &str) -> u64 {
    body.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// Returns the text at a JSON pointer of a body.
pub(crate) fn text<'b>(body: &'b Value, pointer: &str) -> Option<&'b str> {
    body.pointer(pointer).and_then(Value::as_str)
}

/// Returns a provider's error code with only letters, digits and `._-`, cut to the maximum length.
pub(crate) fn word(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        .take(WORD_CHARS_MAX)
        .collect()
}
