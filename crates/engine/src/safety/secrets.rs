//! Secrets in texts: fifteen kinds of keys, tokens and passwords, masked where the settings ask for it and always in what
//! a model is asked (coding-agent-memory.md §18.10).
//!
//! Off by default, because the server stores verbatim (memory-manager.md W-23) and a false find would spoil evidence.
//! Personal data is not its matter.

use std::sync::LazyLock;

use loci_model::limits;
use regex::{Captures, Regex, RegexSet};

use super::entropy::{bits_per_char, is_known_hash, is_placeholder};

/// What replaces a secret where its kind would make the text longer than a record may be.
pub const MASK: &str = "[redacted]";
/// And where even that would: for passwords shorter than it.
const MASK_SHORT: &str = "***";

/// What happens to secrets in texts: `Off` by default, or masked.
pub use loci_model::settings::SecretsMode as RedactionMode;

/// A kind of secret (the list is closed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// A PEM block of a private key.
    PrivateKey,
    /// The public half of an AWS pair.
    AwsAccessKey,
    /// The secret half of an AWS pair, where a name says so.
    AwsSecretKey,
    /// A token of GitHub.
    GithubToken,
    /// A token of GitLab.
    GitlabToken,
    /// A token or a webhook of Slack.
    SlackToken,
    /// A JSON web token.
    Jwt,
    /// What stands in an `Authorization` header, or behind `Bearer`.
    AuthorizationHeader,
    /// A key for language models.
    LlmApiKey,
    /// A key of Google.
    GoogleApiKey,
    /// A key of Stripe.
    StripeKey,
    /// A token of npm.
    NpmToken,
    /// A key of an Azure account, or of a shared access signature.
    AzureKey,
    /// A password in a URL or a data source name.
    ConnectionString,
    /// A random text behind a name like password, secret or token.
    AssignedSecret,
}

impl SecretKind {
    /// Every kind, in the order in which they are looked for.
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

    /// The word in masks, findings and metrics.
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

    /// Its form. Where it has a group, the group alone is masked; `\b` is a boundary of ASCII words.
    fn form(self) -> &'static str {
        match self {
            Self::PrivateKey => {
                r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----|\z)"
            }
            Self::AwsAccessKey => r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
            Self::AwsSecretKey => {
                r#"(?i)aws_?secret_?(?:access_?)?key["']?\s*[:=]\s*["']?([A-Za-z0-9/+]{40})\b"#
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
            Self::ConnectionString => {
                r#"(?i)\b[a-z][a-z0-9+.-]*://[^\s:/@]*:([^\s/@]{3,})@|\b(?:server|host|data source|user id|uid|user|dbname|database|initial catalog)\s*=[^;\n]{1,200};(?:[^\n]{0,200}?;)?\s*(?:password|pwd)\s*=\s*([^;\s"']{3,})"#
            }
            Self::AuthorizationHeader => {
                r#"(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|apikey|digest|negotiate)\s+([A-Za-z0-9_\-.~+/]{8,}=*)|\bbearer\s+([A-Za-z0-9_\-.~+/]{20,}=*)"#
            }
            Self::AssignedSecret => {
                r#"(?i)\b[a-z0-9_.-]{0,40}(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|credential)[a-z0-9_.-]{0,20}["']?\s*(?:=>|:=|[:=])\s*["'`]?([A-Za-z0-9_\-./+=~!@#$%^&*]{20,})"#
            }
        }
    }

    /// What the form cannot say: that a text is random enough, and no example.
    fn holds(self, secret: &str) -> bool {
        let mixed =
            || secret.bytes().any(|b| b.is_ascii_digit()) && secret.bytes().any(|b| b.is_ascii_alphabetic());
        match self {
            Self::PrivateKey
            | Self::AwsAccessKey
            | Self::GithubToken
            | Self::GitlabToken
            | Self::SlackToken
            | Self::Jwt
            | Self::GoogleApiKey
            | Self::StripeKey
            | Self::NpmToken
            | Self::AzureKey => true,
            Self::AwsSecretKey => !is_known_hash(secret),
            Self::LlmApiKey => mixed() && bits_per_char(secret) >= 3.0,
            Self::ConnectionString => !is_placeholder(secret),
            Self::AuthorizationHeader => !is_placeholder(secret) && (mixed() || secret.ends_with('=')),
            Self::AssignedSecret => {
                mixed() && bits_per_char(secret) >= 4.0 && !is_known_hash(secret) && !is_placeholder(secret)
            }
        }
    }
}

