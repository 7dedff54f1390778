//! An append-only file of lines. A line is either written completely or not at all, even when the
//! disk is full. The operating system decides when the line reaches the disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

/// An append-only file of lines.
pub(super) struct Appender {
    file: File,
    /// The size in bytes of the part of the file that consists of complete lines. `None` if it is
    /// unknown after an error.
    whole_bytes: Option<u64>,
    /// True if the file may end in a partial line.
    torn: bool,
    /// The free disk space that a test simulates, in bytes; `None`: no limit.
    #[cfg(test)]
    pub(super) room_bytes: Option<usize>,
}

impl Appender {
    /// Opens a file and creates it if it is missing. An existing file may end in a partial line.
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

    /// Appends a value as a line of JSON and returns the line's size in bytes.
    pub(super) fn append(&mut self, line: &impl Serialize) -> io::Result<u64> {
        // A partial line of an earlier write must not be joined to this one.
        let mut text = if self.torn { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut text, line)?;
        text.push(b'\n');
        if let Err(error) = self.write(&text) {
            // A part of the line may be written.
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

    /// Removes all lines of the file.
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
        // A partial line that cannot be cut off stays a line of its own.
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
