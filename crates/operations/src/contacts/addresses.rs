//! Mail addresses in words: strict parsing by grammar, and a lenient test for text that resembles
//! an address. Pure. A parsed address is shown to people as a contact, or compared with the
//! operator's list. The lenient test protects members that need a person. Each function looks at
//! one word; the caller splits sentences into words.

/// The maximum length of an address, and of its part before the `@` (RFC 5321), in characters.
const CHARS_MAX: usize = 254;
const LOCAL_CHARS_MAX: usize = 64;
const LABEL_CHARS: std::ops::RangeInclusive<usize> = 1..=63;
/// Characters that an unquoted local part may contain in addition to letters and digits (RFC 5322).
const SIGNS: &str = "!#$%&'*+/=?^_`{|}~-";

/// A mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address<'a> {
    /// The part before the `@`, with its case kept, because the case may be significant.
    pub(super) local: &'a str,
    /// The part after the `@`, in lower case.
    pub(super) domain: String,
}

impl<'a> Address<'a> {
    /// Parses a word as an unquoted address. Dots must be inside the local part and never adjacent.
    /// The domain needs at least two labels, and the last one must not be a number.
    pub(crate) fn parse(word: &'a str) -> Option<Self> {
        let (local, domain) = word.split_once('@')?;
        let is_atom = |atom: &str| {
            !atom.is_empty() && atom.chars().all(|c| c.is_ascii_alphanumeric() || SIGNS.contains(c))
        };
        let is_label = |label: &str| {
            LABEL_CHARS.contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_alphanumeric() || c == '-')
        };
        let (_, last) = domain.rsplit_once('.')?;
        let is_whole = local.len() <= LOCAL_CHARS_MAX
            && word.len() <= CHARS_MAX
            && local.split('.').all(is_atom)
            && domain.split('.').all(is_label)
            && last.chars().count() >= 2
            && !last.chars().all(|c| c.is_ascii_digit());
        is_whole.then(|| Self { local, domain: domain.to_lowercase() })
    }
}

impl std::fmt::Display for Address<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.local, self.domain)
    }
}

/// True if a person could read the word as an address, even if the grammar does not allow it.
/// Returns true in case of doubt.
pub(super) fn looks_like_address(word: &str) -> bool {
    word.split_once('@').is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_address_and_what_looks_like_one() {
        let check = |word: &str, expect: Option<&str>, looks: bool| {
            let found = Address::parse(word).map(|address| address.to_string());
            assert_eq!((found.as_deref(), looks_like_address(word)), (expect, looks), "{word}");
        };
        check("ops.team@example.co.uk", Some("ops.team@example.co.uk"), true);
        check("Ops.Team@Example.CO.UK", Some("Ops.Team@example.co.uk"), true);
        check("first.last+sre@Sub.Example.com", Some("first.last+sre@sub.example.com"), true);
        check("ops@münchen.de", Some("ops@münchen.de"), true);
        check("x@y.com", Some("x@y.com"), true);
        check("a..b@example.com", None, true);
        check(".a@example.com", None, true);
        check("a.@example.com", None, true);
        check("a@-example.co.uk", None, true);
        check("a@example-.co.uk", None, true);
        check("a@example..com", None, true);
        check("a@example.com.", None, true);
        check("a@1.2.3.4", None, true);
        check("a@b.c", None, true);
        check("a@b@example.com", None, true);
        check("a b@example.com", None, true);
        check("a@b", None, false);
        check("@example.com", None, false);
        check("a@", None, false);
        check("#channel", None, false);
        check("", None, false);
    }

    #[test]
    fn an_address_at_its_limits() {
        let check = |local: usize, label: usize, expect: bool| {
            let word = format!("{}@{}.com", "a".repeat(local), "b".repeat(label));
            assert_eq!(Address::parse(&word).is_some(), expect, "{local} {label}");
        };
        check(64, 63, true);
        check(65, 63, false);
        check(64, 64, false);
        let of_chars = |chars: usize| {
            let labels = format!("{}.", "b".repeat(61)).repeat(3);
            let rest = chars - labels.len() - "a@.com".len();
            format!("a@{labels}{}.com", "c".repeat(rest))
        };
        assert!(Address::parse(&of_chars(CHARS_MAX)).is_some());
        assert!(Address::parse(&of_chars(CHARS_MAX + 1)).is_none());
    }
}
