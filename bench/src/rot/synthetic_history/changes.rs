//! The changes of commits in the generated history: one of each kind that real histories have.

use super::files::{File, Files, Layout};
use super::text::{self, Kind};
use crate::seeded_random::Seeded;

const CODE: &[Kind] = &[Kind::Braces, Kind::Indented];
const ALL: &[Kind] = &[Kind::Braces, Kind::Indented, Kind::Settings, Kind::Prose];

/// A change to the tree. It returns `None` if the tree has nothing to which it applies.
pub(super) type Change = fn(&mut Files, &mut Seeded) -> Option<()>;

/// Every kind of change, with its weight in the random selection.
pub(super) const CHANGES: &[(&str, u64, Change)] = &[
    ("add a part above", 22, |files, seeded| {
        let (kind, file) = any(files, seeded, ALL)?;
        let at = below(seeded, file.paragraphs.len() + 1);
        file.paragraphs.insert(at, text::paragraph(seeded, kind));
        Some(())
    }),
    ("put lines in", 8, |files, seeded| {
        let (kind, file) = any(files, seeded, ALL)?;
        let (at, line) = within(file, seeded)?;
        let indent = indent_of(file.paragraphs.get(at)?.get(line)?);
        let new = (0..1 + seeded.below(3)).map(|_| format!("{indent}{}", text::statement(seeded, kind)));
        let new: Vec<String> = new.collect();
        file.paragraphs.get_mut(at)?.splice(line..line, new);
        Some(())
    }),
    ("edit lines", 30, |files, seeded| {
        for _ in 0..1 + seeded.below(3) {
            let (kind, file) = any(files, seeded, ALL)?;
            let (at, line) = within(file, seeded)?;
            edit(file.paragraphs.get_mut(at)?.get_mut(line)?, seeded, kind);
        }
        Some(())
    }),
    ("rewrite a part", 12, |files, seeded| {
        let (kind, file) = any(files, seeded, ALL)?;
        let at = below(seeded, file.paragraphs.len());
        *file.paragraphs.get_mut(at)? = text::paragraph(seeded, kind);
        Some(())
    }),
    ("take a part out", 9, |files, seeded| {
        let (_, file) = any(files, seeded, ALL)?;
        let at = below(seeded, file.paragraphs.len());
        if file.paragraphs.len() > 3 {
            file.paragraphs.remove(at);
        }
        Some(())
    }),
    ("remove a file", 2, |files, seeded| {
        let path = files.any(seeded, ALL)?;
        files.0.remove(&path).map(|_| ())
    }),
    ("add a file", 4, |files, seeded| {
        let kind = Kind::of(&files.any(seeded, ALL)?);
        let folders = files.folders();
        let folder = seeded.pick(&folders)?.clone();
        let path = files.free_path(seeded, &folder, kind);
        files.0.insert(path, File::new(seeded, kind));
        Some(())
    }),
    ("rename a file", 3, |files, seeded| rename(files, seeded, 0)),
    ("rename a file and edit it", 3, |files, seeded| rename(files, seeded, 3)),
    ("move a folder", 1, |files, seeded| {
        let folders = files.folders();
        let from = format!("{}/", seeded.pick(&folders)?);
        let to = format!("crates/{}_{}/", text::noun(seeded), seeded.below(90));
        let moved: Vec<String> = files.0.keys().filter(|path| path.starts_with(&from)).cloned().collect();
        for path in moved {
            let file = files.0.remove(&path)?;
            files.0.insert(format!("{to}{}", path.strip_prefix(&from)?), file);
        }
        Some(())
    }),
    ("lay a file out anew", 3, |files, seeded| {
        let (_, file) = any(files, seeded, CODE)?;
        let others = [Layout::FourSpaces, Layout::TwoSpaces, Layout::Tabs, Layout::CarriageReturns];
        file.layout =
            *seeded.pick(&others.into_iter().filter(|other| *other != file.layout).collect::<Vec<_>>())?;
        Some(())
    }),
    ("wrap calls anew", 6, |files, seeded| {
        let (_, file) = any(files, seeded, CODE)?;
        let wide = 60 + seeded.below(30);
        file.paragraphs.iter_mut().for_each(|paragraph| *paragraph = wrapped(paragraph, wide));
        Some(())
    }),
    ("copy a part to another file", 1, |files, seeded| {
        let (kind, file) = any(files, seeded, CODE)?;
        let part = seeded.pick(&file.paragraphs)?.clone();
        let (_, other) = any(files, seeded, &[kind])?;
        let at = below(seeded, other.paragraphs.len() + 1);
        other.paragraphs.insert(at, part);
        Some(())
    }),
    ("take out one of two copies", 1, |files, seeded| {
        let (path, at) = copied(files, seeded)?;
        files.0.get_mut(&path)?.paragraphs.remove(at);
        Some(())
    }),
    ("move a part to another file", 2, |files, seeded| {
        let (kind, file) = any(files, seeded, CODE)?;
        if file.paragraphs.len() < 4 {
            return None;
        }
        let at = below(seeded, file.paragraphs.len());
        let part = file.paragraphs.remove(at);
        let (_, other) = any(files, seeded, &[kind])?;
        let at = below(seeded, other.paragraphs.len() + 1);
        other.paragraphs.insert(at, part);
        Some(())
    }),
    ("move a part within its file", 1, |files, seeded| {
        let (_, file) = any(files, seeded, CODE)?;
        let at = below(seeded, file.paragraphs.len());
        let part = file.paragraphs.remove(at);
        let at = below(seeded, file.paragraphs.len() + 1);
        file.paragraphs.insert(at, part);
        Some(())
    }),
];

