//! The folder of one memory on this machine. Under a configured root, it is the directory named
//! like the memory's id. Ids are never reused, so that no other memory gets access to what remains
//! in it.

use std::path::{Component, Path, PathBuf};

use loci_model::MemoryId;

/// Returns true if the path is inside a memory's folder under one of these roots. The folder itself
/// does not count.
pub(crate) fn holds(roots: &[PathBuf], memory: &MemoryId, place: &Path) -> bool {
    let Some(real) = real_place(place) else { return false };
    roots.iter().any(|root| {
        // The folder may be a link made by the operator; links under it that lead out of it are
        // rejected.
        let folder = root.join(memory.as_str());
        let folder = folder.canonicalize().unwrap_or(folder);
        real != folder && real.starts_with(&folder)
    })
}

/// Returns the path with its links followed, as far as it exists; `None` if the rest leads upwards.
fn real_place(place: &Path) -> Option<PathBuf> {
    if !place.is_absolute() {
        return None;
    }
    for above in place.ancestors() {
        let rest = place.strip_prefix(above).ok()?;
        if !rest.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        match above.canonicalize() {
            Ok(real) => return Some(real.join(rest)),
            // A dangling link may lead anywhere when it is used.
            Err(_) if above.symlink_metadata().is_ok() => return None,
            Err(_) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_has_its_folder_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let [own, other] = ["own-0123456789", "other-012345678"].map(|id| MemoryId::parse(id).ok());
        let own = own.unwrap();
        assert!(other.is_none());
        let other = "other-0123456789";
        for path in [own.as_str(), other, "elsewhere"] {
            std::fs::create_dir_all(root.join(path).join("clone")).unwrap();
        }
        std::os::unix::fs::symlink(root.join(other), root.join(own.as_str()).join("link")).unwrap();
        std::os::unix::fs::symlink(root.join(own.as_str()), root.join("elsewhere/link")).unwrap();
        let roots = [root.clone()];
        let check = |path: &str, expect: bool| {
            assert_eq!(holds(&roots, &own, &root.join(path)), expect, "{path}");
        };
        check("own-0123456789/clone", true);
        check("own-0123456789/not/there/yet", true);
        check("elsewhere/link/clone", true);
        check("own-0123456789", false);
        check("own-0123456789/link/clone", false);
        check("own-0123456789/link/new", false);
        std::os::unix::fs::symlink(root.join("nowhere"), root.join(own.as_str()).join("dangling")).unwrap();
        check("own-0123456789/dangling/new", false);
        check("own-0123456789/../other-0123456789/clone", false);
        check("own-0123456789/new/../../other-0123456789/clone", false);
        check("other-0123456789/clone", false);
        check("elsewhere/clone", false);
        check("", false);
        assert!(!holds(&roots, &own, Path::new("own-0123456789/clone")), "a relative one is of no place");
        assert!(!holds(&roots, &own, Path::new("/")));
        assert!(!holds(&[], &own, &root.join("own-0123456789/clone")));
    }
}
