//! Conversion of PostgreSQL errors: what happened, what to do, and if the work may be retried.
//! Messages contain no SQL and no stored content.

use std::error::Error as StdError;

use loci_model::{Error, ErrorKind};
use tokio_postgres::error::SqlState;

pub(crate) use loci_store_kit::codes::stored;

/// The message for a connection that was lost or could not be opened.
pub(crate) const UNREACHABLE: &str = "the database cannot be reached: check that it runs, and try again";

/// The message for a connection that does not respond, or that is not opened in time.
pub(crate) const SILENT: &str = "the database does not answer: check that it runs and that the network between lets packets through, and try again";

/// The effect of a database error on a retry of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryEffect {
    /// The work conflicts with other transactions on the same rows: retry it.
    Contended,
    /// Waiting for a lock took too long: retry a few times.
    Locked,
    /// Another transaction inserted the same name at the same time: retry, and find the name.
    Collided,
    /// The connection was lost: connect again, then retry.
    Disconnected,
    /// A retry would fail in the same way.
    Never,
}

/// Returns the effect of the error on a retry of the work.
pub(crate) fn again(error: &tokio_postgres::Error) -> RetryEffect {
    let Some(state) = error.code() else {
        if refused(error).is_some() {
            return RetryEffect::Never;
        }
        // No response of the server: the connection broke, or could not be established.
        return if error.is_closed() || is_io(error) {
            RetryEffect::Disconnected
        } else {
            RetryEffect::Never
        };
    };
    if *state == SqlState::T_R_SERIALIZATION_FAILURE || *state == SqlState::T_R_DEADLOCK_DETECTED {
        RetryEffect::Contended
    } else if *state == SqlState::LOCK_NOT_AVAILABLE {
        RetryEffect::Locked
    } else if *state == SqlState::UNIQUE_VIOLATION {
        RetryEffect::Collided
    } else if *state == SqlState::ADMIN_SHUTDOWN
        || *state == SqlState::CRASH_SHUTDOWN
        || *state == SqlState::CANNOT_CONNECT_NOW
        || *state == SqlState::TOO_MANY_CONNECTIONS
        || state.code().starts_with("08")
    {
        RetryEffect::Disconnected
    } else {
        RetryEffect::Never
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

/// Returns the TLS error that caused this error.
fn of_tls(error: &tokio_postgres::Error) -> Option<&rustls::Error> {
    causes(error).find_map(|inner| {
        let wrapped = || inner.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref::<rustls::Error>();
        inner.downcast_ref::<rustls::Error>().or_else(wrapped)
    })
}

/// Returns the error in the URL or the server settings because of which no connection can succeed.
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
    // The library offers no other way to distinguish these errors. Its texts name members, never
    // their values.
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

/// Returns the error for a caller of the store.
pub(crate) fn translate(error: tokio_postgres::Error) -> Error {
    let said = DatabaseErrorText::of(&error);
    let (kind, message) = match (again(&error), error.code()) {
        (RetryEffect::Contended | RetryEffect::Locked, _) => (
            ErrorKind::Unavailable,
            "the database is busy with the same memory: try again; nothing was written",
        ),
        (RetryEffect::Collided, _) => (ErrorKind::Conflict, "something of that name is there already"),
        (RetryEffect::Disconnected, _) => (ErrorKind::Unavailable, UNREACHABLE),
        (RetryEffect::Never, Some(state)) => match of_state(state) {
            (ErrorKind::Bug, message) => {
                return Error::bug(format!("{message} (SQLSTATE {})", state.code())).caused_by(said);
            }
            known => known,
        },
        (RetryEffect::Never, None) => {
            return match refused(&error) {
                Some(message) => Error::unavailable(message).caused_by(said),
                None => Error::bug("the store and the database do not understand each other").caused_by(said),
            };
        }
    };
    Error::new(kind, message).caused_by(said)
}

/// The text of a failure: the server's message without its detail, which may contain values, or the
/// library's text with those of its causes.
#[derive(Debug)]
struct DatabaseErrorText(String);

impl DatabaseErrorText {
    fn of(error: &tokio_postgres::Error) -> Self {
        Self(match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            None => causes(error).fold(error.to_string(), |said, cause| format!("{said}: {cause}")),
        })
    }
}

impl std::fmt::Display for DatabaseErrorText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for DatabaseErrorText {}

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
