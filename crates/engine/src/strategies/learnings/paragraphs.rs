//! The boundaries of learnings: an empty line, or the next item of a list. Code fences stay whole,
//! together with the paragraph before them. Lines indented below an item belong to it. Headings are
//! structure, not statements.

/// Maximum number of spaces before a list marker of a separate item.
const OUTER_INDENT_MAX: usize = 1;

/// Returns the paragraphs of a text without list markers, in its order.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut paragraphs = Paragraphs::default();
    for line in text.lines() {
        paragraphs.take(line);
    }
    paragraphs.end();
    paragraphs.done
}

#[derive(Default)]
struct Paragraphs {
    done: Vec<String>,
    lines: Vec<String>,
    /// The closing mark of the open fence.
    fence: Option<&'static str>,
    /// True if an empty line followed the paragraph: a fence would still belong to it.
    is_closed: bool,
}

impl Paragraphs {
    fn take(&mut self, line: &str) {
        if let Some(fence) = self.fence {
            self.lines.push(line.trim_end().to_owned());
            if line.trim_start().starts_with(fence) {
                self.fence = None;
            }
            return;
        }
        if let Some(fence) = fence_of(line) {
            if self.is_closed && !self.lines.is_empty() {
                self.lines.push(String::new());
            }
            self.is_closed = false;
            self.fence = Some(fence);
            self.lines.push(line.trim().to_owned());
            return;
        }
        if line.trim().is_empty() {
            self.is_closed = true;
            return;
        }
        if is_heading(line) {
            self.end();
            return;
        }
        let item = item(line);
        if self.is_closed || item.is_some() {
            self.end();
        }
        self.is_closed = false;
        self.lines.push(item.unwrap_or(line).trim().to_owned());
    }

    fn end(&mut self) {
        let text = std::mem::take(&mut self.lines).join("\n");
        if !text.trim().is_empty() {
            self.done.push(text.trim().to_owned());
        }
        self.is_closed = false;
    }
}

/// Returns the fence that a line opens.
fn fence_of(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence))
}

fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    (1..=6).contains(&depth) && rest.starts_with(' ')
}

/// Returns the text after the list marker, if the line begins an item of the outermost list.
fn item(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > OUTER_INDENT_MAX {
        return None;
    }
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|marker| text.strip_prefix(marker)) {
        return Some(rest);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..).filter(|_| (1..=3).contains(&digits))?;
    [". ", ") "].iter().find_map(|marker| rest.strip_prefix(marker))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_paragraphs() {
        let check = |text: &str, expect: &[&str]| assert_eq!(split(text), expect, "{text:?}");
        check("one\nstill one\n\ntwo", &["one\nstill one", "two"]);
        check("- one\n* two\n+ three\n10) four", &["one", "two", "three", "four"]);
        check("- one\n  - beneath it\n- two", &["one\n- beneath it", "two"]);
        check("# Title\none\n## More\ntwo", &["one", "two"]);
        check("1.5 is no marker\n2020 neither", &["1.5 is no marker\n2020 neither"]);
        check("**bold** is no marker", &["**bold** is no marker"]);
    }

    #[test]
    fn fences_stay_whole() {
        let check = |text: &str, expect: &[&str]| assert_eq!(split(text), expect, "{text:?}");
        check("run\n```\n- a\n\n# b\n```\nthen", &["run\n```\n- a\n\n# b\n```\nthen"]);
        check("run\n\n```\na\n```\n\nnext", &["run\n\n```\na\n```", "next"]);
        check("never closed\n~~~\na\n\nb", &["never closed\n~~~\na\n\nb"]);
    }
}
