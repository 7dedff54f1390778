//! Makes a file name from a title: letters, marks, numbers and emoji of any script; every other
//! character becomes a dash.
//!
//! Two titles can share a slug up to the cut, so a digest of the whole slug follows a cut. A name
//! that is taken gets a number, so that no two documents share a file. The caller decides which
//! names are taken.

use loci_model::{Error, Result};
use loci_text::normalise_exact;
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use super::case_folding::folded;
use super::derived_names::slug_source;
use super::path::{DocumentPath, PathKey};
use super::path_rule::is_emoji;
use loci_safety::is_shapeless;

/// The maximum number of characters in a slug, without the digest after a cut.
const CHARS_MAX: usize = 50;
/// The maximum number of bytes in a slug. With digest, number and ending, a segment stays within
/// the limit of a path.
const BYTES_MAX: usize = 170;
/// The number of hex digits that distinguish two cut slugs.
const CUT_DIGITS: usize = 6;
/// The number of hex digits in a name that has no word.
const NAMELESS_DIGITS: usize = 8;
/// The largest number after a name.
const NUMBERS_MAX: u64 = 100_000;
/// The number of names that are tried in sequence. The smallest free one of these is always found.
const NUMBERS_IN_TURN: u64 = 1_000;
/// The ending of a document without a given name.
const ENDING: &str = ".md";
/// Names with a special meaning in one of the layouts, by key.
pub const RESERVED_STEMS: [&str; 3] = ["changelog", "_dir", "memory"];

/// Returns the slug of a text; empty if no word of it remains.
#[must_use]
pub fn slug(source: &str) -> String {
    let whole = uncut(source);
    let kept = cut(&whole);
    if kept.len() == whole.len() {
        return whole;
    }
    // A joiner of emoji without its second half joins nothing, and no path may contain it.
    format!("{}-{}", kept.trim_end_matches(['-', '\u{200d}']), digest(&whole, CUT_DIGITS))
}

/// Returns the name, without ending, of a document with or without a title. The name is never empty
/// and is always valid in a path.
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

/// Returns the first path of `stem.md`, `stem-2.md`, `stem-3.md` … in a directory that is not
/// taken. If the first thousand are taken, it returns a free path that follows a taken one.
///
/// # Errors
/// `Invalid` if directory and name break a rule of paths; `Conflict` if no free name was found.
pub fn free_path(
    directory: &str,
    stem: &str,
    mut taken: impl FnMut(&DocumentPath, &PathKey) -> Result<bool>,
) -> Result<DocumentPath> {
    let path_of =
        |number| DocumentPath::parse(&format!("{directory}/{}", numbered_name(stem, ENDING, number)));
    let free = free_number(|number| {
        let path = path_of(number)?;
        taken(&path, &path.key())
    })?;
    match free {
        Some(number) => path_of(number),
        None => Err(Error::conflict(format!(
            "The names {stem}{ENDING} to {stem}-{NUMBERS_IN_TURN}{ENDING} in {directory} are taken, \
             and so are those tried up to {stem}-{NUMBERS_MAX}{ENDING}: give a path or another title."
        ))
        .on("path")),
    }
}

/// Returns the smallest free number of the first thousand. If all of these are taken, returns a
/// free number that follows a taken one; it is the smallest as well if the taken ones have no gap.
/// Returns `None` if no number was found. The number of lookups is bounded, no matter how many
/// names are taken.
///
/// # Errors
/// Errors of `is_taken`.
pub fn free_number(mut is_taken: impl FnMut(u64) -> Result<bool>) -> Result<Option<u64>> {
    for number in 1..=NUMBERS_IN_TURN {
        if !is_taken(number)? {
            return Ok(Some(number));
        }
    }
    let mut taken = NUMBERS_IN_TURN;
    let mut free = loop {
        if taken == NUMBERS_MAX {
            return Ok(None);
        }
        let next = (taken * 2).min(NUMBERS_MAX);
        if !is_taken(next)? {
            break next;
        }
        taken = next;
    };
    while free - taken > 1 {
        let middle = taken.midpoint(free);
        if is_taken(middle)? {
            taken = middle;
        } else {
            free = middle;
        }
    }
    Ok(Some(free))
}

/// Returns the endless sequence of names `stem`, `stem-2`, `stem-3` …, each with an ending.
pub fn numbered(stem: &str, ending: &str) -> impl Iterator<Item = String> {
    (1..).map(move |number| numbered_name(stem, ending, number))
}

/// Returns the name for a number. The first name is the stem without a number.
pub fn numbered_name(stem: &str, ending: &str, number: u64) -> String {
    if number == 1 { format!("{stem}{ending}") } else { format!("{stem}-{number}{ending}") }
}

/// Returns the key that titles of one topic share: NFKC, case folded, white space collapsed to one
/// space, without punctuation at the end.
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

/// Returns true if two titles name one topic, which has one document. Slugs that are equal only
/// after a cut do not count.
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

/// Returns true for an invisible mark, such as a selector that selects nothing. It separates no
/// words.
fn is_silent(c: char) -> bool {
    is_shapeless(c) && c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Returns the part of a slug that a name may have. It cuts at the last grapheme boundary, or at a
/// character if the first grapheme exceeds the limit.
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

    use loci_model::ErrorKind;
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
        // A flag is one grapheme of two characters. The cut drops a flag that does not fit.
        let flags = slug(&format!("{}{}", "a".repeat(49), "🇩🇪"));
        assert!(flags.starts_with(&format!("{}-", "a".repeat(49))), "{flags}");
        // The cut removes the joiner between the half of a flag and a heart together with the
        // heart.
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
        let none = free_path("a", "b", |_, _| Ok(true)).unwrap_err();
        assert_eq!((none.kind, none.field.as_deref()), (ErrorKind::Conflict, Some("path")));
    }

    #[test]
    fn a_free_number_is_found_in_a_bounded_number_of_questions() {
        let check = |taken: &dyn Fn(u64) -> bool, expect: Option<u64>| {
            let mut asked = 0;
            let free = free_number(|number| {
                asked += 1;
                assert!((1..=NUMBERS_MAX).contains(&number), "{number}");
                Ok(taken(number))
            });
            assert_eq!(free.unwrap(), expect);
            assert!(asked <= NUMBERS_IN_TURN + 30, "{expect:?}: {asked}");
        };
        // Names without a gap: the result is the next number, for any count.
        for count in [0, 1, 2, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 9_999, 10_000, 65_432, NUMBERS_MAX - 1]
        {
            check(&|number| number <= count, Some(count + 1));
        }
        check(&|_| true, None);
        // A gap among the first numbers is filled, no matter how many follow.
        check(&|number| number != 7, Some(7));
        check(&|number| number != NUMBERS_IN_TURN, Some(NUMBERS_IN_TURN));
        check(&|number| number <= 50_000 && number != 40, Some(40));
        // After the first numbers, the result is the end of one of the runs, not necessarily the
        // first run.
        check(&|number| number <= 1_500 || (1_600..=1_700).contains(&number), Some(1_701));
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
