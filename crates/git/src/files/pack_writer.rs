//! Writes many objects as one pack, without deltas, with its index (git's `pack-format`, version 2
//! of both).

use std::fs;
use std::path::Path;

use flate2::Crc;
use loci_model::facts::code::ObjectId;
use loci_model::{Error, Result};
use sha1::{Digest as _, Sha1};

use super::object_writer::{deflated, durable, failed};
use crate::objects::format::ObjectKind;

/// An object to be packed.
pub(super) type PackObject = (ObjectId, ObjectKind, Vec<u8>);

/// The offset of an object in its pack, and the checksum of its bytes there.
struct PackedObjectOffset {
    id: ObjectId,
    at: u32,
    crc: u32,
}

/// Writes and syncs a pack of these objects, sorted by id. Its index is written last, because the
/// pack is invisible without it.
pub(super) fn write(place: &Path, objects: &[PackObject]) -> Result<()> {
    let count = u32::try_from(objects.len()).map_err(|_| Error::bug("too many objects for a pack"))?;
    let mut pack = Vec::new();
    pack.extend_from_slice(b"PACK");
    pack.extend_from_slice(&2_u32.to_be_bytes());
    pack.extend_from_slice(&count.to_be_bytes());
    let mut lying = Vec::with_capacity(objects.len());
    for (id, kind, content) in objects {
        let at = u32::try_from(pack.len()).map_err(|_| Error::bug("a pack of more than 4 GiB"))?;
        let mut entry = head(*kind, content.len());
        entry.extend(deflated(&[content]).map_err(failed)?);
        let mut crc = Crc::new();
        crc.update(&entry);
        lying.push(PackedObjectOffset { id: *id, at, crc: crc.sum() });
        pack.extend(entry);
    }
    let sum = Sha1::digest(&pack);
    pack.extend_from_slice(&sum);
    let index = index(&lying, &sum);
    let folder = place.join("objects/pack");
    let name: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    let work = || {
        fs::create_dir_all(&folder)?;
        durable(&folder, &format!("pack-{name}.pack"), &pack)?;
        durable(&folder, &format!("pack-{name}.idx"), &index)
    };
    work().map_err(failed)
}

/// Returns the head of an entry: its type and size, in groups of 7 bits after the first 4.
fn head(kind: ObjectKind, bytes: usize) -> Vec<u8> {
    let code: u8 = match kind {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
        ObjectKind::Tag => 4,
    };
    let low = |value: usize, mask: usize| u8::try_from(value & mask).unwrap_or(0);
    let mut rest = bytes >> 4;
    let mut head = vec![code << 4 | low(bytes, 0x0f)];
    while rest > 0 {
        if let Some(last) = head.last_mut() {
            *last |= 0x80;
        }
        head.push(low(rest, 0x7f));
        rest >>= 7;
    }
    head
}

/// Returns the index of a pack whose objects are sorted by id.
fn index(lying: &[PackedObjectOffset], pack_sum: &[u8]) -> Vec<u8> {
    let mut index = vec![0xff, b't', b'O', b'c'];
    index.extend_from_slice(&2_u32.to_be_bytes());
    for first in 0..=255_u8 {
        let count = lying.partition_point(|one| one.id.as_bytes().first().is_some_and(|byte| *byte <= first));
        index.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes());
    }
    lying.iter().for_each(|one| index.extend_from_slice(one.id.as_bytes()));
    lying.iter().for_each(|one| index.extend_from_slice(&one.crc.to_be_bytes()));
    lying.iter().for_each(|one| index.extend_from_slice(&one.at.to_be_bytes()));
    index.extend_from_slice(pack_sum);
    let sum = Sha1::digest(&index);
    index.extend_from_slice(&sum);
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_those_of_git() {
        let check =
            |bytes: usize, expect: &[u8]| assert_eq!(head(ObjectKind::Blob, bytes), expect, "{bytes}");
        check(0, &[0x30]);
        check(15, &[0x3f]);
        check(16, &[0xb0, 0x01]);
        check(2_047, &[0xbf, 0x7f]);
        check(2_048, &[0xb0, 0x80, 0x01]);
    }
}
