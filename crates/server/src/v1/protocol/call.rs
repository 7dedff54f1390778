//! The start of every operation: the caller, the path's ids, the parsed request. Order: route,
//! declared size, authentication, the body, parsing; then the operation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::extract::{FromRequestParts, Query, RawPathParams};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use loci_engine::calls::idempotency::{ClientToken, IfErased};
use loci_model::json::reserved_names;
use loci_model::principal::Principal;
use loci_model::warning::Warning;
use loci_model::{ActorId, Error, ErrorKind, MemoryId, Reason, Result};
use serde::de::{DeserializeOwned, IgnoredAny};

use super::problem;
use crate::auth::gate::Peer;
use crate::auth::single_header::single;
use crate::bodies::check_declared;
use crate::doors::Doors;

/// The header of the idempotency key.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// The header of the idempotency key that an earlier version of the client used for this request.
const FORMER_KEY: &str = "loci-former-key";
/// The header of a response that an earlier request with this idempotency key got.
pub(super) const REPLAYED: &str = "loci-replayed";
/// The header that specifies the treatment of a request whose source was erased.
const IF_ERASED: &str = "Loci-If-Erased";
/// The header with warnings about the parsing of the request: codes, joined by commas.
pub(crate) const WARNINGS: &str = "x-loci-warnings";

/// Marks a request whose body contained lone surrogates, from its parsing to its response.
#[derive(Debug, Clone, Default)]
pub(in crate::v1) struct RepairMark(Arc<AtomicBool>);

impl RepairMark {
    /// Returns the mark of a request, which accompanies it.
    pub(super) fn of(request: &mut axum::extract::Request) -> Self {
        let mark = Self::default();
        request.extensions_mut().insert(mark.clone());
        mark
    }

    pub(in crate::v1) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Sets the warning header of the response, if the mark was set.
    pub(super) fn warn(&self, headers: &mut HeaderMap) {
        if self.0.load(Ordering::Relaxed) {
            warn_of_repair(headers);
        }
    }
}

/// Sets the header with the warning that lone surrogates in the request became U+FFFD.
pub(crate) fn warn_of_repair(headers: &mut HeaderMap) {
    let code = HeaderValue::from_static(Warning::LoneSurrogateReplaced.code());
    headers.insert(WARNINGS, code);
}

/// A request of a known caller.
pub(crate) struct Call {
    pub(crate) doors: Doors,
    pub(crate) caller: Principal,
    path: Vec<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
    /// The body without lone surrogates, after they were searched for; `None` if it has none.
    whole: OnceLock<Option<Vec<u8>>>,
    repaired: RepairMark,
    peer: Peer,
}

/// Marks a request of an operation that takes no query, from the table of operations.
#[derive(Debug, Clone, Copy)]
pub(super) struct WithoutQuery;

impl Call {
    /// Authenticates, then reads the body within its limit, so that an unknown client cannot occupy
    /// memory. The listener discards the rest of a rejected body, so that the connection stays
    /// usable.
    pub(in crate::v1) async fn begin(doors: Doors, request: axum::extract::Request) -> Result<(Self, Parts)> {
        let (mut parts, body) = request.into_parts();
        check_declared(&body, doors.options.body_bytes_max)?;
        let (caller, path) = admit(&doors, &mut parts).await?;
        let body = doors.bodies.read(body, doors.options.body_bytes_max).await?;
        let headers = parts.headers.clone();
        let repaired = parts.extensions.get::<RepairMark>().cloned().unwrap_or_default();
        let peer = parts.extensions.get::<Peer>().copied().unwrap_or(Peer::Network);
        let whole = OnceLock::new();
        Ok((Self { doors, caller, path, headers, body, whole, repaired, peer }, parts))
    }

    /// Returns the connection of the request.
    pub(in crate::v1) fn peer(&self) -> Peer {
        self.peer
    }

