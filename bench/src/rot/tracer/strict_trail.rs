//! The strict trail of a block: every line is followed by its number, and dies in the first hunk
//! that removes it. An exact revert of a hunk, or a removed file that returns byte for byte,
//! revives its lines.

use std::sync::Arc;

use super::steps::Hunk;
use super::walk::Trail;

/// The fate of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Exists at this line now.
    Alive(u32),
    /// Removed without a replacement.
    Deleted,
    /// Removed by a hunk that added lines.
    Rewritten,
    /// Its file was removed.
    FileDeleted,
}

/// Lines of a file.
type Text = Arc<Vec<Vec<u8>>>;

/// The condition under which a dead line returns: a later hunk replaces the new lines with the old
/// ones.
#[derive(Debug, Clone)]
struct DeadLine {
    /// The first of the replacing lines, or the line before the gap.
    start: u32,
    length: u32,
    /// The lines that the hunk removed.
    old: Text,
    /// The position of the line in them.
    index: u32,
}

/// The lines of a block.
#[derive(Debug, Clone)]
pub(super) struct Strict {
    pub(super) lines: Vec<Fate>,
    ghosts: Vec<Option<DeadLine>>,
    /// The text and the lines of the file when it was removed.
    removed: Option<(Text, Vec<Fate>)>,
}

impl Strict {
    pub(super) fn new(start: u32, length: usize) -> Self {
        let length = u32::try_from(length).unwrap_or(0);
        let lines: Vec<Fate> = (start..start + length).map(Fate::Alive).collect();
        Self::of(lines)
    }

    /// Creates a trail from the fates of lines.
    pub(super) fn of(lines: Vec<Fate>) -> Self {
        Self { ghosts: vec![None; lines.len()], lines, removed: None }
    }

    /// Returns the first and the last line, if all are alive and consecutive.
    pub(super) fn whole(&self) -> Option<(u32, u32)> {
        let mut places =
            self.lines.iter().map(|fate| if let Fate::Alive(at) = fate { Some(*at) } else { None });
        let first = places.next()??;
        let mut last = first;
        for place in places {
            if place? != last + 1 {
                return None;
            }
            last += 1;
        }
        Some((first, last))
    }

    pub(super) fn all_alive(&self) -> bool {
        self.lines.iter().all(|fate| matches!(fate, Fate::Alive(_)))
    }
}

impl Trail for Strict {
    fn carry(&mut self, hunks: &[Hunk]) {
        // The texts of hunks that just killed a line, shared by their lines.
        let mut texts: Vec<(u32, Text)> = Vec::new();
        for (fate, ghost) in self.lines.iter_mut().zip(&mut self.ghosts) {
            let Fate::Alive(at) = *fate else {
                match ghost.take().map(|ghost| carried(ghost, hunks)) {
                    Some(After::Back(line)) => *fate = Fate::Alive(line),
                    Some(After::Waits(waiting)) => *ghost = Some(waiting),
                    Some(After::Never) | None => {}
                }
                continue;
            };
            let Some(hunk) = hunks.iter().find(|hunk| hunk.takes(at)) else {
                *fate = Fate::Alive(shifted(at, hunks));
                continue;
            };
            *fate = if hunk.new.is_empty() { Fate::Deleted } else { Fate::Rewritten };
            let old = match texts.iter().find(|(start, _)| *start == hunk.old_start) {
                Some((_, text)) => Arc::clone(text),
                None => {
                    let text = Arc::new(hunk.old.clone());
                    texts.push((hunk.old_start, Arc::clone(&text)));
                    text
                }
            };
            let (start, length) = (hunk.new_start, hunk.new_len());
            *ghost = Some(DeadLine { start, length, old, index: at - hunk.old_start });
        }
    }

    fn lose_file(&mut self, hunks: &[Hunk]) {
        if let [whole] = hunks {
            self.removed = Some((Arc::new(whole.old.clone()), self.lines.clone()));
        }
        self.ghosts.iter_mut().for_each(|ghost| *ghost = None);
        for fate in &mut self.lines {
            if matches!(fate, Fate::Alive(_)) {
                *fate = Fate::FileDeleted;
            }
        }
    }

    fn regain_file(&mut self, hunks: &[Hunk]) -> bool {
        let Some((text, lines)) = self.removed.take() else { return false };
        let same = matches!(hunks, [whole] if whole.new == *text);
        if same {
            self.lines = lines;
        }
        same
    }

