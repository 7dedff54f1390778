//! Commands side by side, two at a time: most of them wait for the disk or for a time to pass, or use
//! one processor. The output of each is printed whole when it ends. Behind a failure no other is started.
//! It knows nothing of what they do.

use crate::process;
use anyhow::{Context, Result, bail};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Commands that run at a time.
pub(crate) const LANES: usize = 2;

/// The end of a command.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) name: String,
    pub(crate) took: Duration,
    pub(crate) outcome: Result<()>,
}

/// Runs the commands, which have names, and returns those that ran in the order of their ends.
pub(crate) fn run(commands: Vec<(String, Command)>) -> Vec<Ended> {
    let (waiting, ended) = (Mutex::new(VecDeque::from(commands)), Mutex::new(Vec::new()));
    let lane = || {
        loop {
            if locked(&ended).iter().any(|one: &Ended| one.outcome.is_err()) {
                return;
            }
            let Some((name, mut command)) = locked(&waiting).pop_front() else { return };
            println!("$ {}", process::line(&command));
            let began = Instant::now();
            let (output, outcome) = match captured(&mut command) {
                Ok((output, outcome)) => (output, outcome),
                Err(error) => (Vec::new(), Err(error)),
            };
            let took = began.elapsed();
            // Under the lock, so that the outputs of two are never mixed.
            let mut ended = locked(&ended);
            println!("\n── {name}, {:.1} s ──", took.as_secs_f64());
            // A terminal that is gone must not end the tests.
            let _ = std::io::stdout().write_all(&output);
            ended.push(Ended { name, took, outcome });
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..LANES {
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
    for one in run(commands) {
        one.outcome.with_context(|| one.name)?;
    }
    Ok(())
}

/// Runs a command to its end; returns its output and whether it succeeded.
fn captured(command: &mut Command) -> Result<(Vec<u8>, Result<()>)> {
    let mut file: File = tempfile::tempfile().context("a file for the output of a command")?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
    let line = process::line(command);
    let status = command.status().with_context(|| format!("starting `{line}`"))?;
    let mut output = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut output)?;
    let outcome = if status.success() { Ok(()) } else { failed(&line, &status.to_string()) };
    Ok((output, outcome))
}

fn failed(line: &str, status: &str) -> Result<()> {
    bail!("`{line}` failed ({status})")
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
        let ended = run(vec![shell("a", &meet("a", "b")), shell("b", &meet("b", "a"))]);
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
    fn the_output_of_a_command_is_kept_whole() -> Result<()> {
        let (_, mut command) = shell("talks", "echo out; echo err >&2; exit 1");
        let (output, outcome) = captured(&mut command)?;
        assert_eq!(String::from_utf8_lossy(&output), "out\nerr\n");
        assert!(outcome.is_err());
        Ok(())
    }
}
