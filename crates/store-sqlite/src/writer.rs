//! The only thread that writes. In its turn it takes the queued pieces, runs each in a savepoint of
//! one transaction, commits once, and acknowledges. The next batch gathers during the disk sync,
//! without timers or delays.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use futures::channel::oneshot;
use loci_model::ports::BoxFuture;
use loci_model::ports::store::WriteWork;
use loci_model::{Error, ErrorKind, Result};
use loci_store_kit::index_search::AfterCommit;
use loci_store_kit::pool::{closed, join};
use loci_store_kit::tables::Tables;
use rusqlite::Connection;

use crate::condition::DatabaseCondition;
use crate::errors::{Sql, folder_error};
use crate::index_files::IndexFiles;
use crate::locks::Turnstile;
use crate::tx::{SqlTx, TransactionEffects};

/// The maximum number of queued pieces of work in one transaction. Other processes must wait for
/// it.
const BATCH_MAX: usize = 64;
/// The maximum number of statements of a piece in a shared transaction. Within a savepoint, every
/// statement processes the list of all pages changed since its start, so that the cost of a long
/// piece is quadratic in its rows. A piece with more statements is rolled back, and becomes the
/// first of the next transaction.
const SHARED_STATEMENTS_MAX: u32 = 2_000;
/// The maximum number of queued pieces of work. More are rejected.
const WAITING_MAX: usize = 16_384;

/// A piece of work for the writer thread, and the receiver of its result.
struct Piece {
    work: WriteWork,
    done: oneshot::Sender<Result<()>>,
}

enum Message {
    Write(Piece),
    /// The work runs outside of a transaction while this process may write, such as a checkpoint.
    Alone(Box<dyn FnOnce(&Connection) + Send>),
    Stop,
}

/// The sender to the writer thread.
pub(crate) struct Writer {
    sender: mpsc::Sender<Message>,
    waiting: Arc<AtomicUsize>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub(crate) fn start(
        connection: Connection,
        (turnstile, condition): (Turnstile, DatabaseCondition),
        files: Arc<IndexFiles>,
        after: AfterCommit,
    ) -> Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&waiting);
        let mut seat =
            WriterState { connection, turnstile, condition, receiver, waiting: counted, files, after };
        let thread = std::thread::Builder::new()
            .name("loci-write".to_owned())
            .spawn(move || seat.serve())
            .map_err(|error| folder_error("starting a thread of the store", error))?;
        Ok(Self { sender, waiting, thread: Mutex::new(Some(thread)) })
    }

    pub(crate) fn write(&self, work: WriteWork) -> BoxFuture<'static, Result<()>> {
        let (done, receiver) = oneshot::channel();
        self.send(Message::Write(Piece { work, done }), receiver)
    }

    /// Runs `work` on the writer's connection between two transactions.
    pub(crate) fn alone<T, F>(&self, work: F) -> BoxFuture<'static, Result<T>>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (done, receiver) = oneshot::channel();
        let task = Box::new(move |connection: &Connection| {
            let _ = done.send(work(connection));
        });
        self.send(Message::Alone(task), receiver)
    }

    fn send<T: Send + 'static>(
        &self,
        message: Message,
        receiver: oneshot::Receiver<Result<T>>,
    ) -> BoxFuture<'static, Result<T>> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING_MAX {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            let full =
                Error::new(ErrorKind::Throttled, "too many writes wait for the store: try again later");
            return Box::pin(std::future::ready(Err(full)));
        }
        if self.sender.send(message).is_err() {
            return Box::pin(std::future::ready(Err(closed())));
        }
        Box::pin(async move { receiver.await.unwrap_or_else(|_| Err(closed())) })
    }

    /// Writes the queued pieces and stops the thread.
    pub(crate) fn close(&self) {
        let _ = self.sender.send(Message::Stop);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| join(thread).is_err()) {
            tracing::error!("the writing thread of the store died");
        }
    }
}

