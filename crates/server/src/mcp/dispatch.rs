//! Runs a method of a request and returns its result in the form of the request's revision: result
//! types, the server's name, cache hints, rounds of questions. It is independent of the transport.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::fault::McpFault;
use super::input::{needs, purpose, responses};
use super::listen::listen;
use super::message::Params;
use super::provider::{CacheScope, CacheableResult, CallReply, CompletionTarget, HandlerRequest, Provider};
use super::revision::Revision;
use super::{Mcp, input};

/// The maximum number of question rounds of one request in an initialize-based revision.
const ROUNDS_MAX: usize = 8;
/// The time for which `server/discover` may be cached, in milliseconds.
const DISCOVER_TTL_MS: u64 = 3_600_000;

/// A server of the protocol: its tools, resources and prompts, and the state of the MCP interface.
pub struct Service {
    /// The tools, resources and prompts that the server offers.
    pub provider: Arc<dyn Provider>,
    /// The state of the interface.
    pub mcp: Arc<Mcp>,
    /// The supported revisions.
    pub revisions: Vec<Revision>,
}

/// A method that may ask the client questions before its result, in several rounds.
enum RoundCall {
    Call(String, Params),
    Prompt(String, Params),
}

impl Service {
    /// Answers a request.
    ///
    /// # Errors
    /// A fault of the protocol. An error in a tool is a result.
    pub async fn answer(
        &self,
        asking: HandlerRequest,
        id: &Value,
        method: &str,
        params: Params,
    ) -> Result<Value, McpFault> {
        let revision = asking.revision;
        let result = if revision.is_modern() {
            self.modern(asking, id, method, params).await?
        } else {
            self.legacy(asking, method, params).await?
        };
        Ok(Value::Object(if revision.is_modern() { self.dressed(result) } else { result }))
    }

    async fn modern(
        &self,
        asking: HandlerRequest,
        id: &Value,
        method: &str,
        params: Params,
    ) -> Result<Map<String, Value>, McpFault> {
        match method {
            "server/discover" => Ok(self.discovered(&asking)),
            "subscriptions/listen" => listen(self, id, &params, &asking).await,
            _ => self.common(asking, method, params).await,
        }
    }

    async fn legacy(
        &self,
        asking: HandlerRequest,
        method: &str,
        params: Params,
    ) -> Result<Map<String, Value>, McpFault> {
        let offers = self.provider.offers();
        let may_subscribe = offers.subscribe && (asking.lasting || offers.sessions);
        match method {
            "initialize" => self.initialized(&asking, &params),
            "ping" => Ok(Map::new()),
            "logging/setLevel" if offers.logging => Ok(Map::new()),
            "resources/subscribe" | "resources/unsubscribe" if may_subscribe => {
                text(&params, "uri").map(|_| Map::new())
            }
            _ => self.common(asking, method, params).await,
        }
    }

    /// Runs the methods that both kinds of revisions have.
    async fn common(
        &self,
        asking: HandlerRequest,
        method: &str,
        params: Params,
    ) -> Result<Map<String, Value>, McpFault> {
        let revision = asking.revision;
        let provider = &self.provider;
        match method {
            "tools/list" => {
                Ok(listed("tools", provider.tools(first_page(&asking, &params)?).await?, revision))
            }
            "resources/list" => {
                Ok(listed("resources", provider.resources(first_page(&asking, &params)?).await?, revision))
            }
            "resources/templates/list" => {
                let found = provider.templates(first_page(&asking, &params)?).await?;
                Ok(listed("resourceTemplates", found, revision))
            }
            "prompts/list" => {
                Ok(listed("prompts", provider.prompts(first_page(&asking, &params)?).await?, revision))
            }
            "resources/read" => {
                let uri = text(&params, "uri")?;
                Ok(listed("contents", provider.read(Arc::new(asking), uri).await?, revision))
            }
            "tools/call" => {
                let run = RoundCall::Call(text(&params, "name")?, arguments(&params)?);
                self.rounds(asking, method, &params, run).await
            }
            "prompts/get" => {
                let run = RoundCall::Prompt(text(&params, "name")?, arguments(&params)?);
                self.rounds(asking, method, &params, run).await
            }
            "completion/complete" => self.completed(&asking, &params).await,
            _ => Err(McpFault::unknown_method(method)),
        }
    }

