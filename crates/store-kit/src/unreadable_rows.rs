//! Rows that cannot be parsed: the database was changed externally, or an older version stored
//! values that are invalid today. Such a row affects only its own item: lists leave it out, the log
//! names it, and `loci doctor` finds it.
//!
//! Only lists and queues tolerate such rows. For a row requested by name, or one that an export
//! must contain, it is an error.

use loci_model::{ErrorKind, Result};

/// Returns the value of a row; `None` if the row cannot be parsed, which is logged. `what` names
/// the kind of row in the log.
///
/// # Errors
/// Errors of the store that concern more than this row.
pub fn readable<T>(what: &'static str, read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(item) => Ok(Some(item)),
        Err(error) if error.kind == ErrorKind::Bug => {
            tracing::error!(
                ?error,
                what,
                "a stored row cannot be read and is left out; `loci doctor` finds it"
            );
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns up to `wanted` readable values of a statement with a limit, which `query` runs. A page
/// that is short because of unreadable rows would look like the last page, so the statement is
/// repeated with a higher limit.
///
/// # Errors
/// Errors of the statement.
pub fn page<T>(wanted: usize, mut query: impl FnMut(usize) -> Result<Vec<Option<T>>>) -> Result<Vec<T>> {
    let mut asked = wanted;
    loop {
        let rows = query(asked)?;
        let readable = rows.iter().flatten().count();
        let unreadable = rows.len().saturating_sub(readable);
        if unreadable == 0 || rows.len() < asked || readable >= wanted {
            return Ok(rows.into_iter().flatten().take(wanted).collect());
        }
        asked = wanted.saturating_add(unreadable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::damaged;

    /// Returns the page that [`page`] makes of these rows, of which `damaged` cannot be read.
    fn pages(rows: &[u32], damaged: &[u32], wanted: usize) -> Vec<u32> {
        page(wanted, |asked| {
            Ok(rows.iter().take(asked).map(|row| (!damaged.contains(row)).then_some(*row)).collect())
        })
        .unwrap()
    }

    #[test]
    fn a_page_is_full_whatever_cannot_be_read() {
        let rows: Vec<u32> = (0..6).collect();
        assert_eq!(pages(&rows, &[], 3), [0, 1, 2]);
        assert_eq!(pages(&rows, &[0, 1], 3), [2, 3, 4]);
        assert_eq!(pages(&rows, &[0, 1, 3, 4], 3), [2, 5]);
        assert_eq!(pages(&rows, &[0, 1, 2, 3, 4, 5], 2), Vec::<u32>::new());
        assert_eq!(pages(&rows, &[0], 0), Vec::<u32>::new());
    }

    #[test]
    fn only_damage_is_left_out() {
        assert_eq!(readable("job", Ok(1)).unwrap(), Some(1));
        assert_eq!(readable::<u32>("job", Err(damaged("job"))).unwrap(), None);
        let busy = loci_model::Error::unavailable("the store is busy");
        assert!(readable::<u32>("job", Err(busy)).is_err());
    }
}
