//! Preconditions of changes to documents. A change that could overwrite a concurrent one is
//! rejected without a precondition.

use loci_engine::document_text::content::etag;
use loci_model::{Error, Reason, Result};

use super::document_write::LiveDocument;

/// A precondition of a change to a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// No condition: the caller forces the change.
    Any,
    /// The document must not exist (`If-None-Match: *`).
    Absent,
    /// The document must exist with one of these entity tags (`If-Match`). `*` matches any.
    Matches(Vec<String>),
}

impl Precondition {
    /// Parses the precondition in the two HTTP headers. `None` if both are absent.
    ///
    /// # Errors
    /// `Invalid` if both headers are present, or `If-None-Match` is not `*`.
    pub fn of_headers(if_match: Option<&str>, if_none_match: Option<&str>) -> Result<Option<Self>> {
        match (if_match, if_none_match) {
            (None, None) => Ok(None),
            (None, Some("*")) => Ok(Some(Self::Absent)),
            (None, Some(_)) => Err(Error::invalid("If-None-Match", "If-None-Match must be * here")),
            (Some(tags), None) => Ok(Some(Self::of_tags(tags))),
            (Some(_), Some(_)) => {
                Err(Error::invalid("If-Match", "send either If-Match or If-None-Match, not both"))
            }
        }
    }

    /// Parses the list of entity tags of an `If-Match` header.
    pub fn of_tags(tags: &str) -> Self {
        let bare = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"').to_owned();
        Self::Matches(tags.split(',').map(bare).filter(|tag| !tag.is_empty()).collect())
    }

    /// Returns true if the outcome of the check reveals the content of a document, and not only if
    /// the document exists.
    pub(crate) fn names_digests(&self) -> bool {
        matches!(self, Self::Matches(tags) if tags.iter().any(|tag| tag != "*"))
    }

    /// Returns the given precondition, for a change that requires one.
    ///
    /// # Errors
    /// `PRECONDITION_REQUIRED` if none is given.
    pub(super) fn required(given: Option<Self>) -> Result<Self> {
        given.ok_or_else(|| {
            let rule = "send If-Match with the document's ETag, If-None-Match: * for a new document, or force=true to \
                        overwrite whatever is there";
            Error::conflict(rule).because(Reason::PreconditionRequired)
        })
    }

    /// Checks the precondition against the current document.
    ///
    /// # Errors
    /// `STALE_VERSION`, with the current entity tag and version, if it does not hold.
    pub(super) fn check(&self, path: &str, found: Option<&LiveDocument>) -> Result<()> {
        let holds = match (self, found) {
            (Self::Any, _) | (Self::Absent, None) => true,
            (Self::Absent, Some(_)) | (Self::Matches(_), None) => false,
            (Self::Matches(tags), Some(found)) => {
                let (file, content) = (&found.entry.file_sha256, &found.entry.content_sha256);
                let is_it = |tag: &String| {
                    tag == "*" || tag.strip_prefix("sha256:").is_some_and(|hex| hex == file || hex == content)
                };
                tags.iter().any(is_it)
            }
        };
        if holds {
            return Ok(());
        }
        let (rule, details) = match found {
            None => (format!("no document lies at {path}: send If-None-Match: * to make one"), Vec::new()),
            Some(found) => (
                format!("the document at {path} has changed, or is there already: read it and try again"),
                details(found),
            ),
        };
        Err(Error::conflict(rule).because(Reason::StaleVersion).on("if_match").listing(details))
    }
}

/// Returns the error of a condition at the old path of a moved document, with its new path.
pub(super) fn moved_away(path: &str, moved: &LiveDocument, remedy: &str) -> Error {
    let rule = format!("the document of {path} was moved to {}: {remedy}", moved.entry.path);
    Error::conflict(rule).because(Reason::StaleVersion).on("if_match").listing(details(moved))
}

/// Returns the entity tag and the version of the present document.
fn details(found: &LiveDocument) -> Vec<String> {
    vec![format!("etag {}", etag(&found.entry.file_sha256)), format!("version {}", found.record.version)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let tags =
            |tags: &[&str]| Some(Precondition::Matches(tags.iter().map(|tag| (*tag).to_owned()).collect()));
        let check = |if_match: Option<&str>, if_none_match: Option<&str>, expect| {
            assert_eq!(Precondition::of_headers(if_match, if_none_match).unwrap(), expect);
        };
        check(None, None, None);
        check(None, Some("*"), Some(Precondition::Absent));
        check(Some("\"sha256:ab\""), None, tags(&["sha256:ab"]));
        check(Some("W/\"sha256:ab\", sha256:cd ,"), None, tags(&["sha256:ab", "sha256:cd"]));
        check(Some("*"), None, tags(&["*"]));
        assert!(Precondition::of_headers(Some("*"), Some("*")).is_err());
        assert!(Precondition::of_headers(None, Some("\"sha256:ab\"")).is_err());
        assert!(Precondition::required(None).is_err());
    }

    #[test]
    fn conditions_that_tell_a_content() {
        let check = |precondition: Precondition, expect| assert_eq!(precondition.names_digests(), expect);
        check(Precondition::Any, false);
        check(Precondition::Absent, false);
        check(Precondition::of_tags("*"), false);
        check(Precondition::of_tags("*, \"sha256:ab\""), true);
        check(Precondition::of_tags("\"sha256:ab\""), true);
    }
}
