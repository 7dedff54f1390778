//! Idempotency tokens: a retry with the same token gets the response of the first successful
//! request.
//!
//! The lookup and the storage run inside the write they belong to, so a concurrent duplicate sees
//! the first request or is the first.

use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::ports::store::Tx;
use loci_model::ports::vault::Vault;
use loci_model::principal::{Capability, Principal};
use loci_model::{Document, Error, ErrorText, FieldName, MemoryId, Reason, Result, Timestamp, limits};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::access;
use crate::admin::erasure::{Source, Tombstones};

/// The choice of a caller for a request whose data was erased in this store before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IfErased {
    /// A retry with a known token gets the first response. Data that was forgotten together with
    /// a person is rejected.
    #[default]
    Answer,
    /// The request is rejected with the time of the erasure. Events of a forgotten actor from
    /// before that time are also rejected.
    Refuse,
    /// The data is stored again, because the caller restores it deliberately.
    Restore,
}

impl IfErased {
    /// Parses the value of the request header for erased data.
    ///
    /// # Errors
    /// `Invalid` for another value.
    pub fn parse(word: &str) -> Result<Self> {
        match word {
            "refuse" => Ok(Self::Refuse),
            "restore" => Ok(Self::Restore),
            _ => Err(Error::invalid("Loci-If-Erased", "Loci-If-Erased must be refuse or restore")),
        }
    }
}

/// A caller's idempotency token, with a digest of the parameters of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientToken {
    /// The text of the token.
    pub token: String,
    /// The digest of the request's JSON without the token. Another request with the same token
    /// has another digest.
    pub parameters: String,
    /// The principal whose token it is. Empty for callers who may write the whole memory: they
    /// share their tokens.
    pub(crate) owner: String,
    /// The treatment of the request if its data was erased before.
    pub(crate) if_erased: IfErased,
    /// The token under which an earlier version of the client sent this request.
    pub(crate) former: Option<String>,
}

impl ClientToken {
    /// Creates a token from its text and the JSON of the request without the token. The order of
    /// JSON keys does not matter.
    pub fn new(token: impl Into<String>, parameters: &serde_json::Value) -> Result<Self> {
        let token = token.into();
        check_length(FieldName::IdempotencyKey, &token)?;
        let mut hasher = Sha256::new();
        feed(&mut hasher, parameters);
        Ok(Self {
            token,
            parameters: hex::encode(hasher.finalize()),
            owner: String::new(),
            if_erased: IfErased::default(),
            former: None,
        })
    }

    /// Adds the token under which an earlier version of the client sent the same request. The
    /// stored response and the tombstones of that token then apply to this request too.
    ///
    /// # Errors
    /// `Invalid` for a token that is too long.
    pub fn with_former(self, former: Option<&str>) -> Result<Self> {
        if let Some(former) = former {
            check_length("Loci-Former-Key", former)?;
        }
        Ok(Self { former: former.map(str::to_owned), ..self })
    }

    /// Sets the treatment of the request if its data was erased before.
    #[must_use]
    pub fn with_if_erased(self, if_erased: IfErased) -> Self {
        Self { if_erased, ..self }
    }

    /// Restricts the token to the caller, unless the caller may write the whole memory. Otherwise
    /// the stored response of another caller could reveal a part of the memory.
    pub fn of(mut self, caller: &Principal, memory: &MemoryId) -> Result<Self> {
        if access::require_whole(caller, memory, Capability::Write).is_err() {
            self.owner = digest(caller)?;
        }
        Ok(self)
    }

    /// Restricts the token to the caller in any case, because the response concerns one person.
    pub fn of_person(mut self, caller: &Principal) -> Result<Self> {
        self.owner = digest(caller)?;
        Ok(self)
    }

    /// Returns the scope in which the token is unique: a memory, or the server if `place` is
    /// `None`, and an operation.
    pub(crate) fn scope(&self, place: Option<&MemoryId>, operation: &str) -> TokenScope {
        self.scope_of(&self.token, place, operation)
    }

    fn former_scope(&self, place: Option<&MemoryId>, operation: &str) -> Option<TokenScope> {
        self.former.as_ref().map(|former| self.scope_of(former, place, operation))
    }

    fn scope_of(&self, token: &str, place: Option<&MemoryId>, operation: &str) -> TokenScope {
        TokenScope {
            place: place.map_or_else(|| "server".to_owned(), ToString::to_string),
            operation: operation.to_owned(),
            token: format!("{}{token}", self.owner),
        }
    }
}

fn check_length(field: impl Into<ErrorText> + Copy, token: &str) -> Result<()> {
    let most = limits::CLIENT_TOKEN_CHARS_MAX;
    if token.chars().count() > most {
        let rule = field.into() + format!(" must have at most {most} characters");
        return Err(Error::invalid(field, rule));
    }
    Ok(())
}

fn digest(caller: &Principal) -> Result<String> {
    let caller = serde_json::to_vec(caller)
        .map_err(|error| Error::bug("a principal cannot be written down").caused_by(error))?;
    Ok(hex::encode(Sha256::digest(caller)))
}

/// Adds a JSON value to a digest, with a result that does not depend on the order of keys.
fn feed(hasher: &mut Sha256, value: &serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            let mut keys: Vec<_> = members.iter().filter(|(_, member)| !member.is_null()).collect();
            keys.sort_by(|left, right| left.0.cmp(right.0));
            hasher.update(b"{");
            for (key, member) in keys {
                hasher.update(serde_json::Value::from(key.as_str()).to_string());
                hasher.update(b":");
                feed(hasher, member);
                hasher.update(b",");
            }
            hasher.update(b"}");
        }
        serde_json::Value::Array(items) => {
            hasher.update(b"[");
            for item in items {
                feed(hasher, item);
                hasher.update(b",");
            }
            hasher.update(b"]");
        }
        scalar => hasher.update(scalar.to_string()),
    }
}

