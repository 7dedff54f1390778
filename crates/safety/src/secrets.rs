//! Secrets in texts: fifteen kinds of keys, tokens and passwords. They are masked if the settings
//! request it, and always in requests to a model.
//!
//! Masking is off by default, because the server stores texts verbatim and a false positive would
//! damage evidence. The module does not detect personal data.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use loci_model::limits;
use regex::{Captures, Regex, RegexSet};

use super::assigned_secrets::{self, SecretAssignment};
use super::entropy::{bits_per_char, is_known_hash, is_placeholder};
use super::{code_names, hidden_characters, private_key, url_password, write_texts};

/// The mask for secrets in a text that the mask with the kind's name would make longer than a
/// record may be.
pub const MASK: &str = "[redacted]";
/// The mask for passwords shorter than [`MASK`], in a text that must not become longer.
const MASK_SHORT: &str = "***";
/// The minimum number of characters of an assigned secret without a break. The regular expression
/// requires the same number.
const ASSIGNED_CHARS_MIN: usize = 20;

/// The treatment of secrets in texts: `Off` by default, or masked.
pub use loci_model::memory::settings::SecretsMode as RedactionMode;

/// A kind of secret (the list is closed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// A PEM block of a private key.
    PrivateKey,
    /// The access key id of an AWS key pair.
    AwsAccessKey,
    /// The secret access key of an AWS key pair, under a name that says so.
    AwsSecretKey,
    /// An access token of GitHub.
    GithubToken,
    /// An access token of GitLab.
    GitlabToken,
    /// An access token or a webhook URL of Slack.
    SlackToken,
    /// A JSON web token.
    Jwt,
    /// The value of an `Authorization` header, or the text after `Bearer`.
    AuthorizationHeader,
    /// An API key of a provider of language models.
    LlmApiKey,
    /// An API key of Google.
    GoogleApiKey,
    /// A secret key of Stripe.
    StripeKey,
    /// An access token of npm.
    NpmToken,
    /// The key of an Azure storage account, or a shared access signature.
    AzureKey,
    /// A password in a URL or in a database connection string.
    ConnectionString,
    /// A random text assigned to a name like password, secret or token, and tokens of services that
    /// have no kind of their own.
    AssignedSecret,
}

impl SecretKind {
    /// Every kind, in the order of the search.
    pub const ALL: [Self; 15] = [
        Self::PrivateKey,
        Self::AwsAccessKey,
        Self::AwsSecretKey,
        Self::GithubToken,
        Self::GitlabToken,
        Self::SlackToken,
        Self::LlmApiKey,
        Self::GoogleApiKey,
        Self::StripeKey,
        Self::NpmToken,
        Self::Jwt,
        Self::AzureKey,
        Self::ConnectionString,
        Self::AuthorizationHeader,
        Self::AssignedSecret,
    ];

