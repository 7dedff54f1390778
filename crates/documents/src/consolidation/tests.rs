//! Cases of the whole planner: contradictions, duplicates, and texts that are neither.

use loci_engine::consolidation::plan::{Action, Operation};
use loci_engine::consolidation::snapshot::{PlanDocument, Snapshot};
use loci_engine::consolidation::validator::Bounds;
use loci_model::record::TrustTier;

use super::fixtures::{day, document, tree};
use super::plan_preview::merged_marks;
use super::report::report;
use super::*;

pub(super) const ALL: [Operation; 5] = [
    Operation::ResolveContradictions,
    Operation::Deduplicate,
    Operation::DeriveInsights,
    Operation::Reorganize,
    Operation::Prune,
];

/// Formats actions and reviews in short: `merge a b -> a`, `held supersede a by b`, `review more
/// specific exists a b`.
pub(super) fn told(planned: &PlanResult) -> Vec<String> {
    let short = |path: &String| {
        path.strip_prefix("knowledge/facts/").unwrap_or(path).trim_end_matches(".md").to_owned()
    };
    let actions = planned.actions.iter().map(|planned| {
        let held = if planned.held.is_some() { "held " } else { "" };
        let what = match &planned.action {
            Action::Merge { sources, target, .. } => {
                format!(
                    "merge {} -> {}",
                    sources.iter().map(short).collect::<Vec<_>>().join(" "),
                    short(target)
                )
            }
            Action::Supersede { path, by, .. } => format!("supersede {} by {}", short(path), short(by)),
            Action::Move { from, to, .. } => format!("move {} -> {}", short(from), short(to)),
            Action::Update { path, .. } | Action::Create { path, .. } | Action::Archive { path, .. } => {
                format!("{} {}", planned.action.kind(), short(path))
            }
        };
        format!("{held}{what}")
    });
    let reviews = planned.reviews.iter().map(|review| {
        format!(
            "review {} {}",
            review.kind.text(),
            review.paths.iter().map(short).collect::<Vec<_>>().join(" ")
        )
    });
    actions.chain(reviews).collect()
}

fn planned(snapshot: &Snapshot, operations: &[Operation]) -> PlanResult {
    let asked = PlanRequest::of(operations, day(40));
    let planned = plan(snapshot, &asked);
    assert_eq!(plan(snapshot, &asked), planned);
    assert_eq!(planned.violations, [], "{:?}", told(&planned));
    planned
}

#[track_caller]
fn check(snapshot: &Snapshot, operations: &[Operation], expect: &[&str]) {
    assert_eq!(told(&planned(snapshot, operations)), expect);
}

fn contradictions(bodies: &[&str], expect: &[&str]) {
    check(&tree(bodies), &[Operation::ResolveContradictions], expect);
}

/// The fixtures of consolidation.
#[test]
fn contradictions_of_the_design_review() {
    contradictions(
        &["The project uses tabs for indentation.", "The project uses spaces for indentation."],
        &["supersede a by b"],
    );
    contradictions(
        &["The user lives at 14 Mill Lane, Oxford.", "The user lives at 3 Station Road, Oxford."],
        &["supersede a by b"],
    );
    contradictions(
        &[
            "The staging endpoint is https://staging.example.com.",
            "Until Friday the staging endpoint is temporarily https://tmp.example.com.",
        ],
        &[],
    );
    contradictions(&["The user is vegetarian.", "The user is no longer vegetarian."], &["supersede a by b"]);
    contradictions(
        &["The project uses Jest for tests.", "The project uses Vitest for tests."],
        &["supersede a by b"],
    );
}

