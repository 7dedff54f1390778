//! The normal form of a document's text for its tombstone: without front matter, byte order mark,
//! line ends and layout, and with its secrets masked. The same text under another path, in another
//! namespace or in another file is the same document. That holds whether the writer's server masks
//! secrets or not. Pure.

use loci_json::without_mark;
use loci_model::limits;
use sha2::{Digest, Sha256};

use crate::document_text::DocumentContent;
use crate::safety::{RedactionMode, redact};

/// Returns the digest of a document's words, which only a key turns into a tombstone. Returns
/// `None` for texts so short that others write them too, such as an empty file, a heading or a line
/// of a template.
pub fn digest(document: &DocumentContent) -> Option<String> {
    normal(document).map(|text| hex::encode(Sha256::digest(text)))
}

/// Returns the digest of a document's path and words, if the words alone are too short to identify
/// it. Returns `None` for an empty text.
pub fn short_digest(key: &str, document: &DocumentContent) -> Option<String> {
    let words = words(document);
    let is_short = !words.is_empty() && words.chars().count() < limits::FORGOTTEN_TEXT_CHARS_MIN;
    is_short.then(|| hex::encode(Sha256::digest(format!("{}:{key}{words}", key.len()))))
}

/// Returns the digest of an item's words; `None` for an empty text.
pub(crate) fn item_digest(text: &str) -> Option<String> {
    let words = words(&DocumentContent::raw(text.to_owned()));
    (!words.is_empty()).then(|| hex::encode(Sha256::digest(words)))
}

fn normal(document: &DocumentContent) -> Option<String> {
    let words = words(document);
    (words.chars().count() >= limits::FORGOTTEN_TEXT_CHARS_MIN).then_some(words)
}

/// Returns the words of a document, separated by one space.
fn words(document: &DocumentContent) -> String {
    let text = without_mark(document.prose()).replace("\r\n", "\n");
    let (text, _) = redact(text, RedactionMode::Mask);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_in_many_files() {
        let whole =
            |text: &str| text.replace("tea.", "tea, best of the first flush, and has it at her desk.");
        let said = Some(whole("# Tea Mara likes green tea."));
        for file in [
            "# Tea\n\nMara likes green tea.\n",
            "\u{feff}# Tea\r\n\r\nMara likes  green\ttea.\r\n",
            "---\nuser_id: mara\n---\n\n# Tea\n\nMara likes green tea.",
            "\u{feff}---\r\ntitle: Tea\r\n---\r\n\r\n# Tea\r\n\r\nMara likes green tea.\r\n",
            "---\nbroken: [\n---\n# Tea\nMara likes green tea.",
            "\n\n# Tea\nMara likes\ngreen tea.\n\n",
        ] {
            let file = whole(file);
            assert_eq!(normal(&DocumentContent::of_file(&file).0), said, "{file:?}");
            assert_eq!(normal(&DocumentContent::raw(file.clone())), said, "raw {file:?}");
        }
        for file in ["# Tea\n\nMara likes black tea.\n", "# tea\n\nMara likes green tea.\n"] {
            assert_ne!(normal(&DocumentContent::of_file(&whole(file)).0), said, "{file:?}");
        }
    }

    #[test]
    fn a_masked_text_is_the_same() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let of = |secret: &str| {
            let text = format!(
                "# Keys\r\n\r\nThe key of the shop is {secret} until May, says Mara, and no longer.\n"
            );
            normal(&DocumentContent::raw(text)).unwrap()
        };
        let masked = of("[REDACTED:aws_access_key]");
        assert_eq!(of(&key), masked);
        assert!(!masked.contains(&key), "{masked}");
        assert_ne!(of("a word"), masked);
    }

    #[test]
    fn short_texts_are_nobodys() {
        let check = |text: &str, expect: bool| {
            assert_eq!(normal(&DocumentContent::raw(text.to_owned())).is_some(), expect, "{text:?}");
        };
        let least = "é".repeat(loci_model::limits::FORGOTTEN_TEXT_CHARS_MIN);
        check(&least, true);
        check(&least["é".len()..], false);
        check(&format!("  {}\n\n\n", &least["é".len()..]), false);
        check("", false);
        check("# Notes\n", false);
        check("# Preferences\n\nWrite what you prefer below this line.\n", false);
        check("---\ntitle: a long head of an empty file\n---\n", false);
    }

    #[test]
    fn a_short_text_is_known_with_its_path_alone() {
        let digest = |key: &str, text: &str| short_digest(key, &DocumentContent::raw(text.to_owned()));
        assert_eq!(digest("k/a.md", "Likes\r\ntea."), digest("k/a.md", "Likes tea.\n"));
        assert!(digest("k/a.md", "Likes tea.").is_some());
        for (key, text) in [("k/b.md", "Likes tea."), ("k/a.md", "Likes milk."), ("k/a.mdLikes", " tea.")] {
            assert_ne!(digest(key, text), digest("k/a.md", "Likes tea."), "{key} {text}");
        }
        assert_eq!(digest("k/a.md", " \n"), None, "nothing");
        assert_eq!(
            digest("k/a.md", &"é".repeat(loci_model::limits::FORGOTTEN_TEXT_CHARS_MIN)),
            None,
            "known by itself"
        );
    }
}
