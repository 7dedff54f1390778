//! One database opened twice: once with in-process searches, once with searches in the database.

use std::sync::Arc;

use loci_engine_testkit::postgres::PostgresServer;
use loci_model::MemoryId;
use loci_model::ports::search::{CandidateRequest, CandidateSet};
use loci_model::ports::store::{Store, StoreExt, Tx};
use loci_model::record::Record;
use loci_model::record::scope::RecordScope;
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_testkit_ports::{HashEmbedder, block_on, samples};

use super::story;

pub(crate) struct Twin {
    pub(crate) small: Arc<dyn Store>,
    pub(crate) great: Arc<dyn Store>,
    pub(crate) memory: MemoryId,
    database: String,
}

impl Twin {
    /// Returns two stores on a new database with an empty memory. `exact` is the maximum number of
    /// passages whose vectors are compared one by one.
    pub(crate) fn new(exact: u64) -> Self {
        let url = PostgresServer::shared().unwrap().fresh_database().unwrap();
        let open = |scan| {
            let mut options = PostgresOptions::parse(&url).unwrap();
            options.scan_passages_max = scan;
            options.exact_passages_max = exact;
            options.writers = 2;
            PostgresStore::open(options).unwrap() as Arc<dyn Store>
        };
        let (small, great) = (open(u64::MAX), open(0));
        let memory = samples::memory("story").unwrap();
        let id = memory.id.clone();
        block_on(small.write(move |tx| tx.memories_mut().insert(&memory))).unwrap();
        Self { small, great, memory: id, database: url.rsplit('/').next().unwrap().to_owned() }
    }

    pub(crate) fn write(&self, work: impl FnMut(&mut dyn Tx) -> loci_model::Result<()> + Send + 'static) {
        block_on(self.small.write(work)).unwrap();
    }

    /// Writes records, and a vector for those that `embedded` selects.
    pub(crate) fn put(&self, records: Vec<Record>, embedded: fn(&Record) -> bool) {
        for share in records.chunks(500) {
            let (share, memory) = (share.to_vec(), self.memory.clone());
            self.write(move |tx| {
                for record in &share {
                    tx.records_mut().insert(record)?;
                }
                let vectors: Vec<_> =
                    share.iter().filter(|record| embedded(record)).map(story::vector).collect();
                tx.records_mut().put_vectors(&memory, &vectors).map(drop)
            });
            // A question processes this few changes itself: later ones use passages in the
            // database.
            block_on(self.great.search().known_names(&self.whole())).unwrap();
        }
    }

    pub(crate) fn whole(&self) -> RecordScope {
        RecordScope::whole(self.memory.clone(), samples::time(1_000_000))
    }

    /// Returns a question with the terms and the vector of a text.
    pub(crate) fn request(&self, scope: RecordScope, text: &str) -> CandidateRequest {
        let vector = Some((HashEmbedder::default().vector(text), "hash-64".to_owned()));
        CandidateRequest { scope, terms: loci_text::terms(text), vector, earlier: None, lists: None }
    }

    /// Returns both results: that of the in-process store, then that of the database.
    pub(crate) fn ask(&self, request: &CandidateRequest) -> (CandidateSet, CandidateSet) {
        let ask = |store: &Arc<dyn Store>| block_on(store.search().candidates(request.clone())).unwrap();
        (ask(&self.small), ask(&self.great))
    }

    /// Returns rows of the database, as `psql` prints them.
    pub(crate) fn sql(&self, statement: &str) -> String {
        let sql = format!("SET search_path = loci, public; {statement}");
        PostgresServer::shared().unwrap().sql(&self.database, &sql).unwrap().trim().to_owned()
    }
}
