//! A row of an SQLite or PostgreSQL result. Columns are read by index, with the errors of
//! `loci-model`; the module `row_readers` knows which column holds which value.

use loci_model::{Result, Timestamp};
use serde::de::DeserializeOwned;

use crate::codes::{damaged, stored};

/// Access to the columns of a row by index, from 0.
pub trait Fields {
    /// Reads an optional text.
    fn optional_text(&self, place: usize) -> Result<Option<&str>>;
    /// Reads an optional whole number of any width.
    fn optional_number(&self, place: usize) -> Result<Option<i64>>;
    /// Reads a boolean.
    fn flag(&self, place: usize) -> Result<bool>;
    /// Reads optional bytes.
    fn optional_bytes(&self, place: usize) -> Result<Option<&[u8]>>;

    /// Reads required bytes.
    fn bytes(&self, place: usize) -> Result<&[u8]> {
        self.optional_bytes(place)?.ok_or_else(|| damaged("row"))
    }

    /// Reads a required text.
    fn text(&self, place: usize) -> Result<&str> {
        self.optional_text(place)?.ok_or_else(|| damaged("row"))
    }

    /// Reads a required whole number.
    fn number(&self, place: usize) -> Result<i64> {
        self.optional_number(place)?.ok_or_else(|| damaged("row"))
    }

    /// Reads a required number that is not negative.
    fn count(&self, place: usize) -> Result<u64> {
        Ok(u64::try_from(self.number(place)?).unwrap_or(0))
    }

    /// Reads a required number that is not negative and fits 32 bits.
    fn small(&self, place: usize) -> Result<u32> {
        Ok(u32::try_from(self.number(place)?).unwrap_or(0))
    }

    /// Reads a required time, stored in Unix milliseconds.
    fn time(&self, place: usize) -> Result<Timestamp> {
        Ok(Timestamp::clamped(self.number(place)?))
    }

    /// Reads an optional time, stored in Unix milliseconds.
    fn optional_time(&self, place: usize) -> Result<Option<Timestamp>> {
        Ok(self.optional_number(place)?.map(Timestamp::clamped))
    }

    /// Reads an optional text as an owned value.
    fn optional_owned(&self, place: usize) -> Result<Option<String>> {
        Ok(self.optional_text(place)?.map(str::to_owned))
    }

    /// Reads a required text and parses it. `what` names the value in errors.
    fn parsed<T>(&self, place: usize, parse: impl Fn(String) -> Result<T>, what: &str) -> Result<T> {
        stored(parse(self.text(place)?.to_owned()), what)
    }

    /// Reads an optional text and parses it. `what` names the value in errors.
    fn optional_parsed<T>(
        &self,
        place: usize,
        parse: impl Fn(String) -> Result<T>,
        what: &str,
    ) -> Result<Option<T>> {
        self.optional_text(place)?.map(|text| stored(parse(text.to_owned()), what)).transpose()
    }

    /// Reads an optional value that is stored as JSON. `what` names the value in errors.
    fn optional_json<T: DeserializeOwned>(&self, place: usize, what: &str) -> Result<Option<T>> {
        self.optional_text(place)?.map(|text| stored(serde_json::from_str(text), what)).transpose()
    }
}
