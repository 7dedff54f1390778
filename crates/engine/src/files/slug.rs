//! A file's name made of a title: letters, marks, numbers and emoji of any script, everything else a dash (files-and-git.md §5.3).
//!
//! Two titles may share a slug as far as it goes, so what was cut off stands behind it as a digest, and a name that is taken gets a number: no
//! two documents ever share a file. Which names are taken is asked of the caller.

use loci_model::{Error, Result};
use loci_text::normalise_exact;
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use super::derived::slug_source;
use super::folding::folded;
use super::path::{DocumentPath, PathKey};
use super::path_rule::is_emoji;
use crate::safety::is_shapeless;

/// Characters of a slug, without the digest of what was cut off.
const CHARS_MAX: usize = 50;
/// Its bytes: with digest, number and ending a segment of a path stays within its limit.
const BYTES_MAX: usize = 170;
/// Hex digits that tell two cut slugs apart.
const CUT_DIGITS: usize = 6;
/// Hex digits of a name that no word gives.
const NAMELESS_DIGITS: usize = 8;
/// Numbers that are tried behind a name.
const NUMBERS_MAX: usize = 100_000;
/// The ending of a document that nobody named.
const ENDING: &str = ".md";
/// Names that mean something else in one of the layouts, by their key.
pub(crate) const RESERVED_STEMS: [&str; 3] = ["changelog", "_dir", "memory"];

/// The slug of a text; empty where no word of it is left.
#[must_use]
pub fn slug(source: &str) -> String {
    let whole = uncut(source);
    let kept = cut(&whole);
    if kept.len() == whole.len() {
        return whole;
    }
    // A joiner of emoji that lost its second half joins nothing, and no path may have it.
    format!("{}-{}", kept.trim_end_matches(['-', '\u{200d}']), digest(&whole, CUT_DIGITS))
}

/// The name without an ending of a document with this title, or without one: never empty, and always one that a path may have.
#[must_use]
pub fn file_stem(title: Option<&str>, body: &str) -> String {
    let stem = slug(&slug_source(title, body));
    if stem.is_empty() {
        return format!("entry-{}", digest(body, NAMELESS_DIGITS));
    }
    let named = DocumentPath::check(&format!("{stem}{ENDING}"));
    if named.is_ok() && !RESERVED_STEMS.contains(&folded(&stem).as_str()) {
        return stem;
    }
    format!("{stem}-{}", digest(&stem, CUT_DIGITS))
}

/// The first of `stem.md`, `stem-2.md`, `stem-3.md` … in a directory that is not taken.
///
/// # Errors
/// `Invalid` where directory and name break a rule of paths; `Conflict` where a hundred thousand names are taken.
pub fn free_path(
    directory: &str,
    stem: &str,
    mut taken: impl FnMut(&DocumentPath, &PathKey) -> Result<bool>,
) -> Result<DocumentPath> {
    for name in numbered(stem, ENDING).take(NUMBERS_MAX) {
        let path = DocumentPath::parse(&format!("{directory}/{name}"))?;
        if !taken(&path, &path.key())? {
            return Ok(path);
        }
    }
    Err(Error::conflict(format!(
        "Every name from {stem}{ENDING} to {stem}-{NUMBERS_MAX}{ENDING} in {directory} is taken: give a path or another title."
    ))
    .on("path"))
}

/// Returns the names `stem`, `stem-2`, `stem-3` … without end, each with an ending.
pub(super) fn numbered(stem: &str, ending: &str) -> impl Iterator<Item = String> {
    let others = (2_u64..).map(move |number| format!("{stem}-{number}{ending}"));
    std::iter::once(format!("{stem}{ending}")).chain(others)
}

/// What two titles of one topic have in common: NFKC, case folded, white space as one space, without punctuation at the end.
#[must_use]
pub fn topic_key(title: &str) -> String {
    let compatible: String = title.nfkc().collect();
    let spaced = normalise_exact(&folded(&compatible));
    let kept = spaced.trim_end_matches(|c: char| {
        c.is_whitespace() || c.general_category_group() == GeneralCategoryGroup::Punctuation
    });
    // A title of punctuation alone is its own topic.
    if kept.is_empty() { spaced } else { kept.to_owned() }
}

