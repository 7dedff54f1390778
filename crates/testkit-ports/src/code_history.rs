//! A repository in memory: commits as whole trees, one after another, for tests of code readers.
//! Renames are detected naively by equal lines. Objects can be made missing, and reads can be made
//! to fail.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId, Origin, Rename, Revision};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeCapabilities, CodeError, CodeResult, CodeSource};
use loci_model::tasks::code_history::{CommitChanges, History, HistoryAsk, HistoryCommit};
use sha2::{Digest, Sha256};

type Tree = BTreeMap<String, (EntryKind, ObjectId)>;

/// A repository. Its last commit is the tip of `main`.
#[derive(Default)]
pub struct CodeHistory {
    commits: Vec<(ObjectId, Tree)>,
    blobs: BTreeMap<ObjectId, Arc<[u8]>>,
    missing: BTreeSet<ObjectId>,
    failing: Option<CodeError>,
    renames_left_out: bool,
    is_default_untold: bool,
    is_cut_off: bool,
    unlisted: Vec<String>,
    aside: BTreeSet<ObjectId>,
    reads: Cell<usize>,
    changes: Cell<usize>,
    announced: RefCell<Vec<ObjectId>>,
    /// Subjects by commit; other commits have their number as subject.
    subjects: BTreeMap<ObjectId, String>,
}

impl CodeHistory {
    /// Returns a repository without commits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of requests for the changes of a commit.
    pub fn changes_asked(&self) -> usize {
        self.changes.get()
    }

    /// Sets the first line of the last commit's message.
    pub fn called(&mut self, subject: &str) {
        if let Some((id, _)) = self.commits.last() {
            self.subjects.insert(*id, subject.to_owned());
        }
    }

    /// Adds a commit with exactly these files.
    pub fn commit(&mut self, files: &[(&str, &str)]) -> ObjectId {
        let entries: Vec<_> =
            files.iter().map(|(path, text)| (*path, EntryKind::File, text.as_bytes())).collect();
        self.commit_entries(&entries)
    }

    /// Adds a commit with exactly these entries; the bytes of a submodule are only its identity.
    pub fn commit_entries(&mut self, entries: &[(&str, EntryKind, &[u8])]) -> ObjectId {
        let mut tree = Tree::new();
        for (path, kind, bytes) in entries {
            let id = id_of("blob", bytes);
            if *kind != EntryKind::Submodule {
                self.blobs.insert(id, Arc::from(*bytes));
            }
            tree.insert((*path).to_owned(), (*kind, id));
        }
        let id = id_of("commit", format!("{}{tree:?}", self.commits.len()).as_bytes());
        self.commits.push((id, tree));
        id
    }

    /// Adds a commit that equals the last one, with one file written, or removed if `text` is
    /// `None`.
    pub fn write(&mut self, path: &str, text: Option<&str>) -> ObjectId {
        let mut tree = self.commits.last().map(|(_, tree)| tree.clone()).unwrap_or_default();
        match text {
            Some(text) => {
                let id = id_of("blob", text.as_bytes());
                self.blobs.insert(id, Arc::from(text.as_bytes()));
                tree.insert(path.to_owned(), (EntryKind::File, id));
            }
            None => {
                tree.remove(path);
            }
        }
        let id = id_of("commit", format!("{}{tree:?}", self.commits.len()).as_bytes());
        self.commits.push((id, tree));
        id
    }

    /// Makes a commit the tip of `main`, like a push; the others are kept.
    pub fn reset(&mut self, to: ObjectId) {
        if let Some(place) = self.commits.iter().position(|(id, _)| *id == to) {
            let commit = self.commits.remove(place);
            self.commits.push(commit);
        }
    }

    /// Adds a commit on a separate branch: the tip of `main` is unchanged, and does not contain it.
    pub fn commit_aside(&mut self, files: &[(&str, &str)]) -> ObjectId {
        let tip = self.tip().commit();
        let id = self.commit(files);
        self.aside.insert(id);
        if let Some(tip) = tip {
            self.reset(tip);
        }
        id
    }

    /// Merges the branch of a commit to `main`.
    pub fn merge(&mut self, commit: ObjectId) {
        self.aside.remove(&commit);
    }

