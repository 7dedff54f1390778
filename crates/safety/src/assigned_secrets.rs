//! Values assigned to a name like password, secret or token that are secrets although they look
//! less random than twenty mixed characters: keys in hexadecimal digits, passwords in quotes,
//! tokens with the form of their issuer. The check sees one assignment and never the code around
//! it.

use super::code_names;
use super::entropy::bits_per_char;

/// The regular expression of tokens that are recognised by their prefix, under any name.
pub(super) const TOKENS: &str = concat!(
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"|do[opr]_v1_[0-9a-f]{64}",
    r"|key-[0-9a-f]{32}",
    r"|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    r"|dckr_pat_[A-Za-z0-9_-]{27,}",
    r"|pypi-AgE[A-Za-z0-9_-]{50,}",
    r"|hvs\.[A-Za-z0-9_-]{24,}",
    r"|lin_api_[A-Za-z0-9]{40}",
    r"|AGE-SECRET-KEY-1[0-9A-Z]{58}",
);
const TOKEN_STARTS: &[&str] = &[
    "SG.",
    "doo_v1_",
    "dop_v1_",
    "dor_v1_",
    "key-",
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "dckr_pat_",
    "pypi-AgE",
    "hvs.",
    "lin_api_",
    "AGE-SECRET-KEY-1",
];
/// The number of hexadecimal digits of a 128-bit key.
const HEX_DIGITS_MIN: usize = 32;
/// Minimum number of characters of a quoted password. A shorter one protects nothing.
const PASSWORD_CHARS_MIN: usize = 8;
/// Words in names whose values may be shown: digests and public values.
const SHOWN: &[&str] = &[
    "sha",
    "hash",
    "digest",
    "checksum",
    "commit",
    "etag",
    "integrity",
    "fingerprint",
    "md5",
    "revision",
    "public",
    "publishable",
    "blob",
];
/// Words that examples and tests use in place of a password.
const EXAMPLES: &[&str] = &[
    "password", "passwd", "pass", "pwd", "secret", "token", "key", "admin", "user", "root", "test",
    "example", "sample", "demo", "dummy", "fake", "foo", "bar", "baz", "qux", "changeme", "change",
    "letmein", "welcome", "qwerty", "abc", "xyz", "my", "your", "the", "new", "old", "me", "some", "wrong",
    "invalid", "valid", "bad", "good", "correct", "default", "super", "very", "strong",
];

/// An assignment: the text before the value, the value, and the text after it.
pub(super) struct SecretAssignment<'t> {
    pub(super) before: &'t str,
    pub(super) value: &'t str,
    pub(super) after: &'t str,
}

impl SecretAssignment<'_> {
    /// Returns true if the value is a secret, judged by its name and its form.
    pub(super) fn is_secret(&self) -> bool {
        self.is_token() || self.is_hex_key() || self.is_password()
    }

    fn is_token(&self) -> bool {
        TOKEN_STARTS.iter().any(|start| self.value.starts_with(start))
    }

    /// True for enough random hexadecimal digits under a name of a secret. An unquoted value under
    /// the bare name `token` may be any digest, so it does not count.
    fn is_hex_key(&self) -> bool {
        let name = self.name();
        let hex = self.value.len() >= HEX_DIGITS_MIN && self.value.bytes().all(|b| b.is_ascii_hexdigit());
        let mixed = self.value.bytes().any(|b| b.is_ascii_digit())
            && self.value.bytes().any(|b| b.is_ascii_alphabetic());
        let keeps = self.quote().is_some() || !name.eq_ignore_ascii_case("token");
        hex && mixed && keeps && !is_shown(name) && bits_per_char(self.value) >= 3.0 && !is_row(self.value)
    }

    /// True for a quoted value under a name that ends with password. It has letters and digits, and
    /// it consists neither of words nor of words of examples.
    fn is_password(&self) -> bool {
        let name = self.name().to_ascii_lowercase();
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let is_named = ["password", "passwd", "pwd", "passphrase"].iter().any(|end| name.ends_with(end));
        let quoted = self.quote().is_some_and(|quote| self.after.trim_start_matches('\\').starts_with(quote));
        let mixed = self.value.bytes().any(|b| b.is_ascii_digit())
            && self.value.bytes().any(|b| b.is_ascii_alphabetic());
        let has_form =
            |c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | '\\' | ' ');
        let is_place = self.value.contains("://")
            || ["/", "./", "../", "~/", "$", "%", "#"].iter().any(|start| self.value.starts_with(start));
        is_named
            && quoted
            && mixed
            && self.value.chars().count() >= PASSWORD_CHARS_MIN
            && !self.value.contains(has_form)
            && !is_place
            && !code_names::is_made_of_words(&self.value.replace(['.', ':', '/', '+'], "_"))
            && !is_example(self.value)
    }

    /// Returns the name that the value is assigned to.
    fn name(&self) -> &str {
        let joined = self.before.trim_end_matches(|c: char| c.is_whitespace() || "\"'`:=>\\".contains(c));
        let start =
            joined.rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).map_or(0, |at| {
                at + joined.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
            });
        joined.get(start..).unwrap_or_default()
    }

    fn quote(&self) -> Option<char> {
        self.before.chars().next_back().filter(|c| matches!(c, '"' | '\'' | '`'))
    }
}

