//! Folders of unfinished work, which are removed if SIGINT or SIGTERM ends the process. The exit
//! code is the shell's for the signal. Commands without such a folder end by the signal itself, and
//! the server has its own stop (`stop_limit`). A killed process leaves its folders.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

use anyhow::{Context, Result};
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};

use crate::output;

/// The base of the exit code of a process that a signal ended. The signal's number is added.
const EXIT_CODE_OF_SIGNALS: i32 = 128;
/// The maximum number of attempts to remove a folder while the work still writes into it.
const REMOVALS_MAX: usize = 1_000;

/// The folders of this process.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// True once a thread waits for signals.
static IS_LISTENING: Mutex<bool> = Mutex::new(false);

/// A folder that a signal removes until the guard is dropped.
#[derive(Debug)]
pub(crate) struct SignalGuard {
    folder: PathBuf,
}

impl SignalGuard {
    /// Creates a folder and guards it. No signal can arrive between the two.
    ///
    /// # Errors
    /// Errors of `make`, or an error if signals cannot be received.
    pub(crate) fn around(make: impl FnOnce() -> Result<TempDir>) -> Result<(TempDir, Self)> {
        listen()?;
        let mut folders = held(&FOLDERS);
        let folder = make()?;
        let guard = Self { folder: folder.path().to_owned() };
        folders.insert(guard.folder.clone());
        Ok((folder, guard))
    }

    /// Runs a function that no signal may interrupt, and ends the guard.
    pub(crate) fn finish<T>(self, work: impl FnOnce() -> T) -> T {
        let mut folders = held(&FOLDERS);
        let outcome = work();
        folders.remove(&self.folder);
        outcome
    }
}

impl Drop for SignalGuard {
    fn drop(&mut self) {
        held(&FOLDERS).remove(&self.folder);
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the thread that waits for signals, once. It has its own runtime, so that it reacts even
/// if work occupies all threads of the command's runtime.
fn listen() -> Result<()> {
    let mut is_listening = held(&IS_LISTENING);
    if *is_listening {
        return Ok(());
    }
    let (ready, is_ready) = mpsc::channel();
    std::thread::Builder::new()
        .name("loci-signals".to_owned())
        .spawn(move || {
            let work = async {
                let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
                let (mut interrupt, mut terminate) = match (signal(kinds[0]), signal(kinds[1])) {
                    (Ok(interrupt), Ok(terminate)) => (interrupt, terminate),
                    (Err(error), _) | (_, Err(error)) => return Err(error),
                };
                let _ = ready.send(Ok(())); // who started the thread waits for it
                let [interrupted, terminated] = kinds.map(|kind| kind.as_raw_value());
                Ok(tokio::select! {
                    _ = interrupt.recv() => interrupted,
                    _ = terminate.recv() => terminated,
                })
            };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime.and_then(|runtime| runtime.block_on(work)) {
                Ok(signal) => end(signal),
                Err(error) => {
                    let _ = ready.send(Err::<(), io::Error>(error));
                }
            }
        })
        .context("starting the thread that waits for signals")?;
    is_ready.recv().context("the thread that waits for signals")?.context("waiting for signals")?;
    *is_listening = true;
    Ok(())
}

/// Removes the folders and ends the process. The lock on the folders is held until then, so that no
/// folder is created or published meanwhile.
#[expect(clippy::disallowed_methods, reason = "main cannot return an exit code while its work does not end")]
fn end(signal: i32) {
    let folders = held(&FOLDERS);
    for folder in folders.iter() {
        if let Some(told) = remaining(folder) {
            output::note(told);
        }
    }
    std::process::exit(EXIT_CODE_OF_SIGNALS + signal);
}

/// Removes a folder until it is gone. Returns a note if it remains.
fn remaining(folder: &Path) -> Option<String> {
    let mut failed = None;
    for _ in 0..REMOVALS_MAX {
        match std::fs::remove_dir_all(folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => failed = Some(error),
        }
    }
    let why = failed.map(|error| format!(" ({error})")).unwrap_or_default();
    Some(format!("the unfinished folder {} could not be removed{why}: remove it", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_guarded_until_its_guard_ends() {
        let home = tempfile::tempdir().unwrap();
        let made = || -> Result<TempDir> { Ok(tempfile::tempdir_in(home.path())?) };
        let is_guarded = |folder: &TempDir| held(&FOLDERS).contains(folder.path());
        let (folder, guard) = SignalGuard::around(made).unwrap();
        assert!(is_guarded(&folder));
        drop(guard);
        assert!(!is_guarded(&folder));
        let (folder, guard) = SignalGuard::around(made).unwrap();
        assert_eq!(guard.finish(|| "published"), "published");
        assert!(!is_guarded(&folder));
        assert!(SignalGuard::around(|| anyhow::bail!("full")).is_err());
    }

    #[test]
    fn a_folder_is_removed_with_all_that_is_in_it() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("work");
        std::fs::create_dir_all(folder.join("a/b")).unwrap();
        std::fs::write(folder.join("a/b/c"), "x").unwrap();
        assert_eq!(remaining(&folder), None);
        assert!(!folder.exists());
        assert_eq!(remaining(&folder), None, "gone already");
        std::fs::write(&folder, "no folder").unwrap();
        assert!(remaining(&folder).unwrap().contains("remove it"));
    }
}
