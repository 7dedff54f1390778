//! The division of a tree into parts that are small enough for a model: documents of one
//! directory together, similar ones next to each other.

use loci_engine::consolidation::snapshot::{Snapshot, reference_key};
use loci_engine::consolidation::validator::Bounds;
use loci_model::{Error, Result};
use loci_text::similarity::jaccard_ids;
use loci_text::terms;

use super::similarity::{Interner, Shingles};

/// A tree, divided into parts for a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Clusters {
    /// The parts. Each lists indices of documents in the snapshot.
    pub clusters: Vec<Vec<usize>>,
    /// The indices of the documents that are larger than a part may be.
    pub skipped: Vec<usize>,
}

/// Divides the documents of a tree into parts within the bounds.
///
/// # Errors
/// `TooLarge`, naming `limits.max_files` or `limits.max_input_bytes`, if the tree needs more than
/// one part and `may_part` is false.
pub fn clusters(snapshot: &Snapshot, bounds: &Bounds, may_part: bool) -> Result<Clusters> {
    bounds.check()?;
    let bytes = |at: usize| snapshot.documents.get(at).map_or(0, |one| one.text.len());
    let all: usize = (0..snapshot.documents.len()).map(bytes).sum();
    if !may_part && snapshot.documents.len() > bounds.files_max {
        return Err(too_large("max_files", snapshot.documents.len(), bounds.files_max, "documents"));
    }
    if !may_part && all > bounds.input_bytes_max {
        return Err(too_large("max_input_bytes", all, bounds.input_bytes_max, "bytes"));
    }
    let mut found = Clusters::default();
    let (mut open, mut open_bytes, mut directory) = (Vec::new(), 0, None);
    for at in ordered(snapshot) {
        let own = bytes(at);
        if own > bounds.input_bytes_max {
            found.skipped.push(at);
            continue;
        }
        let place = snapshot.documents.get(at).map(|one| directory_of(&one.reference));
        let is_full = open.len() >= bounds.files_max || open_bytes + own > bounds.input_bytes_max;
        if !open.is_empty() && (is_full || place != directory) {
            found.clusters.push(std::mem::take(&mut open));
            open_bytes = 0;
        }
        directory = place;
        open.push(at);
        open_bytes += own;
    }
    if !open.is_empty() {
        found.clusters.push(open);
    }
    Ok(found)
}

fn too_large(limit: &str, has: usize, most: usize, of: &str) -> Error {
    let rule = format!(
        "{has} {of} are to be read at once, and {limit} is {most}: narrow the scope, or let it be parted"
    );
    Error::new(loci_model::ErrorKind::TooLarge, rule).on(format!("limits.{limit}"))
}

/// Returns the indices of the documents by directory. Within a directory, each is followed by the
/// remaining document most similar to it, starting with the first path.
fn ordered(snapshot: &Snapshot) -> Vec<usize> {
    let mut interner = Interner::default();
    let words: Vec<Shingles> =
        snapshot.documents.iter().map(|one| interner.words(terms(&one.text))).collect();
    let key = |at: &usize| snapshot.documents.get(*at).map(|one| reference_key(&one.reference));
    let place = |at: &usize| key(at).map(|key| directory_of(&key));
    let mut left: Vec<usize> = (0..snapshot.documents.len()).collect();
    left.sort_by_cached_key(|at| (place(at), key(at)));
    let mut order: Vec<usize> = Vec::with_capacity(left.len());
    let mut rest = left.as_slice();
    while let Some(first) = rest.first() {
        let own = place(first);
        let length = rest.iter().take_while(|at| place(at) == own).count();
        let (directory, after) = rest.split_at(length);
        order.extend(chained(directory, &words));
        rest = after;
    }
    order
}

/// Orders the documents of a directory so that each is followed by the most similar one that
/// remains. Above `CHAINED_MAX` documents, they are ordered by path.
fn chained(directory: &[usize], words: &[Shingles]) -> Vec<usize> {
    const CHAINED_MAX: usize = 1_000;
    if directory.len() > CHAINED_MAX {
        return directory.to_vec();
    }
    let mut left = directory.to_vec();
    let mut order: Vec<usize> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let likeness = |at: usize| {
            let last = order.last().and_then(|last| words.get(*last));
            last.zip(words.get(at)).map_or(0.0, |(last, own)| jaccard_ids(last, own))
        };
        let mut best = (0, -1.0_f32);
        for (place, at) in left.iter().enumerate() {
            let like = likeness(*at);
            if like > best.1 {
                best = (place, like);
            }
        }
        order.push(left.remove(best.0));
    }
    order
}

fn directory_of(reference: &str) -> String {
    reference.rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned())
}
