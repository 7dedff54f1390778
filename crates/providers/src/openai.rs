//! OpenAI's chat completions API, as served by OpenAI, vLLM, Ollama, LM Studio and many others.

use loci_model::Result;
use loci_model::job::exchange::Usage;
use loci_model::ports::language_model::{Finish, ModelErrorKind, OutputForm, Reply};
use loci_outbound::request::{OutboundAnswer, OutboundRequest};
use serde_json::{Value, json};

use crate::dialect::{Dialect, PendingQuestion, count, text};
use crate::failure::{ProviderFailure, body};
use crate::model_call::by_status;
use crate::registry::Endpoint;
use crate::schema_forms::{strict, without_nulls};
use crate::server_capabilities::JsonForm;

pub(crate) const BASE: &str = "https://api.openai.com/v1";
/// The sentence added to the system prompt. Servers reject the form `json_object` unless the
/// messages mention JSON.
const SAY_JSON: &str = "Answer with one JSON object and nothing else.";

/// The implementation of the OpenAI chat completions API.
pub(crate) struct OpenAi;

impl Dialect for OpenAi {
    fn forms(&self) -> &'static [JsonForm] {
        &[JsonForm::Schema, JsonForm::Object, JsonForm::Words]
    }

    fn form_words(&self) -> &'static [&'static str] {
        &["response_format", "json_schema", "json_object", "structured output", "guided", "grammar"]
    }

    fn check(&self, _: &Endpoint, _: &str) -> Result<()> {
        Ok(())
    }

    fn request(&self, asking: &PendingQuestion<'_>) -> OutboundRequest {
        let completion = asking.completion;
        let wants_object =
            matches!(completion.output, OutputForm::Json { .. }) && asking.manners.form == JsonForm::Object;
        let system = if wants_object && !completion.system.contains("JSON") {
            format!("{}\n\n{SAY_JSON}", completion.system)
        } else {
            completion.system.clone()
        };
        let limit = if asking.manners.old_limit { "max_tokens" } else { "max_completion_tokens" };
        let mut body = json!({
            "model": asking.config.endpoint.model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": completion.input},
            ],
            limit: asking.max_output_tokens,
        });
        if let Some(temperature) = asking.config.temperature.filter(|_| asking.manners.temperature) {
            body["temperature"] = json!(temperature);
        }
        if let Some((name, schema)) = asking.schema() {
            let (is_strict, schema) = strict(&schema).map_or((false, schema), |strict| (true, strict));
            body["response_format"] = json!({"type": "json_schema",
                "json_schema": {"name": name, "strict": is_strict, "schema": schema}});
        } else if wants_object {
            body["response_format"] = json!({"type": "json_object"});
        }
        let mut request = asking.config.endpoint.post(BASE, "/chat/completions", &body);
        asking.config.endpoint.with_key(&mut request, "authorization", "Bearer ");
        request
    }

    fn read(&self, body: &Value, asking: &PendingQuestion<'_>) -> Option<Reply> {
        let choice = body.pointer("/choices/0")?;
        let message = choice.get("message")?;
        let refusal = message.get("refusal").and_then(Value::as_str).filter(|refusal| !refusal.is_empty());
        let finish = match choice.get("finish_reason").and_then(Value::as_str) {
            _ if refusal.is_some() => Finish::Refused("refusal".to_owned()),
            Some("length") => Finish::CutOff,
            Some(word @ "content_filter") => Finish::Refused(word.to_owned()),
            _ => Finish::Complete,
        };
        let said = content(message.get("content"));
        let said = if asking.schema().is_some() { own_form(said) } else { said };
        let usage = Usage {
            input_tokens: count(body, "/usage/prompt_tokens"),
            output_tokens: count(body, "/usage/completion_tokens"),
        };
        Some(asking.reply(said, text(body, "/model"), usage, finish))
    }

    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure {
        let body = body(answer);
        let code = ["/error/code", "/error/type", "/code"].iter().find_map(|place| text(&body, place));
        let mut failure = by_status(answer, code.unwrap_or_default());
        if matches!(failure.code.as_str(), "insufficient_quota" | "billing_hard_limit_reached") {
            failure.kind = ModelErrorKind::QuotaUsedUp;
        }
        failure
    }
}

/// Returns the text, or the joined texts of the parts.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

/// Removes null members. The strict form requests optional members as nullable ones.
fn own_form(said: String) -> String {
    match loci_json::from_str::<Value>(&said) {
        Ok(value) if said.contains("null") => without_nulls(value).to_string(),
        _ => said,
    }
}
