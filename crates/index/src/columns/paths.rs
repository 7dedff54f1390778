//! The files that records belong to, with the terms of their paths. For ranking by path, each file
//! is one document.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A file that records of a namespace belong to.
#[derive(Debug)]
pub(crate) struct FilePath {
    /// The number of the file's namespace.
    pub(crate) namespace: u32,
    /// The path of the file as the records contain it.
    pub(crate) path: Arc<str>,
    /// The terms of the path.
    pub(crate) terms: Box<[u32]>,
    /// The number of active records that belong to the file, by group.
    groups: BTreeMap<u32, u32>,
}

impl FilePath {
    /// Returns true if an active record in a group accepted by `admits` belongs to the file.
    fn counts(&self, admits: &impl Fn(u32) -> bool) -> bool {
        self.groups.keys().any(|group| admits(*group))
    }
}

/// Counts of the file paths in a scope, for ranking by path.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PathCounts {
    /// The number of paths.
    pub(crate) paths: u32,
    /// The total number of terms in the paths.
    pub(crate) terms: u64,
    /// The number of paths that contain each requested term.
    pub(crate) df: Vec<u32>,
}

/// All files.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    paths: Vec<FilePath>,
    by_key: HashMap<(u32, Arc<str>), u32>,
}

impl Paths {
    /// Returns the number of a path in a namespace. `terms` is called only for a new path.
    pub(crate) fn intern(&mut self, namespace: u32, path: &str, terms: impl FnOnce() -> Vec<u32>) -> u32 {
        let key = (namespace, Arc::from(path));
        if let Some(number) = self.by_key.get(&key) {
            return *number;
        }
        let number = self.paths.len() as u32;
        let (path, terms) = (Arc::clone(&key.1), terms().into());
        let file = FilePath { namespace, path, terms, groups: BTreeMap::new() };
        self.paths.push(file);
        self.by_key.insert(key, number);
        number
    }

    /// Returns the file with a number.
    pub(crate) fn get(&self, path: u32) -> Option<&FilePath> {
        self.paths.get(path as usize)
    }

    /// Counts an active record of a group that belongs to the file.
    pub(crate) fn join(&mut self, path: u32, group: u32) {
        if let Some(file) = self.paths.get_mut(path as usize) {
            *file.groups.entry(group).or_default() += 1;
        }
    }

    /// Counts one active record of a group less that belongs to the file.
    pub(crate) fn leave(&mut self, path: u32, group: u32) {
        let Some(file) = self.paths.get_mut(path as usize) else { return };
        if let Some(count) = file.groups.get_mut(&group) {
            *count -= 1;
            if *count == 0 {
                file.groups.remove(&group);
            }
        }
    }

    /// Counts the paths with an active record in an admitted group.
    pub(crate) fn count(&self, terms: &[Option<u32>], admits: impl Fn(u32) -> bool) -> PathCounts {
        counts(terms, self.paths.iter().filter(|file| file.counts(&admits)))
    }

    /// Counts the given paths.
    pub(crate) fn count_each(&self, terms: &[Option<u32>], paths: &BTreeSet<u32>) -> PathCounts {
        counts(terms, paths.iter().filter_map(|path| self.get(*path)))
    }

    /// Returns the approximate memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts: usize = self.paths.iter().map(|file| file.path.len() + file.terms.len() * 4).sum();
        self.paths.len() * 120 + texts
    }
}

fn counts<'a>(terms: &[Option<u32>], files: impl Iterator<Item = &'a FilePath>) -> PathCounts {
    let mut counts = PathCounts { df: vec![0; terms.len()], ..PathCounts::default() };
    for file in files {
        counts.paths += 1;
        counts.terms += file.terms.len() as u64;
        for (df, term) in counts.df.iter_mut().zip(terms) {
            *df += u32::from(term.is_some_and(|term| file.terms.contains(&term)));
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_counts_while_an_admitted_record_belongs_to_it() {
        let mut paths = Paths::default();
        let a = paths.intern(0, "src/a.rs", || vec![1, 2, 3]);
        let b = paths.intern(1, "src/a.rs", || vec![1, 2, 3]);
        assert_eq!((a, b, paths.intern(0, "src/a.rs", Vec::new)), (0, 1, 0));
        paths.join(a, 5);
        paths.join(a, 5);
        paths.join(b, 6);
        let count = |paths: &Paths, group| {
            let counts = paths.count(&[Some(2), Some(9), None], |other| other == group);
            (counts.paths, counts.terms, counts.df)
        };
        assert_eq!(count(&paths, 5), (1, 3, vec![1, 0, 0]));
        paths.leave(a, 5);
        assert_eq!(count(&paths, 5), (1, 3, vec![1, 0, 0]));
        paths.leave(a, 5);
        assert_eq!(count(&paths, 5), (0, 0, vec![0, 0, 0]));
        assert_eq!(count(&paths, 6), (1, 3, vec![1, 0, 0]));
    }
}
