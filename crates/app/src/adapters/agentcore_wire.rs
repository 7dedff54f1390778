//! The HTTP layer of the AgentCore wire. It signs requests for `bedrock-agentcore`, repeats
//! requests that can succeed later, with pauses, and classifies the answers. It knows no operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use http::{HeaderName, HeaderValue};
use loci_client::formats::agentcore::{Method, Plane, Wire, WireCall, WireError};
use loci_outbound::request::{
    AddressOrigin, OutboundAnswer, OutboundError, OutboundRequest, Retry, Transport,
};
use loci_outbound::sign_v4::{PathRule, Signer, Signing};
use serde_json::Value;

/// The service name in signatures, for the data plane and the control plane.
pub const SERVICE: &str = "bedrock-agentcore";
/// The header of an answer with the type of the error.
const ERROR_TYPE: &str = "x-amzn-errortype";

/// A connection to the data plane and the control plane of AgentCore.
pub struct AgentCoreWire {
    /// The transport that sends the requests.
    pub transport: Arc<dyn Transport>,
    /// The base URL of the data plane, `bedrock-agentcore`, without a trailing slash.
    pub data: String,
    /// The base URL of the control plane, `bedrock-agentcore-control`, without a trailing slash.
    pub control: String,
    /// The signer of the requests. `None` if the server requires no signature.
    pub signer: Option<Signer>,
    /// The counter of lone surrogates in the answers of both planes.
    pub halves: Halves,
}

/// A counter of lone surrogates in answers. Each becomes U+FFFD, so that no event or record is
/// dropped because of it.
#[derive(Debug, Default)]
pub struct Halves(AtomicUsize);

impl Halves {
    /// Returns the number of lone surrogates so far.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn text(&self, body: Vec<u8>) -> Result<String, WireError> {
        let body = match loci_json::repair(&body) {
            Some(repaired) => {
                self.0.fetch_add(repaired.replaced, Ordering::Relaxed);
                repaired.text
            }
            None => body,
        };
        String::from_utf8(body).map_err(|_| WireError::Gone("the answer is no UTF-8".to_owned()))
    }
}

impl AgentCoreWire {
    fn request(&self, call: WireCall) -> OutboundRequest {
        let base = match call.plane {
            Plane::Control => &self.control,
            Plane::Data => &self.data,
        };
        let method = match call.method {
            Method::Get => http::Method::GET,
            Method::Post => http::Method::POST,
        };
        let json = (HeaderName::from_static("content-type"), HeaderValue::from_static("application/json"));
        OutboundRequest {
            method,
            url: format!("{base}{}", call.path),
            headers: call.body.is_some().then_some(json).into_iter().collect(),
            body: call.body.unwrap_or_default().into_bytes(),
            reach: AddressOrigin::Configured,
            // Each operation of the format is idempotent.
            retry: Retry::Safe,
            timeout_ms: None,
            signing: self.signer.clone().map(|by| Signing { by, path: PathRule::Twice }),
        }
    }
}

impl Wire for AgentCoreWire {
    fn call(&self, call: WireCall) -> BoxFuture<'_, Result<String, WireError>> {
        Box::pin(async move {
            match self.transport.send(self.request(call)).await {
                Ok(answer) if (200..300).contains(&answer.status) => self.halves.text(answer.body),
                Ok(answer) => Err(told(&answer)),
                Err(OutboundError::TooLarge) => Err(WireError::TooLarge),
                Err(error) => Err(WireError::Gone(error.to_string())),
            }
        })
    }
}

/// Returns the error that an HTTP answer describes.
fn told(answer: &OutboundAnswer) -> WireError {
    let body: Value = loci_json::from_slice(&answer.body).unwrap_or_default();
    let text = |names: [&str; 2]| names.iter().find_map(|name| body.get(name)?.as_str()).map(str::to_owned);
    let named = answer.headers.get(ERROR_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    // `Type:http://…` and `namespace#Type` are older spellings.
    let code = named.or_else(|| text(["__type", "code"])).unwrap_or_default();
    let code = code.split(':').next().unwrap_or_default();
    let code = code.rsplit('#').next().unwrap_or_default().to_owned();
    let message = text(["message", "Message"]).unwrap_or_else(|| "it gives no reason".to_owned());
    match answer.status {
        429 | 500.. => WireError::Gone(format!(
            "the server answers {} {code} after {} tries: {message}",
            answer.status, answer.tries
        )),
        409 if code == "RetryableConflictException" => WireError::Gone(message),
        status => WireError::Refused { status, code, message },
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    #[test]
    fn halves_of_letters_are_counted() {
        let halves = Halves::default();
        assert_eq!(halves.text(br#"["\ud83d\ude00"]"#.to_vec()).unwrap(), r#"["\ud83d\ude00"]"#);
        assert_eq!(halves.count(), 0);
        assert_eq!(
            halves.text(br#"["cut \ud83d","\ude00"]"#.to_vec()).unwrap(),
            r#"["cut \ufffd","\ufffd"]"#
        );
        halves.text(b"[\"\xed\xa0\xbd\"]".to_vec()).unwrap();
        assert_eq!(halves.count(), 3);
        assert!(halves.text(vec![0xff]).is_err());
    }

    #[test]
    fn errors_are_told_apart() {
        let check = |status: u16, header: Option<&str>, body: &str, expect: &str| {
            let mut headers = HeaderMap::new();
            if let Some(named) = header {
                headers.insert(ERROR_TYPE, HeaderValue::from_str(named).unwrap());
            }
            let answer =
                OutboundAnswer { status, headers, body: body.as_bytes().to_vec(), tries: 3, elapsed_ms: 0 };
            assert_eq!(told(&answer).to_string(), expect);
        };
        let body = r#"{"message":"no such memory","__type":"a.b#ResourceNotFoundException"}"#;
        check(404, None, body, "no such memory (ResourceNotFoundException)");
        check(
            403,
            Some("AccessDeniedException:http://x/"),
            "{}",
            "it gives no reason (AccessDeniedException)",
        );
        check(400, Some("ValidationException"), "no json", "it gives no reason (ValidationException)");
        let busy = r#"{"message":"slow down"}"#;
        let expect = "the server answers 429 ThrottledException after 3 tries: slow down";
        check(429, Some("ThrottledException"), busy, expect);
        check(409, Some("RetryableConflictException"), r#"{"message":"again"}"#, "again");
    }
}