fn is_shown(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SHOWN.iter().any(|word| name.contains(word)) || name.ends_with("id")
}

/// True for digits in sequence, as a person types them.
fn is_row(hex: &str) -> bool {
    let lower = hex.to_ascii_lowercase();
    ["01234567", "12345678", "abcdefab", "deadbeef", "cafebabe"].iter().any(|row| lower.contains(row))
}

/// True for a text that consists only of words of examples and digits. A digit may stand for a
/// letter.
fn is_example(value: &str) -> bool {
    let plain: String = value.to_ascii_lowercase().chars().map(letter).collect();
    let mut rest = plain.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    // Digits at the end do not stand for letters.
    let typed = value.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    rest = rest.get(..typed.len()).unwrap_or(rest);
    while !rest.is_empty() {
        let next = EXAMPLES.iter().filter_map(|word| rest.strip_prefix(word)).min_by_key(|rest| rest.len());
        rest = match next.or_else(|| rest.strip_prefix(|c: char| !c.is_ascii_alphabetic())) {
            Some(shorter) => shorter,
            None => return false,
        };
    }
    true
}

fn letter(c: char) -> char {
    match c {
        '0' => 'o',
        '1' => 'l',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use crate::secrets::{RedactionMode, SecretKind, redact};

    fn kinds(text: &str) -> Vec<SecretKind> {
        redact(text.to_owned(), RedactionMode::Mask).1
    }

    const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    /// The test builds each form from parts, so that no scanner reports this file as a leak.
    #[test]
    fn what_is_assigned_is_found() {
        let hex = |digits: usize| &HEX[..digits];
        for text in [
            format!("FLASK_SECRET_KEY = \"{}\"", hex(64)),
            format!("the key: FLASK_SECRET_KEY = {}", hex(64)),
            format!("DD_API_KEY = \"{}\"", hex(32)),
            format!("export TWILIO_AUTH_TOKEN={}", hex(32)),
            format!("OAUTH_CLIENT_SECRET = \"{}\"", hex(40)),
            format!("{{\"clientSecret\": \"{}\"}}", hex(40)),
            format!("token: '{}'", hex(40)),
            format!("SECRET_KEY_BASE: {}{}", hex(64), hex(64)),
            format!("ENCRYPTION_KEY={}", hex(64)),
            ["SENDGRID_KEY = \"SG", ".ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr\""]
                .concat(),
            format!("MAILGUN_API_KEY = \"key-{}\"", hex(32)),
            format!("it is dop_v1_{}.", hex(64)),
            ["DB_PASSWORD = \"hunter2", "-super-S3cret!\""].concat(),
            ["connect(user=name, password=\"Tr0ub4dor", "&3-zxcv\")"].concat(),
            ["password = \"hunter2", "hunter2\""].concat(),
            ["'db_passwd' => 'x9Kq", "2vLm'"].concat(),
        ] {
            assert_eq!(kinds(&text), [SecretKind::AssignedSecret], "{text}");
        }
    }

    #[test]
    fn digests_words_and_examples_are_left() {
        let hex = |digits: usize| &HEX[..digits];
        for text in [
            format!("token = {}", hex(40)),
            format!("token_hash = \"{}\"", hex(64)),
            format!("secretSha256: \"{}\"", hex(64)),
            format!("access_key_fingerprint: {}", hex(40)),
            format!("tokenId: \"{}\"", hex(32)),
            format!("public_api_key: \"{}\"", hex(32)),
            format!("commit = \"{}\", etag = '{}'", hex(40), hex(32)),
            format!("rev: {}", hex(40)),
            "SECRET_KEY = \"0123456789abcdef0123456789abcdef\"".to_owned(),
            "api_key = \"deadbeefdeadbeefdeadbeefdeadbeef\"".to_owned(),
            "secret = \"00000000000000000000000000000000\"".to_owned(),
        ] {
            assert_eq!(kinds(&text), [], "{text}");
        }
        for value in [
            "changeme",
            "<password>",
            "password",
            "example",
            "xxxx",
            "${VAR}",
            "secret",
            "password123",
            "P@ssw0rd123",
            "s3cret-passw0rd",
            "test1234",
            "required|min:8",
            "auth.password_v2.label",
            "/auth/reset2fa/x9",
            "Enter 8 digits",
            "{{ pass1word }}",
            "short1",
            "$2b$12$abcdefghijklmnopqrstuv",
            "user2/password",
            "my-Secret-Password-1",
            "onlyletters",
        ] {
            let text = format!("password = \"{value}\"");
            assert_eq!(kinds(&text), [], "{text}");
        }
        for text in [
            "password_hash = \"x9Kq2vLm\"",
            "password == \"x9Kq2vLm\"",
            "password = x9Kq2vLm",
            "passwordLabel: \"x9Kq2vLm\"",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }
}
