//! The configured encoder in an ONNX file, made ready where the feature `onnx` is on. Without it the configuration has
//! refused the protocol by then.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use loci_model::ports::embedder::Embedder;
use loci_onnx::{OnnxEmbedder, Pooling};

use crate::adapters::background_threads;
use crate::config::Config;
use crate::config::embedding::{EmbedderEntry, EmbedderPooling};

/// An encoder, not read yet.
#[derive(Debug, Clone)]
pub(crate) struct OnnxPlan {
    name: String,
    path: PathBuf,
    tokenizer: PathBuf,
    pooling: Pooling,
    threads: usize,
}

impl OnnxPlan {
    /// What an entry says; `None` where it names no files, which the check of the configuration has refused by then.
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

    /// Reads and starts it.
    ///
    /// # Errors
    /// Files that are no encoder.
    pub(crate) fn start(&self) -> Result<Arc<dyn Embedder>> {
        let started = OnnxEmbedder::start(&self.path, &self.tokenizer, self.pooling, self.threads);
        let embedder = started
            .map_err(|error| anyhow::anyhow!(error.message))
            .with_context(|| format!("[[embedder]] {}", self.name))?;
        Ok(Arc::new(embedder))
    }
}
