//! Scopes of statements in a normal form, and the relation of two scopes: equal, nested or
//! disjoint. Statements with disjoint scopes never contradict each other.

use std::borrow::Cow;

/// The relation of two scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// They are equal.
    Equal,
    /// One contains the other.
    Within,
    /// They are disjoint.
    Apart,
}

/// Returns the relation of two scopes; `None` is the whole.
pub fn lie(left: Option<&str>, right: Option<&str>) -> Lie {
    match (left.map(normal), right.map(normal)) {
        (None, None) => Lie::Equal,
        (None, Some(_)) | (Some(_), None) => Lie::Within,
        (Some(left), Some(right)) if left == right => Lie::Equal,
        (Some(left), Some(right)) if holds(&left, &right) || holds(&right, &left) => Lie::Within,
        (Some(_), Some(_)) => Lie::Apart,
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
        let check = |left: Option<&str>, right: Option<&str>, expect: Lie| {
            assert_eq!(lie(left, right), expect, "{left:?} {right:?}");
            assert_eq!(lie(right, left), expect, "{right:?} {left:?}");
        };
        check(None, None, Lie::Equal);
        check(None, Some("src/**"), Lie::Within);
        check(Some("./src/v2/"), Some("src/v2/**"), Lie::Equal);
        check(Some("src\\v2"), Some("src/v2/**"), Lie::Equal);
        check(Some("src/legacy/**"), Some("src/v2/**"), Lie::Apart);
        check(Some("packages/**"), Some("packages/core/**"), Lie::Within);
        check(Some("**/*.go"), Some("**/*.py"), Lie::Apart);
        check(Some("module:auth"), Some("module:auth"), Lie::Equal);
        check(Some("module:auth"), Some("module:billing"), Lie::Apart);
        check(Some("a.json"), Some("b/a.json"), Lie::Apart);
        check(Some("src/**"), Some("srcs/x.rs"), Lie::Apart);
    }
}
