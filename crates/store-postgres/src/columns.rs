//! Reads the types shared by both stores from rows of PostgreSQL.

use loci_model::Result;
use loci_store_kit::fields::Fields;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::tx::Column;

/// The columns of a row.
pub(crate) struct Columns<'r>(pub(crate) &'r Row);

impl Fields for Columns<'_> {
    fn optional_text(&self, place: usize) -> Result<Option<&str>> {
        self.0.take(place)
    }

    fn optional_number(&self, place: usize) -> Result<Option<i64>> {
        match self.0.columns().get(place).map(tokio_postgres::Column::type_) {
            Some(&Type::INT2) => Ok(self.0.take::<Option<i16>>(place)?.map(i64::from)),
            Some(&Type::INT4) => Ok(self.0.take::<Option<i32>>(place)?.map(i64::from)),
            Some(_) | None => self.0.take(place),
        }
    }

    fn flag(&self, place: usize) -> Result<bool> {
        self.0.take(place)
    }

    fn optional_bytes(&self, place: usize) -> Result<Option<&[u8]>> {
        self.0.take(place)
    }
}
