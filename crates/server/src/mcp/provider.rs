//! What a server offers, apart from any transport and revision: tools, resources, prompts, completion. The product's offer is
//! in [`super::loci`]; the conformance fixtures have another.

use std::borrow::Cow;
use std::sync::Arc;

use loci_model::ports::BoxFuture;
use loci_model::principal::Principal;
use serde_json::{Map, Value};

use super::fault::Fault;
use super::message::Params;
use super::options::Naming;
use super::peer::Peer;
use super::revision::Revision;
use crate::tools::profile::Profile;

/// Who asks, as far as the transport knows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Caller {
    /// The principal; none where whoever answers knows it.
    pub principal: Option<Principal>,
    /// The memory that a header names.
    pub memory: Option<String>,
    /// The user that a header names.
    pub user: Option<String>,
    /// The id of the request, for logs.
    pub request_id: Option<String>,
}

impl Caller {
    /// A name, for what must not pass from one caller to another.
    pub fn name(&self) -> &str {
        self.principal.as_ref().map_or("", |principal| principal.name.as_str())
    }
}

/// What is listed where the request came in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Endpoint {
    /// Profiles.
    pub profiles: Vec<Profile>,
    /// Names.
    pub naming: Naming,
}

/// What the user or the client gave in an earlier round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inputs {
    /// By the names under which it was asked for; each an object.
    pub responses: Map<String, Value>,
    /// What was to be remembered; null at first.
    pub state: Value,
}

/// A request, as far as it matters to whoever answers.
pub struct Asking {
    /// The revision it speaks.
    pub revision: Revision,
    /// Who asks.
    pub caller: Caller,
    /// Where it came in.
    pub endpoint: Endpoint,
    /// What the client can do.
    pub capabilities: Map<String, Value>,
    /// Under which token it wants to hear of progress.
    pub progress: Option<Value>,
    /// From which level on it wants to hear of logs; absent: not at all.
    pub log_level: Option<String>,
    /// What was given in earlier rounds.
    pub inputs: Inputs,
    /// The connection lasts: the client can be told something outside of an answer.
    pub lasting: bool,
    /// The other side, for what is told meanwhile.
    pub peer: Peer,
}

impl Asking {
    /// True where the client has declared the capability.
    pub fn can(&self, capability: &str) -> bool {
        self.capabilities.contains_key(capability)
    }

    /// The same request with what the client answered.
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

/// Who may keep a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Anybody: it is the same for all.
    Public,
    /// The caller only.
    Private,
}

/// A list or a text that may be kept for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept<T> {
    /// What it is.
    pub value: T,
    /// Who may keep it.
    pub keep: Keep,
    /// For how many milliseconds.
    pub ttl_ms: u64,
}

/// What a call comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A result.
    Done(Map<String, Value>),
    /// Something must be asked first: requests by name, and what to remember until the answers come.
    Ask {
        /// `{method, params}` by name; may be empty.
        requests: Map<String, Value>,
        /// Comes back with the answers.
        state: Value,
    },
}

/// What a server can do, as its capabilities say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Offers {
    /// Its list of tools changes while it runs, and it tells.
    pub tools_change: bool,
    /// So for prompts.
    pub prompts_change: bool,
    /// Single resources may be listened to.
    pub subscribe: bool,
    /// Schemas of its tools name headers in which arguments are repeated.
    pub argument_headers: bool,
    /// It logs to clients: initialize-based revisions only.
    pub logging: bool,
    /// It may ask clients of initialize-based revisions something, and remembers by a session id what they can do.
    pub sessions: bool,
}

/// The kind of a thing whose argument is completed, and its name or URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completed {
    /// A prompt.
    Prompt(String),
    /// A resource or a template.
    Resource(String),
}

/// A completion: values, of how many.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// At most 100.
    pub values: Vec<String>,
    /// Of how many.
    pub total: usize,
}

/// An answer that takes a while.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, Fault>>;

/// What a server offers. Lists are in a fixed order.
pub trait Provider: Send + Sync {
    /// Its name and version.
    fn identity(&self) -> (&'static str, &'static str);
    /// The text for a model to read before it uses what an endpoint lists.
    fn instructions(&self, endpoint: &Endpoint) -> Option<Cow<'static, str>>;
    /// What it can do.
    fn offers(&self) -> Offers;
    /// Tools, as they are listed.
    fn tools<'a>(&'a self, asking: &'a Asking) -> Answer<'a, Kept<Vec<Value>>>;
    /// A call.
    fn call<'a>(&'a self, asking: Arc<Asking>, name: String, arguments: Params) -> Answer<'a, Reply>;
    /// Resources, as they are listed.
    fn resources<'a>(&'a self, asking: &'a Asking) -> Answer<'a, Kept<Vec<Value>>>;
    /// Templates of resources, as they are listed.
    fn templates<'a>(&'a self, asking: &'a Asking) -> Answer<'a, Kept<Vec<Value>>>;
    /// Contents of a resource.
    fn read<'a>(&'a self, asking: Arc<Asking>, uri: String) -> Answer<'a, Kept<Vec<Value>>>;
    /// How a resource looks, in a text that is another when the resource is; `None` where only the hub tells of it, or the caller
    /// may not read it.
    fn mark<'a>(&'a self, _asking: &'a Asking, _uri: &'a str) -> Answer<'a, Option<String>> {
        Box::pin(async { Ok(None) })
    }
    /// Prompts, as they are listed.
    fn prompts<'a>(&'a self, asking: &'a Asking) -> Answer<'a, Kept<Vec<Value>>>;
    /// A prompt with its arguments.
    fn prompt<'a>(&'a self, asking: Arc<Asking>, name: String, arguments: Params) -> Answer<'a, Reply>;
    /// Values for an argument that begin with what is there; `context`: arguments that are given already.
    fn complete<'a>(
        &'a self,
        asking: &'a Asking,
        of: Completed,
        argument: String,
        begin: String,
        context: Params,
    ) -> Answer<'a, Completion>;
}
