//! The configured encoder in an ONNX file, available with the feature `onnx`. Without it the
//! configuration has already rejected the protocol.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use loci_model::ports::embedder::Embedder;
use loci_onnx::{OnnxEmbedder, Pooling};

use crate::adapters::background_threads;
use crate::config::Config;
use crate::config::embedding::{EmbedderEntry, EmbedderPooling};

/// An encoder that is not read yet.
#[derive(Debug, Clone)]
pub(crate) struct OnnxPlan {
    name: String,
    path: PathBuf,
    tokenizer: PathBuf,
    pooling: Pooling,
    threads: usize,
}

impl OnnxPlan {
    /// Returns the plan of an entry. `None` if it names no files, which the check of the
    /// configuration has already rejected.
    pub(crate) fn of(entry: &EmbedderEntry, config: &Config) -> Option<Self> {
        Some(Self {
            name: entry.name.clone(),
            path: entry.path.clone()?,
            tokenizer: entry.tokenizer.clone()?,
            pooling: match entry.pooling.unwrap_or_default() {
                EmbedderPooling::Mean => Pooling::Mean,
                EmbedderPooling::Cls => Pooling::Cls,
            },
            threads: background_threads(config.extraction.embed_threads),
        })
    }

    /// Reads and starts the encoder.
    ///
    /// # Errors
    /// The files are not an encoder.
    pub(crate) fn start(&self) -> Result<Arc<dyn Embedder>> {
        let started = OnnxEmbedder::start(&self.path, &self.tokenizer, self.pooling, self.threads);
        let embedder = started
            .map_err(|error| anyhow::anyhow!(error.message))
            .with_context(|| format!("[[embedder]] {}", self.name))?;
        Ok(Arc::new(embedder))
    }
}
