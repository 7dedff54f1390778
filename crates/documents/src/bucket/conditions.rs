//! Preconditions of a write to a key of a bucket, both for objects and for documents.

use loci_engine::access;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, MemoryId, Reason, Result};

use crate::document::edit::COMPARISON;
use crate::document::precondition::Precondition;

/// Requires a grant to read the whole memory if a condition names digests of an object, because the
/// outcome of the write reveals if the object has that content.
///
/// # Errors
/// `Denied` without that grant.
pub(super) fn require_comparable(
    caller: &Principal,
    memory: &MemoryId,
    precondition: Option<&Precondition>,
) -> Result<()> {
    if precondition.is_some_and(Precondition::names_digests) {
        return access::require_whole(caller, memory, Capability::Read)
            .map_err(|_| access::needs_reading(COMPARISON));
    }
    Ok(())
}

/// Checks a precondition against the SHA-256 of the current content. `sha256` is `None` if the key
/// has no content.
///
/// # Errors
/// `STALE_VERSION` if the precondition does not hold.
pub(super) fn check(precondition: Option<&Precondition>, sha256: Option<&str>) -> Result<()> {
    let holds = match (precondition, sha256) {
        (None | Some(Precondition::Any), _) | (Some(Precondition::Absent), None) => true,
        (Some(Precondition::Absent), Some(_)) | (Some(Precondition::Matches(_)), None) => false,
        (Some(Precondition::Matches(tags)), Some(sha256)) => {
            tags.iter().any(|tag| tag == "*" || tag.strip_prefix("sha256:").is_some_and(|hex| hex == sha256))
        }
    };
    if holds {
        return Ok(());
    }
    let rule = match sha256 {
        Some(_) => "what lies under the key has changed, or is there already: read it and try again",
        None => "nothing lies under the key: send If-None-Match: * to make it",
    };
    Err(Error::conflict(rule).because(Reason::StaleVersion).on("if_match"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds() {
        let matches = |tag: &str| Precondition::of_tags(tag);
        for (precondition, sha256, expect) in [
            (None, None, true),
            (None, Some("ab"), true),
            (Some(Precondition::Any), Some("ab"), true),
            (Some(Precondition::Absent), None, true),
            (Some(Precondition::Absent), Some("ab"), false),
            (Some(matches("\"sha256:ab\"")), Some("ab"), true),
            (Some(matches("\"sha256:cd\", \"sha256:ab\"")), Some("ab"), true),
            (Some(matches("\"ab\"")), Some("ab"), false),
            (Some(matches("*")), Some("ab"), true),
            (Some(matches("*")), None, false),
        ] {
            assert_eq!(check(precondition.as_ref(), sha256).is_ok(), expect, "{precondition:?} {sha256:?}");
        }
    }
}
