//! Scopes of statements in a normal form, and the relation of two scopes: equal, nested or
//! disjoint. Statements with disjoint scopes never contradict each other.

use std::borrow::Cow;

/// The relation of the scopes of two statements, such as directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeRelation {
    /// The scopes are equal.
    Equal,
    /// One scope contains the other.
    Within,
    /// The scopes have nothing in common.
    Apart,
}

/// Returns the relation of two scopes; `None` as a scope means everywhere.
pub fn lie(left: Option<&str>, right: Option<&str>) -> ScopeRelation {
    match (left.map(normal), right.map(normal)) {
        (None, None) => ScopeRelation::Equal,
        (None, Some(_)) | (Some(_), None) => ScopeRelation::Within,
        (Some(left), Some(right)) if left == right => ScopeRelation::Equal,
        (Some(left), Some(right)) if holds(&left, &right) || holds(&right, &left) => ScopeRelation::Within,
        (Some(_), Some(_)) => ScopeRelation::Apart,
    }
}

/// Returns a scope in its normal form: forward slashes, no leading `./`, and `/**` after a
/// directory.
pub fn normal(scope: &str) -> String {
    let text: Cow<'_, str> =
        if scope.contains('\\') { scope.replace('\\', "/").into() } else { scope.into() };
    let mut text = text.trim();
    while let Some(rest) = text.strip_prefix("./") {
        text = rest;
    }
    if text.contains(':') {
        return text.to_owned();
    }
    let text = text.trim_start_matches('/');
    let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let is_directory = text.ends_with('/') || (!text.is_empty() && !last.contains(['.', '*', '?', '[', '{']));
    if is_directory { format!("{}/**", text.trim_end_matches('/')) } else { text.to_owned() }
}

/// Returns true if `outer` contains `inner`: a directory and its subtree.
fn holds(outer: &str, inner: &str) -> bool {
    match outer.strip_suffix("**") {
        Some("") => true,
        Some(directory) => inner.starts_with(directory),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let check = |left: Option<&str>, right: Option<&str>, expect: ScopeRelation| {
            assert_eq!(lie(left, right), expect, "{left:?} {right:?}");
            assert_eq!(lie(right, left), expect, "{right:?} {left:?}");
        };
        check(None, None, ScopeRelation::Equal);
        check(None, Some("src/**"), ScopeRelation::Within);
        check(Some("./src/v2/"), Some("src/v2/**"), ScopeRelation::Equal);
        check(Some("src\\v2"), Some("src/v2/**"), ScopeRelation::Equal);
        check(Some("src/legacy/**"), Some("src/v2/**"), ScopeRelation::Apart);
        check(Some("packages/**"), Some("packages/core/**"), ScopeRelation::Within);
        check(Some("**/*.go"), Some("**/*.py"), ScopeRelation::Apart);
        check(Some("module:auth"), Some("module:auth"), ScopeRelation::Equal);
        check(Some("module:auth"), Some("module:billing"), ScopeRelation::Apart);
        check(Some("a.json"), Some("b/a.json"), ScopeRelation::Apart);
        check(Some("src/**"), Some("srcs/x.rs"), ScopeRelation::Apart);
    }
}
