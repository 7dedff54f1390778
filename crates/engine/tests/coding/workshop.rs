//! A repository, an engine, and short forms of the calls in these tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_api::coding::task::end::{TaskFinalize, TaskFinalized, TaskNote};
use loci_api::coding::task::{TaskCreate, TaskListing, TaskPatch};
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::{Completion, CompletionRecords, TaskCreated, TaskNoted, TaskPatched};
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::records::{NamespaceAsk, RecordListing};
use loci_engine::retrieval::SearchRequest;
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::Record;
use loci_model::tasks::task::{Task, TaskStatus};
use loci_model::{ActorId, MemoryId, Namespace, RecordId, Result, TaskId, Timestamp};
use loci_products::Loci;
use loci_testkit_ports::{CodeHistory, CodeShelf, block_on};

pub(super) const REPO: &str = "acme/shop";
pub(super) const DIRECTORY: &str = "/src/shop";

/// The result of a task's end, with the id of its episode.
#[derive(Debug)]
pub(super) struct Finalized {
    pub(super) wrote: bool,
    pub(super) episode: RecordId,
    pub(super) warnings: Vec<String>,
}

/// An operator of coding agents on a shop's repository.
pub(super) struct Workshop {
    pub(super) world: TestEngine,
    pub(super) engine: Loci,
    pub(super) shelf: CodeShelf,
    pub(super) caller: Principal,
    pub(super) standing: CallContext,
}

