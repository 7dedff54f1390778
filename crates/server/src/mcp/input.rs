//! Results that need input from the user or the client first, and the state that the client carries
//! meanwhile. The state is sealed with its bearer, its request and its expiry. It is authenticated,
//! not encrypted.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use loci_model::ports::clock::Clock;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::fault::McpFault;
use super::message::Params;

/// The lifetime of carried state, in milliseconds.
const GOOD_MS: i64 = 10 * 60 * 1000;

/// Seals the state that clients carry.
pub struct Sealer {
    key: Vec<u8>,
    clock: Arc<dyn Clock>,
}

impl Sealer {
    /// Creates a sealer with a key of this process.
    pub fn new(key: Vec<u8>, clock: Arc<dyn Clock>) -> Self {
        Self { key, clock }
    }

    /// Seals a value for one bearer and one purpose.
    pub fn seal(&self, bearer: &str, purpose: &str, value: &Value) -> String {
        let until = self.clock.now().millis().saturating_add(GOOD_MS);
        self.seal_until(bearer, purpose, value, Some(until))
    }

    /// Seals a value without expiry.
    pub fn seal_for_good(&self, bearer: &str, purpose: &str, value: &Value) -> String {
        self.seal_until(bearer, purpose, value, None)
    }

    fn seal_until(&self, bearer: &str, purpose: &str, value: &Value, until: Option<i64>) -> String {
        let body = json!({ "for": bearer, "to": purpose, "until": until, "value": value }).to_string();
        format!("{}.{}", hex::encode(&body), hex::encode(self.mac(body.as_bytes())))
    }

    /// Opens a value that was sealed for this bearer and purpose and has not expired.
    pub fn open(&self, bearer: &str, purpose: &str, sealed: &str) -> Option<Value> {
        let (body, mac) = sealed.split_once('.')?;
        let (body, mac) = (hex::decode(body).ok()?, hex::decode(mac).ok()?);
        let mut hmac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        hmac.update(&body);
        hmac.verify_slice(&mac).ok()?;
        let Value::Object(mut body) = serde_json::from_slice(&body).ok()? else { return None };
        let is = |name: &str, text: &str| body.get(name).and_then(Value::as_str) == Some(text);
        let lapsed =
            body.get("until").and_then(Value::as_i64).is_some_and(|until| until < self.clock.now().millis());
        if !is("for", bearer) || !is("to", purpose) || lapsed {
            return None;
        }
        body.remove("value")
    }

    fn mac(&self, body: &[u8]) -> Vec<u8> {
        let Ok(mut hmac) = Hmac::<Sha256>::new_from_slice(&self.key) else { return Vec::new() };
        hmac.update(body);
        hmac.finalize().into_bytes().to_vec()
    }
}

/// Returns the purpose of carried state: a digest of the request's method and target.
pub(super) fn purpose(method: &str, params: &Params) -> String {
    let mut named = Map::new();
    for name in ["name", "uri", "arguments"] {
        if let Some(value) = params.get(name) {
            named.insert(name.to_owned(), value.clone());
        }
    }
    let text = json!([method, named]).to_string();
    hex::encode(Sha256::digest(text))
}

/// Returns the capability that a request to a client needs.
pub(super) fn needs(method: &str) -> Result<&'static str, McpFault> {
    match method {
        "elicitation/create" => Ok("elicitation"),
        "sampling/createMessage" => Ok("sampling"),
        "roots/list" => Ok("roots"),
        _ => Err(McpFault::internal("a question of no known kind")),
    }
}

/// Returns the answers in a request, parsed strictly as an object of objects.
pub(super) fn responses(params: &Params) -> Result<Map<String, Value>, McpFault> {
    let responses = match params.get("inputResponses") {
        None => return Ok(Map::new()),
        Some(Value::Object(responses)) => responses,
        Some(_) => return Err(McpFault::invalid("inputResponses must be an object")),
    };
    match responses.iter().find(|(_, value)| !value.is_object()) {
        Some((name, _)) => {
            let name: String = name.chars().take(64).collect();
            Err(McpFault::invalid(format!("inputResponses.{name} must be an object")))
        }
        None => Ok(responses.clone()),
    }
}

#[cfg(test)]
mod tests {
    use loci_testkit_ports::ManualClock;
    use loci_testkit_ports::clock::START;

    use super::*;

    #[test]
    fn what_is_carried_cannot_be_changed_lent_or_kept() {
        let clock = ManualClock::at(START);
        let sealer = Sealer::new(vec![7; 32], Arc::new(clock.clone()));
        let sealed = sealer.seal("ann", "call x", &json!({ "round": 1 }));
        assert_eq!(sealer.open("ann", "call x", &sealed), Some(json!({ "round": 1 })));
        assert_eq!(sealer.open("bob", "call x", &sealed), None, "another caller");
        assert_eq!(sealer.open("ann", "call y", &sealed), None, "another request");
        let (body, mac) = sealed.split_once('.').unwrap();
        let forged = hex::encode(String::from_utf8(hex::decode(body).unwrap()).unwrap().replace("1}", "2}"));
        assert_eq!(sealer.open("ann", "call x", &format!("{forged}.{mac}")), None, "changed");
        for broken in ["", ".", "zz.zz", body, &format!("{body}.00")] {
            assert_eq!(sealer.open("ann", "call x", broken), None, "{broken}");
        }
        let other = Sealer::new(vec![8; 32], Arc::new(clock.clone()));
        assert_eq!(other.open("ann", "call x", &sealed), None, "another key");
        clock.advance_ms(10 * 60 * 1000 + 1);
        assert_eq!(sealer.open("ann", "call x", &sealed), None, "lapsed");
        let lasting = sealer.seal_for_good("ann", "session", &json!({}));
        clock.advance_ms(365 * 24 * 3600 * 1000);
        assert_eq!(sealer.open("ann", "session", &lasting), Some(json!({})));
    }
}