/// The state of the thread.
struct WriterState {
    connection: Connection,
    turnstile: Turnstile,
    condition: DatabaseCondition,
    receiver: mpsc::Receiver<Message>,
    waiting: Arc<AtomicUsize>,
    files: Arc<IndexFiles>,
    after: AfterCommit,
}

/// A piece that ran, and its result.
type FinishedPiece = (Piece, Result<()>);

/// The unit that is rolled back if a piece of work fails.
#[derive(Clone, Copy)]
enum Bounds {
    /// The whole transaction, because the piece is its first.
    Transaction,
    /// A savepoint within the transaction.
    Savepoint,
}

impl Bounds {
    fn begin(self) -> Option<&'static str> {
        match self {
            Self::Transaction => None,
            Self::Savepoint => Some("SAVEPOINT piece"),
        }
    }

    fn keep(self) -> Option<&'static str> {
        match self {
            Self::Transaction => None,
            Self::Savepoint => Some("RELEASE piece"),
        }
    }

    fn undo(self) -> [&'static str; 2] {
        match self {
            Self::Transaction => ["ROLLBACK", "BEGIN IMMEDIATE"],
            Self::Savepoint => ["ROLLBACK TO piece", "RELEASE piece"],
        }
    }
}

impl WriterState {
    fn serve(&mut self) {
        let mut next = None;
        while let Some(message) = next.take().or_else(|| self.receiver.recv().ok()) {
            match message {
                Message::Write(piece) => next = self.turn(piece),
                Message::Alone(task) => {
                    self.waiting.fetch_sub(1, Ordering::Relaxed);
                    match self.turnstile.enter() {
                        Ok(_turn) => task(&self.connection),
                        Err(error) => tracing::error!(%error, "no turn to write"),
                    }
                }
                Message::Stop => break,
            }
        }
    }

    /// Runs one turn: a batch, its commit, its acknowledgements. Returns a message that ended the
    /// batch.
    fn turn(&mut self, first: Piece) -> Option<Message> {
        let mut next = None;
        let mut touched = TransactionEffects::default();
        let mut ran = match self.turnstile.enter().and_then(|turn| self.condition.check().map(|()| turn)) {
            Ok(_turn) => self.batch(first, &mut next, &mut touched),
            Err(error) => vec![(first, Err(error))],
        };
        ran.iter().for_each(|(_, outcome)| self.condition.note(outcome));
        // Check again after the commit: a write to an unreachable folder or a damaged database is
        // not acknowledged. One check serves the whole turn; each piece gets its own error.
        if self.condition.check().is_err() {
            for (_, outcome) in ran.iter_mut().filter(|(_, outcome)| outcome.is_ok()) {
                *outcome = self.condition.check();
            }
        }
        self.waiting.fetch_sub(ran.len(), Ordering::Relaxed);
        if !touched.changed.is_empty() {
            (self.after)(&touched.changed);
        }
        for (piece, outcome) in ran {
            // A caller that stopped waiting does not undo the write.
            let _ = piece.done.send(outcome);
        }
        next
    }

