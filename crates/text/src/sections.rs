//! Splits a document into chunks for ranking: along headings and paragraphs, up to a number of
//! words each.
//!
//! Lossless: the sections' texts, concatenated, equal the document byte for byte. The module reads
//! Markdown's headings and fences, and no other part of a format. For code and other text use
//! [`passages`], which has no headings.

use crate::analysis::is_spaceless;
use crate::split::sentences;

/// The weight of one word. Longer words count as several. A letter weighs 1; a character of a
/// script without spaces weighs half of this constant.
const WORD_WEIGHT: usize = 60;

/// One chunk of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The headings above the chunk, outermost first, without their `#`.
    pub headings: Vec<String>,
    /// The chunk, a slice of the document.
    pub text: String,
    /// The byte offset of the chunk in the document.
    pub start: usize,
}

/// Cuts a Markdown document into sections of at most `words_max` white-space words (0 counts as 1).
/// A heading opens a section and belongs to it. Paragraphs, lists and fences stay whole if they
/// fit; otherwise they are cut at lines, then sentences, then words. A document of white space has
/// no section.
#[must_use]
pub fn sections(document: &str, words_max: usize) -> Vec<Section> {
    cut(document, words_max, true)
}

/// Cuts text that is not Markdown, such as code, like [`sections`]. `#` opens no heading, and blank
/// lines separate the blocks.
#[must_use]
pub fn passages(document: &str, words_max: usize) -> Vec<Section> {
    cut(document, words_max, false)
}

/// The maximum number of words in a passage of a stored document.
const PASSAGE_WORDS_MAX: usize = 120;

/// Returns the passages of a document that is stored under a path. The index holds these passages,
/// and a hit names one of them.
#[must_use]
pub fn of_document(document: &str, path: Option<&str>) -> Vec<Section> {
    cut(document, PASSAGE_WORDS_MAX, is_markdown(path))
}

/// Returns true for Markdown. A text without a path counts as Markdown, because people write in
/// that form.
fn is_markdown(path: Option<&str>) -> bool {
    path.is_none_or(|path| {
        let end = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        matches!(end.as_str(), "md" | "markdown" | "mdx" | "txt")
    })
}

fn cut(document: &str, words_max: usize, markdown: bool) -> Vec<Section> {
    if document.trim().is_empty() {
        return Vec::new();
    }
    let mut cutter = Cutter {
        words_max: words_max.max(1),
        path: Vec::new(),
        done: Vec::new(),
        open: String::new(),
        open_words: 0,
        open_has_body: false,
        at: 0,
    };
    for block in blocks(document, markdown) {
        match block {
            Block::Heading { level, line } => cutter.heading(level, line),
            Block::Body(text) => cutter.body(text),
        }
    }
    cutter.close();
    cutter.done
}

enum Block<'a> {
    Heading { level: usize, line: &'a str },
    Body(&'a str),
}

/// Returns the words of a Markdown document's first heading, without its marks. Returns `None` if
/// the document has no heading outside of fences.
#[must_use]
pub fn first_heading(document: &str) -> Option<&str> {
    blocks(document, true).into_iter().find_map(|block| match block {
        Block::Heading { line, .. } => {
            let words = line.trim_start_matches('#').trim();
            let open = words.trim_end_matches('#');
            Some(if open.ends_with([' ', '\t']) { open.trim_end() } else { words })
        }
        Block::Body(_) => None,
    })
}

/// Returns a Markdown document's first block that is not a heading and not blank.
#[must_use]
pub fn first_paragraph(document: &str) -> Option<&str> {
    blocks(document, true).into_iter().find_map(|block| match block {
        Block::Body(text) if !text.trim().is_empty() => Some(text),
        Block::Body(_) | Block::Heading { .. } => None,
    })
}

/// Returns the headings, and the runs of lines up to and including the blank lines after them. A
/// fence is one block.
fn blocks(document: &str, markdown: bool) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut fence: Option<&str> = None;
    let mut blank_before = false;
    for line in document.split_inclusive('\n') {
        let trimmed = line.trim();
        let level = if markdown && fence.is_none() { heading_level(line) } else { 0 };
        if at > start && (level > 0 || (blank_before && !trimmed.is_empty() && fence.is_none())) {
            blocks.extend(document.get(start..at).map(Block::Body));
            start = at;
        }
        at += line.len();
        if level > 0 {
            blocks.push(Block::Heading { level, line });
            start = at;
        }
        if markdown {
            fence = fence_after(fence, trimmed);
        }
        blank_before = trimmed.is_empty();
    }
    blocks.extend(document.get(start..at).filter(|rest| !rest.is_empty()).map(Block::Body));
    blocks
}

