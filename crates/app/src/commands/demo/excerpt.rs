//! The sentences of a message that the demo shows: whole ones, so that nobody reads half an answer.

use loci_text::split::sentences;

/// Characters after which no further sentence is added.
const CHARS: usize = 150;
/// Characters of a single sentence that is not cut.
const SENTENCE_CHARS_MAX: usize = 320;

/// Returns the sentences from the one that contains `part`, or from the first, up to about
/// [`CHARS`] characters.
pub(super) fn excerpt(text: &str, part: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentences = sentences(&line);
    let first = sentences.iter().position(|sentence| sentence.contains(part)).unwrap_or(0);
    let mut shown = String::new();
    for sentence in sentences.iter().skip(first) {
        let is_full = !shown.is_empty() && shown.chars().count() + sentence.chars().count() > CHARS;
        if is_full {
            break;
        }
        shown.push_str(sentence);
    }
    let shown = shown.trim();
    match shown.char_indices().nth(SENTENCE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", shown.get(..end).unwrap_or(shown)),
        None => shown.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_whole_sentences() {
        let check = |text: &str, part: &str, expect: &str| assert_eq!(excerpt(text, part), expect);
        check("One. Two!\nThree", "", "One. Two! Three");
        check("One. Two is it. Three.", "is it", "Two is it. Three.");
        let long = "word ".repeat(30);
        check(&format!("Short one. {long}."), "", "Short one.");
        check(&format!("{}.", "a".repeat(400)), "", &format!("{}…", "a".repeat(320)));
        check("", "part", "");
    }
}
