//! Finds blocks that died at their place and exist elsewhere: `RELOCATED`. White space does not
//! count, as in `REFORMATTED`. A block of few words is searched together with lines around it:
//! `SHORT_COPY`. It may be the block that died or a similar one, and the tracer cannot distinguish
//! them. A copy that existed before does not count, so copies are counted in each file, before and
//! after.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use anyhow::Result;

use super::super::git::{Repository, is_blank, lines};
use super::super::item::{Class, Item, Label};
use super::super::words;
use super::strict_trail::Strict;
use super::{Paths, Window, words_are_dead};

/// The minimum number of words. Fewer are found by chance.
const WORDS_MIN: usize = 8;
/// The maximum size in bytes of files that are searched.
const BYTES_MAX: u64 = 1 << 20;

/// The lines of a file that are not blank, without white space.
struct Text {
    lines: Vec<Vec<u8>>,
    words: Vec<usize>,
    /// The numbers of the lines in the file.
    numbers: Vec<u32>,
}

impl Text {
    fn of(bytes: &[u8]) -> Self {
        let mut text = Self { lines: Vec::new(), words: Vec::new(), numbers: Vec::new() };
        for (number, line) in (1..).zip(lines(bytes)).filter(|(_, line)| !is_blank(line)) {
            text.lines.push(line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect());
            text.words.push(words::count(line));
            text.numbers.push(number);
        }
        text
    }

    fn read(repository: &mut Repository, id: &str) -> Result<Self> {
        Ok(Self::of(&repository.read(id)?.unwrap_or_default()))
    }

    fn range(&self, item: &Item) -> Range<usize> {
        let at = |line: u32| self.numbers.partition_point(|number| *number < line);
        at(item.start)..at(item.end() + 1)
    }

    fn words(&self, range: &Range<usize>) -> usize {
        self.words.get(range.clone()).unwrap_or_default().iter().sum()
    }

    /// Widens a range with lines above, below, or both alternately, until there are enough words.
    fn widened(&self, mut range: Range<usize>, above: bool, below: bool) -> Option<Range<usize>> {
        let mut up = above;
        while self.words(&range) < WORDS_MIN {
            let (can_above, can_below) = (above && range.start > 0, below && range.end < self.lines.len());
            match (can_above, can_below) {
                (false, false) => return None,
                (true, false) => range.start -= 1,
                (false, true) => range.end += 1,
                (true, true) if up => range.start -= 1,
                (true, true) => range.end += 1,
            }
            up = !up;
        }
        Some(range)
    }

    fn count(&self, block: &[Vec<u8>]) -> usize {
        self.lines.windows(block.len().max(1)).filter(|there| *there == block).count()
    }
}

/// A block to search for an item: the item alone, or with neighbouring lines.
#[derive(Debug, PartialEq, Eq)]
struct SoughtBlock {
    which: usize,
    block: Vec<Vec<u8>>,
    /// The lines of the item in the block.
    own: Range<usize>,
    /// The index of the line with the most words, which is the least frequent one.
    telling: usize,
}

/// The copies of a block in one file: their number, and the first and last line of the item in the
/// first copy.
#[derive(Debug, Default)]
struct Copies {
    count: usize,
    first: (u32, u32),
}

/// Assigns the class to blocks whose words all died and of which a new copy exists.
pub(super) fn relocate(
    repository: &mut Repository,
    window: &Window,
    items: &[Item],
    trails: &[Strict],
    labels: &mut [Label],
    paths: Paths,
) -> Result<()> {
    let mut before: HashMap<String, Text> = HashMap::new();
    let mut wanted = Vec::new();
    for (which, item) in items.iter().enumerate() {
        let (Some(label), Some(trail)) = (labels.get(which), trails.get(which)) else { continue };
        let Some(file) = window.tree_from.get(&item.path) else { continue };
        if label.class.present() == Some(false) && words_are_dead(item, trail) {
            let text = kept(repository, &mut before, &file.id)?;
            wanted.extend(forms(which, text, text.range(item)));
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let first = paths.into_first();
    for ((at, path), copies) in copies(repository, window, &wanted)? {
        let Some(SoughtBlock { which, block, own, .. }) = wanted.get(at) else { continue };
        let (Some(item), Some(label)) = (items.get(*which), labels.get_mut(*which)) else { continue };
        let origin = first.get(&path);
        let mut taken = 0;
        if let Some(file) = origin.and_then(|origin| window.tree_from.get(origin)) {
            taken = kept(repository, &mut before, &file.id)?.count(block);
            if origin == Some(&item.path) {
                // The cited block itself, which died.
                taken = taken.saturating_sub(1);
            }
        }
        if copies.count > taken && label.class.present() == Some(false) {
            label.renamed = path != item.path;
            label.class = if own.len() == block.len() { Class::Relocated } else { Class::ShortCopy };
            label.at = Some((path, copies.first.0, copies.first.1));
        }
    }
    Ok(())
}

fn kept<'a>(
    repository: &mut Repository,
    before: &'a mut HashMap<String, Text>,
    id: &str,
) -> Result<&'a Text> {
    if !before.contains_key(id) {
        before.insert(id.to_owned(), Text::read(repository, id)?);
    }
    Ok(before.entry(id.to_owned()).or_insert_with(|| Text::of(b"")))
}

