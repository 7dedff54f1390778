//! Regular files that an operator names: a configuration, a key, a token.
//!
//! They are opened without blocking, so that neither a pipe without a writer nor a device delays a
//! start. An open file of this process counts too, because shells pass the output of a command as
//! `/dev/fd/63`. The reader checks the content, the mode and the owner of a file.

use std::fs::File;
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::Path;

use loci_model::limits::INPUT_TEXT_BYTES_MAX;
use rustix::fs::{Mode, OFlags};

/// The standard input of this process.
const STANDARD_INPUT: &str = "/dev/stdin";
/// The folder of this process's open files.
pub const OPEN_FILES: &str = "/dev/fd";

/// Opens a file for reading.
///
/// # Errors
/// `InvalidInput` for a pipe, a device, a socket and a folder; errors of the file system.
pub fn open(path: &Path) -> Result<File> {
    if is_open_file(path) {
        return File::open(path);
    }
    // A socket cannot be opened at all, and opening a device may have effects.
    if !std::fs::metadata(path)?.is_file() {
        return Err(irregular());
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    // The path may have another file by now.
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular()) }
}

/// Reads a whole file.
///
/// # Errors
/// As [`open`]; `FileTooLarge` over [`INPUT_TEXT_BYTES_MAX`].
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(INPUT_TEXT_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > INPUT_TEXT_BYTES_MAX {
        let rule = format!("it has more than {INPUT_TEXT_BYTES_MAX} bytes: name another file");
        return Err(Error::new(ErrorKind::FileTooLarge, rule));
    }
    Ok(bytes)
}

/// Reads a whole text file.
///
/// # Errors
/// As [`read`]; `InvalidData` for a file that is not UTF-8.
pub fn read_to_string(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|error| Error::new(ErrorKind::InvalidData, error.utf8_error()))
}

/// Returns the error for a file that is not regular.
fn irregular() -> Error {
    let rule = "it is not a regular file: copy its content to a regular file, and name that file";
    Error::new(ErrorKind::InvalidInput, rule)
}

fn is_open_file(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT) || path.parent().is_some_and(is_folder_of_open_files)
}

/// Returns true for the folder of a process's open files, under any name.
pub fn is_folder_of_open_files(folder: &Path) -> bool {
    folder.canonicalize().is_ok_and(|folder| {
        folder == Path::new(OPEN_FILES) || folder.starts_with("/proc") && folder.ends_with("fd")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_regular_file_is_opened_and_nothing_waits() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        for name in ["file", "link"] {
            assert_eq!(read_to_string(&at(name)).unwrap(), "text", "{name}");
        }
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        std::os::unix::fs::symlink(at("pipe"), at("link to pipe")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        let irregular = [at("pipe"), at("link to pipe"), at("socket"), at("folder"), "/dev/zero".into()];
        // The test would not end if one of them blocked.
        let (told, heard) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for path in irregular {
                let error = open(&path).map(drop).unwrap_err();
                told.send((path, error.kind(), error.to_string())).unwrap();
            }
        });
        for _ in 0..5 {
            let (path, kind, rule) = heard.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
            assert_eq!(kind, ErrorKind::InvalidInput, "{path:?}");
            assert!(rule.contains("not a regular file"), "{path:?}: {rule}");
        }
        assert_eq!(open(&at("none")).unwrap_err().kind(), ErrorKind::NotFound);
        std::fs::write(at("latin"), b"\xe9").unwrap();
        assert_eq!(read_to_string(&at("latin")).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[test]
    fn what_a_command_says_may_be_one() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"a token").unwrap();
        drop(writer);
        let path = Path::new("/dev/fd").join(std::os::fd::AsRawFd::as_raw_fd(&reader).to_string());
        assert_eq!(read_to_string(&path).unwrap(), "a token");
    }
}
