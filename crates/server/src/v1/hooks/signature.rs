//! Signatures of incoming hooks: a keyed digest over the raw body, compared in constant time before
//! anything of the body is parsed.

use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use loci_model::{Error, Result};
use sha2::Sha256;
use zeroize::Zeroizing;

/// The signature scheme of a sender: HMAC-SHA256 over the body, in hex digits after `prefix`, in
/// one header.
#[derive(Debug, Clone, Copy)]
pub(in crate::v1) struct Scheme {
    pub(in crate::v1) header: &'static str,
    pub(in crate::v1) prefix: &'static str,
}

/// The secrets of a sender: one, or several during a rotation.
#[derive(Clone, Default)]
pub struct HookKeys(Vec<Zeroizing<Vec<u8>>>);

impl HookKeys {
    /// Creates the keys from secrets. None may be blank, because anyone can sign with an empty one.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn new(secrets: Vec<Zeroizing<String>>) -> Result<Self> {
        if secrets.iter().any(|secret| secret.trim().is_empty()) {
            return Err(Error::invalid(
                "secret",
                "a secret of a hook must not be blank: anybody can sign with that",
            ));
        }
        Ok(Self(secrets.into_iter().map(|secret| Zeroizing::new(secret.as_bytes().to_vec())).collect()))
    }

    /// Returns true if the sender may not send.
    pub(in crate::v1) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a header has the form of a signature. Otherwise the request is rejected
    /// without its body.
    pub(in crate::v1) fn may_be_signed(scheme: Scheme, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(scheme.header).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        value.to_str().is_ok_and(|value| is_signature(scheme.prefix, value))
    }

    /// Returns true if the body is signed with one of the secrets. The duration depends neither on
    /// the secret nor on the correct part of a wrong signature.
    pub(in crate::v1) fn signed(&self, scheme: Scheme, headers: &HeaderMap, body: &[u8]) -> bool {
        let mut values = headers.get_all(scheme.header).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        value.to_str().is_ok_and(|value| self.signed_by_any(scheme.prefix, &[value], &[body]))
    }

    /// Returns true if one of several signatures is of these pieces with one of the secrets. The
    /// pieces are digested once per secret, for any number of signatures.
    pub(in crate::v1) fn signed_by_any(&self, prefix: &str, values: &[&str], pieces: &[&[u8]]) -> bool {
        let bytes = |value: &&str| value.strip_prefix(prefix).and_then(|digits| hex::decode(digits).ok());
        let signatures: Vec<Vec<u8>> = values.iter().filter_map(bytes).collect();
        if signatures.is_empty() {
            return false;
        }
        let fits = |key: &Zeroizing<Vec<u8>>| {
            let Some(mac) = digest(key, pieces) else { return false };
            let is_of = |signature: &Vec<u8>| mac.clone().verify_slice(signature).is_ok();
            signatures.iter().map(is_of).fold(false, |any, one| any | one)
        };
        self.0.iter().map(fits).fold(false, |any, one| any | one)
    }

    /// Returns true if a text is one of the secrets, for senders that cannot sign. It compares
    /// keyed digests, so that the duration does not depend on the text.
    pub(in crate::v1) fn holds(&self, presented: &[u8]) -> bool {
        let fits = |key: &Zeroizing<Vec<u8>>| {
            let mine = digest(b"loci", &[key]).map(Mac::finalize);
            let theirs = digest(b"loci", &[presented]);
            mine.zip(theirs).is_some_and(|(mine, theirs)| theirs.verify(&mine.into_bytes()).is_ok())
        };
        self.0.iter().map(fits).fold(false, |any, one| any | one)
    }
}

/// Returns true for a prefix with as many hex digits as a signature has.
pub(in crate::v1) fn is_signature(prefix: &str, value: &str) -> bool {
    let digits = value.strip_prefix(prefix);
    digits.is_some_and(|digits| digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the keyed digest of the pieces. A key may have any length.
fn digest(key: &[u8], pieces: &[&[u8]]) -> Option<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    Some(pieces.iter().fold(mac, |mac, piece| mac.chain_update(piece)))
}

impl std::fmt::Debug for HookKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HookKeys({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEME: Scheme = Scheme { header: "x-hub-signature-256", prefix: "sha256=" };
    /// The example in GitHub's documentation.
    const SECRET: &str = "It's a Secret to Everybody";
    const BODY: &[u8] = b"Hello, World!";
    const SIGNATURE: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    fn keys(secrets: &[&str]) -> Result<HookKeys> {
        HookKeys::new(secrets.iter().map(|secret| Zeroizing::new((*secret).to_owned())).collect())
    }

    fn headers(values: &[&'static str]) -> HeaderMap {
        let name = http::HeaderName::from_static(SCHEME.header);
        values.iter().map(|value| (name.clone(), http::HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn a51_the_published_signature_and_no_other() {
        let one = keys(&[SECRET]).unwrap();
        let signed = |keys: &HookKeys, values: &[&'static str], body: &[u8]| {
            keys.signed(SCHEME, &headers(values), body)
        };
        assert!(signed(&one, &[SIGNATURE], BODY));
        assert!(signed(&keys(&["another", SECRET]).unwrap(), &[SIGNATURE], BODY));
        assert!(!signed(&keys(&["another"]).unwrap(), &[SIGNATURE], BODY));
        assert!(!signed(&HookKeys::default(), &[SIGNATURE], BODY));
        assert!(!signed(&one, &[SIGNATURE], b"Hello, World"));
        for wrong in [
            &[][..],
            &[""],
            &["757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"],
            &["sha256="],
            &["sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e"],
            &["sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e18"],
            &["sha1=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"],
            &[SIGNATURE, SIGNATURE],
        ] {
            assert!(!signed(&one, wrong, BODY), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_no_signature_needs_no_body_to_be_refused() {
        let digits = |count: usize| format!("{}{}", SCHEME.prefix, "a".repeat(count));
        let check = |values: &[String], expect: bool| {
            let name = http::HeaderName::from_static(SCHEME.header);
            let headers = values.iter().map(|value| (name.clone(), value.parse().unwrap())).collect();
            assert_eq!(HookKeys::may_be_signed(SCHEME, &headers), expect, "{values:?}");
        };
        check(&[digits(64)], true);
        check(&[SIGNATURE.to_owned()], true);
        for wrong in [digits(63), digits(65), "a".repeat(64), format!("{}{}", SCHEME.prefix, "g".repeat(64))]
        {
            check(&[wrong], false);
        }
        check(&[], false);
        check(&[digits(64), digits(64)], false);
    }

    #[test]
    fn a51_blank_secrets_are_refused_and_none_is_shown() {
        for blank in [&[""][..], &["  "], &[SECRET, "\n"]] {
            assert_eq!(keys(blank).unwrap_err().field.as_deref(), Some("secret"), "{blank:?}");
        }
        assert_eq!(format!("{:?}", keys(&[SECRET, "other"]).unwrap()), "HookKeys(2)");
    }
}
