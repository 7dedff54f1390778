//! The description of a request in its body, in the member `_meta`, on every transport.

use serde_json::{Map, Value};

use crate::mcp::message::Params;
use crate::mcp::revision::Revision;

/// The member with the protocol revision, which a request of the newest revision must have.
pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The member with the client's capabilities, which a request of the newest revision must have.
pub(crate) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The member with the minimum level of logs that the client wants; optional.
const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Returns the protocol revision that the request states.
pub(crate) fn version(params: &Params) -> Option<&str> {
    params.get("_meta")?.get(META_VERSION)?.as_str()
}

/// Returns the capabilities that the client states.
pub(crate) fn capabilities(meta: &Map<String, Value>) -> Option<Map<String, Value>> {
    meta.get(META_CAPABILITIES)?.as_object().cloned()
}

/// Returns the log level. Before the newest revision logs are sent without a request; the offer
/// states if there are any.
pub(crate) fn log_level(revision: Revision, meta: Option<&Map<String, Value>>) -> Option<String> {
    if !revision.is_modern() {
        return Some("debug".to_owned());
    }
    meta.and_then(|meta| meta.get(META_LOG_LEVEL)?.as_str().map(str::to_owned))
}