/// The result of looking up an idempotency token.
pub enum Replay<T> {
    /// The token is unknown: the caller must do the work and then call [`remember`].
    Fresh,
    /// The token is known with the same parameters; the value is the stored response.
    Same(T),
    /// The token is known with other parameters; the value is the stored response.
    Other(T),
}

/// Looks up the token of a request inside its write. A request whose response was forgotten with a
/// person does not run again, unless its caller restores it.
///
/// # Errors
/// `SOURCE_ERASED`; errors of the store and of the vault.
pub fn look_up<T: DeserializeOwned>(
    tx: &mut dyn Tx,
    vault: &dyn Vault,
    token: Option<&ClientToken>,
    place: Option<&MemoryId>,
    operation: &str,
    now: Timestamp,
) -> Result<Replay<T>> {
    let found = recall(tx, token, place, operation, now)?;
    if let (Replay::Fresh, Some(token), Some(memory)) = (&found, token, place) {
        check_erased(tx, Tombstones { vault, memory }, token, operation)?;
        if take_former(tx, token, memory, operation, now)? {
            return recall(tx, Some(token), place, operation, now);
        }
    }
    Ok(found)
}

/// Stores the response of the client's former token under the new token too. Returns false if the
/// former token has no response.
fn take_former(
    tx: &mut dyn Tx,
    token: &ClientToken,
    memory: &MemoryId,
    operation: &str,
    now: Timestamp,
) -> Result<bool> {
    let Some(former) = token.former_scope(Some(memory), operation) else { return Ok(false) };
    let Some(answer) = tx.idempotency().get(&former, now)? else { return Ok(false) };
    tx.idempotency_mut().put(&token.scope(Some(memory), operation), &answer)?;
    Ok(true)
}

fn check_erased(
    tx: &mut dyn Tx,
    tombstones: Tombstones<'_>,
    token: &ClientToken,
    operation: &str,
) -> Result<()> {
    let place = Some(tombstones.memory);
    let scopes = [Some(token.scope(place, operation)), token.former_scope(place, operation)];
    for scope in scopes.into_iter().flatten() {
        let name = tx.idempotency().name(&scope)?;
        let source = Source::Request(&name);
        tombstones.restore_or_refuse(tx, (&source, "what the request wrote"), token.if_erased)?;
    }
    Ok(())
}

/// Returns the stored response of a token, without a check for erased data. It is for lookups
/// before the write that makes this check, and for tokens that the server makes itself.
pub fn recall<T: DeserializeOwned>(
    tx: &mut dyn Tx,
    token: Option<&ClientToken>,
    place: Option<&MemoryId>,
    operation: &str,
    now: Timestamp,
) -> Result<Replay<T>> {
    let Some(token) = token else { return Ok(Replay::Fresh) };
    let Some(found) = tx.idempotency().get(&token.scope(place, operation), now)? else {
        return Ok(Replay::Fresh);
    };
    let answer = serde_json::from_str(found.answer.as_str())
        .map_err(|error| Error::bug("a remembered answer cannot be read").caused_by(error))?;
    Ok(if found.parameters == token.parameters { Replay::Same(answer) } else { Replay::Other(answer) })
}

/// Converts the result of a lookup: a stored response for the same request, `None` for an unknown
/// token, and an error for a token with other parameters.
pub fn replayed<T>(replay: Replay<T>) -> Result<Option<T>> {
    match replay {
        Replay::Fresh => Ok(None),
        Replay::Same(answer) => Ok(Some(answer)),
        Replay::Other(_) => Err(mismatch()),
    }
}

/// Returns the error for a token that was used with other parameters.
pub(crate) fn mismatch() -> Error {
    let field = FieldName::IdempotencyKey;
    let rule = field + " was used before with other parameters: send a new token";
    Error::invalid(field, rule).because(Reason::IdempotentParameterMismatch)
}

/// Stores a response under a token, inside the write that did the work. It is kept for at least
/// 24 hours.
pub fn remember<T: Serialize>(
    tx: &mut dyn Tx,
    token: Option<&ClientToken>,
    place: Option<&MemoryId>,
    operation: &str,
    answer: &T,
    expires: Timestamp,
) -> Result<()> {
    let Some(token) = token else { return Ok(()) };
    let value = serde_json::to_string(answer)
        .map_err(|error| Error::bug("an answer cannot be written down").caused_by(error))?;
    let answer =
        TokenAnswer { parameters: token.parameters.clone(), answer: Document::parse(&value)?, expires };
    tx.idempotency_mut().put(&token.scope(place, operation), &answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn key_order_and_nulls_do_not_matter() {
        let digest = |value| ClientToken::new("t", &value).unwrap().parameters;
        assert_eq!(digest(json!({"a": 1, "b": [1, 2]})), digest(json!({"b": [1, 2], "a": 1, "c": null})));
        assert_ne!(digest(json!({"a": [1, 2]})), digest(json!({"a": [2, 1]})));
        assert_ne!(digest(json!({"a": "1"})), digest(json!({"a": 1})));
        assert!(ClientToken::new("x".repeat(1025), &json!({})).is_err());
    }
}
