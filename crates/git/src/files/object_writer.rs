//! New objects of a repository: collected, then written and synced before any ref points to them. A
//! few become single files; many become one pack. Existing ones are not written again.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use loci_model::facts::code::ObjectId;
use loci_model::{Error, Result};

use super::pack_writer;
use crate::objects::format::{HashFormat, ObjectKind};
use crate::repository::Repository;

/// The maximum number of objects in single files. More become a pack.
const LOOSE_MAX: usize = 64;

/// The objects that will be written together.
pub(super) struct NewObjects {
    format: HashFormat,
    objects: BTreeMap<ObjectId, (ObjectKind, Vec<u8>)>,
    bytes: usize,
}

impl NewObjects {
    pub(super) fn new(format: HashFormat) -> Self {
        Self { format, objects: BTreeMap::new(), bytes: 0 }
    }

    /// Adds an object, and returns its id.
    pub(super) fn add(&mut self, kind: ObjectKind, content: Vec<u8>) -> Result<ObjectId> {
        let id = self.format.id_of(kind, &content).ok_or_else(|| Error::bug("an object without an id"))?;
        self.bytes += content.len();
        self.objects.entry(id).or_insert((kind, content));
        Ok(id)
    }

    /// Returns the content of an added object.
    pub(super) fn get(&self, id: &ObjectId) -> Option<&[u8]> {
        self.objects.get(id).map(|(_, content)| content.as_slice())
    }

    /// Returns the total size of the added objects, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes and syncs the objects that the repository at `place` lacks.
    pub(super) fn write(self, place: &Path, repository: &Repository) -> Result<()> {
        let mut lacking = Vec::new();
        for (id, (kind, content)) in self.objects {
            if repository.objects.header(&id).map_err(|error| damaged(&error.detail))?.is_none() {
                lacking.push((id, kind, content));
            }
        }
        if lacking.len() > LOOSE_MAX {
            return pack_writer::write(place, &lacking);
        }
        lacking.iter().try_for_each(|(id, kind, content)| loose(place, id, *kind, content))
    }
}

pub(super) fn damaged(detail: &str) -> Error {
    Error::unavailable(format!("the mirror's repository cannot be read: {detail}"))
}

pub(super) fn failed(error: std::io::Error) -> Error {
    Error::unavailable("the mirror's repository cannot be written").caused_by(error)
}

/// Returns the deflated data, as in packs and files of objects.
pub(super) fn deflated(parts: &[&[u8]]) -> std::io::Result<Vec<u8>> {
    let mut stream = ZlibEncoder::new(Vec::new(), Compression::fast());
    parts.iter().try_for_each(|part| stream.write_all(part))?;
    stream.finish()
}

/// Writes a single file for an object.
fn loose(place: &Path, id: &ObjectId, kind: ObjectKind, content: &[u8]) -> Result<()> {
    let hex = id.to_string();
    let (folder, name) = hex.split_at_checked(2).ok_or_else(|| Error::bug("a short object id"))?;
    let folder = place.join("objects").join(folder);
    let head = format!("{} {}\0", kind.word(), content.len());
    let work = || {
        fs::create_dir_all(&folder)?;
        durable(&folder, name, &deflated(&[head.as_bytes(), content])?)
    };
    work().map_err(failed)
}

/// Writes a file under another name, syncs it, and renames it.
pub(super) fn durable(folder: &Path, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    let beside = folder.join(format!("tmp_{name}"));
    let mut file = fs::File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&beside, folder.join(name))?;
    fs::File::open(folder)?.sync_all()
}
