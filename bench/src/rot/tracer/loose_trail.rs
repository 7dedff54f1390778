//! The trail of a block that ignores white space: blank lines do not count, and a line whose words
//! only move to other lines is alive. It uses hunks of `git log -w`, and compares the text in a
//! hunk without white space.

use super::super::git::is_blank;
use super::steps::Hunk;
use super::strict_trail::shifted;
use super::walk::Trail;

/// The minimum size, in bytes without white space, of text that is searched in a changed hunk.
/// Shorter text is found by chance.
const BYTES_MIN: usize = 12;

/// The first and the last of the lines that now contain a cited line.
type Span = (u32, u32);

/// The lines of a block that are not blank.
#[derive(Debug, Clone)]
pub(super) struct Loose {
    pub(super) spans: Vec<Option<Span>>,
}

impl Loose {
    pub(super) fn new(start: u32, lines: &[Vec<u8>]) -> Self {
        let spans = (start..).zip(lines).filter(|(_, line)| !is_blank(line)).map(|(at, _)| Some((at, at)));
        Self { spans: spans.collect() }
    }

    pub(super) fn all_alive(&self) -> bool {
        self.spans.iter().all(Option::is_some)
    }

    /// Returns the lines of the block if all of them are alive and in order. The caller judges the
    /// gaps between them.
    pub(super) fn in_order(&self) -> Option<Vec<Span>> {
        let spans: Vec<Span> = self.spans.iter().copied().collect::<Option<_>>()?;
        let ordered = spans.windows(2).all(|pair| matches!(pair, [a, b] if b.0 >= a.0 && b.1 >= a.1));
        ordered.then_some(spans)
    }
}

impl Trail for Loose {
    fn carry(&mut self, hunks: &[Hunk]) {
        let before = self.spans.clone();
        for (to, from) in self.spans.iter_mut().zip(&before) {
            *to = from.and_then(|span| carried(span, hunks));
        }
        for hunk in hunks.iter().filter(|hunk| !hunk.old.is_empty() && !hunk.new.is_empty()) {
            self.wrapped_together(&before, hunk);
        }
    }

    fn lose_file(&mut self, _hunks: &[Hunk]) {
        self.spans.iter_mut().for_each(|span| *span = None);
    }

    /// Only the strict trail detects a file that comes back unchanged.
    fn regain_file(&mut self, _hunks: &[Hunk]) -> bool {
        false
    }

    fn is_over(&self) -> bool {
        self.spans.iter().all(Option::is_none)
    }
}

impl Loose {
    /// Finds adjacent lines of the block that a hunk replaces with other line breaks. They are
    /// alive together.
    fn wrapped_together(&mut self, before: &[Option<Span>], hunk: &Hunk) {
        let inside = |span: &Option<Span>| span.is_some_and(|(a, b)| hunk.takes(a) && hunk.takes(b));
        let Some(first) = before.iter().position(inside) else { return };
        let count = before.iter().skip(first).take_while(|span| inside(span)).count();
        let (Some(from), Some(to)) =
            (before.get(first).copied().flatten(), before.get(first + count - 1).copied().flatten())
        else {
            return;
        };
        let lost = self.spans.iter().skip(first).take(count).any(Option::is_none);
        if let Some(span) = lost.then(|| found_again((from.0, to.1), hunk)).flatten() {
            self.spans.iter_mut().skip(first).take(count).for_each(|line| *line = Some(span));
        }
    }
}

/// Returns the new place of a span, or `None` if it dies.
fn carried((first, last): Span, hunks: &[Hunk]) -> Option<Span> {
    let touching: Vec<&Hunk> = hunks.iter().filter(|hunk| touches(hunk, first, last)).collect();
    if touching.is_empty() {
        return Some((shifted(first, hunks), shifted(last, hunks)));
    }
    if touching.iter().all(|hunk| packed(&hunk.old) == packed(&hunk.new)) {
        let end = |line: u32, is_first: bool| match touching.iter().find(|hunk| hunk.takes(line)) {
            Some(hunk) => same_text(line, hunk, is_first),
            None => Some(shifted(line, hunks)),
        };
        return Some((end(first, true)?, end(last, false)?));
    }
    match touching.as_slice() {
        [hunk] if hunk.takes(first) && hunk.takes(last) => found_again((first, last), hunk),
        _ => None,
    }
}

