//! The rules for names of revisions that are looked up. The source resolves them.

use loci_model::facts::revision_name::RevisionName;

/// The longest name, in characters.
const REF_CHARS_MAX: usize = 250;

/// Returns true for a valid revision: a name, followed by steps to its ancestors (`~N`, `^`, `^N`).
pub fn is_revision_name(name: &str) -> bool {
    name.chars().count() <= REF_CHARS_MAX
        && RevisionName::parse(name).is_some_and(|revision| is_ref_name(revision.name))
}

/// Returns true for a valid name: no white space, no control characters, none of `~^:?*[\`, no
/// `..`, no `@{`, no `-` first. Names that git rejects are rejected too: a segment that begins with
/// a dot or ends with `.lock`, and an empty one.
pub fn is_ref_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= REF_CHARS_MAX
        && !name.starts_with('-')
        && !name.contains("..")
        && !name.contains("@{")
        && !name.chars().any(|c| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c))
        && name.split('/').all(|part| {
            !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && !part.ends_with(".lock")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_more_than_a_revision_are_refused() {
        let long = "a".repeat(REF_CHARS_MAX + 1);
        for (name, expect) in [
            ("main", true),
            ("refs/heads/feature/x-1", true),
            ("v1.2.3+build", true),
            ("HEAD", true),
            ("umlaut/größe", true),
            ("WORKTREE", true),
            ("0123456789abcdef0123456789abcdef01234567", true),
            ("", false),
            (&long, false),
            ("-upload-pack=x", false),
            ("a..b", false),
            ("HEAD@{1}", false),
            ("HEAD^", false),
            ("HEAD~1", false),
            ("a:b", false),
            ("a b", false),
            ("a\0", false),
            ("?ref=x", false),
            ("a//b", false),
            ("/a", false),
            ("a/.b", false),
            ("a.lock", false),
        ] {
            assert_eq!(is_ref_name(name), expect, "{name:?}");
            let has_steps = name.contains(['~', '^']);
            assert!(has_steps || is_revision_name(name) == expect, "{name:?}");
        }
    }

    #[test]
    fn steps_follow_a_name() {
        let long = format!("{}~1", "a".repeat(REF_CHARS_MAX - 1));
        for (name, expect) in [
            ("HEAD~1", true),
            ("HEAD^", true),
            ("feature/x~3^2", true),
            ("0123456789abcdef~0", true),
            (&long, false),
            ("~1", false),
            ("-x~1", false),
            ("HEAD~1~", true),
            ("HEAD~x", false),
            ("HEAD^{tree}", false),
            ("HEAD~1/src", false),
            ("WORKTREE~1", false),
        ] {
            assert_eq!(is_revision_name(name), expect, "{name:?}");
        }
    }
}
