//! The definition of a tool, for every interface: its names, its schemas, its required scope, and
//! its function.

use http::Extensions;
use loci_model::ports::BoxFuture;
use loci_model::principal::{Capability, Principal};
use loci_products::Loci;
use serde_json::{Map, Value, json};

use super::error::ToolError;
use super::memory_selection::PlaceAsk;
use super::profile::Profile;
use super::schema;

/// The arguments of a call, as received.
pub type ReceivedArguments = Map<String, Value>;
/// The result of a call.
pub type ToolOutcome = Result<Value, ToolError>;
/// The work of a tool. Its arguments have the form of its schema when it is called.
pub type ToolFuture = fn(Context, ReceivedArguments) -> BoxFuture<'static, ToolOutcome>;

/// The context of a call: the engine and its products, the caller, and the memory.
#[derive(Clone)]
pub struct Context {
    /// The engine and its products.
    pub engine: Loci,
    /// The caller of the tool.
    pub caller: Principal,
    /// The headers and settings that determine the memory of the call.
    pub place: PlaceAsk,
    /// Values that an interface passes to the tools of a product.
    pub extensions: Extensions,
}

/// The right that a caller needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolRight {
    /// The right to read: the scope `memory:read`.
    Read,
    /// The right to write: the scope `memory:write`.
    Write,
    /// The right to administer: the scope `memory:admin`.
    Admin,
    /// `memory:agent`: only the tools by which the agent of a task works on it.
    Agent,
}

impl ToolRight {
    /// All scopes of tools.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Admin, Self::Agent];

    /// Returns the scope's name in tokens and challenges.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "memory:read",
            Self::Write => "memory:write",
            Self::Admin => "memory:admin",
            Self::Agent => "memory:agent",
        }
    }

    /// Returns the corresponding capability.
    pub fn capability(self) -> Capability {
        match self {
            Self::Read => Capability::Read,
            Self::Write => Capability::Write,
            Self::Admin => Capability::Admin,
            Self::Agent => Capability::Agent,
        }
    }

    /// Returns true if the caller has the scope somewhere. The engine checks where.
    pub fn is_held(self, caller: &Principal) -> bool {
        caller.grants.iter().any(|grant| grant.capabilities.contains(&self.capability()))
    }
}

/// The tools for callers that may act as the agent of a task.
const OF_AGENTS: [&str; 4] = ["memory_hydrate", "memory_search", "memory_note", "memory_feedback"];

impl Tool {
    /// Returns true for a caller with such scopes: the tool's own, or an agent's for a tool of
    /// agents. The engine checks where they apply.
    pub fn is_open_to(&self, has: impl Fn(ToolRight) -> bool) -> bool {
        has(self.scope) || (is_of_agents(self.name) && has(ToolRight::Agent))
    }
}

/// Returns true for the name of a tool by which the agent of a task works on it.
pub fn is_of_agents(name: &str) -> bool {
    OF_AGENTS.contains(&name)
}

/// Hints for clients. The server never relies on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotations {
    /// True if the tool changes nothing but bookkeeping.
    pub read_only: bool,
    /// True if the tool may delete something permanently; set only for tools that change something.
    pub destructive: bool,
    /// True if a repeated call changes nothing more; set only for tools that change something.
    pub idempotent: bool,
    /// True if the tool may access systems beyond this server.
    pub open_world: bool,
}

impl Annotations {
    /// Returns the hints for a tool that reads.
    pub const fn read(open_world: bool) -> Self {
        Self { read_only: true, destructive: false, idempotent: true, open_world }
    }

    /// Returns the hints for a tool that changes something.
    pub const fn write(destructive: bool, idempotent: bool, open_world: bool) -> Self {
        Self { read_only: false, destructive, idempotent, open_world }
    }

    /// Returns the hints in the form of MCP.
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

/// A tool: a function that a model may call.
pub struct Tool {
    /// The name of the tool.
    pub name: &'static str,
    /// The name in the source design, which every interface accepts too.
    pub dotted: Option<&'static str>,
    /// The description, at most 200 characters.
    pub description: &'static str,
    /// The profiles whose lists contain the tool.
    pub profiles: &'static [Profile],
    /// The right that a caller of the tool needs.
    pub scope: ToolRight,
    /// Hints for clients about the effects of the tool.
    pub annotations: Annotations,
    /// The schema of its arguments, with every limit.
    pub input: Value,
    /// The schema of its result.
    pub output: Value,
    /// The function that runs the tool. `None` if the tool cannot be called yet; such a tool is not
    /// listed.
    pub work: Option<ToolFuture>,
}

impl Tool {
    /// Returns a title for people: the dotted name if there is one.
    pub fn title(&self) -> &'static str {
        self.dotted.unwrap_or(self.name)
    }

    /// Returns the listed schema of the arguments, without patterns and limits. Those cost tokens
    /// and are checked in any case.
    pub fn listed_input(&self) -> Value {
        schema::listed(&self.input)
    }

    /// Returns the text of a result of which a model reads one member, followed by warnings.
    pub fn text(&self, result: &Value) -> Option<String> {
        let member = self.output.get(schema::TEXT)?.as_str()?;
        let mut text = result.get(member)?.as_str()?.to_owned();
        for warning in result.get("warnings").and_then(Value::as_array).into_iter().flatten() {
            text.push('\n');
            text.push_str(warning.as_str().unwrap_or_default());
        }
        Some(text)
    }

    /// Returns the tool in the form of MCP, under either name.
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
