//! The files of a generated tree: paragraphs separated by blank lines, and the layout of a file.

use std::collections::BTreeMap;

use super::text::{self, Kind};
use crate::seeded_random::Seeded;

/// The format of paragraphs as bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::rot) enum Layout {
    #[default]
    FourSpaces,
    TwoSpaces,
    Tabs,
    /// Four spaces, and lines that also end with a carriage return.
    CarriageReturns,
}

/// A file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::rot) struct File {
    pub(in crate::rot) paragraphs: Vec<Vec<String>>,
    pub(in crate::rot) layout: Layout,
}

impl File {
    /// Returns a file with random paragraphs.
    pub(in crate::rot) fn new(seeded: &mut Seeded, kind: Kind) -> Self {
        let count = 6 + seeded.below(10);
        Self { paragraphs: (0..count).map(|_| text::paragraph(seeded, kind)).collect(), ..Self::default() }
    }

    pub(in crate::rot) fn bytes(&self) -> Vec<u8> {
        let end = if self.layout == Layout::CarriageReturns { "\r\n" } else { "\n" };
        let mut out = String::new();
        for (at, paragraph) in self.paragraphs.iter().enumerate() {
            if at > 0 {
                out.push_str(end);
            }
            for line in paragraph {
                let depth = (line.len() - line.trim_start_matches(' ').len()) / 4;
                let rest = line.get(depth * 4..).unwrap_or_default();
                let indent = match self.layout {
                    Layout::FourSpaces | Layout::CarriageReturns => "    ",
                    Layout::TwoSpaces => "  ",
                    Layout::Tabs => "\t",
                };
                out.push_str(&indent.repeat(depth));
                out.push_str(rest);
                out.push_str(end);
            }
        }
        out.into_bytes()
    }
}

/// A tree.
#[derive(Debug, Clone, Default)]
pub(in crate::rot) struct Files(pub(in crate::rot) BTreeMap<String, File>);

impl Files {
    /// Returns the tree at the beginning of the history.
    pub(in crate::rot) fn new(seeded: &mut Seeded) -> Self {
        let mut all = Self::default();
        for (folder, kind, count) in [
            ("src/core", Kind::Braces, 9),
            ("src/net", Kind::Braces, 8),
            ("src/store", Kind::Braces, 8),
            ("lib/tools", Kind::Indented, 8),
            ("lib/jobs", Kind::Indented, 7),
            ("tests", Kind::Indented, 5),
            ("config", Kind::Settings, 5),
            ("docs", Kind::Prose, 6),
        ] {
            for _ in 0..count {
                let path = all.free_path(seeded, folder, kind);
                let file = File::new(seeded, kind);
                all.0.insert(path, file);
            }
        }
        all
    }

    /// Returns an unused path in a folder.
    pub(in crate::rot) fn free_path(&self, seeded: &mut Seeded, folder: &str, kind: Kind) -> String {
        let mut number = 0;
        loop {
            let suffix = if number == 0 { String::new() } else { format!("_{number}") };
            let path = format!("{folder}/{}{suffix}.{}", text::noun(seeded), kind.extension());
            if !self.0.contains_key(&path) {
                return path;
            }
            number += 1;
        }
    }

    /// Returns a random path of these kinds.
    pub(in crate::rot) fn any(&self, seeded: &mut Seeded, kinds: &[Kind]) -> Option<String> {
        let all: Vec<&String> = self.0.keys().filter(|path| kinds.contains(&Kind::of(path))).collect();
        seeded.pick(&all).map(|path| (*path).clone())
    }

    /// Returns the folders, by name.
    pub(in crate::rot) fn folders(&self) -> Vec<String> {
        let mut all: Vec<String> = self
            .0
            .keys()
            .filter_map(|path| path.rsplit_once('/'))
            .map(|(folder, _)| folder.to_owned())
            .collect();
        all.dedup();
        all
    }
}
