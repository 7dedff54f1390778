//! A file of lines that grows at its end. A line is in it whole or not at all, also where the disk is full; when it reaches the disk is
//! the system's affair.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

/// See the file.
pub(super) struct Appender {
    file: File,
    /// Up to where its lines are whole; `None` where that is not known any more.
    whole_bytes: Option<u64>,
    /// There may be half a line at its end.
    torn: bool,
    /// What a test leaves of the disk.
    #[cfg(test)]
    pub(super) room_bytes: Option<usize>,
}

impl Appender {
    /// Opens a file, which is made where it is missing. One of before may end in half a line.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            file,
            whole_bytes: Some(length),
            torn: length > 0,
            #[cfg(test)]
            room_bytes: None,
        })
    }

    /// Adds a line, and says how many bytes that took.
    pub(super) fn append(&mut self, line: &impl Serialize) -> io::Result<u64> {
        // What was left of a line of before must not be joined to this one.
        let mut text = if self.torn { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
        if let Err(error) = self.write(&text) {
            // Some of it may be written.
            let cut = self.whole_bytes.map(|whole_bytes| self.file.set_len(whole_bytes));
            if !matches!(cut, Some(Ok(()))) {
                self.whole_bytes = None;
                self.torn = true;
            }
            return Err(error);
        }
        let bytes = u64::try_from(text.len()).unwrap_or(0);
        self.whole_bytes = self.whole_bytes.map(|whole_bytes| whole_bytes + bytes);
        self.torn = false;
        Ok(bytes)
    }

    /// Removes all lines.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.whole_bytes = Some(0);
        self.torn = false;
        Ok(())
    }

    #[cfg(not(test))]
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.write_all(text)
    }

    #[cfg(test)]
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let Some(room_bytes) = &mut self.room_bytes else { return self.file.write_all(text) };
        let fits = text.get(..*room_bytes).unwrap_or(text);
        *room_bytes -= fits.len();
        self.file.write_all(fits)?;
        if fits.len() < text.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_fit_is_not_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lines");
        let check = |file: &mut Appender, room: Option<usize>, fits: bool, expect: &str| {
            file.room_bytes = room;
            assert_eq!(file.append(&"said").is_ok(), fits);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expect);
        };
        let mut file = Appender::open(&path).unwrap();
        check(&mut file, None, true, "\"said\"\n");
        check(&mut file, Some(3), false, "\"said\"\n");
        check(&mut file, None, true, "\"said\"\n\"said\"\n");
        // Where the rest cannot be cut off, it stays a line of its own.
        file.whole_bytes = None;
        check(&mut file, Some(3), false, "\"said\"\n\"said\"\n\"sa");
        check(&mut file, None, true, "\"said\"\n\"said\"\n\"sa\n\"said\"\n");
        drop(file);
        check(
            &mut Appender::open(&path).unwrap(),
            None,
            true,
            "\"said\"\n\"said\"\n\"sa\n\"said\"\n\n\"said\"\n",
        );
    }
}
