//! The text of a document in the form that its tombstone knows: without the head of its file, a
//! byte order mark, line ends and layout, its secrets masked. The same text under another path, in
//! another namespace or in another file is the same document, whether its writer's door masks
//! secrets or not. Pure.

use loci_json::without_mark;
use loci_model::limits;
use sha2::{Digest, Sha256};

use crate::files::DocumentContent;
use crate::safety::{RedactionMode, redact};

/// Returns the digest of a document's words, which only a key makes a tombstone; `None` for a text
/// that is so short that others write the same, such as an empty file, a heading or a line of a
/// template.
pub(crate) fn digest(document: &DocumentContent) -> Option<String> {
    normal(document).map(|text| hex::encode(Sha256::digest(text)))
}

fn normal(document: &DocumentContent) -> Option<String> {
    let text = without_mark(document.prose()).replace("\r\n", "\n");
    let (text, _) = redact(text, RedactionMode::Mask);
    let normal = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (normal.chars().count() >= limits::FORGOTTEN_TEXT_CHARS_MIN).then_some(normal)
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
        let least = "é".repeat(limits::FORGOTTEN_TEXT_CHARS_MIN);
        check(&least, true);
        check(&least["é".len()..], false);
        check(&format!("  {}\n\n\n", &least["é".len()..]), false);
        check("", false);
        check("# Notes\n", false);
        check("# Preferences\n\nWrite what you prefer below this line.\n", false);
        check("---\ntitle: a long head of an empty file\n---\n", false);
    }
}
