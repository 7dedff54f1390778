//! Converts texts and questions to vectors: tokenise, split, batch, run the model, join windows.
//! Everything runs on the calling thread; `embedder.rs` moves it off the asynchronous threads.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use loci_model::ports::embedder::QuestionVector;

use crate::forward::{self, Workspace};
use crate::kernels::{self, Kernels};
use crate::layout::HIDDEN;
use crate::{windows, wordpiece};

/// The number of workspaces kept for later calls. Additional concurrent calls create and drop their
/// own.
const WORKSPACES_KEPT: usize = 2;

/// The built-in all-MiniLM-L6-v2. Creating one costs nothing, because weights and vocabulary are
/// used in place in the binary.
pub struct MiniLm {
    kernels: &'static dyn Kernels,
    workspaces: Mutex<Vec<Workspace>>,
}

impl Default for MiniLm {
    fn default() -> Self {
        Self::new()
    }
}

impl MiniLm {
    /// Creates the model with the fastest kernels that this processor supports.
    pub fn new() -> MiniLm {
        MiniLm::on(kernels::choose())
    }

    /// Returns one model per kind of kernels that this processor supports, slowest first, for
    /// comparisons.
    pub fn variants() -> Vec<MiniLm> {
        kernels::all().into_iter().map(MiniLm::on).collect()
    }

    fn on(kernels: &'static dyn Kernels) -> MiniLm {
        MiniLm { kernels, workspaces: Mutex::new(Vec::new()) }
    }

    /// Returns the name of the model and its quantisation. Vectors with different ids are never
    /// compared.
    pub fn model_id(&self) -> &'static str {
        "all-minilm-l6-v2/int8-1"
    }

    /// Returns the length of every vector.
    pub fn dimensions(&self) -> usize {
        HIDDEN
    }

    /// Returns the name of the kernels in use, for reports.
    pub fn kernels(&self) -> &'static str {
        self.kernels.name()
    }

    /// Returns one vector of length 1 per text, of any length. The vector of a text does not depend
    /// on the others. Between kernels it differs only by rounding (cosine above 0.999).
    pub fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut work = self.workspace();
        let mut batch = Batch::default();
        for text in texts {
            let ids = wordpiece::ids(text);
            let cuts: Vec<Range<usize>> = windows::of_text(ids.len()).collect();
            batch.add(self.kernels, &ids, &cuts, &mut work);
        }
        let vectors = batch.finish(self.kernels, &mut work);
        self.keep(work);
        vectors
    }

    /// Returns the vector of a question, which is split differently from a text.
    pub fn embed_question(&self, question: &str) -> QuestionVector {
        let ids = wordpiece::ids(question);
        let cuts = windows::of_question(ids.len());
        let mut work = self.workspace();
        let mut batch = Batch::default();
        batch.add(self.kernels, &ids, &cuts, &mut work);
        let mut vectors = batch.finish(self.kernels, &mut work);
        self.keep(work);
        QuestionVector { vector: vectors.pop().unwrap_or_default(), shortened: cuts.len() > 1 }
    }

    /// Returns the WordPiece ids of a text, without `[CLS]` and `[SEP]`.
    pub fn token_ids(&self, text: &str) -> Vec<u16> {
        wordpiece::ids(text)
    }

    fn workspace(&self) -> Workspace {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn keep(&self, work: Workspace) {
        let mut kept = self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < WORKSPACES_KEPT {
            kept.push(work);
        }
    }
}

/// Windows that wait to pass through the model together, and texts with unfinished windows.
#[derive(Default)]
struct Batch {
    /// The ids of the waiting windows. `rows` is the sum of their rows.
    waiting: Vec<Vec<u16>>,
    rows: usize,
    /// The vectors of finished windows that are not joined yet.
    done: Vec<Vec<f32>>,
    /// The number of windows of each text that is not joined yet.
    counts: Vec<usize>,
}

impl Batch {
    fn add(&mut self, kernels: &dyn Kernels, ids: &[u16], cuts: &[Range<usize>], work: &mut Workspace) {
        self.counts.push(cuts.len());
        for cut in cuts {
            let window = ids.get(cut.clone()).unwrap_or_default();
            if self.rows + window.len() + 2 > forward::ROWS_MAX {
                self.run(kernels, work);
            }
            self.rows += window.len() + 2;
            self.waiting.push(window.to_vec());
        }
    }

    fn run(&mut self, kernels: &dyn Kernels, work: &mut Workspace) {
        let windows: Vec<&[u16]> = self.waiting.iter().map(Vec::as_slice).collect();
        self.done.extend(forward::encode(kernels, &windows, work));
        self.waiting.clear();
        self.rows = 0;
    }

    /// Runs the waiting windows, and returns one vector per text: the mean direction of its
    /// windows' vectors, each of length 1.
    fn finish(mut self, kernels: &dyn Kernels, work: &mut Workspace) -> Vec<Vec<f32>> {
        self.run(kernels, work);
        let mut done = self.done.into_iter();
        let joined = self.counts.into_iter().map(|count| {
            let own: Vec<Vec<f32>> = done.by_ref().take(count).collect();
            match <[Vec<f32>; 1]>::try_from(own) {
                Ok([only]) => only,
                Err(several) => forward::unit_sum(several.iter().map(Vec::as_slice)),
            }
        });
        joined.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_agree_on_whole_texts() {
        let long = "The archive holds many letters and a few maps. ".repeat(40);
        let texts = ["", "yes", "Alice: I moved to Lisbon in March.", "Москва — 日本語 🎉", &long];
        let mut vectors = MiniLm::variants().into_iter().map(|model| model.embed(&texts));
        let portable = vectors.next().unwrap();
        for others in vectors {
            for (vector, expected) in others.iter().zip(&portable) {
                let cosine: f32 = vector.iter().zip(expected).map(|(a, b)| a * b).sum();
                assert!(cosine > 0.999, "{cosine}");
            }
        }
    }
}
