//! Tests of `sync_plan`: every line of the table of states, moves, deletions with their guards,
//! directions; and that no plan loses a text.

use proptest::prelude::*;

use super::*;

const PATH: &str = "knowledge/facts/a.md";

fn digest(text: &str) -> FileDigest {
    use sha2::{Digest as _, Sha256};
    Sha256::digest(text.as_bytes()).into()
}

fn side(files: &[(&str, &str)]) -> Side {
    files.iter().map(|(path, text)| ((*path).to_owned(), digest(text))).collect()
}

fn at(second: i64) -> Timestamp {
    Timestamp::clamped(second * 1_000)
}

fn keeping() -> Keeping {
    Keeping {
        direction: Direction::TwoWay,
        deletes: Deletes::Enabled,
        now: at(1_000),
        is_last: false,
        has_directories: true,
        is_clone: false,
    }
}

fn planned(tree: &Side, mirror: &Side, agreed: &Side, keeping: &Keeping) -> SyncPlan {
    plan(
        &SyncInput { tree, mirror, agreed, marked: MarkerState::Own, missing: &MissingSince::new() },
        keeping,
    )
}

/// Plans one path, next to an unchanged one.
fn one(tree: Option<&str>, mirror: Option<&str>, agreed: Option<&str>, keeping: &Keeping) -> SyncPlan {
    let of = |text: Option<&str>| {
        let mut all = side(&[("knowledge/facts/calm.md", "calm")]);
        all.extend(text.map(|text| (PATH.to_owned(), digest(text))));
        all
    };
    planned(&of(tree), &of(mirror), &of(agreed), keeping)
}

#[test]
fn every_line_of_the_table() {
    let path = || PATH.to_owned();
    let check = |tree, mirror, agreed, expect: Option<SyncAction>| {
        let plan = one(tree, mirror, agreed, &keeping());
        assert_eq!(plan.actions, Vec::from_iter(expect), "{tree:?} {mirror:?} {agreed:?}");
    };
    check(Some("1"), Some("1"), Some("1"), None);
    check(Some("2"), Some("1"), Some("1"), Some(SyncAction::Write { path: path(), over: Some(digest("1")) }));
    let (file, base) = (digest("2"), digest("1"));
    check(Some("1"), Some("2"), Some("1"), Some(SyncAction::Take { path: path(), file, base }));
    check(None, Some("2"), None, Some(SyncAction::TakeNew { path: path(), file }));
    check(Some("2"), Some("2"), Some("1"), Some(SyncAction::Agree { path: path(), file }));
    check(Some("2"), Some("2"), None, Some(SyncAction::Agree { path: path(), file }));
    let kept = |text| {
        let file = digest(text);
        let seven: String =
            format!("{:02x}{:02x}{:02x}{:02x}", file[0], file[1], file[2], file[3]).chars().take(7).collect();
        let beside = format!("knowledge/facts/a.conflict-{seven}.md");
        Some(SyncAction::KeepBoth { path: path(), beside, file })
    };
    check(Some("2"), Some("3"), Some("1"), kept("3"));
    check(Some("2"), Some("3"), None, kept("3"));
    check(None, Some("1"), Some("1"), Some(SyncAction::Remove { path: path(), over: base }));
    check(None, Some("2"), Some("1"), Some(SyncAction::TakeNew { path: path(), file }));
    check(Some("2"), None, Some("1"), Some(SyncAction::Write { path: path(), over: None }));
    check(Some("1"), None, None, Some(SyncAction::Write { path: path(), over: None }));
    check(None, None, Some("1"), Some(SyncAction::Forget { path: path() }));
}