    /// Returns the name of the kind in masks, findings and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrivateKey => "private_key",
            Self::AwsAccessKey => "aws_access_key",
            Self::AwsSecretKey => "aws_secret_key",
            Self::GithubToken => "github_token",
            Self::GitlabToken => "gitlab_token",
            Self::SlackToken => "slack_token",
            Self::Jwt => "jwt",
            Self::AuthorizationHeader => "authorization_header",
            Self::LlmApiKey => "llm_api_key",
            Self::GoogleApiKey => "google_api_key",
            Self::StripeKey => "stripe_key",
            Self::NpmToken => "npm_token",
            Self::AzureKey => "azure_key",
            Self::ConnectionString => "connection_string",
            Self::AssignedSecret => "assigned_secret",
        }
    }

    /// Returns the regular expression of the kind. If it has a group, only the group is masked.
    /// `\b` is a boundary of ASCII words. Backslashes may precede a quote, because texts contain
    /// JSON and JSON contains texts.
    fn form(self) -> &'static str {
        match self {
            // `private_key` finds the text that follows the marker.
            Self::PrivateKey => private_key::BEGIN,
            Self::AwsAccessKey => r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
            Self::AwsSecretKey => {
                r#"(?i)aws_?secret_?(?:access_?)?key\\*["']?\s*[:=]\s*\\*["']?([A-Za-z0-9/+]{40})\b"#
            }
            Self::GithubToken => r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
            Self::GitlabToken => r"\bgl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}",
            Self::SlackToken => {
                r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bhooks\.slack\.com/services/(T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,})"
            }
            Self::LlmApiKey => {
                r"\b(?:sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{30,}|gsk_[A-Za-z0-9]{40,})"
            }
            Self::GoogleApiKey => r"\b(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,})",
            Self::StripeKey => r"\b(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}=*)",
            Self::NpmToken => r"\bnpm_[A-Za-z0-9]{36}\b",
            Self::Jwt => r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
            Self::AzureKey => {
                r"(?i)\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|sig)=([A-Za-z0-9+/%]{40,}={0,2})"
            }
            // Data source names only; `url_password` finds passwords of URLs.
            Self::ConnectionString => {
                r#"(?i)\b(?:server|host|data source|user id|uid|user|dbname|database|initial catalog)\s*=[^;\n]{1,200};(?:[^\n]{0,200}?;)?\s*(?:password|pwd)\s*=\s*([^;\s"']{3,}?)(?:\\*["']|[;\s]|\z)"#
            }
            Self::AuthorizationHeader => {
                r#"(?i)\b(?:proxy-)?authorization\\*["']?\s*[:=]\s*\\*["']?(?:bearer|basic|token|apikey|digest|negotiate)\s+([A-Za-z0-9_\-.~+/]{8,}=*)|\bbearer\s+([A-Za-z0-9_\-.~+/]{20,}=*)"#
            }
            Self::AssignedSecret => {
                concat!(
                    // Quoted and under a name of a password: any value without a space.
                    r#"(?i:password|passwd|pwd|passphrase)[0-9_]{0,4}\\*["']?\s*(?:=>|:=|[:=])\s*\\*["'`]([^\s"'`]{8,}?)\\*["'`]|"#,
                    r#"(?i:(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key|credential)[a-z0-9_.-]{0,20})\\*["']?\s*(?:=>|:=|[:=])\s*\\*["'`]?([A-Za-z0-9_\-./+=~!@#$%^&*]{20,})|"#,
                    r"\b(TOKENS)\b",
                )
            }
        }
    }

    /// Returns a pattern that every text of the kind matches, and few other texts.
    fn hint(self) -> String {
        match self {
            Self::ConnectionString => r"(?i)://|(?:password|pwd)\s*=".to_owned(),
            kind => ascii_form(kind),
        }
    }

    /// Checks what the regular expression cannot: that the text is random enough, and is neither an
    /// example nor the code that reads the secret.
    fn holds(self, found: &SecretMatch<'_>) -> bool {
        let secret = found.secret;
        let mixed =
            || secret.bytes().any(|b| b.is_ascii_digit()) && secret.bytes().any(|b| b.is_ascii_alphabetic());
        match self {
            Self::AwsAccessKey
            | Self::GithubToken
            | Self::GitlabToken
            | Self::SlackToken
            | Self::Jwt
            | Self::GoogleApiKey
            | Self::StripeKey
            | Self::NpmToken
            | Self::AzureKey => true,
            // A single marker, or two markers with prose between them, holds no key.
            Self::PrivateKey => secret.contains('\n') || secret.contains("\\n") || has_line_of_key(secret),
            Self::AwsSecretKey => !is_known_hash(secret),
            Self::LlmApiKey => mixed() && bits_per_char(secret) >= 3.0,
            Self::ConnectionString if found.after.starts_with('@') => found.is_password_of_url(),
            Self::ConnectionString => !is_placeholder(secret) && !found.is_expression(),
            Self::AuthorizationHeader => !is_placeholder(secret) && (mixed() || secret.ends_with('=')),
            Self::AssignedSecret => {
                let SecretMatch { before, secret: value, after } = *found;
                let is_secret =
                    || is_random_literal(value) || SecretAssignment { before, value, after }.is_secret();
                !is_placeholder(value) && !found.is_call() && is_secret()
            }
        }
    }
}

/// A text that matches the regular expression of a secret, with the text around it.
struct SecretMatch<'t> {
    before: &'t str,
    secret: &'t str,
    after: &'t str,
}

impl SecretMatch<'_> {
    /// True for a password. An image with its digest, and a host and port before a path with an `@`
    /// in it, are no passwords.
    fn is_password_of_url(&self) -> bool {
        let digest = ["@sha256:", "@sha512:"].iter().any(|name| self.after.starts_with(name));
        let port = |first: &str| {
            let number = !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit());
            number || first.eq_ignore_ascii_case("port") || first.starts_with(['{', '$', '%', '[', ':'])
        };
        let host = self.secret.split_once('/').is_some_and(|(first, _)| port(first));
        !digest && !host && !is_placeholder(self.secret)
    }

    /// True for a member, a call, or a name after a space, as in code: `password = form.password;`.
    fn is_expression(&self) -> bool {
        match code_names::expression(self.secret) {
            Some(code_names::Expression::Access) => true,
            Some(code_names::Expression::Name) => {
                self.is_call()
                    || (self.before.ends_with(' ') && !self.secret.contains(|c: char| c.is_ascii_digit()))
            }
            None => false,
        }
    }

    fn is_call(&self) -> bool {
        self.after.starts_with(['(', '['])
    }
}

