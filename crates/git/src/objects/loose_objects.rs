//! Objects in single files: a zlib stream of a header (`blob 12`, NUL) and the content.

use std::fs::File;

use loci_model::facts::code::ObjectId;
use loci_model::ports::code::{CodeError, CodeResult};

use super::format::ObjectKind;
use super::inflate::Inflater;
use super::{Header, ObjectContent};
use crate::confined_files::Dir;
use crate::fault;
use crate::limits::OBJECT_BYTES_MAX;

const HEAD_BYTES_MAX: usize = 64;
/// The maximum number of names in one of the 256 directories.
const NAMES_MAX: usize = 1_000_000;

/// Returns the header of a loose object; `None` if there is no such file.
pub(crate) fn header(objects: &Dir, id: &ObjectId) -> CodeResult<Option<Header>> {
    let Some(file) = open(objects, id)? else { return Ok(None) };
    let mut out = Vec::new();
    Inflater::new(&file, 0).fill(&mut out, HEAD_BYTES_MAX)?;
    parse(&out).map(|(header, _)| Some(header))
}

/// Reads a loose object, unless `refusal` rejects its header: the rest is then not inflated. `None`
/// if there is no such file.
pub(crate) fn read(
    objects: &Dir,
    id: &ObjectId,
    refusal: impl Fn(Header) -> Option<CodeError>,
) -> CodeResult<Option<Result<ObjectContent, CodeError>>> {
    let Some(file) = open(objects, id)? else { return Ok(None) };
    let mut stream = Inflater::new(&file, 0);
    let mut out = Vec::new();
    stream.fill(&mut out, HEAD_BYTES_MAX)?;
    let (header, head_bytes) = parse(&out)?;
    if let Some(error) = refusal(header) {
        return Ok(Some(Err(error)));
    }
    if header.bytes > OBJECT_BYTES_MAX {
        return Err(fault::too_large("an object"));
    }
    let bytes = usize::try_from(header.bytes).map_err(|_| fault::too_large("an object"))?;
    stream.finish(&mut out, head_bytes + bytes)?;
    let content = out.get(head_bytes..).unwrap_or_default();
    Ok(Some(Ok(ObjectContent { kind: header.kind, bytes: content.into() })))
}

/// Adds the ids of loose objects that start with these hex digits, at least two.
pub(crate) fn with_prefix(
    objects: &Dir,
    digits: &str,
    fits: &mut Vec<ObjectId>,
    fits_max: usize,
) -> CodeResult<()> {
    let Some((folder, rest)) = digits.split_at_checked(2) else { return Ok(()) };
    let Some(folder_dir) = objects.directory(folder.as_bytes())? else { return Ok(()) };
    for name in folder_dir.names(NAMES_MAX)? {
        if name.starts_with(rest.as_bytes()) && fits.len() < fits_max {
            let whole = format!("{folder}{}", String::from_utf8_lossy(&name));
            fits.extend(ObjectId::parse(&whole));
        }
    }
    Ok(())
}

fn open(objects: &Dir, id: &ObjectId) -> CodeResult<Option<File>> {
    let hex = id.to_string();
    let Some((folder, name)) = hex.split_at_checked(2) else { return Ok(None) };
    Ok(objects.file(format!("{folder}/{name}").as_bytes())?.map(|(file, _)| file))
}

fn parse(out: &[u8]) -> CodeResult<(Header, usize)> {
    let parsed = || {
        let end = out.iter().position(|byte| *byte == 0)?;
        let (word, size) = std::str::from_utf8(out.get(..end)?).ok()?.split_once(' ')?;
        let bytes = size.bytes().all(|byte| byte.is_ascii_digit()).then(|| size.parse().ok())??;
        Some((Header { kind: ObjectKind::of_word(word.as_bytes())?, bytes }, end + 1))
    };
    parsed().ok_or_else(|| fault::damaged("a loose object"))
}
