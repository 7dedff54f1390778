//! `tree_grep`: the lines of documents that match a pattern. This module reads the documents, and
//! `line_search` matches them off the async runtime. After two seconds of matching, a call returns
//! the results so far.

use std::collections::HashMap;
use std::sync::Arc;

use loci_api::documents::tree::{GrepAsk, GrepResult};
use loci_engine::access;
use loci_engine::calls::caller_pattern::CallerPattern;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, RecordId, Result};

use super::line_search::LineSearch;
use crate::Documents;
use crate::trees::list::{directory, is_below};
use crate::trees::tree::TreeAsk;

/// The default maximum number of matching lines.
pub(super) const MATCHES: u32 = 50;
/// The maximum number of matching lines that a caller may request.
const MATCHES_MAX: u32 = 1_000;
/// The maximum number of context lines around each match that a caller may request.
const CONTEXT_MAX: u32 = 20;
/// The number of documents per transaction.
const CHUNK: usize = 100;
/// The time limit of matching in one call, in microseconds.
const TIME_US: u64 = 2_000_000;

impl Documents {
    /// Returns the lines of a tree's documents that match a pattern.
    ///
    /// # Errors
    /// `Invalid` for the pattern, the path or a number; `Denied` without a grant of read on the
    /// whole namespace.
    pub async fn tree_grep(&self, caller: &Principal, ask: &TreeAsk, asked: &GrepAsk) -> Result<GrepResult> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let pattern = CallerPattern::parse(&asked.pattern, asked.ignore_case)?;
        let most = asked.max_matches.unwrap_or(MATCHES);
        if !(1..=MATCHES_MAX).contains(&most) {
            return Err(Error::invalid("max_matches", format!("max_matches must be 1 to {MATCHES_MAX}")));
        }
        if asked.context > CONTEXT_MAX {
            return Err(Error::invalid("context", format!("context must be 0 to {CONTEXT_MAX}")));
        }
        let below = directory(asked.path.as_deref()).map_err(|error| error.on("path"))?;
        let (view, now) = (self.tree_view(ask).await?, self.engine.now());
        let entries: Vec<_> = view
            .live
            .iter()
            .filter(|entry| entry.is_live(now) && (is_below(&entry.key, &below) || entry.key == below))
            .collect();
        let mut search = LineSearch {
            pattern,
            most,
            context: asked.context as usize,
            clock: Arc::clone(self.engine.clock()),
            left_us: TIME_US,
            found: GrepResult::default(),
        };
        for chunk in entries.chunks(CHUNK) {
            let ids: Vec<RecordId> = chunk.iter().map(|entry| entry.record.clone()).collect();
            let memory = ask.memory.clone();
            let records = self.engine.store().read(move |tx| tx.records().get_many(&memory, &ids)).await?;
            let texts: HashMap<RecordId, String> =
                records.into_iter().map(|record| (record.id, record.text)).collect();
            let documents: Vec<(String, String)> = chunk
                .iter()
                .filter_map(|entry| Some((entry.path.clone(), texts.get(&entry.record)?.clone())))
                .collect();
            let looked = self.engine.caller_work().run(move || {
                let goes_on = search.documents(&documents);
                (search, goes_on)
            });
            let goes_on;
            (search, goes_on) = looked.await?;
            if !goes_on {
                break;
            }
        }
        Ok(search.found)
    }
}