/// True for base64 with half the length of a key line, because its lines may have been joined.
fn has_line_of_key(secret: &str) -> bool {
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    secret.split(|c: char| !is_of_key(c)).any(|run| run.len() >= private_key::LINE_CHARS_MIN)
}

/// True for twenty random characters in one run, not in a path of files or members and not in a
/// name made of words.
fn is_random_literal(secret: &str) -> bool {
    let path = ["./", "../", "~/"].iter().any(|start| secret.starts_with(start))
        || (secret.starts_with('/') && secret.matches('/').count() > 1);
    let run = secret.split(['.', '/']).max_by_key(|run| run.len()).unwrap_or_default();
    let mixed = run.bytes().any(|b| b.is_ascii_digit()) && run.bytes().any(|b| b.is_ascii_alphabetic());
    !path
        && run.len() >= ASSIGNED_CHARS_MIN
        && mixed
        && bits_per_char(run) >= 4.0
        && !is_known_hash(run)
        && !is_known_hash(secret)
        && !code_names::is_made_of_words(run)
}

static SET: LazyLock<RegexSet> = LazyLock::new(|| compiled_set(&SecretKind::ALL.map(SecretKind::hint)));
static EACH: LazyLock<[Regex; 15]> =
    LazyLock::new(|| SecretKind::ALL.map(|kind| compiled(&ascii_form(kind))));

/// Returns the form with boundaries of ASCII words, which keep the automaton small and fast.
fn ascii_form(kind: SecretKind) -> String {
    kind.form().replace("TOKENS", assigned_secrets::TOKENS).replace(r"\b", r"(?-u:\b)")
}

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant form")
}

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled_set(forms: &[String]) -> RegexSet {
    RegexSet::new(forms).expect("constant forms")
}

/// Returns the text with its secrets masked, and the kinds that it held, sorted. With
/// [`RedactionMode::Off`] the text stays unchanged. A secret that hidden characters split counts as
/// one, and masking then also removes the hidden characters. Within a write, a long text is taken
/// from those that were masked outside of the write (see `write_texts`).
pub fn redact(text: String, mode: RedactionMode) -> (String, Vec<SecretKind>) {
    let made = if mode == RedactionMode::Mask { write_texts::redacted(&text) } else { None };
    made.unwrap_or_else(|| redact_here(text, mode))
}

/// Masks secrets like [`redact`], also within a write.
pub(super) fn redact_here(text: String, mode: RedactionMode) -> (String, Vec<SecretKind>) {
    match mode {
        RedactionMode::Off => (text, Vec::new()),
        RedactionMode::Mask => {
            let (masked, mut kinds) = shown(text);
            let stripped = match hidden_characters::stripped(&masked) {
                Cow::Owned(stripped) => stripped,
                Cow::Borrowed(_) => return (masked, kinds),
            };
            let (clean, more) = shown(stripped);
            if more.is_empty() {
                return (masked, kinds);
            }
            kinds.extend(more);
            kinds.sort();
            kinds.dedup();
            (clean, kinds)
        }
    }
}

/// Masks visible secrets. A mask does not make the text longer than a record may be.
fn shown(text: String) -> (String, Vec<SecretKind>) {
    let chars = text.chars().count();
    let (masked, kinds) = mask(&text, |kind, _| format!("[REDACTED:{}]", kind.as_str()));
    if kinds.is_empty() {
        return (text, kinds);
    }
    let now = masked.chars().count();
    if now <= chars || now <= limits::RECORD_TEXT_CHARS_MAX {
        return (masked, kinds);
    }
    let shorter = |secret: &str| if secret.len() < MASK.len() { MASK_SHORT } else { MASK };
    mask(&text, |_, secret| shorter(secret).to_owned())
}

