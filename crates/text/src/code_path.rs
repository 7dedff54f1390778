//! The rules for the paths of citations.
//!
//! Lookups are lookups in a git tree, so no path reaches outside of it. These rules exclude names
//! that have a different meaning on some file system.

use unicode_normalization::is_nfc;

/// The maximum length of a path, in bytes.
const PATH_BYTES_MAX: usize = 4_096;

/// The reason why a path is rejected, as a text for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathRejected(pub &'static str);

/// Checks the path that a caller supplied.
///
/// # Errors
/// The first rule that the path breaks, as text for people.
pub fn check_path(path: &str) -> Result<(), PathRejected> {
    let wrong = |why| Err(PathRejected(why));
    if path.is_empty() || path.len() > PATH_BYTES_MAX {
        return wrong("a path has 1 to 4096 bytes");
    }
    if path.starts_with('/') {
        return wrong("a path is relative to the repository's root");
    }
    if path.contains('\\') {
        return wrong("path segments are divided by `/`, not `\\`");
    }
    if path.chars().any(|c| c.is_control()) {
        return wrong("a path holds no NUL and no control characters");
    }
    let mut start = path.chars();
    if start.next().is_some_and(|c| c.is_ascii_alphabetic()) && start.next() == Some(':') {
        return wrong("a path has no drive letter");
    }
    if !path.is_ascii() && !is_nfc(path) {
        return wrong("a path is written in Unicode NFC");
    }
    path.split('/').try_for_each(check_segment)
}

fn check_segment(segment: &str) -> Result<(), PathRejected> {
    if matches!(segment, "" | "." | "..") {
        return Err(PathRejected("a path has no empty segment, `.` or `..`"));
    }
    if is_git_directory(segment) {
        return Err(PathRejected("a path does not lead into `.git`"));
    }
    Ok(())
}

/// Returns true for every name that some file system treats as `.git`: any case, short names,
/// trailing dots and spaces, alternate streams, ignored characters.
fn is_git_directory(segment: &str) -> bool {
    let visible: String = segment.chars().filter(|c| !is_ignorable(*c)).collect();
    let name = visible.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']).to_lowercase();
    // DOS names the first such entry `git~1`; the check rejects other numbers as well.
    let short =
        name.strip_prefix("git~").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    name == ".git" || short
}

/// Returns true for characters that HFS+ ignores when it compares names.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_pass() {
        let long = "a".repeat(PATH_BYTES_MAX + 1);
        for (path, expect) in [
            ("src/main.rs", true),
            (".github/workflows/ci.yml", true),
            (".gitignore", true),
            ("a b/ü.md", true),
            ("..a/b..", true),
            ("digit~1/a", true),
            ("", false),
            (&long, false),
            ("/etc/passwd", false),
            ("../etc/passwd", false),
            ("a/../b", false),
            ("a/./b", false),
            ("a//b", false),
            ("a/", false),
            ("a\\b", false),
            ("C:/a", false),
            ("c:a", false),
            ("a\0b", false),
            ("a\nb", false),
            (".git/config", false),
            ("a/.GIT/config", false),
            (".gIt", false),
            ("GIT~1/config", false),
            ("git~2", false),
            (".g\u{200c}it/config", false),
            (".git\u{feff}", false),
            (".git./config", false),
            (".git /config", false),
            (".git::$INDEX_ALLOCATION/config", false),
            ("e\u{301}.md", false),
        ] {
            assert_eq!(check_path(path).is_ok(), expect, "{path:?}");
        }
    }
}
