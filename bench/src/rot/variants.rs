//! Simple verifiers, for comparison: the results without following code. None is part of the
//! product, and none uses its code.

use std::collections::HashMap;

use anyhow::Result;
use serde::Serialize;

use super::git::{Repository, is_blank, lines};
use super::item::{Item, Label};
use super::rate::Rate;
use super::score::ClassRates;
use super::tracer::Window;

/// A simple verifier. It returns true if it considers the block valid.
type SimpleVerifier = fn(&Item, &mut Texts<'_>) -> Result<bool>;

const VARIANTS: &[(&str, SimpleVerifier)] = &[
    ("file exists", |item, texts| Ok(texts.window.tree_to.contains_key(&item.path))),
    ("file exists and range in bounds", |item, texts| {
        let end = usize::try_from(item.end()).unwrap_or(usize::MAX);
        Ok(texts.of(&item.path)?.is_some_and(|text| text.len() >= end))
    }),
    ("whole blob equal", |item, texts| {
        let id = |tree: &super::git::Tree| tree.get(&item.path).map(|file| file.id.clone());
        Ok(id(&texts.window.tree_from) == id(&texts.window.tree_to))
    }),
    ("same lines, same bytes", |item, texts| {
        let from = usize::try_from(item.start).unwrap_or(1) - 1;
        let there =
            |text: &Vec<Vec<u8>>| text.get(from..from + item.lines.len()) == Some(item.lines.as_slice());
        Ok(texts.of(&item.path)?.is_some_and(there))
    }),
    ("normalised block search and renames", |item, texts| {
        let path = texts.renamed(&item.path);
        let block = normal(&item.lines);
        let text = texts.normal_of(&path)?;
        Ok(text.windows(block.len().max(1)).any(|there| there == block))
    }),
];

/// The result of one of them.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    pub(super) row: ClassRates,
}

/// Runs every simple verifier over the items of a window.
pub(super) fn variants(
    repository: &mut Repository,
    window: &Window,
    items: &[Item],
    labels: &[Label],
) -> Result<Vec<Variant>> {
    let renames = renames(repository, window)?;
    let mut texts = Texts { repository, window, renames, kept: HashMap::new(), normal: HashMap::new() };
    let mut all = Vec::new();
    for (name, judge) in VARIANTS {
        let mut row = ClassRates::default();
        for (item, label) in items.iter().zip(labels) {
            let Some(present) = label.class.present() else { continue };
            let flagged = !judge(item, &mut texts)?;
            let rate: &mut Rate = if present { &mut row.false_alarms } else { &mut row.detection };
            rate.add(flagged);
        }
        all.push(Variant { name, row });
    }
    Ok(all)
}

/// Returns the renames between the two revisions, at 50 %.
fn renames(repository: &Repository, window: &Window) -> Result<HashMap<String, String>> {
    let said = repository.git(&[
        "diff-tree",
        "-r",
        "-M50%",
        "--diff-filter=R",
        "--name-status",
        "-z",
        "--end-of-options",
        &window.from,
        &window.to,
    ])?;
    let fields: Vec<String> =
        said.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    let three = |chunk: &[String]| match chunk {
        [_, from, to] => Some((from.clone(), to.clone())),
        _ => None,
    };
    Ok(fields.chunks(3).filter_map(three).collect())
}

/// Returns lines with one space for each run of white space, without blank lines.
fn normal(lines: &[Vec<u8>]) -> Vec<String> {
    let one = |line: &Vec<u8>| String::from_utf8_lossy(line).split_whitespace().collect::<Vec<_>>().join(" ");
    lines.iter().filter(|line| !is_blank(line)).map(one).collect()
}

/// Texts of the second revision.
struct Texts<'a> {
    repository: &'a mut Repository,
    window: &'a Window,
    renames: HashMap<String, String>,
    kept: HashMap<String, Option<Vec<Vec<u8>>>>,
    normal: HashMap<String, Vec<String>>,
}

impl Texts<'_> {
    fn of(&mut self, path: &str) -> Result<Option<&Vec<Vec<u8>>>> {
        if !self.kept.contains_key(path) {
            let bytes = match self.window.tree_to.get(path) {
                Some(file) => self.repository.read(&file.id)?,
                None => None,
            };
            let text = bytes.map(|bytes| lines(&bytes).into_iter().map(<[u8]>::to_vec).collect());
            self.kept.insert(path.to_owned(), text);
        }
        Ok(self.kept.get(path).and_then(Option::as_ref))
    }

    fn normal_of(&mut self, path: &str) -> Result<&[String]> {
        if !self.normal.contains_key(path) {
            let text = self.of(path)?.map(|text| normal(text)).unwrap_or_default();
            self.normal.insert(path.to_owned(), text);
        }
        Ok(self.normal.get(path).map(Vec::as_slice).unwrap_or_default())
    }

    fn renamed(&self, path: &str) -> String {
        let there = self.window.tree_to.contains_key(path);
        if there { None } else { self.renames.get(path) }.map_or_else(|| path.to_owned(), Clone::clone)
    }
}
