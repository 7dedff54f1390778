//! The one thread that writes. It takes what is queued when its turn comes, runs each piece in a savepoint of one
//! transaction, commits once, and acknowledges. While the disk syncs, the next batch gathers: no timer, no waiting.

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
use crate::tx::{SqlTx, Touched};

/// Pieces of one transaction: other processes wait as long as it takes.
const BATCH_MAX: usize = 64;
/// Statements of a piece that shares a transaction: within a savepoint, every statement goes through the list of all pages
/// that were changed since it began, so that a great piece would cost the square of its rows. One that asks for more is
/// taken back, and is the first of the next transaction.
const SHARED_STATEMENTS_MAX: u32 = 2_000;
/// Pieces that wait at most; more are refused.
const WAITING_MAX: usize = 16_384;

/// A piece of work and who waits for it.
struct Piece {
    work: WriteWork,
    done: oneshot::Sender<Result<()>>,
}

enum Message {
    Write(Piece),
    /// Runs outside a transaction, with the turn held: a checkpoint.
    Alone(Box<dyn FnOnce(&Connection) + Send>),
    Stop,
}

/// The way to the writing thread.
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
        let mut seat = Seat { connection, turnstile, condition, receiver, waiting: counted, files, after };
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

    /// Runs `work` on the writing connection between two transactions.
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

    /// Writes what is queued and ends the thread.
    pub(crate) fn close(&self) {
        let _ = self.sender.send(Message::Stop);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| join(thread).is_err()) {
            tracing::error!("the writing thread of the store died");
        }
    }
}

/// The thread's own things.
struct Seat {
    connection: Connection,
    turnstile: Turnstile,
    condition: DatabaseCondition,
    receiver: mpsc::Receiver<Message>,
    waiting: Arc<AtomicUsize>,
    files: Arc<IndexFiles>,
    after: AfterCommit,
}

/// A piece that ran, and how it ended.
type Ran = (Piece, Result<()>);

/// What a piece is taken back by.
#[derive(Clone, Copy)]
enum Bounds {
    /// The transaction, which it is the first of.
    Transaction,
    /// A savepoint in it.
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

impl Seat {
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

    /// One turn: a batch, its commit, its acknowledgements. Returns a message that ended the batch.
    fn turn(&mut self, first: Piece) -> Option<Message> {
        let mut next = None;
        let mut touched = Touched::default();
        let mut ran = match self.turnstile.enter().and_then(|turn| self.condition.check().map(|()| turn)) {
            Ok(_turn) => self.batch(first, &mut next, &mut touched),
            Err(error) => vec![(first, Err(error))],
        };
        ran.iter().for_each(|(_, outcome)| self.condition.note(outcome));
        // Once more behind the commit: a write into a folder that nobody finds, or into a damaged
        // database, is not acknowledged. One look for the turn; each piece gets its own error.
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

    fn batch(&self, first: Piece, next: &mut Option<Message>, touched: &mut Touched) -> Vec<Ran> {
        if let Err(error) = self.execute("BEGIN IMMEDIATE") {
            return vec![(first, Err(error))];
        }
        let mut ran: Vec<Ran> = Vec::new();
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
            // One piece brought the others down with it: each alone, so that only the guilty one fails.
            Some(Err(_)) | None => ran.into_iter().map(|(piece, _)| self.apart(piece, touched)).collect(),
        }
    }

    /// A transaction of one piece.
    fn apart(&self, mut piece: Piece, touched: &mut Touched) -> Ran {
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

    /// Runs one piece; what an error or a panic leaves behind is nothing. The first of a transaction needs no savepoint:
    /// there is nothing else to keep. `None`: it is too long for a savepoint, and was taken back.
    fn piece(&self, work: &mut WriteWork, touched: &mut Touched, bounds: Bounds) -> Option<Result<()>> {
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
        // Where even taking it back failed, the whole transaction is gone, and with it what would go on.
        (!is_full || self.connection.is_autocommit()).then_some(ended)
    }

    /// Keeps what a piece did, or takes it back.
    fn ended(&self, outcome: Result<()>, tx: SqlTx<'_>, touched: &mut Touched, bounds: Bounds) -> Result<()> {
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
                    // What cannot be taken back must not be committed with the others: they run again, each alone.
                    if !self.connection.is_autocommit() {
                        self.execute("ROLLBACK")?;
                    }
                    return Err(worse);
                }
                Err(error)
            }
        }
    }

    /// Snapshots that may hold what this transaction erases go first: what a commit acknowledges as erased is gone, and
    /// one that does not come costs a rebuild at most.
    fn commit(&self, touched: &Touched) -> Result<()> {
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
