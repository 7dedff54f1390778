//! Values that are bound to the placeholders of SQL statements.

use std::borrow::Cow;

use loci_model::Timestamp;

/// A value for a placeholder of an SQL statement. Each store converts a number to the width of
/// its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlValue<'a> {
    /// The SQL null value.
    Null,
    /// A boolean value.
    Flag(bool),
    /// A whole number for a column of any width.
    Number(i64),
    /// A text value.
    Text(Cow<'a, str>),
    /// A byte string.
    Bytes(Cow<'a, [u8]>),
    /// A list of texts, one of which a column must equal; see
    /// [`Dialect::one_of`](super::Dialect::one_of).
    Texts(Cow<'a, [String]>),
}

impl SqlValue<'_> {
    /// Returns a value that borrows the contents of this one.
    pub fn borrowed(&self) -> SqlValue<'_> {
        match self {
            Self::Null => SqlValue::Null,
            Self::Flag(flag) => SqlValue::Flag(*flag),
            Self::Number(number) => SqlValue::Number(*number),
            Self::Text(text) => SqlValue::Text(Cow::Borrowed(text)),
            Self::Bytes(bytes) => SqlValue::Bytes(Cow::Borrowed(bytes)),
            Self::Texts(texts) => SqlValue::Texts(Cow::Borrowed(texts)),
        }
    }

    /// Returns a copy of the value that owns its contents.
    pub fn to_static(&self) -> SqlValue<'static> {
        match self {
            Self::Null => SqlValue::Null,
            Self::Flag(flag) => SqlValue::Flag(*flag),
            Self::Number(number) => SqlValue::Number(*number),
            Self::Text(text) => SqlValue::Text(Cow::Owned(text.clone().into_owned())),
            Self::Bytes(bytes) => SqlValue::Bytes(Cow::Owned(bytes.clone().into_owned())),
            Self::Texts(texts) => SqlValue::Texts(Cow::Owned(texts.clone().into_owned())),
        }
    }
}

/// Creates the list of values for a statement: the first argument is bound to `$1`.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::SqlValue::from($value)),*] };
}

impl From<bool> for SqlValue<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<i64> for SqlValue<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for SqlValue<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for SqlValue<'_> {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for SqlValue<'_> {
    fn from(count: usize) -> Self {
        Self::Number(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<Timestamp> for SqlValue<'_> {
    fn from(time: Timestamp) -> Self {
        Self::Number(time.millis())
    }
}

impl<'a> From<&'a str> for SqlValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for SqlValue<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for SqlValue<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'a> From<&'a [u8]> for SqlValue<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

impl<'a> From<&'a Vec<u8>> for SqlValue<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for SqlValue<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(Cow::Owned(bytes))
    }
}

impl<'a> From<&'a [String]> for SqlValue<'a> {
    fn from(texts: &'a [String]) -> Self {
        Self::Texts(Cow::Borrowed(texts))
    }
}

impl<'a, T: Into<SqlValue<'a>>> From<Option<T>> for SqlValue<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