#[test]
fn scopes_keep_statements_apart() {
    let scoped = |bodies: [&str; 2], scopes: [Option<&str>; 2]| {
        let mut snapshot = tree(&bodies);
        for (document, scope) in snapshot.documents.iter_mut().zip(scopes) {
            document.scope = scope.map(str::to_owned);
        }
        snapshot
    };
    let check = |bodies: [&str; 2], scopes: [Option<&str>; 2], expect: &[&str]| {
        check(&scoped(bodies, scopes), &[Operation::ResolveContradictions, Operation::Deduplicate], expect);
    };
    let state = ["The frontend uses Redux for state.", "The frontend uses Context for state."];
    check(state, [Some("legacy/"), Some("v2/")], &[]);
    check(state, [Some("src/"), Some("src/v2/")], &["review more specific exists a b"]);
    check(state, [None, Some("v2/")], &["review more specific exists a b"]);
    check(state, [Some("./v2"), Some("v2/**")], &["supersede a by b"]);
    let editor = ["The user's editor is Vim.", "The user's editor is Zed."];
    check(editor, [Some("work"), Some("home")], &[]);
    check(editor, [Some("work"), Some("work")], &["supersede a by b"]);
    let tests = ["The project uses Jest for tests.", "The project uses Vitest for tests."];
    check(tests, [Some("packages/core"), Some("packages/core/")], &["supersede a by b"]);
    let same = ["The build needs make.", "The build needs make."];
    check(same, [Some("work"), Some("home")], &[]);
}

#[test]
fn of_one_key_the_newest_holds() {
    let mut snapshot = tree(&["dark", "light", "grey", "dark"]);
    for document in &mut snapshot.documents {
        document.key = Some("editor.theme".to_owned());
    }
    let contradict = [Operation::ResolveContradictions];
    check(&snapshot, &contradict, &["supersede b by d", "supersede c by d"]);
    snapshot.documents[3].tier = TrustTier::External;
    check(&snapshot, &contradict, &["held supersede b by d", "held supersede c by d"]);
    snapshot.documents[3].scope = Some("work".to_owned());
    check(
        &snapshot,
        &contradict,
        &[
            "supersede a by c",
            "supersede b by c",
            "review more specific exists b d",
            "review more specific exists c d",
        ],
    );
    snapshot.documents[0].pinned = true;
    let told = told(&planned(&snapshot, &contradict));
    assert!(told.contains(&"review contradicted, and pinned or always loaded a c".to_owned()), "{told:?}");
    assert!(!told.iter().any(|told| told.contains("supersede a")));
}

#[test]
fn what_is_told_later_and_what_is_denied() {
    contradictions(&["Theme: dark", "Theme: light"], &["supersede a by b"]);
    contradictions(&["# Editor\n- Theme: dark\n", "# Terminal\n- Theme: light\n"], &[]);
    contradictions(
        &["Der Nutzer isst Fleisch.", "Der Nutzer isst kein Fleisch mehr."],
        &["supersede a by b"],
    );
    contradictions(&["The user is not vegetarian.", "The user is vegetarian."], &["held supersede a by b"]);
    contradictions(&["The user likes tea.", "The team meets on Monday."], &[]);
    // The newest of a chain supersedes all.
    contradictions(
        &[
            "The project uses Jest for tests.",
            "The project uses Mocha for tests.",
            "The project uses Vitest for tests.",
        ],
        &["supersede a by c", "supersede b by c"],
    );
    // Time decides, not the order of writing.
    let mut snapshot = tree(&["The user lives in Bern.", "The user lives in Zurich."]);
    snapshot.documents[1].valid_from = day(-5);
    check(&snapshot, &[Operation::ResolveContradictions], &["supersede b by a"]);
}

