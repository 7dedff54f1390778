//! Authentication of alert senders, before anything of a body is parsed: some sign, others can only
//! send a secret. The content of their messages is not examined here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use loci_model::Timestamp;
use loci_model::limits;
use loci_model::services::alert_notice::AlertSource;

use crate::bodies::Proof;
use crate::v1::hooks::signature::{HookKeys, is_signature};

/// A header with several signatures during a rotation of secrets.
const PAGERDUTY: &str = "x-pagerduty-signature";
const PAGERDUTY_PREFIX: &str = "v1=";
const GENERIC: &str = "x-loci-signature-256";
const GENERIC_PREFIX: &str = "sha256=";
const TIMESTAMP: &str = "x-loci-timestamp";
/// The maximum age of a signed time, in seconds. A recorded message is useless after that.
const CLOCKS_APART_S: i64 = 300;

/// Returns the extent to which the head of a request proves its sender; `None` if it must be
/// rejected for any body.
pub(super) fn proof_of_head(
    source: AlertSource,
    (keys, header): (&HookKeys, Option<&str>),
    headers: &HeaderMap,
    now: Timestamp,
) -> Option<Proof> {
    match source {
        AlertSource::Alertmanager | AlertSource::Opsgenie => {
            is_proven(source, (keys, header), headers, b"", now).then_some(Proof::Complete)
        }
        AlertSource::Pagerduty => {
            let all = pagerduty_signatures(headers)?;
            all.iter().any(|one| is_signature(PAGERDUTY_PREFIX, one)).then_some(Proof::Hook)
        }
        AlertSource::Generic => {
            let (signature, at) = (only(headers, GENERIC)?, only(headers, TIMESTAMP)?);
            (is_signature(GENERIC_PREFIX, signature) && is_now(at, now)).then_some(Proof::Hook)
        }
    }
}

/// Returns true if a request proves its sender. `header` has the secret of a sender that cannot
/// sign.
pub(super) fn is_proven(
    source: AlertSource,
    (keys, header): (&HookKeys, Option<&str>),
    headers: &HeaderMap,
    body: &[u8],
    now: Timestamp,
) -> bool {
    match source {
        AlertSource::Alertmanager => holds_authorization(keys, headers),
        AlertSource::Opsgenie => {
            let named = header.and_then(|name| only(headers, name));
            // Both are evaluated, regardless of the result.
            named.is_some_and(|secret| keys.holds(secret.as_bytes())) | holds_authorization(keys, headers)
        }
        AlertSource::Pagerduty => pagerduty_signatures(headers)
            .is_some_and(|all| keys.signed_by_any(PAGERDUTY_PREFIX, &all, &[body])),
        AlertSource::Generic => {
            let (Some(signature), Some(at)) = (only(headers, GENERIC), only(headers, TIMESTAMP)) else {
                return false;
            };
            let is_signed = keys.signed_by_any(GENERIC_PREFIX, &[signature], &[at.as_bytes(), b".", body]);
            is_signed && is_now(at, now)
        }
    }
}

/// Returns the signatures in PagerDuty's header; `None` if it has more of them than a rotation
/// needs.
fn pagerduty_signatures(headers: &HeaderMap) -> Option<Vec<&str>> {
    let all = only(headers, PAGERDUTY)?.split(',').map(str::trim);
    let some: Vec<&str> = all.take(limits::HOOK_SIGNATURES_MAX + 1).collect();
    (some.len() <= limits::HOOK_SIGNATURES_MAX).then_some(some)
}

/// Returns true for a secret as a bearer token, or as the password of any user.
fn holds_authorization(keys: &HookKeys, headers: &HeaderMap) -> bool {
    let Some((scheme, rest)) = only(headers, AUTHORIZATION.as_str()).and_then(|value| value.split_once(' '))
    else {
        return false;
    };
    if scheme.eq_ignore_ascii_case("bearer") {
        return keys.holds(rest.trim().as_bytes());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return false;
    }
    let Ok(plain) = STANDARD.decode(rest.trim()) else { return false };
    let colon = plain.iter().position(|byte| *byte == b':');
    colon.and_then(|at| plain.get(at + 1..)).is_some_and(|password| keys.holds(password))
}

fn is_now(seconds: &str, now: Timestamp) -> bool {
    let Ok(seconds) = seconds.parse::<i64>() else { return false };
    let apart = (now.millis() / 1000).checked_sub(seconds);
    apart.is_some_and(|apart| apart.checked_abs().is_some_and(|apart| apart <= CLOCKS_APART_S))
}

/// Returns the value of a header that occurs once.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    value.to_str().ok()
}

#[cfg(test)]
mod tests {
    use hmac::{Hmac, KeyInit, Mac};
    use http::{HeaderName, HeaderValue};
    use sha2::Sha256;
    use zeroize::Zeroizing;

    use super::*;

    const NOW_S: i64 = 1_795_273_800;
    const BODY: &str = r#"{"a":1}"#;

