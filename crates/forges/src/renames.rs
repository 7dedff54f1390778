//! Detection of renamed files between two revisions. Pure. Files with equal content come first,
//! then the renames that the forge reports. Contents are not compared line by line.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::facts::code::{CodeFile, EntryKind, ObjectId, Rename};

/// Returns the files of `from` that have another path in `to`, sorted by old path; each file of
/// `to` occurs once. The renames that the forge reports count only if both listings confirm them.
pub(crate) fn between(from: &[CodeFile], to: &[CodeFile], told: &[Rename]) -> Vec<Rename> {
    paired(from, to, told).0
}

/// True if neither equal content nor the forge's report explains all removed files, and unexplained
/// added files remain too.
pub(crate) fn leaves_some(from: &[CodeFile], to: &[CodeFile], told: &[Rename]) -> bool {
    paired(from, to, told).1
}

fn paired(from: &[CodeFile], to: &[CodeFile], told: &[Rename]) -> (Vec<Rename>, bool) {
    let (mut gone, mut come) = (only_in(from, to), only_in(to, from));
    let mut found = by_content(&mut gone, &mut come);
    for rename in told {
        if gone.contains_key(rename.from.as_str()) && come.contains_key(rename.to.as_str()) {
            gone.remove(rename.from.as_str());
            come.remove(rename.to.as_str());
            found.push(rename.clone());
        }
    }
    found.sort_by(|a, b| a.from.cmp(&b.from));
    (found, !gone.is_empty() && !come.is_empty())
}

/// Returns the files of `these` whose paths do not exist in `those`.
fn only_in<'f>(these: &'f [CodeFile], those: &[CodeFile]) -> BTreeMap<&'f str, &'f CodeFile> {
    let there: BTreeSet<&str> = those.iter().map(|file| file.path.as_str()).collect();
    these
        .iter()
        .filter(|file| file.entry.kind == EntryKind::File && !there.contains(file.path.as_str()))
        .map(|file| (file.path.as_str(), file))
        .collect()
}

/// Removes the pairs of equal content from both sides. Among several candidates, one with the same
/// file name wins, then the one that shares most of its path, then the first. Empty files are not
/// matched.
fn by_content(gone: &mut BTreeMap<&str, &CodeFile>, come: &mut BTreeMap<&str, &CodeFile>) -> Vec<Rename> {
    let mut by_id: BTreeMap<ObjectId, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    for file in gone.values().filter(|file| file.entry.bytes != Some(0)) {
        by_id.entry(file.entry.id).or_default().0.push(&file.path);
    }
    for file in come.values() {
        if let Some((_, after)) = by_id.get_mut(&file.entry.id) {
            after.push(&file.path);
        }
    }
    let mut found = Vec::new();
    for (before, after) in by_id.into_values() {
        for (from, to) in pairs(&before, &after) {
            gone.remove(from);
            come.remove(to);
            found.push(Rename { from: from.to_owned(), to: to.to_owned() });
        }
    }
    found
}

/// The maximum number of copies that are compared by path. Above it, they are paired in order.
const WEIGHED_MAX: usize = 64;

fn pairs<'p>(before: &[&'p str], after: &[&'p str]) -> Vec<(&'p str, &'p str)> {
    if before.len().max(after.len()) > WEIGHED_MAX {
        return before.iter().copied().zip(after.iter().copied()).collect();
    }
    let mut weighed: Vec<_> = before
        .iter()
        .flat_map(|from| after.iter().map(move |to| (closeness(from, to), *from, *to)))
        .collect();
    weighed.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let (mut taken_from, mut taken_to) = (BTreeSet::new(), BTreeSet::new());
    let mut found = Vec::new();
    for (_, from, to) in weighed {
        if !taken_from.contains(from) && !taken_to.contains(to) {
            taken_from.insert(from);
            taken_to.insert(to);
            found.push((from, to));
        }
    }
    found
}

/// Returns true if the file names are equal, and the number of path segments that are equal at both
/// ends.
fn closeness(a: &str, b: &str) -> (bool, usize) {
    let shared = |a: &mut dyn Iterator<Item = &str>, b: &mut dyn Iterator<Item = &str>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let ends = shared(&mut a.rsplit('/'), &mut b.rsplit('/'));
    (ends > 0, ends + shared(&mut a.split('/'), &mut b.split('/')))
}

#[cfg(test)]
mod tests {
    use loci_model::facts::code::CodeEntry;

    use super::*;

    fn files(list: &[(&str, char)]) -> Vec<CodeFile> {
        let entry = |digit: char| CodeEntry {
            kind: EntryKind::File,
            id: ObjectId::parse(&digit.to_string().repeat(40)).unwrap(),
            bytes: Some(u64::from(digit != 'e')),
        };
        list.iter().map(|(path, digit)| CodeFile { path: (*path).to_owned(), entry: entry(*digit) }).collect()
    }

    #[test]
    fn the_same_content_elsewhere() {
        let check =
            |from: &[(&str, char)], to: &[(&str, char)], told: &[(&str, &str)], expect: &[(&str, &str)]| {
                let rename =
                    |(from, to): &(&str, &str)| Rename { from: (*from).to_owned(), to: (*to).to_owned() };
                let told: Vec<_> = told.iter().map(rename).collect();
                let expect: Vec<_> = expect.iter().map(rename).collect();
                assert_eq!(between(&files(from), &files(to), &told), expect, "{from:?} {to:?}");
            };
        check(&[("a.rs", '1')], &[("b.rs", '1')], &[], &[("a.rs", "b.rs")]);
        check(&[("a.rs", '1')], &[("a.rs", '2')], &[], &[]);
        check(&[("a.rs", '1')], &[("a.rs", '1'), ("b.rs", '1')], &[], &[]);
        // Among copies, the file name decides, then the rest of the path.
        check(
            &[("src/x.rs", '1'), ("src/y.rs", '1')],
            &[("lib/a.rs", '1'), ("lib/y.rs", '1')],
            &[],
            &[("src/x.rs", "lib/a.rs"), ("src/y.rs", "lib/y.rs")],
        );
        check(&[("a/b/x.rs", '1')], &[("a/c.rs", '1'), ("z/c.rs", '1')], &[], &[("a/b/x.rs", "a/c.rs")]);
        // Empty files are no evidence.
        check(&[("a/__init__.py", 'e')], &[("b/__init__.py", 'e')], &[], &[]);
        // The forge's report counts only if the listings confirm it.
        check(&[("a.rs", '1')], &[("b.rs", '2')], &[("a.rs", "b.rs")], &[("a.rs", "b.rs")]);
        check(&[("a.rs", '1')], &[("b.rs", '2')], &[("a.rs", "c.rs"), ("x.rs", "b.rs")], &[]);
        check(&[("a.rs", '1')], &[("a.rs", '2'), ("b.rs", '3')], &[("a.rs", "b.rs")], &[]);
    }

    #[test]
    fn whether_the_forge_need_be_asked() {
        assert!(!leaves_some(&files(&[("a", '1')]), &files(&[("b", '1')]), &[]));
        assert!(!leaves_some(&files(&[("a", '1')]), &files(&[]), &[]));
        assert!(leaves_some(&files(&[("a", '1')]), &files(&[("b", '2')]), &[]));
        let told = [Rename { from: "a".to_owned(), to: "b".to_owned() }];
        assert!(!leaves_some(&files(&[("a", '1')]), &files(&[("b", '2')]), &told));
        assert!(leaves_some(&files(&[("a", '1'), ("c", '3')]), &files(&[("b", '2'), ("d", '4')]), &told));
    }
}
