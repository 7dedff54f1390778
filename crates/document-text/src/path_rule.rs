//! The rules of a path: a closed list, each with its own messages.
//!
//! A path is rejected if any backend, host or tool would confuse it with another or would not
//! accept it: Windows, macOS, git, and human readers. The module knows nothing of trees: the write
//! path decides which directories are writable.

use loci_model::limits;
use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};

use super::case_folding::folded;
use loci_safety::is_shapeless;

/// Device names of Windows, with any ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// Characters that Windows does not accept, or that a shell interprets.
const FORBIDDEN: [char; 8] = [':', '<', '>', '"', '|', '?', '*', '\\'];
/// The maximum number of percent-decoding rounds of a name. A name that is encoded more often is
/// rejected.
const ENCODED_MAX: usize = 8;

/// A rule that a path breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathRule {
    /// The path is empty.
    Empty,
    /// The path has a segment `..`.
    Parent,
    /// The path has a segment `.`.
    Dot,
    /// The path contains a backslash.
    Backslash,
    /// A segment becomes `.`, `..`, or contains `/` or `\` after percent-decoding.
    Encoded,
    /// The path contains a control character, or a line or paragraph separator.
    Control,
    /// The path contains an invisible character, or one that changes the direction of writing.
    Invisible,
    /// A segment ends with white space or a dot.
    End,
    /// The path contains one of `: < > " | ? *`.
    Character,
    /// A segment is the name of a device in Windows.
    Device,
    /// A segment is a name reserved by git or by a mirror.
    Reserved,
    /// A segment has too many bytes.
    LongSegment,
    /// The path has too many bytes.
    Long,
    /// The path has too many segments.
    Deep,
}

impl PathRule {
    /// All rules.
    pub const ALL: [Self; 14] = [
        Self::Empty,
        Self::Parent,
        Self::Dot,
        Self::Backslash,
        Self::Encoded,
        Self::Control,
        Self::Invisible,
        Self::End,
        Self::Character,
        Self::Device,
        Self::Reserved,
        Self::LongSegment,
        Self::Long,
        Self::Deep,
    ];

    /// Returns the rule in a few words, for the memory tool.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Empty => "empty path",
            Self::Parent => "`..` as a segment",
            Self::Dot => "`.` as a segment",
            Self::Backslash => "backslash",
            Self::Encoded => "encoded dots or slashes",
            Self::Control => "control character",
            Self::Invisible => "invisible character",
            Self::End => "segment ends in a space or a dot",
            Self::Character => "one of : < > \" | ? *",
            Self::Device => "device name",
            Self::Reserved => "reserved name",
            Self::LongSegment => "segment longer than 200 bytes",
            Self::Long => "longer than 1024 bytes",
            Self::Deep => "more than 20 segments",
        }
    }

    /// Returns the rule as a sentence without its full stop.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Empty => "A path may not be empty",
            Self::Parent => "A path may not have a segment `..`",
            Self::Dot => "A path may not have a segment `.`",
            Self::Backslash => "A path may not have a backslash",
            Self::Encoded => "A path may not have percent-encoded dots or slashes",
            Self::Control => "A path may not have control characters or line separators",
            Self::Invisible => {
                "A path may not have characters that are invisible or turn the direction of writing"
            }
            Self::End => "A segment of a path may not end in white space or a dot",
            Self::Character => "A path may not have any of : < > \" | ? *",
            Self::Device => "A path may not have a name that Windows gives to a device (con, nul, com1 …)",
            Self::Reserved => "A path may not have a reserved name",
            Self::LongSegment => "A segment of a path has at most 200 bytes",
            Self::Long => "A path has at most 1024 bytes",
            Self::Deep => "A path has at most 20 segments",
        }
    }

    /// Returns a sentence that tells how to correct the path.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Empty => "give one, as `knowledge/facts/name.md`",
            Self::Parent | Self::Dot => "give the path from the top",
            Self::Backslash => "part segments by `/`",
            Self::Encoded => "give it as it is, not encoded",
            Self::Control | Self::Invisible | Self::End | Self::Character => "leave them out",
            Self::Device | Self::Reserved => "choose another name",
            Self::LongSegment | Self::Long => "shorten it",
            Self::Deep => "put it higher up",
        }
    }

    /// Returns true if the path would have led out of its tree, rather than to an invalid name in
    /// it.
    #[must_use]
    pub fn escapes(self) -> bool {
        matches!(self, Self::Parent | Self::Backslash | Self::Encoded)
    }
}

