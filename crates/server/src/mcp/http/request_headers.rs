//! The headers of a request, and the check that they agree with the body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use loci_model::ports::ids::uuid4;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;

use super::body::{self, META_CAPABILITIES, META_VERSION};
use super::{HttpDoor, RequestHead, SESSION, VERSION};
use crate::mcp::fault::McpFault;
use crate::mcp::message::Params;
use crate::mcp::peer::Peer;
use crate::mcp::provider::{HandlerRequest, Inputs};
use crate::mcp::revision::Revision;

/// The purpose for which a session id is sealed.
const PURPOSE: &str = "session";
/// The prefix and the suffix of an encoded header value.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// Checks the headers against the body, for a request of the newest revision.
pub(super) async fn check(
    door: &HttpDoor,
    heads: &RequestHead,
    revision: Revision,
    method: &str,
    params: &Params,
) -> Result<(), McpFault> {
    standard(&heads.headers, method, params)?;
    let meta = meta(params)?;
    let Some(version) = meta.get(META_VERSION).and_then(Value::as_str) else {
        return Err(McpFault::malformed(format!("_meta must have {META_VERSION}")));
    };
    if !meta.get(META_CAPABILITIES).is_some_and(Value::is_object) {
        return Err(McpFault::malformed(format!("_meta must have {META_CAPABILITIES}")));
    }
    if version != revision.as_str() {
        return Err(McpFault::headers(format!("the header {VERSION} differs from the revision in _meta")));
    }
    if method == "tools/call" && door.service.provider.offers().argument_headers {
        own(door, heads, params).await?;
    }
    Ok(())
}

/// Returns the member `_meta` of a request.
fn meta(params: &Params) -> Result<&Map<String, Value>, McpFault> {
    params
        .get("_meta")
        .and_then(Value::as_object)
        .ok_or_else(|| McpFault::malformed("params must have _meta"))
}

fn standard(headers: &HeaderMap, method: &str, params: &Params) -> Result<(), McpFault> {
    match single(headers, "mcp-method")? {
        Some(said) if said == method => {}
        Some(_) => {
            return Err(McpFault::headers("the header Mcp-Method differs from the method in the body"));
        }
        None => return Err(McpFault::headers("the header Mcp-Method is missing")),
    }
    let named = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let Some(expected) = params.get(named).and_then(Value::as_str) else { return Ok(()) };
    match single(headers, "mcp-name")? {
        Some(said) if decoded(said).as_deref() == Some(expected) => Ok(()),
        Some(_) => Err(McpFault::headers("the header Mcp-Name differs from the name in the body")),
        None => Err(McpFault::headers("the header Mcp-Name is missing")),
    }
}

/// Checks the headers that a tool's schema requires by `x-mcp-header`: each is present if its
/// argument is, with the argument's value.
async fn own(door: &HttpDoor, heads: &RequestHead, params: &Params) -> Result<(), McpFault> {
    let Some(name) = params.get("name").and_then(Value::as_str) else { return Ok(()) };
    let (out, _told) = mpsc::channel(1);
    let asking = asking(door, heads, Revision::V2026Jul, params, out);
    let tools = door.service.provider.tools(&asking).await?;
    let tool = tools.value.iter().find(|tool| tool.get("name").and_then(Value::as_str) == Some(name));
    let Some(properties) = tool.and_then(|tool| tool.pointer("/inputSchema/properties")?.as_object()) else {
        return Ok(());
    };
    let arguments = params.get("arguments").and_then(Value::as_object);
    for (member, schema) in properties {
        let Some(header) = schema.get("x-mcp-header").and_then(Value::as_str) else { continue };
        let said = single(&heads.headers, &format!("mcp-param-{}", header.to_ascii_lowercase()))?;
        let given = arguments.and_then(|arguments| arguments.get(member)).and_then(plain);
        let fits = match (said, &given) {
            (None, None) => true,
            (Some(said), Some(given)) => decoded(said).as_ref().is_some_and(|said| same(said, given)),
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !fits {
            return Err(McpFault::headers(format!("the header Mcp-Param-{header} differs from {member}")));
        }
    }
    Ok(())
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn same(said: &str, given: &str) -> bool {
    let numbers = || Some((said.parse::<f64>().ok()?, given.parse::<f64>().ok()?));
    said == given || numbers().is_some_and(|(said, given)| said.total_cmp(&given).is_eq())
}

/// Returns a header that occurs once, in printable ASCII.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, McpFault> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(McpFault::headers(format!("the header {name} is there twice")));
    }
    let text = value
        .to_str()
        .map_err(|_| McpFault::headers(format!("the header {name} holds invalid characters")))?;
    Ok(Some(text.trim_matches([' ', '\t'])))
}

