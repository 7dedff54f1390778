//! Statements of the tables shared by both stores, for PostgreSQL.

use std::borrow::Cow;

use loci_model::{MemoryId, Result};
use loci_store_kit::sql::{BoundParameters, Dialect, RowBatch, SqlTransaction, SqlValue};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::columns::Columns;
use crate::connection::Values;
use crate::tables::transfer::batches::Batch;
use crate::tx::{OwnedValues, PgTx, code, int};

/// A value for PostgreSQL: in the width of its column, and as text without zero characters.
/// Searches for a text with zero characters apply the same replacement; displayed texts come from
/// JSON, which keeps them.
#[derive(Debug)]
pub(crate) struct Parameter<'a>(SqlValue<'a>);

impl ToSql for Parameter<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match &self.0 {
            SqlValue::Null => Ok(IsNull::Yes),
            SqlValue::Flag(flag) => flag.to_sql_checked(kind, out),
            SqlValue::Number(number) if *kind == Type::INT2 => code(*number).to_sql(kind, out),
            SqlValue::Number(number) if *kind == Type::INT4 => int(*number).to_sql(kind, out),
            SqlValue::Number(number) => number.to_sql_checked(kind, out),
            SqlValue::Text(text) => plain(text).as_ref().to_sql_checked(kind, out),
            SqlValue::Bytes(bytes) => bytes.as_ref().to_sql_checked(kind, out),
            SqlValue::Texts(texts) => {
                texts.iter().map(|text| plain(text)).collect::<Vec<_>>().to_sql_checked(kind, out)
            }
        }
    }

    /// The conversion checks the type of each value.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Returns text without zero characters.
fn plain(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

fn parameters<'a>(values: &'a [SqlValue<'_>]) -> Vec<Parameter<'a>> {
    values.iter().map(|value| Parameter(value.borrowed())).collect()
}

fn borrowed<'a>(parameters: &'a [Parameter<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    parameters.iter().map(|parameter| parameter as &(dyn ToSql + Sync)).collect()
}

impl SqlTransaction for PgTx<'_> {
    type Row<'r> = Columns<'r>;

    const DIALECT: Dialect = Dialect {
        position: "strpos",
        least: "least",
        greatest: "greatest",
        no: "FALSE",
        joined_first: "JOIN",
        memory_number: "mem",
        skip_locked: " FOR UPDATE SKIP LOCKED",
        row: None,
        as_json: "::jsonb",
        list: ("= ANY(", ")"),
    };

    fn number(&self, memory: &MemoryId) -> Result<Option<i64>> {
        PgTx::number(self, memory)
    }

    fn any_number(&self, memory: &MemoryId) -> Result<Option<i64>> {
        PgTx::any_number(self, memory)
    }

    fn has_rivals(&self) -> bool {
        self.is_write()
    }

    fn one<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnOnce(&Columns<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        PgTx::one(self, sql, &borrowed(&parameters(values)), |row| read(&Columns(row)))
    }

    fn all<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        mut read: impl FnMut(&Columns<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        PgTx::all(self, sql, &borrowed(&parameters(values)), |row| read(&Columns(row)))
    }

    fn run(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize> {
        PgTx::run(self, &format!("{sql} RETURNING 1"), &borrowed(&parameters(values)))
    }

    fn later(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<()> {
        let values: OwnedValues =
            values.iter().map(|value| Box::new(Parameter(value.to_static())) as _).collect();
        PgTx::later(self, sql, values);
        Ok(())
    }

    fn insert(&self, memory: i64, batch: RowBatch<'_>) -> Result<()> {
        let mut rows = Batch::of(batch.table);
        for ((name, kind), list) in batch.columns.iter().zip(&batch.lists) {
            let values: Vec<Parameter<'static>> =
                list.iter().map(|value| Parameter(value.to_static())).collect();
            rows = rows.with(name, kind, values);
        }
        self.insert_batch(memory, if batch.is_new { rows.of_new() } else { rows });
        Ok(())
    }

    fn all_of<T>(
        &self,
        questions: &[(String, BoundParameters<'_>)],
        mut read: impl FnMut(&Columns<'_>) -> Result<T>,
    ) -> Result<Vec<Vec<T>>> {
        let values: Vec<_> = questions.iter().map(|(_, bound)| parameters(bound.values())).collect();
        let values: Vec<_> = values.iter().map(|values| borrowed(values)).collect();
        let asked: Vec<(&str, Values<'_>)> = questions
            .iter()
            .zip(&values)
            .map(|((sql, _), values)| (sql.as_str(), values.as_slice()))
            .collect();
        let answers = self.several(&asked)?;
        answers.iter().map(|rows| rows.iter().map(|row| read(&Columns(row))).collect()).collect()
    }
}
