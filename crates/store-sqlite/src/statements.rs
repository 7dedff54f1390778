//! Statements of the tables shared by both stores, for SQLite.

use loci_model::{Error, MemoryId, Result};
use loci_store_kit::codes::json;
use loci_store_kit::sql::{Dialect, RowBatch, SqlTransaction, SqlValue};
use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{CachedStatement, Row, Rows};

use crate::columns::Columns;
use crate::errors::Sql;
use crate::tx::{Column, SqlTx};

/// A value for SQLite, with lists as JSON.
struct Parameter<'a>(&'a SqlValue<'a>);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            SqlValue::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            SqlValue::Flag(flag) => ToSqlOutput::Owned(Value::Integer(i64::from(*flag))),
            SqlValue::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            SqlValue::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            SqlValue::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            SqlValue::Texts(texts) => ToSqlOutput::Owned(Value::Text(
                json(texts).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?,
            )),
        })
    }
}

/// Binds values by the numbers in the parameter names of a statement.
fn bind(statement: &mut CachedStatement<'_>, values: &[SqlValue<'_>]) -> Result<()> {
    for place in 1..=statement.parameter_count() {
        let number =
            statement.parameter_name(place).and_then(|name| name.strip_prefix('$')?.parse::<usize>().ok());
        let value = number.and_then(|number| values.get(number.checked_sub(1)?));
        let value = value.ok_or_else(|| Error::bug("a statement has a parameter without a value"))?;
        statement.raw_bind_parameter(place, Parameter(value)).sql()?;
    }
    Ok(())
}

impl SqlTx<'_> {
    /// Runs a statement and passes its rows to `see`.
    fn see<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        see: impl FnOnce(&mut Rows<'_>) -> Result<T>,
    ) -> Result<T> {
        self.step()?;
        let mut statement = self.connection.prepare_cached(sql).sql()?;
        bind(&mut statement, values)?;
        see(&mut statement.raw_query())
    }
}

impl SqlTransaction for SqlTx<'_> {
    type Row<'r> = Columns<'r>;

    const DIALECT: Dialect = Dialect {
        position: "instr",
        least: "min",
        greatest: "max",
        no: "0",
        joined_first: "CROSS JOIN",
        memory_number: "num",
        skip_locked: "",
        row: Some("num"),
        as_json: "",
        list: ("IN (SELECT value FROM json_each(", "))"),
    };

    fn number(&self, memory: &MemoryId) -> Result<Option<i64>> {
        SqlTx::number(self, memory)
    }

    fn any_number(&self, memory: &MemoryId) -> Result<Option<i64>> {
        let read = |row: &Row<'_>| row.take(0);
        SqlTx::one(self, "SELECT num FROM memories WHERE id = ?1", [memory.as_str()], read)
    }

    /// SQLite has only one writer.
    fn has_rivals(&self) -> bool {
        false
    }

    fn one<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnOnce(&Columns<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.see(sql, values, |rows| rows.next().sql()?.map(|row| read(&Columns(row))).transpose())
    }

    fn all<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        mut read: impl FnMut(&Columns<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.see(sql, values, |rows| {
            let mut out = Vec::new();
            while let Some(row) = rows.next().sql()? {
                out.push(read(&Columns(row))?);
            }
            Ok(out)
        })
    }

    fn run(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize> {
        self.step()?;
        let mut statement = self.connection.prepare_cached(sql).sql()?;
        bind(&mut statement, values)?;
        statement.raw_execute().sql()
    }

    fn later(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<()> {
        SqlTransaction::run(self, sql, values).map(drop)
    }

    fn insert(&self, memory: i64, batch: RowBatch<'_>) -> Result<()> {
        let or = if batch.is_new { "" } else { " ON CONFLICT DO NOTHING" };
        let names: Vec<&str> = batch.columns.iter().map(|(name, _)| *name).collect();
        let places: Vec<String> = (2..names.len() + 2).map(|place| format!("${place}")).collect();
        let sql = format!(
            "INSERT INTO {}(mem, {}) VALUES ($1, {}){or}",
            batch.table,
            names.join(", "),
            places.join(", ")
        );
        for row in 0..batch.rows() {
            let mut values = vec![SqlValue::Number(memory)];
            values.extend(batch.lists.iter().filter_map(|list| list.get(row)).map(SqlValue::borrowed));
            SqlTransaction::run(self, &sql, &values)?;
        }
        Ok(())
    }
}
