//! Commits: their trees, parents and times, and the tags that point to them. Parents cut off by a
//! shallow clone are absent.

use std::collections::HashSet;
use std::sync::Arc;

use loci_model::facts::code::ObjectId;
use loci_model::ports::code::CodeResult;

use crate::fault;
use crate::limits::{HOPS_MAX, PARENTS_MAX, STRUCTURE_BYTES_MAX};
use crate::objects::format::ObjectKind;
use crate::repository::Repository;

/// The parts of a commit that Loci needs.
#[derive(Debug)]
pub(crate) struct Commit {
    pub(crate) tree: ObjectId,
    /// The ids of the parents. Empty for a root commit, and where a shallow clone ends.
    pub(crate) parents: Vec<ObjectId>,
    /// True if the commit has parents that are not in this clone.
    pub(crate) cut_off: bool,
    /// The committer's time, in seconds since 1970. It only determines the order of walks.
    pub(crate) time: i64,
}

impl Repository {
    /// Returns the commit; an error if it is not in this clone or not a commit.
    pub(crate) fn commit(&self, id: &ObjectId) -> CodeResult<Arc<Commit>> {
        let shallow = self.shallow()?;
        self.commit_with(id, &shallow)
    }

    /// Like [`Repository::commit`], for many commits: `shallow` is the list of commits where the
    /// clone ends, read once.
    pub(crate) fn commit_with(&self, id: &ObjectId, shallow: &HashSet<ObjectId>) -> CodeResult<Arc<Commit>> {
        let cuts = shallow.contains(id);
        if let Some(commit) = self.caches.commits.get(&(self.number, *id))
            && commit.cut_off == cuts
        {
            return Ok(commit);
        }
        let content = self.objects.read_kind(id, ObjectKind::Commit, STRUCTURE_BYTES_MAX)?;
        let mut commit = parse(&content).ok_or_else(|| fault::damaged("a commit"))?;
        if commit.parents.len() > PARENTS_MAX {
            return Err(fault::too_large("the list of parents of a commit"));
        }
        if cuts {
            commit.parents.clear();
            commit.cut_off = true;
        }
        let commit = Arc::new(commit);
        let bytes = 64 + 33 * commit.parents.len();
        self.caches.commits.put((self.number, *id), Arc::clone(&commit), bytes);
        Ok(commit)
    }

    /// Returns the first line of a commit's message, truncated to `chars_max` characters.
    pub(crate) fn subject(&self, id: &ObjectId, chars_max: usize) -> CodeResult<String> {
        let content = self.objects.read_kind(id, ObjectKind::Commit, STRUCTURE_BYTES_MAX)?;
        let lines = || content.split(|byte| *byte == b'\n');
        let message = lines().skip_while(|line| !line.is_empty());
        let subject = message.map(<[u8]>::trim_ascii).find(|line| !line.is_empty()).unwrap_or_default();
        // A character has at most four bytes; a partial one at the end is removed by the
        // truncation.
        let subject = subject.get(..4 * (chars_max + 1)).unwrap_or(subject);
        Ok(String::from_utf8_lossy(subject).chars().take(chars_max).collect())
    }

    /// Returns the commit that an object is, or that it points to through tags. `None` if the
    /// object does not exist or leads to another type.
    pub(crate) fn peel(&self, id: &ObjectId) -> CodeResult<Option<ObjectId>> {
        let mut id = *id;
        for _ in 0..HOPS_MAX {
            match self.objects.header(&id)?.map(|header| header.kind) {
                Some(ObjectKind::Commit) => return Ok(Some(id)),
                Some(ObjectKind::Tag) => {
                    let tag = self.objects.read_kind(&id, ObjectKind::Tag, STRUCTURE_BYTES_MAX)?;
                    id = field(&tag, b"object ").ok_or_else(|| fault::damaged("a tag"))?;
                }
                Some(ObjectKind::Tree | ObjectKind::Blob) | None => return Ok(None),
            }
        }
        Ok(None)
    }
}

pub(crate) fn parse(content: &[u8]) -> Option<Commit> {
    let mut lines = content.split(|byte| *byte == b'\n');
    let tree = id_after(lines.next()?, b"tree ")?;
    let mut parents = Vec::new();
    let mut time = 0;
    for line in lines.take_while(|line| !line.is_empty()) {
        if line.starts_with(b"parent ") && parents.len() <= PARENTS_MAX {
            parents.push(id_after(line, b"parent ")?);
        } else if line.starts_with(b"committer ") {
            let seconds = line.rsplit(|byte| *byte == b' ').nth(1).unwrap_or_default();
            time = std::str::from_utf8(seconds).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
            break;
        }
    }
    Some(Commit { tree, parents, cut_off: false, time })
}

fn field(content: &[u8], name: &[u8]) -> Option<ObjectId> {
    id_after(content.split(|byte| *byte == b'\n').next()?, name)
}

fn id_after(line: &[u8], name: &[u8]) -> Option<ObjectId> {
    ObjectId::parse(std::str::from_utf8(line.strip_prefix(name)?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read_to_their_committer() {
        let (tree, one, two) = ("1".repeat(40), "2".repeat(40), "3".repeat(40));
        let whole = format!(
            "tree {tree}\nparent {one}\nparent {two}\nauthor A <a@b> 5 +0000\ncommitter C D <c@d> 77 +0100\n\nparent x\n"
        );
        let commit = parse(whole.as_bytes());
        let seen = commit.map(|c| (c.tree.to_string(), c.parents.len(), c.time));
        assert_eq!(seen, Some((tree.clone(), 2, 77)));
        for broken in ["", "tree", "tree zz\n", &format!("tree {tree}\nparent {tree}0\n"), "parent x\n"] {
            assert!(parse(broken.as_bytes()).is_none(), "{broken}");
        }
        assert!(parse(format!("tree {tree}\n").as_bytes()).is_some());
    }
}
