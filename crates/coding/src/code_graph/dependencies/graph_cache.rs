//! Imports of a repository, read at the tip of its default branch. Scans are cached by blob, so a
//! new tip costs only the changed files; graphs are cached by tip. Both caches can be rebuilt from
//! the repository.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use loci_engine::calls::call_context::CallContext;
use loci_model::facts::code::{CodeFile, EntryKind, ObjectId};
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};
use loci_model::{MemoryId, RepositoryId};
use loci_verified::tip_of;

use super::import_graph::{COMPARISONS_MAX, ImportGraph};
use super::layout::Layout;
use super::manifests;
use super::scan::{Language, Scan, scan};
use crate::Coding;
use crate::code_graph::co_change::CountingRules;

/// The maximum number of files that are read, in the order of their paths.
const FILES_MAX: usize = 20_000;
/// The maximum size of a file that is read, in bytes. A larger file is unlikely to be handwritten.
const FILE_BYTES_MAX: u64 = 256 << 10;
/// The maximum number of cached graphs: the most recently used.
const GRAPHS_MAX: usize = 8;
/// The maximum number of cached scans. Beyond it, the cache is cleared.
const SCANS_MAX: usize = 40_000;
const FAR: &str = "imports are read in clones alone: loci repo add in a clone of the repository";

/// The imports of a revision.
#[derive(Debug, Clone)]
pub(crate) struct Imports {
    pub(crate) graph: Arc<ImportGraph>,
    pub(crate) commit: ObjectId,
}

/// A cache of scans and import graphs.
#[derive(Default)]
pub(crate) struct ImportGraphs {
    graphs: Mutex<Vec<(GraphKey, Arc<ImportGraph>)>>,
    scans: Mutex<HashMap<(ObjectId, Language), Arc<Scan>>>,
}

/// A memory, a repository of it, its tip, and the patterns of excluded paths.
type GraphKey = (MemoryId, RepositoryId, ObjectId, Vec<String>);

impl Coding {
    /// Returns the imports of a repository at the tip of its default branch.
    ///
    /// # Errors
    /// The reason why the repository could not be read.
    pub(crate) async fn imports_of(
        &self,
        repository: &Repository,
        standing: &CallContext,
    ) -> CodeResult<Imports> {
        let kept = Arc::clone(&self.parts.imports);
        let (memory, id, default) =
            (repository.memory.clone(), repository.id.clone(), repository.default_ref.clone());
        let patterns = self.parts.settings.graph_excluded.clone();
        let work = move |source: &dyn CodeSource| {
            if !source.capabilities().near {
                return Err(CodeError::new(Unverifiable::AuthOrMissing, FAR));
            }
            let tip = tip_of(source, None, default.as_deref())?;
            let missing = || CodeError::new(Unverifiable::Ref, "the repository has no commit");
            let commit = tip.commit().ok_or_else(missing)?;
            let key = (memory.clone(), id.clone(), commit, patterns.clone());
            let graph = match kept.graph(&key) {
                Some(graph) => graph,
                None => {
                    let files = source.files(&tip.revision)?;
                    let graph = Arc::new(kept.read(source, &files, &CountingRules::without(&patterns))?);
                    kept.keep(key, &graph);
                    graph
                }
            };
            Ok(Imports { graph, commit })
        };
        self.verified.on_code(repository, standing, Arc::new(work)).await
    }
}

impl ImportGraphs {
    fn graph(&self, key: &GraphKey) -> Option<Arc<ImportGraph>> {
        let mut graphs = lock(&self.graphs);
        let place = graphs.iter().position(|(known, _)| known == key)?;
        let found = graphs.remove(place);
        let graph = Arc::clone(&found.1);
        graphs.push(found);
        Some(graph)
    }

    fn keep(&self, key: GraphKey, graph: &Arc<ImportGraph>) {
        let mut graphs = lock(&self.graphs);
        graphs.retain(|(known, _)| (&known.0, &known.1) != (&key.0, &key.1));
        if graphs.len() >= GRAPHS_MAX {
            graphs.remove(0);
        }
        graphs.push((key, Arc::clone(graph)));
    }

    fn read(
        &self,
        source: &dyn CodeSource,
        files: &[CodeFile],
        counting: &CountingRules,
    ) -> CodeResult<ImportGraph> {
        let is_read = |file: &&CodeFile| file.entry.kind == EntryKind::File && counting.holds(&file.path);
        let wanted = files.iter().filter(is_read).filter_map(|file| Some((file, Language::of(&file.path)?)));
        let (mut scanned, mut left_out) = (Vec::new(), 0_u32);
        for (number, (file, language)) in wanted.enumerate() {
            let scan = if number < FILES_MAX { self.scan(source, file, language)? } else { None };
            match scan {
                Some(scan) => scanned.push((file.path.clone(), scan)),
                None => left_out = left_out.saturating_add(1),
            }
        }
        let mut layout = Layout::new(scanned, COMPARISONS_MAX);
        for file in files.iter().filter(is_read).filter(|file| manifests::is_manifest(&file.path)) {
            match text_of(source, &file.entry.id)? {
                Some(text) => manifests::add(&mut layout, &file.path, &text),
                None => left_out = left_out.saturating_add(1),
            }
        }
        Ok(ImportGraph::new(layout, left_out))
    }

    /// Returns the scan of a file. `None` for a file that is too large or not text.
    fn scan(
        &self,
        source: &dyn CodeSource,
        file: &CodeFile,
        language: Language,
    ) -> CodeResult<Option<Arc<Scan>>> {
        let key = (file.entry.id, language);
        if let Some(known) = lock(&self.scans).get(&key) {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(text) = text_of(source, &file.entry.id)? else { return Ok(None) };
        let found = Arc::new(scan(language, &text));
        let mut scans = lock(&self.scans);
        if scans.len() >= SCANS_MAX {
            scans.clear();
        }
        scans.insert(key, Arc::clone(&found));
        Ok(Some(found))
    }
}

fn text_of(source: &dyn CodeSource, blob: &ObjectId) -> CodeResult<Option<String>> {
    match source.read(blob, FILE_BYTES_MAX) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if matches!(error.why, Unverifiable::TooLarge | Unverifiable::Binary) => Ok(None),
        Err(error) => Err(error),
    }
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
