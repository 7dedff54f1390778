//! `mirror`: measures the time to render a tree as files, to render one change or commit it, and to
//! list the tree. It uses a directory and a bare repository in a temporary folder.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use loci_documents::mirror::NewMirror;
use loci_documents::{DocumentPut, Precondition, PutContent, TreeAsk};
use loci_engine::document_text::DocumentContent;
use loci_engine::memories::NewMemory;
use loci_engine::records::{NewRecord, RecordsCreate};
use loci_model::principal::Principal;
use loci_model::trees::mirror::{MirrorDeletes, MirrorDirection, MirrorKind, MirrorOrigin, MirrorReport};
use loci_model::{Namespace, limits};
use loci_products::Loci;

use crate::embedded_engine;
use crate::figures::Latencies;

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Documents of the tree.
    #[arg(long, default_value_t = 10_000)]
    documents: usize,
    /// Changes that become commits, one at a time.
    #[arg(long, default_value_t = 100)]
    changes: usize,
}

/// Measures both kinds of mirrors.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let folder = tempfile::tempdir().context("a folder")?;
    let (engine, _) = embedded_engine::open(folder.path())?;
    let caller = Principal::administrator("bench");
    let new = NewMemory { name: "mirrored".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
    let memory = engine.memory_create(&caller, new, None).await?.id;
    let tree = TreeAsk { memory: memory.clone(), namespace: Namespace::parse("/")? };
    let began = Instant::now();
    fill(&engine, &caller, &tree, arguments.documents).await?;
    println!("| what | ms |\n|---|---|");
    println!("| {} documents written | {} |", arguments.documents, began.elapsed().as_millis());
    for kind in [MirrorKind::Git, MirrorKind::Directory] {
        measure(&engine, &caller, &tree, kind, arguments.changes).await?;
    }
    listing(&engine, &caller, &tree).await?;
    engine.store().close();
    Ok(())
}

/// Creates records without paths. The tree assigns their paths.
async fn fill(engine: &Loci, caller: &Principal, tree: &TreeAsk, count: usize) -> Result<()> {
    let numbers: Vec<usize> = (0..count).collect();
    for some in numbers.chunks(limits::BATCH_RECORDS_MAX) {
        let record = |number: &usize| {
            let text = format!("# Document {number}\n\nWhat is to be known of it, in {number} words.\n");
            NewRecord::fact(number.to_string(), vec![tree.namespace.clone()], text, engine.now())
        };
        let records = some.iter().map(record).collect();
        let request = RecordsCreate { memory: tree.memory.clone(), records, expiry: None };
        engine.records_create(caller, request, None).await?;
    }
    Ok(())
}

async fn measure(
    engine: &Loci,
    caller: &Principal,
    tree: &TreeAsk,
    kind: MirrorKind,
    changes: usize,
) -> Result<()> {
    let name = format!("m-{}", kind.as_str());
    engine.documents.mirror_add(caller, wanted(tree, &name, kind)).await?;
    let (ms, report) = synced(engine, caller, tree, &name).await?;
    println!("| {name}: first render, {} files, {} commits | {ms:.0} |", report.written, report.commits);
    let (ms, _) = synced(engine, caller, tree, &name).await?;
    println!("| {name}: nothing changed | {ms:.1} |");
    let mut latencies = Latencies::default();
    for number in 0..changes {
        let body = format!("# Change\n\nNumber {number}.\n");
        let put = DocumentPut {
            tree: tree.clone(),
            path: Some("knowledge/facts/changed.md".to_owned()),
            content: PutContent::Parts(DocumentContent { body, ..DocumentContent::default() }),
            precondition: Some(Precondition::Any),
            reason: None,
        };
        // Measured from the call that changes the document to the end of the sync.
        let began = Instant::now();
        engine.documents.document_put(caller, put, None).await?;
        let report = engine.documents.mirror_sync(caller, &tree.memory, &name).await?;
        latencies.add(began.elapsed());
        ensure!(report.written == 1, "a change that was not written: {report:?}");
    }
    println!("| {name}: one change | {} |", latencies.quantiles());
    Ok(())
}

fn wanted(tree: &TreeAsk, name: &str, kind: MirrorKind) -> NewMirror {
    NewMirror {
        memory: tree.memory.clone(),
        name: name.to_owned(),
        namespace: tree.namespace.clone(),
        layout: "native".to_owned(),
        kind,
        path: name.to_owned(),
        direction: MirrorDirection::TwoWay,
        deletes: MirrorDeletes::Enabled,
        interval_ms: 5_000,
        render_ids: false,
        system: false,
        sessions: false,
        adopt: false,
        debounce_ms: 0,
        origin: MirrorOrigin::Added,
    }
}

async fn synced(
    engine: &Loci,
    caller: &Principal,
    tree: &TreeAsk,
    name: &str,
) -> Result<(f64, MirrorReport)> {
    let began = Instant::now();
    let report = engine.documents.mirror_sync(caller, &tree.memory, name).await?;
    ensure!(report.error.is_none(), "{report:?}");
    Ok((began.elapsed().as_secs_f64() * 1e3, report))
}

async fn listing(engine: &Loci, caller: &Principal, tree: &TreeAsk) -> Result<()> {
    let first = engine.documents.tree_listing(caller, tree, (None, None)).await?;
    let mut latencies = Latencies::default();
    for _ in 0..50 {
        let began = Instant::now();
        let again = engine.documents.tree_listing(caller, tree, (None, None)).await?;
        latencies.add(began.elapsed());
        ensure!(again == first, "a listing that is another");
    }
    println!("| listing | {} |", latencies.quantiles());
    Ok(())
}
