//! Commands side by side, a few at a time: most of them wait for the disk or for a time to pass, or
//! use one processor. The output of each is printed under its name, when it ends and each minute
//! before. Behind a failure no other is started. It knows nothing of what they do.

use crate::process;
use anyhow::{Context, Result, bail};
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Test programs that run at a time.
pub(crate) const LANES: usize = 2;
/// The time after which a command that still runs shows its output: what is ended from outside has
/// shown where it was.
const PART: Duration = Duration::from_secs(60);
/// The time between two looks at a command.
const PAUSE: Duration = Duration::from_millis(20);

/// The end of a command.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) name: String,
    pub(crate) took: Duration,
    pub(crate) outcome: Result<()>,
}

/// Runs named commands, so many at a time, and returns those that ran in the order of their ends.
pub(crate) fn run(commands: Vec<(String, Command)>, at_once: usize) -> Vec<Ended> {
    let (waiting, ended) = (Mutex::new(VecDeque::from(commands)), Mutex::new(Vec::new()));
    let lane = || {
        loop {
            if locked(&ended).iter().any(|one: &Ended| one.outcome.is_err()) {
                return;
            }
            let Some((name, mut command)) = locked(&waiting).pop_front() else { return };
            println!("$ {}", process::line(&command));
            let began = Instant::now();
            let show = |output: &[u8], is_last| print(&name, began.elapsed(), output, is_last);
            let outcome = followed(&mut command, PART, show);
            let took = began.elapsed();
            locked(&ended).push(Ended { name, took, outcome });
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(lane);
        }
    });
    ended.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the commands.
///
/// # Errors
/// When one does not succeed, with its name; those behind it are not run.
pub(crate) fn succeed(commands: Vec<(String, Command)>) -> Result<()> {
    for one in run(commands, LANES) {
        one.outcome.with_context(|| one.name)?;
    }
    Ok(())
}

fn print(name: &str, took: Duration, output: &[u8], is_last: bool) {
    let state = if is_last { "" } else { ", still running" };
    // Locked, so that the outputs of two are never mixed.
    let mut terminal = std::io::stdout().lock();
    // A terminal that is gone must not end the tests.
    let _ = writeln!(terminal, "\n── {name}, {:.1} s{state} ──", took.as_secs_f64());
    let _ = terminal.write_all(output);
}

/// Runs a command to its end. `show` gets the output in parts: each time what came since the part
/// before, and at the end the last one.
fn followed(command: &mut Command, every: Duration, mut show: impl FnMut(&[u8], bool)) -> Result<()> {
    let file = tempfile::tempfile().context("a file for the output of a command")?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
    let line = process::line(command);
    let mut child = command.spawn().with_context(|| format!("starting `{line}`"))?;
    let (mut shown, mut began) = (0, Instant::now());
    loop {
        let status = child.try_wait()?;
        if status.is_some() || began.elapsed() >= every {
            let output = written_behind(&file, shown)?;
            shown += output.len() as u64;
            began = Instant::now();
            show(&output, status.is_some());
        }
        match status {
            Some(status) if status.success() => return Ok(()),
            Some(status) => bail!("`{line}` failed ({status})"),
            None => std::thread::sleep(PAUSE),
        }
    }
}

/// Returns the end of a file. The place at which a command writes into it stays.
fn written_behind(file: &File, start: u64) -> Result<Vec<u8>> {
    let bytes = file.metadata()?.len().saturating_sub(start);
    let mut output = vec![0; usize::try_from(bytes)?];
    file.read_exact_at(&mut output, start)?;
    Ok(output)
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(name: &str, script: &str) -> (String, Command) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        (name.to_owned(), command)
    }

    #[test]
    fn two_run_at_a_time() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().display();
        // Each waits for the other to begin: one after the other, neither would end.
        let meet = |own: &str, other: &str| {
            format!("cd {path}; mkfifo {own} {other} 2>/dev/null; : > {own} & : < {other}; wait")
        };
        let ended = run(vec![shell("a", &meet("a", "b")), shell("b", &meet("b", "a"))], LANES);
        assert!(ended.iter().all(|one| one.outcome.is_ok()), "{ended:?}");
        assert_eq!(ended.len(), 2);
        Ok(())
    }

    #[test]
    fn a_failure_is_named_and_starts_nothing_else() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let begun = folder.path().join("begun");
        let mut commands: Vec<_> = (0..LANES).map(|lane| shell(&format!("bad {lane}"), "exit 3")).collect();
        commands.push(shell("good", &format!(": > {}", begun.display())));
        let error = succeed(commands).err().map(|error| format!("{error:#}")).unwrap_or_default();
        assert!(error.starts_with("bad ") && error.contains("exit 3` failed (exit status: 3)"), "{error}");
        assert!(!begun.exists());
        assert!(succeed(vec![shell("good", "exit 0")]).is_ok());
        assert!(succeed(vec![("none".to_owned(), Command::new("no-such-program"))]).is_err());
        Ok(())
    }

    #[test]
    fn the_output_of_a_command_is_kept_whole() {
        let (_, mut command) = shell("talks", "echo out; echo err >&2; exit 1");
        let mut output = Vec::new();
        let outcome = followed(&mut command, PART, |part, _| output.extend_from_slice(part));
        assert_eq!(String::from_utf8_lossy(&output), "out\nerr\n");
        assert!(outcome.is_err());
    }

    #[test]
    fn a_command_shows_its_output_before_it_ends() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let pipe = folder.path().join("pipe");
        let script = format!("mkfifo {0} && echo begun && : < {0} && echo ended", pipe.display());
        let (_, mut command) = shell("waits", &script);
        let mut parts = Vec::new();
        followed(&mut command, Duration::ZERO, |part, is_last| {
            // Until somebody opens the other end, the command waits.
            if part == b"begun\n" {
                drop(File::options().write(true).open(&pipe));
            }
            if !part.is_empty() || is_last {
                parts.push((String::from_utf8_lossy(part).into_owned(), is_last));
            }
        })?;
        assert_eq!(parts.first(), Some(&("begun\n".to_owned(), false)));
        assert!(parts.last().is_some_and(|(_, is_last)| *is_last), "{parts:?}");
        assert_eq!(parts.iter().map(|(part, _)| part.as_str()).collect::<String>(), "begun\nended\n");
        Ok(())
    }
}
