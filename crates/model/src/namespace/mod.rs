//! Namespaces: nodes in a tree of segments, and the one filter that reads them.
//!
//! Leading, trailing and doubled slashes never distinguish two namespaces. The original spelling is
//! kept.

pub mod template;

use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

use crate::{Error, Result, limits};

/// A node of the tree, as the caller wrote it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Namespace(String);

impl TryFrom<String> for Namespace {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(text)
    }
}

impl Namespace {
    /// Checks length, alphabet and segments of a namespace.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        let length = text.chars().count();
        if length == 0 || length > limits::NAMESPACE_CHARS_MAX {
            return Err(Error::invalid("namespace", "namespace must have 1 to 1024 characters"));
        }
        if text.contains('{') || text.contains('}') {
            let message = format!(
                "namespace holds an unresolved placeholder ({}): put in its value",
                placeholder(&text).unwrap_or("a brace")
            );
            return Err(Error::invalid("namespace", message));
        }
        if !has_legal_alphabet(&text) {
            let rule = "namespace must be letters, digits, - _ . * / and single colons that stand between two of these";
            return Err(Error::invalid("namespace", rule));
        }
        if crate::ids::has_dot_segment(&text) {
            return Err(Error::invalid("namespace", "a segment of a namespace must not be dots alone"));
        }
        Ok(Self(text))
    }

    /// Returns the namespace as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the form for comparison and the index: one slash before, between and after the
    /// segments; `/` is the root.
    pub fn normal(&self) -> String {
        normal(&self.0)
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Puts one slash before, between and after the segments: `a//b` becomes `/a/b/`.
pub fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('/');
    for segment in text.split('/').filter(|segment| !segment.is_empty()) {
        out.push_str(segment);
        out.push('/');
    }
    out
}

fn placeholder(text: &str) -> Option<&str> {
    let start = text.find('{')?;
    let end = text[start..].find('}')? + start;
    text.get(start..=end)
}

fn has_legal_alphabet(text: &str) -> bool {
    let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/' | b'*' | b':' | b'.');
    let first = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'*' | b'.');
    text.bytes().next().is_some_and(first)
        && text.bytes().all(legal)
        && !text.contains("::")
        && !text.ends_with(':')
}

/// The depth to which a filter reads the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamespaceMatch {
    /// The filter admits only the namespace itself.
    Exact,
    /// The filter admits the namespace and everything beneath it, by whole segments.
    Subtree,
}

/// A node of the tree, alone or with its subtree.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NamespaceFilter {
    #[serde(deserialize_with = "normal_form")]
    normal: String,
    mode: NamespaceMatch,
}

/// Reads a node in normal form, with any slashes.
fn normal_form<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| normal(&text))
}

impl NamespaceFilter {
    /// Returns a filter on `namespace` in `mode`.
    pub fn new(namespace: &Namespace, mode: NamespaceMatch) -> Self {
        Self { normal: namespace.normal(), mode }
    }

    /// Returns a filter on the whole memory.
    pub fn everything() -> Self {
        Self { normal: "/".to_owned(), mode: NamespaceMatch::Subtree }
    }

    /// Returns the node, in the form of [`normal`].
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// Returns the mode of the filter.
    pub fn mode(&self) -> NamespaceMatch {
        self.mode
    }

    /// True for a namespace in normal form that this filter admits.
    pub fn admits_normal(&self, candidate: &str) -> bool {
        match self.mode {
            NamespaceMatch::Exact => candidate == self.normal,
            NamespaceMatch::Subtree => candidate.starts_with(&self.normal),
        }
    }

    /// True for a namespace that this filter admits.
    pub fn admits(&self, namespace: &Namespace) -> bool {
        self.admits_normal(&namespace.normal())
    }

    /// True if this filter admits everything that `other` admits.
    pub fn covers(&self, other: &Self) -> bool {
        match (self.mode, other.mode) {
            (NamespaceMatch::Subtree, _) => other.normal.starts_with(&self.normal),
            (NamespaceMatch::Exact, NamespaceMatch::Exact) => self.normal == other.normal,
            (NamespaceMatch::Exact, NamespaceMatch::Subtree) => false,
        }
    }

    /// Returns the intersection: the narrower of two nodes on one path, or nothing.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        if self.covers(other) {
            Some(other.clone())
        } else if other.covers(self) {
            Some(self.clone())
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling() {
        let check = |text: &str, expect: Option<&str>| {
            let got = Namespace::parse(text).ok().map(|namespace| namespace.normal());
            assert_eq!(got.as_deref(), expect, "{text}");
        };
        check("/facts/alice", Some("/facts/alice/"));
        check("facts//alice/", Some("/facts/alice/"));
        check("/", Some("/"));
        check("/a:b/c.d/", Some("/a:b/c.d/"));
        check("/a/../b/", None);
        check("/a/{actorId}/", None);
        check("", None);
        check("/a\0/", None);
        check("/a b/", None);
    }

    #[test]
    fn reading() {
        let check = |filter: &str, mode, namespace: &str, expect| {
            let filter = NamespaceFilter::new(&Namespace::parse(filter).unwrap(), mode);
            assert_eq!(
                filter.admits(&Namespace::parse(namespace).unwrap()),
                expect,
                "{filter:?} {namespace}"
            );
        };
        check("/facts/alice", NamespaceMatch::Exact, "/facts/alice/", true);
        check("/facts/alice", NamespaceMatch::Exact, "/facts/alice/x/", false);
        check("/facts", NamespaceMatch::Subtree, "/facts/alice/", true);
        check("/facts", NamespaceMatch::Subtree, "/factsheet/", false);
        check("/users/1", NamespaceMatch::Subtree, "/users/10/", false);
        check("/", NamespaceMatch::Subtree, "anything", true);
    }

    #[test]
    fn the_placeholder_is_named() {
        assert!(Namespace::parse("/a/{actorId}").unwrap_err().message.contains("{actorId}"));
    }

    #[test]
    fn intersection_is_the_narrower() {
        let subtree = |text| NamespaceFilter::new(&Namespace::parse(text).unwrap(), NamespaceMatch::Subtree);
        assert_eq!(subtree("/a").intersect(&subtree("/a/b")), Some(subtree("/a/b")));
        assert_eq!(subtree("/a/b").intersect(&subtree("/")), Some(subtree("/a/b")));
        assert_eq!(subtree("/a").intersect(&subtree("/b")), None);
    }
}
