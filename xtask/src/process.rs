//! Runs other programs: prints each command, and turns a failed exit into an error that names the
//! command. It never uses a shell.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

/// Returns the command as a user would type it, without its environment and the folder of its
/// program.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words =
        std::iter::once(program.file_name().unwrap_or(command.get_program())).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs a command to its end on our own terminal.
///
/// # Errors
/// Errors if it cannot be started or does not succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", line(command));
    let status = command.status().with_context(|| format!("starting `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a command to its end and returns its standard output. Its standard error goes to our
/// terminal.
///
/// # Errors
/// Errors if it cannot be started or does not succeed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    command.stderr(std::process::Stdio::inherit());
    let output = command.output().with_context(|| format!("starting `{}`", line(command)))?;
    if !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stdout));
        bail!("`{}` failed ({})", line(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns true if the command starts and succeeds. It prints nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|o| o.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command() {
        assert_eq!(line(Command::new("/somewhere/cargo").args(["fmt", "--check"])), "cargo fmt --check");
        let failure = run(Command::new("/bin/sh").args(["-c", "exit 3"]));
        assert!(failure.is_err_and(|e| e.to_string().starts_with("`sh -c exit 3` failed")));
        assert!(run(&mut Command::new("no-such-program")).is_err());
    }
}
