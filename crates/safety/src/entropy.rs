//! The randomness of texts, and the random-looking texts that are not secrets.

/// Returns the entropy of the text in bits per character, from the frequencies of its own
/// characters.
pub(super) fn bits_per_char(text: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    let mut length = 0_u32;
    for c in text.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
        length += 1;
    }
    let share = |count: u32| f64::from(count) / f64::from(length);
    counts.into_values().map(|count| -share(count) * share(count).log2()).sum()
}

/// Returns true for a git commit, a UUID or a digest: random-looking texts that are not secrets.
pub(super) fn is_known_hash(text: &str) -> bool {
    let text = text.strip_prefix("sha256:").or_else(|| text.strip_prefix("sha1:")).unwrap_or(text);
    let digits: usize = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes: usize = text.bytes().filter(|b| *b == b'-').count();
    let all = digits + dashes == text.len();
    all && (dashes == 0 && matches!(digits, 32 | 40 | 56 | 64 | 96 | 128) || (digits == 32 && dashes == 4))
}

/// Returns true for a text that stands in place of a secret: a variable, an example, a mask.
pub(super) fn is_placeholder(text: &str) -> bool {
    let inner = text.trim_matches(['"', '\'', '`']);
    let lower = inner.to_ascii_lowercase();
    let wrapped = |open: &str, close: char| inner.starts_with(open) && inner.ends_with(close);
    wrapped("[", ']')
        || wrapped("<", '>')
        || wrapped("{", '}')
        || inner.starts_with('$')
        || inner.starts_with('%')
        || inner.chars().all(|c| matches!(c, '*' | 'x' | 'X' | '.' | '-' | '_' | '•'))
        || ["your", "example", "placeholder", "changeme", "redacted", "dummy", "todo"]
            .iter()
            .any(|word| lower.starts_with(word))
        || matches!(lower.as_str(), "password" | "passwd" | "pass" | "pwd" | "secret" | "token")
        || matches!(lower.as_str(), "none" | "null" | "nil" | "undefined" | "true" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn randomness() {
        assert!(bits_per_char("aaaaaaaa") < 0.1);
        assert!((bits_per_char("abcd") - 2.0).abs() < 1e-9);
        assert!(bits_per_char("kJ8#vQ2!zLw9@Xc5^Rt1") > 4.0);
        assert!(bits_per_char("") < 0.1);
    }

    #[test]
    fn what_is_no_secret() {
        for hash in [
            "3fce3b5b0e1d5a7c9b8f6e4d2c1a0b9f8e7d6c5b",
            "550e8400-e29b-41d4-a716-446655440000",
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ] {
            assert!(is_known_hash(hash), "{hash}");
        }
        assert!(!is_known_hash("kJ8vQ2zLw9Xc5Rt1kJ8vQ2zLw9Xc5Rt1"));
        for text in
            ["${DB_PASSWORD}", "<password>", "****", "[redacted]", "your-password-here", "%s", "$PASS"]
        {
            assert!(is_placeholder(text), "{text}");
        }
        assert!(!is_placeholder("hunter2hunter2"));
    }
}