    /// Returns the last commit as a revision; without commits an empty worktree.
    pub fn tip(&self) -> Revision {
        self.commits.last().map_or(Revision::Worktree(None), |(id, _)| Revision::Commit(*id))
    }

    /// Returns the first commit.
    pub fn root(&self) -> Option<ObjectId> {
        self.commits.first().map(|(id, _)| *id)
    }

    /// Makes an object missing, as in a partial clone: a blob by the id of its content, or a
    /// commit.
    pub fn lose(&mut self, object: ObjectId) {
        self.missing.insert(object);
    }

    /// Restores a missing object.
    pub fn find(&mut self, object: ObjectId) {
        self.missing.remove(&object);
    }

    /// Makes every read fail with this reason; `None` permits reads again.
    pub fn fail(&mut self, why: Option<Unverifiable>) {
        self.failing = why.map(|why| CodeError::new(why, "made to fail"));
    }

    /// Makes it report no renames, and state so, as a forge does beyond the files of its
    /// comparison.
    pub fn leave_out_renames(&mut self) {
        self.renames_left_out = true;
    }

    /// Makes it report no default branch, like a clone of several branches without a conventional
    /// name.
    pub fn leave_default_untold(&mut self) {
        self.is_default_untold = true;
    }

    /// Makes it a history without its beginning.
    pub fn cut_off(&mut self) {
        self.is_cut_off = true;
    }

    /// Makes its file lists leave out these paths, and state so.
    pub fn leave_unlisted(&mut self, paths: &[&str]) {
        self.unlisted = paths.iter().map(|path| (*path).to_owned()).collect();
    }

    /// Returns the blob id of a content.
    pub fn blob_id(text: &str) -> ObjectId {
        id_of("blob", text.as_bytes())
    }

    /// Returns the number of blobs read so far.
    pub fn reads(&self) -> usize {
        self.reads.get()
    }

    /// Returns the blobs announced for reading, as often as they were announced.
    pub fn announced(&self) -> Vec<ObjectId> {
        self.announced.borrow().clone()
    }

    fn check(&self) -> CodeResult<()> {
        self.failing.clone().map_or(Ok(()), Err)
    }

    fn tree(&self, at: &Revision) -> CodeResult<&Tree> {
        self.check()?;
        let gone = || CodeError::new(Unverifiable::PartialClone, "the commit is missing");
        let id = at.commit().ok_or_else(gone)?;
        if self.missing.contains(&id) {
            return Err(gone());
        }
        self.commits.iter().find(|(commit, _)| *commit == id).map(|(_, tree)| tree).ok_or_else(gone)
    }

    fn place(&self, commit: &ObjectId) -> Option<usize> {
        self.commits.iter().position(|(id, _)| id == commit)
    }

    fn renamed(&self, from: &Tree, to: &Tree, similarity: u8) -> Vec<Rename> {
        let mut renames = Vec::new();
        if self.renames_left_out {
            return renames;
        }
        for (old_path, (_, old)) in from.iter().filter(|(path, _)| !to.contains_key(*path)) {
            let added = to.iter().filter(|(path, _)| !from.contains_key(*path));
            let alike = added.map(|(path, (_, new))| (self.alike(old, new), path));
            let best = alike.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(a.1)));
            if let Some((likeness, path)) = best
                && likeness >= usize::from(similarity)
            {
                renames.push(Rename { from: old_path.clone(), to: path.clone() });
            }
        }
        renames
    }

    /// Returns the share of equal lines of two blobs, in percent of the longer one.
    fn alike(&self, one: &ObjectId, other: &ObjectId) -> usize {
        let lines = |id: &ObjectId| -> Vec<&[u8]> {
            self.blobs.get(id).map_or(Vec::new(), |bytes| bytes.split(|byte| *byte == b'\n').collect())
        };
        let (one, mut other) = (lines(one), lines(other));
        let longer = one.len().max(other.len()).max(1);
        let equal = one
            .iter()
            .filter(|line| other.iter().position(|o| o == *line).map(|at| other.swap_remove(at)).is_some())
            .count();
        equal * 100 / longer
    }
}

