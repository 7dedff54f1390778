//! The `Embedder` port on its own threads, so that no asynchronous thread computes. Questions have
//! a separate thread and never wait for a batch. A batch is split into pieces for the other
//! threads, by number of texts and by bytes. A caller submits a few pieces at a time, so that the
//! pieces of several callers alternate.
//!
//! Both queues are bounded. Threads share only their queue: a batch thread may run at a low
//! priority, and a question must never wait for a lock that it holds. The module contains no model,
//! which is `MiniLm`, and no priorities: the caller supplies the first action of a batch thread.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use futures::channel::oneshot;
use futures::stream::{self, StreamExt, TryStreamExt};
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::{Error, ErrorKind, Result};

use crate::MiniLm;

/// The maximum number of queued questions; one takes about a millisecond.
const QUESTIONS_WAITING_MAX: usize = 256;
/// The maximum number of queued pieces of batches, per batch thread.
const PIECES_WAITING_MAX: usize = 512;
/// The maximum number of texts in a piece. Before each piece a thread checks if the caller still
/// waits for it.
const TEXTS_AT_ONCE: usize = 8;
/// The maximum size of the texts in a piece, in bytes. A longer text is a piece of its own.
const BYTES_AT_ONCE: usize = 8 * 1024;
/// The number of pieces of one call that are queued or being embedded, per batch thread.
const PIECES_AHEAD: usize = 2;

/// The built-in model as the engine's embedder. Dropping it waits for the texts being embedded, but
/// not for queued ones.
pub struct BuiltInEmbedder {
    /// Used only for its properties; each thread has its own model.
    model: MiniLm,
    /// `None` only during a drop.
    queues: Option<Queues>,
    threads: Vec<JoinHandle<()>>,
    batch_threads: usize,
}

struct Queues {
    questions: SyncSender<Question>,
    pieces: SyncSender<Piece>,
}

struct Question {
    text: String,
    answer: oneshot::Sender<QuestionVector>,
}

/// A part of a batch. A thread embeds one piece before the next caller's turn.
struct Piece {
    texts: Vec<String>,
    answer: oneshot::Sender<Vec<Vector>>,
}

impl BuiltInEmbedder {
    /// Starts one thread for questions and `batch_threads` (at least one) for batches. Each batch
    /// thread first calls `begin_batches`, which can lower its priority. The threads sleep until
    /// there is work; the model's pages are loaded at the first text.
    pub fn start(batch_threads: usize, begin_batches: fn()) -> Result<BuiltInEmbedder> {
        let batch_threads = batch_threads.max(1);
        let (questions, asked) = sync_channel::<Question>(QUESTIONS_WAITING_MAX);
        let (pieces, handed_in) = sync_channel::<Piece>(PIECES_WAITING_MAX.saturating_mul(batch_threads));
        let mut threads = vec![spawn("embed-question", move || answer_questions(&MiniLm::new(), &asked))?];
        let handed_in = Arc::new(Mutex::new(handed_in));
        for _ in 0..batch_threads {
            let handed_in = Arc::clone(&handed_in);
            let work = move || {
                begin_batches();
                embed_pieces(&MiniLm::new(), &handed_in);
            };
            threads.push(spawn("embed-batch", work)?);
        }
        let queues = Some(Queues { questions, pieces });
        Ok(BuiltInEmbedder { model: MiniLm::new(), queues, threads, batch_threads })
    }

    async fn embed_piece(&self, texts: Vec<String>) -> Result<Vec<Vector>> {
        let (answer, answered) = oneshot::channel();
        self.queues()?.pieces.try_send(Piece { texts, answer }).map_err(refused)?;
        answered.await.map_err(|source| stopped().caused_by(source))
    }

    fn queues(&self) -> Result<&Queues> {
        self.queues.as_ref().ok_or_else(stopped)
    }
}

impl Embedder for BuiltInEmbedder {
    fn dimensions(&self) -> usize {
        self.model.dimensions()
    }

    fn model_id(&self) -> &str {
        self.model.model_id()
    }

