//! The `Embedder` port on its own threads, so that no asynchronous thread computes. Questions have
//! a thread and never wait for batches. Both queues are bounded.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use futures::channel::oneshot;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::{Embedder, QuestionVector, Vector};
use loci_model::{Error, ErrorKind, Result};
use rten::ThreadPool;
use sha2::{Digest, Sha256};

use crate::encoder::Encoder;
use crate::pooling::{Pooling, joined};
use crate::tokens::{Tokens, Window};

/// The maximum number of waiting calls per queue.
const WAITING_MAX: usize = 256;
/// The number of windows per model run.
const WINDOWS_AT_ONCE: usize = 8;
/// The number of hexadecimal digits of a model's id.
const DIGEST_DIGITS: usize = 12;
/// The text whose vector determines the dimension.
const TRIAL: &str = "a text";

/// A model from a file as the engine's embedder. Dropping it waits for running calls, but not for
/// waiting ones.
pub struct OnnxEmbedder {
    id: String,
    dimensions: usize,
    /// `None` only during the drop.
    queues: Option<Queues>,
    threads: Vec<JoinHandle<()>>,
}

struct Queues {
    questions: SyncSender<Question>,
    batches: SyncSender<Batch>,
}

struct Question {
    text: String,
    answer: oneshot::Sender<Result<QuestionVector>>,
}

struct Batch {
    texts: Vec<String>,
    answer: oneshot::Sender<Result<Vec<Vector>>>,
}

/// The state that both threads share.
struct Works {
    encoder: Encoder,
    tokens: Tokens,
    pool: Arc<ThreadPool>,
}

impl OnnxEmbedder {
    /// Reads model and tokenizer, embeds one text, and starts. `threads` is the number of computing
    /// threads.
    ///
    /// # Errors
    /// Invalid: a file cannot be read, or is not an encoder. The error names the file.
    pub fn start(path: &Path, tokenizer_json: &Path, pooling: Pooling, threads: usize) -> Result<Self> {
        let model = read("embedder.path", path)?;
        let tokenizer = read("embedder.tokenizer", tokenizer_json)?;
        let digest = digest(&model, &tokenizer, pooling);
        let tokens = Tokens::read(&tokenizer)?;
        let encoder = Encoder::read(model, pooling)?;
        let works = Works { encoder, tokens, pool: Arc::new(ThreadPool::with_num_threads(threads.max(1))) };
        let dimensions = works.passage(TRIAL)?.len();
        let (works, (questions, asked)) = (Arc::new(works), sync_channel(WAITING_MAX));
        let (batches, handed_in) = sync_channel(WAITING_MAX);
        let of_questions = Arc::clone(&works);
        let threads = vec![
            spawn("onnx-question", move || answer_questions(&of_questions, &asked))?,
            spawn("onnx-batch", move || embed_batches(&works, &handed_in))?,
        ];
        let id = format!("onnx/{digest}/{dimensions}");
        Ok(Self { id, dimensions, queues: Some(Queues { questions, batches }), threads })
    }

    fn queues(&self) -> Result<&Queues> {
        self.queues.as_ref().ok_or_else(stopped)
    }
}

impl Embedder for OnnxEmbedder {
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn model_id(&self) -> &str {
        &self.id
    }

    fn is_near(&self) -> bool {
        true
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vector>>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.queues()?.batches.try_send(Batch { texts, answer }).map_err(refused)?;
            answered.await.map_err(|source| stopped().caused_by(source))?
        })
    }

    fn embed_question(&self, text: String) -> BoxFuture<'_, Result<QuestionVector>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.queues()?.questions.try_send(Question { text, answer }).map_err(refused)?;
            answered.await.map_err(|source| stopped().caused_by(source))?
        })
    }
}

impl Drop for OnnxEmbedder {
    fn drop(&mut self) {
        self.queues = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has already failed its calls.
            let _ = thread.join();
        }
    }
}