fn below(seeded: &mut Seeded, bound: usize) -> usize {
    usize::try_from(seeded.below(u64::try_from(bound).unwrap_or(1))).unwrap_or(0)
}

fn any<'a>(files: &'a mut Files, seeded: &mut Seeded, kinds: &[Kind]) -> Option<(Kind, &'a mut File)> {
    let path = files.any(seeded, kinds)?;
    Some((Kind::of(&path), files.0.get_mut(&path)?))
}

/// Returns a paragraph and one of its lines.
fn within(file: &File, seeded: &mut Seeded) -> Option<(usize, usize)> {
    let at = below(seeded, file.paragraphs.len());
    let lines = file.paragraphs.get(at)?.len();
    Some((at, 1 + below(seeded, lines.checked_sub(1).filter(|rest| *rest > 0)?)))
}

fn indent_of(line: &str) -> String {
    line.chars().take_while(|c| *c == ' ').collect()
}

/// Changes a number, a name, or the whole statement.
fn edit(line: &mut String, seeded: &mut Seeded, kind: Kind) {
    let digits = line.find(|c: char| c.is_ascii_digit());
    let word = line.rfind(|c: char| !c.is_alphanumeric() && c != '_').map(|at| at + 1);
    match (seeded.below(3), digits, word) {
        (0, Some(at), _) => line.insert_str(at, &(1 + seeded.below(8)).to_string()),
        (1, _, Some(at)) if at < line.len() => line.insert_str(at, "next_"),
        _ => *line = format!("{}{}", indent_of(line), text::statement(seeded, kind)),
    }
}

fn rename(files: &mut Files, seeded: &mut Seeded, edits: u64) -> Option<()> {
    let path = files.any(seeded, ALL)?;
    let kind = Kind::of(&path);
    let folders = files.folders();
    let to = files.free_path(seeded, seeded.clone().pick(&folders)?, kind);
    let mut file = files.0.remove(&path)?;
    for _ in 0..edits {
        if let Some((at, line)) = within(&file, seeded) {
            edit(file.paragraphs.get_mut(at)?.get_mut(line)?, seeded, kind);
        }
    }
    files.0.insert(to, file);
    Some(())
}

/// Splits calls longer than `wide` into one line per argument, and joins those that were split.
fn wrapped(paragraph: &[String], wide: u64) -> Vec<String> {
    let mut out = Vec::new();
    let mut lines = paragraph.iter();
    while let Some(line) = lines.next() {
        let indent = indent_of(line);
        let long = u64::try_from(line.len()).unwrap_or(0) > wide;
        if line.ends_with('(') {
            let mut joined = line.clone();
            for next in lines.by_ref() {
                let gap = if joined.ends_with(',') { " " } else { "" };
                joined.push_str(gap);
                joined.push_str(next.trim_start());
                if !next.ends_with(',') {
                    break;
                }
            }
            out.push(joined);
        } else if let Some((head, arguments)) =
            line.split_once('(').filter(|(_, rest)| long && rest.contains(", "))
        {
            let statement = !head.contains("fn ") && !head.contains("def ") && !head.contains('"');
            if statement && !arguments.contains('(') {
                out.push(format!("{head}("));
                let parts: Vec<&str> = arguments.split(", ").collect();
                for (at, part) in parts.iter().enumerate() {
                    let comma = if at + 1 < parts.len() { "," } else { "" };
                    out.push(format!("{indent}    {part}{comma}"));
                }
            } else {
                out.push(line.clone());
            }
        } else {
            out.push(line.clone());
        }
    }
    out
}

/// Returns a paragraph that occurs in two files.
fn copied(files: &Files, seeded: &mut Seeded) -> Option<(String, usize)> {
    let mut seen = std::collections::BTreeMap::new();
    let mut twice = Vec::new();
    for (path, file) in &files.0 {
        for (at, paragraph) in file.paragraphs.iter().enumerate() {
            if let Some(before) = seen.insert(paragraph, (path.clone(), at)) {
                twice.push([before, (path.clone(), at)]);
            }
        }
    }
    let pair = seeded.pick(&twice)?.clone();
    seeded.pick(&pair).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_changes_the_tree() {
        for (name, _, change) in CHANGES {
            let mut seeded = Seeded::new(11);
            let mut files = Files::new(&mut seeded);
            if *name == "take out one of two copies" {
                let part = files.0.values().next().and_then(|file| file.paragraphs.first()).cloned();
                files
                    .0
                    .values_mut()
                    .next_back()
                    .into_iter()
                    .for_each(|file| file.paragraphs.extend(part.clone()));
            }
            let bytes =
                |files: &Files| files.0.iter().map(|(path, f)| (path.clone(), f.bytes())).collect::<Vec<_>>();
            let before = bytes(&files);
            // A change that does not apply now may apply later.
            let changed =
                (0..20).any(|_| change(&mut files, &mut seeded).is_some() && bytes(&files) != before);
            assert!(changed, "{name}");
        }
    }

    #[test]
    fn calls_are_wrapped_and_joined_again() {
        let line = "    invoice.sample_thing_12(header, \"after\", 77);".replace("invoice.", "");
        let wide = wrapped(std::slice::from_ref(&line), 20);
        assert_eq!(wide, ["    sample_thing_12(", "        header,", "        \"after\",", "        77);"]);
        assert_eq!(wrapped(&wide, 20), [line]);
    }
}