    fn is_near(&self) -> bool {
        true
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        Box::pin(async move {
            let ahead = self.batch_threads.saturating_mul(PIECES_AHEAD);
            // If a piece is refused, the caller no longer waits for the earlier ones, and the
            // threads skip them.
            let made = stream::iter(pieces(texts)).map(|texts| self.embed_piece(texts)).buffered(ahead);
            let made: Vec<Vec<Vector>> = made.try_collect().await?;
            Ok(made.into_iter().flatten().collect())
        })
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.queues()?.questions.try_send(Question { text, answer }).map_err(refused)?;
            answered.await.map_err(|source| stopped().caused_by(source))
        })
    }
}

impl Drop for BuiltInEmbedder {
    fn drop(&mut self) {
        // The threads end when their queue is closed and empty. They skip work for which no caller
        // waits.
        self.queues = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has already failed its calls.
            let _ = thread.join();
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    started
        .map_err(|source| Error::unavailable("The embedding threads could not be started.").caused_by(source))
}

fn answer_questions(model: &MiniLm, asked: &Receiver<Question>) {
    while let Ok(Question { text, answer }) = asked.recv() {
        if !answer.is_canceled() {
            // The caller may have stopped waiting meanwhile.
            let _ = answer.send(model.embed_question(&text));
        }
    }
}

fn embed_pieces(model: &MiniLm, handed_in: &Mutex<Receiver<Piece>>) {
    loop {
        let next = handed_in.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Piece { texts, answer }) = next else { return };
        if !answer.is_canceled() {
            // The caller may have stopped waiting meanwhile.
            let _ = answer.send(model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
        }
    }
}

/// Splits texts into pieces, in their order.
fn pieces(texts: Vec<String>) -> Vec<Vec<String>> {
    let mut pieces: Vec<Vec<String>> = Vec::new();
    let mut bytes = 0;
    for text in texts {
        match pieces.last_mut() {
            Some(piece)
                if piece.len() < TEXTS_AT_ONCE && text.len() <= BYTES_AT_ONCE.saturating_sub(bytes) =>
            {
                bytes += text.len();
                piece.push(text);
            }
            _ => {
                bytes = text.len();
                pieces.push(vec![text]);
            }
        }
    }
    pieces
}

fn refused<T>(error: TrySendError<T>) -> Error {
    match error {
        TrySendError::Full(_) => {
            Error::new(ErrorKind::Throttled, "Too many texts wait to be embedded. Try again in a moment.")
        }
        TrySendError::Disconnected(_) => stopped(),
    }
}

fn stopped() -> Error {
    Error::unavailable("The embedding threads have stopped.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;
    use futures::future::{join, join_all};

    fn texts(count: usize) -> Vec<String> {
        (0..count).map(|index| format!("Note {index}: the harbour opens at {index} o'clock.")).collect()
    }

    fn usual() {}

    #[test]
    fn answers_as_the_model_does() {
        let embedder = BuiltInEmbedder::start(2, usual).unwrap();
        let model = MiniLm::new();
        assert_eq!((embedder.dimensions(), embedder.model_id()), (384, "all-minilm-l6-v2/int8-1"));
        for count in [1, 8, 9, 16] {
            let texts = texts(count);
            let expected = model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(block_on(embedder.embed(texts)).unwrap(), expected, "{count}");
        }
        let texts = texts(19);
        let expected = model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let (batch, question) =
            block_on(join(embedder.embed(texts.clone()), embedder.embed_question(texts[3].clone())));
        assert_eq!(batch.unwrap(), expected);
        assert_eq!(question.unwrap(), QuestionVector { vector: expected[3].clone(), shortened: false });
        assert_eq!(block_on(embedder.embed(Vec::new())).unwrap(), Vec::<Vector>::new());
    }

    #[test]
    fn a_piece_is_bounded_by_texts_and_by_bytes() {
        let check = |bytes: &[usize], expect: &[&[usize]]| {
            let texts: Vec<String> = bytes.iter().map(|bytes| "a".repeat(*bytes)).collect();
            let cut = pieces(texts);
            let cut: Vec<Vec<usize>> =
                cut.iter().map(|piece| piece.iter().map(String::len).collect()).collect();
            assert_eq!(cut, expect, "{bytes:?}");
        };
        let half = BYTES_AT_ONCE / 2;
        check(&[], &[]);
        check(&[1; TEXTS_AT_ONCE], &[&[1; TEXTS_AT_ONCE]]);
        check(&[1; TEXTS_AT_ONCE + 1], &[&[1; TEXTS_AT_ONCE], &[1]]);
        check(&[half, half, 0, 1], &[&[half, half, 0], &[1]]);
        check(&[half, half + 1], &[&[half], &[half + 1]]);
        check(&[1, BYTES_AT_ONCE + 1, 1], &[&[1], &[BYTES_AT_ONCE + 1], &[1]]);
    }

    #[test]
    fn a_few_texts_do_not_wait_for_all_of_a_great_batch() {
        let embedder = BuiltInEmbedder::start(1, usual).unwrap();
        let mut great = Box::pin(embedder.embed(texts(20 * TEXTS_AT_ONCE)));
        assert!(futures::FutureExt::now_or_never(&mut great).is_none());
        // Both are polled together; the large batch was submitted first.
        match block_on(futures::future::select(great, embedder.embed(texts(1)))) {
            futures::future::Either::Left(_) => panic!("a few texts waited for all of a great batch"),
            futures::future::Either::Right((few, great)) => {
                assert_eq!(few.unwrap().len(), 1);
                assert_eq!(block_on(great).unwrap().len(), 20 * TEXTS_AT_ONCE);
            }
        }
    }

    #[test]
    fn every_batch_thread_begins_and_no_other() {
        static BEGUN: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let begin = || {
            let name = std::thread::current().name().unwrap().to_owned();
            BEGUN.lock().unwrap().push(name);
        };
        drop(BuiltInEmbedder::start(3, begin).unwrap());
        assert_eq!(*BEGUN.lock().unwrap(), ["embed-batch"; 3]);
    }

    #[test]
    fn a_question_does_not_wait_for_batches() {
        let embedder = BuiltInEmbedder::start(2, usual).unwrap();
        let mut batches = Box::pin(join_all((0..8).map(|_| embedder.embed(texts(16)))));
        let question = Box::pin(embedder.embed_question("When does the harbour open?".to_owned()));
        // Both are polled together; the batches were submitted first.
        match block_on(futures::future::select(&mut batches, question)) {
            futures::future::Either::Left(_) => panic!("128 texts were faster than one question"),
            futures::future::Either::Right((answer, _)) => assert!(!answer.unwrap().shortened),
        }
        assert!(block_on(batches).into_iter().all(|batch| batch.unwrap().len() == 16));
    }

    /// A lock that blocks the start of the batch thread in one test.
    static GATE: Mutex<()> = Mutex::new(());

    fn behind_the_gate() {
        drop(GATE.lock());
    }

    #[test]
    fn a_full_queue_refuses_and_what_nobody_waits_for_is_passed_over() {
        // The thread takes nothing from the queue while the test inspects it.
        let gate = GATE.lock().unwrap();
        let embedder = BuiltInEmbedder::start(1, behind_the_gate).unwrap();
        let long = vec!["a ".repeat(BYTES_AT_ONCE / 2); PIECES_AHEAD];
        let mut flood: Vec<_> = (0..PIECES_WAITING_MAX + 8).map(|_| embedder.embed(long.clone())).collect();
        // Each call submits at least one piece when it is polled; the last one fills the queue.
        let answered = flood.iter_mut().filter_map(futures::FutureExt::now_or_never).collect::<Vec<_>>();
        assert!(answered.iter().all(Result::is_err), "none is embedded");
        let late = block_on(embedder.embed(texts(1))).unwrap_err();
        assert_eq!(late.kind, ErrorKind::Throttled);
        drop(flood);
        drop(gate);
        // If the threads still processed the flood, this drop would take minutes.
        drop(embedder);
    }
}