impl Works {
    /// Returns one vector of a text of any length.
    fn passage(&self, text: &str) -> Result<Vector> {
        let windows = self.tokens.windows(text)?;
        self.together(&windows.iter().collect::<Vec<_>>())
    }

    /// Returns the vector of a question. Only the beginning and the end of a long one count.
    fn question(&self, text: &str) -> Result<QuestionVector> {
        let windows = self.tokens.windows(text)?;
        let ends: Vec<&Window> = match windows.as_slice() {
            [first, .., last] => vec![first, last],
            all => all.iter().collect(),
        };
        Ok(QuestionVector { vector: self.together(&ends)?, shortened: windows.len() > ends.len() })
    }

    fn together(&self, windows: &[&Window]) -> Result<Vector> {
        let mut vectors = Vec::with_capacity(windows.len());
        for some in windows.chunks(WINDOWS_AT_ONCE) {
            vectors.extend(self.encoder.vectors(some, &self.pool)?);
        }
        joined(vectors).ok_or_else(|| Error::unavailable("The windows of a text cancel each other out."))
    }

    /// Returns vectors of texts while the caller waits. Short texts of similar length are computed
    /// together.
    fn batch(&self, batch: &Batch) -> Result<Vec<Vector>> {
        let cut = batch.texts.iter().map(|text| self.tokens.windows(text)).collect::<Result<Vec<_>>>()?;
        let mut order: Vec<(usize, &Window)> = Vec::new();
        for (text, windows) in cut.iter().enumerate() {
            order.extend(windows.iter().map(|window| (text, window)));
        }
        order.sort_by_key(|(text, window)| (window.ids.len(), *text));
        let mut of_texts: Vec<Vec<Vector>> = vec![Vec::new(); cut.len()];
        for some in order.chunks(WINDOWS_AT_ONCE) {
            if batch.answer.is_canceled() {
                return Err(stopped());
            }
            let windows: Vec<&Window> = some.iter().map(|(_, window)| *window).collect();
            for ((text, _), vector) in some.iter().zip(self.encoder.vectors(&windows, &self.pool)?) {
                if let Some(vectors) = of_texts.get_mut(*text) {
                    vectors.push(vector);
                }
            }
        }
        let whole = |vectors| {
            joined(vectors).ok_or_else(|| Error::unavailable("The windows of a text cancel each other out."))
        };
        of_texts.into_iter().map(whole).collect()
    }
}

fn answer_questions(works: &Works, asked: &Receiver<Question>) {
    while let Ok(Question { text, answer }) = asked.recv() {
        if !answer.is_canceled() {
            // The caller may have left meanwhile.
            let _ = answer.send(works.question(&text));
        }
    }
}

fn embed_batches(works: &Works, handed_in: &Receiver<Batch>) {
    while let Ok(batch) = handed_in.recv() {
        if !batch.answer.is_canceled() {
            let outcome = works.batch(&batch);
            // The caller may have left meanwhile.
            let _ = batch.answer.send(outcome);
        }
    }
}

fn read(field: &str, path: &Path) -> Result<Vec<u8>> {
    let failed = |source: std::io::Error| {
        let rule = format!("{field} names a file that cannot be read: {}", path.display());
        Error::invalid(field, rule).caused_by(source)
    };
    // The check precedes opening, which alone would block on a pipe.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        let rule = format!("{field} names not a regular file: {}", path.display());
        return Err(Error::invalid(field, rule));
    }
    std::fs::read(path).map_err(failed)
}

/// Returns the digest of all inputs that determine the vectors.
fn digest(model: &[u8], tokenizer: &[u8], pooling: Pooling) -> String {
    let mut hasher = Sha256::new();
    hasher.update(Sha256::digest(model));
    hasher.update(Sha256::digest(tokenizer));
    hasher.update(pooling.as_str());
    let mut digest = hex::encode(hasher.finalize());
    digest.truncate(DIGEST_DIGITS);
    digest
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    started
        .map_err(|source| Error::unavailable("The embedding threads could not be started.").caused_by(source))
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
