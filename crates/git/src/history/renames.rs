//! Finds renamed files by comparing two revisions: first equal content, then equal names with high
//! similarity, then the highest similarity. The algorithm is that of git, so that both give the
//! same result.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId, Rename, Revision};
use loci_model::ports::code::{CodeError, CodeResult};

use crate::fault;
use crate::history::likeness::{self, Fingerprint, SharedFingerprint};
use crate::limits::{
    COMPARED_BYTES_MAX, COMPARED_MAX, COMPARED_TOTAL_BYTES_MAX, FINGERPRINTS_BYTES_MAX, PAIRS_MAX, PIECES_MAX,
};
use crate::source::Source;
use crate::trees::Difference;

/// The maximum number of candidates per new file, most similar first; as in git.
const CANDIDATES_MAX: usize = 4;

impl Source {
    pub(crate) fn renamed(
        &self,
        from: &ObjectId,
        to: &Revision,
        similarity: u8,
    ) -> CodeResult<Arc<Vec<Rename>>> {
        let repository = &self.repository;
        let old = repository.commit(from)?.tree;
        match to {
            Revision::Commit(to) => self.renamed_trees(&old, &repository.commit(to)?.tree, similarity),
            // Files may change at any time, so the result is not cached.
            Revision::Worktree(_) => {
                let difference = between(&repository.tree_files(&old)?, &self.worktree_files()?);
                self.pair(difference, similarity).map(Arc::new)
            }
        }
    }

    pub(crate) fn renamed_trees(
        &self,
        old: &ObjectId,
        new: &ObjectId,
        similarity: u8,
    ) -> CodeResult<Arc<Vec<Rename>>> {
        let key = (self.repository.number, *old, *new, similarity);
        if let Some(known) = self.repository.caches.renames.get(&key) {
            return Ok(known);
        }
        let renames = Arc::new(self.pair(self.repository.tree_difference(old, new)?, similarity)?);
        let bytes =
            renames.iter().map(|rename| size_of::<Rename>() + rename.from.len() + rename.to.len()).sum();
        self.repository.caches.renames.put(key, Arc::clone(&renames), bytes);
        Ok(renames)
    }

    pub(crate) fn pair(&self, difference: Difference, similarity: u8) -> CodeResult<Vec<Rename>> {
        let is_wanted = |file: &CodeFile| matches!(file.entry.kind, EntryKind::File | EntryKind::Symlink);
        let mut pairs = Pairs {
            gone: difference.gone.into_iter().filter(|file| is_wanted(file)).collect(),
            come: difference.come.into_iter().filter(|file| is_wanted(file)).collect(),
            found: BTreeMap::new(),
            taken: BTreeSet::new(),
            bytes_left: COMPARED_TOTAL_BYTES_MAX,
        };
        pairs.same_content();
        if similarity < 100 {
            let wanted = likeness::wanted(similarity);
            self.same_names(&mut pairs, wanted.midpoint(likeness::WHOLE))?;
            self.most_alike(&mut pairs, wanted)?;
        }
        Ok(pairs.renames())
    }

    /// Pairs files whose name occurs only once on each side: with such a name a lower similarity,
    /// halfway to full, is enough.
    fn same_names(&self, pairs: &mut Pairs, wanted: u64) -> CodeResult<()> {
        let (gone, come) = (once(&pairs.open_gone()), once(&pairs.open_come()));
        let mut both: Vec<_> = gone.iter().filter_map(|(name, old)| Some((*old, *come.get(name)?))).collect();
        both.sort_unstable();
        both.truncate(COMPARED_MAX);
        for (old, new) in both {
            let (Some(gone), Some(come)) = (pairs.gone.get(old), pairs.come.get(new)) else { continue };
            let (gone, come) = (self.fingerprint(gone)?, self.fingerprint(come)?);
            pairs.spend(gone.as_ref())?;
            pairs.spend(come.as_ref())?;
            let (Some(gone), Some(come)) = (gone, come) else { continue };
            if likeness_of(&gone, &come, wanted) >= wanted {
                pairs.join(old, new);
            }
        }
        Ok(())
    }

    fn most_alike(&self, pairs: &mut Pairs, wanted: u64) -> CodeResult<()> {
        let (gone, come) = (pairs.open_gone_places(), pairs.open_come_places());
        if gone.len().saturating_mul(come.len()) > PAIRS_MAX || gone.len() + come.len() > COMPARED_MAX {
            return Ok(());
        }
        let mut held = 0;
        let gone = self.prints(pairs, gone, |pairs| &pairs.gone, &mut held)?;
        let come = self.prints(pairs, come, |pairs| &pairs.come, &mut held)?;
        let mut pieces = PIECES_MAX;
        let mut candidates = Vec::new();
        for (new, new_print) in &come {
            let mut best = Vec::new();
            for (old, old_print) in &gone {
                let both = old_print.as_ref().zip(new_print.as_ref());
                let likeness = match both {
                    Some((old, new)) => counted(old, new, wanted, &mut pieces)?,
                    None => 0,
                };
                let other_name = pairs.name_of_gone(*old) != pairs.name_of_come(*new);
                keep(&mut best, (RenameRank(Reverse(likeness), other_name), *old, *new));
            }
            candidates.append(&mut best);
        }
        // The sort is stable.
        candidates.sort_by_key(|(badness, _, _)| *badness);
        for (_, old, new) in candidates.into_iter().filter(|(badness, _, _)| badness.0.0 >= wanted) {
            pairs.join(old, new);
        }
        Ok(())
    }

