//! Secrets in texts: keys and tokens of well-known forms, masked where the settings ask for it.
//!
//! Off by default, because the server stores verbatim (memory-manager.md W-23) and a false find would spoil evidence.
//! It knows forms that are secrets beyond doubt, no guesses by entropy, no personal data.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

/// What replaces a secret. Shorter than every form below, so no text grows over a limit.
pub const MASK: &str = "[redacted]";

/// What happens to secrets in texts: `Off` by default, or replaced by [`MASK`].
pub use loci_model::settings::SecretsMode as RedactionMode;

/// A kind of secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// A PEM block of a private key.
    PrivateKey,
    /// The public half of an AWS pair.
    AwsAccessKey,
    /// The secret half of an AWS pair, where a name says so.
    AwsSecretKey,
    /// A token after `Bearer`, or a JSON web token.
    BearerToken,
    /// A token that its vendor's prefix gives away.
    VendorToken,
    /// A password in a URL.
    UrlPassword,
}

/// The forms. Where a pattern has a group, the group alone is masked.
const FORMS: [(SecretKind, &str); 7] = [
    (
        SecretKind::PrivateKey,
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----|\z)",
    ),
    (SecretKind::AwsAccessKey, r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    (
        SecretKind::AwsSecretKey,
        r#"(?i)aws_?secret_?(?:access_?)?key["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})\b"#,
    ),
    (SecretKind::BearerToken, r"\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"),
    (SecretKind::BearerToken, r"(?i)\bbearer\s+([A-Za-z0-9_\-.~+/]{20,}=*)"),
    (
        SecretKind::VendorToken,
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,}|glpat-[A-Za-z0-9_-]{20,}|xox[abpors]-[A-Za-z0-9-]{10,}|sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}|[sr]k_live_[A-Za-z0-9]{16,}|AIza[A-Za-z0-9_-]{35}|npm_[A-Za-z0-9]{36})",
    ),
    (SecretKind::UrlPassword, r"\b[a-z][a-z0-9+.-]*://[^\s:/@]+:([^\s:/@]{10,})@"),
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| compiled_set(&FORMS.map(|(_, form)| form)));
static EACH: LazyLock<Vec<(SecretKind, Regex)>> =
    LazyLock::new(|| FORMS.iter().map(|(kind, form)| (*kind, compiled(form))).collect());

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant form")
}

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled_set(forms: &[&str]) -> RegexSet {
    RegexSet::new(forms).expect("constant forms")
}

/// The text with its secrets masked, and what kinds there were; with [`RedactionMode::Off`] the text as it is.
pub fn redact(text: String, mode: RedactionMode) -> (String, Vec<SecretKind>) {
    match mode {
        RedactionMode::Off => (text, Vec::new()),
        RedactionMode::Mask => mask(text),
    }
}

fn mask(text: String) -> (String, Vec<SecretKind>) {
    let mut kinds = Vec::new();
    let mut text = text;
    for at in SET.matches(&text) {
        let Some((kind, form)) = EACH.get(at) else { continue };
        let mut masked = String::with_capacity(text.len());
        let mut from = 0;
        for found in form.captures_iter(&text) {
            let Some(secret) = found.get(1).or_else(|| found.get(0)) else { continue };
            masked.push_str(text.get(from..secret.start()).unwrap_or_default());
            masked.push_str(MASK);
            from = secret.end();
        }
        if from > 0 {
            masked.push_str(text.get(from..).unwrap_or_default());
            text = masked;
            kinds.push(*kind);
        }
    }
    kinds.sort();
    kinds.dedup();
    (text, kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(parts: &[&str], expect: &str, kinds: &[SecretKind]) {
        let text = parts.concat();
        assert_eq!(redact(text.clone(), RedactionMode::Mask), (expect.to_owned(), kinds.to_vec()), "{text}");
        assert_eq!(redact(text.clone(), RedactionMode::Off), (text, Vec::new()));
    }

    #[test]
    fn forms() {
        use SecretKind as K;
        check(&["use AKIA", "IOSFODNN7EXAMPLE now"], "use [redacted] now", &[K::AwsAccessKey]);
        check(
            &["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY done"],
            "AWS_SECRET_ACCESS_KEY=[redacted] done",
            &[K::AwsSecretKey],
        );
        check(
            &["-----BEGIN RSA PRIVATE ", "KEY-----\nabc\n-----END RSA PRIVATE ", "KEY-----\nrest"],
            "[redacted]\nrest",
            &[K::PrivateKey],
        );
        check(&["-----BEGIN PRIVATE ", "KEY-----\ncut off"], "[redacted]", &[K::PrivateKey]);
        check(
            &["Authorization: Bearer abcdef0123456789", "abcdef0123456789"],
            "Authorization: Bearer [redacted]",
            &[K::BearerToken],
        );
        check(
            &["ghp_abcdefghijklmnop", "qrstuvwxyz0123456789 and sk-ant-", "0123456789abcdef0123"],
            "[redacted] and [redacted]",
            &[K::VendorToken],
        );
        check(
            &["postgres://loci:hunter2", "hunter2@db/x"],
            "postgres://loci:[redacted]@db/x",
            &[K::UrlPassword],
        );
        check(
            &["nothing: AKIA, bearer of news, sk-1, http://a:b@c"],
            "nothing: AKIA, bearer of news, sk-1, http://a:b@c",
            &[],
        );
        for (_, form) in FORMS {
            assert!(Regex::new(form).is_ok(), "{form}");
        }
    }
}
