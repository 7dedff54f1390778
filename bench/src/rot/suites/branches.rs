//! Anchors of unmerged branches, verified on the default branch and on their own. A fact may be
//! valid on one branch and gone on another at the same time.

use std::path::Path;

use anyhow::{Context, Result};
use loci_model::facts::citation::LineRange;
use loci_model::facts::verdict::Verdict;

use super::super::synthetic_history::files::Files;
use super::super::synthetic_history::text::{self, Kind};
use super::super::synthetic_history::{Commit, import};
use super::super::verifier_under_test::TestedRepository;
use super::Case;
use crate::seeded_random::Seeded;

/// The number of branches. Every third is merged.
const BRANCHES: usize = 30;

/// A branch that adds a part to a file.
struct Branch {
    /// The number of its head commit.
    head: usize,
    /// The part that it added, and one that existed before.
    added: LineRange,
    old: LineRange,
    merged: bool,
}

/// Returns the cases: each branch's own part, and an old one, at both revisions.
pub(super) async fn cases(folder: &Path, rng: u64) -> Result<Vec<Case>> {
    let (commits, branches, tip) = history(rng).context("a made-up tree is too small")?;
    let repository = folder.join("branches");
    let ids = import(&repository, &commits)?;
    let under = TestedRepository::open(&repository)?;
    let id = |at: usize| ids.get(at).context("a commit without an id");
    let mut cases = Vec::new();
    for branch in &branches {
        let (head, main) = (id(branch.head)?, id(tip)?);
        for (kind, place, at, holds) in [
            ("added, on its branch", &branch.added, head, true),
            ("added and merged, on main", &branch.added, main, true),
            ("added and not merged, on main", &branch.added, main, false),
            ("old, on main", &branch.old, main, true),
        ] {
            if (kind.contains("and merged") && !branch.merged)
                || (kind.contains("not merged") && branch.merged)
            {
                continue;
            }
            let name = format!("{}:{}", place.path, place.line_start);
            let cited = under.cite(head, place.clone(), "", Vec::new()).await?;
            let (citation, _) =
                cited.map_err(|error| anyhow::anyhow!("{name} cannot be cited: {error:?}"))?;
            let (verdict, _) = under.check(at, citation).await?;
            cases.push(Case {
                kind: kind.to_owned(),
                name,
                holds: Some(holds),
                right: verdict.verdict.is_conclusive() && (verdict.verdict == Verdict::Valid) == holds,
                said: format!("{} {}", verdict.verdict.as_str(), verdict.method.as_str()),
            });
        }
    }
    Ok(cases)
}

/// Returns commits, branches, and the number of the tip of `main`.
fn history(rng: u64) -> Option<(Vec<Commit>, Vec<Branch>, usize)> {
    let mut seeded = Seeded::new(rng.wrapping_add(29));
    let mut main = Files::new(&mut seeded);
    let mut commits = vec![commit(&main, Vec::new(), "main")];
    let (mut tip, mut branches) = (0, Vec::new());
    for number in 0..BRANCHES {
        let path = main.any(&mut seeded, &[Kind::Braces, Kind::Indented])?;
        let part = text::paragraph(&mut seeded, Kind::of(&path));
        let length = u32::try_from(part.len()).ok()?;
        let mut files = main.clone();
        files.0.get_mut(&path)?.paragraphs.insert(1, part);
        let first = u32::try_from(main.0.get(&path)?.paragraphs.first()?.len()).ok()?;
        let place = |from: u32, lines: u32| LineRange {
            path: path.clone(),
            line_start: from,
            line_end: from + lines - 1,
        };
        commits.push(commit(&files, vec![tip], &format!("topic-{number}")));
        let head = commits.len() - 1;
        let merged = number % 3 == 0;
        branches.push(Branch { head, added: place(first + 2, length), old: place(1, first), merged });
        // At the same time, another file on main gets a new first part.
        let other = main.any(&mut seeded, &[Kind::Prose, Kind::Settings])?;
        let (mut next, above) =
            (if merged { files } else { main.clone() }, text::paragraph(&mut seeded, Kind::of(&other)));
        next.0.get_mut(&other)?.paragraphs.insert(0, above);
        let parents = if merged { vec![tip, head] } else { vec![tip] };
        commits.push(commit(&next, parents, "main"));
        (main, tip) = (next, commits.len() - 1);
    }
    Some((commits, branches, tip))
}

fn commit(files: &Files, parents: Vec<usize>, branch: &str) -> Commit {
    let files = files.0.iter().map(|(path, file)| (path.clone(), file.bytes())).collect();
    Commit { files, parents, message: "a step".to_owned(), branch: branch.to_owned(), ..Commit::default() }
}
