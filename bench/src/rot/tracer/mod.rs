//! The tracer: determines the fate of each cited block, by following every line through every step
//! of the first-parent history. It is independent of the verifier: it reads and normalises text
//! with its own code.

mod loose_trail;
mod missing_contents;
mod relocation;
mod second_opinion;
mod steps;
mod strict_trail;
mod walk;

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, Result, anyhow};

use super::git::{Repository, Tree, is_blank, lines};
use super::item::{Class, Item, Label};
use super::words;
use loose_trail::Loose;
pub(super) use missing_contents::holes;
pub(super) use second_opinion::second_opinion;
use steps::Span;
use strict_trail::{Fate, Strict};
use walk::{Paths, walk};

/// Two revisions and their trees.
pub(super) struct Window {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) tree_from: Tree,
    pub(super) tree_to: Tree,
    /// Paths that the commits have but the trees lack, because their blobs are not in this clone.
    pub(super) left_out: BTreeSet<String>,
}

/// Returns the label of every item, in their order.
///
/// # Errors
/// Errors if the history cannot be read.
pub(super) fn labels(repository: &mut Repository, window: &Window, items: &[Item]) -> Result<Vec<Label>> {
    let at: Vec<&str> = items.iter().map(|item| item.path.as_str()).collect();
    let mut strict: Vec<Strict> =
        items.iter().map(|item| Strict::new(item.start, item.lines.len())).collect();
    let mut loose: Vec<Loose> = items.iter().map(|item| Loose::new(item.start, &item.lines)).collect();
    let folder = repository.folder().to_owned();
    let (from, to, left_out) = (&window.from, &window.to, &window.left_out);
    let span = |loose| Span { folder: &folder, from, to, left_out, loose };
    let files = || window.tree_from.keys().cloned();
    let (paths, loose_paths) = std::thread::scope(|scope| {
        let other = scope.spawn(|| walk(&span(true), &mut loose, &at, files()));
        let one = walk(&span(false), &mut strict, &at, files());
        (one, other.join().unwrap_or_else(|_| Err(anyhow!("the loose walk broke off"))))
    });
    let (paths, loose_paths) = (paths?, loose_paths?);
    let mut texts = Texts { repository, tree: &window.tree_to, kept: HashMap::new() };
    let mut judged = Vec::with_capacity(items.len());
    let (now, loose_now) = (paths.now(items.len()), loose_paths.now(items.len()));
    for (which, item) in items.iter().enumerate() {
        let strict = strict.get(which).context("a strict trail each")?;
        let loose = loose.get(which).context("a loose trail each")?;
        let path = |now: &[Option<String>]| now.get(which).cloned().flatten();
        judged.push(label(item, strict, loose, (path(&now), path(&loose_now)), &mut texts)?);
    }
    relocation::relocate(repository, window, items, &strict, &mut judged, paths)?;
    Ok(judged)
}

fn label(
    item: &Item,
    strict: &Strict,
    loose: &Loose,
    (path, loose_path): (Option<String>, Option<String>),
    texts: &mut Texts<'_>,
) -> Result<Label> {
    let all_alive = strict.all_alive();
    let result = |class, at: Option<(String, u32, u32)>| {
        let renamed = at.as_ref().is_some_and(|(path, _, _)| *path != item.path);
        Label { class, renamed, all_alive, at }
    };
    if let (Some((first, last)), Some(path)) = (strict.whole(), path.clone()) {
        if !texts.same(&path, first, &item.lines)? {
            return Ok(result(Class::Trackerr, Some((path, first, last))));
        }
        return Ok(result(whole(item, &path, first), Some((path, first, last))));
    }
    if let (Some(first), Some(path)) = (settled(item, strict), path)
        && texts.same(&path, first, &item.lines)?
    {
        let last = first + item.end() - item.start;
        return Ok(result(whole(item, &path, first), Some((path, first, last))));
    }
    if let (Some(spans), Some(path)) = (loose.in_order(), loose_path)
        && let (Some(first), Some(last)) = (spans.first(), spans.last())
    {
        let joined = texts.joined(&path, &spans)?;
        let class = if joined { Class::Reformatted } else { Class::Split };
        return Ok(result(class, Some((path, first.0, last.1))));
    }
    if loose.all_alive() || all_alive {
        return Ok(result(Class::Split, None));
    }
    let some_alive = loose.spans.iter().any(Option::is_some) || has_alive_line(item, strict);
    Ok(result(if some_alive { Class::Edited } else { death(strict) }, None))
}

fn whole(item: &Item, path: &str, first: u32) -> Class {
    match (path == item.path, first == item.start) {
        (true, true) => Class::Unchanged,
        (true, false) => Class::Shifted,
        (false, _) => Class::Renamed,
    }
}

