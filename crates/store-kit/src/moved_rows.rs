//! Reads the rows of a transfer between stores, for the tables that are equal in every store.
//! Sessions, events and records have different columns, and each store reads its own.

use loci_model::record::Record;
use loci_model::transfer::{
    Moved, MovedChange, MovedGroup, MovedPlace, MovedToken, MovedTurn, MovedVersion, TransferKind,
};
use loci_model::trees::parked_object::ParkedObject;
use loci_model::{ActorId, Document, MemoryId, Result, SessionId};

use crate::body_rows::body;
use crate::codes::{damaged, id_of, stored};
use crate::fields::Fields;
use crate::{fact_rows, row_readers};

/// Reads a row that belongs to a memory, for a transfer.
///
/// # Errors
/// A bug, if it is damaged or of a kind that is not read here.
pub fn of_memory(memory: &MemoryId, kind: TransferKind, row: &impl Fields) -> Result<Moved> {
    Ok(match kind {
        TransferKind::Groups => Moved::Group(MovedGroup {
            normal: row.text(0)?.to_owned(),
            strategy: row.text(1)?.to_owned(),
            sequence: row.count(2)?,
        }),
        TransferKind::Places => Moved::Place(MovedPlace { time: row.number(0)?, place: row.small(1)? }),
        TransferKind::Turns => Moved::Turn(MovedTurn {
            actor: row.parsed(0, ActorId::parse, "turn")?,
            session: row.parsed(1, SessionId::parse, "turn")?,
            run: row.text(2)?.to_owned(),
            number: row.count(3)?,
            digest: row.text(4)?.to_owned(),
        }),
        TransferKind::Versions => Moved::Version(Box::new(MovedVersion {
            record: stored(serde_json::from_str::<Record>(row.text(0)?), "version")?,
            until: row.time(1)?,
        })),
        TransferKind::Changes => Moved::Change(Box::new(change(memory, row)?)),
        TransferKind::Repositories => Moved::Repository(Box::new(fact_rows::repository(row)?)),
        TransferKind::Facts => Moved::Fact(Box::new(fact_rows::fact(memory, row)?)),
        TransferKind::FactEvents => Moved::FactEvent(Box::new(fact_rows::fact_event(memory, row)?)),
        TransferKind::Tasks => Moved::Task(Box::new(body(row, "task")?)),
        TransferKind::Exposures => Moved::Exposure(Box::new(body(row, "exposure")?)),
        TransferKind::Commits => Moved::Commit(Box::new(body(row, "commit")?)),
        TransferKind::Prompts => Moved::Prompt(Box::new(body(row, "prompt")?)),
        TransferKind::TaskSessions => Moved::TaskSession(Box::new(body(row, "session")?)),
        TransferKind::SessionItems => Moved::SessionItem(Box::new(body(row, "session item")?)),
        TransferKind::Ledger => Moved::Ledger(Box::new(body(row, "entry of the ledger")?)),
        TransferKind::Objects => Moved::Object(Box::new(object(row)?)),
        TransferKind::Tokens => Moved::Token(Box::new(token(row)?)),
        TransferKind::Jobs => Moved::job(row_readers::job(row)?),
        TransferKind::Exchanges => Moved::Exchange(Box::new(row_readers::exchange(row)?)),
        TransferKind::Deliveries => Moved::Delivery(Box::new(row_readers::delivery(row)?)),
        TransferKind::Memory
        | TransferKind::Keys
        | TransferKind::Sessions
        | TransferKind::Events
        | TransferKind::Records => return Err(damaged("row")),
    })
}

/// Reads a row that belongs to the whole server, such as an access key, for a transfer.
///
/// # Errors
/// A bug, if it is damaged or of a kind that a server does not have.
pub fn of_server(kind: TransferKind, row: &impl Fields) -> Result<Moved> {
    match kind {
        TransferKind::Tokens => Ok(Moved::Token(Box::new(token(row)?))),
        TransferKind::Keys => Ok(Moved::Key(Box::new(row_readers::key(row)?))),
        TransferKind::Memory
        | TransferKind::Groups
        | TransferKind::Sessions
        | TransferKind::Places
        | TransferKind::Turns
        | TransferKind::Events
        | TransferKind::Records
        | TransferKind::Versions
        | TransferKind::Changes
        | TransferKind::Repositories
        | TransferKind::Facts
        | TransferKind::FactEvents
        | TransferKind::Tasks
        | TransferKind::Exposures
        | TransferKind::Commits
        | TransferKind::Prompts
        | TransferKind::TaskSessions
        | TransferKind::SessionItems
        | TransferKind::Ledger
        | TransferKind::Objects
        | TransferKind::Jobs
        | TransferKind::Exchanges
        | TransferKind::Deliveries => Err(damaged("row")),
    }
}

/// Reads a state change of a record from a row with these columns: record, number, time, version,
/// from, to, reason, principal.
fn change(memory: &MemoryId, row: &impl Fields) -> Result<MovedChange> {
    let change = row_readers::state_change(row, memory, id_of(row.bytes(0)?)?, 2)?;
    Ok(MovedChange { number: row.count(1)?, change })
}

/// Reads an idempotency token from a row with these columns: digest, parameters, answer, expiry
/// time.
fn token(row: &impl Fields) -> Result<MovedToken> {
    Ok(MovedToken {
        digest: row.bytes(0)?.to_vec(),
        parameters: stored(String::from_utf8(row.bytes(1)?.to_vec()), "token")?,
        answer: Document::parse(row.text(2)?)?,
        expires: row.time(3)?,
    })
}

/// Reads an object that an agent stored outside of its context: its attributes and its bytes.
///
/// # Errors
/// A bug, if it is damaged.
pub fn object(row: &impl Fields) -> Result<ParkedObject> {
    Ok(ParkedObject { head: body(row, "object")?, content: row.bytes(1)?.to_vec() })
}
