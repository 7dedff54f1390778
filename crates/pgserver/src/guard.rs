//! The shell that starts PostgreSQL and briefly outlives this process: when this end of its pipe
//! closes for any reason, it ends the server and removes its folder. It knows no settings.

use std::io::{BufRead as _, BufReader, Error, Result, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// `$1` is the folder, `$2` the program, the rest its arguments. A command is a line, and so is its
/// answer. Signals that the shell ignores do not affect the server, which sets its own handlers.
const SCRIPT: &str = r#"
folder=$1; program=$2; shift 2; pid=
while read -r order; do
    case $order in
        start) "$program" "$@" </dev/null >>"$folder/log" 2>&1 & pid=$!; echo "$pid" ;;
        *) kill -s "$order" "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; echo ended ;;
    esac
done
[ -n "$pid" ] && kill -s QUIT "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
rm -rf "$folder"
"#;

/// The user id of `nobody`, which runs the server if this process is root, because PostgreSQL
/// refuses root.
const NOBODY: u32 = 65534;

/// The mode of ending a server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// Rolls back transactions, disconnects clients, and writes a checkpoint.
    Fast,
    /// Stops all processes immediately. The next start recovers from the log.
    Immediate,
}

#[derive(Debug)]
pub(crate) struct Guard {
    shell: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Guard {
    /// Starts a shell for the server of `folder`, which it removes at the end.
    pub(crate) fn new(folder: &Path, program: &Path, arguments: &[String]) -> Result<Self> {
        let mut command = as_server_user(Command::new("/bin/sh"), folder)?;
        command.args(["-c", SCRIPT, "guard"]).arg(folder).arg(program).args(arguments);
        // In its own process group: an interrupt from the terminal is for this process, and the
        // pipe notifies the shell.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut shell = command.spawn()?;
        let (orders, answers) = (shell.stdin.take(), shell.stdout.take());
        let answers = answers.ok_or_else(|| Error::other("the guard has no output"))?;
        Ok(Self { shell, orders, answers: BufReader::new(answers) })
    }

    /// Starts the server and returns its process id. The server does not listen yet.
    pub(crate) fn start(&mut self) -> Result<u32> {
        let said = self.order("start")?;
        said.trim().parse().map_err(|_| Error::other(format!("the guard said {said:?}, not a process id")))
    }

    /// Ends the server and waits until its processes have ended.
    pub(crate) fn end(&mut self, how: End) -> Result<()> {
        let signal = match how {
            End::Fast => "INT",
            End::Immediate => "QUIT",
        };
        self.order(signal).map(drop)
    }

    fn order(&mut self, order: &str) -> Result<String> {
        let orders = self.orders.as_mut().ok_or_else(|| Error::other("the guard has no input"))?;
        orders.write_all(format!("{order}\n").as_bytes())?;
        orders.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        if answer.is_empty() { Err(Error::other("the guard of PostgreSQL is gone")) } else { Ok(answer) }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.orders.take());
        // An error could not be handled here, and the folder is in the system's temporary one.
        let _ = self.shell.wait();
    }
}

/// Returns the command for the user of the server, in a folder that this user can enter. The owner
/// of `owned`, which this process created, identifies the current user.
pub(crate) fn as_server_user(mut command: Command, owned: &Path) -> Result<Command> {
    if is_root_or_nobodys(owned)? {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir("/").env("HOME", "/").env("LC_ALL", "C");
    Ok(command)
}

fn is_root_or_nobodys(folder: &Path) -> Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let owner = folder.metadata()?.uid();
    Ok(owner == 0 || owner == NOBODY)
}

/// Gives the folder to the user of the server. Returns true if that is another user.
pub(crate) fn give_to_server_user(folder: &Path) -> Result<bool> {
    let other = is_root_or_nobodys(folder)?;
    if other {
        std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY))?;
    }
    Ok(other)
}
