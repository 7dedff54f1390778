//! The `Embedder` port on threads of its own, so that no asynchronous thread computes. Questions have a thread to
//! themselves and never wait for a batch; batches share the others. Both queues are bounded. It knows no model: that is
//! `MiniLm`'s.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use futures::channel::oneshot;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::{Error, ErrorKind, Result};

use crate::MiniLm;

/// Questions that may wait; one takes about a millisecond.
const QUESTIONS_WAITING_MAX: usize = 256;
/// Batches that may wait.
const BATCHES_WAITING_MAX: usize = 256;
/// Texts of a batch that are embedded before it is looked whether anybody still wants them.
const TEXTS_AT_ONCE: usize = 8;

/// The built-in model as the engine's embedder. Dropping it waits for the pieces of work that run, not for those that wait.
pub struct BuiltInEmbedder {
    model: Arc<MiniLm>,
    /// `None` only while it is dropped.
    queues: Option<Queues>,
    threads: Vec<JoinHandle<()>>,
}

struct Queues {
    questions: SyncSender<Question>,
    batches: SyncSender<Batch>,
}

struct Question {
    text: String,
    answer: oneshot::Sender<QuestionVector>,
}

struct Batch {
    texts: Vec<String>,
    answer: oneshot::Sender<Vec<Vector>>,
}

impl BuiltInEmbedder {
    /// Starts one thread for questions and `batch_threads` (at least one) for batches. They sleep until they are asked;
    /// the model's pages are read at the first text.
    pub fn start(batch_threads: usize) -> Result<BuiltInEmbedder> {
        let model = Arc::new(MiniLm::new());
        let (questions, asked) = sync_channel::<Question>(QUESTIONS_WAITING_MAX);
        let (batches, handed_in) = sync_channel::<Batch>(BATCHES_WAITING_MAX);
        let own = Arc::clone(&model);
        let mut threads = vec![spawn("embed-question", move || answer_questions(&own, &asked))?];
        let handed_in = Arc::new(Mutex::new(handed_in));
        for _ in 0..batch_threads.max(1) {
            let (own, handed_in) = (Arc::clone(&model), Arc::clone(&handed_in));
            threads.push(spawn("embed-batch", move || embed_batches(&own, &handed_in))?);
        }
        Ok(BuiltInEmbedder { model, queues: Some(Queues { questions, batches }), threads })
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

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        Box::pin(async move {
            if texts.is_empty() {
                return Ok(Vec::new());
            }
            let (answer, answered) = oneshot::channel();
            self.queues()?.batches.try_send(Batch { texts, answer }).map_err(refused)?;
            answered.await.map_err(|source| stopped().caused_by(source))
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
        // The threads end when their queue is closed and empty; what nobody waits for any more is passed over.
        self.queues = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has already failed the calls it held.
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
            // Whoever asked may have left meanwhile.
            let _ = answer.send(model.embed_question(&text));
        }
    }
}

fn embed_batches(model: &MiniLm, handed_in: &Mutex<Receiver<Batch>>) {
    loop {
        let next = handed_in.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Batch { texts, answer }) = next else { return };
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(TEXTS_AT_ONCE) {
            if answer.is_canceled() {
                break;
            }
            vectors.extend(model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        if vectors.len() == texts.len() {
            // Whoever asked may have left meanwhile.
            let _ = answer.send(vectors);
        }
    }
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

    #[test]
    fn answers_as_the_model_does() {
        let embedder = BuiltInEmbedder::start(2).unwrap();
        let model = MiniLm::new();
        assert_eq!((embedder.dimensions(), embedder.model_id()), (384, "all-minilm-l6-v2/int8-1"));
        let texts = texts(19);
        let expected = model.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let (batch, question) =
            block_on(join(embedder.embed(texts.clone()), embedder.embed_question(texts[3].clone())));
        assert_eq!(batch.unwrap(), expected);
        assert_eq!(question.unwrap(), QuestionVector { vector: expected[3].clone(), shortened: false });
        assert_eq!(block_on(embedder.embed(Vec::new())).unwrap(), Vec::<Vector>::new());
    }

    #[test]
    fn a_question_does_not_wait_for_batches() {
        let embedder = BuiltInEmbedder::start(1).unwrap();
        let mut batches = Box::pin(join_all((0..8).map(|_| embedder.embed(texts(16)))));
        let question = Box::pin(embedder.embed_question("When does the harbour open?".to_owned()));
        // Polled together; the batches were handed in first.
        match block_on(futures::future::select(&mut batches, question)) {
            futures::future::Either::Left(_) => panic!("128 texts were faster than one question"),
            futures::future::Either::Right((answer, _)) => assert!(!answer.unwrap().shortened),
        }
        assert!(block_on(batches).into_iter().all(|batch| batch.unwrap().len() == 16));
    }

    #[test]
    fn a_full_queue_refuses_and_what_nobody_waits_for_is_passed_over() {
        let embedder = BuiltInEmbedder::start(1).unwrap();
        let flood = (0..BATCHES_WAITING_MAX + 8).map(|_| embedder.embed(texts(400)));
        let mut flood = Box::pin(join_all(flood));
        let polled = futures::FutureExt::now_or_never(&mut flood);
        assert!(polled.is_none());
        let late = block_on(embedder.embed(texts(1))).unwrap_err();
        assert_eq!(late.kind, ErrorKind::Throttled);
        drop(flood);
        // Were the flood still worked through, this drop would take minutes.
        drop(embedder);
    }
}