/// Returns the open fence after a line. Three backticks or tildes open a fence, and the same
/// characters close it.
fn fence_after<'a>(fence: Option<&'a str>, line: &str) -> Option<&'a str> {
    match fence {
        Some(mark) if line.starts_with(mark) => None,
        Some(mark) => Some(mark),
        None => ["```", "~~~"].into_iter().find(|mark| line.starts_with(*mark)),
    }
}

/// Returns 1–6 for a Markdown heading (`## Title`), else 0.
fn heading_level(line: &str) -> usize {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if (1..=6).contains(&level) && rest.starts_with([' ', '\t']) && !rest.trim().is_empty() {
        level
    } else {
        0
    }
}

struct Cutter {
    words_max: usize,
    /// The open headings with their levels.
    path: Vec<(usize, String)>,
    done: Vec<Section>,
    open: String,
    open_words: usize,
    open_has_body: bool,
    /// The byte offset of the start of the open section.
    at: usize,
}

impl Cutter {
    /// Adds a heading. It opens a new section, unless the open one consists only of headings above
    /// it.
    fn heading(&mut self, level: usize, line: &str) {
        let deeper = self.path.last().is_none_or(|(above, _)| *above < level);
        if self.open_has_body || !deeper {
            self.close();
        }
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, line.trim().trim_matches('#').trim().to_owned()));
        if !self.add(line) {
            self.add_cut(line);
        }
        self.open_has_body = false;
    }

    fn body(&mut self, block: &str) {
        if block.trim().is_empty() {
            self.push(block, 0);
            return;
        }
        if !self.add(block) {
            for line in block.split_inclusive('\n') {
                if !self.add(line) {
                    self.add_cut(line);
                }
            }
        }
        self.open_has_body = true;
    }

    /// Adds a whole part to the open section or to a new one. Returns false if no section can hold
    /// the part. Also returns false if the part does not fit and the open section has only
    /// headings, so that they do not stand alone.
    fn add(&mut self, part: &str) -> bool {
        let words = words(part);
        if self.open_words + words > self.words_max {
            if words > self.words_max || (!self.open_has_body && self.open_words > 0) {
                return false;
            }
            self.close();
        }
        self.push(part, words);
        true
    }

    /// Adds a line that does not fit whole. It cuts at sentences, long sentences at words, and long
    /// words at characters.
    fn add_cut(&mut self, line: &str) {
        for sentence in sentences(line) {
            if words(sentence) <= self.words_max {
                self.add_closing(sentence);
                continue;
            }
            for word in sentence.split_inclusive(char::is_whitespace) {
                for bite in bites(word, self.words_max) {
                    self.add_closing(bite);
                }
            }
        }
    }

    fn add_closing(&mut self, part: &str) {
        let words = words(part);
        if self.open_words + words > self.words_max {
            self.close();
        }
        self.push(part, words);
        self.open_has_body = true;
    }

    fn push(&mut self, part: &str, words: usize) {
        self.open.push_str(part);
        self.open_words += words;
    }

    fn close(&mut self) {
        if self.open.trim().is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.open);
        let start = self.at;
        self.at += text.len();
        let headings = self.path.iter().map(|(_, title)| title.clone()).collect();
        self.done.push(Section { headings, text, start });
        self.open_words = 0;
        self.open_has_body = false;
    }
}

fn weight(c: char) -> usize {
    if is_spaceless(c) { WORD_WEIGHT / 2 } else { 1 }
}

/// Counts the white-space words. A very long word, or one of a script without spaces, counts as
/// several.
fn words(text: &str) -> usize {
    text.split_whitespace().map(|word| word.chars().map(weight).sum::<usize>().div_ceil(WORD_WEIGHT)).sum()
}