/// True where two titles name one topic, whose documents are one. Slugs that are equal after a cut are not.
#[must_use]
pub fn is_same_topic(a: &str, b: &str) -> bool {
    topic_key(a) == topic_key(b)
}

fn uncut(source: &str) -> String {
    let lower: Vec<char> = source.nfkc().flat_map(char::to_lowercase).nfc().collect();
    let mut slug = String::with_capacity(source.len());
    for (at, c) in lower.iter().copied().enumerate() {
        let last = slug.chars().next_back();
        let is_joined = match c {
            '\u{fe0f}' => last.is_some_and(is_emoji),
            '\u{200d}' => {
                let after_emoji = last.is_some_and(|last| is_emoji(last) || last == '\u{fe0f}');
                after_emoji && lower.get(at + 1).copied().is_some_and(is_emoji)
            }
            _ => false,
        };
        if is_joined || is_kept(c) {
            slug.push(c);
        } else if !is_silent(c) && last.is_some_and(|last| last != '-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

fn is_kept(c: char) -> bool {
    use GeneralCategoryGroup::{Letter, Mark, Number};
    c == '_'
        || is_emoji(c)
        || (!is_shapeless(c) && matches!(c.general_category_group(), Letter | Mark | Number))
}

/// A mark without a shape, such as a selector that selects nothing: it parts no word.
fn is_silent(c: char) -> bool {
    is_shapeless(c) && c.general_category_group() == GeneralCategoryGroup::Mark
}

/// As much of a slug as a name may have: up to the last boundary of graphemes, or of characters where one grapheme is longer than all.
fn cut(slug: &str) -> &str {
    let fits = |end: usize| {
        end <= BYTES_MAX && slug.get(..end).is_some_and(|kept| kept.chars().count() <= CHARS_MAX)
    };
    if fits(slug.len()) {
        return slug;
    }
    let graphemes = slug.grapheme_indices(true).map(|(at, _)| at).take_while(|at| fits(*at)).last();
    let end = match graphemes {
        Some(end) if end > 0 => end,
        _ => slug.char_indices().map(|(at, _)| at).take_while(|at| fits(*at)).last().unwrap_or(0),
    };
    slug.get(..end).unwrap_or_default()
}

fn digest(text: &str, digits: usize) -> String {
    let mut hex = hex::encode(Sha256::digest(text.as_bytes()));
    hex.truncate(digits);
    hex
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use proptest::prelude::*;

    #[test]
    fn slugs() {
        let check = |source: &str, expect: &str| assert_eq!(slug(source), expect, "{source:?}");
        check("Editor theme", "editor-theme");
        check("  --Dark__Mode!! (2) ", "dark__mode-2");
        check("日本語の見出し", "日本語の見出し");
        check("العربية: مثال", "العربية-مثال");
        check("हिन्दी में", "हिन्दी-में");
        check("Straße ﬁx ＡＢＣ", "straße-fix-abc");
        check("İstanbul ılık", "i\u{307}stanbul-ılık");
        check("Deploy 🚀 now ❤\u{fe0f}", "deploy-🚀-now-❤\u{fe0f}");
        check("👩\u{200d}💻", "👩\u{200d}💻");
        check("cafe\u{301}", "café");
        check("a\u{fe0f}b", "ab");
        check("C++ & C#", "c-c");
        check("!!!", "");
        check("", "");
        check(&"a".repeat(50), &"a".repeat(50));
    }

    #[test]
    fn what_is_cut_leaves_a_digest() {
        let mail = slug("The customer Acme Corporation prefers to be contacted by email on Mondays");
        let phone = slug("The customer Acme Corporation prefers to be contacted by phone on Fridays");
        assert_eq!(mail.rsplit_once('-').unwrap().0, "the-customer-acme-corporation-prefers-to-be-contac");
        assert_eq!(mail.rsplit_once('-').unwrap().0, phone.rsplit_once('-').unwrap().0);
        assert_ne!(mail, phone);
        let one_past = slug(&"a".repeat(51));
        assert_eq!(one_past.len(), 50 + 1 + CUT_DIGITS);
        // A flag is one grapheme of two characters: the cut leaves the one out that does not fit.
        let flags = slug(&format!("{}{}", "a".repeat(49), "🇩🇪"));
        assert!(flags.starts_with(&format!("{}-", "a".repeat(49))), "{flags}");
        // The joiner of a flag's half and a heart does not stay behind without the heart.
        let joined = slug(&format!("{}🇩\u{200d}❤", "a".repeat(48)));
        assert!(joined.starts_with(&format!("{}🇩-", "a".repeat(48))), "{joined}");
        assert!(DocumentPath::check(&format!("{joined}.md")).is_ok(), "{joined}");
    }

    #[test]
    fn names_of_documents() {
        let check = |title: Option<&str>, body: &str, expect: &str| {
            assert_eq!(file_stem(title, body), expect, "{title:?} {body:?}");
        };
        check(Some("Editor theme"), "x", "editor-theme");
        check(None, "# Editor theme #\n\nDark.", "editor-theme");
        check(None, "User wants dark mode. Always.", "user-wants-dark-mode");
        check(None, "", "entry-e3b0c442");
        check(Some("???"), "!!", &format!("entry-{}", digest("!!", 8)));
        check(Some("Con"), "x", &format!("con-{}", digest("con", 6)));
        check(Some("Memory"), "x", &format!("memory-{}", digest("memory", 6)));
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let check = |taken: &[&str], expect: &str| {
            let keys: HashSet<String> = taken.iter().map(|path| (*path).to_owned()).collect();
            let path =
                free_path("knowledge/facts", "Straße", |_, key| Ok(keys.contains(key.as_str()))).unwrap();
            assert_eq!(path.as_str(), expect);
        };
        check(&[], "knowledge/facts/Straße.md");
        check(&["knowledge/facts/strasse.md"], "knowledge/facts/Straße-2.md");
        check(&["knowledge/facts/strasse.md", "knowledge/facts/strasse-2.md"], "knowledge/facts/Straße-3.md");
        assert!(free_path("a", "b", |_, _| Ok(true)).is_err());
    }

    #[test]
    fn topics() {
        let check = |a: &str, b: &str, same: bool| assert_eq!(is_same_topic(a, b), same, "{a:?} {b:?}");
        check("Editor  theme:", "editor theme", true);
        check("ＥＤＩＴＯＲ theme。", "Editor theme", true);
        check("Straße", "STRASSE!", true);
        check("日本語の見出し", "日本語の見出し。", true);
        check("Editor theme", "Editor themes", false);
        check("?", "!", false);
        let long = "The customer Acme Corporation prefers to be contacted by ";
        check(&format!("{long}email"), &format!("{long}phone"), false);
    }

    proptest! {
        #[test]
        fn any_document_has_a_name(title in any::<Option<String>>(), body in any::<String>()) {
            let stem = file_stem(title.as_deref(), &body);
            for number in ["", "-100000"] {
                let path = DocumentPath::check(&format!("knowledge/facts/{stem}{number}.md"));
                prop_assert!(path.is_ok(), "{path:?} {stem:?}");
            }
        }

        #[test]
        fn emoji_and_marks_have_a_name(title in "[👩👨🚀❤🇩🇪️‍⃣1#*aé́क्षि‌ﷺ. -]{0,70}") {
            let stem = file_stem(Some(&title), "body");
            prop_assert!(DocumentPath::check(&format!("{stem}.md")).is_ok(), "{stem:?}");
            prop_assert_eq!(file_stem(Some(&title), "body"), stem);
        }
    }
}