    /// Returns the value of a path parameter.
    pub(in crate::v1) fn path(&self, name: &str) -> Result<&str> {
        let found = self.path.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).ok_or_else(|| Error::bug("a route without its parameter"))
    }

    /// Returns the value of a header, if it is present.
    pub(in crate::v1) fn header(&self, name: &str) -> Result<Option<&str>> {
        let Some(value) = single(&self.headers, name)? else { return Ok(None) };
        let text = value.to_str().ok().filter(|text| !text.is_empty());
        text.map(Some)
            .ok_or_else(|| Error::invalid(name, format!("the header {name} must be printable ASCII text")))
    }

    /// Returns the memory of the path, named by its id or its name.
    pub(in crate::v1) async fn memory(&self) -> Result<MemoryId> {
        self.doors.engine.memory_id(&self.caller, self.path("memory")?).await
    }

    /// Returns the actor of the path.
    pub(in crate::v1) fn actor(&self) -> Result<ActorId> {
        ActorId::parse(self.path("actor")?).map_err(|error| error.on("actor"))
    }

    /// Parses the request's body, an object; an empty one is `{}`.
    pub(in crate::v1) fn json<Q: DeserializeOwned>(&self) -> Result<Q> {
        object(self.whole())
    }

    /// Returns the body without lone surrogates. Documents within it stay text, so it is repaired
    /// before parsing, and only once.
    fn whole(&self) -> &[u8] {
        let repair = || {
            let repaired = loci_json::repair(&self.body)?;
            self.repaired.set();
            Some(repaired.text)
        };
        self.whole.get_or_init(repair).as_deref().unwrap_or(&self.body)
    }

    /// Returns the request's body as the text of a file. Lone surrogates in its bytes become
    /// U+FFFD.
    pub(in crate::v1) fn text(&self) -> Result<String> {
        let rule = "the body must be UTF-8, or JSON of the type application/json";
        let read = loci_json::text_of(self.body.to_vec()).map_err(|_| Error::invalid("body", rule))?;
        if read.replaced > 0 {
            self.repaired.set();
        }
        Ok(read.text)
    }

    /// Returns the raw body of the request.
    pub(in crate::v1) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the caller's idempotency token, with a digest of path and body.
    pub(in crate::v1) fn token(&self) -> Result<Option<ClientToken>> {
        if self.headers.contains_key(IDEMPOTENCY_KEY) { self.token_of(&self.json()?) } else { Ok(None) }
    }

    /// Returns the token of a request whose parameters are not all in a JSON body.
    pub(in crate::v1) fn token_of(&self, body: &serde_json::Value) -> Result<Option<ClientToken>> {
        let Some(value) = single(&self.headers, IDEMPOTENCY_KEY)? else { return Ok(None) };
        let text =
            value.to_str().ok().filter(|text| !text.is_empty()).ok_or_else(|| {
                Error::invalid(IDEMPOTENCY_KEY, "Idempotency-Key must be printable ASCII text")
            })?;
        let parameters = serde_json::json!({ "path": self.path, "body": body });
        let token = ClientToken::new(text, &parameters)?;
        let former = self.header(FORMER_KEY)?;
        Ok(Some(token.with_former(former)?.with_if_erased(self.if_erased()?)))
    }

    /// Returns the treatment of the request if its source was erased.
    pub(in crate::v1) fn if_erased(&self) -> Result<IfErased> {
        if_erased(&self.headers)
    }
}

/// Returns the treatment of a request with these headers if its source was erased.
pub(in crate::v1) fn if_erased(headers: &HeaderMap) -> Result<IfErased> {
    let Some(value) = single(headers, IF_ERASED)? else { return Ok(IfErased::default()) };
    IfErased::parse(value.to_str().unwrap_or_default())
}

/// Parses an object. Nested structs are objects too: `loci_json` reads none from an array.
fn object<Q: DeserializeOwned>(body: &[u8]) -> Result<Q> {
    let text = body.trim_ascii();
    if text.is_empty() {
        return loci_json::read(b"{}").map_err(problem::unreadable);
    }
    if !text.starts_with(b"{") {
        loci_json::read::<IgnoredAny>(body).map_err(problem::unreadable)?;
        let rule = "the body must be a JSON object: send its members by their names";
        return Err(Error::new(ErrorKind::Invalid, rule).because(Reason::CannotParse));
    }
    // A text that is not UTF-8 is not JSON either; the parser reports that.
    std::str::from_utf8(body).map_or(Ok(()), reserved_names::refuse)?;
    loci_json::read(body).map_err(problem::unreadable)
}

/// Returns the caller of a request, and the parameters of its path.
pub(in crate::v1) async fn admit(
    doors: &Doors,
    parts: &mut Parts,
) -> Result<(Principal, Vec<(String, String)>)> {
    let peer = parts.extensions.get::<Peer>().copied().unwrap_or(Peer::Network);
    let caller = match doors.gate.open_caller(peer, &parts.headers).await? {
        Some(caller) => caller,
        None => doors.gate.bearer_caller(&parts.headers).await?,
    };
    check_headers(&parts.headers)?;
    refuse_query(parts)?;
    Ok((caller, path_parameters(parts).await?))
}