fn mask(text: &str, label: impl Fn(SecretKind, &str) -> String) -> (String, Vec<SecretKind>) {
    let mut kinds = Vec::new();
    let mut text = text.to_owned();
    for at in SET.matches(&text) {
        let (Some(kind), Some(form)) = (SecretKind::ALL.get(at), EACH.get(at)) else { continue };
        let mut masked = String::with_capacity(text.len());
        let mut from = 0;
        for place in places(*kind, form, &text) {
            let found = around(&text, &place).filter(|found| place.start >= from && kind.holds(found));
            let Some(found) = found else { continue };
            masked.push_str(text.get(from..place.start).unwrap_or_default());
            masked.push_str(&label(*kind, found.secret));
            from = place.end;
        }
        if from > 0 {
            masked.push_str(text.get(from..).unwrap_or_default());
            text = masked;
            kinds.push(*kind);
        }
    }
    kinds.sort();
    (text, kinds)
}

/// Returns the ranges of a text that have the form of a kind, in order. For a form with groups, the
/// range is that of the group that matched.
fn places(kind: SecretKind, form: &Regex, text: &str) -> Vec<Range<usize>> {
    if kind == SecretKind::PrivateKey {
        return private_key::blocks(text);
    }
    let mut found: Vec<_> = form.captures_iter(text).filter_map(|found| secret_of(&found)).collect();
    if kind == SecretKind::ConnectionString {
        found.extend(url_password::places(text));
        found.sort_by_key(|place| place.start);
    }
    found
}

/// Returns a match with the text on both sides of it.
fn around<'t>(text: &'t str, place: &Range<usize>) -> Option<SecretMatch<'t>> {
    Some(SecretMatch {
        before: text.get(..place.start)?,
        secret: text.get(place.clone())?,
        after: text.get(place.end..)?,
    })
}

