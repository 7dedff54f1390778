//! The path rules of every backend. A path is relative, with `/` between its segments. It is
//! rejected if a file system, git, a tool or a reader would take it for another.
//!
//! Callers pass paths in NFC: nothing here composes characters, so a decomposed spelling is another
//! path.

use unicase::UniCase;

use super::storage_error::StorageError;

/// The maximum number of segments in a path.
pub(super) const PATH_SEGMENTS_MAX: usize = 20;
/// The maximum length of a path, in bytes.
const PATH_BYTES_MAX: usize = 1_024;
/// The maximum length of a segment, in bytes.
const SEGMENT_BYTES_MAX: usize = 200;

/// Names of devices on Windows, with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Characters that Windows rejects, or that a shell interprets.
const FORBIDDEN: [char; 8] = [':', '<', '>', '"', '|', '?', '*', '\\'];
/// The maximum number of rounds of percent-decoding in the search for dots and slashes.
const ENCODED_MAX: usize = 8;
/// Format characters and characters without a shape, as ranges.
const SHAPELESS: [(u32, u32); 26] = [
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];

/// Returns a path as backends store it: runs of `/` become one, and those at the ends are dropped.
///
/// # Errors
/// `InvalidPath`, with the rule that the path breaks and how to correct it.
pub fn clean_path(input: &str) -> Result<String, StorageError> {
    let path = clean_prefix(input)?;
    if path.is_empty() {
        return Err(refused(input, "a path must not be empty: give one such as notes/a.md"));
    }
    Ok(path)
}

/// Returns a prefix of paths, read as [`clean_path`] reads a path. The empty prefix means every
/// path.
///
/// # Errors
/// The errors of [`clean_path`].
pub fn clean_prefix(input: &str) -> Result<String, StorageError> {
    let segments: Vec<&str> = input.split('/').filter(|segment| !segment.is_empty()).collect();
    for (at, segment) in segments.iter().enumerate() {
        if let Some(rule) = broken_by(segment, at == 0) {
            return Err(refused(input, rule));
        }
    }
    let path = segments.join("/");
    if segments.len() > PATH_SEGMENTS_MAX {
        return Err(refused(input, "a path has at most 20 segments: put it higher up"));
    }
    if path.len() > PATH_BYTES_MAX {
        return Err(refused(input, "a path has at most 1024 bytes: shorten it"));
    }
    Ok(path)
}

/// Returns true for a path at a prefix or below it.
pub fn is_within(path: &str, prefix: &str) -> bool {
    prefix.is_empty()
        || path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the path of a file below a prefix, relative to it; `None` for every other path,
/// including the prefix itself.
pub(super) fn below<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    path.strip_prefix(prefix)?.strip_prefix('/')
}

/// Returns the case-folded spelling of a name.
pub(super) fn folded(name: &str) -> String {
    UniCase::unicode(name).to_folded_case()
}

fn refused(input: &str, rule: &str) -> StorageError {
    let shown: String = input.chars().take(80).flat_map(char::escape_debug).collect();
    StorageError::invalid_path(format!("path \"{shown}\": {rule}"))
}

/// Returns the first rule that a segment breaks, with how to correct it.
fn broken_by(segment: &str, is_first: bool) -> Option<&'static str> {
    if matches!(segment, "." | "..") {
        return Some("a segment must not be `.` or `..`: give the path from the top");
    }
    if segment.contains('\\') {
        return Some("a path must not have a backslash: part segments by `/`");
    }
    if is_encoded(segment) {
        return Some("a path must not have percent-encoded dots or slashes: give it without encoding");
    }
    if is_reserved(segment, is_first) {
        return Some("`.git` and `.loci-mirror` are reserved: choose another name");
    }
    if segment.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Some("a path must not have control characters or line separators: leave them out");
    }
    if has_shapeless(segment) {
        return Some("a path must not have invisible characters: leave them out");
    }
    if segment.contains(FORBIDDEN) {
        return Some("a path must not have any of : < > \" | ? *: leave them out");
    }
    if segment.ends_with('.') || segment.ends_with(char::is_whitespace) {
        return Some("a segment must not end in white space or a dot: leave it out");
    }
    if is_device(segment) {
        return Some("Windows gives this name to a device: choose another name");
    }
    (segment.len() > SEGMENT_BYTES_MAX).then_some("a segment has at most 200 bytes: shorten it")
}

/// Returns true if repeated decoding yields a segment of dots or a separator.
fn is_encoded(segment: &str) -> bool {
    let mut bytes = segment.as_bytes().to_vec();
    for _ in 0..ENCODED_MAX {
        let decoded: Vec<u8> = percent_encoding::percent_decode(&bytes).collect();
        if decoded == bytes {
            return false;
        }
        if matches!(decoded.as_slice(), b"." | b"..") || decoded.contains(&b'/') || decoded.contains(&b'\\') {
            return true;
        }
        bytes = decoded;
    }
    true
}

/// Returns true for names that file systems treat as `.git`: HFS+ ignores shapeless characters,
/// NTFS has short names.
fn is_reserved(segment: &str, is_first: bool) -> bool {
    let seen: String = segment.chars().filter(|c| !is_shapeless(*c)).collect();
    let seen = folded(seen.trim_end_matches(['.', ' ']));
    matches!(seen.as_str(), ".git" | "git~1") || (is_first && seen == ".loci-mirror")
}

fn is_device(segment: &str) -> bool {
    let name = segment.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let numbered = ["com", "lpt"].iter().find_map(|device| name.strip_prefix(device));
    let digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"];
    DEVICES.contains(&name.as_str()) || numbered.is_some_and(|number| digits.contains(&number))
}

