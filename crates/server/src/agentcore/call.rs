//! One call of an operation: the input and the result of its handler. Handlers decide nothing: they
//! read members, call the engine and write the response.

use std::collections::BTreeMap;

use http::StatusCode;
use loci_engine::Engine;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::memories::memory_arn;
use loci_model::memory::settings::MemorySettings;
use loci_model::principal::Principal;
use loci_model::warning::Notices;
use loci_model::{ActorId, Error, EventId, MemoryId, SessionId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::constraints::{Reason, Refusal};
use super::errors::AgentCoreFailure;
use super::page_token;
use super::route::Route;

/// The maximum wait for extraction in synchronous mode, in milliseconds. It is shorter than the
/// time that clients wait for a response.
const SYNC_WAIT_MS: u64 = 30_000;

/// A validated call.
pub(super) struct AgentCoreCall<'a> {
    pub(super) engine: &'a Engine,
    pub(super) caller: &'a Principal,
    pub(super) route: &'a Route,
    /// The JSON text of the request's body, checked against the constraints of the operation.
    pub(super) body: &'a str,
    /// True if the event content of the request exceeds a limit that only strict mode enforces.
    pub(super) over_limit: bool,
    /// True if CreateEvent and IngestData respond only after the extraction of their events.
    pub(super) extraction_sync: bool,
}

/// The response of a handler.
#[derive(Debug)]
pub(super) struct HandlerAnswer {
    pub(super) status: StatusCode,
    /// The JSON text of the response; `None` for a response without a body.
    pub(super) body: Option<String>,
    pub(super) notices: Notices,
}

/// The result of a handler.
pub(super) type HandlerOutcome = Result<HandlerAnswer, AgentCoreFailure>;

impl HandlerAnswer {
    /// Returns a response with a serialized body.
    pub(super) fn text(status: StatusCode, body: String) -> Self {
        Self { status, body: Some(body), notices: Notices::default() }
    }

    /// Returns a response whose body is the JSON form of a value.
    pub(super) fn json(status: StatusCode, shape: &impl Serialize) -> HandlerOutcome {
        let body = serde_json::to_string(shape)
            .map_err(|error| Error::bug("an answer cannot be written as JSON").caused_by(error))?;
        Ok(Self::text(status, body))
    }

    /// Returns a response without a body.
    pub(super) fn empty(status: StatusCode) -> Self {
        Self { status, body: None, notices: Notices::default() }
    }

    /// Returns this response with notices.
    pub(super) fn with_notices(mut self, notices: Notices) -> Self {
        self.notices = notices;
        self
    }
}

