//! Answers one request of a git client by `git http-backend` (CGI), whose output is streamed. The
//! process gets one repository, runs no programs of it and accepts no push. Access is checked
//! before.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use http::StatusCode;
use loci_model::ports::clock::Clock;
use loci_model::{Error, Result};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

/// Environment variables by which the caller's git could redirect the process.
const LEADING_AWAY: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_EXEC_PATH",
    "GIT_PROTOCOL",
    "REMOTE_USER",
    "HTTP_CONTENT_ENCODING",
];
/// Settings that override those of the repository.
const SETTINGS: &[&str] = &[
    "safe.directory=*",
    "core.hooksPath=/dev/null",
    "http.receivepack=false",
    "http.getanyfile=false",
    "uploadpack.allowFilter=true",
];
/// The bytes of one chunk of output.
const CHUNK_BYTES: usize = 64 << 10;
/// The number of chunks that are buffered for a slow client.
const CHUNKS_WAITING: usize = 8;
/// The maximum number of clones that are served at once.
pub(crate) const CLONES_MAX: usize = 8;
/// The maximum time for which git may write nothing, or its client may read nothing.
const STILL_MAX: Duration = Duration::from_secs(60);
/// The maximum duration of one request, in microseconds.
const WHOLE_US: u64 = 600_000_000;
/// The maximum number of header lines in git's output.
const HEAD_LINES_MAX: usize = 50;

/// A request of a git client.
pub(super) struct GitRequest {
    /// The folder of the bare repository.
    pub(super) place: PathBuf,
    /// The service: `info/refs` or `git-upload-pack`.
    pub(super) service: String,
    pub(super) method: String,
    pub(super) query: String,
    pub(super) content_type: Option<String>,
    /// The encoding of the body. Git accepts compressed bodies.
    pub(super) content_encoding: Option<String>,
    pub(super) protocol: Option<String>,
    pub(super) body: Bytes,
}

/// The time limits of a request.
struct RequestDeadlines {
    clock: Arc<dyn Clock>,
    /// The maximum time for one chunk.
    still: Duration,
    /// The end of the request, on the monotonic clock.
    end_us: u64,
}

impl RequestDeadlines {
    /// Returns the time limit for the next chunk; `None` if the request has taken too long.
    fn next(&self) -> Option<Duration> {
        let left = self.end_us.checked_sub(self.clock.monotonic_us()).filter(|left| *left > 0)?;
        Some(self.still.min(Duration::from_micros(left)))
    }
}

/// A message with output of git.
enum GitOutputMessage {
    Head(Result<GitOutputHead>),
    Piece(std::io::Result<Bytes>),
}

/// The head of git's output.
#[derive(Debug)]
struct GitOutputHead {
    status: StatusCode,
    fields: Vec<(String, String)>,
}

/// Answers a request of a git client.
///
/// # Errors
/// `Unavailable` if git cannot be run or has no output; the message states the remedy.
pub(super) async fn run(
    asked: GitRequest,
    clock: Arc<dyn Clock>,
    permit: OwnedSemaphorePermit,
) -> Result<Response> {
    let (told, heard) = oneshot::channel();
    let (give, take) = mpsc::channel(CHUNKS_WAITING);
    let client = Client { give, runtime: Handle::current() };
    let end_us = clock.monotonic_us().saturating_add(WHOLE_US);
    let until = RequestDeadlines { clock, still: STILL_MAX, end_us };
    let worker = std::thread::Builder::new().name("git".to_owned()).spawn(move || {
        work(&asked, told, &client, &until);
        drop(permit);
    });
    worker.map_err(|error| Error::unavailable("no thread for git could be started").caused_by(error))?;
    let head = heard.await.unwrap_or_else(|_| Err(Error::bug("git ended without a head")))?;
    let pieces = stream::unfold(take, |mut take| async move {
        let piece: std::io::Result<Bytes> = take.recv().await?;
        Some((piece, take))
    });
    let mut response = Response::builder().status(head.status).header("cache-control", "private, no-store");
    for (name, value) in &head.fields {
        response = response.header(name, value);
    }
    response
        .body(Body::from_stream(pieces))
        .map_err(|error| Error::bug("git answered a head that is none").caused_by(error))
}

