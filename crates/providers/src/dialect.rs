//! What a protocol is to the rest: a question becomes a request, a body becomes a reply, a refusal gets a meaning.

use http::{HeaderName, HeaderValue, Method};
use loci_model::job::exchange::Usage;
use loci_model::ports::language_model::{Completion, Finish, Reply};
use loci_model::{Result, limits};
use loci_outbound::request::{Answer, Reach, Request, Retry};
use serde_json::Value;

use crate::failure::Failure;
use crate::manners::{JsonForm, Manners};
use crate::registry::{Endpoint, ModelConfig};

/// Characters of a vendor's word that are kept.
const WORD_CHARS_MAX: usize = 64;

/// A question on its way.
pub(crate) struct Asking<'a> {
    pub(crate) config: &'a ModelConfig,
    pub(crate) completion: &'a Completion,
    /// What the server is known to take.
    pub(crate) manners: Manners,
    /// At most so many tokens of answer.
    pub(crate) max_output_tokens: u32,
}

/// A protocol.
pub(crate) trait Dialect: Send + Sync {
    /// Forms of asking for JSON that it knows, strictest first; the last is by words alone.
    fn forms(&self) -> &'static [JsonForm];

    /// Words in the text of a refusal (400) that are about the form of the answer.
    fn form_words(&self) -> &'static [&'static str];

    /// What the configuration must hold for it; `section` is `model` or `embedder`.
    fn check(&self, endpoint: &Endpoint, section: &str) -> Result<()>;

    /// The request of a question.
    fn request(&self, asking: &Asking<'_>) -> Request;

    /// What a good answer's body says; `None` where it is not one of the protocol.
    fn read(&self, body: &Value, asking: &Asking<'_>) -> Option<Reply>;

    /// What an answer without success means.
    fn failure(&self, answer: &Answer) -> Failure;
}

impl Asking<'_> {
    /// The schema of the answer, where one is asked for in a form stricter than words.
    pub(crate) fn schema(&self) -> Option<(&'static str, Value)> {
        match (&self.completion.output, self.manners.form) {
            (loci_model::ports::language_model::OutputForm::Json { name, schema }, JsonForm::Schema) => {
                Some((name, serde_json::from_str(schema).ok()?))
            }
            _ => None,
        }
    }

    /// A reply, with the model's own name for itself where it gives one, of the length that a name may have.
    pub(crate) fn reply(&self, text: String, model: Option<&str>, usage: Usage, finish: Finish) -> Reply {
        let model = model.unwrap_or(&self.config.endpoint.model);
        Reply { text, model: model.chars().take(limits::SHORT_TEXT_CHARS_MAX).collect(), usage, finish }
    }
}

impl Endpoint {
    /// A POST of JSON to a place below the base.
    pub(crate) fn post(&self, base: &str, path: &str, body: &Value) -> Request {
        let base = self.base_url.as_deref().unwrap_or(base).trim_end_matches('/');
        Request {
            method: Method::POST,
            url: format!("{base}{path}"),
            headers: vec![(http::header::CONTENT_TYPE, HeaderValue::from_static("application/json"))],
            body: body.to_string().into_bytes(),
            reach: Reach::Configured,
            retry: Retry::Safe,
            timeout_ms: Some(self.timeout_ms),
            signing: None,
        }
    }

    /// Adds the key, where there is one.
    pub(crate) fn with_key(&self, request: &mut Request, name: &'static str, prefix: &str) {
        if let Some(value) = self.key.as_ref().and_then(|key| key.header(prefix)) {
            request.headers.push((HeaderName::from_static(name), value));
        }
    }
}

/// A count in a body; 0 where it is not there.
pub(crate) fn count(body: &Value, pointer: &str) -> u64 {
    body.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// A text in a body.
pub(crate) fn text<'b>(body: &'b Value, pointer: &str) -> Option<&'b str> {
    body.pointer(pointer).and_then(Value::as_str)
}

/// A vendor's word, such as a code of errors: only letters, digits and `._-`, and not many.
pub(crate) fn word(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        .take(WORD_CHARS_MAX)
        .collect()
}