#[test]
fn duplicates_become_one() {
    let dedup = [Operation::Deduplicate];
    check(
        &tree(&["The build needs make.", "# The build needs **make**.", "Other.", "the build  needs make."]),
        &dedup,
        &["merge a b d -> a"],
    );
    let long = "The team writes its release notes by hand before each release and asks a colleague to read them once more";
    let near = [format!("{long}."), format!("{long}, as it always did in former years.")];
    check(&tree(&near.each_ref().map(String::as_str)), &dedup, &["merge a b -> a"]);
    let found = planned(&tree(&near.each_ref().map(String::as_str)), &dedup);
    let Action::Merge { words, .. } = &found.actions[0].action else { panic!("a merge") };
    assert_eq!(words.body.as_deref(), Some(near[1].as_str()));
    assert_eq!(words.description.as_deref(), Some("what knowledge/facts/b.md says"));
    // A merged text loses the different trust of its sources: a person decides, unless the texts
    // are identical.
    let mut trusted = tree(&near.each_ref().map(String::as_str));
    trusted.documents[1].tier = TrustTier::External;
    check(&trusted, &dedup, &["held merge a b -> a"]);
    trusted.documents[1].text = trusted.documents[0].text.clone();
    check(&trusted, &dedup, &["merge a b -> a"]);
    // An invalid title is not passed on to a merged document.
    let mut titled = tree(&["The same.", "The same."]);
    titled.documents[0].title = Some("x".repeat(201));
    check(&titled, &dedup, &[]);
    check(&tree(&["# T\n- one\n- two\n- one\n", "x"]), &dedup, &["update a"]);
    // Documents of different places, strategies or strict values are not merged.
    let mut apart = tree(&["The same.", "The same.", "The same."]);
    apart.documents[1].namespace = loci_model::Namespace::parse("/other/").unwrap();
    apart.documents[2]
        .strict
        .insert("team".into(), loci_model::record::metadata::MetadataValue::String("a".into()));
    check(&apart, &dedup, &[]);
    let mut system = tree(&["The same.", "The same."]);
    system.documents[0].reference = "knowledge/system/a.md".to_owned();
    check(&system, &dedup, &[]);
    let mut pinned = tree(&["The same.", "The same.", "The same."]);
    pinned.documents[1].pinned = true;
    check(&pinned, &dedup, &["merge a b c -> b"]);
    pinned.documents[2].pinned = true;
    check(&pinned, &dedup, &["merge a b -> b"]);
}

/// Pairs that look alike and differ in meaning: numbers, negations, names, days, scopes, opposites.
#[test]
fn the_guard_corpus() {
    let frame = "Before each release the team reads the whole list of open issues once more and decides together which of them has to wait, ";
    for (one, other) in [
        ("and it waits 5 days.", "and it waits 6 days."),
        ("and it waits five days.", "and it waits six days."),
        ("at 1,000 requests.", "at 10,000 requests."),
        ("on version 1.2.3.", "on version 1.2.4."),
        ("at -5 degrees.", "at 5 degrees."),
        ("with 50 % of them.", "with 60 % of them."),
        ("and it is done.", "and it is not done."),
        ("and it always waits.", "and it never waits."),
        ("and it can wait.", "and it cannot wait."),
        ("and tests run with cache.", "and tests run without cache."),
        ("und es wird gebaut.", "und es wird nicht gebaut."),
        ("as Anna said.", "as Bea said."),
        ("as they do on Mondays.", "as they do on Fridays."),
        ("as they did in May.", "as they did in June."),
        ("by `make all`.", "by `make none`."),
        ("by run_all.", "by run_none."),
        ("by src/a.rs.", "by src/b.rs."),
        ("by https://a.example.", "by https://b.example."),
        ("called \"one\".", "called \"two\"."),
        ("with --fast.", "with --slow."),
        ("and caching is enabled.", "and caching is disabled."),
        ("and access is public.", "and access is private."),
        ("using Jest.", "using Vitest."),
    ] {
        let bodies = [format!("{frame}{one}"), format!("{frame}{other}")];
        check(&tree(&bodies.each_ref().map(String::as_str)), &[Operation::Deduplicate], &[]);
        let short = tree(&[one, other]);
        check(&short, &[Operation::Deduplicate], &[]);
    }
    let mut scoped = tree(&[frame, frame]);
    scoped.documents[0].scope = Some("src/a/**".to_owned());
    check(&scoped, &[Operation::Deduplicate], &[]);
}

#[test]
fn what_is_always_loaded_keeps_its_budget() {
    let long = "word ".repeat(320);
    let mut snapshot = Snapshot { sequence: 9, ..Snapshot::default() };
    for (number, (name, priority)) in [("a", 0), ("b", 5), ("c", 1), ("d", 9)].into_iter().enumerate() {
        let path = format!("knowledge/system/{name}.md");
        let body = format!("{name} {long}");
        snapshot.documents.push(PlanDocument { priority, ..document(&path, &body, number as i64) });
    }
    let reorganize = [Operation::Reorganize];
    check(&snapshot, &reorganize, &["move knowledge/system/a -> a", "move knowledge/system/c -> c"]);
    snapshot.documents.push(document("a", "in the way", 9));
    snapshot.documents[2].pinned = true;
    check(&snapshot, &reorganize, &["move knowledge/system/a -> a-2", "move knowledge/system/b -> b"]);
    let mut wanted = tree(&["short"]);
    wanted.documents[0].pinned = true;
    wanted.documents[0].priority = 1;
    check(&wanted, &reorganize, &["held move a -> knowledge/system/a"]);
    wanted.documents[0].tier = TrustTier::External;
    check(&wanted, &reorganize, &[]);
}

