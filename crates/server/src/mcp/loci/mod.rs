//! The offer of this server over MCP: the tools of its table, facts as resources, prompts. A
//! [`ToolBox`] with an engine answers the calls: this process, or a server elsewhere.

mod completion;
mod prompts;
mod resources;
mod result_limit;
mod rules;
mod toolbox;

use loci_api::ErrorCode;
use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Mcp;
use super::fault::McpFault;
use super::message::Params;
use super::options::Naming;
use super::provider::{
    CacheScope, CacheableResult, CallReply, CompletionTarget, CompletionValues, Endpoint, HandlerRequest,
    OfferedCapabilities, Provider, ResultFuture,
};
use crate::tools::error::ToolError;
use crate::tools::profile::Profile;
use crate::tools::table::Table;
use crate::tools::tool::{Tool, ToolRight};
pub use toolbox::{EngineTools, ToolBox};

/// The time for which lists that are equal for all callers may be cached, in milliseconds.
const LISTS_TTL_MS: u64 = 300_000;

/// The tools, resources and prompts that Loci offers over MCP.
pub struct LociOffer {
    table: Arc<Table>,
    tools: Arc<dyn ToolBox>,
    /// True if tools outside of the profile can be called by name.
    allow_unlisted: bool,
    /// The listeners, and the source of delimiters.
    mcp: Arc<Mcp>,
}

impl LociOffer {
    /// Creates the offer of a table's tools, which `tools` answers.
    pub fn new(table: Arc<Table>, tools: Arc<dyn ToolBox>, allow_unlisted: bool, mcp: Arc<Mcp>) -> Self {
        Self { table, tools, allow_unlisted, mcp }
    }

    /// Returns true if facts can be read. Features that need them are not offered otherwise.
    fn has_facts(&self) -> bool {
        self.table.find("memory_get_recent").is_some()
    }

    /// Returns true if a memory can be read as files.
    fn has_files(&self) -> bool {
        self.table.find("memory_list").is_some()
    }

    /// Returns the rules for the tools that an endpoint lists.
    fn rules(&self, endpoint: &Endpoint) -> Cow<'static, str> {
        let profiles = &endpoint.profiles;
        let of_others = if self.has_facts() { rules::INSTRUCTIONS } else { rules::INSTRUCTIONS_RECALL };
        match profiles.contains(&Profile::Sre) {
            true if profiles.len() == 1 => rules::INSTRUCTIONS_SRE.into(),
            true => format!("{of_others} {}", rules::INSTRUCTIONS_SRE).into(),
            false => of_others.into(),
        }
    }

    async fn listed(&self, asking: &HandlerRequest) -> Result<CacheableResult<Vec<Value>>, McpFault> {
        let scopes = self.tools.scopes(&asking.caller).await.map_err(unlisted)?;
        let dotted = asking.endpoint.naming == Naming::Dotted;
        let of_profiles = self.table.of(&asking.endpoint.profiles);
        let may = |tool: &&Tool| tool.is_open_to(|scope| scopes.contains(&scope));
        let value = of_profiles.filter(may).map(|tool| tool.shown(dotted)).collect();
        // A list without some of its items is private to the caller.
        let all =
            [ToolRight::Read, ToolRight::Write, ToolRight::Admin].iter().all(|scope| scopes.contains(scope));
        let keep = if all { CacheScope::Public } else { CacheScope::Private };
        Ok(CacheableResult { value, keep, ttl_ms: LISTS_TTL_MS })
    }

    async fn called(
        &self,
        asking: &HandlerRequest,
        name: &str,
        arguments: Params,
    ) -> Result<CallReply, McpFault> {
        let unknown = || {
            let name: String = name.chars().take(64).collect();
            McpFault::invalid(format!("there is no tool {name}"))
        };
        let (tool, _) = self.table.find(name).ok_or_else(unknown)?;
        let is_listed = tool.profiles.iter().any(|profile| asking.endpoint.profiles.contains(profile));
        if !is_listed && !self.allow_unlisted {
            return Err(unknown());
        }
        if asking
            .caller
            .principal
            .as_ref()
            .is_some_and(|caller| !tool.is_open_to(|scope| scope.is_held(caller)))
        {
            return Err(McpFault::forbidden(tool.scope));
        }
        let outcome = self.tools.call(&asking.caller, tool.name, arguments).await;
        if outcome.is_ok() && !tool.annotations.read_only {
            self.mcp.hub.changed();
        }
        let outcome = outcome.map_err(|error| match (&asking.caller.request_id, error.code) {
            (Some(id), ErrorCode::Bug) => error.with("correlation_id", id.as_str()),
            _ => error,
        });
        Ok(CallReply::Done(result(tool, outcome)))
    }

    /// Returns the result of a tool for a resource or a prompt.
    async fn ask(&self, asking: &HandlerRequest, name: &str, arguments: Value) -> Result<Value, ToolError> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        self.tools.call(&asking.caller, name, arguments).await
    }
}

