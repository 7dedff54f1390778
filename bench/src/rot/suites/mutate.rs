//! Cases labelled by construction: one change of a known kind to the cited block or around it, and
//! nothing else.

use std::path::Path;

use anyhow::{Context, Result};
use loci_model::facts::citation::LineRange;
use loci_model::facts::verdict::Verdict;

use super::super::synthetic_history::files::{Files, Layout};
use super::super::synthetic_history::text::Kind;
use super::super::synthetic_history::{Commit, import};
use super::super::verifier_under_test::TestedRepository;
use super::Case;
use crate::seeded_random::Seeded;

/// Cases of each kind.
const EACH: usize = 30;

/// The place of a block: its file and paragraph.
struct Target {
    path: String,
    at: usize,
}

/// A change to the tree, around or in the target. `holds` is true if the block still exists, word
/// for word.
struct Mutation {
    name: &'static str,
    holds: bool,
    apply: fn(&mut Files, &Target, &mut Seeded) -> Option<()>,
}

const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "two spaces for four",
        holds: true,
        apply: |files, to, _| layout(files, to, Layout::TwoSpaces),
    },
    Mutation { name: "tabs for spaces", holds: true, apply: |files, to, _| layout(files, to, Layout::Tabs) },
    Mutation {
        name: "carriage returns",
        holds: true,
        apply: |files, to, _| layout(files, to, Layout::CarriageReturns),
    },
    Mutation {
        name: "lines put in above",
        holds: true,
        apply: |files, to, seeded| {
            let new = super::super::synthetic_history::text::paragraph(seeded, Kind::of(&to.path));
            files.0.get_mut(&to.path)?.paragraphs.insert(0, new);
            Some(())
        },
    },
    Mutation {
        name: "file moved",
        holds: true,
        apply: |files, to, _| {
            let file = files.0.remove(&to.path)?;
            files.0.insert(format!("elsewhere/{}", to.path), file);
            Some(())
        },
    },
    Mutation {
        name: "function moved across files",
        holds: true,
        apply: |files, to, _| {
            let part = files.0.get_mut(&to.path)?.paragraphs.remove(to.at);
            let kind = Kind::of(&to.path);
            let (_, other) =
                files.0.iter_mut().find(|(path, _)| **path != to.path && Kind::of(path) == kind)?;
            other.paragraphs.push(part);
            Some(())
        },
    },
    Mutation {
        name: "comment changed outside",
        holds: true,
        apply: |files, to, _| {
            let other = usize::from(to.at == 0);
            let part = files.0.get_mut(&to.path)?.paragraphs.get_mut(other)?;
            part.insert(0, "// said otherwise now".to_owned());
            Some(())
        },
    },
    Mutation {
        name: "literal changed",
        holds: false,
        apply: |files, to, _| {
            line(files, to, |text| {
                let at = text.find(|c: char| c.is_ascii_digit())?;
                text.insert(at, '7');
                Some(())
            })
        },
    },
    Mutation {
        name: "negation flipped",
        holds: false,
        apply: |files, to, _| {
            line(files, to, |text| {
                let from = ["is_empty()", "is None", "+= "].into_iter().find(|from| text.contains(from))?;
                let to = match from {
                    "is_empty()" => "is_full()",
                    "is None" => "is not None",
                    _ => "-= ",
                };
                *text = text.replacen(from, to, 1);
                Some(())
            })
        },
    },
    Mutation {
        name: "comment changed inside",
        holds: false,
        apply: |files, to, _| {
            line(files, to, |text| {
                let at = text.find("The ").filter(|_| text.contains("///") || text.contains("\"\"\""))?;
                text.insert_str(at, "Not so: ");
                Some(())
            })
        },
    },
    Mutation {
        name: "identifier renamed",
        holds: false,
        apply: |files, to, _| {
            line(files, to, |text| {
                let at =
                    text.find("pub fn ").map(|at| at + 7).or_else(|| text.find("def ").map(|at| at + 4))?;
                text.insert_str(at, "renamed_");
                Some(())
            })
        },
    },
];

fn layout(files: &mut Files, to: &Target, layout: Layout) -> Option<()> {
    files.0.get_mut(&to.path)?.layout = layout;
    Some(())
}

/// Changes the first line of the block to which the change applies.
fn line(files: &mut Files, to: &Target, change: fn(&mut String) -> Option<()>) -> Option<()> {
    files.0.get_mut(&to.path)?.paragraphs.get_mut(to.at)?.iter_mut().find_map(change)
}

/// Returns the cases: every change, many times.
pub(super) async fn cases(folder: &Path, rng: u64) -> Result<Vec<Case>> {
    let mut seeded = Seeded::new(rng.wrapping_add(17));
    let base = Files::new(&mut seeded);
    let code: Vec<String> = base
        .0
        .keys()
        .filter(|path| matches!(Kind::of(path), Kind::Braces | Kind::Indented))
        .cloned()
        .collect();
    let mut commits = vec![commit(&base, Vec::new(), "main")];
    let mut plan = Vec::new();
    for mutation in MUTATIONS {
        let mut made = 0;
        for _ in 0..EACH * 20 {
            let path = seeded.pick(&code).context("a tree without code")?.clone();
            let parts = base.0.get(&path).map_or(0, |file| file.paragraphs.len());
            let at = usize::try_from(seeded.below(u64::try_from(parts)?))?;
            let (mut files, target) = (base.clone(), Target { path, at });
            if made == EACH || (mutation.apply)(&mut files, &target, &mut seeded).is_none() {
                continue;
            }
            made += 1;
            commits.push(commit(&files, vec![0], &format!("case-{}", plan.len())));
            plan.push((mutation, target));
        }
    }
    let repository = folder.join("mutate");
    let ids = import(&repository, &commits)?;
    let under = TestedRepository::open(&repository)?;
    let first = ids.first().context("no commit")?;
    let mut cases = Vec::new();
    for ((mutation, target), id) in plan.iter().zip(ids.iter().skip(1)) {
        let place = place(&base, target).context("a paragraph without a place")?;
        let name = format!("{}:{}-{}", place.path, place.line_start, place.line_end);
        let (citation, _) = under
            .cite(first, place, "", Vec::new())
            .await?
            .map_err(|error| anyhow::anyhow!("{name} cannot be cited: {error:?}"))?;
        let (verdict, _) = under.check(id, citation).await?;
        let valid = verdict.verdict == Verdict::Valid;
        cases.push(Case {
            kind: mutation.name.to_owned(),
            name,
            holds: Some(mutation.holds),
            right: valid == mutation.holds && verdict.verdict.is_conclusive(),
            said: format!("{} {}", verdict.verdict.as_str(), verdict.method.as_str()),
        });
    }
    Ok(cases)
}

/// Returns the lines of a paragraph.
fn place(files: &Files, target: &Target) -> Option<LineRange> {
    let file = files.0.get(&target.path)?;
    let before: usize = file.paragraphs.get(..target.at)?.iter().map(|part| part.len() + 1).sum();
    let length = file.paragraphs.get(target.at)?.len();
    let line_start = u32::try_from(before + 1).ok()?;
    let line_end = u32::try_from(before + length).ok()?;
    Some(LineRange { path: target.path.clone(), line_start, line_end })
}

fn commit(files: &Files, parents: Vec<usize>, branch: &str) -> Commit {
    let files = files.0.iter().map(|(path, file)| (path.clone(), file.bytes())).collect();
    Commit { files, parents, message: "a case".to_owned(), branch: branch.to_owned(), ..Commit::default() }
}