    fn is_good(source: AlertSource, headers: &[(&str, &str)]) -> bool {
        let secrets = ["old secret", "new secret"].map(|secret| Zeroizing::new(secret.to_owned()));
        let keys = HookKeys::new(secrets.to_vec()).unwrap();
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (HeaderName::try_from(*name).unwrap(), HeaderValue::try_from(*value).unwrap())
            })
            .collect();
        let now = Timestamp::clamped(NOW_S * 1000);
        is_proven(source, (&keys, Some("x-alert-secret")), &headers, BODY.as_bytes(), now)
    }

    fn signed(secret: &str, text: &str) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(text);
        hex::encode(mac.finalize().into_bytes())
    }

    #[test]
    fn heads_say_what_they_can() {
        let check = |source, pairs: &[(&'static str, &str)], expect: Option<Proof>| {
            let keys = HookKeys::new(vec![Zeroizing::new("secret".to_owned())]).unwrap();
            let headers = pairs
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::try_from(*value).unwrap()));
            let headers: HeaderMap = headers.collect();
            let now = Timestamp::clamped(NOW_S * 1000);
            let found = proof_of_head(source, (&keys, Some("x-alert-secret")), &headers, now);
            assert_eq!(found, expect, "{source:?} {pairs:?}");
        };
        let (now, digits) = (NOW_S.to_string(), "a".repeat(64));
        let (v1, sha) = (format!("v1={digits}"), format!("sha256={digits}"));
        check(AlertSource::Alertmanager, &[("authorization", "Bearer secret")], Some(Proof::Complete));
        check(AlertSource::Alertmanager, &[("authorization", "Bearer wrong")], None);
        check(AlertSource::Alertmanager, &[], None);
        check(AlertSource::Opsgenie, &[("x-alert-secret", "secret")], Some(Proof::Complete));
        check(AlertSource::Opsgenie, &[("x-alert-secret", "wrong")], None);
        check(AlertSource::Pagerduty, &[(PAGERDUTY, &v1)], Some(Proof::Hook));
        check(AlertSource::Pagerduty, &[(PAGERDUTY, "v1=00")], None);
        let several = |count: usize| vec![v1.as_str(); count].join(",");
        let (most, over) = (
            several(loci_model::limits::HOOK_SIGNATURES_MAX),
            several(loci_model::limits::HOOK_SIGNATURES_MAX + 1),
        );
        check(AlertSource::Pagerduty, &[(PAGERDUTY, &most)], Some(Proof::Hook));
        check(AlertSource::Pagerduty, &[(PAGERDUTY, &over)], None);
        check(AlertSource::Generic, &[(GENERIC, &sha), (TIMESTAMP, &now)], Some(Proof::Hook));
        check(AlertSource::Generic, &[(GENERIC, &sha), (TIMESTAMP, "1")], None);
        check(AlertSource::Generic, &[(GENERIC, &sha)], None);
        check(AlertSource::Generic, &[(GENERIC, "sha256=00"), (TIMESTAMP, &now)], None);
    }

    #[test]
    fn those_that_cannot_sign_hold_a_secret() {
        let check = |source, headers: &[(&str, &str)], expect: bool| {
            assert_eq!(is_good(source, headers), expect, "{source:?} {headers:?}");
        };
        let basic = |password: &str| format!("Basic {}", STANDARD.encode(format!("loci:{password}")));
        for source in [AlertSource::Alertmanager, AlertSource::Opsgenie] {
            check(source, &[("authorization", "Bearer old secret")], true);
            check(source, &[("authorization", "Bearer new secret")], true);
            check(source, &[("authorization", "bearer wrong")], false);
            check(source, &[("authorization", &basic("new secret"))], true);
            check(source, &[("authorization", &basic("new"))], false);
            check(source, &[("authorization", "Basic no base64")], false);
            check(source, &[("authorization", "Digest new secret")], false);
            check(source, &[("authorization", "Bearer new secret"), ("authorization", "Bearer x")], false);
            check(source, &[], false);
        }
        check(AlertSource::Opsgenie, &[("x-alert-secret", "new secret")], true);
        check(AlertSource::Opsgenie, &[("x-alert-secret", "")], false);
        check(AlertSource::Alertmanager, &[("x-alert-secret", "new secret")], false);
    }

    #[test]
    fn pagerduty_signs_by_each_of_its_secrets() {
        let check = |value: &str, expect: bool| {
            assert_eq!(is_good(AlertSource::Pagerduty, &[(PAGERDUTY, value)]), expect, "{value}");
        };
        let (good, bad) = (signed("new secret", BODY), signed("wrong", BODY));
        check(&format!("v1={good}"), true);
        check(&format!("v1={bad}, v1={good}"), true);
        check(&format!("v1={bad}"), false);
        check(&format!("v2={good}"), false);
        check("", false);
        let last_of = |count: usize| {
            let wrong = vec![format!("v1={bad}"); count - 1].join(",");
            format!("{wrong},v1={good}")
        };
        check(&last_of(loci_model::limits::HOOK_SIGNATURES_MAX), true);
        check(&last_of(loci_model::limits::HOOK_SIGNATURES_MAX + 1), false);
    }

    #[test]
    fn what_was_signed_long_ago_is_refused() {
        let check = |at_s: i64, expect: bool| {
            let signature = format!("{GENERIC_PREFIX}{}", signed("old secret", &format!("{at_s}.{BODY}")));
            let headers = [(GENERIC, signature.as_str()), (TIMESTAMP, &at_s.to_string())];
            assert_eq!(is_good(AlertSource::Generic, &headers), expect, "{at_s}");
        };
        check(NOW_S, true);
        check(NOW_S - 300, true);
        check(NOW_S + 300, true);
        check(NOW_S - 301, false);
        check(NOW_S + 301, false);
        let unsigned_time = format!("{GENERIC_PREFIX}{}", signed("old secret", BODY));
        assert!(!is_good(
            AlertSource::Generic,
            &[(GENERIC, &unsigned_time), (TIMESTAMP, &NOW_S.to_string())]
        ));
        assert!(!is_good(AlertSource::Generic, &[(GENERIC, &unsigned_time)]));
    }
}