    /// Returns the fingerprints of these files; none for files that are too large, not in this
    /// clone, or not regular.
    fn prints(
        &self,
        pairs: &mut Pairs,
        places: Vec<usize>,
        files: fn(&Pairs) -> &[CodeFile],
        held: &mut usize,
    ) -> CodeResult<Vec<Print>> {
        let mut prints = Vec::with_capacity(places.len());
        for place in places {
            let print = files(pairs).get(place).map(|file| self.fingerprint(file)).transpose()?.flatten();
            pairs.spend(print.as_ref())?;
            *held += print.as_ref().map_or(0, |print| print.weight());
            if *held > FINGERPRINTS_BYTES_MAX {
                return Err(too_much());
            }
            prints.push((place, print));
        }
        Ok(prints)
    }

    fn fingerprint(&self, file: &CodeFile) -> CodeResult<Option<SharedFingerprint>> {
        if file.entry.kind != EntryKind::File {
            return Ok(None);
        }
        let repository = &self.repository;
        let key = (repository.number, file.entry.id);
        if let Some(known) = repository.caches.fingerprints.get(&key) {
            return Ok(Some(known));
        }
        if self.blob_bytes(&file.entry.id)?.is_none_or(|bytes| bytes > COMPARED_BYTES_MAX) {
            return Ok(None);
        }
        let content = self.blob(&file.entry.id, COMPARED_BYTES_MAX)?;
        let print = Arc::new(Fingerprint::of(&content));
        repository.caches.fingerprints.put(key, Arc::clone(&print), print.weight());
        Ok(Some(print))
    }
}

/// The sort key of a candidate: lower similarity first, then another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RenameRank(Reverse<u64>, bool);

type Print = (usize, Option<SharedFingerprint>);
type Candidate = (RenameRank, usize, usize);

/// Adds a candidate if there is room, or replaces the first of the worst ones. Among equally
/// similar candidates git takes the one at the lowest index, so the indexes must equal those of
/// git.
fn keep(best: &mut Vec<Candidate>, candidate: Candidate) {
    if best.len() < CANDIDATES_MAX {
        best.push(candidate);
        return;
    }
    let worst = best.iter_mut().reduce(|worst, other| if other.0 > worst.0 { other } else { worst });
    if let Some(worst) = worst.filter(|worst| worst.0 > candidate.0) {
        *worst = candidate;
    }
}

/// Files to be paired, by index in the two lists.
struct Pairs {
    gone: Vec<CodeFile>,
    come: Vec<CodeFile>,
    found: BTreeMap<usize, usize>,
    taken: BTreeSet<usize>,
    /// The number of bytes of files that may still be read.
    bytes_left: u64,
}

impl Pairs {
    /// Pairs files with equal content: of several the one with the same name, otherwise the first.
    fn same_content(&mut self) {
        for (old, new) in self.matched(|file| (file.entry.id, file.entry.kind, name_of(&file.path))) {
            self.join(old, new);
        }
        for (old, new) in self.matched(|file| (file.entry.id, file.entry.kind)) {
            self.join(old, new);
        }
    }

    /// Returns pairs of unpaired files with equal keys, the first with the first, in linear time.
    fn matched<'s, K: Hash + Eq>(&'s self, key: impl Fn(&'s CodeFile) -> K) -> Vec<(usize, usize)> {
        let mut waiting: HashMap<K, VecDeque<usize>> = HashMap::new();
        for new in self.open_come_places() {
            if let Some(file) = self.come.get(new) {
                waiting.entry(key(file)).or_default().push_back(new);
            }
        }
        let pair = |old: usize| {
            let new = waiting.get_mut(&key(self.gone.get(old)?))?.pop_front()?;
            Some((old, new))
        };
        self.open_gone_places().into_iter().filter_map(pair).collect()
    }

    fn spend(&mut self, print: Option<&SharedFingerprint>) -> CodeResult<()> {
        let bytes = print.map_or(0, |print| print.bytes);
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(too_much)?;
        Ok(())
    }

    fn join(&mut self, old: usize, new: usize) {
        if !self.found.contains_key(&old) && self.taken.insert(new) {
            self.found.insert(old, new);
        }
    }

