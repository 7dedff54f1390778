//! Folders of work that is not done, which go when SIGINT or SIGTERM ends the process. The exit
//! code is the shell's for the signal. Commands that never make such a folder end by the signal
//! itself, and the server has a stop of its own (`stop_limit`). A killed process leaves its
//! folders.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

use anyhow::{Context, Result};
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};

use crate::output;

/// The exit code of a process that a signal ended, above the signal's number.
const EXIT_CODE_OF_SIGNALS: i32 = 128;
/// The work may write into a folder while it is removed: so often is it removed again.
const REMOVALS_MAX: usize = 1_000;

/// The folders of this process.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// True once a thread waits for signals.
static IS_LISTENING: Mutex<bool> = Mutex::new(false);

/// A folder that goes with a signal, until this is dropped.
#[derive(Debug)]
pub(crate) struct SignalGuard {
    folder: PathBuf,
}

impl SignalGuard {
    /// Makes a folder and guards it. No signal comes between the two.
    ///
    /// # Errors
    /// Errors of `make`; an error where signals cannot be waited for.
    pub(crate) fn around(make: impl FnOnce() -> Result<TempDir>) -> Result<(TempDir, Self)> {
        listen()?;
        let mut folders = held(&FOLDERS);
        let folder = make()?;
        let guard = Self { folder: folder.path().to_owned() };
        folders.insert(guard.folder.clone());
        Ok((folder, guard))
    }

    /// Does what no signal may cut in two, and ends the guard.
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

/// Starts the thread that waits for signals, once. It has a runtime of its own: work that holds
/// every thread of the command's runtime does not delay it.
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

/// Removes the folders and ends the process. The folders are held until then: none is made or
/// published meanwhile.
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

/// Removes a folder until it is gone; the remark about one that stays.
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