impl CodeSource for CodeHistory {
    fn capabilities(&self) -> CodeCapabilities {
        CodeCapabilities { renames: true, history: !self.renames_left_out, worktree: false, near: true }
    }

    fn resolve(&self, name: &str) -> CodeResult<Option<Revision>> {
        self.check()?;
        if matches!(name, "HEAD" | "main") {
            return Ok(self.commits.last().map(|(id, _)| Revision::Commit(*id)));
        }
        let mut fits =
            self.commits.iter().filter(|(id, _)| name.len() >= 7 && id.to_string().starts_with(name));
        Ok(fits.next().filter(|_| fits.next().is_none()).map(|(id, _)| Revision::Commit(*id)))
    }

    fn default_branch(&self) -> CodeResult<Option<(String, ObjectId)>> {
        self.check()?;
        let tip = self.commits.last().filter(|_| !self.is_default_untold);
        Ok(tip.map(|(id, _)| ("main".to_owned(), *id)))
    }

    fn entry(&self, at: &Revision, path: &str) -> CodeResult<Option<CodeEntry>> {
        let tree = self.tree(at)?;
        if let Some((kind, id)) = tree.get(path) {
            let bytes = self.blobs.get(id).map(|bytes| bytes.len() as u64);
            return Ok(Some(CodeEntry { kind: *kind, id: *id, bytes }));
        }
        let inside = format!("{path}/");
        let is_directory = tree.keys().any(|file| file.starts_with(&inside));
        let directory =
            CodeEntry { kind: EntryKind::Directory, id: id_of("tree", path.as_bytes()), bytes: None };
        Ok(is_directory.then_some(directory))
    }

    fn read(&self, blob: &ObjectId, bytes_max: u64) -> CodeResult<Arc<[u8]>> {
        self.check()?;
        self.reads.set(self.reads.get() + 1);
        let bytes = self.blobs.get(blob).filter(|_| !self.missing.contains(blob));
        let bytes = bytes.ok_or_else(|| CodeError::new(Unverifiable::PartialClone, "the blob is missing"))?;
        if bytes.len() as u64 > bytes_max {
            return Err(CodeError::new(Unverifiable::TooLarge, "the blob is too large"));
        }
        Ok(Arc::clone(bytes))
    }

    fn prefetch(&self, blobs: &[ObjectId], _: u64) {
        self.announced.borrow_mut().extend(blobs);
    }

    fn files(&self, at: &Revision) -> CodeResult<Arc<Vec<CodeFile>>> {
        let file = |(path, (kind, id)): (&String, &(EntryKind, ObjectId))| {
            let bytes = self.blobs.get(id).map(|bytes| bytes.len() as u64);
            CodeFile { path: path.clone(), entry: CodeEntry { kind: *kind, id: *id, bytes } }
        };
        Ok(Arc::new(self.tree(at)?.iter().map(file).collect()))
    }

