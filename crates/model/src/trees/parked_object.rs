//! Objects that agents park outside of their context: bytes under a key, stored verbatim until they
//! expire. They are raw material, not knowledge: they have no index and no versions.

use serde::{Deserialize, Serialize};

use crate::{Error, MemoryId, Result, Timestamp, limits};

/// The metadata of an object, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectHead {
    /// The memory that the object belongs to.
    pub memory: MemoryId,
    /// The key of the object.
    pub key: String,
    /// The content type of the bytes, if the caller specified it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Size of the object in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes, in hex digits.
    pub sha256: String,
    /// Time of the last write.
    pub updated_at: Timestamp,
    /// Time at which the object expires.
    pub expires_at: Timestamp,
}

/// An object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedObject {
    /// The metadata of the object.
    pub head: ObjectHead,
    /// The bytes of the object.
    pub content: Vec<u8>,
}

/// Returns the normalised key of an object. Runs of slashes become one, and slashes at the
/// beginning are dropped. A slash at the end is part of the key, because S3 clients mark
/// directories so.
///
/// # Errors
/// `Invalid` if the key is empty or too long, or has control characters, a backslash, or a segment
/// of dots.
pub fn object_key(key: &str) -> Result<String> {
    let segments: Vec<&str> = key.split('/').filter(|segment| !segment.is_empty()).collect();
    let is_bad = |segment: &&str| matches!(*segment, "." | "..");
    let end = if key.ends_with('/') && !segments.is_empty() { "/" } else { "" };
    let kept = format!("{}{end}", segments.join("/"));
    let is_long = kept.len() > limits::OBJECT_KEY_BYTES_MAX;
    if kept.is_empty()
        || is_long
        || segments.iter().any(is_bad)
        || kept.chars().any(|c| c.is_control() || c == '\\')
    {
        let max = limits::OBJECT_KEY_BYTES_MAX;
        let rule = format!(
            "key must be 1 to {max} bytes without control characters, backslashes and segments of dots"
        );
        return Err(Error::invalid("key", rule));
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let check = |key: &str, expect: Option<&str>| {
            assert_eq!(object_key(key).ok().as_deref(), expect, "{key:?}");
        };
        check("/a//b", Some("a/b"));
        check("a//b/", Some("a/b/"));
        check("a//", Some("a/"));
        check("a.", Some("a."));
        check("./", None);
        check("session/x y/é.json", Some("session/x y/é.json"));
        check("", None);
        check("//", None);
        check("a/../b", None);
        check("a\\b", None);
        check("a\nb", None);
        let longest = "k".repeat(crate::limits::OBJECT_KEY_BYTES_MAX);
        check(&longest, Some(&longest));
        check(&format!("{longest}k"), None);
    }
}