/// The client that reads the output of git.
struct Client {
    give: mpsc::Sender<std::io::Result<Bytes>>,
    runtime: Handle,
}

impl Client {
    /// Sends a chunk. Returns false if the client is gone, or did not take it in time.
    fn give(&self, piece: std::io::Result<Bytes>, within: Duration) -> bool {
        let given =
            self.runtime.block_on(async { tokio::time::timeout(within, self.give.send(piece)).await });
        matches!(given, Ok(Ok(())))
    }
}

/// Runs git on a thread of its own. A client that disconnects or stalls ends it, and so does a git
/// without output.
fn work(
    asked: &GitRequest,
    told: oneshot::Sender<Result<GitOutputHead>>,
    client: &Client,
    until: &RequestDeadlines,
) {
    let mut child = match start(asked) {
        Ok(child) => child,
        Err(error) => return drop(told.send(Err(error))),
    };
    let (input, output) = (child.stdin.take(), child.stdout.take());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Git may stop reading before the end.
            input.map(|mut input| input.write_all(&asked.body).is_ok())
        });
        let (say, hear) = sync_channel(1);
        scope.spawn(move || output.map(|output| read_all(BufReader::new(output), &say)));
        pass_on(&hear, told, client, until);
        // The reading and writing threads end with git.
        drop(hear);
        end(&mut child);
    });
    if let Err(error) = child.wait() {
        tracing::warn!(%error, "the exit of git was not awaited");
    }
}

/// Kills git with its child processes, unless it has ended.
fn end(child: &mut Child) {
    let group = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    let _ = child.kill();
}

fn start(asked: &GitRequest) -> Result<Child> {
    let mut command = Command::new("git");
    for name in LEADING_AWAY {
        command.env_remove(name);
    }
    let root = asked.place.parent().unwrap_or(&asked.place);
    let name = asked.place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
        .arg("http-backend")
        // The repository's configuration must not name programs to run, and neither may that of the
        // user or the system.
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", format!("/{name}/{}", asked.service))
        .env("REQUEST_METHOD", &asked.method)
        .env("QUERY_STRING", &asked.query)
        .env("CONTENT_LENGTH", asked.body.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0);
    let more = [
        ("CONTENT_TYPE", &asked.content_type),
        ("HTTP_CONTENT_ENCODING", &asked.content_encoding),
        ("GIT_PROTOCOL", &asked.protocol),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.spawn().map_err(|error| {
        let rule = "clones over HTTP need git on the server: install it, or clone from the mirror's path";
        Error::unavailable(rule).caused_by(error)
    })
}

/// Sends git's output, until git ends or the receiver is gone.
fn read_all(mut output: impl BufRead, say: &SyncSender<GitOutputMessage>) {
    let head = head_of(&mut output);
    let is_head = head.is_ok();
    if say.send(GitOutputMessage::Head(head)).is_err() || !is_head {
        return;
    }
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let piece = match output.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => Ok(Bytes::copy_from_slice(buffer.get(..read).unwrap_or_default())),
            Err(error) => Err(error),
        };
        let is_last = piece.is_err();
        if say.send(GitOutputMessage::Piece(piece)).is_err() || is_last {
            return;
        }
    }
}

fn pass_on(
    hear: &Receiver<GitOutputMessage>,
    told: oneshot::Sender<Result<GitOutputHead>>,
    client: &Client,
    until: &RequestDeadlines,
) {
    let late = "git took too long: try again, or clone with --depth 1";
    let next = || until.next().ok_or(RecvTimeoutError::Timeout).and_then(|within| hear.recv_timeout(within));
    let head = match next() {
        Ok(GitOutputMessage::Head(head)) => head,
        Ok(GitOutputMessage::Piece(_)) | Err(RecvTimeoutError::Disconnected) => {
            Err(Error::bug("git ended without a head"))
        }
        Err(RecvTimeoutError::Timeout) => Err(Error::unavailable(late)),
    };
    let is_head = head.is_ok();
    if told.send(head).is_err() || !is_head {
        return;
    }
    loop {
        let piece = match next() {
            Ok(GitOutputMessage::Piece(piece)) => piece,
            Ok(GitOutputMessage::Head(_)) | Err(RecvTimeoutError::Disconnected) => return,
            // The client learns that the output is incomplete.
            Err(RecvTimeoutError::Timeout) => Err(std::io::Error::new(std::io::ErrorKind::TimedOut, late)),
        };
        let is_last = piece.is_err();
        if !client.give(piece, until.still) || is_last {
            return;
        }
    }
}