    fn is_over(&self) -> bool {
        !self.lines.iter().any(|fate| matches!(fate, Fate::Alive(_)))
            && self.ghosts.iter().all(Option::is_none)
    }
}

enum After {
    Back(u32),
    Waits(DeadLine),
    Never,
}

/// Returns the effect of a step on a dead line.
fn carried(ghost: DeadLine, hunks: &[Hunk]) -> After {
    let there = |hunk: &&Hunk| hunk.old_start == ghost.start && hunk.old_len() == ghost.length;
    if let Some(hunk) = hunks.iter().find(there) {
        // Reverted, or changed again.
        return if hunk.new == *ghost.old { After::Back(hunk.new_start + ghost.index) } else { After::Never };
    }
    let last = ghost.start + ghost.length.max(2) - 1;
    let disturbs = |hunk: &Hunk| {
        let inserted = hunk.old.is_empty() && hunk.old_start >= ghost.start && hunk.old_start < last;
        inserted || (ghost.start..=last).any(|line| hunk.takes(line))
    };
    if hunks.iter().any(disturbs) {
        return After::Never;
    }
    After::Waits(DeadLine { start: shifted(ghost.start, hunks), ..ghost })
}

/// Returns the new number of a line that no hunk removes.
pub(super) fn shifted(line: u32, hunks: &[Hunk]) -> u32 {
    let before = hunks.iter().filter(|hunk| hunk.is_before(line));
    before.fold(line, |at, hunk| (at + hunk.new_len()).saturating_sub(hunk.old_len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(old_start: u32, old: usize, new_start: u32, new: usize) -> Hunk {
        Hunk { old_start, new_start, old: vec![Vec::new(); old], new: vec![Vec::new(); new] }
    }

    #[test]
    fn lines_shift_and_die() {
        let mut block = Strict::new(5, 3);
        block.carry(&[hunk(1, 0, 2, 2), hunk(8, 1, 10, 0)]);
        assert_eq!(block.whole(), Some((7, 9)));
        block.carry(&[hunk(8, 1, 8, 2)]);
        assert_eq!(block.lines, [Fate::Alive(7), Fate::Rewritten, Fate::Alive(10)]);
        block.carry(&[hunk(7, 1, 6, 0)]);
        assert_eq!(block.lines, [Fate::Deleted, Fate::Rewritten, Fate::Alive(9)]);
        block.lose_file(&[]);
        assert!(block.is_over());
    }

    fn texts(old_start: u32, old: &[&str], new_start: u32, new: &[&str]) -> Hunk {
        let lines = |all: &[&str]| all.iter().map(|line| line.as_bytes().to_vec()).collect();
        Hunk { old_start, new_start, old: lines(old), new: lines(new) }
    }

    #[test]
    fn what_is_taken_back_is_alive_again() {
        let mut block = Strict::new(5, 2);
        block.carry(&[texts(6, &["b"], 6, &["x", "y"])]);
        block.carry(&[texts(1, &[], 2, &["above"])]);
        assert!(!block.all_alive());
        let mut other = block.clone();
        block.carry(&[texts(7, &["x", "y"], 7, &["b"])]);
        assert_eq!(block.whole(), Some((6, 7)));
        other.carry(&[texts(7, &["x", "y"], 7, &["c"])]);
        other.carry(&[texts(7, &["c"], 7, &["b"])]);
        assert_eq!(other.lines, [Fate::Alive(6), Fate::Rewritten]);

        let mut gone = Strict::new(5, 2);
        gone.carry(&[texts(5, &["a", "b"], 4, &[])]);
        assert!(!gone.is_over());
        gone.carry(&[texts(4, &[], 5, &["a", "b"])]);
        assert_eq!(gone.whole(), Some((5, 6)));
    }

    #[test]
    fn a_file_that_comes_back_as_it_was_brings_its_lines() {
        let mut block = Strict::new(2, 1);
        block.lose_file(&[texts(1, &["a", "b"], 0, &[])]);
        let mut other = block.clone();
        assert!(block.is_over() && block.regain_file(&[texts(0, &[], 1, &["a", "b"])]));
        assert_eq!(block.whole(), Some((2, 2)));
        assert!(!other.regain_file(&[texts(0, &[], 1, &["a", "c"])]));
        assert_eq!(other.lines, [Fate::FileDeleted]);
    }

    #[test]
    fn lines_put_between_keep_all_alive() {
        let mut block = Strict::new(1, 2);
        block.carry(&[hunk(1, 0, 2, 1)]);
        assert!(block.all_alive() && block.whole().is_none());
    }
}