impl Workshop {
    pub(super) fn new() -> Self {
        let shelf = CodeShelf::default();
        let mut history = CodeHistory::new();
        history.commit(&[("README.md", "# Shop\n\nSells things.\n")]);
        shelf.put(DIRECTORY, Some("git@github.com:acme/shop.git"), history);
        let world = TestEngine::with_code(Arc::new(shelf.clone())).unwrap();
        let shop = Self {
            engine: world.engine(),
            world,
            shelf,
            caller: Principal::administrator("tester"),
            standing: CallContext::default(),
        };
        let add = RepositoryAdd { directory: Some(DIRECTORY.into()), ..RepositoryAdd::default() };
        block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, add)).unwrap();
        shop
    }

    /// Registers a repository without code here.
    pub(super) fn register(&self, name: &str) -> Result<()> {
        let add = RepositoryAdd { name: Some(name.to_owned()), ..RepositoryAdd::default() };
        block_on(self.engine.verified.repository_add(&self.caller, &self.standing, add)).map(drop)
    }

    pub(super) fn memory(&self) -> MemoryId {
        block_on(self.engine.verified.code_memory(&self.caller, &self.standing)).unwrap()
    }

    pub(super) fn create(&self, new: TaskCreate) -> Result<TaskCreated> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.task_create(&self.caller, &self.standing, new, None))
    }

    /// Creates and starts a task with that id.
    pub(super) fn begun(&self, id: &str) -> Task {
        self.create(task(id)).unwrap();
        let patch =
            TaskPatch { status: Some(TaskStatus::Running.as_str().to_owned()), ..TaskPatch::default() };
        self.patch(id, patch).unwrap().task
    }

    pub(super) fn patch(&self, id: &str, patch: TaskPatch) -> Result<TaskPatched> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.task_patch(&self.caller, &self.standing, &task_id(id), patch))
    }

    pub(super) fn get(&self, id: &str) -> Result<Task> {
        block_on(self.engine.coding.task_get(&self.caller, &self.standing, &task_id(id)))
    }

    pub(super) fn page(
        &self,
        listing: TaskListing,
        place: (Option<(Timestamp, TaskId)>, u32),
    ) -> Result<Page<Task, (Timestamp, TaskId)>> {
        block_on(self.engine.coding.task_list(&self.caller, &self.standing, listing, place))
    }

    pub(super) fn list(&self, listing: TaskListing) -> Result<Vec<String>> {
        let page = self.page(listing, (None, 100))?;
        Ok(page.items.iter().map(|task| task.id.to_string()).collect())
    }

    pub(super) fn complete(&self, id: &str, said: Completion) -> Result<CompletionRecords> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.task_complete(&self.caller, &self.standing, &task_id(id), said, None))
    }

    pub(super) fn finalize(&self, id: &str, end: TaskFinalize) -> Result<Finalized> {
        self.world.clock().advance_ms(1_000);
        let id = task_id(id);
        let ended = self.engine.coding.task_finalize(&self.caller, &self.standing, &id, end);
        let TaskFinalized { wrote, kind, episode_id, warnings } = block_on(ended)?;
        assert_eq!(kind, if wrote { "minimal" } else { "kept_existing" });
        Ok(Finalized { episode: RecordId::parse(episode_id)?, wrote, warnings })
    }

    pub(super) fn note(&self, id: &str, note: TaskNote) -> Result<TaskNoted> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.task_note(&self.caller, &self.standing, &task_id(id), note))
    }

    /// Returns a record in any state.
    pub(super) fn record(&self, id: &RecordId) -> Record {
        let (memory, id) = (self.memory(), id.clone());
        let store = self.world.store();
        block_on(store.read(move |tx| tx.records().get(&memory, &id))).unwrap().unwrap()
    }

    /// Returns the hits of a search, best first.
    pub(super) fn found(&self, query: &str) -> Vec<RecordId> {
        let request = SearchRequest {
            memory: self.memory(),
            query: query.to_owned(),
            namespaces: Vec::new(),
            strategy: None,
            metadata: Vec::new(),
            kinds: Vec::new(),
            states: Vec::new(),
            citing: None,
            as_of: None,
            top_k: 10,
            fold: false,
            budget_tokens: None,
            relevance_min: None,
            explain: false,
            lists: None,
            include_system: false,
        };
        let answer = block_on(self.engine.search(&self.caller, request)).unwrap();
        answer.hits.into_iter().map(|hit| hit.record.id).collect()
    }

    /// Returns the active records in a namespace subtree.
    pub(super) fn beneath(&self, path: &str) -> Vec<RecordId> {
        let listing = RecordListing {
            memory: self.memory(),
            namespaces: vec![NamespaceAsk::Path(Namespace::parse(path).unwrap())],
            strategy: None,
            metadata: Vec::new(),
            kinds: Vec::new(),
            states: Vec::new(),
            after: None,
            limit: 100,
        };
        let list = block_on(self.engine.record_list(&self.caller, listing)).unwrap();
        list.page.items.into_iter().map(|record| record.id).collect()
    }

    pub(super) fn knowledge(&self) -> Vec<RecordId> {
        self.beneath("/acme/shop/knowledge/")
    }

    pub(super) fn episodes(&self) -> Vec<RecordId> {
        self.beneath("/acme/shop/episodes/")
    }

    /// Changes a file of the repository.
    pub(super) fn write(&self, path: &str, text: &str) {
        self.shelf.change(DIRECTORY, |history| history.write(path, Some(text))).unwrap();
    }

    /// Makes the repository unreachable.
    pub(super) fn unreadable(&self) {
        self.shelf.change(DIRECTORY, |history| history.fail(Some(Unverifiable::Network))).unwrap();
    }

    /// Makes the repository reachable again.
    pub(super) fn readable(&self) {
        self.shelf.change(DIRECTORY, |history| history.fail(None)).unwrap();
    }

    /// Runs jobs until none is due.
    pub(super) fn work(&self) {
        self.world.work(&self.memory()).unwrap();
    }

    /// Returns the paths proposed as citations of a record.
    pub(super) fn citations(&self, id: &RecordId) -> Vec<String> {
        let (memory, id) = (self.memory(), id.clone());
        let store = self.world.store();
        let fact = block_on(store.read(move |tx| tx.facts().get(&memory, &id))).unwrap();
        let Some(fact) = fact else { return Vec::new() };
        assert!(fact.proposed);
        fact.detail.citations.iter().map(|citation| citation.anchor.place.path.clone()).collect()
    }

    /// Forgets the repository.
    pub(super) fn forget(&self) {
        let actor = ActorId::parse(REPO).unwrap();
        block_on(self.engine.forget_actor(&self.caller, &self.memory(), &actor)).map(drop).unwrap();
    }

    /// Returns a caller with these capabilities on a part of the memory.
    pub(super) fn with_grant(&self, capabilities: &[Capability], part: Grant) -> Principal {
        let capabilities: BTreeSet<Capability> = capabilities.iter().copied().collect();
        let grant = Grant { memory: Some(self.memory()), capabilities, ..part };
        Principal { name: "part".to_owned(), grants: vec![grant] }
    }
}

pub(super) fn task_id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

/// Returns a task on the shop's repository.
pub(super) fn task(id: &str) -> TaskCreate {
    TaskCreate {
        task_id: Some(id.to_owned()),
        repo: Some(REPO.to_owned()),
        user: Some("bob".to_owned()),
        user_id: Some("583231".to_owned()),
        description: "Add pagination to /orders".to_owned(),
        issue: Some(123),
        branch: Some(format!("agent/{id}")),
        base: Some("main".to_owned()),
        model: Some("a-model".to_owned()),
        ..TaskCreate::default()
    }
}