    fn renames(&self, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Arc<Vec<Rename>>> {
        Ok(Arc::new(self.renamed(self.tree(&Revision::Commit(*from))?, self.tree(to)?, similarity)))
    }

    fn history(&self, ask: &HistoryAsk) -> CodeResult<Option<History>> {
        self.check()?;
        if self.renames_left_out {
            return Ok(None);
        }
        let place = |id: &ObjectId| self.commits.iter().position(|(known, _)| known == id);
        let end = place(&ask.tip).map_or(0, |at| at + 1);
        let start = ask.without.as_ref().and_then(place).map_or(0, |at| at + 1);
        let all: Vec<_> = self.commits.iter().enumerate().take(end).skip(start).rev().collect();
        let commit = |(number, (id, _)): &(usize, &(ObjectId, Tree))| HistoryCommit {
            id: *id,
            parents: number
                .checked_sub(1)
                .and_then(|before| self.commits.get(before))
                .map(|(id, _)| *id)
                .into_iter()
                .collect(),
            at_s: i64::try_from(*number).unwrap_or(0) * 3_600,
            subject: self.subjects.get(id).cloned().unwrap_or_else(|| format!("commit {number}")),
        };
        let commits: Vec<_> = all.iter().take(ask.commits_max).map(commit).collect();
        Ok(Some(History { is_cut: commits.len() < all.len(), commits }))
    }

    fn changes(&self, id: &ObjectId, similarity: u8) -> CodeResult<Option<CommitChanges>> {
        self.check()?;
        self.changes.set(self.changes.get() + 1);
        let Some(at) = self.commits.iter().position(|(known, _)| known == id) else { return Ok(None) };
        let nothing = Tree::new();
        let before = at.checked_sub(1).and_then(|at| self.commits.get(at)).map_or(&nothing, |(_, tree)| tree);
        let after = self.commits.get(at).map_or(&nothing, |(_, tree)| tree);
        let renames = self.renamed(before, after, similarity);
        let paths = |tree: &Tree, is_wanted: &dyn Fn(&String) -> bool| -> Vec<String> {
            tree.keys().filter(|path| is_wanted(path)).cloned().collect()
        };
        let is_moved =
            |path: &String| renames.iter().any(|rename| rename.from == *path || rename.to == *path);
        Ok(Some(CommitChanges {
            changed: paths(after, &|path| before.get(path).is_some_and(|old| Some(old) != after.get(path))),
            come: paths(after, &|path| !before.contains_key(path) && !is_moved(path)),
            gone: paths(before, &|path| !after.contains_key(path) && !is_moved(path)),
            renames,
        }))
    }

    fn may_lack_renames(&self, _: &ObjectId, _: &Revision) -> CodeResult<bool> {
        self.check()?;
        Ok(self.renames_left_out)
    }

    fn follow(
        &self,
        path: &str,
        from: &ObjectId,
        to: &Revision,
        similarity: u8,
    ) -> CodeResult<Option<String>> {
        self.tree(&Revision::Commit(*from))?;
        self.tree(to)?;
        let (Some(first), Some(last)) = (self.place(from), to.commit().and_then(|to| self.place(&to))) else {
            return Ok(None);
        };
        let mut path = path.to_owned();
        for step in self.commits.get(first..=last).unwrap_or_default().windows(2) {
            let [(_, before), (_, after)] = step else { continue };
            if after.contains_key(&path) {
                continue;
            }
            let renames = self.renamed(before, after, similarity);
            match renames.into_iter().find(|rename| rename.from == path) {
                Some(rename) => path = rename.to,
                None => return Ok(None),
            }
        }
        Ok(Some(path))
    }

    fn origin(&self, path: &str, from: &ObjectId, to: &Revision, similarity: u8) -> CodeResult<Origin> {
        self.tree(&Revision::Commit(*from))?;
        self.tree(to)?;
        let (Some(first), Some(last)) = (self.place(from), to.commit().and_then(|to| self.place(&to))) else {
            return Ok(Origin::Unknown);
        };
        let mut path = path.to_owned();
        for step in self.commits.get(first..=last).unwrap_or_default().windows(2).rev() {
            let [(_, before), (_, after)] = step else { continue };
            if before.contains_key(&path) {
                continue;
            }
            let renames = self.renamed(before, after, similarity);
            match renames.into_iter().find(|rename| rename.to == path) {
                Some(rename) => path = rename.from,
                None => return Ok(Origin::New),
            }
        }
        Ok(Origin::From(path))
    }

    fn unlisted(&self, _: &Revision) -> CodeResult<Arc<Vec<String>>> {
        Ok(Arc::new(self.unlisted.clone()))
    }

    fn roots(&self, _: &ObjectId) -> CodeResult<Vec<ObjectId>> {
        Ok(self.root().filter(|_| !self.is_cut_off).into_iter().collect())
    }

    fn is_ancestor(&self, older: &ObjectId, newer: &ObjectId) -> CodeResult<bool> {
        self.check()?;
        if self.aside.contains(older) {
            return Ok(older == newer);
        }
        Ok(matches!((self.place(older), self.place(newer)), (Some(older), Some(newer)) if older <= newer))
    }
}

fn id_of(kind: &str, bytes: &[u8]) -> ObjectId {
    let digest = Sha256::new().chain_update(kind).chain_update(b"\0").chain_update(bytes).finalize();
    let Some(id) = digest.get(..20).and_then(ObjectId::from_bytes) else {
        unreachable!("a digest has 32 bytes")
    };
    id
}