/// Returns true for a shapeless character in a position where neither a script nor an emoji needs
/// it.
fn has_shapeless(segment: &str) -> bool {
    if segment.is_ascii() {
        return false;
    }
    let characters: Vec<char> = segment.chars().collect();
    let at = |place: Option<usize>| place.and_then(|place| characters.get(place)).copied();
    characters.iter().enumerate().any(|(place, c)| {
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        match c {
            '\u{200c}' => !joins_letters(before, after),
            '\u{200d}' => !joins_letters(before, after) && !joins_signs(before, after),
            '\u{fe0e}' | '\u{fe0f}' => {
                let is_keycap =
                    before.is_some_and(|c| c.is_ascii_digit() || c == '#') && after == Some('\u{20e3}');
                !is_keycap && !before.is_some_and(is_sign)
            }
            c => is_shapeless(*c),
        }
    })
}

/// Returns true between two letters or their marks.
fn joins_letters(before: Option<char>, after: Option<char>) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || (0x0900..0x0E00).contains(&u32::from(c));
    before.is_some_and(is_letter) && after.is_some_and(is_letter)
}

/// Returns true between two signs such as emoji.
fn joins_signs(before: Option<char>, after: Option<char>) -> bool {
    let is_selector = |c: char| matches!(c, '\u{fe0e}' | '\u{fe0f}');
    before.is_some_and(|c| is_sign(c) || is_selector(c)) && after.is_some_and(is_sign)
}

/// Returns true for a character beyond ASCII that is neither letter, digit nor space.
fn is_sign(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !is_shapeless(c)
}

fn is_shapeless(c: char) -> bool {
    SHAPELESS.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_backends_take() {
        let check = |input: &str, expect: &str| assert_eq!(clean_path(input).unwrap(), expect, "{input:?}");
        check("a.md", "a.md");
        check("//a///b.md/", "a/b.md");
        check("日本語/メモ.md", "日本語/メモ.md");
        check("می\u{200c}خواهم.md", "می\u{200c}خواهم.md");
        check("क\u{94d}\u{200d}ष.md", "क\u{94d}\u{200d}ष.md");
        check("👩\u{200d}💻 ❤\u{fe0f}.md", "👩\u{200d}💻 ❤\u{fe0f}.md");
        check("1\u{fe0f}\u{20e3}.md", "1\u{fe0f}\u{20e3}.md");
        check("100%.md", "100%.md");
        check(".hidden/x", ".hidden/x");
        check("x/.loci-mirror", "x/.loci-mirror");
        check("console.md", "console.md");
    }

    #[test]
    fn paths_that_every_backend_refuses() {
        let long = "a".repeat(SEGMENT_BYTES_MAX + 1);
        let deep = vec!["a"; PATH_SEGMENTS_MAX + 1].join("/");
        let wide = vec!["a".repeat(127); 9].join("/");
        let named = ["", "/", ".", "..", "a/../b", "./a", "a\\b", "%2e%2e/x", "a/%2E", "a%2fb", "%252e%252e"];
        let signs =
            ["a\0b", "a\nb", "a\u{85}", "a\u{2028}b", "a\u{200b}b", "x\u{202e}y", "\u{feff}a", "a\u{ad}b"];
        let joined = ["a\u{200d}", "1\u{200d}2", "a\u{fe0f}", "👩\u{200d}a", "\u{3164}", "a\u{e0041}"];
        let ends = ["a ", "a.", "a/b /c", "a\u{3000}", "a:b", "<a>", "a|b", "a?", "*", "\"a\""];
        let held = ["con", "CON.md", "x/nul.txt", "com1", "LPT9.tar.gz", "aux .md", "com¹.md", "conin$"];
        let git = [".git", ".git/config", "a/.GIT/b", ".g\u{200c}it", "git~1", "x/GIT~1", ".loci-mirror"];
        let sizes = [long.as_str(), &deep, &wide];
        for input in [&named[..], &signs, &joined, &ends, &held, &git, &sizes].concat() {
            let error = clean_path(input).unwrap_err();
            assert_eq!(error.kind.code(), "invalid_path", "{input:?}");
        }
        let error = clean_path("a/../b").unwrap_err().to_string();
        let rule = "path \"a/../b\": a segment must not be `.` or `..`: give the path from the top";
        assert_eq!(error, rule);
    }

    #[test]
    fn limits_hold_at_the_limit() {
        assert!(clean_path(&"a".repeat(SEGMENT_BYTES_MAX)).is_ok());
        assert!(clean_path(&vec!["a"; PATH_SEGMENTS_MAX].join("/")).is_ok());
        let long = format!("{}a", vec!["a".repeat(127); 8].join("/"));
        assert_eq!(long.len(), PATH_BYTES_MAX);
        assert!(clean_path(&long).is_ok());
    }

    #[test]
    fn prefixes_are_whole_segments() {
        let check = |path: &str, prefix: &str, expect: bool| assert_eq!(is_within(path, prefix), expect);
        check("a/b.md", "", true);
        check("a/b.md", "a", true);
        check("a", "a", true);
        check("ab/c.md", "a", false);
        assert_eq!(below("a/b/c.md", "a"), Some("b/c.md"));
        assert_eq!((below("a", "a"), below("ab/c.md", "a"), below("a/b.md", "")), (None, None, None));
        assert_eq!(clean_prefix("/").unwrap(), "");
        assert!(clean_prefix("a/..").is_err());
    }
}