/// Cuts `word` into pieces that count as at most `words_max` words each. A word of normal length
/// stays whole.
fn bites(word: &str, words_max: usize) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let mut room = words_max.saturating_mul(WORD_WEIGHT);
        let end = rest.find(|c| {
            let left = room.checked_sub(weight(c));
            room = left.unwrap_or(0);
            left.is_none()
        });
        let (bite, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!bite.is_empty()).then_some(bite)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(document: &str, words_max: usize, expect: &[(&[&str], &str)]) {
        let found = sections(document, words_max);
        let found: Vec<(Vec<&str>, &str)> = found
            .iter()
            .map(|s| (s.headings.iter().map(String::as_str).collect(), s.text.as_str()))
            .collect();
        let expect: Vec<(Vec<&str>, &str)> =
            expect.iter().map(|(path, text)| (path.to_vec(), *text)).collect();
        assert_eq!(found, expect, "{document:?} {words_max}");
    }

    #[test]
    fn first_heading_and_first_paragraph() {
        let check = |document: &str, heading: Option<&str>, paragraph: Option<&str>| {
            assert_eq!(first_heading(document), heading, "{document:?}");
            assert_eq!(first_paragraph(document), paragraph, "{document:?}");
        };
        check("", None, None);
        check("# Topic\n- one\n", Some("Topic"), Some("- one\n"));
        check("said\n\n## A # sign ##\n", Some("A # sign"), Some("said\n\n"));
        check("```\n# no heading\n```\n", None, Some("```\n# no heading\n```\n"));
        check("# C#\n\n# More", Some("C#"), None);
        check("#tag", None, Some("#tag"));
    }

    #[test]
    fn headings() {
        check("", 10, &[]);
        check(" \n\n", 10, &[]);
        check("a b\n\nc", 10, &[(&[], "a b\n\nc")]);
        check(
            "intro\n\n# One\n\ntext\n\n## Two ##\nmore\n# Three\nend\n",
            10,
            &[
                (&[], "intro\n\n"),
                (&["One"], "# One\n\ntext\n\n"),
                (&["One", "Two"], "## Two ##\nmore\n"),
                (&["Three"], "# Three\nend\n"),
            ],
        );
        check("# One\n## Two\ntext", 10, &[(&["One", "Two"], "# One\n## Two\ntext")]);
        check("# One\n# Two\ntext", 10, &[(&["One"], "# One\n"), (&["Two"], "# Two\ntext")]);
        check("#no heading\n#\n####### none", 10, &[(&[], "#no heading\n#\n####### none")]);
    }

    #[test]
    fn fences_hide_headings() {
        check(
            "```\n# no\n\n# no\n```\n# Yes\nx",
            10,
            &[(&[], "```\n# no\n\n# no\n```\n"), (&["Yes"], "# Yes\nx")],
        );
        check("~~~\n```\n# no\n~~~\n# Yes\n", 10, &[(&[], "~~~\n```\n# no\n~~~\n"), (&["Yes"], "# Yes\n")]);
    }

    #[test]
    fn sizes() {
        check("a b c\n\nd e f\n\ng", 4, &[(&[], "a b c\n\n"), (&[], "d e f\n\ng")]);
        check("# H\na b c\nd e f\n", 5, &[(&["H"], "# H\na b c\n"), (&["H"], "d e f\n")]);
        check("a b. c d. e f g h i", 4, &[(&[], "a b. c d. "), (&[], "e f g h "), (&[], "i")]);
        check("日本語日本語", 2, &[(&[], "日本語日"), (&[], "本語")]);
        let long = "x".repeat(150);
        check(&long, 1, &[(&[], &long[..60]), (&[], &long[60..120]), (&[], &long[120..])]);
    }

    #[test]
    fn passages_know_no_headings() {
        let found = passages("# a\n# b\n\nfn c() {}\n", 3);
        assert_eq!(found.len(), 2 + 1);
        assert!(found.iter().all(|section| section.headings.is_empty()));
        assert_eq!(found.iter().map(|section| section.start).collect::<Vec<_>>(), [0, 4, 9]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_is_too_long(
            document in "([a-z]{1,8}|[#`~. \n]{1,4}|\n# t\n|日本|\\PC){0,80}", max in 0usize..12, markdown in any::<bool>()
        ) {
            let found = if markdown { sections(&document, max) } else { passages(&document, max) };
            if !document.trim().is_empty() {
                prop_assert_eq!(found.iter().map(|s| s.text.as_str()).collect::<String>(), document.as_str());
            }
            for section in found {
                prop_assert!(words(&section.text) <= max.max(1), "{:?}", section);
                prop_assert!(!section.text.trim().is_empty());
                prop_assert!(document[section.start..].starts_with(&section.text));
            }
        }
    }
}