#[test]
fn facts_of_one_topic_come_into_one_file() {
    let reorganize = [Operation::Reorganize];
    let titled = |name: &str, title: &str, body: &str, at: i64| PlanDocument {
        title: Some(title.to_owned()),
        ..document(name, body, at)
    };
    let mut snapshot = Snapshot { sequence: 9, ..Snapshot::default() };
    snapshot.documents = vec![
        titled("theme", "Editor theme", "- dark mode", 0),
        titled("theme-2", "editor theme", "- large font", 1),
        titled("other", "Terminal theme", "- light mode", 2),
    ];
    check(&snapshot, &reorganize, &["merge theme theme-2 -> theme"]);
    let planned = planned(&snapshot, &reorganize);
    let Action::Merge { words, .. } = &planned.actions[0].action else { panic!("{planned:?}") };
    assert_eq!(words.body.as_deref(), Some("- dark mode\n- large font\n"));
    // Documents of other scopes or directories, and pinned ones, are not merged.
    let apart: [fn(&mut PlanDocument); 4] = [
        |one| one.scope = Some("legacy/".to_owned()),
        |one| one.reference = "knowledge/skills/theme-2.md".to_owned(),
        |one| one.pinned = true,
        |one| one.tier = TrustTier::External,
    ];
    for change in apart {
        let mut other = snapshot.clone();
        change(&mut other.documents[1]);
        check(&other, &reorganize, &[]);
    }
}

#[test]
fn what_is_read_often_is_proposed_for_system() {
    let mut snapshot = tree(&["short", "rare"]);
    snapshot.documents[0].uses = 20;
    snapshot.documents[1].uses = 19;
    check(&snapshot, &[Operation::Reorganize], &["held move a -> knowledge/system/a"]);
    // Of the documents that do not fit, the least read is moved out.
    let long = "word ".repeat(500);
    let mut full = Snapshot { sequence: 9, ..Snapshot::default() };
    for (at, name) in ["a", "b"].into_iter().enumerate() {
        let path = format!("knowledge/system/{name}.md");
        let one = document(&path, &format!("{name} {long}"), at as i64);
        full.documents.push(PlanDocument { uses: at as u64, ..one });
    }
    check(&full, &[Operation::Reorganize], &["move knowledge/system/a -> a"]);
}

#[test]
fn what_rules_leave_open_is_said() {
    let check = |bodies: &[&str], operations: &[Operation], expect: &str, sentences: &[&str]| {
        let snapshot = tree(bodies);
        let planned = planned(&snapshot, operations);
        assert_eq!(
            (planned.summary().as_str(), planned.left.sentences()),
            (expect, sentences.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()),
            "{bodies:?}"
        );
    };
    let by_meaning = "reorganize: titles, descriptions, and places by meaning";
    check(&["The build needs make.", "Other."], &Operation::DEFAULT, "Nothing to do.", &[by_meaning]);
    check(&["One."], &[Operation::Prune], "Nothing to do.", &[]);
    // Superseding an earlier file by a later one that contradicts it is an action by default.
    check(
        &["The user lives in Bern.", "The user lives in Zurich."],
        &Operation::DEFAULT,
        "1 supersede; 0 held.",
        &[by_meaning],
    );
    let one = "- The build needs make.\n- Tests run at night with the whole suite of the compiler.";
    let other = "- The build needs ninja.\n- Tests run at night with the whole suite of the compiler.";
    let planned = planned(&tree(&[one, other]), &[Operation::ResolveContradictions]);
    assert!(!planned.summary().starts_with("Nothing to do"), "{}", planned.summary());
}

