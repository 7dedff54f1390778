//! A sample of hard labels for human readers: edited and split blocks, before and after, without
//! the verifier's verdict.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

use super::git::{Repository, lines};
use super::item::{Class, Item, Label};
use super::tracer::Window;

/// Lines of the new text that are shown around the position.
const AROUND: usize = 6;

/// Writes at most `wanted` items for reading, with space for a decision. Each class gets about
/// half, or more if the other has too few.
pub(super) fn write(
    file: &Path,
    wanted: usize,
    repository: &mut Repository,
    window: &Window,
    items: &[Item],
    labels: &[Label],
) -> Result<usize> {
    let of =
        |class| items.iter().zip(labels).filter(move |(_, label)| label.class == class).collect::<Vec<_>>();
    let (edited, split) = (of(Class::Edited), of(Class::Split));
    let of_split = split.len().min(wanted.div_ceil(2));
    let of_edited = edited.len().min(wanted - of_split);
    let chosen = edited.iter().take(of_edited).chain(split.iter().take(wanted - of_edited));
    let mut text = format!("# {} .. {}\n", window.from, window.to);
    let mut count = 0;
    for (item, label) in chosen {
        count += 1;
        write!(text, "\n## {count}. {} {}-{}\n\nBefore:\n\n", item.path, item.start, item.end())?;
        item.lines.iter().try_for_each(|line| writeln!(text, "    {}", String::from_utf8_lossy(line)))?;
        text.push_str("\nAfter, about there:\n\n");
        let path = label.at.as_ref().map_or(&item.path, |(path, _, _)| path);
        let first = label.at.as_ref().map_or(item.start, |(_, first, _)| *first);
        let bytes = match window.tree_to.get(path) {
            Some(file) => repository.read(&file.id)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let from = usize::try_from(first).unwrap_or(1).saturating_sub(AROUND + 1);
        for line in lines(&bytes).into_iter().skip(from).take(item.lines.len() + 2 * AROUND) {
            writeln!(text, "    {}", String::from_utf8_lossy(line))?;
        }
        write!(text, "\nTracer: {}. Reader: present / absent / cannot say\n", label.class.name())?;
    }
    std::fs::write(file, text).with_context(|| format!("writing {}", file.display()))?;
    Ok(count)
}
