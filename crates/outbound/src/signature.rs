//! Signatures of notifications in the format of Standard Webhooks: HMAC-SHA256 over id, time and
//! body. The receiver verifies them with the same secret, and rejects old times.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::secret::Secret;

/// The prefix of a base64 secret.
const ENCODED: &str = "whsec_";

/// The signing keys of a target: one, or two while the secret is being replaced.
#[derive(Clone)]
pub struct Keys(Vec<Zeroizing<Vec<u8>>>);

impl Keys {
    /// Parses a secret: keys separated by spaces, each of which is text or `whsec_` and base64.
    /// Returns `None` if there is no key, or an invalid one.
    pub fn read(secret: &Secret) -> Option<Self> {
        let key = |text: &str| {
            let key = match text.strip_prefix(ENCODED) {
                Some(encoded) => STANDARD.decode(encoded).ok().map(Zeroizing::new),
                None => Some(Zeroizing::new(text.as_bytes().to_vec())),
            };
            // Any third party can sign with an empty key.
            key.filter(|key| !key.is_empty())
        };
        let keys = secret.expose().split_whitespace().map(key).collect::<Option<Vec<_>>>()?;
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// Returns the value of `webhook-signature`: one signature per key, separated by spaces.
    pub fn sign(&self, id: &str, seconds: i64, body: &[u8]) -> String {
        let signed = |key: &Zeroizing<Vec<u8>>| {
            // HMAC accepts keys of any length.
            let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
            mac.update(format!("{id}.{seconds}.").as_bytes());
            mac.update(body);
            Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
        };
        self.0.iter().filter_map(signed).collect::<Vec<_>>().join(" ")
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keys({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;

    /// Tests with the vector that the Standard Webhooks libraries use for their own tests.
    #[test]
    fn the_known_signature() {
        let keys = Keys::read(&Secret::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).unwrap();
        let expect = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(keys.sign(ID, 1_614_265_330, BODY), expect);
        assert_ne!(keys.sign(ID, 1_614_265_331, BODY), expect);
    }

    #[test]
    fn two_keys_while_they_change() {
        let keys = Keys::read(&Secret::from(" old  whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")).unwrap();
        let old = Keys::read(&Secret::from("old")).unwrap();
        let both = keys.sign(ID, 1_614_265_330, BODY);
        let (first, second) = both.split_once(' ').unwrap();
        assert_eq!(first, old.sign(ID, 1_614_265_330, BODY));
        assert_eq!(second, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert!(Keys::read(&Secret::from("whsec_not base64!")).is_none());
        assert!(Keys::read(&Secret::from("  ")).is_none());
        assert!(Keys::read(&Secret::from("whsec_")).is_none());
        assert!(Keys::read(&Secret::from("old whsec_")).is_none());
        assert_eq!(format!("{keys:?}"), "Keys(2)");
    }
}
