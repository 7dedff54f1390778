//! Blocks that died where they stood and stand elsewhere byte for byte: `RELOCATED`. A copy that was there before and
//! belongs to itself does not count: copies are counted in each file, before and after.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;

use super::super::git::{Repository, lines};
use super::super::item::{Class, Item, Label};
use super::super::words;
use super::strict::Strict;
use super::{Paths, Window, words_are_dead};

/// Fewer words are found by chance.
const WORDS_MIN: usize = 8;
/// Larger files are not looked through.
const BYTES_MAX: u64 = 1 << 20;

/// A block's places in one file: how many, and the first.
#[derive(Debug, Default)]
struct Copies {
    count: usize,
    first: u32,
}

/// Gives the class to blocks whose words all died and of which a free copy stands somewhere.
pub(super) fn relocate(
    repository: &mut Repository,
    window: &Window,
    items: &[Item],
    trails: &[Strict],
    labels: &mut [Label],
    paths: Paths,
) -> Result<()> {
    let mut wanted = Vec::new();
    for (which, item) in items.iter().enumerate() {
        let (Some(label), Some(trail)) = (labels.get(which), trails.get(which)) else { continue };
        let absent = label.class.present() == Some(false);
        if absent && item.words >= WORDS_MIN && words_are_dead(item, trail) {
            wanted.push(which);
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let first = paths.into_first();
    let found = copies(repository, window, items, &wanted)?;
    let mut before: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
    for ((which, path), copies) in found {
        let (Some(item), Some(label)) = (items.get(which), labels.get_mut(which)) else { continue };
        let origin = first.get(&path);
        let mut taken = 0;
        if let Some(file) = origin.and_then(|origin| window.tree_from.get(origin)) {
            let text = match before.get(&file.id) {
                Some(text) => text,
                None => before.entry(file.id.clone()).or_insert(read(repository, &file.id)?),
            };
            taken = count(text, &item.lines);
            if origin == Some(&item.path) {
                // The cited one itself, which died.
                taken = taken.saturating_sub(1);
            }
        }
        if copies.count > taken && label.class != Class::Relocated {
            let last = copies.first + item.end() - item.start;
            label.renamed = path != item.path;
            label.class = Class::Relocated;
            label.at = Some((path, copies.first, last));
        }
    }
    Ok(())
}

fn read(repository: &mut Repository, id: &str) -> Result<Vec<Vec<u8>>> {
    let bytes = repository.read(id)?.unwrap_or_default();
    Ok(lines(&bytes).into_iter().map(<[u8]>::to_vec).collect())
}

fn count(text: &[Vec<u8>], block: &[Vec<u8>]) -> usize {
    text.windows(block.len().max(1)).filter(|there| *there == block).count()
}

/// All copies at the second revision, in order of block and path.
fn copies(
    repository: &mut Repository,
    window: &Window,
    items: &[Item],
    wanted: &[usize],
) -> Result<BTreeMap<(usize, String), Copies>> {
    // Blocks by their line with the most words, the rarest there is, and its place in the block.
    let mut by_line: HashMap<&[u8], Vec<(usize, usize)>> = HashMap::new();
    for which in wanted {
        let Some(item) = items.get(*which) else { continue };
        let telling =
            item.lines.iter().enumerate().max_by_key(|(at, line)| (words::count(line), usize::MAX - at));
        if let Some((at, line)) = telling {
            by_line.entry(line).or_default().push((*which, at));
        }
    }
    let mut found: BTreeMap<(usize, String), Copies> = BTreeMap::new();
    for (path, file) in &window.tree_to {
        if file.bytes > BYTES_MAX {
            continue;
        }
        let Some(bytes) = repository.read(&file.id)? else { continue };
        let text = lines(&bytes);
        for (here, line) in text.iter().enumerate() {
            for (which, at) in by_line.get(line).into_iter().flatten() {
                let (Some(item), Some(begin)) = (items.get(*which), here.checked_sub(*at)) else { continue };
                let there = text.get(begin..begin + item.lines.len());
                if there.is_some_and(|there| there.iter().zip(&item.lines).all(|(a, b)| a == b)) {
                    let copies = found.entry((*which, path.clone())).or_default();
                    copies.count += 1;
                    if copies.count == 1 {
                        copies.first = u32::try_from(begin + 1).unwrap_or(u32::MAX);
                    }
                }
            }
        }
    }
    Ok(found)
}
