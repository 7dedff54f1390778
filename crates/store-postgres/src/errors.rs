//! PostgreSQL's errors in the words of the model: what happened, what to do, and whether the work may be run again. No SQL
//! and no content in messages.

use std::error::Error as StdError;

use loci_model::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

pub(crate) use loci_store_kit::codes::stored;

/// The connection is gone, or none can be made.
pub(crate) const UNREACHABLE: &str = "the database cannot be reached: check that it runs, and try again";

/// A connection that was made is not answered on, or not made in time.
pub(crate) const SILENT: &str = "the database does not answer: check that it runs and that the network between lets packets through, and try again";

/// What an error of the database means for a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// Others were at the same rows: run it again.
    Contended,
    /// Another had a row for longer than is waited for one: run it again, a few times.
    Locked,
    /// Two came with the same name at once: run it again, and the second finds the first.
    Collided,
    /// The connection is gone: connect, then run it again.
    Disconnected,
    /// It would end the same way.
    Never,
}

/// Whether work that met this error may be run again.
pub(crate) fn again(error: &tokio_postgres::Error) -> Again {
    let Some(state) = error.code() else {
        if refused(error).is_some() {
            return Again::Never;
        }
        // No answer of the server: the connection broke, or could not be made.
        return if error.is_closed() || is_io(error) { Again::Disconnected } else { Again::Never };
    };
    if *state == SqlState::T_R_SERIALIZATION_FAILURE || *state == SqlState::T_R_DEADLOCK_DETECTED {
        Again::Contended
    } else if *state == SqlState::LOCK_NOT_AVAILABLE {
        Again::Locked
    } else if *state == SqlState::UNIQUE_VIOLATION {
        Again::Collided
    } else if *state == SqlState::ADMIN_SHUTDOWN
        || *state == SqlState::CRASH_SHUTDOWN
        || *state == SqlState::CANNOT_CONNECT_NOW
        || *state == SqlState::TOO_MANY_CONNECTIONS
        || state.code().starts_with("08")
    {
        Again::Disconnected
    } else {
        Again::Never
    }
}

fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let inner = next?;
        next = inner.source();
        Some(inner)
    })
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    causes(error).any(|inner| inner.is::<std::io::Error>())
}

/// The error of TLS that is behind another.
fn of_tls(error: &tokio_postgres::Error) -> Option<&rustls::Error> {
    causes(error).find_map(|inner| {
        let wrapped = || inner.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref::<rustls::Error>();
        inner.downcast_ref::<rustls::Error>().or_else(wrapped)
    })
}

/// What is wrong with the address, where no connection can be made by it however often that is tried.
fn refused(error: &tokio_postgres::Error) -> Option<String> {
    if let Some(tls) = of_tls(error) {
        return Some(match tls {
            rustls::Error::InvalidCertificate(why) => format!(
                "the database's certificate is refused ({why}): in LOCI_STORE name the host as the certificate does, and \
                 with `sslrootcert` the file of the certificate that vouches for it; `sslmode=disable` does without TLS"
            ),
            other => format!(
                "TLS with the database fails ({other}): check `sslmode` in LOCI_STORE and the database's settings of TLS; \
                 `sslmode=disable` does without"
            ),
        });
    }
    // The library has no other way to tell these apart. What it says of them names members, never their values.
    let said = causes(error).next().map_or_else(String::new, ToString::to_string);
    match error.to_string().as_str() {
        "error performing TLS handshake" if said == "server does not support TLS" => Some(
            "the database does not offer TLS: set `ssl = on` there, or `sslmode=prefer` in LOCI_STORE"
                .to_owned(),
        ),
        "error performing TLS handshake" if !is_io(error) => {
            Some(format!("TLS with the database fails ({said}): check host and `sslmode` in LOCI_STORE"))
        }
        "authentication error" if !is_io(error) => Some(format!(
            "the database asks for a proof that cannot be given ({said}): check user and password in LOCI_STORE"
        )),
        "invalid configuration" => {
            Some(format!("the address of the database is incomplete ({said}): check LOCI_STORE"))
        }
        _ => None,
    }
}

/// The error as a caller of the store sees it.
pub(crate) fn translate(error: tokio_postgres::Error) -> Error {
    let said = Said::of(&error);
    let (kind, message) = match (again(&error), error.code()) {
        (Again::Contended | Again::Locked, _) => (
            ErrorKind::Unavailable,
            "the database is busy with the same memory: try again; nothing was written",
        ),
        (Again::Collided, _) => (ErrorKind::Conflict, "something of that name is there already"),
        (Again::Disconnected, _) => (ErrorKind::Unavailable, UNREACHABLE),
        (Again::Never, Some(state)) => match of_state(state) {
            (ErrorKind::Bug, message) => {
                return Error::bug(format!("{message} (SQLSTATE {})", state.code())).caused_by(said);
            }
            known => known,
        },
        (Again::Never, None) => {
            return match refused(&error) {
                Some(message) => Error::unavailable(message).caused_by(said),
                None => Error::bug("the store and the database do not understand each other").caused_by(said),
            };
        }
    };
    Error::new(kind, message).caused_by(said)
}

/// What is said of a failure: the server's message without its detail, which may hold values, or the library's words and
/// those of its causes.
#[derive(Debug)]
struct Said(String);

impl Said {
    fn of(error: &tokio_postgres::Error) -> Self {
        Self(match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            None => causes(error).fold(error.to_string(), |said, cause| format!("{said}: {cause}")),
        })
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Said {}

fn of_state(state: &SqlState) -> (ErrorKind, &'static str) {
    match state.code() {
        "57014" => (
            ErrorKind::Unavailable,
            "a statement took too long and was given up: try again; nothing was written",
        ),
        "53100" => {
            (ErrorKind::Unavailable, "the disk of the database is full: free space; nothing was written")
        }
        "53200" | "53000" => (ErrorKind::Unavailable, "the database is short of memory: try again"),
        "25006" => (
            ErrorKind::Unavailable,
            "the database is read-only (a standby?): point LOCI_STORE at the one that writes; nothing was written",
        ),
        "28P01" | "28000" => (
            ErrorKind::Unavailable,
            "the database refuses user or password, or its pg_hba.conf this machine or a connection without TLS: check \
             LOCI_STORE",
        ),
        "3D000" => (ErrorKind::Unavailable, "the database of LOCI_STORE does not exist: create it"),
        "42501" => (
            ErrorKind::Unavailable,
            "the database user may not do this: grant it the schema and its tables (loci doctor says which)",
        ),
        "22021" => (
            ErrorKind::Invalid,
            "a text with a zero character cannot be kept or looked for here: leave it out",
        ),
        "54000" | "54001" | "22001" => (ErrorKind::TooLarge, "the value is larger than the store can hold"),
        _ => (ErrorKind::Bug, "the store failed"),
    }
}