/// Returns the range of the group that matched, or of the whole match.
fn secret_of(found: &Captures<'_>) -> Option<Range<usize>> {
    found.iter().skip(1).flatten().next().or_else(|| found.get(0)).map(|found| found.range())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn check(parts: &[&str], expect: &str, kinds: &[SecretKind]) {
        let text = parts.concat();
        assert_eq!(redact(text.clone(), RedactionMode::Mask), (expect.to_owned(), kinds.to_vec()), "{text}");
        assert_eq!(redact(text.clone(), RedactionMode::Off), (text, Vec::new()));
        assert_eq!(redact(expect.to_owned(), RedactionMode::Mask), (expect.to_owned(), vec![]), "{expect}");
    }

    /// The test builds each form from parts, so that no scanner reports this file as a leak.
    #[test]
    fn every_kind_is_masked() {
        use SecretKind as K;
        check(
            &["-----BEGIN RSA PRIVATE ", "KEY-----\nabc\n-----END RSA PRIVATE ", "KEY-----\nrest"],
            "[REDACTED:private_key]\nrest",
            &[K::PrivateKey],
        );
        check(
            &[
                "-----BEGIN PGP PRIVATE ",
                "KEY BLOCK-----\nVersion: GnuPG v2 (Linux)\n\nlQOYBF\n=abcd\n-----END PGP PRIVATE ",
                "KEY BLOCK-----.",
            ],
            "[REDACTED:private_key].",
            &[K::PrivateKey],
        );
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        check(
            &["-----BEGIN PRIVATE ", "KEY-----\n", line, "\n", line, "\nthen the disk was full"],
            "[REDACTED:private_key]\nthen the disk was full",
            &[K::PrivateKey],
        );
        check(
            &["-----BEGIN PRIVATE ", "KEY-----\n", line, "\nMIIE"],
            "[REDACTED:private_key]",
            &[K::PrivateKey],
        );
        check(
            &[
                "key: \"-----BEGIN EC PRIVATE ",
                "KEY-----\\n",
                line,
                "\\n-----END EC PRIVATE ",
                "KEY-----\\n\"",
            ],
            "key: \"[REDACTED:private_key]\\n\"",
            &[K::PrivateKey],
        );
        // Lines joined into one, as in labels of alerts.
        check(
            &["saw -----BEGIN PRIVATE ", "KEY----- ", line, " -----END PRIVATE ", "KEY----- here"],
            "saw [REDACTED:private_key] here",
            &[K::PrivateKey],
        );
        check(&["use AKIA", "IOSFODNN7EXAMPLE now"], "use [REDACTED:aws_access_key] now", &[K::AwsAccessKey]);
        check(
            &["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY done"],
            "AWS_SECRET_ACCESS_KEY=[REDACTED:aws_secret_key] done",
            &[K::AwsSecretKey],
        );
        check(
            &["ghp_abcdefghijklmnop", "qrstuvwxyz0123456789"],
            "[REDACTED:github_token]",
            &[K::GithubToken],
        );
        check(&["glpat-abcdefghij", "0123456789"], "[REDACTED:gitlab_token]", &[K::GitlabToken]);
        check(&["xoxb-1234567890", "-abcdef"], "[REDACTED:slack_token]", &[K::SlackToken]);
        check(
            &["https://hooks.slack.com/services/T0000000", "/B0000000/abcdefghijklmnop1234"],
            "https://hooks.slack.com/services/[REDACTED:slack_token]",
            &[K::SlackToken],
        );
        check(
            &[
                "eyJhbGciOiJIUzI1NiJ9",
                ".eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
            ],
            "[REDACTED:jwt]",
            &[K::Jwt],
        );
        check(
            &["Authorization: Bearer abcdef0123456789", "abcdef0123456789"],
            "Authorization: Bearer [REDACTED:authorization_header]",
            &[K::AuthorizationHeader],
        );
        check(
            &["authorization: Basic dXNlcjpw", "YXNzd29yZA=="],
            "authorization: Basic [REDACTED:authorization_header]",
            &[K::AuthorizationHeader],
        );
        check(&["sk-ant-", "api03-0123456789abcdef0123"], "[REDACTED:llm_api_key]", &[K::LlmApiKey]);
        check(
            &["AIza", "SyA1234567890abcdefghijklmnopqrstuv"],
            "[REDACTED:google_api_key]",
            &[K::GoogleApiKey],
        );
        check(&["sk_live_", "0123456789abcdefghij"], "[REDACTED:stripe_key]", &[K::StripeKey]);
        check(&["npm_", "abcdefghijklmnopqrstuvwxyz0123456789"], "[REDACTED:npm_token]", &[K::NpmToken]);
        check(
            &["AccountName=x;AccountKey=", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJ=="],
            "AccountName=x;AccountKey=[REDACTED:azure_key]",
            &[K::AzureKey],
        );
        check(
            &["postgres://loci:hunter", "2@db/x"],
            "postgres://loci:[REDACTED:connection_string]@db/x",
            &[K::ConnectionString],
        );
        for (url, expect) in [
            ("postgres://app:p@ssw0rd!@db/x", "postgres://app:[REDACTED:connection_string]@db/x"),
            ("mysql://root:p/ass123@db", "mysql://root:[REDACTED:connection_string]@db"),
            ("amqp://u:hunter@2@db, then", "amqp://u:[REDACTED:connection_string]@db, then"),
            ("redis://:s3cr3t@h:1/0?a=b@c", "redis://:[REDACTED:connection_string]@h:1/0?a=b@c"),
        ] {
            check(&[url], expect, &[K::ConnectionString]);
        }
        check(
            &["Server=db;User Id=sa;Password=", "S3cret!x;Encrypt=true"],
            "Server=db;User Id=sa;Password=[REDACTED:connection_string];Encrypt=true",
            &[K::ConnectionString],
        );
        check(
            &["client_secret: \"kJ8vQ2zLw9", "Xc5Rt1mN4bH7pA\""],
            "client_secret: \"[REDACTED:assigned_secret]\"",
            &[K::AssignedSecret],
        );
    }

    /// JSON in a text, and JSON in that JSON: the masked text stays valid JSON.
    #[test]
    fn quotes_may_be_escaped() {
        use SecretKind as K;
        let random = ["kJ8vQ2zLw9", "Xc5Rt1mN4bH7pA"].concat();
        let aws = ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"].concat();
        for (name, secret, kind) in [
            ("password", random.as_str(), K::AssignedSecret),
            ("password", "hunter2#x", K::AssignedSecret),
            ("client_secret", random.as_str(), K::AssignedSecret),
            ("api_key", "9f8e7d6c5b4a39281706f5e4d3c2b1a0", K::AssignedSecret),
            ("aws_secret_access_key", aws.as_str(), K::AwsSecretKey),
        ] {
            let mask = format!("[REDACTED:{}]", kind.as_str());
            let mut said = Value::from_iter([(name, secret)]).to_string();
            let mut expect = Value::from_iter([(name, mask.as_str())]).to_string();
            for _ in 0..3 {
                check(&[&said], &expect, &[kind]);
                said = Value::from_iter([("note", said)]).to_string();
                expect = Value::from_iter([("note", expect)]).to_string();
            }
        }
        for (said, expect, kind) in [
            (
                "Authorization: Basic dXNlcjpwYXNzd29yZA==",
                "Authorization: Basic [REDACTED:authorization_header]",
                K::AuthorizationHeader,
            ),
            (
                "Server=db;User Id=sa;Password=S3cret!x",
                "Server=db;User Id=sa;Password=[REDACTED:connection_string]",
                K::ConnectionString,
            ),
        ] {
            let (said, expect) = (Value::from_iter([("note", said)]), Value::from_iter([("note", expect)]));
            check(&[&said.to_string()], &expect.to_string(), &[kind]);
            let wrapped = |value: &Value| Value::from_iter([("note", value.to_string())]).to_string();
            check(&[&wrapped(&said)], &wrapped(&expect), &[kind]);
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "nothing: AKIA, bearer of news, sk-1, http://a@c",
            "token = 3fce3b5b0e1d5a7c9b8f6e4d2c1a0b9f8e7d6c5b",
            "secret_id: 550e8400-e29b-41d4-a716-446655440000",
            "password = ${DATABASE_PASSWORD_FROM_VAULT}",
            "postgres://user:password@localhost/db",
            "postgres://user:<password>@localhost/db",
            "Authorization: Bearer <token>",
            "let token = process.env.GITHUB_TOKEN_FOR_RELEASES",
            "the token bucket algorithm: refill_tokens_every_second",
            "sk-learn-estimator-checks-and-validation",
            "api_key: your-api-key-goes-here-0123",
            "secretName: my-service-account-credentials",
            "let token = AuthV2.fromRefreshTokenPayload(body)",
            "let token = loadTokenFromV2ConfigStore(path)",
            "token := newTokenSourceX7kQ2fromZ9(body)",
            "api_key = os.environ.STRIPE_WEBHOOK_KEY_2024",
            "private_key_path: /home/user1/.ssh/id_ed25519_deploy_key",
            "private_key_path: ../keys/kJ8vQ2zLw9Xc5Rt1mN4bH7pA",
            "secretName: my-service-account-credentials-v2-2024",
            "?next_token=page2&sort=created_at&order=desc&limit=100",
            "user = form.user; password = form.password;",
            "host = socket.gethostname(); pwd = os.getcwd()",
            "const host = x; let password = await ask(host)",
            "user = u->name; password = u->password;",
            "server = s; password = input(\"?\")",
            "docker://alpine:3.19.1@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "http://localhost:8080/@scope/pkg and https://h:443/users/a@b.org",
            "http://localhost:${PORT}/users/me@example.org",
            "[\"http://a:8080\",\"x@y\"]",
            "fmt.Sprintf(\"amqp://%s:%s@%s/\", u, p, h)",
            "{\"note\":\"{\\\"password\\\":\\\"password\\\",\\\"token\\\":\\\"<token>\\\"}\"}",
        ] {
            check(&[text], text, &[]);
        }
        let begin = ["-----BEGIN PRIVATE ", "KEY-----"].concat();
        let end = ["-----END PRIVATE ", "KEY-----"].concat();
        for text in [
            format!("if pem.starts_with(\"{begin}\") && pem.ends_with(\"{end}\") {{ ok() }}"),
            format!("a key begins with {begin} and ends with {end}"),
            format!("const HEAD: &str = \"{begin}\";\nfn internationalisationOfEverything() {{}}\n"),
        ] {
            check(&[&text], &text, &[]);
        }
    }

    #[test]
    fn hidden_characters_hide_no_secret() {
        let cut = ["AKIA", "\u{200b}IOSFODNN7", "\u{ad}EXAMPLE and\u{200b} more"].concat();
        let masked = "[REDACTED:aws_access_key] and more".to_owned();
        assert_eq!(redact(cut, RedactionMode::Mask), (masked, vec![SecretKind::AwsAccessKey]));
        let harmless = "a\u{200b}b\r\nc".to_owned();
        assert_eq!(redact(harmless.clone(), RedactionMode::Mask), (harmless, vec![]));
    }

    #[test]
    fn a_mask_never_makes_a_text_too_long() {
        let filler = "x".repeat(loci_model::limits::RECORD_TEXT_CHARS_MAX - 30);
        let text = format!("{filler} postgres://loci:hunter2@db/");
        assert!(text.chars().count() <= loci_model::limits::RECORD_TEXT_CHARS_MAX);
        let (masked, kinds) = redact(text, RedactionMode::Mask);
        assert!(masked.ends_with("postgres://loci:***@db/"), "{}", masked.len());
        assert_eq!(kinds, [SecretKind::ConnectionString]);
    }
}
