//! A sync that is aborted between any two of its steps: the next one has the result of an
//! undisturbed sync, and nothing is lost.

use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use loci_documents::mirror::NewMirror;
use loci_documents::{RecordRedact, RedactWhich};
use loci_engine_testkit::LocalPlaces;
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::files::{
    ChangeNote, FileBackend, FileBytes, FileCapabilities, FileChange, FileListing, FilePlaces, FileStep,
    FilesApplied, FilesCommit, FoundMarkers,
};
use loci_model::trees::mirror::MirrorKind;
use loci_model::{MemoryId, Result, Timestamp};
use loci_testkit_ports::block_on;

use super::fixture::Shelf;
use super::mirrors::Mirrored;

/// File places that end at a step: before it, or after it.
struct Ending {
    inner: LocalPlaces,
    steps: Arc<Steps>,
}

#[derive(Default)]
struct Steps {
    done: AtomicUsize,
    /// The step at which the process ends; 0 means none.
    last: AtomicUsize,
    /// True if the last step takes effect without being reported.
    is_untold: AtomicUsize,
    is_gone: AtomicBool,
    /// An action that runs while a place is emptied.
    meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
}

impl Steps {
    fn end_at(&self, last: usize, is_untold: usize) {
        self.done.store(0, Ordering::SeqCst);
        self.is_untold.store(is_untold, Ordering::SeqCst);
        self.last.store(last, Ordering::SeqCst);
        self.is_gone.store(false, Ordering::SeqCst);
    }

    async fn run<T>(&self, work: BoxFuture<'_, Result<T>>) -> Result<T> {
        let number = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        let last = self.last.load(Ordering::SeqCst);
        if last == 0 || number < last {
            return work.await;
        }
        if self.is_untold.load(Ordering::SeqCst) == 1 {
            drop(work.await);
        }
        self.is_gone.store(true, Ordering::SeqCst);
        std::future::pending().await
    }

    /// Runs a sync until the process ends at this step: nothing runs after it, and its lease stays
    /// held.
    fn die(&self, mirrored: &Mirrored, last: usize, is_untold: usize) {
        let Shelf { engine, caller, .. } = &mirrored.shelf;
        self.end_at(last, is_untold);
        let memory = mirrored.shelf.memory();
        let sync = pin!(engine.documents.mirror_sync(caller, &memory, "team"));
        let gone =
            poll_fn(|_| if self.is_gone.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending });
        let ended = block_on(futures::future::select(sync, gone));
        assert!(matches!(ended, futures::future::Either::Right(_)), "{last} of {:?}", self.done);
        drop(ended);
        self.end_at(0, 0);
    }

    /// Runs `die`, then advances the clock until the lease has expired.
    fn cut_off(&self, mirrored: &Mirrored, last: usize, is_untold: usize) {
        self.die(mirrored, last, is_untold);
        mirrored.shelf.world.clock().advance_ms(31_000);
    }
}

struct EndingFiles(Arc<dyn FileBackend>, Arc<Steps>);

impl FileBackend for EndingFiles {
    fn capabilities(&self) -> FileCapabilities {
        self.0.capabilities()
    }

    fn begin(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.1.run(self.0.begin()))
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileBytes>>> {
        Box::pin(self.1.run(self.0.read(path)))
    }

    fn list(&self) -> BoxFuture<'_, Result<FileListing>> {
        Box::pin(self.1.run(self.0.list()))
    }

    fn apply(&self, changes: Vec<FileChange>, note: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>> {
        Box::pin(self.1.run(self.0.apply(changes, note)))
    }

    fn apply_all(&self, steps: Vec<FileStep>) -> BoxFuture<'_, Result<Vec<FilesApplied>>> {
        Box::pin(self.1.run(self.0.apply_all(steps)))
    }

    fn renew(&self) -> BoxFuture<'_, Result<()>> {
        let meanwhile = self.1.meanwhile.lock().unwrap().take();
        Box::pin(async move {
            if let Some(meanwhile) = meanwhile {
                meanwhile.await;
            }
            self.1.run(self.0.renew()).await
        })
    }

    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.1.run(self.0.mark(text)))
    }

    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>> {
        Box::pin(self.1.run(self.0.newest()))
    }
}

