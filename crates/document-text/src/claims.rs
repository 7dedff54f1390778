//! The members of a document's head that its author may not set without a grant. Pure.
//!
//! A file is text that its author controls. Only a grant may place text early in a prompt or
//! protect it from cleanup. The write path decides who has the grant.

use loci_model::Timestamp;

use super::content::DocumentContent;
use super::frontmatter::Value;

/// The members of a document that only a grant permits to set: they decide the order in a prompt
/// and the protection from cleanup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Granted {
    /// True if cleanup keeps the document and prompts show it before others.
    pub pinned: bool,
    /// The priority of the document. Prompts show documents with a greater one first.
    pub priority: i64,
}

impl Granted {
    /// Parses these members from the text in which metadata stores them.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (pinned, priority) = text.split_once(' ')?;
        Some(Self { pinned: pinned.parse().ok()?, priority: priority.parse().ok()? })
    }
}

impl DocumentContent {
    /// Returns true if cleanup keeps the document and prompts show it before others.
    pub fn is_pinned(&self) -> bool {
        self.granted.unwrap_or_else(|| self.claimed()).pinned
    }

    /// Returns the priority. Prompts show documents with a greater one first.
    pub fn priority(&self) -> i64 {
        self.granted.unwrap_or_else(|| self.claimed()).priority
    }

    /// Returns the values that the head claims for the members that need a grant.
    fn claimed(&self) -> Granted {
        Granted {
            pinned: self.head.get("pinned").and_then(Value::bool).unwrap_or_default(),
            priority: self.head.get("priority").and_then(Value::number).unwrap_or_default(),
        }
    }

    /// Returns the document from a file whose author has no grant. The members that need a grant
    /// keep the values of the version `before`, or the defaults for a new document.
    #[must_use]
    pub fn without_claims(self, before: Option<&Self>, now: Timestamp) -> Self {
        let standing = before
            .map(|before| Granted { pinned: before.is_pinned(), priority: before.priority() })
            .unwrap_or_default();
        let is_ahead = self.time("valid_from").is_some_and(|from| from > now);
        let granted = (is_ahead || self.claimed() != standing).then_some(standing);
        Self { granted, ..self }
    }

    /// Returns the warning for the author of a file whose head claims values that need a grant.
    /// `None` if it claims none.
    pub fn claims_warning(&self) -> Option<String> {
        self.granted.map(|_| {
            "pinned, priority and a valid_from to come are not taken from the head of a file: \
             set them with a grant of admin, or as members of the document"
                .to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_says_nothing_that_only_a_grant_sets() {
        let at = Timestamp::clamped(1_000_000);
        let read = |head: &str| DocumentContent::of_file(&format!("---\n{head}\n---\n\nx")).0;
        let check = |before: Option<&str>, head: &str, expect: (bool, i64, bool)| {
            let before = before.map(read);
            let content = read(head).without_claims(before.as_ref(), at);
            let said = content.claims_warning().is_some();
            assert_eq!((content.is_pinned(), content.priority(), said), expect, "{head}");
            assert!(content.file().contains(head), "the head stays as text: {}", content.file());
        };
        check(None, "own: 1", (false, 0, false));
        check(None, "pinned: true", (false, 0, true));
        check(None, "priority: 9", (false, 0, true));
        check(None, "valid_from: 2999-01-01T00:00:00Z", (false, 0, true));
        check(None, "valid_from: 1970-01-01T00:00:00Z", (false, 0, false));
        check(Some("pinned: true\npriority: 3"), "pinned: true\npriority: 3", (true, 3, false));
        check(Some("pinned: true"), "own: 1", (true, 0, true));
        check(Some("pinned: true"), "priority: 9", (true, 0, true));
    }

    #[test]
    fn a_head_that_cannot_be_read_is_kept() {
        let file = "---\na: [1\n---\nbody";
        let (content, warnings) = DocumentContent::of_file(file);
        assert_eq!((content.file().as_str(), content.is_raw, warnings.len()), (file, true, 1));
        let raw = DocumentContent::raw("---\ntitle: A\n---\n# x".to_owned());
        assert_eq!((raw.title.as_deref(), raw.file().as_str()), (Some("A"), "---\ntitle: A\n---\n# x"));
    }
}
