//! The Anthropic Messages API. For JSON output, the request forces the use of a tool, whose input
//! is the answer.

use http::{HeaderName, HeaderValue};
use loci_model::Result;
use loci_model::job::exchange::Usage;
use loci_model::ports::language_model::{Finish, Reply};
use loci_outbound::request::{OutboundAnswer, OutboundRequest};
use serde_json::{Value, json};

use crate::dialect::{Dialect, PendingQuestion, count, text};
use crate::failure::{ProviderFailure, body};
use crate::model_call::by_status;
use crate::registry::{Endpoint, lacks};
use crate::server_capabilities::JsonForm;

const BASE: &str = "https://api.anthropic.com";
const VERSION: &str = "2023-06-01";
const TOOL: &str = "answer";

/// The implementation of the Anthropic Messages API.
pub(crate) struct Anthropic;

impl Dialect for Anthropic {
    fn forms(&self) -> &'static [JsonForm] {
        &[JsonForm::Schema, JsonForm::Words]
    }

    fn form_words(&self) -> &'static [&'static str] {
        &["tool"]
    }

    fn check(&self, endpoint: &Endpoint, section: &str) -> Result<()> {
        if endpoint.base_url.is_none() && endpoint.key.is_none() {
            let rule = "must name a variable that is set: Anthropic needs a key";
            return Err(lacks(endpoint, section, "key_env", rule));
        }
        Ok(())
    }

    fn request(&self, asking: &PendingQuestion<'_>) -> OutboundRequest {
        let mut body = json!({
            "model": asking.config.endpoint.model,
            "max_tokens": asking.max_output_tokens,
            "system": asking.completion.system,
            "messages": [{"role": "user", "content": asking.completion.input}],
        });
        if let Some(temperature) = asking.config.temperature.filter(|_| asking.manners.temperature) {
            body["temperature"] = json!(temperature);
        }
        if let Some((name, schema)) = asking.schema() {
            body["tools"] = json!([{"name": TOOL, "description": format!("Gives the answer: {name}."), "input_schema": schema}]);
            body["tool_choice"] = json!({"type": "tool", "name": TOOL});
        }
        let mut request = asking.config.endpoint.post(BASE, "/v1/messages", &body);
        request
            .headers
            .push((HeaderName::from_static("anthropic-version"), HeaderValue::from_static(VERSION)));
        asking.config.endpoint.with_key(&mut request, "x-api-key", "");
        request
    }

    fn read(&self, body: &Value, asking: &PendingQuestion<'_>) -> Option<Reply> {
        let blocks = body.get("content")?.as_array()?;
        let of_kind =
            |kind: &'static str| blocks.iter().filter(move |block| text(block, "/type") == Some(kind));
        let tool = of_kind("tool_use").find_map(|block| block.get("input")).map(Value::to_string);
        let said = tool.unwrap_or_else(|| of_kind("text").filter_map(|block| text(block, "/text")).collect());
        let finish = match text(body, "/stop_reason")? {
            "max_tokens" | "model_context_window_exceeded" => Finish::CutOff,
            word @ "refusal" => Finish::Refused(word.to_owned()),
            _ => Finish::Complete,
        };
        let usage = Usage {
            input_tokens: count(body, "/usage/input_tokens")
                .saturating_add(count(body, "/usage/cache_read_input_tokens"))
                .saturating_add(count(body, "/usage/cache_creation_input_tokens")),
            output_tokens: count(body, "/usage/output_tokens"),
        };
        Some(asking.reply(said, text(body, "/model"), usage, finish))
    }

    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure {
        let body = body(answer);
        let mut failure = by_status(answer, text(&body, "/error/type").unwrap_or_default());
        if failure.code == "billing_error" {
            failure.kind = loci_model::ports::language_model::ModelErrorKind::QuotaUsedUp;
        }
        failure
    }
}