/// Returns the block if it has enough words. Otherwise it returns the block with neighbours on both
/// sides and on either side, because the block may be at the edge of the moved text.
fn forms(which: usize, text: &Text, own: Range<usize>) -> Vec<SoughtBlock> {
    let mut all: Vec<SoughtBlock> = Vec::new();
    for (above, below) in [(true, true), (true, false), (false, true)] {
        let Some(range) = text.widened(own.clone(), above, below) else { continue };
        let block = text.lines.get(range.clone()).unwrap_or_default().to_vec();
        let words = text.words.get(range.clone()).unwrap_or_default();
        let telling = words.iter().enumerate().max_by_key(|(at, words)| (**words, usize::MAX - at));
        let own = own.start - range.start..own.end - range.start;
        let form = SoughtBlock { which, block, own, telling: telling.map_or(0, |(at, _)| at) };
        if !all.contains(&form) {
            all.push(form);
        }
    }
    all
}

/// Returns all copies at the second revision, in order of block and path.
fn copies(
    repository: &mut Repository,
    window: &Window,
    wanted: &[SoughtBlock],
) -> Result<BTreeMap<(usize, String), Copies>> {
    let mut by_line: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, form) in wanted.iter().enumerate() {
        if let Some(line) = form.block.get(form.telling) {
            by_line.entry(line).or_default().push(at);
        }
    }
    let mut found: BTreeMap<(usize, String), Copies> = BTreeMap::new();
    for (path, file) in window.tree_to.iter().filter(|(_, file)| file.bytes <= BYTES_MAX) {
        let text = Text::read(repository, &file.id)?;
        for (here, line) in text.lines.iter().enumerate() {
            for at in by_line.get(line.as_slice()).into_iter().flatten() {
                let Some(form) = wanted.get(*at) else { continue };
                let Some(begin) = here.checked_sub(form.telling) else { continue };
                if text.lines.get(begin..begin + form.block.len()) != Some(form.block.as_slice()) {
                    continue;
                }
                let number = |line: usize| text.numbers.get(begin + line).copied().unwrap_or(0);
                let copies = found.entry((*at, path.clone())).or_default();
                copies.count += 1;
                if copies.count == 1 {
                    copies.first = (number(form.own.start), number(form.own.end.saturating_sub(1)));
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"alpha beta gamma\n\n  delta epsilon\nshort\nzeta eta_ theta iota_\nkappa lambda nu_\n";

    fn shown(forms: &[SoughtBlock]) -> Vec<(Vec<String>, Range<usize>)> {
        let line = |line: &Vec<u8>| String::from_utf8_lossy(line).into_owned();
        forms.iter().map(|form| (form.block.iter().map(line).collect(), form.own.clone())).collect()
    }

    #[test]
    fn a_block_of_few_words_is_looked_for_with_its_neighbours() {
        let text = Text::of(TEXT);
        assert_eq!(text.numbers, [1, 3, 4, 5, 6]);
        let [a, b, c, d, e] =
            ["alphabetagamma", "deltaepsilon", "short", "zetaeta_thetaiota_", "kappalambdanu_"]
                .map(str::to_owned);
        let forms = shown(&forms(0, &text, 2..3));
        assert_eq!(forms[0], (vec![a.clone(), b.clone(), c.clone(), d.clone()], 2..3));
        assert_eq!(forms[1], (vec![c, d, e], 0..1), "above there are too few");
        assert_eq!(forms.len(), 2);
    }

    #[test]
    fn a_block_of_many_words_stands_for_itself() {
        let text = Text::of(TEXT);
        let alone = forms(3, &text, 0..5);
        assert_eq!((alone.len(), alone[0].own.clone(), alone[0].telling), (1, 0..5, 3));
        assert_eq!(text.count(&alone[0].block), 1);
    }
}