/// Returns the rule that a path as a whole breaks.
pub(crate) fn broken_by_path(path: &str, segments: usize) -> Option<PathRule> {
    if path.is_empty() {
        return Some(PathRule::Empty);
    }
    if segments > limits::FILE_SEGMENTS_MAX {
        return Some(PathRule::Deep);
    }
    (path.len() > limits::FILE_PATH_BYTES_MAX).then_some(PathRule::Long)
}

/// Returns the first rule that a segment in NFC breaks.
pub(crate) fn broken_by_segment(segment: &str, is_first: bool) -> Option<PathRule> {
    if segment == ".." {
        return Some(PathRule::Parent);
    }
    if segment == "." {
        return Some(PathRule::Dot);
    }
    if segment.contains('\\') {
        return Some(PathRule::Backslash);
    }
    if is_encoded(segment) {
        return Some(PathRule::Encoded);
    }
    if is_reserved(segment, is_first) {
        return Some(PathRule::Reserved);
    }
    if segment.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Some(PathRule::Control);
    }
    if has_invisible(segment) {
        return Some(PathRule::Invisible);
    }
    if segment.contains(FORBIDDEN) {
        return Some(PathRule::Character);
    }
    if segment.ends_with('.') || segment.ends_with(char::is_whitespace) {
        return Some(PathRule::End);
    }
    if is_device(segment) {
        return Some(PathRule::Device);
    }
    (segment.len() > limits::FILE_SEGMENT_BYTES_MAX).then_some(PathRule::LongSegment)
}