    fn open_gone_places(&self) -> Vec<usize> {
        (0..self.gone.len()).filter(|place| !self.found.contains_key(place)).collect()
    }

    fn open_come_places(&self) -> Vec<usize> {
        (0..self.come.len()).filter(|place| !self.taken.contains(place)).collect()
    }

    fn open_gone(&self) -> Vec<(usize, &str)> {
        self.open_gone_places().into_iter().map(|place| (place, self.name_of_gone(place))).collect()
    }

    fn open_come(&self) -> Vec<(usize, &str)> {
        self.open_come_places().into_iter().map(|place| (place, self.name_of_come(place))).collect()
    }

    fn name_of_gone(&self, place: usize) -> &str {
        self.gone.get(place).map_or("", |file| name_of(&file.path))
    }

    fn name_of_come(&self, place: usize) -> &str {
        self.come.get(place).map_or("", |file| name_of(&file.path))
    }

    fn renames(&self) -> Vec<Rename> {
        let path = |files: &[CodeFile], place: usize| files.get(place).map(|file| file.path.clone());
        self.found
            .iter()
            .filter_map(|(old, new)| {
                Some(Rename { from: path(&self.gone, *old)?, to: path(&self.come, *new)? })
            })
            .collect()
    }
}

/// Pairs `count` files with equal content, each of them moved, and returns the number of pairs.
pub(crate) fn moved_copies(count: usize) -> usize {
    let id = ObjectId::from_bytes(&[1; 20]);
    let list = |folder: &str| {
        let entry = |id| CodeEntry { kind: EntryKind::File, id, bytes: None };
        let file =
            |id, number: usize| CodeFile { path: format!("{folder}/{number}-{folder}"), entry: entry(id) };
        id.into_iter().flat_map(|id| (0..count).map(move |number| file(id, number))).collect()
    };
    let mut pairs = Pairs {
        gone: list("gone"),
        come: list("come"),
        found: BTreeMap::new(),
        taken: BTreeSet::new(),
        bytes_left: 0,
    };
    pairs.same_content();
    pairs.found.len()
}

/// Returns the error for exceeding the limit of comparisons.
fn too_much() -> CodeError {
    fault::too_large("what two revisions have of files that may have been renamed")
}

/// Returns the similarity of two files, or 0 if their sizes show that it is too low.
fn likeness_of(old: &Fingerprint, new: &Fingerprint, wanted: u64) -> u64 {
    if likeness::is_possible(old.bytes, new.bytes, wanted) { old.likeness(new) } else { 0 }
}

/// Returns the similarity as [`likeness_of`] does, within the remaining number of pieces.
fn counted(old: &Fingerprint, new: &Fingerprint, wanted: u64, pieces: &mut u64) -> CodeResult<u64> {
    if !likeness::is_possible(old.bytes, new.bytes, wanted) {
        return Ok(0);
    }
    *pieces = pieces.checked_sub(old.pieces() + new.pieces()).ok_or_else(too_much)?;
    Ok(old.likeness(new))
}

/// Returns the names that occur once in a list, with their indexes.
fn once<'a>(files: &[(usize, &'a str)]) -> HashMap<&'a str, usize> {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (place, name) in files {
        places.entry(name).and_modify(|known| *known = None).or_insert(Some(*place));
    }
    places.into_iter().filter_map(|(name, place)| Some((name, place?))).collect()
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the entries that are in only one of two sorted lists.
fn between(old: &[CodeFile], new: &[CodeFile]) -> Difference {
    let mut difference = Difference::default();
    let (mut left, mut right) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => a.path.cmp(&b.path),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => return difference,
        };
        let gone = if order.is_le() { left.next() } else { None };
        let come = if order.is_ge() { right.next() } else { None };
        match (gone, come) {
            (Some(_), Some(_)) | (None, None) => {}
            (Some(file), None) => difference.gone.push(file.clone()),
            (None, Some(file)) => difference.come.push(file.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equals_the_one_in_the_foremost_place_is_kept_first() {
        let mut best = Vec::new();
        let kept = |best: &[Candidate]| best.iter().map(|(_, old, _)| *old).collect::<Vec<_>>();
        for (old, likeness) in [9, 1, 2, 3, 5, 5].into_iter().enumerate() {
            keep(&mut best, (RenameRank(Reverse(likeness), true), old, 0));
        }
        assert_eq!(kept(&best), [0, 4, 5, 3]);
        keep(&mut best, (RenameRank(Reverse(3), true), 6, 0));
        assert_eq!(kept(&best), [0, 4, 5, 3], "no worse one is there");
        keep(&mut best, (RenameRank(Reverse(3), false), 7, 0));
        assert_eq!(kept(&best), [0, 4, 5, 7], "the same name is better");
    }
}