/// Returns the first line of the block if every line with a word is alive and all kept their
/// distances. A diff may confuse the bracket before or after them with a similar one. That does not
/// kill the block if it is complete there.
fn settled(item: &Item, strict: &Strict) -> Option<u32> {
    let mut first = None;
    for ((place, fate), line) in (0u32..).zip(&strict.lines).zip(&item.lines) {
        let begin = match fate {
            Fate::Alive(at) => Some(at.checked_sub(place)?),
            Fate::Deleted | Fate::Rewritten | Fate::FileDeleted => None,
        };
        match (begin, first) {
            (None, _) if words::count(line) > 0 => return None,
            (Some(begin), Some(first)) if begin != first && words::count(line) > 0 => return None,
            (Some(begin), None) if words::count(line) > 0 => first = Some(begin),
            (Some(_) | None, _) => {}
        }
    }
    first
}

/// Returns true if a line that is not blank is alive.
fn has_alive_line(item: &Item, strict: &Strict) -> bool {
    let alive = strict.lines.iter().zip(&item.lines).filter(|(fate, _)| matches!(fate, Fate::Alive(_)));
    alive.into_iter().any(|(_, line)| !is_blank(line))
}

fn death(strict: &Strict) -> Class {
    let has = |fate| strict.lines.contains(&fate);
    if has(Fate::FileDeleted) {
        Class::FileDeleted
    } else if has(Fate::Rewritten) {
        Class::Rewritten
    } else {
        Class::Deleted
    }
}

/// Texts of the second revision.
struct Texts<'a> {
    repository: &'a mut Repository,
    tree: &'a Tree,
    kept: HashMap<String, Vec<Vec<u8>>>,
}

impl Texts<'_> {
    fn of(&mut self, path: &str) -> Result<&[Vec<u8>]> {
        if !self.kept.contains_key(path) {
            let bytes = match self.tree.get(path) {
                Some(file) => self.repository.read(&file.id)?.unwrap_or_default(),
                None => Vec::new(),
            };
            let text = lines(&bytes).into_iter().map(<[u8]>::to_vec).collect();
            self.kept.insert(path.to_owned(), text);
        }
        Ok(self.kept.get(path).map(Vec::as_slice).unwrap_or_default())
    }

    /// Checks that the block exists there byte for byte.
    fn same(&mut self, path: &str, first: u32, block: &[Vec<u8>]) -> Result<bool> {
        let from = usize::try_from(first).unwrap_or(0).saturating_sub(1);
        Ok(self.of(path)?.get(from..from + block.len()).is_some_and(|there| there == block))
    }

    /// Returns true if only blank lines are between the spans.
    fn joined(&mut self, path: &str, spans: &[(u32, u32)]) -> Result<bool> {
        let text = self.of(path)?;
        Ok(spans.windows(2).all(|pair| {
            let [before, after] = pair else { return true };
            let from = usize::try_from(before.1).unwrap_or(0);
            let to = usize::try_from(after.0).unwrap_or(0).saturating_sub(1);
            from >= to || text.get(from..to).is_some_and(|gap| gap.iter().all(|line| is_blank(line)))
        }))
    }
}

/// Returns true if every line that contains a word is dead. Only brackets remain, which any block
/// has.
fn words_are_dead(item: &Item, strict: &Strict) -> bool {
    let alive = strict.lines.iter().zip(&item.lines).filter(|(fate, _)| matches!(fate, Fate::Alive(_)));
    alive.into_iter().all(|(_, line)| words::count(line) == 0)
}

#[cfg(test)]
mod tests {
    use super::super::item::Stratum;
    use super::*;

    fn item(lines: &[&str]) -> Item {
        let lines: Vec<Vec<u8>> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        Item { path: "a".into(), start: 5, words: words::of_lines(&lines), lines, stratum: Stratum::Code }
    }

    #[test]
    fn a_bracket_taken_for_another_moves_nothing() {
        let block = item(&["}", "", "fn name() {"]);
        let strict = |lines: &[Fate]| Strict::of(lines.to_vec());
        let check = |lines: &[Fate], expect| assert_eq!(settled(&block, &strict(lines)), expect, "{lines:?}");
        check(&[Fate::Deleted, Fate::Deleted, Fate::Alive(9)], Some(7));
        check(&[Fate::Alive(3), Fate::Alive(8), Fate::Alive(9)], Some(7));
        check(&[Fate::Alive(7), Fate::Alive(8), Fate::Rewritten], None);
        check(&[Fate::FileDeleted, Fate::FileDeleted, Fate::FileDeleted], None);
        assert!(words_are_dead(&block, &strict(&[Fate::Alive(7), Fate::Alive(8), Fate::Deleted])));
        assert!(!words_are_dead(&block, &strict(&[Fate::Deleted, Fate::Deleted, Fate::Alive(9)])));
    }
}