/// Returns the result of a call: as JSON, and as the tool's text for clients that read texts, else
/// as that JSON in text.
fn result(tool: &Tool, outcome: Result<Value, ToolError>) -> Map<String, Value> {
    let (structured, text, is_error) = match outcome {
        Ok(value) => {
            let value = result_limit::cut(value);
            let is_error = value.get("is_error").and_then(Value::as_bool).unwrap_or_default();
            let text = tool.text(&value).unwrap_or_else(|| value.to_string());
            (value, text, is_error)
        }
        Err(error) => (error.shown(), format!("{}: {}", error.code.tool_word(), error.message), true),
    };
    let content = json!([{ "type": "text", "text": text }]);
    Map::from_iter([
        ("content".to_owned(), content),
        ("structuredContent".to_owned(), structured),
        ("isError".to_owned(), is_error.into()),
    ])
}

fn unlisted(error: ToolError) -> McpFault {
    McpFault::internal(format!("{}: {}", error.code.tool_word(), error.message))
}

/// Converts the error of a tool that a resource or a prompt called.
fn not_served(error: ToolError) -> McpFault {
    match error.code {
        ErrorCode::Invalid
        | ErrorCode::NotFound
        | ErrorCode::RepositoryUnknown
        | ErrorCode::RefNotFound
        | ErrorCode::PathRejected => McpFault::invalid(error.message),
        ErrorCode::Denied => McpFault::forbidden(ToolRight::Read),
        _ => unlisted(error),
    }
}

impl Provider for LociOffer {
    fn identity(&self) -> (&'static str, &'static str) {
        ("loci", env!("CARGO_PKG_VERSION"))
    }

    fn instructions(&self, endpoint: &Endpoint) -> Option<Cow<'static, str>> {
        let rules = self.rules(endpoint);
        // The tools of operations agents refer to no repository.
        let is_of_code = self.has_facts() && endpoint.profiles != [Profile::Sre];
        Some(match self.tools.repository().filter(|_| is_of_code) {
            Some(repo) => format!("{rules} {}", rules::here(&repo)).into(),
            None => rules,
        })
    }

    fn offers(&self) -> OfferedCapabilities {
        OfferedCapabilities { subscribe: true, ..OfferedCapabilities::default() }
    }

    fn tools<'a>(&'a self, asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(self.listed(asking))
    }

    fn call<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        name: String,
        arguments: Params,
    ) -> ResultFuture<'a, CallReply> {
        Box::pin(async move { self.called(&asking, &name, arguments).await })
    }

    fn resources<'a>(&'a self, asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(resources::list(self, asking))
    }

    fn templates<'a>(&'a self, _asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async move { Ok(resources::templates(self)) })
    }

    fn read<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        uri: String,
    ) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async move { resources::read(self, &asking, &uri).await })
    }

    fn mark<'a>(&'a self, asking: &'a HandlerRequest, uri: &'a str) -> ResultFuture<'a, Option<String>> {
        Box::pin(resources::mark(self, asking, uri))
    }

    fn prompts<'a>(&'a self, _asking: &'a HandlerRequest) -> ResultFuture<'a, CacheableResult<Vec<Value>>> {
        Box::pin(async move { Ok(prompts::list(self)) })
    }

    fn prompt<'a>(
        &'a self,
        asking: Arc<HandlerRequest>,
        name: String,
        arguments: Params,
    ) -> ResultFuture<'a, CallReply> {
        Box::pin(async move { prompts::get(self, &asking, &name, &arguments).await })
    }

    fn complete<'a>(
        &'a self,
        asking: &'a HandlerRequest,
        of: CompletionTarget,
        argument: String,
        begin: String,
        context: Params,
    ) -> ResultFuture<'a, CompletionValues> {
        Box::pin(async move { completion::complete(self, asking, &of, &argument, &begin, &context).await })
    }
}
