//! The tools, resources and prompts that the suite expects, in lists.

use std::sync::Arc;

use loci_model::ports::clock::Clock;
use loci_server::mcp::Mcp;
use loci_server::mcp::fault::McpFault;
use loci_server::mcp::message::Params;
use loci_server::mcp::provider::{
    CacheScope, CacheableResult, CallReply, CompletionTarget, CompletionValues, Endpoint, HandlerRequest,
    OfferedCapabilities, Provider, ResultFuture,
};
use serde_json::{Map, Value, json};

use super::contents::{PNG, image, one, wide};
use super::{asks, talks};

/// Tools without arguments.
const PLAIN: [&str; 24] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_logging_tool",
    "test_reconnection",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
];

/// The suite's fixtures.
pub(super) struct Fixtures {
    mcp: Arc<Mcp>,
    clock: Arc<dyn Clock>,
}

impl Fixtures {
    pub(super) fn new(mcp: Arc<Mcp>, clock: Arc<dyn Clock>) -> Self {
        Self { mcp, clock }
    }
}

fn tools() -> Vec<Value> {
    let tool = |name: &str, schema: Value| json!({ "name": name, "description": "A fixture of the suite", "inputSchema": schema });
    let mut tools: Vec<_> =
        PLAIN.iter().map(|name| tool(name, json!({ "type": "object", "properties": {} }))).collect();
    tools.push(tool("test_sampling", one("prompt", "string")));
    tools.push(tool("test_elicitation", one("message", "string")));
    tools.push(tool("json_schema_2020_12_tool", wide()));
    let region = json!({ "type": "string", "x-mcp-header": "Region" });
    tools.push(tool(
        "test_custom_header_tool",
        json!({ "type": "object", "properties": { "region": region } }),
    ));
    tools
}

fn resources() -> Vec<Value> {
    let resource = |uri: &str, kind: &str| json!({ "uri": uri, "name": uri, "description": "A fixture", "mimeType": kind });
    vec![
        resource("test://static-text", "text/plain"),
        resource("test://static-binary", "image/png"),
        resource("test://watched-resource", "text/plain"),
    ]
}

fn contents(uri: &str) -> Option<Value> {
    let text = |text: &str| json!({ "uri": uri, "mimeType": "text/plain", "text": text });
    Some(match uri {
        "test://static-text" => text("This is the content of the static text resource."),
        "test://watched-resource" => text("Watched resource content"),
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": text.to_string() })
        }
    })
}

fn prompts() -> Vec<Value> {
    let argument = |name: &str| json!({ "name": name, "description": "An argument", "required": true });
    let prompt = |name: &str, arguments: Vec<Value>| json!({ "name": name, "description": "A fixture", "arguments": arguments });
    vec![
        prompt("test_simple_prompt", Vec::new()),
        prompt("test_prompt_with_arguments", vec![argument("arg1"), argument("arg2")]),
        prompt("test_prompt_with_embedded_resource", vec![argument("resourceUri")]),
        prompt("test_prompt_with_image", Vec::new()),
        prompt("test_input_required_result_prompt", Vec::new()),
    ]
}

fn prompt(asking: &HandlerRequest, name: &str, arguments: &Params) -> Result<CallReply, McpFault> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let text = |text: String| json!({ "type": "text", "text": text });
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            vec![text(format!("Prompt with arguments: arg1='{}', arg2='{}'", given("arg1"), given("arg2")))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({
                "uri": given("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            });
            let content = json!({ "type": "resource", "resource": resource });
            vec![content, text("Please process the embedded resource above.".to_owned())]
        }
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.".to_owned())],
        "test_input_required_result_prompt" => {
            let Some(context) = asks::filled(asking, "user_context", "context").and_then(Value::as_str)
            else {
                let question = asks::form("What context should the prompt use?", one("context", "string"));
                let requests = Map::from_iter([("user_context".to_owned(), question)]);
                return Ok(CallReply::Ask { requests, state: Value::Null });
            };
            vec![text(format!("The context is {context}"))]
        }
        _ => return Err(McpFault::invalid("there is no such prompt")),
    };
    let messages: Vec<_> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    Ok(CallReply::Done(Map::from_iter([("messages".to_owned(), Value::Array(messages))])))
}

fn kept(value: Vec<Value>) -> CacheableResult<Vec<Value>> {
    CacheableResult { value, keep: CacheScope::Public, ttl_ms: 1000 }
}

impl Provider for Fixtures {
    fn identity(&self) -> (&'static str, &'static str) {
        ("loci-mcp-fixtures", env!("CARGO_PKG_VERSION"))
    }

    fn instructions(&self, _: &Endpoint) -> Option<std::borrow::Cow<'static, str>> {
        Some("Fixtures of the conformance suite".into())
    }

    fn offers(&self) -> OfferedCapabilities {
        OfferedCapabilities {
            tools_change: true,
            prompts_change: true,
            subscribe: true,
            argument_headers: true,
            logging: true,
            sessions: true,
        }
    }

    fn tools<'a>(&'a self, _asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async { Ok(kept(tools())) })
    }

    fn call<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        name: String,
        arguments: Params,
    ) -> ResultFuture<'a, CallReply> {
        Box::pin(async move {
            if let Some(result) = talks::call(&self.mcp, &self.clock, &asking, &name, &arguments).await {
                return Ok(CallReply::Done(result));
            }
            let unknown = || Err(McpFault::invalid("there is no such tool"));
            asks::call(&asking, &name, &arguments).unwrap_or_else(unknown)
        })
    }

    fn resources<'a>(&'a self, _asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async { Ok(kept(resources())) })
    }

    fn templates<'a>(&'a self, _asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        let template = json!({
            "uriTemplate": "test://template/{id}/data",
            "name": "template",
            "description": "A fixture",
            "mimeType": "application/json",
        });
        Box::pin(async { Ok(kept(vec![template])) })
    }

    fn read<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        uri: String,
    ) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async move {
            let found = contents(&uri).ok_or_else(|| McpFault::no_resource(&uri, asking.revision))?;
            Ok(kept(vec![found]))
        })
    }

    fn prompts<'a>(&'a self, _asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async { Ok(kept(prompts())) })
    }

    fn prompt<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        name: String,
        arguments: Params,
    ) -> ResultFuture<'a, CallReply> {
        Box::pin(async move { prompt(&asking, &name, &arguments) })
    }

    fn complete<'a>(
        &'a self,
        _asking: &'a HandlerRequest,
        _of: CompletionTarget,
        _argument: String,
        begin: String,
        _context: Params,
    ) -> ResultFuture<'a, CompletionValues> {
        Box::pin(async move {
            let known = ["paris", "park", "party", "test"];
            let values: Vec<_> =
                known.into_iter().filter(|value| value.starts_with(&begin)).map(str::to_owned).collect();
            Ok(CompletionValues { total: values.len(), values })
        })
    }
}