#[test]
fn what_is_missing_is_put_away_at_the_second_look() {
    let (all, left) =
        (side(&[(PATH, "1"), ("b.md", "2"), ("c.md", "3")]), side(&[("b.md", "2"), ("c.md", "3")]));
    let look = |missing: &MissingSince, now: i64, deletes: Deletes, is_last: bool| {
        let sides = SyncInput { tree: &all, mirror: &left, agreed: &all, marked: MarkerState::Own, missing };
        plan(&sides, &Keeping { now: at(now), deletes, is_last, ..keeping() })
    };
    let first = look(&MissingSince::new(), 1_000, Deletes::Enabled, false);
    assert_eq!((first.actions.len(), first.waiting_deletes), (0, 1));
    let early = look(&first.missing, 1_029, Deletes::Enabled, false);
    assert_eq!((early.actions.len(), early.waiting_deletes), (0, 1));
    let base = digest("1");
    let away = vec![SyncAction::PutAway { path: PATH.to_owned(), base }];
    assert_eq!(look(&early.missing, 1_030, Deletes::Enabled, false).actions, away);
    assert_eq!(look(&first.missing, 1_001, Deletes::Enabled, true).actions, away, "the process ends");
    let logged = look(&early.missing, 1_030, Deletes::LogOnly, false);
    assert_eq!((logged.actions.len(), logged.notes[0].what), (0, "deletion_logged"));
    let again = look(&early.missing, 1_030, Deletes::Disabled, false).actions;
    assert_eq!(again, [SyncAction::Write { path: PATH.to_owned(), over: None }]);
}

#[test]
fn a_directory_that_is_gone_deletes_nothing() {
    let all = side(&[(PATH, "1"), ("b.md", "2")]);
    let check = |mirror: &Side, marked: MarkerState, finding: Finding, writes: usize| {
        let sides = SyncInput { tree: &all, mirror, agreed: &all, marked, missing: &MissingSince::new() };
        let plan = plan(&sides, &Keeping { is_last: true, ..keeping() });
        assert_eq!((plan.finding, plan.actions.len()), (finding, writes));
        assert!(plan.actions.iter().all(|action| matches!(action, SyncAction::Write { .. })), "{plan:?}");
    };
    check(&Side::new(), MarkerState::Missing, Finding::Gone, 2);
    check(&Side::new(), MarkerState::Own, Finding::Gone, 2);
    check(&side(&[("other.md", "9")]), MarkerState::Own, Finding::Gone, 2);
    check(&all, MarkerState::Missing, Finding::NotOurs, 0);
    check(&Side::new(), MarkerState::Other, Finding::NotOurs, 0);
}

#[test]
fn of_a_clone_whose_files_are_gone_what_is_new_is_taken() {
    let all = side(&[(PATH, "1"), ("b.md", "2")]);
    let clone = Keeping { direction: Direction::Import, is_last: true, is_clone: true, ..keeping() };
    let (taken, inside) = ("new.md", "b.md/inside.md");
    let plan = planned(&all, &side(&[(taken, "9"), (inside, "8")]), &all, &clone);
    let new = SyncAction::TakeNew { path: taken.to_owned(), file: digest("9") };
    assert_eq!((plan.finding, plan.actions), (Finding::Gone, vec![new]));
    // The document at its place is not archived: it has a remark.
    assert_eq!(plan.notes, [SyncNote { path: inside.to_owned(), what: "waits_for_deletion" }]);
    assert!(planned(&all, &Side::new(), &all, &clone).actions.is_empty());
}

