//! The Converse API of Amazon Bedrock, with one format for all its models. Requests are signed
//! (SigV4), or carry a Bedrock API key. For JSON output, the request forces the use of a tool, if
//! the model supports tools.

use loci_model::Result;
use loci_model::job::exchange::Usage;
use loci_model::ports::language_model::{Finish, ModelErrorKind, Reply};
use loci_outbound::request::{OutboundAnswer, OutboundRequest};
use loci_outbound::sign_v4::{PathRule, Signer, Signing};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::dialect::{Dialect, PendingQuestion, count, text};
use crate::failure::{ProviderFailure, body};
use crate::model_call::by_status;
use crate::registry::{Endpoint, lacks};
use crate::server_capabilities::JsonForm;

/// The characters to percent-encode in a path segment. Model ids contain `:` and, as ARNs, `/`;
/// both belong to one segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const TOOL: &str = "answer";

/// The implementation of the Bedrock Converse API.
pub(crate) struct Bedrock;

impl Dialect for Bedrock {
    fn forms(&self) -> &'static [JsonForm] {
        &[JsonForm::Schema, JsonForm::Words]
    }

    fn form_words(&self) -> &'static [&'static str] {
        &["tool"]
    }

    fn check(&self, endpoint: &Endpoint, section: &str) -> Result<()> {
        if endpoint.region.as_deref().is_none_or(str::is_empty) {
            let rule = "must be given for Bedrock, for example us-east-1";
            return Err(lacks(endpoint, section, "region", rule));
        }
        if endpoint.key.is_none() && endpoint.aws.is_none() {
            let rule =
                "and secret_key_env must name variables that are set, or key_env one with a key of Bedrock";
            return Err(lacks(endpoint, section, "access_key_env", rule));
        }
        Ok(())
    }

    fn request(&self, asking: &PendingQuestion<'_>) -> OutboundRequest {
        let mut inference = json!({"maxTokens": asking.max_output_tokens});
        if let Some(temperature) = asking.config.temperature.filter(|_| asking.manners.temperature) {
            inference["temperature"] = json!(temperature);
        }
        let mut body = json!({
            "messages": [{"role": "user", "content": [{"text": asking.completion.input}]}],
            "system": [{"text": asking.completion.system}],
            "inferenceConfig": inference,
        });
        if let Some((name, schema)) = asking.schema() {
            body["toolConfig"] = json!({
                "tools": [{"toolSpec": {"name": TOOL, "description": format!("Gives the answer: {name}."),
                    "inputSchema": {"json": schema}}}],
                "toolChoice": {"tool": {"name": TOOL}},
            });
        }
        let endpoint = &asking.config.endpoint;
        let path = format!("/model/{}/converse", segment(&endpoint.model));
        signed(endpoint, &path, &body)
    }

    fn read(&self, body: &Value, asking: &PendingQuestion<'_>) -> Option<Reply> {
        let blocks = body.pointer("/output/message/content")?.as_array()?;
        let tool = blocks.iter().find_map(|block| block.pointer("/toolUse/input")).map(Value::to_string);
        let said = tool.unwrap_or_else(|| blocks.iter().filter_map(|block| text(block, "/text")).collect());
        let finish = match text(body, "/stopReason")? {
            "max_tokens" | "model_context_window_exceeded" => Finish::CutOff,
            word @ ("guardrail_intervened" | "content_filtered") => Finish::Refused(word.to_owned()),
            word if word.starts_with("malformed_") => return None,
            _ => Finish::Complete,
        };
        let usage = Usage {
            input_tokens: count(body, "/usage/inputTokens"),
            output_tokens: count(body, "/usage/outputTokens"),
        };
        Some(asking.reply(said, None, usage, finish))
    }

    fn failure(&self, answer: &OutboundAnswer) -> ProviderFailure {
        failure(answer)
    }
}

/// Returns the meaning of an error response of Bedrock. The error code is in a header, or in a
/// member of the body.
pub(crate) fn failure(answer: &OutboundAnswer) -> ProviderFailure {
    let body = body(answer);
    let header = answer.headers.get("x-amzn-errortype").and_then(|value| value.to_str().ok());
    let named = header.or_else(|| text(&body, "/__type")).unwrap_or_default();
    // Example: `com.amazon.coral.service#ThrottlingException:http://…`
    let named = named.split(':').next().unwrap_or_default();
    let named = named.rsplit('#').next().unwrap_or_default();
    let mut failure = by_status(answer, named);
    failure.kind = match failure.code.as_str() {
        "AccessDeniedException"
        | "UnrecognizedClientException"
        | "InvalidSignatureException"
        | "ExpiredTokenException"
        | "MissingAuthenticationTokenException" => ModelErrorKind::Denied,
        "ThrottlingException" | "ModelNotReadyException" | "TooManyRequestsException" => {
            ModelErrorKind::Throttled
        }
        "ServiceQuotaExceededException" => ModelErrorKind::QuotaUsedUp,
        "ModelTimeoutException" => ModelErrorKind::Timeout,
        "InternalServerException"
        | "ServiceUnavailableException"
        | "ModelStreamErrorException"
        | "ModelErrorException" => ModelErrorKind::Unavailable,
        "ValidationException" | "ResourceNotFoundException" => ModelErrorKind::Rejected,
        _ => failure.kind,
    };
    failure
}

/// Encodes a model id as a path segment.
pub(crate) fn segment(model: &str) -> String {
    utf8_percent_encode(model, SEGMENT).to_string()
}

/// Returns a POST request with the Bedrock API key, or one that is signed when it is sent.
pub(crate) fn signed(endpoint: &Endpoint, path: &str, body: &Value) -> OutboundRequest {
    let region = endpoint.region.as_deref().unwrap_or_default();
    let mut request = endpoint.post(&format!("https://bedrock-runtime.{region}.amazonaws.com"), path, body);
    match (&endpoint.key, &endpoint.aws) {
        (None, Some(keys)) => {
            let signer = Signer {
                access_key: keys.access_key.clone(),
                secret: keys.secret.clone(),
                session_token: keys.session_token.clone(),
                region: region.to_owned(),
                service: "bedrock",
            };
            request.signing = Some(Signing { by: signer, path: PathRule::Twice });
        }
        _ => endpoint.with_key(&mut request, "authorization", "Bearer "),
    }
    request
}
