//! The memory's id for scripts, in a file of the project. It is written once, on request of a
//! program; no call reads it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::SreMemory;

/// The file name, which `loci memory ensure` also uses.
const FILE: &str = ".memory_id";
/// The mode of the file: only its owner may read it.
const MODE: u32 = 0o600;

impl SreMemory {
    /// Writes the memory's id to `.memory_id` in a directory, as one line that only its owner may
    /// read. The write is atomic. Returns false and writes nothing while the memory is offline.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_memory_id(&self, directory: &Path) -> io::Result<bool> {
        let Some(memory) = self.memory_id() else { return Ok(false) };
        let place = directory.join(FILE);
        if fs::symlink_metadata(&place).is_ok_and(|about| !about.is_file()) {
            let rule = format!(
                "{} is not a regular file but a link, a pipe, a folder or the like, and is not replaced: remove it",
                place.display()
            );
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, rule));
        }
        let draft = directory.join(format!("{FILE}.{}", std::process::id()));
        match fs::remove_file(&draft) {
            // A leftover of a process with this id that died.
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(MODE).open(&draft)?;
        let written = writeln!(file, "{memory}").and_then(|()| fs::rename(&draft, &place));
        if written.is_err() {
            // The returned error reports the failure. A remaining draft is readable by its owner
            // only.
            let _ = fs::remove_file(&draft);
        }
        written.map(|()| true)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::call::Client;

    #[test]
    fn one_line_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        fs::write(&path, "an older and longer id-0123456789\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let memory = Client::in_process(axum::Router::new()).sre_memory("sre_agent_memory-0123456789");
        assert!(memory.write_memory_id(folder.path()).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "sre_agent_memory-0123456789\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, MODE);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("elsewhere", &path).unwrap();
        let refused = memory.write_memory_id(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("not a regular file"), "{refused}");
        assert!(!folder.path().join("elsewhere").exists(), "a link is not written through");
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(memory.write_memory_id(folder.path()).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft of a failure is left");
        assert!(memory.write_memory_id(&folder.path().join("none")).is_err());
    }
}
