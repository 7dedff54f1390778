//! Finds markers of mirrors under their roots, including those of former mirrors. It reads only
//! markers and names, follows no links, and does not search for mirrors inside a mirror.

use std::io::ErrorKind;
use std::path::PathBuf;

use loci_model::ports::files::{FoundMarker, FoundMarkers, MARKER};

use super::directory::{DEPTH_MAX, MARKER_BYTES_MAX, NAMES_MAX};
use crate::confined_files::{Dir, EntryType};

/// The maximum number of directories per search, including those of mirrors.
const DIRECTORIES_MAX: usize = 10_000;
/// The names under which a bare repository stores commits and references.
const OF_COMMITS: [&str; 4] = ["objects", "refs", "packed-refs", "logs"];

/// A search for markers.
struct MarkerSearch {
    found: FoundMarkers,
    /// The number of directories that the search may still enter.
    left: usize,
}

/// Searches for markers under these roots. A mirror with nothing except its marker is skipped, and
/// so is a repository without commits.
pub(super) fn markers_below(roots: &[PathBuf]) -> FoundMarkers {
    let found = FoundMarkers { markers: Vec::new(), is_whole: true };
    let mut look = MarkerSearch { found, left: DIRECTORIES_MAX };
    for root in roots {
        let real = match root.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(_) => {
                look.found.is_whole = false;
                continue;
            }
        };
        match Dir::open(&real) {
            Ok(Some(dir)) => look.walk(&dir, "", 0),
            Ok(None) => {}
            Err(_) => look.found.is_whole = false,
        }
    }
    let mut found = look.found;
    found.markers.sort_by(|one, other| (&one.path, &one.text).cmp(&(&other.path, &other.text)));
    found.markers.dedup();
    found
}

impl MarkerSearch {
    fn walk(&mut self, dir: &Dir, path: &str, depth: usize) {
        if self.left == 0 || depth > DEPTH_MAX {
            self.found.is_whole = false;
            return;
        }
        self.left -= 1;
        for (marker, is_repository) in [(MARKER, false), (super::bare_repository::MARKER, true)] {
            match dir.read(marker.as_bytes(), MARKER_BYTES_MAX) {
                Ok(Some(text)) => {
                    let holds =
                        if is_repository { self.holds_commits(dir) } else { self.holds_files(dir, 0) };
                    if holds {
                        let text = String::from_utf8_lossy(&text).into_owned();
                        let path = if path.is_empty() { ".".to_owned() } else { path.to_owned() };
                        self.found.markers.push(FoundMarker { path, text });
                    }
                    return;
                }
                Ok(None) => {}
                Err(_) => self.found.is_whole = false,
            }
        }
        let Ok(names) = dir.names(NAMES_MAX) else {
            self.found.is_whole = false;
            return;
        };
        for name in names {
            if !matches!(dir.look(&name), Ok(Some((EntryType::Directory, _)))) {
                continue;
            }
            let shown = String::from_utf8_lossy(&name);
            let shown = if path.is_empty() { shown.into_owned() } else { format!("{path}/{shown}") };
            match dir.directory(&name) {
                Ok(Some(inner)) => self.walk(&inner, &shown, depth + 1),
                Ok(None) => {}
                Err(_) => self.found.is_whole = false,
            }
        }
    }

    /// True if a repository has commits or objects, or may have them.
    fn holds_commits(&mut self, dir: &Dir) -> bool {
        OF_COMMITS.iter().any(|name| self.is_held(dir, name.as_bytes(), 0))
    }

    /// True if a directory contains, or may contain, anything except a marker at the top and empty
    /// directories.
    fn holds_files(&mut self, dir: &Dir, depth: usize) -> bool {
        let Ok(names) = dir.names(NAMES_MAX) else { return true };
        let mut names = names.iter().filter(|name| depth > 0 || name.as_slice() != MARKER.as_bytes());
        names.any(|name| self.is_held(dir, name, depth))
    }

    /// True for a file, and for a directory that contains one or is no longer entered.
    fn is_held(&mut self, dir: &Dir, name: &[u8], depth: usize) -> bool {
        match dir.look(name) {
            Ok(Some((EntryType::Directory, _))) if depth < DEPTH_MAX => {}
            Ok(Some(_)) | Err(_) => return true,
            Ok(None) => return false,
        }
        if self.left == 0 {
            self.found.is_whole = false;
            return true;
        }
        self.left -= 1;
        match dir.directory(name) {
            Ok(Some(inner)) => self.holds_files(&inner, depth + 1),
            Ok(None) => false,
            Err(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_of_mirrors_that_hold_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("mirrors");
        let write = |path: &str, text: &str| {
            let place = root.join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        };
        write("desk/.loci-mirror", "version 1\na\n");
        write("desk/knowledge/x.md", "x");
        write("desk/inner/.loci-mirror", "version 1\ninner\n");
        write("desk/inner/y.md", "y");
        write("own-0123456789/deep/shelf/.loci-mirror", "version 1\nb\n");
        write("own-0123456789/deep/shelf/.note.md~", "x");
        write("team.git/loci-mirror", "version 1\nc\n");
        write("team.git/refs/heads/main", "0123456789\n");
        write("packed.git/loci-mirror", "version 1\nf\n");
        write("packed.git/objects/pack/pack-1.pack", "PACK");
        // The state after its last commit was removed.
        write("gone.git/loci-mirror", "version 1\ng\n");
        write("gone.git/HEAD", "ref: refs/heads/main\n");
        write("gone.git/config", "[core]\n");
        for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
            std::fs::create_dir_all(root.join("gone.git").join(folder)).unwrap();
        }
        write("emptied/.loci-mirror", "version 1\nd\n");
        std::fs::create_dir_all(root.join("emptied/knowledge/facts")).unwrap();
        write("plain/note.md", "x");
        let outside = folder.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join(MARKER), "version 1\ne\n").unwrap();
        std::fs::write(outside.join("z.md"), "z").unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        let found = markers_below(&[root.clone(), root.clone(), folder.path().join("not-there")]);
        assert!(found.is_whole);
        let expect = [
            ("desk", "version 1\na\n"),
            ("own-0123456789/deep/shelf", "version 1\nb\n"),
            ("packed.git", "version 1\nf\n"),
            ("team.git", "version 1\nc\n"),
        ];
        let told: Vec<(&str, &str)> =
            found.markers.iter().map(|one| (one.path.as_str(), one.text.as_str())).collect();
        assert_eq!(told, expect);
    }

    #[test]
    fn a_look_that_is_cut_off_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let deep = |count: usize| {
            let root = folder.path().join(count.to_string());
            std::fs::create_dir_all(root.join(vec!["d"; count].join("/"))).unwrap();
            markers_below(&[root]).is_whole
        };
        assert!(deep(DEPTH_MAX));
        assert!(!deep(DEPTH_MAX + 1));
    }

    #[test]
    fn directories_of_mirrors_count_as_well() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(MARKER), "version 1\na\n").unwrap();
        for number in 0..8 {
            std::fs::create_dir(folder.path().join(number.to_string())).unwrap();
        }
        let look = |left: usize| {
            let found = FoundMarkers { markers: Vec::new(), is_whole: true };
            let mut look = MarkerSearch { found, left };
            look.walk(&Dir::open(folder.path()).unwrap().unwrap(), "", 0);
            (look.found.is_whole, look.found.markers.len())
        };
        assert_eq!(look(9), (true, 0));
        // A directory that was not entered may contain files.
        assert_eq!(look(8), (false, 1));
    }
}
