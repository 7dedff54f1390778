//! What a tool is, for every door: its names, its schemas, what it may do, and the function that does it.

use http::Extensions;
use loci_model::ports::BoxFuture;
use loci_model::principal::{Capability, Principal};
use loci_products::Loci;
use serde_json::{Map, Value, json};

use super::error::ToolError;
use super::place::PlaceAsk;
use super::profile::Profile;
use super::schema;

/// Arguments of a call, as they came.
pub type Arguments = Map<String, Value>;
/// What a call gives.
pub type Outcome = Result<Value, ToolError>;
/// The work of a tool. Its arguments have the form of its schema when it is called.
pub type Work = fn(Context, Arguments) -> BoxFuture<'static, Outcome>;

/// The context of a call: the engine and its products, the caller, and the memory that they mean.
#[derive(Clone)]
pub struct Context {
    /// The engine and its products.
    pub engine: Loci,
    /// Who asks.
    pub caller: Principal,
    /// Which memory is meant.
    pub place: PlaceAsk,
    /// Values of a product that its door gives its tools.
    pub extensions: Extensions,
}

/// What a caller must be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// `memory:read`
    Read,
    /// `memory:write`
    Write,
    /// `memory:admin`
    Admin,
    /// `memory:agent`: the tools by which the agent of a task works on it, and nothing else.
    Agent,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Admin, Self::Agent];

    /// As it is written in tokens and challenges.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "memory:read",
            Self::Write => "memory:write",
            Self::Admin => "memory:admin",
            Self::Agent => "memory:agent",
        }
    }

    /// The capability that stands for it.
    pub fn capability(self) -> Capability {
        match self {
            Self::Read => Capability::Read,
            Self::Write => Capability::Write,
            Self::Admin => Capability::Admin,
            Self::Agent => Capability::Agent,
        }
    }

    /// True when the caller has it somewhere; where, the engine asks.
    pub fn is_held(self, caller: &Principal) -> bool {
        caller.grants.iter().any(|grant| grant.capabilities.contains(&self.capability()))
    }
}

/// The tools of whoever may act as the agent of a task.
const OF_AGENTS: [&str; 4] = ["memory_hydrate", "memory_search", "memory_note", "memory_feedback"];

impl Tool {
    /// True for whoever has such scopes: the tool's own, or an agent's for a tool of agents. Where, the engine asks.
    pub fn is_open_to(&self, has: impl Fn(Scope) -> bool) -> bool {
        has(self.scope) || (is_of_agents(self.name) && has(Scope::Agent))
    }
}

/// True for the name of a tool by which the agent of a task works on it.
pub fn is_of_agents(name: &str) -> bool {
    OF_AGENTS.contains(&name)
}

/// Hints for clients. The server never relies on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotations {
    /// It changes nothing but bookkeeping.
    pub read_only: bool,
    /// It may take something away for good; only said of tools that change something.
    pub destructive: bool,
    /// The same call twice changes nothing more; only said of tools that change something.
    pub idempotent: bool,
    /// It may reach beyond this server.
    pub open_world: bool,
}

impl Annotations {
    /// A tool that reads.
    pub const fn read(open_world: bool) -> Self {
        Self { read_only: true, destructive: false, idempotent: true, open_world }
    }

    /// A tool that changes.
    pub const fn write(destructive: bool, idempotent: bool, open_world: bool) -> Self {
        Self { read_only: false, destructive, idempotent, open_world }
    }

    /// As MCP lists them.
    pub fn shown(self) -> Value {
        if self.read_only {
            return json!({ "readOnlyHint": true, "openWorldHint": self.open_world });
        }
        json!({
            "readOnlyHint": false,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        })
    }
}

/// A tool.
pub struct Tool {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its name in the source design, which every door takes as well.
    pub dotted: Option<&'static str>,
    /// What it is for, at most 200 characters.
    pub description: &'static str,
    /// Where it is listed.
    pub profiles: &'static [Profile],
    /// What its caller must be allowed to do.
    pub scope: Scope,
    /// Hints.
    pub annotations: Annotations,
    /// The form of its arguments, with every limit.
    pub input: Value,
    /// The form of its result.
    pub output: Value,
    /// The work; `None`: it cannot be called yet, and nobody is told of it.
    pub work: Option<Work>,
}

impl Tool {
    /// A title for people: the dotted name where there is one.
    pub fn title(&self) -> &'static str {
        self.dotted.unwrap_or(self.name)
    }

    /// The form of its arguments as it is listed: without patterns and limits, which cost tokens and are checked anyway.
    pub fn listed_input(&self) -> Value {
        schema::listed(&self.input)
    }

    /// The text of a result, where a model reads one of its members and not the whole; what is to be known beside stands behind it.
    pub fn text(&self, result: &Value) -> Option<String> {
        let member = self.output.get(schema::TEXT)?.as_str()?;
        let mut text = result.get(member)?.as_str()?.to_owned();
        for warning in result.get("warnings").and_then(Value::as_array).into_iter().flatten() {
            text.push('\n');
            text.push_str(warning.as_str().unwrap_or_default());
        }
        Some(text)
    }

    /// As MCP lists it, under the one name or the other.
    pub fn shown(&self, dotted: bool) -> Value {
        let name = if dotted { self.title() } else { self.name };
        let mut shown = json!({
            "name": name,
            "title": self.title(),
            "description": self.description,
            "inputSchema": self.listed_input(),
            "outputSchema": schema::listed_result(&self.output),
            "annotations": self.annotations.shown(),
        });
        if let (Some(dotted), Some(shown)) = (self.dotted, shown.as_object_mut()) {
            shown.insert("_meta".to_owned(), json!({ "loci/dottedName": dotted }));
        }
        shown
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).field("scope", &self.scope).finish_non_exhaustive()
    }
}