    fn batch(
        &self,
        first: Piece,
        next: &mut Option<Message>,
        touched: &mut TransactionEffects,
    ) -> Vec<FinishedPiece> {
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            return vec![(first, Err(error))];
        }
        let mut ran: Vec<FinishedPiece> = Vec::new();
        let mut piece = Some(first);
        while let Some(mut current) = piece.take() {
            let bounds = if ran.is_empty() { Bounds::Transaction } else { Bounds::Savepoint };
            let Some(outcome) = self.piece(&mut current.work, touched, bounds) else {
                *next = Some(Message::Write(current));
                break;
            };
            ran.push((current, outcome));
            if self.connection.is_autocommit() {
                break; // SQLite gave the whole transaction up
            }
            if ran.len() < BATCH_MAX {
                piece = match self.receiver.try_recv() {
                    Ok(Message::Write(piece)) => Some(piece),
                    Ok(other) => {
                        *next = Some(other);
                        None
                    }
                    Err(_) => None,
                };
            }
        }
        let committed = if self.connection.is_autocommit() { None } else { Some(self.commit(touched)) };
        match committed {
            Some(Ok(())) => ran,
            Some(Err(error)) if ran.len() == 1 => {
                ran.into_iter().map(|(piece, _)| piece).zip([Err(error)]).collect()
            }
            None if ran.len() == 1 => ran,
            // One piece made the others fail: run each alone, so that only the faulty one fails.
            Some(Err(_)) | None => ran.into_iter().map(|(piece, _)| self.apart(piece, touched)).collect(),
        }
    }

    /// Runs a transaction of one piece.
    fn apart(&self, mut piece: Piece, touched: &mut TransactionEffects) -> FinishedPiece {
        let outcome = self.execute("BEGIN IMMEDIATE").and_then(|()| {
            let outcome = self.piece(&mut piece.work, touched, Bounds::Transaction).unwrap_or_else(|| {
                Err(Error::bug("a write that has a transaction to itself did not fit it"))
            });
            if self.connection.is_autocommit() {
                return outcome.and(Err(Error::unavailable("the store gave the write up: try again")));
            }
            self.commit(touched).and(outcome)
        });
        (piece, outcome)
    }

    /// Runs one piece. An error or a panic leaves no changes. The first piece of a transaction
    /// needs no savepoint, because there is nothing else to keep. `None`: it is too long for a
    /// savepoint, and was rolled back.
    fn piece(
        &self,
        work: &mut WriteWork,
        touched: &mut TransactionEffects,
        bounds: Bounds,
    ) -> Option<Result<()>> {
        if let Some(Err(error)) = bounds.begin().map(|sql| self.execute(sql)) {
            return Some(Err(error));
        }
        let mut tx = Tables(match bounds {
            Bounds::Transaction => SqlTx::new(&self.connection),
            Bounds::Savepoint => SqlTx::of_statements(&self.connection, SHARED_STATEMENTS_MAX),
        });
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut tx)))
            .unwrap_or_else(|_| Err(Error::bug("a write panicked; nothing of it was written")));
        let is_full = tx.is_full();
        let outcome =
            if is_full { Err(Error::unavailable("the write is run again by itself")) } else { outcome };
        let ended = self.ended(outcome, tx.0, touched, bounds);
        // If the rollback to the savepoint failed too, the whole transaction is lost, and nothing
        // can continue.
        (!is_full || self.connection.is_autocommit()).then_some(ended)
    }

    /// Keeps the changes of a piece, or rolls them back.
    fn ended(
        &self,
        outcome: Result<()>,
        tx: SqlTx<'_>,
        touched: &mut TransactionEffects,
        bounds: Bounds,
    ) -> Result<()> {
        if self.connection.is_autocommit() {
            return outcome.and(Err(Error::unavailable("the store gave the write up: try again")));
        }
        match outcome {
            Ok(()) => {
                touched.extend(tx.into_touched());
                bounds.keep().map_or(Ok(()), |sql| self.execute(sql))
            }
            Err(error) => {
                let undone = bounds.undo().iter().try_for_each(|sql| self.execute(sql));
                if let Err(worse) = undone {
                    // Changes that cannot be rolled back must not be committed with the others: all
                    // run again, each alone.
                    if !self.connection.is_autocommit() {
                        self.execute("ROLLBACK")?;
                    }
                    return Err(worse);
                }
                Err(error)
            }
        }
    }

    /// Removes snapshots that may contain erased content before the commit: an acknowledged erasure
    /// is complete, and a failed commit costs at most a rebuild.
    fn commit(&self, touched: &TransactionEffects) -> Result<()> {
        let removed = touched.erased.iter().try_for_each(|memory| self.files.remove(memory));
        let outcome = removed.and_then(|()| self.execute("COMMIT"));
        if outcome.is_err() && !self.connection.is_autocommit() {
            self.execute("ROLLBACK")?;
        }
        outcome
    }

    fn execute(&self, sql: &str) -> Result<()> {
        self.connection.prepare_cached(sql).sql()?.execute([]).sql().map(|_| ())
    }
}
