//! A reader of the lines of a spool file, in order. It skips unreadable lines, with an error in
//! the log.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::spool::unusable;
use crate::agent::error::StoreError;

/// An iterator over the lines of a spool file.
pub(super) struct Lines<T> {
    /// The open spool file. `None` if it does not exist.
    file: Option<BufReader<File>>,
    text: Vec<u8>,
    /// The offset of the next line, in bytes.
    next_at_bytes: u64,
    line: PhantomData<T>,
}

impl<T> Lines<T> {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_at(path, 0)
    }

    /// Opens a spool file at the offset of a line, which [`Lines::last_at_bytes`] returned.
    pub(super) fn open_at(path: &Path, at_bytes: u64) -> Result<Self, StoreError> {
        let file = match File::open(path) {
            Ok(mut file) => {
                file.seek(SeekFrom::Start(at_bytes)).map_err(unusable)?;
                Some(BufReader::new(file))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(unusable(error)),
        };
        Ok(Self { file, text: Vec::new(), next_at_bytes: at_bytes, line: PhantomData })
    }

    /// Returns the offset of the last line read, in bytes.
    pub(super) fn last_at_bytes(&self) -> u64 {
        self.next_at_bytes.saturating_sub(self.last_bytes())
    }

    /// Parses the last line read as another type. `None` if the line does not have that type.
    pub(super) fn last_as<O: DeserializeOwned>(&self) -> Option<O> {
        serde_json::from_slice(self.text.trim_ascii()).ok()
    }

    /// Returns the length of the last line read, in bytes, including its line end.
    pub(super) fn last_bytes(&self) -> u64 {
        u64::try_from(self.text.len()).unwrap_or(0)
    }
}

impl<T: DeserializeOwned> Iterator for Lines<T> {
    type Item = Result<T, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let file = self.file.as_mut()?;
        loop {
            self.text.clear();
            match file.read_until(b'\n', &mut self.text) {
                Err(error) => {
                    self.file = None;
                    return Some(Err(unusable(error)));
                }
                Ok(0) => return None,
                Ok(bytes) => self.next_at_bytes += u64::try_from(bytes).unwrap_or(0),
            }
            let text = self.text.trim_ascii();
            if text.is_empty() {
                continue;
            }
            if let Ok(line) = serde_json::from_slice(text) {
                return Some(Ok(line));
            }
            // At the end of a file this line was being written when the process ended. Its content
            // is not logged.
            tracing::error!("bytes=<{}> | a line of the spool cannot be read, it is passed over", text.len());
        }
    }
}
