//! Which commit brought lines that were cited from a working tree before they were committed: from then on
//! they have an anchor as
//! all others. What cannot be told, or is not committed yet, is none.

use loci_model::citation::{Citation, Place};
use loci_model::code::{ObjectId, Revision};
use loci_model::code_history::HistoryAsk;
use loci_model::verdict::{CitationVerdict, CommittedLines, Verdict};

use super::session::Verifier;

/// Commits that are looked through for the one that brought some lines; what is older keeps the youngest of
/// them.
const COMMITS_MAX: usize = 200;

impl Verifier<'_> {
    /// The first commit, from the one on which the lines were cited on to this verifier's, that holds them
    /// at the cited path.
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

    /// The cited lines at a commit, under the path that was cited.
    fn lines_at(&self, citation: &Citation, commit: ObjectId) -> Option<CommittedLines> {
        let (anchor, path) = (&citation.anchor, &citation.anchor.place.path);
        let entry = self.source.entry(&Revision::Commit(commit), path).ok().flatten()?;
        let file = self.blob(entry.id).ok()?;
        let count = anchor.line_hashes.len();
        let at = file.between(anchor.place.line_start, anchor.place.line_end).start;
        let is_there =
            |from: &usize| file.hashes().get(*from..*from + count) == Some(anchor.line_hashes.as_slice());
        // At its place, else where it stands alone.
        let from = std::iter::once(at).chain(0..file.len()).filter(|_| count > 0).find(is_there)?;
        let place = Place {
            path: path.clone(),
            line_start: file.number(from)?,
            line_end: file.number(from + count - 1)?,
        };
        let place = if from == at { anchor.place.clone() } else { place };
        Some(CommittedLines { commit, blob: entry.id, place })
    }
}