/// Reads the head of a CGI response: fields, and an empty line.
fn head_of(output: &mut impl BufRead) -> Result<GitOutputHead> {
    let broken = || Error::unavailable("git http-backend gave no answer: is it installed with git?");
    let mut head = GitOutputHead { status: StatusCode::OK, fields: Vec::new() };
    for _ in 0..HEAD_LINES_MAX {
        let mut line = String::new();
        let read = output.read_line(&mut line).map_err(|error| broken().caused_by(error))?;
        let line = line.trim_end();
        if read == 0 {
            return Err(broken());
        }
        if line.is_empty() {
            return Ok(head);
        }
        let (name, value) = line.split_once(": ").ok_or_else(broken)?;
        if name.eq_ignore_ascii_case("status") {
            let code = value.split(' ').next().and_then(|code| code.parse().ok());
            head.status = code.and_then(|code| StatusCode::from_u16(code).ok()).ok_or_else(broken)?;
        } else if !name.eq_ignore_ascii_case("cache-control") {
            head.fields.push((name.to_owned(), value.to_owned()));
        }
    }
    Err(broken())
}

#[cfg(test)]
mod tests {
    use loci_testkit_ports::ManualClock;

    use super::*;

    #[test]
    fn nothing_is_waited_for_without_an_end() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
        // The number of chunks, true if git then stalls, true if the client reads, and the time
        // that passed; then the output that the client gets.
        let check = |pieces: usize, stays: bool, reads: bool, end_us: u64, expect: &[Option<usize>]| {
            let (say, hear) = sync_channel(pieces + 1);
            let head = GitOutputHead { status: StatusCode::OK, fields: Vec::new() };
            assert!(say.send(GitOutputMessage::Head(Ok(head))).is_ok());
            for _ in 0..pieces {
                assert!(say.send(GitOutputMessage::Piece(Ok(Bytes::from_static(b"abc")))).is_ok());
            }
            let kept = stays.then_some(say);
            let (told, mut heard) = oneshot::channel();
            let (give, mut take) = mpsc::channel(if reads { pieces + 1 } else { 1 });
            let client = Client { give, runtime: runtime.handle().clone() };
            let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
            let end_us = clock.monotonic_us() + end_us;
            pass_on(
                &hear,
                told,
                &client,
                &RequestDeadlines { clock, still: Duration::from_millis(20), end_us },
            );
            drop((kept, client));
            let mut seen = Vec::new();
            if let Ok(head) = heard.try_recv().unwrap() {
                seen.push(Some(usize::from(head.status.as_u16())));
            }
            while let Ok(piece) = take.try_recv() {
                seen.push(piece.ok().map(|piece| piece.len()));
            }
            assert_eq!(seen, expect, "{pieces} {stays} {reads} {end_us}");
        };
        check(2, false, true, 1_000_000, &[Some(200), Some(3), Some(3)]);
        check(2, true, true, 1_000_000, &[Some(200), Some(3), Some(3), None]);
        check(2, true, false, 1_000_000, &[Some(200), Some(3)]);
        check(2, true, true, 0, &[]);
    }

    #[test]
    fn heads() {
        let read = |text: &str| {
            head_of(&mut text.as_bytes()).ok().map(|head| (head.status.as_u16(), head.fields.len()))
        };
        assert_eq!(read("Expires: x\r\nContent-Type: a/b\r\n\r\nbody"), Some((200, 2)));
        assert_eq!(read("Status: 404 Not Found\r\n\r\n"), Some((404, 0)));
        for broken in ["", "Content-Type: a", "no head\n\n", "Status: many\n\n"] {
            assert_eq!(read(broken), None, "{broken:?}");
        }
    }
}
