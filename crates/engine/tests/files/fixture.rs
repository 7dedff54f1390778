//! A tree, an engine, and short forms of the calls in these tests.

use loci_api::documents::tree::TreeItem;
use loci_documents::{
    AppendTo, DocumentAppend, DocumentDelete, DocumentEdit, DocumentMove, DocumentPut, DocumentShown,
    DocumentWritten, Edit, Precondition, PutContent, TreeAsk,
};
use loci_engine::document_text::DocumentContent;
use loci_engine::memories::NewMemory;
use loci_engine::records::{NewRecord, RecordsCreate};
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::Record;
use loci_model::{MemoryId, Namespace, RecordId, Result};
use loci_products::Loci;
use loci_testkit_ports::block_on;

/// A tree with a caller that writes in it.
pub(super) struct Shelf {
    pub(super) world: TestEngine,
    pub(super) engine: Loci,
    pub(super) caller: Principal,
    pub(super) tree: TreeAsk,
}

/// Returns a text without title and description.
pub(super) fn text(body: &str) -> PutContent {
    PutContent::Parts(DocumentContent { body: body.to_owned(), ..DocumentContent::default() })
}

pub(super) fn titled(title: &str, body: &str) -> PutContent {
    let (title, body) = (Some(title.to_owned()), body.to_owned());
    PutContent::Parts(DocumentContent { title, body, ..DocumentContent::default() })
}

impl Shelf {
    pub(super) fn new() -> Self {
        Self::of(TestEngine::new().unwrap())
    }

    pub(super) fn of(world: TestEngine) -> Self {
        let engine = world.engine();
        let caller = Principal::administrator("tester");
        let new = NewMemory { name: "notes".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
        let memory = block_on(engine.memory_create(&caller, new, None)).unwrap();
        let tree = TreeAsk { memory: memory.id, namespace: Namespace::parse("/team").unwrap() };
        Self { world, engine, caller, tree }
    }

    /// Returns this tree in another world, such as a copy of this world.
    pub(super) fn in_world(&self, world: TestEngine) -> Self {
        Self { engine: world.engine(), world, caller: self.caller.clone(), tree: self.tree.clone() }
    }

    pub(super) fn memory(&self) -> MemoryId {
        self.tree.memory.clone()
    }

    /// Returns a caller with only these capabilities on the tree.
    pub(super) fn writer(&self, capabilities: &[Capability]) -> Principal {
        let grant = Grant {
            memory: Some(self.memory()),
            namespace: Some(self.tree.namespace.clone()),
            capabilities: capabilities.iter().copied().collect(),
            ..Grant::everything()
        };
        Principal { name: "ann".to_owned(), grants: vec![grant] }
    }

    fn tick(&self) {
        self.world.clock().advance_ms(1_000);
    }

    pub(super) fn put_as(
        &self,
        caller: &Principal,
        path: Option<&str>,
        content: PutContent,
        precondition: Option<Precondition>,
    ) -> Result<DocumentWritten> {
        self.tick();
        let path = path.map(ToOwned::to_owned);
        let put = DocumentPut { tree: self.tree.clone(), path, content, precondition, reason: None };
        block_on(self.engine.documents.document_put(caller, put, None))
    }

    pub(super) fn put(&self, path: &str, body: &str) -> DocumentWritten {
        self.put_as(&self.caller, Some(path), text(body), Some(Precondition::Any)).unwrap()
    }

    /// Adds a document without a path.
    pub(super) fn add(&self, content: PutContent) -> DocumentWritten {
        self.put_as(&self.caller, None, content, None).unwrap()
    }

    pub(super) fn append(&self, to: AppendTo, lines: &[&str]) -> Result<DocumentWritten> {
        self.tick();
        let append = DocumentAppend {
            tree: self.tree.clone(),
            to,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            if_absent_create: true,
            precondition: None,
            reason: None,
        };
        block_on(self.engine.documents.document_append(&self.caller, append, None))
    }

    pub(super) fn edit(&self, path: &str, edit: Edit) -> Result<DocumentWritten> {
        self.tick();
        let (tree, path) = (self.tree.clone(), path.to_owned());
        let edit = DocumentEdit { tree, path, edit, precondition: None, reason: Some("tidy".to_owned()) };
        block_on(self.engine.documents.document_edit(&self.caller, edit, None))
    }

    pub(super) fn delete(&self, path: &str) -> Result<DocumentWritten> {
        self.tick();
        let delete = DocumentDelete {
            tree: self.tree.clone(),
            path: path.to_owned(),
            precondition: Some(Precondition::Any),
            reason: None,
        };
        block_on(self.engine.documents.document_delete(&self.caller, delete, None))
    }

    pub(super) fn move_to(&self, from: &str, to: &str) -> Result<DocumentWritten> {
        self.tick();
        let asked = DocumentMove {
            tree: self.tree.clone(),
            from: from.to_owned(),
            to: to.to_owned(),
            precondition: None,
            reason: None,
        };
        block_on(self.engine.documents.document_move(&self.caller, asked, None))
    }

    pub(super) fn get(&self, path: &str) -> Result<DocumentShown> {
        block_on(self.engine.documents.document_get(&self.caller, &self.tree, path))
    }

    pub(super) fn body(&self, path: &str) -> String {
        self.get(path).unwrap().content.body
    }

    /// Returns the paths of all entries; directories end in a slash.
    pub(super) fn paths(&self, prefix: Option<&str>, depth: Option<u32>) -> Vec<String> {
        let listed =
            self.engine.documents.documents_list(&self.caller, &self.tree, (prefix, depth), (None, 100));
        let page = block_on(listed).unwrap();
        let shown = |item: &TreeItem| match item.files {
            None => item.path.clone(),
            Some(files) => format!("{}/ {files}", item.path),
        };
        page.items.iter().map(shown).collect()
    }

    /// Stores records without using the tree operations.
    pub(super) fn records(&self, namespace: &str, records: Vec<NewRecord>) -> Vec<RecordId> {
        self.tick();
        let place = vec![Namespace::parse(namespace).unwrap()];
        let records = records
            .into_iter()
            .enumerate()
            .map(|(number, record)| NewRecord {
                request: number.to_string(),
                namespaces: place.clone(),
                ..record
            })
            .collect();
        let request = RecordsCreate { memory: self.memory(), records, expiry: None };
        let outcome = block_on(self.engine.records_create(&self.caller, request, None)).unwrap();
        outcome.items.into_iter().map(|item| item.result.map(|()| item.id).unwrap()).collect()
    }

    pub(super) fn fact(&self, text: &str) -> NewRecord {
        NewRecord::fact(String::new(), Vec::new(), text.to_owned(), self.engine.now())
    }

    pub(super) fn history(&self, id: &RecordId) -> Vec<Record> {
        block_on(self.engine.record_history(&self.caller, &self.memory(), id)).unwrap()
    }
}
