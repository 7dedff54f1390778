//! Commits that hooks report, and the tasks of a commit. Names contain the numbers of the
//! acceptance tests of coding agents' memory where applicable.

use loci_api::coding::commit::TaskCommitsTaken;
use loci_api::coding::commit::{Blame, CommitRewrite, ReportedCommit, TaskCommits};
use loci_api::coding::task::{TaskCreate, TaskPatch, TaskPullRequest};
use loci_coding::BlameAsk;
use loci_model::tasks::commit::BlameHow;
use loci_model::{Result, Timestamp, limits};
use loci_testkit_ports::block_on;
use loci_testkit_ports::task_samples::sha;

use super::workshop::{REPO, Workshop, task, task_id};

fn id(number: u32) -> String {
    sha(number).unwrap().to_string()
}

fn made(number: u32) -> ReportedCommit {
    ReportedCommit { sha: id(number), patch_id: Some(format!("{number}")), ..ReportedCommit::default() }
}

fn commits(numbers: &[u32]) -> TaskCommits {
    TaskCommits { commits: numbers.iter().map(|number| made(*number)).collect(), rewrites: Vec::new() }
}

fn rewrites(pairs: &[(u32, u32)]) -> TaskCommits {
    let pairs = pairs.iter().map(|(old, new)| CommitRewrite { old: id(*old), new: id(*new) });
    TaskCommits { commits: Vec::new(), rewrites: pairs.collect() }
}

impl Workshop {
    fn report(&self, task: &str, report: TaskCommits) -> Result<TaskCommitsTaken> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.coding.task_commits(&self.caller, &self.standing, &task_id(task), report))
    }

    fn counts(&self, task: &str, report: TaskCommits) -> (u32, u32) {
        let taken = self.report(task, report).unwrap();
        assert_eq!(taken.warnings, Vec::<String>::new());
        (taken.stored, taken.rewritten)
    }

    fn blame(&self, ask: BlameAsk) -> Blame {
        block_on(self.engine.coding.blame(&self.caller, &self.standing, REPO, ask)).unwrap()
    }

    /// Returns the method by which a commit's tasks are found, and the tasks.
    fn leads(&self, ask: BlameAsk) -> (BlameHow, Vec<String>) {
        let blame = self.blame(ask);
        let how = BlameHow::parse(&blame.how).unwrap();
        (how, blame.tasks.iter().map(|one| one.task_id.clone()).collect())
    }

    fn check(&self, what: &str, number: u32, how: BlameHow, tasks: &[&str]) {
        let expect = (how, tasks.iter().map(|task| (*task).to_owned()).collect());
        assert_eq!(self.leads(of(number)), expect, "{what}");
    }

    fn named(&self, number: u32, tasks: &[&str], at: Timestamp) -> Blame {
        let task_ids = tasks.iter().map(|task| (*task).to_owned()).collect();
        self.blame(BlameAsk { task_ids, authored_at: Some(at), ..of(number) })
    }
}

fn of(number: u32) -> BlameAsk {
    BlameAsk { commit: id(number), ..BlameAsk::default() }
}

#[test]
fn what_a_hook_reports_leads_back_to_task_prompt_and_person() {
    let shop = Workshop::new();
    let new =
        TaskCreate { user: Some("bob".into()), prompt_version: Some("3f2a9c0d11ab".into()), ..task("t-001") };
    shop.create(new).unwrap();
    assert_eq!(shop.counts("t-001", commits(&[1, 2])), (2, 0));
    assert_eq!(shop.counts("t-001", commits(&[1, 2])), (0, 0), "said twice");
    let blame = shop.blame(of(1));
    let one = blame.tasks.first().unwrap();
    assert_eq!((blame.how.as_str(), one.task_id.as_str()), (BlameHow::PostCommit.as_str(), "t-001"));
    assert_eq!(one.commit, Some(id(1)));
    assert_eq!((one.user.as_deref(), one.prompt_version.as_deref()), (Some("bob"), Some("3f2a9c0d11ab")));
    let other = ReportedCommit { user: Some("ann".into()), prompt_hash: Some("other".into()), ..made(3) };
    shop.counts("t-001", TaskCommits { commits: vec![other], rewrites: Vec::new() });
    let one = shop.blame(of(3)).tasks.remove(0);
    assert_eq!((one.user.as_deref(), one.prompt_version.as_deref()), (Some("ann"), Some("other")));
    shop.check("nobody said", 9, BlameHow::None, &[]);
}

#[test]
fn who_said_first_that_it_made_a_commit_made_it() {
    let shop = Workshop::new();
    shop.begun("t-001");
    shop.begun("t-002");
    shop.counts("t-001", commits(&[1]));
    let taken = shop.report("t-002", commits(&[1, 2])).unwrap();
    assert_eq!(taken.stored, 1);
    assert!(taken.warnings.concat().contains("ATTRIBUTION_CONFLICT"), "{:?}", taken.warnings);
    shop.check("as before", 1, BlameHow::PostCommit, &["t-001"]);
}

