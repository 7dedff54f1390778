//! Reads the types shared by both stores from rows of SQLite.

use loci_model::{Error, Result};
use loci_store_kit::fields::Fields;
use rusqlite::Row;
use rusqlite::types::{FromSqlResult, ValueRef};

use crate::errors::Sql;
use crate::tx::Column;

/// The columns of a row.
pub(crate) struct Columns<'r>(pub(crate) &'r Row<'r>);

impl Columns<'_> {
    fn value<'a, T>(
        &'a self,
        place: usize,
        read: impl FnOnce(ValueRef<'a>) -> FromSqlResult<T>,
    ) -> Result<T> {
        read(self.0.get_ref(place).sql()?)
            .map_err(|error| Error::bug("the store could not read its own row").caused_by(error))
    }
}

impl Fields for Columns<'_> {
    fn optional_text(&self, place: usize) -> Result<Option<&str>> {
        self.value(place, |value| value.as_str_or_null())
    }

    fn optional_number(&self, place: usize) -> Result<Option<i64>> {
        self.0.take(place)
    }

    fn flag(&self, place: usize) -> Result<bool> {
        self.0.take(place)
    }

    fn optional_bytes(&self, place: usize) -> Result<Option<&[u8]>> {
        self.value(place, |value| value.as_blob_or_null())
    }
}
