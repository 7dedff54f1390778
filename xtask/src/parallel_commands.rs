//! Runs commands in parallel, a few at a time: most of them wait for the disk or for a timeout, or
//! use one processor. The output of each is printed under its name, every minute and at its end.
//! After a failure no further command starts. It knows nothing about the commands.

use crate::{process, processor_time};
use anyhow::{Context, Result, bail};
use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of test programs that run at a time.
pub(crate) const LANES: usize = 2;
/// The interval at which a running command shows its output. A command that is killed from outside
/// has then shown its progress.
const PART_EVERY: Duration = Duration::from_secs(60);
/// The time between two checks of a command.
const PAUSE: Duration = Duration::from_millis(100);

/// A part of the output of a command.
#[derive(Debug)]
struct Part<'a> {
    output: &'a [u8],
    /// The processor time since the command began.
    processor: Option<Duration>,
    is_last: bool,
}

/// The end of a command.
#[derive(Debug)]
pub(crate) struct CommandEnd {
    pub(crate) name: String,
    pub(crate) took: Duration,
    /// The processor time, if the system reports it.
    pub(crate) processor: Option<Duration>,
    pub(crate) outcome: Result<()>,
}

/// A command with its name.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) command: Command,
    /// True if the command holds cargo's lock of the target folder. A second such command would
    /// occupy a lane while it waits for the lock.
    pub(crate) is_cargo: bool,
    /// The names of the jobs that must end before this one begins.
    pub(crate) after: &'static [&'static str],
}

#[derive(Debug)]
struct Jobs {
    waiting: VecDeque<Job>,
    /// The names of the running jobs.
    running: Vec<String>,
    is_cargo_running: bool,
    ended: Vec<CommandEnd>,
}

impl Jobs {
    fn is_free(&self, job: &Job) -> bool {
        let is_open = |name: &&str| {
            self.running.iter().any(|one| one == name) || self.waiting.iter().any(|one| one.name == *name)
        };
        !(job.is_cargo && self.is_cargo_running || job.after.iter().any(is_open))
    }

    /// Returns true if no further job starts.
    fn is_over(&self) -> bool {
        self.waiting.is_empty() || self.ended.iter().any(|one| one.outcome.is_err())
    }

    /// Removes and returns the first job that can run now, and marks it as running. If the waiting
    /// jobs wait for each other, it returns the first of them.
    fn start(&mut self) -> Option<Job> {
        let free = self.waiting.iter().position(|job| self.is_free(job));
        let job = self.waiting.remove(free.or_else(|| self.running.is_empty().then_some(0))?)?;
        self.is_cargo_running |= job.is_cargo;
        self.running.push(job.name.clone());
        Some(job)
    }

    fn end(&mut self, ended: CommandEnd, is_cargo: bool) {
        self.is_cargo_running &= !is_cargo;
        self.running.retain(|name| *name != ended.name);
        self.ended.push(ended);
    }
}

/// Runs jobs, `at_once` at a time but only one of cargo, and returns the finished jobs in the order
/// of their ends.
pub(crate) fn run(jobs: Vec<Job>, at_once: usize) -> Vec<CommandEnd> {
    let jobs = Jobs { waiting: jobs.into(), running: Vec::new(), is_cargo_running: false, ended: Vec::new() };
    let (jobs, change) = (Mutex::new(jobs), Condvar::new());
    // Returns the next job of a lane when one can run, or `None` at the end.
    let next = || {
        let mut jobs = locked(&jobs);
        while !jobs.is_over() {
            if let Some(job) = jobs.start() {
                return Some(job);
            }
            jobs = change.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
        None
    };
    let lane = || {
        while let Some(Job { name, mut command, is_cargo, .. }) = next() {
            // A closed terminal must not end the tests.
            let _ = writeln!(std::io::stdout(), "$ {}", process::line(&command));
            let began = Instant::now();
            let mut processor = None;
            let show = |part: &Part<'_>| {
                processor = part.processor;
                print(&name, began.elapsed(), part);
            };
            let outcome = followed(&mut command, PART_EVERY, show);
            let took = began.elapsed();
            locked(&jobs).end(CommandEnd { name, took, processor, outcome }, is_cargo);
            change.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(lane);
        }
    });
    jobs.into_inner().unwrap_or_else(PoisonError::into_inner).ended
}

/// Runs the commands.
///
/// # Errors
/// Errors with the name of the first command that fails. The commands after it do not run.
pub(crate) fn succeed(jobs: Vec<Job>) -> Result<()> {
    for one in run(jobs, LANES) {
        one.outcome.with_context(|| one.name)?;
    }
    Ok(())
}