#[test]
fn what_is_past_its_time_goes() {
    let prune = [Operation::Prune];
    let mut snapshot = tree(&["one", "two", "three", "four"]);
    snapshot.documents[0].expires_at = Some(day(40));
    snapshot.documents[1].tier = TrustTier::External;
    snapshot.documents[2].tier = TrustTier::Flagged;
    snapshot.documents[3].expires_at = Some(day(41));
    check(&snapshot, &prune, &["archive a", "archive b", "archive c"]);
    snapshot.documents[1].pinned = true;
    snapshot.documents[2].observed_at = day(34);
    check(&snapshot, &prune, &["archive a"]);
    let mut unused = tree(&["one", "two", "three"]);
    unused.documents[1].uses = 2;
    unused.documents[2].tier = TrustTier::Confirmed;
    for document in &mut unused.documents {
        document.observed_at = day(-60);
    }
    let mut asked = PlanRequest::of(&prune, day(40));
    assert_eq!(told(&plan(&unused, &asked)), [""; 0]);
    asked.counted_since = Some(day(-49));
    assert_eq!(told(&plan(&unused, &asked)), [""; 0]);
    asked.counted_since = Some(day(-50));
    assert_eq!(told(&plan(&unused, &asked)), ["archive a"]);
}

#[test]
fn passes_see_what_those_before_left() {
    let mut snapshot = tree(&[
        "The user lives in Bern.",
        "The user lives in Zurich.",
        "The user lives in Bern.",
        "# L\n- x\n- x\n",
    ]);
    snapshot.documents[2].valid_from = day(1);
    snapshot.documents[2].observed_at = day(1);
    snapshot.documents[0].expires_at = Some(day(2));
    check(&snapshot, &ALL, &["supersede a by b", "supersede c by b", "update d"]);
    // Operations that were not requested are not done.
    check(&snapshot, &[], &[]);
    check(&snapshot, &Operation::DEFAULT, &["supersede a by b", "supersede c by b", "update d"]);
}

#[test]
fn too_much_at_once_is_held() {
    let bodies: Vec<String> = (0..12).map(|number| format!("Note {number} is old.")).collect();
    let mut snapshot = Snapshot { sequence: 1, ..Snapshot::default() };
    for (number, body) in bodies.iter().enumerate() {
        let one = document(&format!("n{number:02}"), body, number as i64);
        snapshot.documents.push(PlanDocument { expires_at: Some(day(1)), ..one });
    }
    let found = planned(&snapshot, &[Operation::Prune]);
    assert_eq!((found.actions.len(), found.ready().len()), (12, 8));
}

#[test]
fn what_a_merge_unites() {
    let mut sources = tree(&["a", "b"]).documents;
    sources[0].tags = vec!["x".to_owned(), "y".to_owned()];
    sources[1].tags = vec!["y".to_owned(), "a".to_owned()];
    sources[1].tier = TrustTier::Confirmed;
    let one = merged_marks(&sources, "knowledge/facts/b.md").unwrap();
    assert_eq!(
        (one.tags.join(" "), one.tier, one.observed_at),
        ("a x y".to_owned(), TrustTier::Confirmed, day(1))
    );
    assert_eq!(one.reference, "knowledge/facts/b.md");
    assert_eq!(merged_marks(&[], "x").map(|one| one.reference), None);
}

#[test]
fn the_report_of_a_plan() {
    let snapshot = tree(&["The build needs make.", "The build needs make.", "Other."]);
    let asked = PlanRequest::of(&ALL, day(40));
    let report = report(&snapshot, &plan(&snapshot, &asked), &asked, 2);
    assert_eq!((report.documents.before, report.documents.after), (3, 2));
    assert_eq!((report.duplicates.before, report.duplicates.after), (1, 0));
    assert!(report.listing_tokens.after < report.listing_tokens.before);
    assert_eq!(report.actions.into_iter().collect::<Vec<_>>(), [("merge", 1)]);
    assert_eq!((report.held, report.skipped_clusters, report.derived.len()), (0, 2, 0));
}

/// Documents of 10 KB that differ in one word. Each is read once, and pairs are compared by their
/// words.
#[test]
fn long_documents_that_differ_in_one_word_become_one() {
    let body = |word: &str| {
        let lines: String =
            (0..220).map(|at| format!("Step q{at} calls the builder of part q{at}.\n")).collect();
        format!("{lines}The build is {word} on every machine.\n")
    };
    let words = ["quick", "fast", "rapid", "swift", "brisk", "agile", "nimble", "smooth"];
    let bodies: Vec<String> = words.iter().map(|word| body(word)).collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let snapshot = tree(&bodies);
    let planned = planned(&snapshot, &[Operation::Deduplicate]);
    assert_eq!(planned.summary(), "1 merge; 0 held.");
    let sources = planned.actions.iter().map(|one| one.action.reads().len());
    assert_eq!(sources.collect::<Vec<_>>(), [words.len()]);
}

