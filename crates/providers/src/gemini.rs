//! Google's Gemini API. The key is sent in a header, never in the URL.

use loci_model::Result;
use loci_model::job::exchange::Usage;
use loci_model::ports::language_model::{Finish, ModelErrorKind, OutputForm, Reply};
use loci_outbound::request::{OutboundAnswer, OutboundRequest};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::dialect::{Dialect, PendingQuestion, count, text};
use crate::failure::{ProviderFailure, body};
use crate::model_call::by_status;
use crate::registry::{Endpoint, lacks};
use crate::schema_forms;
use crate::server_capabilities::JsonForm;

pub(crate) const BASE: &str = "https://generativelanguage.googleapis.com";
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The implementation of the Gemini API.
pub(crate) struct Gemini;

impl Dialect for Gemini {
    fn forms(&self) -> &'static [JsonForm] {
        &[JsonForm::Schema, JsonForm::Object, JsonForm::Words]
    }

    fn form_words(&self) -> &'static [&'static str] {
        &["schema", "mime", "json mode"]
    }

    fn check(&self, endpoint: &Endpoint, section: &str) -> Result<()> {
        if endpoint.base_url.is_none() && endpoint.key.is_none() {
            let rule = "must name a variable that is set: Gemini needs a key";
            return Err(lacks(endpoint, section, "key_env", rule));
        }
        Ok(())
    }

    fn request(&self, asking: &PendingQuestion<'_>) -> OutboundRequest {
        let mut generation = json!({"maxOutputTokens": asking.max_output_tokens});
        if let Some(temperature) = asking.config.temperature.filter(|_| asking.manners.temperature) {
            generation["temperature"] = json!(temperature);
        }
        let wants_json = matches!(asking.completion.output, OutputForm::Json { .. });
        if wants_json && asking.manners.form != JsonForm::Words {
            generation["responseMimeType"] = json!("application/json");
        }
        if let Some(schema) = asking.schema().and_then(|(_, schema)| schema_forms::gemini(&schema)) {
            generation["responseSchema"] = schema;
        }
        let body = json!({
            "systemInstruction": {"parts": [{"text": asking.completion.system}]},
            "contents": [{"role": "user", "parts": [{"text": asking.completion.input}]}],
            "generationConfig": generation,
        });
        let path = format!("/v1beta/{}:generateContent", place(&asking.config.endpoint.model));
        let mut request = asking.config.endpoint.post(BASE, &path, &body);
        asking.config.endpoint.with_key(&mut request, "x-goog-api-key", "");
        request
    }

    fn read(&self, body: &Value, asking: &PendingQuestion<'_>) -> Option<Reply> {
        let usage = Usage {
            input_tokens: count(body, "/usageMetadata/promptTokenCount"),
            output_tokens: count(body, "/usageMetadata/candidatesTokenCount")
                .saturating_add(count(body, "/usageMetadata/thoughtsTokenCount")),
        };
        let model = text(body, "/modelVersion");
        let Some(candidate) = body.pointer("/candidates/0") else {
            let why = text(body, "/promptFeedback/blockReason")?;
            return Some(asking.reply(String::new(), model, usage, Finish::Refused(why.to_owned())));
        };
        let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
        let said: String = parts
            .into_iter()
            .flatten()
            .filter(|part| part.get("thought") != Some(&Value::Bool(true)))
            .filter_map(|part| text(part, "/text"))
            .collect();
        let finish = match text(candidate, "/finishReason")? {
            "STOP" => Finish::Complete,
            "MAX_TOKENS" => Finish::CutOff,
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => return None,
            word => Finish::Refused(word.to_owned()),
        };
        Some(asking.reply(said, model, usage, finish))
    }

    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure {
        failure(answer)
    }
}

/// Returns the resource name of a model: `models/…` unless the name contains a slash.
pub(crate) fn place(model: &str) -> String {
    let model = if model.contains('/') { model.to_owned() } else { format!("models/{model}") };
    utf8_percent_encode(&model, PATH).to_string()
}

/// Returns the meaning of an error response of Google.
pub(crate) fn failure(answer: &OutboundAnswer) -> ProviderFailure {
    let body = body(answer);
    let mut failure = by_status(answer, text(&body, "/error/status").unwrap_or_default());
    failure.kind = match failure.code.as_str() {
        "RESOURCE_EXHAUSTED" => ModelErrorKind::Throttled,
        "PERMISSION_DENIED" | "UNAUTHENTICATED" => ModelErrorKind::Denied,
        "UNAVAILABLE" | "INTERNAL" => ModelErrorKind::Unavailable,
        "DEADLINE_EXCEEDED" => ModelErrorKind::Timeout,
        // Gemini reports a wrong key as an invalid argument.
        "INVALID_ARGUMENT" if has_reason(&body, "API_KEY_INVALID") => ModelErrorKind::Denied,
        _ => failure.kind,
    };
    failure
}

fn has_reason(body: &Value, reason: &str) -> bool {
    let details = body.pointer("/error/details").and_then(Value::as_array);
    details.into_iter().flatten().any(|detail| text(detail, "/reason") == Some(reason))
}
