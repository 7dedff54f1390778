//! Serialises numbers and texts as little-endian bytes, and parses them. Parsing checks every
//! length against the available bytes before use.

use loci_model::{Error, ErrorKind, Result, Timestamp};

/// Returns an error for bytes that are no valid snapshot.
pub(crate) fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("the index snapshot is damaged: {what}"))
}

/// Bytes under construction.
#[derive(Debug, Default)]
pub(crate) struct ByteWriter(pub(crate) Vec<u8>);

impl ByteWriter {
    /// Appends bytes unchanged.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Appends a byte.
    pub(crate) fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes(&[value])
    }

    /// Appends a number of two bytes.
    pub(crate) fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a number of four bytes.
    pub(crate) fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a number of eight bytes.
    pub(crate) fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a time.
    pub(crate) fn time(&mut self, time: Timestamp) -> &mut Self {
        self.u64(time.millis().cast_unsigned())
    }

    /// Appends an optional time.
    pub(crate) fn maybe_time(&mut self, time: Option<Timestamp>) -> &mut Self {
        self.u64(time.map_or(u64::MAX, |time| time.millis().cast_unsigned()))
    }

    /// Appends a text and its length.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.u32(text.len() as u32).bytes(text.as_bytes())
    }
}

/// Bytes that are read from the front.
#[derive(Debug, Clone)]
pub(crate) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    /// Starts to read `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Reads the next bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(|| damaged("a part is too short"))?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads the next bytes as an array.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(|| damaged("a part is too short"))?;
        self.0 = rest;
        Ok(*bytes)
    }

    /// Reads a byte.
    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.array().map(u8::from_le_bytes)
    }

    /// Reads a number of two bytes.
    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Reads a number of four bytes.
    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads a number of eight bytes.
    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a time.
    pub(crate) fn time(&mut self) -> Result<Timestamp> {
        let millis = self.u64()?.cast_signed();
        Timestamp::from_millis(millis).map_err(|_| damaged("a time is out of range"))
    }

    /// Reads an optional time.
    pub(crate) fn maybe_time(&mut self) -> Result<Option<Timestamp>> {
        if self.0.starts_with(&u64::MAX.to_le_bytes()) {
            self.u64().map(|_| None)
        } else {
            self.time().map(Some)
        }
    }

    /// Reads a text.
    pub(crate) fn text(&mut self) -> Result<&'a str> {
        let length = self.u32()? as usize;
        std::str::from_utf8(self.bytes(length)?).map_err(|_| damaged("a text is not UTF-8"))
    }

    /// Reads a flag.
    pub(crate) fn flag(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(damaged("a flag is neither yes nor no")),
        }
    }

    /// Reads the count of items that follow. Each needs at least `least` bytes, so that a corrupt
    /// count is detected before memory is reserved.
    pub(crate) fn count(&mut self, least: usize) -> Result<usize> {
        let count = self.u32()? as usize;
        let fits = count.checked_mul(least.max(1)).is_some_and(|bytes| bytes <= self.0.len());
        if fits { Ok(count) } else { Err(damaged("a count is too great")) }
    }

    /// Returns the number of unread bytes.
    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }

    /// Returns an error unless everything was read.
    pub(crate) fn end(&self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(damaged("a part is too long")) }
    }
}

/// Returns the code of a value in its closed list. New values are only appended.
pub(crate) fn code_of<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|other| other == value).and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
}

/// Returns the value with a code in its closed list.
pub(crate) fn of_code<T: Copy>(all: &[T], code: u8) -> Result<T> {
    all.get(usize::from(code)).copied().ok_or_else(|| damaged("a code is not known"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut out = ByteWriter::default();
        let time = Timestamp::clamped(1_790_000_000_000);
        out.u8(7).u16(0x0102).u32(3).u64(u64::MAX - 1).text("dör").time(time).maybe_time(None);
        out.maybe_time(Some(time)).u8(1);
        let mut read = ByteReader::new(&out.0);
        assert_eq!((read.u8().unwrap(), read.u16().unwrap(), read.u32().unwrap()), (7, 0x0102, 3));
        assert_eq!((read.u64().unwrap(), read.text().unwrap()), (u64::MAX - 1, "dör"));
        assert_eq!((read.time().unwrap(), read.maybe_time().unwrap()), (time, None));
        assert_eq!((read.maybe_time().unwrap(), read.flag().unwrap()), (Some(time), true));
        assert!(read.end().is_ok() && read.u8().is_err());
    }

    #[test]
    fn wild_numbers_are_errors() {
        let check = |bytes: &[u8], read: fn(&mut ByteReader<'_>) -> bool| {
            assert!(read(&mut ByteReader::new(bytes)), "{bytes:?}");
        };
        check(&[255, 255, 255, 255, 1], |read| read.count(1).is_err());
        check(&[2, 0, 0, 0, 1, 1], |read| read.count(1).is_ok_and(|count| count == 2));
        check(&[2, 0, 0, 0, 1, 1], |read| read.count(2).is_err());
        check(&[2, 0, 0, 0, 0xc3, 0x28], |read| read.text().is_err());
        check(&[9, 0, 0, 0, b'a'], |read| read.text().is_err());
        check(&[2], |read| read.flag().is_err());
        check(&(-5i64).to_le_bytes(), |read| read.time().is_err());
        check(&[1], |read| read.end().is_err());
    }

    #[test]
    fn codes_are_places() {
        assert_eq!((code_of(&['a', 'b'], &'b'), of_code(&['a', 'b'], 1).unwrap()), (1, 'b'));
        assert!(of_code(&['a'], 1).is_err());
    }
}