    async fn rounds(
        &self,
        mut asking: HandlerRequest,
        method: &str,
        params: &Params,
        run: RoundCall,
    ) -> Result<Map<String, Value>, McpFault> {
        if asking.revision.is_modern() {
            let bearer = asking.caller.name().to_owned();
            let purpose = purpose(method, params);
            asking.inputs.responses = responses(params)?;
            asking.inputs.state = self.carried(&bearer, &purpose, params)?;
            let asking = Arc::new(asking);
            return match self.run(Arc::clone(&asking), &run).await? {
                CallReply::Done(result) => Ok(result),
                CallReply::Ask { requests, state } => {
                    declared(&asking, &requests)?;
                    Ok(self.question(&bearer, &purpose, requests, &state))
                }
            };
        }
        for _ in 0..ROUNDS_MAX {
            let asked = Arc::new(asking);
            match self.run(Arc::clone(&asked), &run).await? {
                CallReply::Done(result) => return Ok(result),
                CallReply::Ask { requests, state } => {
                    declared(&asked, &requests)?;
                    let responses = answers(&asked, requests).await?;
                    asking = asked.next_round(responses, state);
                }
            }
        }
        Err(McpFault::internal("the answers led to ever more questions"))
    }

    async fn run(&self, asking: Arc<HandlerRequest>, run: &RoundCall) -> Result<CallReply, McpFault> {
        match run {
            RoundCall::Call(name, arguments) => {
                self.provider.call(asking, name.clone(), arguments.clone()).await
            }
            RoundCall::Prompt(name, arguments) => {
                self.provider.prompt(asking, name.clone(), arguments.clone()).await
            }
        }
    }

    /// Returns the state that the client carried since the last round; null if there is none.
    fn carried(&self, bearer: &str, purpose: &str, params: &Params) -> Result<Value, McpFault> {
        let refused =
            || McpFault::malformed("requestState was not issued by this server, or has expired: start again");
        match params.get("requestState") {
            None => Ok(Value::Null),
            Some(Value::String(sealed)) => self.mcp.sealer.open(bearer, purpose, sealed).ok_or_else(refused),
            Some(_) => Err(refused()),
        }
    }

    fn question(&self, bearer: &str, purpose: &str, requests: Params, state: &Value) -> Map<String, Value> {
        let mut result = Map::new();
        result.insert("resultType".to_owned(), "input_required".into());
        if !requests.is_empty() {
            result.insert("inputRequests".to_owned(), Value::Object(requests));
        }
        if !state.is_null() {
            let sealed = self.mcp.sealer.seal(bearer, purpose, state);
            result.insert("requestState".to_owned(), sealed.into());
        }
        result
    }

    async fn completed(
        &self,
        asking: &HandlerRequest,
        params: &Params,
    ) -> Result<Map<String, Value>, McpFault> {
        let object = |name: &str| params.get(name).and_then(Value::as_object);
        let of = object("ref").and_then(|of| {
            let member = |name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
            match of.get("type").and_then(Value::as_str)? {
                "ref/prompt" => member("name").map(CompletionTarget::Prompt),
                "ref/resource" => member("uri").map(CompletionTarget::Resource),
                _ => None,
            }
        });
        let of = of.ok_or_else(|| McpFault::malformed("ref must name a prompt or a resource"))?;
        let argument = object("argument").ok_or_else(|| McpFault::malformed("argument must be an object"))?;
        let (name, begin) = (text(argument, "name")?, text(argument, "value")?);
        let context = object("context").and_then(|context| context.get("arguments")?.as_object().cloned());
        let found = self.provider.complete(asking, of, name, begin, context.unwrap_or_default()).await?;
        let has_more = found.total > found.values.len();
        let completion = json!({ "values": found.values, "total": found.total, "hasMore": has_more });
        Ok(Map::from_iter([("completion".to_owned(), completion)]))
    }

    fn discovered(&self, asking: &HandlerRequest) -> Map<String, Value> {
        let mut result = Map::new();
        result.insert("supportedVersions".to_owned(), json!(Revision::modern(&self.revisions)));
        result.insert("capabilities".to_owned(), self.capabilities(asking));
        if let Some(instructions) = self.provider.instructions(&asking.endpoint) {
            result.insert("instructions".to_owned(), instructions.into_owned().into());
        }
        kept(&mut result, CacheScope::Public, DISCOVER_TTL_MS);
        result
    }

