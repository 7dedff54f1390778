//! A second opinion on labels, by `git blame --reverse`, which follows lines by another algorithm,
//! file by file. It determines only if every line of a block still exists.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::Result;

use super::super::git::Repository;
use super::super::item::{Class, Item, Label};
use super::Window;
use crate::seeded_random::Seeded;

/// The inverse of the minimum share of checked items.
const SHARE: usize = 10;

/// Returns the checked items, with true if blame agrees.
pub(in crate::rot) fn second_opinion(
    repository: &Repository,
    window: &Window,
    items: &[Item],
    labels: &[Label],
    rng: u64,
) -> Result<BTreeMap<usize, bool>> {
    let mut by_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for which in chosen(items.len(), rng) {
        let usable = labels.get(which).is_some_and(|label| label.class != Class::Trackerr);
        if let Some(item) = items.get(which).filter(|_| usable) {
            by_path.entry(item.path.as_str()).or_default().push(which);
        }
    }
    let mut agree = BTreeMap::new();
    for (path, here) in by_path {
        let ranges: Vec<(u32, u32)> =
            here.iter().filter_map(|which| items.get(*which)).map(|item| (item.start, item.end())).collect();
        let alive = alive(repository, window, path, &ranges)?;
        for which in here {
            let (Some(item), Some(label)) = (items.get(which), labels.get(which)) else { continue };
            let all = (item.start..=item.end()).all(|line| alive.get(&line) == Some(&true));
            agree.insert(which, all == label.all_alive);
        }
    }
    Ok(agree)
}

/// Selects a tenth of the items, rounded up, by the seed.
fn chosen(items: usize, rng: u64) -> BTreeSet<usize> {
    let wanted = items.div_ceil(SHARE);
    let mut seeded = Seeded::new(rng ^ 0x5851_f42d_4c95_7f2d);
    let mut all = BTreeSet::new();
    while all.len() < wanted {
        all.insert(usize::try_from(seeded.below(u64::try_from(items).unwrap_or(1))).unwrap_or(0));
    }
    all
}

/// Returns the lines of a file at the first revision, with true if they exist at the second.
fn alive(
    repository: &Repository,
    window: &Window,
    path: &str,
    ranges: &[(u32, u32)],
) -> Result<HashMap<u32, bool>> {
    let mut arguments = ["blame", "--reverse", "--first-parent", "--porcelain"].map(str::to_owned).to_vec();
    for (start, end) in ranges {
        arguments.push(format!("-L{start},{end}"));
    }
    arguments.extend([format!("{}..{}", window.from, window.to), "--".to_owned(), path.to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let said = repository.git(&arguments)?;
    let mut all = HashMap::new();
    for line in said.split(|byte| *byte == b'\n') {
        // `<commit> <line there> <line here> [<lines in the group>]`
        let text = String::from_utf8_lossy(line);
        let mut fields = text.split(' ');
        let (Some(commit), Some(_), Some(here)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let is_commit = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(here) = here.parse().ok().filter(|_| is_commit) {
            all.insert(here, commit == window.to);
        }
    }
    Ok(all)
}