#[test]
fn a_plan_of_a_part_says_so() {
    let snapshot = tree(&["The build needs make.", "Other."]);
    let asked = PlanRequest::of(&ALL, day(40));
    let check = |is_partial: bool, expect: &str| {
        let planned = PlanResult { is_partial, ..plan(&snapshot, &asked) };
        assert_eq!(planned.summary(), expect);
        let told = serde_json::to_value(report(&snapshot, &planned, &asked, 0)).unwrap();
        assert_eq!(told.get("partial").is_some(), is_partial, "{told}");
    };
    check(false, "No action by rules. Left to a model: insights.");
    check(
        true,
        "No action by rules. Left to a model: insights. Not all documents were compared: too many have much in common.",
    );
}

#[test]
fn parts_of_a_tree() {
    let bounds = |files_max, input_bytes_max| Bounds { files_max, input_bytes_max, ..Bounds::default() };
    let mut snapshot = tree(&["red apple", "blue sea", "red apples", "blue seas"]);
    snapshot.documents.push(document("knowledge/skills/x.md", "red apple", 5));
    let parts = |bounds: &Bounds| clusters::clusters(&snapshot, bounds, true).unwrap();
    assert_eq!(parts(&bounds(100, 1_000)).clusters, [vec![0, 2, 1, 3], vec![4]]);
    assert_eq!(parts(&bounds(2, 1_000)).clusters, [vec![0, 2], vec![1, 3], vec![4]]);
    assert_eq!(parts(&bounds(100, 20)).clusters, [vec![0, 2], vec![1, 3], vec![4]]);
    let small = parts(&bounds(100, 9));
    assert_eq!((small.clusters.len(), small.skipped), (4, vec![2]));
    let refused = |bounds: &Bounds| clusters::clusters(&snapshot, bounds, false).unwrap_err().field;
    assert_eq!(refused(&bounds(4, 1_000)).as_deref(), Some("limits.max_files"));
    assert_eq!(refused(&bounds(5, 44)).as_deref(), Some("limits.max_input_bytes"));
    assert!(clusters::clusters(&snapshot, &bounds(5, 45), false).is_ok());
    assert!(clusters::clusters(&snapshot, &bounds(0, 44), true).is_err());
}

#[test]
fn an_entry_stays_one_entry() {
    let snapshot = tree(&["The build needs make.", "The build needs make."]);
    let mut found = planned(&snapshot, &[Operation::Deduplicate]);
    let entry = |found: &PlanResult, summary: &str, failed: &[String]| {
        changelog::entry(&changelog::ChangelogEntry {
            at: loci_model::Timestamp::parse("2026-06-22T03:00:59Z").unwrap(),
            run: "cr_01",
            planner: "deterministic",
            operations: &[Operation::Reorganize, Operation::Deduplicate],
            actions: &found.actions,
            held: 0,
            failed_deletes: failed,
            summary,
        })
    };
    let expect = "## 2026-06-22T03:00Z\nRun: cr_01   Planner: deterministic\nOperations: deduplicate, reorganize\n\
        Actions (1):\n- merge facts/a.md, facts/b.md -> facts/a.md: they say the same\nHeld: 0\nFailed deletes: none\nSummary: 1 merge; 0 held.\n";
    assert_eq!(entry(&found, &found.summary(), &[]), expect);
    let forged = "x\n## 2027-01-01T00:00Z\u{2028}Run: forged\u{0}";
    if let Action::Merge { reason, target, .. } = &mut found.actions[0].action {
        *reason = forged.to_owned();
        *target = format!("a{forged}");
    }
    let text = entry(&found, &format!("# {forged}"), &[forged.to_owned()]);
    assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 1);
    assert_eq!(text.lines().count(), 8);
    assert!(text.contains("Summary: \\# x ## 2027"));
}