    fn initialized(&self, asking: &HandlerRequest, params: &Params) -> Result<Map<String, Value>, McpFault> {
        let asked = params.get("protocolVersion").and_then(Value::as_str);
        let supported: Vec<_> = self.revisions.iter().map(|revision| revision.as_str()).collect();
        let Some(revision) = Revision::negotiated(asked, &self.revisions) else {
            return Err(McpFault::unsupported(asked.unwrap_or("initialize"), &supported));
        };
        let mut result = Map::new();
        result.insert("protocolVersion".to_owned(), revision.as_str().into());
        result.insert("capabilities".to_owned(), self.capabilities(asking));
        result.insert("serverInfo".to_owned(), self.identity());
        if let Some(instructions) = self.provider.instructions(&asking.endpoint) {
            result.insert("instructions".to_owned(), instructions.into_owned().into());
        }
        Ok(result)
    }

    fn capabilities(&self, asking: &HandlerRequest) -> Value {
        let offers = self.provider.offers();
        let is_modern = asking.revision.is_modern();
        // Over HTTP an initialize-based client has no stream for notifications of changes.
        let tells = is_modern || asking.lasting || offers.sessions;
        let changing =
            |changes: bool| if changes && tells { json!({ "listChanged": true }) } else { json!({}) };
        let resources = if offers.subscribe && tells { json!({ "subscribe": true }) } else { json!({}) };
        let mut capabilities = json!({
            "tools": changing(offers.tools_change),
            "resources": resources,
            "prompts": changing(offers.prompts_change),
            "completions": {},
        });
        if let (false, true, Some(members)) = (is_modern, offers.logging, capabilities.as_object_mut()) {
            members.insert("logging".to_owned(), json!({}));
        }
        capabilities
    }

    fn identity(&self) -> Value {
        let (name, version) = self.provider.identity();
        json!({ "name": name, "version": version })
    }

    /// Adds the members that every result of the newest revision has: its type, and the server's
    /// identity.
    fn dressed(&self, mut result: Map<String, Value>) -> Map<String, Value> {
        if !result.contains_key("resultType") {
            result.insert("resultType".to_owned(), "complete".into());
        }
        let meta = result.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), self.identity());
        }
        result
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("revisions", &self.revisions).finish_non_exhaustive()
    }
}

/// Checks that the client has declared the capabilities that a question needs.
fn declared(asking: &HandlerRequest, requests: &Params) -> Result<(), McpFault> {
    for request in requests.values() {
        let needed = needs(request.get("method").and_then(Value::as_str).unwrap_or_default())?;
        if !asking.can(needed) {
            return Err(McpFault::missing_capability(needed));
        }
    }
    Ok(())
}

/// Asks a client of an initialize-based revision, one question after the other.
async fn answers(asking: &HandlerRequest, requests: Params) -> Result<Map<String, Value>, McpFault> {
    let mut responses = Map::new();
    for (name, request) in requests {
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
        input::needs(method)?;
        let params = request.get("params").cloned().unwrap_or_else(|| json!({}));
        let answer = asking.peer.ask(method, params).await?;
        responses.insert(name, Value::Object(answer));
    }
    Ok(responses)
}

fn text(params: &Params, name: &str) -> Result<String, McpFault> {
    let found = params.get(name).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| McpFault::malformed(format!("{name} must be a text")))
}

fn arguments(params: &Params) -> Result<Params, McpFault> {
    match params.get("arguments") {
        None | Some(Value::Null) => Ok(Params::new()),
        Some(Value::Object(arguments)) => Ok(arguments.clone()),
        Some(_) => Err(McpFault::malformed("arguments must be an object")),
    }
}

/// Lists are short and not paged, so any cursor is invalid.
fn first_page<'a>(asking: &'a HandlerRequest, params: &Params) -> Result<&'a HandlerRequest, McpFault> {
    match params.get("cursor") {
        None => Ok(asking),
        Some(_) => Err(McpFault::invalid("the cursor is none of this server's: lists come whole")),
    }
}

fn listed(name: &str, found: CacheableResult<Vec<Value>>, revision: Revision) -> Map<String, Value> {
    let mut result = Map::new();
    result.insert(name.to_owned(), Value::Array(found.value));
    if revision.is_modern() {
        kept(&mut result, found.keep, found.ttl_ms);
    }
    result
}

fn kept(result: &mut Map<String, Value>, keep: CacheScope, ttl_ms: u64) {
    let scope = match keep {
        CacheScope::Public => "public",
        CacheScope::Private => "private",
    };
    result.insert("ttlMs".to_owned(), ttl_ms.into());
    result.insert("cacheScope".to_owned(), scope.into());
}