/// Rejects a query of an operation that takes none, because the query would be ignored. Operations
/// that admit their callers by another proof than a key call this after it.
pub(in crate::v1) fn refuse_query(parts: &Parts) -> Result<()> {
    let has_query = parts.uri.query().is_some_and(|query| !query.is_empty());
    if has_query && parts.extensions.get::<WithoutQuery>().is_some() {
        let rule =
            "this operation takes no query: leave it out; members of a request belong in the JSON body";
        return Err(Error::invalid("query", rule));
    }
    Ok(())
}

/// Checks the headers of a repeated request, also for an operation that does not read them.
fn check_headers(headers: &HeaderMap) -> Result<()> {
    single(headers, IDEMPOTENCY_KEY)?;
    if_erased(headers).map(drop)
}

/// Returns the parameters of a path, by name.
pub(in crate::v1) async fn path_parameters(parts: &mut Parts) -> Result<Vec<(String, String)>> {
    let parameters = RawPathParams::from_request_parts(parts, &())
        .await
        .map_err(|error| Error::invalid("path", "the path must be percent-encoded UTF-8").caused_by(error))?;
    Ok(parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// Parses the query as a request's shape.
pub(in crate::v1) fn query<Q: DeserializeOwned>(parts: &Parts) -> Result<Q> {
    Query::<Q>::try_from_uri(&parts.uri)
        .map(|Query(query)| query)
        .map_err(|error| problem::unreadable_query(&error.body_text()))
}

/// Answers paths below `/v1` without an operation.
pub(in crate::v1) async fn unknown() -> Response {
    problem::ProblemResponse(Error::not_found(
        "no operation of the native API has this path and method; see /openapi.json",
    ))
    .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Default, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct QueriedName {
        name: Option<String>,
    }

    #[test]
    fn headers_of_repetition_occur_once_and_have_known_values() {
        let check = |pairs: &[(&'static str, &'static str)], field: Option<&str>| {
            let mut headers = HeaderMap::new();
            for &(name, value) in pairs {
                headers.append(name, HeaderValue::from_static(value));
            }
            let refused = check_headers(&headers).err().and_then(|error| error.field);
            assert_eq!(refused.as_deref(), field, "{pairs:?}");
        };
        check(&[], None);
        check(&[("idempotency-key", "a"), ("loci-if-erased", "restore")], None);
        check(&[("idempotency-key", "a"), ("idempotency-key", "a")], Some("Idempotency-Key"));
        check(&[("loci-if-erased", "bogus")], Some("Loci-If-Erased"));
        check(&[("loci-if-erased", "refuse"), ("loci-if-erased", "refuse")], Some("Loci-If-Erased"));
    }

    #[test]
    fn a_body_is_an_object() {
        let named = |name: &str| QueriedName { name: Some(name.to_owned()) };
        for (body, expect) in [
            ("", QueriedName::default()),
            (" \n", QueriedName::default()),
            ("{}", QueriedName::default()),
            ("\t{\"name\":\"a\"} ", named("a")),
        ] {
            assert_eq!(object::<QueriedName>(body.as_bytes()).unwrap(), expect, "{body:?}");
        }
        for body in ["[]", " [\"a\"]", "null", "\"a\"", "1"] {
            let refused = object::<QueriedName>(body.as_bytes()).unwrap_err();
            assert_eq!(refused.reason, Some(Reason::CannotParse), "{body}");
            assert!(refused.message.starts_with("the body must be a JSON object"), "{body}: {refused:?}");
        }
        let nested = br#"{"name":"k","grants":[{},[]]}"#;
        let nested = object::<loci_api::key::KeyCreate>(nested).map(drop).unwrap_err();
        assert_eq!(nested.field.as_deref(), Some("grants[1]"));
        assert!(nested.message.contains("expected an object"), "{nested:?}");
        for body in ["[", "{", "nothing", "{}x"] {
            let refused = object::<QueriedName>(body.as_bytes()).unwrap_err();
            assert!(refused.message.starts_with("the body is not valid JSON"), "{body}: {refused:?}");
        }
    }
}
