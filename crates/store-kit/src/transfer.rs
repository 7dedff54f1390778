//! Common parts of moving data between an SQLite and a PostgreSQL store: the sort keys of rows,
//! pages, and the two forms of vectors.

use loci_index::StoredVector;
use loci_model::Result;
use loci_model::ports::store::TransferStanding;
use loci_model::transfer::{KeyPart, Moved, MovedVector, TransferKey, TransferKind, TransferRow};

use crate::codes::{DIRECTIONS, code_of, key_of, short_of};

/// The value of the column `deleted` of a memory while it is imported. It is later than any time,
/// so that the memory is hidden but no purge selects it.
pub const MOVING: i64 = i64::MAX;

/// The number that is added to the states of jobs and deliveries while their memory is imported,
/// so that no worker claims them.
pub const PARKED: i64 = 10;

/// The approximate maximum size of a page of moved rows, in bytes. A page has at least one row.
pub const PAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Returns the sort key of a moved row. The key is equal in every store.
pub fn key(moved: &Moved) -> TransferKey {
    let text = |text: &str| KeyPart::Text(text.to_owned());
    let number = |number: u64| KeyPart::Number(i64::try_from(number).unwrap_or(i64::MAX));
    TransferKey(match moved {
        Moved::Memory(row) => vec![text(row.memory.id.as_str())],
        Moved::Group(row) => vec![text(&row.normal), text(&row.strategy)],
        Moved::Session(row) => vec![text(row.actor.as_str()), text(row.session.as_str())],
        Moved::Place(row) => vec![KeyPart::Number(row.time)],
        Moved::Turn(row) => vec![
            text(row.actor.as_str()),
            text(row.session.as_str()),
            text(&row.run),
            number(row.number),
            text(&row.digest),
        ],
        Moved::Event(row) => vec![number(row.event.arrival)],
        Moved::Record(row) => vec![KeyPart::Bytes(key_of(&row.record.id))],
        Moved::Version(row) => {
            vec![KeyPart::Bytes(key_of(&row.record.id)), number(u64::from(row.record.version))]
        }
        Moved::Change(row) => vec![KeyPart::Bytes(key_of(&row.change.record)), number(row.number)],
        Moved::Repository(row) => vec![KeyPart::Bytes(short_of(row.id.as_str()))],
        Moved::Fact(row) => vec![KeyPart::Bytes(key_of(&row.record))],
        Moved::FactEvent(row) => vec![KeyPart::Bytes(short_of(&row.id))],
        Moved::Task(row) => vec![text(row.id.as_str())],
        Moved::Exposure(row) => vec![text(row.id.as_str())],
        Moved::Prompt(row) => vec![text(&row.version)],
        Moved::TaskSession(row) => vec![text(row.task.as_str())],
        Moved::SessionItem(row) => vec![text(row.task.as_str()), number(row.seq)],
        Moved::Object(row) => vec![text(&row.head.key)],
        Moved::Ledger(row) => vec![text(row.shelf.as_str()), text(&row.key)],
        Moved::Commit(row) => vec![text(row.actor.as_str()), text(&row.sha.to_string())],
        Moved::Token(row) => vec![KeyPart::Bytes(row.digest.clone())],
        Moved::Job(row) => vec![text(row.id.as_str())],
        Moved::Exchange(row) => vec![text(row.id.as_str())],
        Moved::Delivery(row) => {
            vec![KeyPart::Number(code_of(DIRECTIONS, row.direction)), text(row.id.as_str())]
        }
        Moved::Key(row) => vec![text(row.id.as_str())],
    })
}

/// Returns the row of the memory itself, which begins a transfer; `None` if the memory does not
/// exist.
pub fn head(standing: TransferStanding) -> Option<TransferRow> {
    match standing {
        TransferStanding::Moving(head) | TransferStanding::There(head) => {
            let moved = Moved::Memory(head);
            Some(TransferRow { key: key(&moved), moved })
        }
        TransferStanding::Absent | TransferStanding::Deleted => None,
    }
}

/// Returns a page of the rows of one kind after a sort key. `rows` reads the rows after the given
/// parts of a key. Deliveries are read one direction at a time, in the order of their index.
///
/// # Errors
/// Errors of `rows`.
pub fn page(
    kind: TransferKind,
    after: Option<&TransferKey>,
    rows: impl Fn(&[KeyPart]) -> Result<Vec<TransferRow>>,
) -> Result<Vec<TransferRow>> {
    let after: &[KeyPart] = after.map_or(&[], |key| &key.0);
    if kind != TransferKind::Deliveries {
        return rows(after);
    }
    let beginning = |direction| [KeyPart::Number(direction), KeyPart::Text(String::new())];
    let (first, second) = (beginning(0), beginning(1));
    let page = rows(if after.is_empty() { &first } else { after })?;
    let is_second = matches!(after.first(), Some(KeyPart::Number(direction)) if *direction > 0);
    if page.is_empty() && !is_second { rows(&second) } else { Ok(page) }
}

/// Converts a vector from the form of search indexes to the form of moved rows.
pub fn moved_vector(part: u32, stored: StoredVector) -> MovedVector {
    MovedVector { part, model: stored.model.to_string(), values: stored.values }
}

/// Converts a vector from the form of moved rows to the form of search indexes. The scale follows
/// from the values.
pub fn stored_vector(moved: &MovedVector) -> StoredVector {
    StoredVector::of_values(moved.values.clone(), moved.model.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_back() {
        for vector in [vec![0.5, -0.25, 0.1], vec![0.0, 0.0], vec![]] {
            let stored = StoredVector::quantise(&vector, "m");
            assert_eq!(stored_vector(&moved_vector(3, stored.clone())), stored);
        }
    }
}