#[test]
fn a_file_in_the_place_of_a_directory_is_one_loss_of_many_files() {
    let agreed: Side =
        (0..200).map(|at| (format!("knowledge/{at:03}.md"), digest(&at.to_string()))).collect();
    let with = |files: &[(&str, &str)]| -> (Side, Side) {
        let mut agreed = agreed.clone();
        agreed.extend(side(&[("other.md", "other")]));
        (agreed, side(files))
    };
    let look = |agreed: &Side, mirror: &Side, missing: &MissingSince, keeping: Keeping| {
        plan(&SyncInput { tree: agreed, mirror, agreed, marked: MarkerState::Own, missing }, &keeping)
    };
    let (first, last) = (keeping(), Keeping { is_last: true, ..keeping() });
    let put_away = |plan: &SyncPlan| {
        plan.actions.iter().filter(|action| matches!(action, SyncAction::PutAway { .. })).count()
    };
    let placeholder = side(&[("knowledge", "away")]);
    for keeping in [first, last] {
        let plan = look(&agreed, &placeholder, &MissingSince::new(), keeping);
        assert_eq!((plan.finding, put_away(&plan)), (Finding::Gone, 0), "{keeping:?}");
    }
    // Another file remains: the two checks and the limit of one sync apply, and the placeholder
    // waits with them.
    let (all, left) = with(&[("knowledge", "away"), ("other.md", "other")]);
    let seen = look(&all, &left, &MissingSince::new(), first);
    assert_eq!((seen.finding, seen.actions.len(), seen.waiting_deletes), (Finding::Whole, 0, 200));
    let held = SyncNote { path: "knowledge".to_owned(), what: "waits_for_deletion" };
    assert_eq!(seen.notes, [held]);
    let again = Keeping { now: at(1_030), ..first };
    for keeping in [again, last] {
        let plan = look(&all, &left, &seen.missing, keeping);
        assert_eq!((put_away(&plan), plan.actions.len(), plan.waiting_deletes), (50, 50, 150));
    }
    // A few count as a person's change. Together with other missing files they share the limit of
    // one sync.
    let below = |count: usize| -> Side {
        let mut left = all.clone();
        for number in 0..count {
            left.remove(&format!("knowledge/{number:03}.md"));
            left.insert(format!("knowledge/{number:03}.md/i.md"), digest(&format!("inside {number}")));
        }
        left
    };
    let few = look(&all, &below(8), &MissingSince::new(), first);
    assert_eq!((put_away(&few), few.actions.len(), few.waiting_deletes), (8, 16, 0));
    let many = look(&all, &below(9), &MissingSince::new(), first);
    assert_eq!((many.actions.len(), many.waiting_deletes), (0, 9));
    let mut mixed = below(8);
    for number in 100..160 {
        mixed.remove(&format!("knowledge/{number:03}.md"));
    }
    let mixed = look(&all, &mixed, &MissingSince::new(), last);
    assert_eq!((put_away(&mixed), mixed.waiting_deletes), (50, 18));
    // In a bucket both may coexist: one listing that lacks an object is no evidence.
    let bucket = Keeping { has_directories: false, ..first };
    let one = look(&all, &below(1), &MissingSince::new(), bucket);
    assert_eq!((one.actions.len(), one.waiting_deletes), (0, 1));
    let one = look(&all, &below(1), &one.missing, Keeping { now: at(1_030), ..bucket });
    assert_eq!((put_away(&one), one.actions.len()), (1, 2));
    // A deletion that waits holds back the files at its place.
    let mut later = look(&all, &below(8), &MissingSince::new(), first);
    later.delete_later();
    assert_eq!((later.actions.len(), later.waiting_deletes), (0, 8));
}

#[test]
fn files_that_move_are_moved_however_many() {
    let from: Vec<(String, String)> =
        (0..60).map(|at| (format!("facts/{at:02}.md"), format!("text {}", at / 2))).collect();
    let of = |prefix: &str| -> Side {
        from.iter().map(|(path, text)| (path.replace("facts", prefix), digest(text))).collect()
    };
    let (tree, mirror) = (of("facts"), of("notes"));
    let plan = planned(&tree, &mirror, &tree, &keeping());
    assert_eq!(plan.finding, Finding::Whole);
    assert_eq!(plan.actions.len(), 60);
    for (number, action) in plan.actions.iter().enumerate() {
        let SyncAction::Move { from, to, .. } = action else { panic!("{action:?}") };
        assert_eq!((from, to), (&format!("facts/{number:02}.md"), &format!("notes/{number:02}.md")));
    }
    // The document changed meanwhile: its file is restored, and the other is a new one.
    let mut changed = tree.clone();
    changed.insert("facts/00.md".to_owned(), digest("newer"));
    let plan = planned(&changed, &mirror, &tree, &keeping());
    assert!(
        plan.actions.contains(&SyncAction::Write { path: "facts/00.md".to_owned(), over: None }),
        "{plan:?}"
    );
}

#[test]
fn a_mirror_of_one_direction_goes_one_way() {
    let export = Keeping { direction: Direction::Export, ..keeping() };
    let import = Keeping { direction: Direction::Import, ..keeping() };
    let check = |plan: SyncPlan, actions: usize, note: Option<&str>| {
        assert_eq!(
            (plan.actions.len(), plan.notes.first().map(|note| note.what)),
            (actions, note),
            "{plan:?}"
        );
    };
    check(one(Some("1"), Some("2"), Some("1"), &export), 0, Some("changed_in_export"));
    check(one(None, Some("2"), None, &export), 0, Some("changed_in_export"));
    check(one(Some("2"), Some("1"), Some("1"), &export), 1, None);
    check(one(Some("1"), None, Some("1"), &export), 1, None);
    check(one(Some("1"), Some("2"), Some("1"), &import), 1, None);
    check(one(Some("2"), Some("1"), Some("1"), &import), 0, Some("not_exported"));
    check(one(Some("2"), None, None, &import), 0, Some("not_exported"));
}

