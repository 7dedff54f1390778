//! Valid paths within a repository. The verifier reports invalid paths; here they do not exist.

use crate::limits::PATH_BYTES_MAX;

/// True for a relative path with `/` between valid components.
pub(crate) fn is_path(path: &str) -> bool {
    path.len() < PATH_BYTES_MAX && path.split('/').all(|name| is_component(name.as_bytes()))
}

/// True for a valid name of a tree entry: not empty, `.` or `..`, without slash, backslash and NUL,
/// and nothing that any file system treats as `.git`.
pub(crate) fn is_component(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..")
        && !name.iter().any(|byte| matches!(byte, b'/' | b'\\' | 0))
        && !is_dot_git(name)
}

/// True for `.git` in any case, with trailing dots or spaces, as `git~1`, or with ignorable code
/// points inside.
fn is_dot_git(name: &[u8]) -> bool {
    // Nearly all names are ordinary, and start with another character.
    let may_be = matches!(name.first(), Some(b'.' | b'g' | b'G')) || !name.is_ascii();
    if name.len() < 4 || name.len() > 64 || !may_be {
        return false;
    }
    let text = String::from_utf8_lossy(name);
    let seen: String = text.chars().filter(|c| !is_ignorable(*c)).flat_map(char::to_lowercase).collect();
    // The text after a colon names a stream of the file on NTFS.
    let seen = seen.split(':').next().unwrap_or_default();
    let seen = seen.trim_end_matches(['.', ' ']);
    seen == ".git" || seen == "git~1"
}

fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_within_a_repository_are_paths() {
        for (path, expect) in [
            ("a", true),
            ("src/main.rs", true),
            (".github/workflows/ci.yml", true),
            (".gitignore", true),
            ("a/.gitattributes", true),
            ("ä/名.txt", true),
            ("", false),
            ("/a", false),
            ("a//b", false),
            ("a/", false),
            ("./a", false),
            ("a/../b", false),
            ("a\\b", false),
            ("a\0", false),
            (".git", false),
            (".git/config", false),
            ("a/.GIT/config", false),
            (".git /x", false),
            (".git.", false),
            ("git~1/x", false),
            ("GIT~1", false),
            (".g\u{200c}it/x", false),
            (".git::$INDEX_ALLOCATION/x", false),
        ] {
            assert_eq!(is_path(path), expect, "{path:?}");
        }
    }
}
