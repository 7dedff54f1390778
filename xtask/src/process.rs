//! Runs other programs: says what it runs, and turns a bad exit into an error that names the command. It never goes
//! through a shell.

use anyhow::{Context, Result, bail};
use std::process::Command;

/// The command as one would type it, without its environment.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs to the end with our own terminal.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", line(command));
    let status = command.status().with_context(|| format!("starting `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs to the end and returns what it wrote to its standard output; errors go to our terminal.
///
/// # Errors
/// When it cannot be started or does not succeed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    command.stderr(std::process::Stdio::inherit());
    let output = command.output().with_context(|| format!("starting `{}`", line(command)))?;
    if !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stdout));
        bail!("`{}` failed ({})", line(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether it starts and succeeds, in silence.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|o| o.status.success())
}