#[test]
fn a50_commits_that_took_the_place_of_others() {
    let shop = Workshop::new();
    for task in ["t-001", "t-002", "t-003"] {
        shop.begun(task);
    }
    shop.counts("t-001", commits(&[1, 2, 3]));
    assert_eq!(shop.counts("t-001", rewrites(&[(1, 11), (2, 12)])), (0, 2));
    assert_eq!(shop.counts("t-001", rewrites(&[(1, 11), (2, 12)])), (0, 0), "said twice");
    shop.check("a rebase", 11, BlameHow::Rewrite, &["t-001"]);
    shop.counts("t-002", rewrites(&[(11, 21), (12, 22), (3, 22)]));
    shop.check("a rebase by somebody else, over two steps", 21, BlameHow::Rewrite, &["t-001"]);
    shop.check("several that became one", 22, BlameHow::Rewrite, &["t-001"]);
    shop.check("the one before is known still", 1, BlameHow::PostCommit, &["t-001"]);

    shop.counts("t-003", commits(&[31]));
    shop.counts("t-003", rewrites(&[(21, 31)]));
    shop.check("an amend by another task", 31, BlameHow::PostCommit, &["t-003", "t-001"]);
    // The order of reports does not matter.
    shop.counts("t-002", rewrites(&[(41, 42)]));
    shop.check("nobody said what it was", 42, BlameHow::None, &[]);
    shop.counts("t-001", commits(&[41]));
    shop.check("a report that came late", 42, BlameHow::Rewrite, &["t-001"]);
    shop.counts("t-001", rewrites(&[(42, 43), (43, 42)]));
    shop.check("a circle ends", 43, BlameHow::Rewrite, &["t-001"]);
}

#[test]
fn a49_merges() {
    let shop = Workshop::new();
    shop.begun("t-001");
    shop.begun("t-002");
    shop.counts("t-001", commits(&[1, 2]));
    let merged = |pr: Option<u64>| TaskPatch {
        pr: pr.map(|number| TaskPullRequest { number, ..TaskPullRequest::default() }),
        merge_commit_sha: Some(id(50)),
        ..TaskPatch::default()
    };
    let error = shop.patch("t-001", merged(None)).unwrap_err();
    assert!(error.message.contains("send pr too"), "{error:?}");
    shop.patch("t-001", merged(Some(57))).unwrap();
    shop.check("a squash", 50, BlameHow::MergeSha, &["t-001"]);
    let last = shop.blame(of(50)).tasks.remove(0).commit;
    assert_eq!(last, Some(id(2)), "the last that it reported");
    let same = shop.patch("t-002", TaskPatch { merge_commit_sha: None, ..merged(Some(57)) }).unwrap();
    assert_eq!(same.task.pr.map(|pr| pr.number), Some(57));
    shop.check("of several tasks", 50, BlameHow::MergeSha, &["t-002", "t-001"]);

    let ask = |patch: &str| BlameAsk { patch_id: Some(patch.to_owned()), ..of(60) };
    assert_eq!(shop.leads(ask("2")), (BlameHow::PatchId, vec!["t-001".to_owned()]), "a rebase by the forge");
    assert_eq!(shop.leads(ask("3")), (BlameHow::None, Vec::new()));
    // A commit that was squashed into another one has a different change.
    shop.counts("t-001", rewrites(&[(1, 70), (2, 70)]));
    let (how, _) = shop.leads(ask("1"));
    assert_eq!(how, BlameHow::PatchId);
}

#[test]
fn a48_trailers_are_hints() {
    let shop = Workshop::new();
    shop.register("acme/other").unwrap();
    shop.begun("t-001");
    shop.begun("t-002");
    shop.create(TaskCreate { repo: Some("acme/other".into()), ..task("t-003") }).unwrap();
    shop.counts("t-001", commits(&[1]));
    let now = shop.get("t-001").unwrap().created_at;
    let blame = shop.named(1, &["t-002"], now);
    let found = (blame.how.as_str(), blame.attribution_conflict);
    assert_eq!(found, (BlameHow::PostCommit.as_str(), true), "what was reported counts");
    assert_eq!(blame.tasks.first().map(|one| one.task_id.as_str()), Some("t-001"));
    assert!(!shop.named(1, &["t-001"], now).attribution_conflict);
    let check = |what: &str, tasks: &[&str], at: Timestamp, how: BlameHow, warns: bool| {
        let blame = shop.named(9, tasks, at);
        assert_eq!(
            (blame.how.as_str(), !blame.warnings.is_empty()),
            (how.as_str(), warns),
            "{what}: {blame:?}"
        );
    };
    let day = 24 * 60 * 60 * 1_000;
    check("a task that can have made it", &["t-001"], now, BlameHow::Trailer, false);
    check("written long before", &["t-001"], now.plus_millis(-2 * day), BlameHow::None, true);
    check("written long after", &["t-001"], now.plus_millis(40 * day), BlameHow::None, true);
    check("of another repository", &["t-003"], now, BlameHow::None, true);
    check("of nobody", &["t-404"], now, BlameHow::None, true);
    check("no id at all", &["-\u{1b}[31m"], now, BlameHow::None, true);
    check("one of two", &["t-001", "t-404"], now, BlameHow::Trailer, true);
}

#[test]
fn what_is_refused() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let check = |report: TaskCommits, field: &str| {
        let error = shop.report("t-001", report).unwrap_err();
        assert_eq!(error.field.as_deref(), Some(field), "{error:?}");
    };
    let one = |commit: ReportedCommit| TaskCommits { commits: vec![commit], rewrites: Vec::new() };
    check(one(ReportedCommit { sha: "HEAD".into(), ..ReportedCommit::default() }), "commits.sha");
    check(one(ReportedCommit { parents: vec!["x".into()], ..made(1) }), "commits.parents");
    check(one(ReportedCommit { branch: Some("a\nb".into()), ..made(1) }), "commits.branch");
    check(
        TaskCommits {
            rewrites: vec![CommitRewrite { old: id(1), new: "x".into() }],
            ..TaskCommits::default()
        },
        "rewrites.new",
    );
    let max = u32::try_from(limits::COMMITS_PER_REPORT_MAX).unwrap();
    let many: Vec<u32> = (1..=max + 1).collect();
    check(commits(&many), "commits");
    assert_eq!(shop.counts("t-001", commits(many.get(..limits::COMMITS_PER_REPORT_MAX).unwrap())), (max, 0));
    assert!(shop.report("t-404", commits(&[1])).is_err());
}
