//! The code locations that facts cite: ranges of lines that occur once in the whole tree and have
//! enough content. No server here.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::seeded_random::Seeded;

/// Lines of a file, counted from one, including the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CitedLineRange {
    pub(super) path: String,
    pub(super) first: usize,
    pub(super) last: usize,
    /// One of the lines, which becomes the subject of the fact.
    line: String,
}

/// The files that facts may cite, and a sequence of locations in them.
pub(super) struct Places {
    files: Vec<(String, Vec<String>)>,
    /// Lines that occur more than once.
    common: BTreeSet<String>,
    seeded: Seeded,
    taken: BTreeSet<(String, usize)>,
}

const FILE_LINES: std::ops::Range<usize> = 60..4_000;
const PLACE_LINES: usize = 5;
/// The minimum number of letters and digits in each line.
const LINE_SIGNS_MIN: usize = 6;
const TRIES_MAX: usize = 100_000;
/// The number of attempts after which a location may repeat, or lie in a file that was already
/// selected.
const TRIES_APART: usize = 300;

impl Places {
    pub(super) fn of(files: &BTreeMap<String, Vec<String>>, seed: u64) -> Result<Self> {
        let (mut seen, mut common) = (BTreeSet::new(), BTreeSet::new());
        for line in files.values().flatten() {
            if !seen.insert(line.trim()) {
                common.insert(line.trim().to_owned());
            }
        }
        let files: Vec<_> = files
            .iter()
            .filter(|(_, lines)| FILE_LINES.contains(&lines.len()))
            .map(|(path, lines)| (path.clone(), lines.clone()))
            .collect();
        ensure!(!files.is_empty(), "no text file of 60 to 4,000 lines in this repository");
        Ok(Self { files, common, seeded: Seeded::new(seed), taken: BTreeSet::new() })
    }

    /// Returns `count` locations, in different files and not returned before, as long as there are
    /// others.
    pub(super) fn some(&mut self, count: usize) -> Result<Vec<CitedLineRange>> {
        let mut places: Vec<CitedLineRange> = Vec::new();
        for attempt in 0..TRIES_MAX {
            let Some((path, lines)) = self.seeded.pick(&self.files) else { break };
            let first = usize::try_from(self.seeded.below(u64::try_from(lines.len() - PLACE_LINES)?))?;
            let Some(cited) = lines.get(first..first + PLACE_LINES) else { continue };
            let is_own =
                cited.iter().all(|line| signs(line) >= LINE_SIGNS_MIN && !self.common.contains(line.trim()));
            // A small repository has fewer locations than a benchmark may need.
            let is_new = attempt > TRIES_APART || !self.taken.contains(&(path.clone(), first));
            let is_apart = places.iter().all(|place| place.path != *path || attempt > TRIES_APART);
            if !is_own || !is_new || !is_apart {
                continue;
            }
            let line = cited.iter().max_by_key(|line| signs(line)).cloned().unwrap_or_default();
            places.push(CitedLineRange {
                path: path.clone(),
                first: first + 1,
                last: first + PLACE_LINES,
                line,
            });
            if places.len() == count {
                self.taken.extend(places.iter().map(|place| (place.path.clone(), place.first - 1)));
                return Ok(places);
            }
        }
        anyhow::bail!("this repository has too few places of {PLACE_LINES} lines that stand once")
    }
}

impl CitedLineRange {
    pub(super) fn citation(&self) -> Value {
        json!({"path": self.path, "line_start": self.first, "line_end": self.last})
    }

    /// Returns a fact about the location that is unlike every other fact.
    pub(super) fn fact(&self, number: u64) -> String {
        let words: String =
            self.line.chars().map(|sign| if sign.is_alphanumeric() { sign } else { ' ' }).collect();
        let words: Vec<_> = words.split_whitespace().take(8).collect();
        format!("Part {number} rests on {} in {}.", words.join(" "), self.path)
    }
}

fn signs(line: &str) -> usize {
    line.chars().filter(|sign| sign.is_alphanumeric()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stand_once_and_do_not_repeat() {
        let lines =
            |name: &str| (0..80).map(|line| format!("let {name}_{line} = compute({line});")).collect();
        let mut files: BTreeMap<String, Vec<String>> =
            ["a", "b", "c"].map(|name| (format!("{name}.rs"), lines(name))).into();
        files.insert("copy.rs".to_owned(), lines("c"));
        let mut places = Places::of(&files, 7).unwrap();
        let mut all = Vec::new();
        for _ in 0..20 {
            let two = places.some(2).unwrap();
            assert_ne!(two[0].path, two[1].path);
            all.extend(two);
        }
        assert!(all.iter().all(|place| place.path == "a.rs" || place.path == "b.rs"), "c stands twice");
        let apart: BTreeSet<_> = all.iter().map(|place| (place.path.clone(), place.first)).collect();
        assert_eq!(apart.len(), all.len());
        assert!(Places::of(&BTreeMap::new(), 1).is_err());
    }
}