/// Returns true if repeated decoding leads to a segment of dots or to a separator.
fn is_encoded(segment: &str) -> bool {
    let mut bytes = segment.as_bytes().to_vec();
    for _ in 0..ENCODED_MAX {
        let decoded = decoded(&bytes);
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

fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        let pair = (*first == b'%').then(|| after.split_first_chunk::<2>()).flatten();
        match pair.and_then(|([high, low], after)| Some((hex(*high)? * 16 + hex(*low)?, after))) {
            Some((byte, after)) => {
                decoded.push(byte);
                rest = after;
            }
            None => {
                decoded.push(*first);
                rest = after;
            }
        }
    }
    decoded
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// Returns true for names that file systems treat as `.git`, and for the mirror's own name. HFS+
/// ignores invisible characters; NTFS has short names and drops dots and spaces at the end.
fn is_reserved(segment: &str, is_first: bool) -> bool {
    let seen: String = segment.chars().filter(|c| !is_shapeless(*c)).collect();
    let seen = folded(seen.trim_end_matches(['.', ' ']));
    matches!(seen.as_str(), ".git" | "git~1") || (is_first && seen == ".loci-mirror")
}

fn is_device(segment: &str) -> bool {
    let name = segment.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let numbered = ["com", "lpt"].iter().find_map(|device| name.strip_prefix(device));
    DEVICES.contains(&name.as_str())
        || numbered.is_some_and(|number| {
            matches!(number, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
}

/// Returns true if an invisible character occurs where no script and no emoji needs it.
fn has_invisible(segment: &str) -> bool {
    if segment.is_ascii() {
        return false;
    }
    let characters: Vec<char> = segment.chars().collect();
    let at = |place: Option<usize>| place.and_then(|place| characters.get(place)).copied();
    characters.iter().enumerate().any(|(place, c)| {
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        match c {
            '\u{200c}' | '\u{200d}' => {
                let in_word = before.is_some_and(is_of_a_word) && after.is_some_and(is_of_a_word);
                let in_emoji = *c == '\u{200d}'
                    && before.is_some_and(|c| is_emoji(c) || is_selector(c))
                    && after.is_some_and(is_emoji);
                !in_word && !in_emoji
            }
            '\u{fe0e}' | '\u{fe0f}' => {
                let keycap =
                    before.is_some_and(|c| c.is_ascii_digit() || c == '#') && after == Some('\u{20e3}');
                !keycap && !before.is_some_and(is_emoji)
            }
            c => is_shapeless(*c) || is_format(*c),
        }
    })
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Returns true for a letter, or a mark that belongs to one. Selectors are marks too, but belong to
/// no letter.
fn is_of_a_word(c: char) -> bool {
    matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark)
        && !is_shapeless(c)
}

/// Returns true for an emoji that is not an ASCII digit or sign.
pub(crate) fn is_emoji(c: char) -> bool {
    !c.is_ascii() && c.is_emoji_char()
}

fn is_format(c: char) -> bool {
    c.general_category() == unicode_properties::GeneralCategory::Format
}

#[cfg(test)]
mod tests {
    use super::super::path::DocumentPath;
    use super::*;

    #[test]
    fn what_breaks_a_path() {
        let check = |input: &str, expect: PathRule| {
            assert_eq!(DocumentPath::check(input), Err(expect), "{input:?}");
        };
        for input in ["", "/", "//"] {
            check(input, PathRule::Empty);
        }
        for input in ["..", "a/../b", "../a", "a/.."] {
            check(input, PathRule::Parent);
        }
        for input in [".", "./a", "a/."] {
            check(input, PathRule::Dot);
        }
        for input in ["a\\b", "..\\x"] {
            check(input, PathRule::Backslash);
        }
        for input in ["%2e%2e/x", "a/%2E", "a%2fb", "a%5Cb", ".%2e", "%252e%252e", "%25252f"] {
            check(input, PathRule::Encoded);
        }
        for input in ["a\0b", "a\nb", "\u{7f}", "a\u{85}", "a\u{2028}b", "\u{2029}"] {
            check(input, PathRule::Control);
        }
        for input in [
            "a\u{200b}b",
            "x\u{202e}y",
            "a\u{2066}b",
            "\u{feff}a",
            "a\u{ad}b",
            "a\u{200d}",
            "1\u{200d}2",
            "a\u{fe0f}",
            "\u{200c}a",
            "a\u{e0041}",
            "é\u{200e}",
            "\u{600}1",
            "\u{3164}",
            "👩\u{200d}a",
            "a\u{34f}b",
        ] {
            check(input, PathRule::Invisible);
        }
        for input in ["a ", "a.", "a/b /c", "a\u{3000}", "..."] {
            check(input, PathRule::End);
        }
        for input in ["a:b", "<a>", "a|b", "a?", "*", "\"a\""] {
            check(input, PathRule::Character);
        }
        for input in ["con", "CON.md", "x/nul.txt", "com1", "LPT9.tar.gz", "aux .md", "com¹.md", "conin$"] {
            check(input, PathRule::Device);
        }
        for input in [
            ".git",
            ".git/config",
            "a/.GIT/b",
            ".g\u{200c}it",
            ".gi\u{feff}t/x",
            "git~1",
            "x/GIT~1",
            ".git ",
            ".git.",
            ".loci-mirror",
            ".LOCI-Mirror/x",
        ] {
            check(input, PathRule::Reserved);
        }
    }

    #[test]
    fn every_rule_has_words() {
        for rule in PathRule::ALL {
            assert!(!rule.words().is_empty() && !rule.remedy().is_empty());
        }
    }
}
