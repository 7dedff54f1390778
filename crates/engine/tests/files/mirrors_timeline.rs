//! One timeline: conversations, documents and the changelog of consolidation in one repository, and
//! the changelog in directories.

use std::collections::BTreeMap;

use loci_documents::upkeep::{CHANGELOG, ConsolidationAsk, RunScope};
use loci_engine::events::NewEvent;
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::principal::Capability;
use loci_model::trees::consolidation_run::RunStatus;
use loci_model::trees::mirror::MirrorKind;
use loci_model::{ActorId, ErrorKind, SessionId};
use loci_testkit_ports::block_on;

use super::fixture::Shelf;
use super::mirrors::Mirrored;
use super::mirrors_git::{git, pull};

const A: &str = "knowledge/facts/a.md";
const B: &str = "knowledge/facts/b.md";

fn said(shelf: &Shelf, session: &str, text: &str) {
    shelf.world.clock().advance_ms(1_000);
    let event = NewEvent {
        memory: shelf.memory(),
        actor: ActorId::parse("ann").unwrap(),
        session: Some(SessionId::parse(session).unwrap()),
        time: None,
        payload: vec![PayloadItem::Conversational { role: Role::User, text: text.to_owned() }],
        branch: None,
        metadata: BTreeMap::new(),
        extraction: ExtractionMode::Extract,
        namespace_variables: BTreeMap::new(),
        over_limit: false,
    };
    block_on(shelf.engine.event_create(&shelf.caller, event, None)).unwrap();
}

/// Runs a consolidation that merges two equal documents, and returns its id.
fn consolidated(shelf: &Shelf) -> String {
    shelf.world.clock().advance_ms(1_000);
    let ask =
        ConsolidationAsk { scope: RunScope::All, dry_run: false, ..ConsolidationAsk::of(shelf.tree.clone()) };
    let run = block_on(shelf.engine.documents.consolidation_start(&shelf.caller, &ask)).unwrap();
    assert_eq!(run.status, RunStatus::Applied);
    run.id
}

fn subjects(mirrored: &Mirrored) -> Vec<String> {
    let log = git(&mirrored.root(), &["log", "--reverse", "--format=%s"]);
    log.lines().map(ToOwned::to_owned).collect()
}

#[test]
fn one_log_shows_conversations_documents_and_runs_in_the_order_of_time() {
    let mirrored = Mirrored::new(|new| (new.kind, new.sessions) = (MirrorKind::Git, true));
    let shelf = &mirrored.shelf;
    shelf.put(A, "The build needs make.");
    said(shelf, "s1", "Which tool builds it?");
    shelf.put(B, "The build needs make.");
    let run = consolidated(shelf);
    said(shelf, "s1", "And who runs it?");
    let report = mirrored.sync();
    // One commit per conversation at the time of its last event, independent of changes in between.
    let expect = [
        "memory(facts): create a.md",
        "memory(facts): create b.md",
        "Consolidate(update): 2 documents",
        "session: append s1",
    ];
    assert_eq!(subjects(&mirrored), expect);
    let root = mirrored.root();
    let talk = git(&root, &["show", "main:sessions/current.md"]);
    assert!(talk.contains("> Which tool builds it?") && talk.contains("> And who runs it?"), "{talk}");
    assert!(git(&root, &["show", &format!("main:{CHANGELOG}")]).contains(&format!("Run: {run}")));
    let of_run = git(&root, &["show", "--name-only", "--format=%an", "main~1"]);
    assert!(of_run.contains(CHANGELOG), "the changelog is in the commit of its run: {of_run}");
    let author = git(&root, &["log", "-1", "--format=%an %(trailers:key=Source-Event,valueonly)"]);
    assert!(author.starts_with("ann/s1 "), "{author}");
    assert_eq!(report.commits, 4);
    assert_eq!(mirrored.sync().commits, 0);
    // It continues with one commit of new events, and documents after it.
    said(shelf, "s2", "Another matter.");
    shelf.put(A, "The build needs ninja.");
    mirrored.sync();
    assert_eq!(
        subjects(&mirrored)[4..],
        ["session: append s1", "session: append s2", "memory(facts): update a.md"]
    );
    let files = git(&root, &["ls-tree", "-r", "--name-only", "main"]);
    assert!(files.contains("-s1.md") && files.contains("sessions/current.md"), "{files}");
    git(&root, &["fsck", "--strict", "--full"]);
}

#[test]
fn rendered_anew_the_log_is_the_same() {
    let mirrored = Mirrored::new(|new| new.kind = MirrorKind::Git);
    let shelf = &mirrored.shelf;
    for (name, body) in [("a", "One."), ("b", "One."), ("c", "Two."), ("d", "Two.")] {
        shelf.put(&format!("knowledge/facts/{name}.md"), body);
        mirrored.sync();
    }
    consolidated(shelf);
    mirrored.sync();
    shelf.put("knowledge/facts/e.md", "Two.");
    consolidated(shelf);
    mirrored.sync();
    let tip = git(&mirrored.root(), &["rev-parse", "main"]);
    assert_eq!(git(&mirrored.root(), &["log", "--format=%s", "--", CHANGELOG]).lines().count(), 2);
    std::fs::remove_dir_all(mirrored.root()).unwrap();
    mirrored.sync();
    assert_eq!(git(&mirrored.root(), &["rev-parse", "main"]), tip);
}

#[test]
fn rendered_files_of_a_repository_are_nobodys_to_edit() {
    let mirrored = Mirrored::new(|new| (new.kind, new.sessions) = (MirrorKind::Git, true));
    let shelf = &mirrored.shelf;
    shelf.put(A, "One.");
    shelf.put(B, "One.");
    consolidated(shelf);
    said(shelf, "s1", "Hello.");
    let base = mirrored.sync().commit.unwrap();
    let edits =
        [(CHANGELOG, Some("mine\n")), ("sessions/current.md", None), ("sessions/mine.md", Some("x\n"))];
    let report = pull(&mirrored, &base, &edits);
    assert_eq!(report.refused.len(), 3, "{report:?}");
    assert_eq!(git(&mirrored.root(), &["rev-parse", "main"]), base);
    // A clone contains all conversations, so it needs a grant on the whole memory.
    let (memory, engine) = (shelf.memory(), &shelf.engine);
    let reader = shelf.writer(&[Capability::Read]);
    let refused = block_on(engine.documents.mirror_repository(&reader, &memory, "team")).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::NotFound);
    assert!(block_on(engine.documents.mirror_repository(&shelf.caller, &memory, "team")).is_ok());
}

#[test]
fn a_directory_has_the_changelog_and_keeps_it() {
    let mirrored = Mirrored::new(|_| {});
    let shelf = &mirrored.shelf;
    shelf.put(A, "One.");
    shelf.put(B, "One.");
    mirrored.sync();
    assert_eq!(mirrored.read(CHANGELOG), None);
    let run = consolidated(shelf);
    mirrored.sync();
    let log = mirrored.read(CHANGELOG).unwrap();
    assert!(log.contains(&format!("Run: {run}")), "{log}");
    mirrored.write(CHANGELOG, "mine\n");
    let report = mirrored.sync();
    assert_eq!(report.refused.len(), 1, "{report:?}");
    assert_eq!(mirrored.read(CHANGELOG).as_deref(), Some(log.as_str()));
    assert_eq!(shelf.body(CHANGELOG), log);
    assert_eq!(mirrored.sync().written, 0);
}