#[test]
fn names_of_conflicts() {
    let check = |path: &str, expect: &str| {
        assert_eq!(
            conflict_path(
                path,
                &[0x01, 0x23, 0x45, 0x67]
                    .iter()
                    .copied()
                    .chain([0; 28])
                    .collect::<Vec<u8>>()
                    .try_into()
                    .unwrap()
            ),
            expect
        )
    };
    let source = |path: &str, expect: Option<&str>| {
        assert_eq!(conflict_source(path).as_deref(), expect, "{path}");
    };
    source("knowledge/facts/a.conflict-0123456.md", Some("knowledge/facts/a.md"));
    source("a.conflict-0123456", Some("a"));
    source("x/.b.conflict-0123456", Some("x/.b"));
    source("a.tar.conflict-0123456.gz", Some("a.tar.gz"));
    source("a.conflict-0123456.conflict-789abcd.md", Some("a.conflict-0123456.md"));
    source("a.conflict-012345.md", None);
    source("a.conflict-0123456b.md", None);
    source("a.conflict-0123456/b.md", None);
    source("a.conflict-0123456.d/b.md", None);
    source("a.md", None);
    check("knowledge/facts/a.md", "knowledge/facts/a.conflict-0123456.md");
    check("a", "a.conflict-0123456");
    check("x/.b", "x/.b.conflict-0123456");
    check("a.tar.gz", "a.tar.conflict-0123456.gz");
    // Neither a name nor a path exceeds its limit, and no character is split.
    let long = |letter: &str, count: usize| letter.repeat(count);
    check(&format!("x/{}.md", long("a", 197)), &format!("x/{}.conflict-0123456.md", long("a", 180)));
    check(&format!("x/{}.md", long("語", 65)), &format!("x/{}.conflict-0123456.md", long("語", 60)));
    let deep = [long("d", 200), long("d", 200), long("d", 200), long("d", 200), long("d", 170)].join("/");
    let cut =
        long("a", loci_model::limits::FILE_PATH_BYTES_MAX - deep.len() - 1 - ".conflict-0123456.md".len());
    check(&format!("{deep}/{}.md", long("a", 40)), &format!("{deep}/{cut}.conflict-0123456.md"));
}

fn sides() -> impl Strategy<Value = (Side, Side, Side)> {
    let files = || proptest::collection::btree_map("[a-d]\\.md", "[1-4]", 0..5);
    let of = |files: BTreeMap<String, String>| {
        files.into_iter().map(|(path, text)| (path, digest(&text))).collect()
    };
    (files(), files(), files()).prop_map(move |(tree, mirror, agreed)| (of(tree), of(mirror), of(agreed)))
}

proptest! {
    /// Checks that content of only one side is never overwritten or removed: an edit of a file is
    /// taken, kept as a copy or left alone, and a changed document is never archived.
    #[test]
    fn no_plan_loses_a_text((tree, mirror, agreed) in sides(), is_last: bool) {
        let plan = planned(&tree, &mirror, &agreed, &Keeping { is_last, ..keeping() });
        for action in &plan.actions {
            match action {
                SyncAction::Write { path, over } => {
                    prop_assert_eq!(mirror.get(path).copied(), *over);
                    prop_assert!(over.is_none() || agreed.get(path).copied() == *over, "{:?}", action);
                }
                SyncAction::Remove { path, over } => {
                    prop_assert!(agreed.get(path) == Some(over) && mirror.get(path) == Some(over));
                    prop_assert!(!tree.contains_key(path));
                }
                SyncAction::PutAway { path, base } => {
                    prop_assert!(tree.get(path) == Some(base) && !mirror.contains_key(path));
                }
                SyncAction::Move { from, to, file } => {
                    prop_assert!(tree.get(from) == Some(file) && !tree.contains_key(to));
                }
                SyncAction::Take { .. } | SyncAction::TakeNew { .. } | SyncAction::KeepBoth { .. }
                | SyncAction::Agree { .. } | SyncAction::Forget { .. } => {}
            }
        }
        let again = planned(&tree, &mirror, &agreed, &Keeping { is_last, ..keeping() });
        prop_assert_eq!(plan, again);
    }
}
