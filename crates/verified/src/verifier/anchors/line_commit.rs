//! Finds the commit that introduced lines which were cited from a working tree before they were
//! committed. From then on they have a regular anchor. An unknown or uncommitted origin yields
//! none.

use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::code::{ObjectId, Revision};
use loci_model::facts::verdict::{CitationVerdict, CommittedLines, Verdict};
use loci_model::tasks::code_history::HistoryAsk;

use crate::verifier::session::verifier::Verifier;

/// The number of commits that are searched for the one that introduced some lines. For older lines
/// the earliest commit read is used.
const COMMITS_MAX: usize = 200;

impl Verifier<'_> {
    /// Returns the first commit with the lines at the cited path, between the commit on which they
    /// were cited and this verifier's.
    pub fn committed(&self, citation: &Citation, verdict: &CitationVerdict) -> Option<CommittedLines> {
        let is_wanted = citation.anchor.is_uncommitted && verdict.verdict == Verdict::Valid;
        let head = self.revision().commit().filter(|_| is_wanted)?;
        let mut brought = self.lines_at(citation, head)?;
        let since = citation.anchor.commit;
        let ask = HistoryAsk { tip: head, without: since, commits_max: COMMITS_MAX, span_s: None };
        let Ok(Some(history)) = self.source.history(&ask) else { return Some(brought) };
        let parent_of = |commit: ObjectId| {
            let found = history.commits.iter().find(|one| one.id == commit)?;
            found.parents.first().copied().filter(|parent| Some(*parent) != since)
        };
        while let Some(earlier) = parent_of(brought.commit).and_then(|parent| self.lines_at(citation, parent))
        {
            brought = earlier;
        }
        Some(brought)
    }

    /// Returns the cited lines at a commit, under the cited path.
    fn lines_at(&self, citation: &Citation, commit: ObjectId) -> Option<CommittedLines> {
        let (anchor, path) = (&citation.anchor, &citation.anchor.place.path);
        let entry = self.source.entry(&Revision::Commit(commit), path).ok().flatten()?;
        let file = self.blob(entry.id).ok()?;
        let count = anchor.line_hashes.len();
        let at = file.between(anchor.place.line_start, anchor.place.line_end).start;
        let is_there =
            |from: &usize| file.hashes().get(*from..*from + count) == Some(anchor.line_hashes.as_slice());
        if count == 0 {
            return None;
        }
        // The lines count at their place, or elsewhere if they occur there only once. Several
        // occurrences are ambiguous.
        let mut elsewhere = (0..file.len()).filter(is_there);
        let from = match is_there(&at) {
            true => at,
            false => elsewhere.next().filter(|_| elsewhere.next().is_none())?,
        };
        let place = LineRange {
            path: path.clone(),
            line_start: file.number(from)?,
            line_end: file.number(from + count - 1)?,
        };
        let place = if from == at { anchor.place.clone() } else { place };
        Some(CommittedLines { commit, blob: entry.id, place })
    }
}

#[cfg(test)]
mod tests {
    use loci_model::facts::citation::Anchor;
    use loci_testkit_ports::{CodeHistory, ManualClock};

    use super::*;
    use crate::verifier::{LineCache, VerifierLimits};

    const PATH: &str = "src/cart.rs";
    const BLOCK: &str = "    if self.items.len() >= MAX_ITEMS {\n        return Err(CartFull);\n    }\n";

    /// Returns the place in a committed text where lines 2 to 4, cited before the commit, are
    /// found.
    fn found(committed: &str) -> Option<(u32, u32)> {
        let mut history = CodeHistory::new();
        let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
        let place = LineRange { path: PATH.to_owned(), line_start: 2, line_end: 4 };
        history.commit(&[(PATH, &format!("fn add() {{\n{BLOCK}}}\n"))]);
        let at = |history: &CodeHistory, look: &mut dyn FnMut(&Verifier<'_>)| {
            look(&Verifier::new(history, history.tip(), &cache, "t", &clock, VerifierLimits::default()));
        };
        let mut cited = None;
        at(&history, &mut |verifier| {
            cited = Some(verifier.anchor(&place, "A cart is full at MAX_ITEMS.", true).unwrap().anchor);
        });
        let anchor = Anchor { is_uncommitted: true, ..cited.unwrap() };
        let citation = Citation { anchor, current: None, earlier_paths: Vec::new() };
        let head = history.commit(&[(PATH, committed)]);
        let mut lines = None;
        at(&history, &mut |verifier| lines = verifier.lines_at(&citation, head));
        let place = lines?.place;
        Some((place.line_start, place.line_end))
    }

    #[test]
    fn lines_at_their_place_or_where_they_stand_alone() {
        let of = |before: &str, after: &str| format!("{before}{BLOCK}{after}");
        assert_eq!(found(&of("fn add() {\n", "}\n")), Some((2, 4)));
        assert_eq!(found(&of("use a::b;\nfn add() {\n", "}\n")), Some((3, 5)));
        assert_eq!(found(&of("fn add() {\n", &of("}\nfn put() {\n", "}\n"))), Some((2, 4)));
        let twice = of("use a::b;\nfn put() {\n", &of("}\nfn add() {\n", "}\n"));
        assert_eq!(found(&twice), None, "which of both was cited cannot be told");
        assert_eq!(found("fn add() {}\n"), None);
    }
}