static SET: LazyLock<RegexSet> = LazyLock::new(|| compiled_set(&SecretKind::ALL.map(ascii_form)));
static EACH: LazyLock<[Regex; 15]> =
    LazyLock::new(|| SecretKind::ALL.map(|kind| compiled(&ascii_form(kind))));

/// Boundaries of ASCII words keep the automaton small and fast.
fn ascii_form(kind: SecretKind) -> String {
    kind.form().replace(r"\b", r"(?-u:\b)")
}

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant form")
}

#[expect(clippy::expect_used, reason = "the forms are constants, compiled by the tests of this file")]
fn compiled_set(forms: &[String]) -> RegexSet {
    RegexSet::new(forms).expect("constant forms")
}

/// The text with its secrets masked, and what kinds there were, sorted; with [`RedactionMode::Off`] the text as it is.
pub fn redact(text: String, mode: RedactionMode) -> (String, Vec<SecretKind>) {
    match mode {
        RedactionMode::Off => (text, Vec::new()),
        RedactionMode::Mask => {
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
    }
}

fn mask(text: &str, label: impl Fn(SecretKind, &str) -> String) -> (String, Vec<SecretKind>) {
    let mut kinds = Vec::new();
    let mut text = text.to_owned();
    for at in SET.matches(&text) {
        let (Some(kind), Some(form)) = (SecretKind::ALL.get(at), EACH.get(at)) else { continue };
        let mut masked = String::with_capacity(text.len());
        let mut from = 0;
        for found in form.captures_iter(&text) {
            let Some(secret) = secret_of(&found).filter(|secret| kind.holds(secret.as_str())) else {
                continue;
            };
            masked.push_str(text.get(from..secret.start()).unwrap_or_default());
            masked.push_str(&label(*kind, secret.as_str()));
            from = secret.end();
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

/// The group that took part, or the whole.
fn secret_of<'t>(found: &Captures<'t>) -> Option<regex::Match<'t>> {
    found.iter().skip(1).flatten().next().or_else(|| found.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(parts: &[&str], expect: &str, kinds: &[SecretKind]) {
        let text = parts.concat();
        assert_eq!(redact(text.clone(), RedactionMode::Mask), (expect.to_owned(), kinds.to_vec()), "{text}");
        assert_eq!(redact(text.clone(), RedactionMode::Off), (text, Vec::new()));
        assert_eq!(redact(expect.to_owned(), RedactionMode::Mask), (expect.to_owned(), vec![]), "{expect}");
    }

    /// Forms are written in parts, so that no scanner takes this file for a leak.
    #[test]
    fn every_kind_is_masked() {
        use SecretKind as K;
        check(
            &["-----BEGIN RSA PRIVATE ", "KEY-----\nabc\n-----END RSA PRIVATE ", "KEY-----\nrest"],
            "[REDACTED:private_key]\nrest",
            &[K::PrivateKey],
        );
        check(&["-----BEGIN PRIVATE ", "KEY-----\ncut off"], "[REDACTED:private_key]", &[K::PrivateKey]);
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
        ] {
            check(&[text], text, &[]);
        }
    }

    #[test]
    fn a_mask_never_makes_a_text_too_long() {
        let filler = "x".repeat(limits::RECORD_TEXT_CHARS_MAX - 30);
        let text = format!("{filler} postgres://loci:hunter2@db/");
        assert!(text.chars().count() <= limits::RECORD_TEXT_CHARS_MAX);
        let (masked, kinds) = redact(text, RedactionMode::Mask);
        assert!(masked.ends_with("postgres://loci:***@db/"), "{}", masked.len());
        assert_eq!(kinds, [SecretKind::ConnectionString]);
    }
}
