//! What the body of a request says of the request itself, in its member `_meta`; the same on every transport.

use serde_json::{Map, Value};

use crate::mcp::message::Params;
use crate::mcp::revision::Revision;

/// What a modern request must say of itself.
pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// So, of its client.
pub(crate) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// What it may say of logs.
const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The revision.
pub(crate) fn version(params: &Params) -> Option<&str> {
    params.get("_meta")?.get(META_VERSION)?.as_str()
}

/// The capabilities.
pub(crate) fn capabilities(meta: &Map<String, Value>) -> Option<Map<String, Value>> {
    meta.get(META_CAPABILITIES)?.as_object().cloned()
}

/// Before the newest revision logs come unasked; the offer says whether there are any.
pub(crate) fn log_level(revision: Revision, meta: Option<&Map<String, Value>>) -> Option<String> {
    if !revision.is_modern() {
        return Some("debug".to_owned());
    }
    meta.and_then(|meta| meta.get(META_LOG_LEVEL)?.as_str().map(str::to_owned))
}