impl AgentCoreCall<'_> {
    /// Parses the body as the operation's request.
    pub(super) fn request<T: DeserializeOwned>(&self) -> Result<T, AgentCoreFailure> {
        serde_json::from_str(self.body).map_err(|error| {
            tracing::debug!(%error, operation = self.route.operation.name(), "a checked body did not fit its shape");
            Refusal::whole(Reason::CannotParse, "The request body does not have the operation's form").into()
        })
    }

    /// Returns the memory that the path names by its id or, on the data plane, by its ARN. An ARN
    /// of another account or region names no memory of this server.
    pub(super) fn memory(&self) -> Result<MemoryId, AgentCoreFailure> {
        let given = self.route.member("memoryId");
        if given.starts_with("arn:") { self.memory_of_arn(given) } else { Ok(MemoryId::parse(given)?) }
    }

    /// Returns the memory that an ARN names.
    pub(super) fn memory_of_arn(&self, arn: &str) -> Result<MemoryId, AgentCoreFailure> {
        let unknown = || Error::not_found("The ARN names no memory of this server");
        let (_, id) = arn.rsplit_once(":memory/").ok_or_else(unknown)?;
        let id = MemoryId::parse(id).map_err(|_| unknown())?;
        if memory_arn(self.engine.settings(), &id) == arn { Ok(id) } else { Err(unknown().into()) }
    }

    /// Returns the id of the actor in the request's path.
    pub(super) fn actor(&self) -> Result<ActorId, AgentCoreFailure> {
        Ok(ActorId::parse(self.route.member("actorId"))?)
    }

    /// Returns the id of the session in the request's path.
    pub(super) fn session(&self) -> Result<SessionId, AgentCoreFailure> {
        Ok(SessionId::parse(self.route.member("sessionId"))?)
    }

    /// Returns the id of the event in the request's path.
    pub(super) fn event(&self) -> Result<EventId, AgentCoreFailure> {
        Ok(EventId::parse(self.route.member("eventId"))?)
    }

    /// Returns the settings of a memory that affect the form of responses. They reveal nothing of
    /// its content.
    pub(super) async fn memory_settings(
        &self,
        memory: &MemoryId,
    ) -> Result<MemorySettings, AgentCoreFailure> {
        Ok(self.engine.memory_get(self.caller, memory).await?.settings)
    }

    /// Returns the client token of the request, with a digest of the body without the token. An
    /// empty token counts as absent.
    pub(super) fn token(&self, token: Option<&str>) -> Result<Option<ClientToken>, AgentCoreFailure> {
        let Some(token) = token.filter(|token| !token.is_empty()) else { return Ok(None) };
        Ok(Some(ClientToken::new(token, &self.body_without(&["clientToken"])?)?))
    }

    /// Returns the client token alone, for operations in which the engine itself compares the
    /// parameters of repeated requests. An empty token counts as absent.
    pub(super) fn bare_token(&self, token: Option<&str>) -> Result<Option<ClientToken>, AgentCoreFailure> {
        let token = token.filter(|token| !token.is_empty());
        Ok(token.map(|token| ClientToken::new(token, &Value::Null)).transpose()?)
    }

    /// Waits for the pending extraction of a session, if the server is configured so. Extraction
    /// that exceeds the wait continues in the background; the event is stored in any case.
    pub(super) async fn extracted(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<(), AgentCoreFailure> {
        if self.extraction_sync {
            // The caller may have the right to write only, so the engine waits in its own name. The
            // caller learns nothing of the result.
            let engine = Principal::engine();
            self.engine.extraction_wait(&engine, memory, Some(actor), Some(session), SYNC_WAIT_MS).await?;
        }
        Ok(())
    }

    /// Returns the position that the request's page token names, if there is one.
    pub(super) fn page_start(
        &self,
        token: Option<&str>,
        parts: usize,
    ) -> Result<Option<Vec<String>>, AgentCoreFailure> {
        let Some(token) = token else { return Ok(None) };
        Ok(Some(page_token::read(&self.binding()?, token, parts)?))
    }

    /// Returns the page token for the page that starts after the item at `place`.
    pub(super) fn page_token(&self, place: &[&str]) -> Result<String, AgentCoreFailure> {
        Ok(page_token::write(&self.binding()?, place))
    }

    /// Returns a digest of everything that the pages of one list have in common.
    fn binding(&self) -> Result<String, AgentCoreFailure> {
        let mut request = self.body_without(&["maxResults", "nextToken", "includePayloads"])?;
        if let Value::Object(members) = &mut request {
            members.insert("\n".into(), self.route.operation.name().into());
            for (name, value) in &self.route.path {
                // A memory by id and by ARN yields one list.
                let value = if *name == "memoryId" { self.memory()?.to_string() } else { value.clone() };
                members.insert(format!("\n{name}"), value.into());
            }
        }
        Ok(ClientToken::new("", &request)?.parameters)
    }

    fn body_without(&self, ignored: &[&str]) -> Result<Value, AgentCoreFailure> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(self.body)
            .map_err(|_| Refusal::whole(Reason::CannotParse, "The request body is not valid JSON"))?;
        // A document that is too deep for a tree counts as its text.
        let value = |raw: &RawValue| serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().into());
        let kept = members.into_iter().filter(|(name, _)| !ignored.contains(&name.as_str()));
        Ok(Value::Object(kept.map(|(name, raw)| (name, value(raw))).collect()))
    }
}
