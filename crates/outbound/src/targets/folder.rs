//! Notifications and payloads as files: written completely or not at all, and synced to disk before
//! they count as delivered.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use loci_model::{Error, Result};

use super::address::of_path;

/// The number of bytes that are searched for the end of the last complete line.
const TAIL_BYTES: usize = 64 * 1024;

/// Writes a file to a folder; a repeat with the same name replaces it.
pub(super) async fn write(folder: PathBuf, name: String, bytes: Vec<u8>) -> Result<()> {
    aside(move || write_whole(&folder, &name, &bytes)).await
}

/// Appends a line to a file.
pub(super) async fn append(path: PathBuf, line: &str) -> Result<()> {
    // A document may contain line breaks between its members, but none inside a text.
    let mut bytes = line.replace(['\n', '\r'], " ").into_bytes();
    bytes.push(b'\n');
    aside(move || append_line(&path, &bytes)).await
}

/// Writes an object below a folder, and returns its address.
pub(super) async fn store(folder: &Path, key: &str, bytes: Vec<u8>) -> Result<String> {
    let is_plain = Path::new(key).components().all(|part| matches!(part, Component::Normal(_)));
    let path = folder.join(key);
    let (Some(parent), Some(name), true) = (path.parent(), path.file_name(), is_plain) else {
        return Err(Error::bug("the key of an object that is no path"));
    };
    write(parent.to_owned(), name.to_string_lossy().into_owned(), bytes).await?;
    Ok(of_path(&path))
}

/// Runs disk operations outside the threads that serve requests, because they may block.
async fn aside(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> Result<()> {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            let said = format!("the folder of the target cannot be written: {}", error.kind());
            Err(Error::unavailable(said).caused_by(error))
        }
        Err(error) => Err(Error::unavailable("writing to the target's folder broke off").caused_by(error)),
    }
}

fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let draft = folder.join(format!(".{name}.draft"));
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&draft, folder.join(name))?;
    // The file name itself is on disk only after this sync.
    File::open(folder)?.sync_all()
}

fn append_line(path: &Path, line: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
    // The lock holds until the file is closed, for threads and processes. So a line that another
    // writer is appending does not look torn.
    file.lock()?;
    drop_torn_line(&mut file)?;
    file.write_all(line)?;
    file.sync_all()
}

/// Removes a line that a crash cut off. It was never delivered, and is written again.
fn drop_torn_line(file: &mut File) -> io::Result<()> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut tail = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(TAIL_BYTES as u64);
        file.seek(SeekFrom::Start(start))?;
        tail.clear();
        Read::by_ref(file).take(end - start).read_to_end(&mut tail)?;
        if let Some(at) = tail.iter().rposition(|byte| *byte == b'\n') {
            let whole = start + u64::try_from(at).unwrap_or(0) + 1;
            return if whole == file.metadata()?.len() { Ok(()) } else { file.set_len(whole) };
        }
        end = start;
    }
    file.set_len(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/all.jsonl");
        append_line(&path, b"{\"a\":1}\n").unwrap();
        fs::write(&path, b"{\"a\":1}\n{\"b\":").unwrap();
        append_line(&path, b"{\"b\":2}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"b\":2}\n");
        fs::write(&path, "x".repeat(3 * TAIL_BYTES)).unwrap();
        append_line(&path, b"{}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n");
        let long = format!("{{\"long\":\"{}\"}}\n", "x".repeat(2 * TAIL_BYTES));
        append_line(&path, long.as_bytes()).unwrap();
        append_line(&path, b"[]\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{{}}\n{long}[]\n"));
    }

    #[test]
    fn lines_written_side_by_side_are_all_there() {
        const THREADS: usize = 16;
        const LINES: usize = 25;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.jsonl");
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let path = &path;
                scope.spawn(move || {
                    for line in 0..LINES {
                        // The lines have different lengths, so that a line appended within another
                        // one is detected.
                        let more = "x".repeat(thread * 100 + line);
                        let line = format!("{{\"from\":\"{thread}-{line}\",\"more\":\"{more}\"}}\n");
                        append_line(path, line.as_bytes()).unwrap();
                    }
                });
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        let found: std::collections::BTreeSet<String> = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["from"].to_string())
            .collect();
        assert_eq!((text.lines().count(), found.len()), (THREADS * LINES, THREADS * LINES));
    }

    #[test]
    fn files_come_whole_and_replace() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("out");
        for text in ["first", "second"] {
            write_whole(&place, "1-a.json", text.as_bytes()).unwrap();
        }
        let names: Vec<_> = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["1-a.json"]);
        assert_eq!(fs::read_to_string(place.join("1-a.json")).unwrap(), "second");
    }
}
