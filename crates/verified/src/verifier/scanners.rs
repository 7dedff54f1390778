//! The scanners of the verifier, which read foreign files and patterns in full.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use super::claims::claim_scanners;
use super::lines::file_lines::FileLines;
use super::lines::line_diff::LineMap;
use super::lines::line_hash::line_hash;
use super::statements::statement::Statement;
use super::statements::support;

/// The scanners.
pub(crate) const SCANNERS: &[Scanner] = &[
    Scanner::new("lines of a file", |text| {
        black_box(FileLines::parse(text.as_bytes()).is_ok());
    }),
    Scanner::new("a statement", |text| {
        black_box(Statement::of(text).is_empty());
    }),
    Scanner::new("values of a statement", support::scanned::statement),
    Scanner::new("lines with values", support::scanned::lines),
    Scanner::new("config values in YAML", |text| claim_scanners::config("a.yaml", text)),
    Scanner::new("config values in TOML", |text| claim_scanners::config("a.toml", text)),
    Scanner::new("config values in JSON", |text| claim_scanners::config("a.json", text)),
    Scanner::new("patterns of claims", claim_scanners::pattern),
    Scanner::new("lines compared", |text| {
        let old: Vec<u64> = text.lines().map(|line| line_hash(line.as_bytes())).collect();
        let new: Vec<u64> = old.iter().rev().copied().collect();
        black_box(LineMap::between(&old, &new).kept_share());
    }),
    Scanner::new("lines compared, each unique when the next is gone", |text| {
        let (old, new) = one_after_another(40 + text.len() as u64 / 10);
        black_box(LineMap::between(&old, &new).kept_share());
    }),
];

/// Returns files in which only one line is unique in both. Without the lines after it, the next
/// line becomes unique.
fn one_after_another(count: u64) -> (Vec<u64>, Vec<u64>) {
    let levels = || (1..=count).rev();
    let old = levels().flat_map(|level| [3 * level, 3 * (level + 1), 3 * level + 1]).collect();
    let new = levels().flat_map(|level| [3 * level, 3 * level + 2]).collect();
    (old, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_of_one_line_each_end_within_their_budget() {
        let (old, new) = one_after_another(10);
        assert!(LineMap::between(&old, &new).get(3).is_some(), "every line is found while there is room");
        let (old, new) = one_after_another(100_000);
        let map = LineMap::between(&old, &new);
        assert!(map.get(old.len() - 3).is_some(), "what is last is found first");
        assert_eq!(map.get(3), None, "what is beyond the budget is left as rewritten");
    }
}