fn print(name: &str, took: Duration, part: &Part<'_>) {
    let state = if part.is_last { "" } else { ", still running" };
    let processor = part
        .processor
        .map_or_else(String::new, |time| format!(", {:.1} s of processors", time.as_secs_f64()));
    // Locked, so that the outputs of two commands never mix.
    let mut terminal = std::io::stdout().lock();
    let _ = writeln!(terminal, "\n── {name}, {:.1} s{processor}{state} ──", took.as_secs_f64());
    let _ = terminal.write_all(part.output);
}

/// Runs a command to its end. `show` gets the output in parts: each part is the output since the
/// previous one, and the last part comes at the end.
fn followed(command: &mut Command, every: Duration, mut show: impl FnMut(&Part<'_>)) -> Result<()> {
    let file = tempfile::tempfile().context("a file for the output of a command")?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
    let line = process::line(command);
    let mut child = command.spawn().with_context(|| format!("starting `{line}`"))?;
    let (mut shown, mut began, mut processor) = (0, Instant::now(), None);
    loop {
        // Read before the check of the end, after which the system no longer knows the process.
        processor = processor_time::of_process(child.id()).or(processor);
        let status = child.try_wait()?;
        if status.is_some() || began.elapsed() >= every {
            let output = written_behind(&file, shown)?;
            shown += output.len() as u64;
            began = Instant::now();
            show(&Part { output: &output, processor, is_last: status.is_some() });
        }
        match status {
            Some(status) if status.success() => return Ok(()),
            Some(status) => bail!("`{line}` failed ({status})"),
            None => std::thread::sleep(PAUSE),
        }
    }
}

/// Returns the bytes of a file from `start` on. The position at which the command writes does not
/// change.
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

    fn job(name: &str, command: Command) -> Job {
        Job { name: name.to_owned(), command, is_cargo: false, after: &[] }
    }

    fn shell(name: &str, script: &str) -> Job {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        job(name, command)
    }

    #[test]
    fn one_job_of_cargo_runs_at_a_time() -> Result<()> {
        let folder = tempfile::tempdir()?;
        // A second job would find the folder of the first.
        let script = format!("mkdir {0}/held && sleep 0.05 && rmdir {0}/held", folder.path().display());
        let cargo = |name| Job { is_cargo: true, ..shell(name, &script) };
        let ended = run(vec![cargo("a"), cargo("b"), shell("c", "exit 0")], LANES);
        assert_eq!(ended.len(), 3);
        assert!(ended.iter().all(|one| one.outcome.is_ok()), "{ended:?}");
        Ok(())
    }

    #[test]
    fn a_job_begins_behind_those_it_names() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let made = folder.path().join("made");
        let reader = Job { after: &["maker"], ..shell("reader", &format!("test -e {}", made.display())) };
        let maker = |script: &str| shell("maker", script);
        let good = run(vec![reader, maker(&format!(": > {}", made.display()))], LANES);
        assert!(good.iter().all(|one| one.outcome.is_ok()), "{good:?}");
        assert_eq!(good.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["maker", "reader"]);
        let behind = |of: &'static [&str]| Job { after: of, ..shell("behind", "exit 0") };
        assert_eq!(run(vec![behind(&["maker"]), maker("exit 1")], LANES).len(), 1, "none behind a failure");
        assert_eq!(run(vec![behind(&["nobody"])], LANES).len(), 1, "who is not there is not waited for");
        assert_eq!(run(vec![behind(&["behind"])], LANES).len(), 1, "none is left out");
        Ok(())
    }

    #[test]
    fn two_run_at_a_time() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().display();
        // Each job waits for the other to begin. In sequence, neither would end.
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
        assert!(succeed(vec![job("none", Command::new("no-such-program"))]).is_err());
        Ok(())
    }

    #[test]
    fn the_output_of_a_command_is_kept_whole() {
        let mut command = shell("talks", "echo out; echo err >&2; exit 1").command;
        let mut output = Vec::new();
        let outcome = followed(&mut command, PART_EVERY, |part| output.extend_from_slice(part.output));
        assert_eq!(String::from_utf8_lossy(&output), "out\nerr\n");
        assert!(outcome.is_err());
    }

    #[test]
    fn a_command_shows_its_output_before_it_ends() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let pipe = folder.path().join("pipe");
        let script = format!("mkfifo {0} && echo begun && : < {0} && echo ended", pipe.display());
        let mut command = shell("waits", &script).command;
        let mut parts = Vec::new();
        followed(&mut command, Duration::ZERO, |part| {
            // The command waits until another process opens the other end.
            if part.output == b"begun\n" {
                drop(File::options().write(true).open(&pipe));
            }
            if !part.output.is_empty() || part.is_last {
                parts.push((String::from_utf8_lossy(part.output).into_owned(), part.is_last));
            }
        })?;
        assert_eq!(parts.first(), Some(&("begun\n".to_owned(), false)));
        assert!(parts.last().is_some_and(|(_, is_last)| *is_last), "{parts:?}");
        assert_eq!(parts.iter().map(|(part, _)| part.as_str()).collect::<String>(), "begun\nended\n");
        Ok(())
    }
}
