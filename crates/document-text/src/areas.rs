//! The areas of a tree of documents, and the rights to write in them. The path of a document alone
//! decides its area.

use loci_model::record::Record;
use loci_model::{Error, Result};

use super::path::DocumentPath;

/// The directory of documents, and the default directory of new ones.
pub const KNOWLEDGE: &str = "knowledge";
/// The directory of documents that every prompt shows in full.
pub const SYSTEM: &str = "knowledge/system";
/// The directory of the conversations that Loci writes as files.
pub const SESSIONS: &str = "sessions";
/// The directory of the reports of consolidation that Loci writes as files.
pub(crate) const CONSOLIDATION: &str = "consolidation";

/// An area of a tree of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Every caller with a grant of write may write in this area.
    Open,
    /// Every prompt shows the documents of this area in full. Only administrators may write in it.
    System,
    /// Loci writes the files of this area. No caller may write in it.
    Rendered,
    /// The path is in none of the tree's areas. No caller may write there.
    Outside,
}

impl Area {
    /// Returns the area that a path lies in.
    pub fn of(path: &DocumentPath) -> Self {
        // A document with the directory's own name would take the directory's place.
        if path.is_below(SYSTEM) || path.key().as_str() == SYSTEM {
            Self::System
        } else if path.is_below(KNOWLEDGE) {
            Self::Open
        } else if path.is_below(SESSIONS) || path.is_below(CONSOLIDATION) {
            Self::Rendered
        } else {
            Self::Outside
        }
    }
}

/// Returns true if the path of the record is in the area that every prompt shows in full.
pub fn is_always_loaded(record: &Record) -> bool {
    let path = record.path.as_deref().and_then(|path| DocumentPath::check(path).ok());
    path.is_some_and(|path| Area::of(&path) == Area::System)
}

/// Checks that a caller may write at a path.
///
/// # Errors
/// `Denied` for rendered areas, and for the system area if the caller is not an administrator;
/// `Invalid` outside of the tree's areas.
pub fn check_writable(path: &DocumentPath, is_admin: bool) -> Result<()> {
    match Area::of(path) {
        Area::Open => Ok(()),
        Area::System if is_admin => Ok(()),
        Area::System => {
            let rule = "knowledge/system/ is loaded with every prompt: writing there needs a grant of admin on the \
                        namespace; write to knowledge/facts/ instead";
            Err(Error::denied(rule).on("path"))
        }
        Area::Rendered => {
            let rule =
                "sessions/ and consolidation/ are written by Loci alone: write below knowledge/ instead";
            Err(Error::denied(rule).on("path"))
        }
        Area::Outside => {
            let rule = "a document's path must lie below knowledge/, like knowledge/facts/editor-theme.md";
            Err(Error::invalid("path", rule))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::ErrorKind;

    #[test]
    fn who_may_write_where() {
        let check = |path: &str, is_admin: bool, expect: Option<ErrorKind>| {
            let path = DocumentPath::parse(path).unwrap();
            assert_eq!(check_writable(&path, is_admin).err().map(|error| error.kind), expect, "{path}");
        };
        check("knowledge/facts/a.md", false, None);
        check("knowledge/own/deep/a.md", false, None);
        check("knowledge/systems/a.md", false, None);
        check("knowledge/system/a.md", true, None);
        for path in ["knowledge/system/a.md", "Knowledge/SYSTEM/a.md", "knowledge/system", "knowledge/System"]
        {
            check(path, false, Some(ErrorKind::Denied));
        }
        for path in ["sessions/current.md", "consolidation/changelog.md", "Sessions/x.md"] {
            check(path, true, Some(ErrorKind::Denied));
        }
        for path in ["a.md", "knowledge", "knowledgeable/a.md", "notes/a.md"] {
            check(path, true, Some(ErrorKind::Invalid));
        }
    }
}