/// Returns the value of a header that may be encoded.
fn decoded(said: &str) -> Option<String> {
    let (begin, end) = ENCODED;
    match said.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end)) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(said.to_owned()),
    }
}

/// Creates the request for the handler.
pub(super) fn asking(
    door: &HttpDoor,
    heads: &RequestHead,
    revision: Revision,
    params: &Params,
    out: mpsc::Sender<Value>,
) -> HandlerRequest {
    let mcp = &door.service.mcp;
    let meta = params.get("_meta").and_then(Value::as_object);
    let capabilities =
        if revision.is_modern() { meta.and_then(body::capabilities) } else { remembered(door, heads) };
    let ids = Arc::clone(&mcp.ids);
    HandlerRequest {
        revision,
        caller: heads.caller.clone(),
        endpoint: heads.endpoint.clone(),
        capabilities: capabilities.unwrap_or_default(),
        progress: meta.and_then(|meta| meta.get("progressToken").cloned()),
        log_level: body::log_level(revision, meta),
        inputs: Inputs::default(),
        lasting: false,
        peer: Peer::new(out, Arc::clone(&mcp.pending), Arc::new(move || uuid4(ids.as_ref()))),
    }
}

/// Returns a session id with the capabilities that an initialize-based client declared. The client
/// carries them, because this server stores no sessions.
pub(super) fn session(door: &HttpDoor, heads: &RequestHead, params: &Params) -> Option<String> {
    if !door.service.provider.offers().sessions {
        return None;
    }
    let said = params.get("capabilities").and_then(Value::as_object);
    let kept: Map<_, _> = ["elicitation", "sampling", "roots"]
        .into_iter()
        .filter_map(|name| said.and_then(|said| Some((name.to_owned(), said.get(name)?.clone()))))
        .collect();
    let value = json!({ "capabilities": kept, "nonce": uuid4(door.service.mcp.ids.as_ref()) });
    Some(door.service.mcp.sealer.seal_for_good(heads.caller.name(), PURPOSE, &value))
}

fn remembered(door: &HttpDoor, heads: &RequestHead) -> Option<Map<String, Value>> {
    let session = heads.headers.get(SESSION)?.to_str().ok()?;
    let value = door.service.mcp.sealer.open(heads.caller.name(), PURPOSE, session)?;
    value.get("capabilities")?.as_object().cloned()
}

/// Returns the method for metrics: a known one, or one word for all others.
pub(super) fn known(method: &str) -> &str {
    const METHODS: [&str; 12] = [
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "subscriptions/listen",
    ];
    if METHODS.contains(&method) { method } else { "other" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_must_say_what_the_body_says() {
        let check = |method: &str, params: Value, headers: &[(&'static str, &str)], expect: &str| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(*name, value.parse().unwrap());
            }
            let params = params.as_object().cloned().unwrap();
            let said = standard(&map, method, &params).map_or_else(|fault| fault.message, |()| String::new());
            assert!(
                if expect.is_empty() { said.is_empty() } else { said.contains(expect) },
                "{headers:?}: {said}"
            );
        };
        let call = |name: &str| json!({ "name": name });
        check("tools/list", json!({}), &[("mcp-method", "tools/list")], "");
        check("tools/list", json!({}), &[], "Mcp-Method is missing");
        check("tools/list", json!({}), &[("mcp-method", "TOOLS/LIST")], "differs from the method");
        check("tools/list", json!({}), &[("mcp-method", "tools/list"), ("mcp-method", "x")], "twice");
        check("tools/call", call("a"), &[("mcp-method", "tools/call")], "Mcp-Name is missing");
        check(
            "tools/call",
            call("a"),
            &[("mcp-method", "tools/call"), ("mcp-name", "b")],
            "differs from the name",
        );
        check("tools/call", call("a"), &[("mcp-method", "tools/call"), ("mcp-name", " a ")], "");
        check("tools/call", call("ä"), &[("mcp-method", "tools/call"), ("mcp-name", "=?base64?w6Q=?=")], "");
        check(
            "tools/call",
            call("ä"),
            &[("mcp-method", "tools/call"), ("mcp-name", "=?base64?w6?=")],
            "differs from the name",
        );
        let read = json!({ "uri": "memory://x" });
        check("resources/read", read, &[("mcp-method", "resources/read"), ("mcp-name", "memory://x")], "");
    }
}