/// Returns true if the hunk removes a line of the span or inserts lines into it.
fn touches(hunk: &Hunk, first: u32, last: u32) -> bool {
    if hunk.old.is_empty() {
        return hunk.old_start >= first && hunk.old_start < last;
    }
    hunk.old_start <= last && hunk.old_start + hunk.old_len() > first
}

fn packed(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.iter().flatten().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// For a hunk that changes only white space, returns the line that now contains the first or last
/// character of an old line.
fn same_text(line: u32, hunk: &Hunk, is_first: bool) -> Option<u32> {
    let index = usize::try_from(line - hunk.old_start).ok()?;
    let before = packed(hunk.old.get(..index)?).len();
    let length = packed(hunk.old.get(index..=index)?).len();
    let wanted = if is_first { before } else { (before + length).checked_sub(1)? };
    let mut seen = 0;
    for (at, text) in (hunk.new_start..).zip(&hunk.new) {
        seen += packed(std::slice::from_ref(text)).len();
        if seen > wanted {
            return Some(at);
        }
    }
    None
}

/// For a hunk that changes more, finds complete new lines with the text of the span but another
/// number of lines.
fn found_again((first, last): Span, hunk: &Hunk) -> Option<Span> {
    let from = usize::try_from(first - hunk.old_start).ok()?;
    let to = usize::try_from(last - hunk.old_start).ok()?;
    let old = hunk.old.get(from..=to)?;
    let text = packed(old);
    let lines_before = old.iter().filter(|line| !is_blank(line)).count();
    if text.len() < BYTES_MIN {
        return None;
    }
    let new: Vec<(u32, Vec<u8>)> = (hunk.new_start..)
        .zip(&hunk.new)
        .map(|(at, line)| (at, packed(std::slice::from_ref(line))))
        .filter(|(_, line)| !line.is_empty())
        .collect();
    let mut found = (0..new.len()).filter_map(|begin| {
        let mut rest = text.as_slice();
        for (count, (at, line)) in new.get(begin..)?.iter().enumerate() {
            rest = rest.strip_prefix(line.as_slice())?;
            if rest.is_empty() {
                return (count + 1 != lines_before).then_some((new.get(begin)?.0, *at));
            }
        }
        None
    });
    let only = found.next()?;
    found.next().is_none().then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(old_start: u32, old: &[&str], new_start: u32, new: &[&str]) -> Hunk {
        let lines = |all: &[&str]| all.iter().map(|line| line.as_bytes().to_vec()).collect();
        Hunk { old_start, new_start, old: lines(old), new: lines(new) }
    }

    fn block(start: u32, lines: &[&str]) -> Loose {
        Loose::new(start, &lines.iter().map(|line| line.as_bytes().to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn lines_wrapped_anew_are_alive() {
        let mut one = block(3, &["call(first, second);"]);
        one.carry(&[hunk(3, &["call(first, second);"], 3, &["call(", "  first,", "  second);"])]);
        assert_eq!(one.spans, [Some((3, 5))]);
        one.carry(&[hunk(1, &[], 2, &["above"])]);
        assert_eq!(one.spans, [Some((4, 6))]);
        one.carry(&[hunk(4, &["call(", "  first,", "  second);"], 4, &["call(first, second);"])]);
        assert_eq!(one.spans, [Some((4, 4))]);
        one.carry(&[hunk(4, &["call(first, second);"], 4, &["call(", "  first,", "  third);"])]);
        assert!(one.is_over());
    }

    #[test]
    fn part_of_a_changed_hunk_must_begin_and_end_with_lines() {
        let mut one = block(1, &["call(first, second);"]);
        one.carry(&[hunk(
            1,
            &["call(first, second);", "old();"],
            1,
            &["call(", "  first, second);", "new();"],
        )]);
        assert_eq!(one.spans, [Some((1, 2))]);
        let mut two = block(1, &["call(first, second);"]);
        two.carry(&[hunk(1, &["call(first, second);", "old();"], 1, &["if x { call(", "first, second); }"])]);
        assert!(two.is_over());
        let mut both = block(1, &["call(first,", "second, third);"]);
        both.carry(&[hunk(
            1,
            &["call(first,", "second, third);", "old();"],
            1,
            &["call(first, second, third);", "new();"],
        )]);
        assert_eq!(both.in_order(), Some(vec![(1, 1), (1, 1)]));
    }

    #[test]
    fn blank_lines_do_not_count() {
        let mut one = block(1, &["first line", "", "second line"]);
        one.carry(&[hunk(2, &[""], 1, &[])]);
        assert_eq!(one.in_order(), Some(vec![(1, 1), (2, 2)]));
    }
}
