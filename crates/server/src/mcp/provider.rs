//! The offer of a server, independent of transport and revision: tools, resources, prompts,
//! completion. [`super::loci`] has the product's offer; the conformance fixtures have another.

use std::borrow::Cow;
use std::sync::Arc;

use loci_model::ports::BoxFuture;
use loci_model::principal::Principal;
use serde_json::{Map, Value};

use super::fault::McpFault;
use super::message::Params;
use super::options::Naming;
use super::peer::Peer;
use super::revision::Revision;
use crate::tools::profile::Profile;

/// The caller, as far as the transport knows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Caller {
    /// The principal; `None` if the answering server determines it.
    pub principal: Option<Principal>,
    /// The id or name of the memory in the header `X-Loci-Memory`, if the request has it.
    pub memory: Option<String>,
    /// The name of the user in the header `X-Loci-User`, if the request has it.
    pub user: Option<String>,
    /// The id of the request, for logs.
    pub request_id: Option<String>,
}

impl Caller {
    /// Returns a name that keeps callers apart, for state that must not pass from one to another.
    pub fn name(&self) -> &str {
        self.principal.as_ref().map_or("", |principal| principal.name.as_str())
    }
}

/// The listing of the endpoint that received the request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Endpoint {
    /// The profiles whose tools the endpoint lists.
    pub profiles: Vec<Profile>,
    /// The form of the tool names in lists.
    pub naming: Naming,
}

/// The input of the user or the client from an earlier round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inputs {
    /// The answers by the names of the questions; each is an object.
    pub responses: Map<String, Value>,
    /// The state that the client carried since the last round; null in the first round.
    pub state: Value,
}

/// A request, as far as it matters to its handler.
pub struct HandlerRequest {
    /// The revision of the request.
    pub revision: Revision,
    /// The caller of the request.
    pub caller: Caller,
    /// The endpoint that received it.
    pub endpoint: Endpoint,
    /// The capabilities of the client.
    pub capabilities: Map<String, Value>,
    /// The token for progress notifications.
    pub progress: Option<Value>,
    /// The minimum level for log notifications; `None` for no logs.
    pub log_level: Option<String>,
    /// The answers and the state from earlier rounds of the request.
    pub inputs: Inputs,
    /// True if the connection lasts, so that the client can get notifications outside of a
    /// response.
    pub lasting: bool,
    /// The client, for notifications while the request is answered.
    pub peer: Peer,
}

impl HandlerRequest {
    /// Returns true if the client has declared the capability.
    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.contains_key(capability)
    }

    /// Returns this request with the client's answers.
    pub(super) fn next_round(&self, responses: Map<String, Value>, state: Value) -> Self {
        Self {
            revision: self.revision,
            caller: self.caller.clone(),
            endpoint: self.endpoint.clone(),
            capabilities: self.capabilities.clone(),
            progress: self.progress.clone(),
            log_level: self.log_level.clone(),
            inputs: Inputs { responses, state },
            lasting: self.lasting,
            peer: self.peer.clone(),
        }
    }
}

/// The cache scope of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheScope {
    /// Public: the result is equal for all callers.
    Public,
    /// Private to the caller.
    Private,
}

/// A list or a text that may be cached for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheableResult<T> {
    /// The list or the text.
    pub value: T,
    /// The callers for whom the value may be cached.
    pub keep: CacheScope,
    /// The time for which the value may be cached, in milliseconds.
    pub ttl_ms: u64,
}

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallReply {
    /// The call has a result.
    Done(Map<String, Value>),
    /// Questions to the client first: requests by name, and the state to carry until the answers
    /// come.
    Ask {
        /// `{method, params}` by name; may be empty.
        requests: Map<String, Value>,
        /// The state that comes back with the answers.
        state: Value,
    },
}

/// The capabilities of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OfferedCapabilities {
    /// True if its list of tools changes while it runs, with notifications.
    pub tools_change: bool,
    /// True if its list of prompts changes, with notifications.
    pub prompts_change: bool,
    /// True if single resources have notifications.
    pub subscribe: bool,
    /// True if schemas of its tools name headers that repeat arguments.
    pub argument_headers: bool,
    /// True if it sends logs to clients, in initialize-based revisions only.
    pub logging: bool,
    /// True if it sends questions to clients of initialize-based revisions, and knows their
    /// capabilities by a session id.
    pub sessions: bool,
}

/// The target of a completion, with its name or URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionTarget {
    /// An argument of the prompt with this name.
    Prompt(String),
    /// A parameter of the resource or template with this URI.
    Resource(String),
}

/// A completion: values, and their total number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompletionValues {
    /// The values, at most 100.
    pub values: Vec<String>,
    /// The total number of values, of which `values` may be a part.
    pub total: usize,
}

/// The future in which a method of [`Provider`] returns its result.
pub type ResultFuture<'a, T> = BoxFuture<'a, Result<T, McpFault>>;

/// The offer of a server. Lists are in a fixed order.
pub trait Provider: Send + Sync {
    /// Returns the server's name and version.
    fn identity(&self) -> (&'static str, &'static str);
    /// Returns the text that a model reads before it uses the tools of an endpoint.
    fn instructions(&self, endpoint: &Endpoint) -> Option<Cow<'static, str>>;
    /// Returns the capabilities.
    fn offers(&self) -> OfferedCapabilities;
    /// Returns the listed tools.
    fn tools<'a>(&'a self, asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>>;
    /// Calls a tool.
    fn call<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        name: String,
        arguments: Params,
    ) -> ResultFuture<'a, CallReply>;
    /// Returns the listed resources.
    fn resources<'a>(&'a self, asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>>;
    /// Returns the listed templates of resources.
    fn templates<'a>(&'a self, asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>>;
    /// Returns the contents of a resource.
    fn read<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        uri: String,
    ) -> ResultFuture<'a, CacheableResult<Vec<Value>>>;
    /// Returns a mark of a resource, which changes with it. Returns `None` if only the hub reports
    /// its changes, or if the caller may not read it.
    fn mark<'a>(&'a self, _asking: &'a HandlerRequest, _uri: &'a str) -> ResultFuture<'a, Option<String>> {
        Box::pin(async { Ok(None) })
    }
    /// Returns the listed prompts.
    fn prompts<'a>(&'a self, asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>>;
    /// Returns a prompt with its arguments.
    fn prompt<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        name: String,
        arguments: Params,
    ) -> ResultFuture<'a, CallReply>;
    /// Returns values for an argument that begin with the given text; `context` has the other
    /// arguments.
    fn complete<'a>(
        &'a self,
        asking: &'a HandlerRequest,
        of: CompletionTarget,
        argument: String,
        begin: String,
        context: Params,
    ) -> ResultFuture<'a, CompletionValues>;
}
