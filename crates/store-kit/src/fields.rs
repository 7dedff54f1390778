//! A row as both databases give it: columns by place, read in the model's errors. What the columns mean is `reading`'s.

use loci_model::{Result, Timestamp};
use serde::de::DeserializeOwned;

use crate::codes::{damaged, stored};

/// Columns of a row, by place.
pub trait Fields {
    /// Text, where there is some.
    fn optional_text(&self, place: usize) -> Result<Option<&str>>;
    /// A whole number of any width, where there is one.
    fn optional_number(&self, place: usize) -> Result<Option<i64>>;
    /// A yes or no.
    fn flag(&self, place: usize) -> Result<bool>;
    /// Bytes, where there are some.
    fn optional_bytes(&self, place: usize) -> Result<Option<&[u8]>>;

    /// Bytes that are always there.
    fn bytes(&self, place: usize) -> Result<&[u8]> {
        self.optional_bytes(place)?.ok_or_else(|| damaged("row"))
    }

    /// Text that is always there.
    fn text(&self, place: usize) -> Result<&str> {
        self.optional_text(place)?.ok_or_else(|| damaged("row"))
    }

    /// A whole number that is always there.
    fn number(&self, place: usize) -> Result<i64> {
        self.optional_number(place)?.ok_or_else(|| damaged("row"))
    }

    /// A count.
    fn count(&self, place: usize) -> Result<u64> {
        Ok(u64::try_from(self.number(place)?).unwrap_or(0))
    }

    /// A small count.
    fn small(&self, place: usize) -> Result<u32> {
        Ok(u32::try_from(self.number(place)?).unwrap_or(0))
    }

    /// A time.
    fn time(&self, place: usize) -> Result<Timestamp> {
        Ok(Timestamp::clamped(self.number(place)?))
    }

    /// A time, where there is one.
    fn optional_time(&self, place: usize) -> Result<Option<Timestamp>> {
        Ok(self.optional_number(place)?.map(Timestamp::clamped))
    }

    /// Text of one's own, where there is some.
    fn optional_owned(&self, place: usize) -> Result<Option<String>> {
        Ok(self.optional_text(place)?.map(str::to_owned))
    }

    /// Text that has a rule; `what` names it where it does not pass.
    fn parsed<T>(&self, place: usize, parse: impl Fn(String) -> Result<T>, what: &str) -> Result<T> {
        stored(parse(self.text(place)?.to_owned()), what)
    }

    /// The same, where there is some.
    fn optional_parsed<T>(
        &self,
        place: usize,
        parse: impl Fn(String) -> Result<T>,
        what: &str,
    ) -> Result<Option<T>> {
        self.optional_text(place)?.map(|text| stored(parse(text.to_owned()), what)).transpose()
    }

    /// A value as JSON, where there is one.
    fn optional_json<T: DeserializeOwned>(&self, place: usize, what: &str) -> Result<Option<T>> {
        self.optional_text(place)?.map(|text| stored(serde_json::from_str(text), what)).transpose()
    }
}
