//! Tools that only return or send texts, some of them while they work.

use std::sync::Arc;

use loci_model::ports::clock::Clock;
use loci_server::mcp::Mcp;
use loci_server::mcp::listen::News;
use loci_server::mcp::message::Params;
use loci_server::mcp::provider::HandlerRequest;
use serde_json::{Map, Value, json};

use super::contents::{WAV, failure, image, result, text};

/// The pause between two messages, in milliseconds.
const PAUSE_MS: u64 = 50;

/// Calls one of these tools; `None` for an unknown name.
pub(super) async fn call(
    mcp: &Mcp,
    clock: &Arc<dyn Clock>,
    asking: &HandlerRequest,
    name: &str,
    arguments: &Params,
) -> Option<Map<String, Value>> {
    Some(match name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => result(json!([image()])),
        "test_audio_content" => result(json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }])),
        "test_embedded_resource" => result(json!([embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )])),
        "test_multiple_content_types" => result(json!([
            { "type": "text", "text": "Multiple content types test:" },
            image(),
            embedded("test://mixed-content-resource", "application/json", "{\"test\":\"data\",\"value\":123}"),
        ])),
        "test_error_handling" => failure("This tool intentionally returns an error for testing"),
        "test_tool_with_logging" | "test_logging_tool" => {
            for said in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                log(asking, said).await;
                clock.sleep(PAUSE_MS).await;
            }
            text("Three things were logged, where logs were wanted")
        }
        "test_tool_with_progress" => {
            for progress in [0, 50, 100] {
                if let Some(token) = &asking.progress {
                    let told = json!({ "progressToken": token, "progress": progress, "total": 100 });
                    asking.peer.notify("notifications/progress", told).await;
                }
                clock.sleep(PAUSE_MS).await;
            }
            text("Done")
        }
        "test_trigger_tool_change" => {
            mcp.hub.tell(News::Tools);
            text("The list of tools is said to have changed")
        }
        "test_trigger_prompt_change" => {
            mcp.hub.tell(News::Prompts);
            text("The list of prompts is said to have changed")
        }
        "test_reconnection" => text("There is nothing to come back to"),
        "json_schema_2020_12_tool" | "test_custom_header_tool" => {
            text(format!("Arguments: {}", Value::Object(arguments.clone())))
        }
        _ => return None,
    })
}

fn embedded(uri: &str, kind: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } })
}

async fn log(asking: &HandlerRequest, said: &str) {
    if asking.log_level.is_some() {
        let told = json!({ "level": "info", "logger": "fixtures", "data": said });
        asking.peer.notify("notifications/message", told).await;
    }
}