impl FilePlaces for Ending {
    fn resolve(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<PathBuf> {
        self.inner.resolve(kind, path, is_configured)
    }

    fn own_path(&self, kind: MirrorKind, path: &str, memory: &MemoryId) -> Result<String> {
        self.inner.own_path(kind, path, memory)
    }

    fn open(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<Arc<dyn FileBackend>> {
        let files = self.inner.open(kind, path, is_configured)?;
        Ok(Arc::new(EndingFiles(files, Arc::clone(&self.steps))))
    }

    fn installation(&self, fresh: &dyn Fn() -> String) -> Result<String> {
        self.inner.installation(fresh)
    }

    fn markers(&self) -> BoxFuture<'_, Result<FoundMarkers>> {
        self.inner.markers()
    }
}

fn path(name: &str) -> String {
    format!("knowledge/facts/{name}.md")
}

/// Returns a mirror and its steps.
fn stepwise(change: impl FnOnce(&mut NewMirror)) -> (Mirrored, Arc<Steps>) {
    let steps = Arc::new(Steps::default());
    let kept = Arc::clone(&steps);
    let places = move |folder: PathBuf| -> Arc<dyn FilePlaces> {
        Arc::new(Ending { inner: LocalPlaces::new(folder, &[PathBuf::from(".")]), steps: kept })
    };
    (Mirrored::at(places, change), steps)
}

/// Returns a mirror with pending changes of every kind, and its steps.
fn prepared(kind: MirrorKind) -> (Mirrored, Arc<Steps>) {
    let (mirrored, steps) = stepwise(|new| new.kind = kind);
    for name in ["edited", "changed", "both", "renamed", "deleted", "removed", "still"] {
        mirrored.shelf.put(&path(name), &format!("{name}\n"));
    }
    mirrored.sync();
    if kind == MirrorKind::Directory {
        std::fs::remove_file(mirrored.root().join(path("deleted"))).unwrap();
        mirrored.sync();
        mirrored.shelf.world.clock().advance_ms(60_000);
        mirrored.write(&path("edited"), "edited in the mirror, without a head\n");
        mirrored.write(&path("both"), "the person's\n");
        mirrored.write(&path("new"), "new in the mirror\n");
        let place = |name: &str| mirrored.root().join(path(name));
        std::fs::rename(place("renamed"), place("elsewhere")).unwrap();
    }
    mirrored.shelf.put(&path("changed"), "changed in the tree\n");
    mirrored.shelf.put(&path("both"), "the agent's\n");
    mirrored.shelf.put(&path("more"), "more in the tree\n");
    mirrored.shelf.delete(&path("removed")).unwrap();
    (mirrored, steps)
}

/// Returns documents with their texts, and files.
fn outcome(mirrored: &Mirrored) -> Vec<String> {
    let mut all = Vec::new();
    for path in mirrored.shelf.paths(None, None).iter().filter(|path| path.ends_with(".md")) {
        all.push(format!("{path}: {}", mirrored.shelf.body(path)));
        all.push(format!("{path}= {}", mirrored.read(path).unwrap_or_default()));
    }
    all
}

#[test]
fn a3_a_directory_is_brought_up_wherever_a_sync_ended() {
    let (calm, steps) = prepared(MirrorKind::Directory);
    steps.end_at(0, 0);
    let report = calm.sync();
    assert_eq!((report.taken, report.created, report.moved, report.put_away), (1, 1, 1, 1), "{report:?}");
    let count = steps.done.load(Ordering::SeqCst);
    let expect = outcome(&calm);
    assert!(count > 8 && expect.len() == 16, "{count} {expect:#?}");
    for last in 1..=count {
        for is_untold in [0, 1] {
            let (mirrored, steps) = prepared(MirrorKind::Directory);
            steps.cut_off(&mirrored, last, is_untold);
            // The following syncs complete or repeat its pending work.
            for _ in 0..3 {
                mirrored.sync();
                mirrored.shelf.world.clock().advance_ms(31_000);
            }
            assert_eq!(outcome(&mirrored), expect, "ended at {last} of {count}, untold {is_untold}");
            assert_eq!(mirrored.status().open_conflicts, 1, "ended at {last}, untold {is_untold}");
        }
    }
}

#[test]
fn a3_a_repository_is_never_ahead_and_comes_to_the_same_commits() {
    let tip = |mirrored: &Mirrored| mirrored.status().state.unwrap().report.commit.unwrap();
    let (calm, steps) = prepared(MirrorKind::Git);
    steps.end_at(0, 0);
    calm.sync();
    let (expect, count) = (tip(&calm), steps.done.load(Ordering::SeqCst));
    for last in 1..=count {
        for is_untold in [0, 1] {
            let (mirrored, steps) = prepared(MirrorKind::Git);
            steps.cut_off(&mirrored, last, is_untold);
            mirrored.sync();
            assert_eq!(tip(&mirrored), expect, "ended at {last} of {count}");
        }
    }
}

/// Text of a coding agent above its list, and a renamed file.
#[test]
fn a_text_above_an_index_is_kept_wherever_a_sync_ended() {
    let prepared = || {
        let (mirrored, steps) = stepwise(|new| (new.layout, new.adopt) = ("claude-memory".to_owned(), true));
        mirrored.shelf.put(&path("tabs"), "prefers tabs\n");
        mirrored.sync();
        let file = mirrored.read("MEMORY.md").unwrap();
        mirrored.write("MEMORY.md", &format!("# Mine\n\n{file}- likes tea\n"));
        (mirrored, steps)
    };
    let outcome = |mirrored: &Mirrored| (mirrored.read("MEMORY.md").unwrap(), outcome(mirrored));
    let (calm, steps) = prepared();
    steps.end_at(0, 0);
    calm.sync();
    let count = steps.done.load(Ordering::SeqCst);
    calm.sync();
    let expect = outcome(&calm);
    assert!(expect.0.starts_with("# Mine\n\n- [") && expect.0.lines().count() == 4, "{expect:?}");
    for last in 1..=count {
        for is_untold in [0, 1] {
            let (mirrored, steps) = prepared();
            steps.cut_off(&mirrored, last, is_untold);
            // Another change of the index precedes its next scan.
            for _ in 0..3 {
                mirrored.sync();
                mirrored.shelf.world.clock().advance_ms(31_000);
            }
            assert_eq!(outcome(&mirrored), expect, "ended at {last} of {count}, untold {is_untold}");
        }
    }
}

#[test]
fn whoever_asks_for_a_sync_waits_for_the_one_that_goes_on() {
    let (mirrored, steps) = prepared(MirrorKind::Directory);
    steps.die(&mirrored, 3, 0);
    let Shelf { engine, caller, world, .. } = &mirrored.shelf;
    let (clock, memory) = (world.clock(), mirrored.shelf.memory());
    let mut second = pin!(engine.documents.mirror_sync(caller, &memory, "team"));
    let waited_ms = |began: Timestamp| clock.now().millis() - began.millis();
    let began = clock.now();
    let report = block_on(poll_fn(|context| {
        let polled = second.as_mut().poll(context);
        // The renewed lease is also renewed while it sleeps: from here on the clock stands still.
        if polled.is_pending() && clock.sleepers() > 0 && waited_ms(began) < 30_000 {
            clock.advance_ms(50);
        }
        assert!(polled.is_pending() || waited_ms(began) == 30_000, "after {}", waited_ms(began));
        polled
    }));
    assert_eq!(report.unwrap().finding, "whole");
}

#[test]
fn what_is_taken_out_while_a_repository_is_renewed_is_taken_out_of_it() {
    let (mirrored, steps) = stepwise(|new| new.kind = MirrorKind::Git);
    let asked = |name: &str| RecordRedact {
        memory: mirrored.shelf.memory(),
        record: mirrored.shelf.put(&path(name), &format!("the marked string {name}\n")).record,
        which: RedactWhich::Match(name.to_owned()),
        reason: "asked for".to_owned(),
    };
    let (first, second) = (asked("zanzibar"), asked("walrus"));
    mirrored.sync();
    let (engine, caller) = (mirrored.shelf.engine.clone(), mirrored.shelf.caller.clone());
    *steps.meanwhile.lock().unwrap() = Some(Box::pin(async move {
        engine.documents.record_redact(&caller, second).await.unwrap();
    }));
    block_on(mirrored.shelf.engine.documents.record_redact(&mirrored.shelf.caller, first)).unwrap();
    assert!(mirrored.status().state.unwrap().is_outdated(), "the second one came behind its beginning");
    mirrored.sync();
    assert!(!mirrored.status().state.unwrap().is_outdated());
}
