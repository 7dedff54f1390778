//! Outcomes of tasks: pull requests, checks and reverts as forges report them, in any order and
//! with repetitions. Names contain the numbers of the acceptance tests of coding agents' memory
//! where applicable.

use loci_api::coding::commit::{ReportedCommit, TaskCommits};
use loci_api::coding::task::{TaskCreate, TaskListing, TaskPatch, TaskPullRequest};
use loci_coding::hydration::Hydration;
use loci_coding::{Completion, OutcomeByHand, PullRequestSeen};
use loci_model::facts::repository::Repository;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant};
use loci_model::record::metadata::MetadataValue;
use loci_model::tasks::outcome::{FirstPush, Outcome, OutcomeGrade};
use loci_model::tasks::pull_request::{
    BranchPush, CheckSuite, PullRequest, PullRequestChange, PullRequestCommit,
};
use loci_model::tasks::review::{Authority, ForgeUser, Review, ReviewState};
use loci_model::tasks::task::TaskStatus;
use loci_model::{ActorId, ErrorKind, Result, Timestamp, limits};
use loci_testkit_ports::block_on;
use loci_testkit_ports::task_samples::sha;

use super::test_forge::TestForge;
use super::workshop::{REPO, Workshop, task, task_id};

pub(super) fn id(number: u32) -> String {
    sha(number).unwrap().to_string()
}

pub(super) fn user(id: u64, login: &str) -> ForgeUser {
    ForgeUser { id, login: login.to_owned(), is_bot: login.ends_with("[bot]") }
}

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

impl Workshop {
    fn repository(&self) -> Repository {
        let memory = self.memory();
        let store = self.world.store();
        let all = block_on(store.read(move |tx| tx.repositories().list(&memory, None, 10))).unwrap();
        all.into_iter().find(|one| one.key == REPO).unwrap()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.engine.now()
    }

    /// Returns a newly opened pull request of a task, by its branch.
    pub(super) fn pull_request(&self, number: u64, task: &str, head: u32) -> PullRequest {
        self.world.clock().advance_ms(60_000);
        PullRequest {
            number,
            author: user(90, "shop-agent[bot]"),
            title: "Add pagination".into(),
            body: String::new(),
            is_open: true,
            is_draft: false,
            merged_at: None,
            merged_by: None,
            merge_commit_sha: None,
            closed_at: None,
            head_sha: id(head),
            head_ref: format!("agent/{task}"),
            is_fork: false,
            base_ref: "main".into(),
            labels: Vec::new(),
            commits: vec![PullRequestCommit {
                sha: id(head),
                author: Some(user(90, "shop-agent[bot]")),
                message: "Add pages".into(),
            }],
            review_comment_count: 0,
            additions: 80,
            deletions: 20,
            changed_files: 3,
            url: Some(format!("https://github.example/acme/shop/pull/{number}")),
            created_at: self.now(),
            updated_at: self.now(),
        }
    }

    pub(super) fn see(&self, pr: &PullRequest, change: PullRequestChange) -> PullRequestSeen {
        let (memory, repository) = (self.memory(), self.repository().id);
        block_on(self.engine.coding.pull_request_seen(&memory, &repository, pr, change)).unwrap()
    }

    pub(super) fn merge(&self, pr: &mut PullRequest, commit: u32) -> PullRequestSeen {
        self.later(pr);
        (pr.is_open, pr.merged_at, pr.closed_at) = (false, Some(pr.updated_at), Some(pr.updated_at));
        (pr.merged_by, pr.merge_commit_sha) = (Some(user(7, "carol")), Some(id(commit)));
        self.see(pr, PullRequestChange::Closed)
    }

    pub(super) fn close(&self, pr: &mut PullRequest) -> PullRequestSeen {
        self.later(pr);
        (pr.is_open, pr.closed_at) = (false, Some(pr.updated_at));
        self.see(pr, PullRequestChange::Closed)
    }

    pub(super) fn push(&self, pr: &mut PullRequest, head: u32) {
        self.later(pr);
        pr.head_sha = id(head);
        self.see(pr, PullRequestChange::Synchronized);
    }

    fn later(&self, pr: &mut PullRequest) {
        self.world.clock().advance_ms(60_000);
        pr.updated_at = self.now();
    }

    /// Stores a review of the head.
    pub(super) fn review(&self, pr: &PullRequest, number: u64) {
        self.world.clock().advance_ms(60_000);
        let repository = self.repository();
        let at = self.now();
        let review = Review {
            memory: repository.memory.clone(),
            actor: ActorId::parse(REPO).unwrap(),
            repository: repository.id,
            pr: pr.number,
            id: number,
            reviewer: user(7, "carol"),
            authority: Authority::default(),
            pr_author: pr.author.clone(),
            state: ReviewState::ChangesRequested,
            body: "Please".into(),
            comments: Vec::new(),
            commit: Some(pr.head_sha.clone()),
            url: None,
            task: None,
            left_out: None,
            is_past: false,
            submitted_at: at,
            updated_at: at,
            read_at: at,
        };
        block_on(self.world.store().write(move |tx| tx.ledger_mut().put_noun(&review))).unwrap();
    }

    pub(super) fn pushed(&self, number: u32, message: &str) -> Vec<Outcome> {
        self.pushed_together(&[(number, message)])
    }

    /// Pushes several commits to the default branch together, the last at its tip.
    fn pushed_together(&self, commits: &[(u32, &str)]) -> Vec<Outcome> {
        self.world.clock().advance_ms(60_000);
        self.hear_push(&BranchPush {
            branch: "main".into(),
            is_default: true,
            after: id(commits.last().unwrap().0),
            commits: commits.iter().map(|(number, message)| commit(*number, message)).collect(),
            at: self.now(),
        })
    }

    fn hear_push(&self, push: &BranchPush) -> Vec<Outcome> {
        let (memory, repository) = (self.memory(), self.repository().id);
        block_on(self.engine.coding.branch_pushed(&memory, &repository, push)).unwrap()
    }

    fn checked(&self, suite: u64, head: u32, passed: Option<bool>, at: Timestamp) -> bool {
        let (memory, repository) = (self.memory(), self.repository().id);
        let suite = CheckSuite { id: suite, head_sha: id(head), passed, at };
        block_on(self.engine.coding.checks_ended(&memory, &repository, &suite)).unwrap()
    }

    pub(super) fn outcome(&self, task: &str) -> Option<Outcome> {
        block_on(self.engine.coding.task_outcome(&self.caller, &self.standing, &task_id(task))).unwrap()
    }

    pub(super) fn grade(&self, task: &str) -> (&'static str, f64) {
        let outcome = self.outcome(task);
        let word = outcome.as_ref().and_then(|one| one.grade).map_or("open", OutcomeGrade::as_str);
        (word, outcome.map_or(0.0, |one| one.value))
    }

    pub(super) fn set_outcome(&self, task: &str, said: OutcomeByHand) -> Result<Outcome> {
        self.world.clock().advance_ms(1_000);
        let id = task_id(task);
        let set = self.engine.coding.task_outcome_set(&self.caller, &self.standing, &id, said);
        block_on(set).map(|set| set.outcome)
    }

    pub(super) fn reports(&self, task: &str, numbers: &[u32]) {
        let made = |number: &u32| ReportedCommit { sha: id(*number), ..ReportedCommit::default() };
        let report = TaskCommits { commits: numbers.iter().map(made).collect(), rewrites: Vec::new() };
        block_on(self.engine.coding.task_commits(&self.caller, &self.standing, &task_id(task), report))
            .unwrap();
    }
}

fn commit(number: u32, message: &str) -> PullRequestCommit {
    PullRequestCommit { sha: id(number), author: None, message: message.to_owned() }
}

/// Returns git's message of a revert.
fn reverts(number: u32) -> String {
    format!("Revert \"Add pages\"\n\nThis reverts commit {}.", id(number))
}

pub(super) fn by_hand(grade: OutcomeGrade) -> OutcomeByHand {
    OutcomeByHand { grade, merged_at: None, revision_count: None, ci_first_push: None, source: None }
}

#[test]
fn a68_a_pull_request_is_graded_as_it_ends() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    let seen = shop.see(&pr, PullRequestChange::Opened);
    assert_eq!(seen.tasks, [task_id("t-001")], "by its branch");
    assert_eq!(shop.get("t-001").unwrap().pr.map(|pr| pr.number), Some(57));
    assert_eq!(shop.grade("t-001"), ("open", 0.0));
    assert_eq!(shop.merge(&mut pr, 50).regraded.len(), 1);
    let outcome = shop.outcome("t-001").unwrap();
    assert_eq!((outcome.grade, outcome.value), (Some(OutcomeGrade::MergedAsIs), 1.0));
    let facts = &outcome.facts;
    assert_eq!((facts.merged_at, facts.merged_by.as_deref()), (pr.merged_at, Some("carol")));
    assert_eq!((facts.additions, facts.deletions, facts.changed_files), (80, 20, 3));
    assert_eq!((facts.human_commits, facts.revision_count), (Some(0), 0));
    // The commit on the base is attributed to it, as if the agents' operator had reported it.
    let ask = loci_coding::BlameAsk { commit: id(50), ..loci_coding::BlameAsk::default() };
    let blame = block_on(shop.engine.coding.blame(&shop.caller, &shop.standing, REPO, ask)).unwrap();
    assert_eq!(blame.tasks.first().map(|one| one.task_id.as_str()), Some("t-001"));
    // A repetition by a poll or a late hook changes nothing.
    let again = shop.see(&pr, PullRequestChange::Seen);
    assert_eq!((again.tasks.len(), again.regraded.len()), (1, 0));
    let opened = PullRequest { is_open: true, merged_at: None, updated_at: pr.created_at, ..pr.clone() };
    assert!(shop.see(&opened, PullRequestChange::Opened).regraded.is_empty(), "older than what is known");
    assert_eq!(shop.outcome("t-001").unwrap().history.len(), 1);
}

#[test]
fn a68_rounds_are_pushes_after_a_review() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.see(&pr, PullRequestChange::Opened);
    shop.push(&mut pr, 2);
    shop.review(&pr, 1);
    shop.push(&mut pr, 3);
    shop.push(&mut pr, 4);
    shop.review(&pr, 2);
    shop.push(&mut pr, 5);
    shop.see(&pr, PullRequestChange::Synchronized);
    shop.merge(&mut pr, 50);
    assert_eq!(shop.outcome("t-001").unwrap().facts.revision_count, 2);
    assert_eq!(shop.grade("t-001"), ("merged_after_rounds", 0.9 - 0.15 * 2.0));
}

#[test]
fn a68_reopened_cancels_and_a_revert_overrides() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.see(&pr, PullRequestChange::Opened);
    shop.close(&mut pr);
    assert_eq!(shop.grade("t-001"), ("closed_unmerged", -0.6));
    shop.later(&mut pr);
    (pr.is_open, pr.closed_at) = (true, None);
    shop.see(&pr, PullRequestChange::Reopened);
    assert_eq!(shop.grade("t-001"), ("open", 0.0));
    shop.merge(&mut pr, 50);
    let message = format!("Revert \"Add pagination\"\n\nThis reverts commit {}.", id(50));
    assert!(shop.pushed(60, "Unrelated: revert nothing").is_empty());
    assert_eq!(shop.pushed(61, &message).len(), 1);
    assert_eq!(shop.grade("t-001"), ("reverted", -1.0));
    assert!(shop.pushed(61, &message).is_empty(), "said twice");
    assert!(shop.see(&pr, PullRequestChange::Seen).regraded.is_empty(), "merged is what it was, too");
    // The revert itself is reverted; a repeated first push changes nothing.
    let back = format!("Reapply \"Add pagination\"\n\nThis reverts commit {}.", id(61));
    assert_eq!(shop.pushed(62, &back).len(), 1);
    assert_eq!(shop.grade("t-001").0, "merged_as_is");
    assert!(shop.pushed(61, &message).is_empty());
    assert_eq!(shop.grade("t-001").0, "merged_as_is");
    let words: Vec<&str> = shop
        .outcome("t-001")
        .unwrap()
        .history
        .iter()
        .map(|one| one.grade.map_or("-", OutcomeGrade::as_str))
        .collect();
    assert_eq!(words, ["closed_unmerged", "-", "merged_as_is", "reverted", "merged_as_is"]);
}

#[test]
fn a68_a_pull_request_may_say_what_it_reverts() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.merge(&mut pr, 50);
    let mut revert = PullRequest { head_ref: "revert-57".into(), ..shop.pull_request(58, "none", 9) };
    for body in ["Reverts acme/other#57", "Reverts Acme/Shop#57"] {
        revert.body = body.to_owned();
        shop.see(&revert, PullRequestChange::Opened);
        assert_eq!(shop.grade("t-001").0, "merged_as_is", "not before it is merged");
    }
    let seen = shop.merge(&mut revert, 51);
    assert_eq!((seen.tasks.len(), seen.regraded.len()), (0, 1), "{seen:?}");
    assert_eq!(shop.grade("t-001"), ("reverted", -1.0));
    let facts = shop.outcome("t-001").unwrap().facts;
    assert_eq!((facts.reverted_by.as_deref(), facts.reverted_at), (Some("#58"), revert.merged_at));
    // The commit of that pull request is no second revert: reverting it restores the merged state.
    assert_eq!(shop.pushed(52, &format!("Reland\n\nThis reverts commit {}.", id(51))).len(), 1);
    assert_eq!(shop.grade("t-001").0, "merged_as_is");
}

#[test]
fn a68_what_took_its_place_and_what_nobody_cares_about() {
    let shop = Workshop::new();
    for id in ["t-001", "t-002", "t-003", "t-004"] {
        shop.begun(id);
    }
    let mut first = shop.pull_request(57, "t-001", 1);
    shop.close(&mut first);
    assert_eq!(shop.grade("t-001").0, "closed_unmerged");
    let mut second = shop.pull_request(58, "t-002", 2);
    assert_eq!(shop.merge(&mut second, 50).regraded.len(), 2, "of the same issue");
    assert_eq!(shop.grade("t-001"), ("closed_superseded", 0.0));
    assert_eq!(shop.outcome("t-001").unwrap().facts.superseded_by.as_deref(), Some("task:t-002"));
    let mut late = shop.pull_request(59, "t-003", 3);
    late.labels = vec!["Duplicate".into()];
    shop.close(&mut late);
    assert_eq!(shop.outcome("t-003").unwrap().facts.superseded_by.as_deref(), Some("label:duplicate"));

    let mut open = shop.pull_request(60, "t-004", 4);
    shop.see(&open, PullRequestChange::Opened);
    block_on(shop.engine.sweep()).unwrap();
    shop.world.clock().advance_ms(29 * DAY_MS);
    block_on(shop.engine.sweep()).unwrap();
    assert_eq!(shop.grade("t-004").0, "open");
    shop.world.clock().advance_ms(2 * DAY_MS);
    block_on(shop.engine.sweep()).unwrap();
    assert_eq!(shop.grade("t-004"), ("abandoned", -0.3));
    shop.push(&mut open, 5);
    assert_eq!(shop.grade("t-004").0, "open", "somebody cares again");
}

#[test]
fn a68_checks_of_the_first_push() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.see(&pr, PullRequestChange::Opened);
    let first = || shop.outcome("t-001").unwrap().facts.ci_first_push;
    let at = shop.now();
    assert!(!shop.checked(1, 9, Some(true), at), "of a commit that no task pushed");
    assert!(!shop.checked(2, 1, None, at), "it says neither");
    assert_eq!(first(), FirstPush::Unknown);
    assert!(shop.checked(4, 1, Some(true), at.plus_millis(2_000)));
    assert_eq!(first(), FirstPush::Pass);
    assert!(shop.checked(3, 1, Some(false), at.plus_millis(1_000)), "heard of later, ended earlier");
    assert_eq!(first(), FirstPush::Fail);
    shop.checked(4, 1, Some(true), at.plus_millis(2_000));
    shop.push(&mut pr, 2);
    assert!(!shop.checked(5, 2, Some(true), at), "not the first push");
    shop.merge(&mut pr, 50);
    assert_eq!(first(), FirstPush::Fail);
}

/// A pull request of three commits, of which the second reverts the first, is merged in every
/// possible way. The order of the messages, and a report of the commits by a hook, must not matter.
#[test]
fn a68_a_revert_within_the_pull_request_is_none() {
    // Commit ids after the merge: a merge keeps them, a rebase changes them.
    let ways: [(&str, &[u32], &str); 3] = [
        ("merge", &[1, 2, 3, 50], ""),
        ("rebase", &[31, 32, 50], ""),
        ("squash", &[50], "Add pages (#57)\n\n* Add pages\n\n* "),
    ];
    for (way, names, start) in ways {
        for (is_merged_first, is_reported, has_commits) in [
            (true, true, true),
            (false, true, true),
            (true, true, false),
            (false, true, false),
            (true, false, true),
        ] {
            let what = format!(
                "{way}: merged first {is_merged_first}, reported {is_reported}, commits {has_commits}"
            );
            let shop = Workshop::new();
            shop.begun("t-001");
            if is_reported {
                shop.reports("t-001", &[1, 2, 3]);
            }
            let messages =
                ["Add pages".to_owned(), reverts(1), "Add pages, otherwise".to_owned(), "Merge".to_owned()];
            let mut pr = shop.pull_request(57, "t-001", 3);
            pr.commits = if has_commits {
                (1..=3).zip(&messages).map(|(number, message)| commit(number, message)).collect()
            } else {
                Vec::new()
            };
            shop.see(&pr, PullRequestChange::Opened);
            let squashed = format!("{start}{}", reverts(1));
            let told =
                |place: usize| if way == "squash" { squashed.as_str() } else { messages[place].as_str() };
            let come: Vec<(u32, &str)> =
                names.iter().enumerate().map(|(place, number)| (*number, told(place))).collect();
            if is_merged_first {
                shop.merge(&mut pr, 50);
            }
            shop.pushed_together(&come);
            if !is_merged_first {
                shop.merge(&mut pr, 50);
            }
            shop.see(&pr, PullRequestChange::Seen);
            assert_ne!(shop.grade("t-001").0, "reverted", "{what}");
            // A later revert of the merge is a revert.
            shop.pushed(70, &reverts(50));
            assert_eq!(shop.grade("t-001").0, "reverted", "{what}");
        }
    }
}

#[test]
fn a68_a_revert_that_is_heard_before_its_merge_counts_then() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.see(&pr, PullRequestChange::Opened);
    // The forge is rate-limited: its report of the merge is read after later pushes.
    shop.later(&mut pr);
    (pr.is_open, pr.merged_at, pr.closed_at) = (false, Some(pr.updated_at), Some(pr.updated_at));
    pr.merge_commit_sha = Some(id(50));
    assert!(shop.pushed(61, &reverts(50)).is_empty());
    assert!(shop.pushed(61, &reverts(50)).is_empty(), "said twice");
    assert_eq!(shop.grade("t-001").0, "open");
    shop.see(&pr, PullRequestChange::Closed);
    assert_eq!(shop.grade("t-001"), ("reverted", -1.0));
    assert_eq!(shop.outcome("t-001").unwrap().facts.reverted_by, Some(id(61)));

    // By number, with the revert of the revert arriving in the wrong order.
    shop.begun("t-002");
    let mut second = shop.pull_request(58, "t-002", 2);
    shop.see(&second, PullRequestChange::Opened);
    shop.later(&mut second);
    (second.is_open, second.merged_at) = (false, Some(second.updated_at));
    second.merge_commit_sha = Some(id(51));
    let says = |number: u64, body: &str| PullRequest {
        head_ref: "x".into(),
        body: body.into(),
        ..shop.pull_request(number, "none", 9)
    };
    let (mut revert, mut reland) = (says(60, "Reverts acme/shop#58"), says(62, "Reverts acme/shop#60"));
    shop.merge(&mut reland, 53);
    shop.merge(&mut revert, 52);
    assert_eq!(shop.grade("t-002").0, "open");
    shop.see(&second, PullRequestChange::Closed);
    assert_eq!(shop.grade("t-002").0, "merged_as_is", "{:?}", shop.outcome("t-002").unwrap().facts);
    let mut third = says(63, "Reverts acme/shop#62");
    shop.merge(&mut third, 54);
    assert_eq!(shop.grade("t-002").0, "reverted", "what brought it back is taken back");
}

#[test]
fn a68_what_was_taken_back_twice_is_brought_back_once() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.merge(&mut pr, 50);
    let says = |number: u64, body: &str| PullRequest {
        head_ref: "x".into(),
        body: body.into(),
        ..shop.pull_request(number, "none", 9)
    };
    let grade = || shop.grade("t-001").0;
    let mut first = says(60, "Reverts acme/shop#57");
    shop.merge(&mut first, 51);
    assert_eq!(grade(), "reverted");
    let mut reland = says(61, "Reverts acme/shop#60");
    shop.merge(&mut reland, 52);
    assert_eq!(grade(), "merged_as_is");
    let mut again = says(62, "Reverts acme/shop#57");
    shop.merge(&mut again, 53);
    assert_eq!(grade(), "reverted");
    // A person labels each of them.
    for pr in [&first, &reland, &again, &reland, &pr] {
        shop.see(pr, PullRequestChange::Seen);
        assert_eq!(grade(), "reverted", "#{}", pr.number);
    }
    assert_eq!(shop.outcome("t-001").unwrap().facts.reverted_by.as_deref(), Some("#62"));
}

#[test]
fn a68_checks_that_are_heard_before_their_pull_request() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let at = shop.now();
    assert!(!shop.checked(4, 1, Some(true), at.plus_millis(2_000)));
    assert!(!shop.checked(3, 1, Some(false), at.plus_millis(1_000)), "it ended earlier");
    let pr = shop.pull_request(57, "t-001", 1);
    shop.see(&pr, PullRequestChange::Opened);
    assert_eq!(shop.outcome("t-001").unwrap().facts.ci_first_push, FirstPush::Fail);
    // A later message on an earlier end decides.
    assert!(shop.checked(2, 1, Some(true), at));
    assert_eq!(shop.outcome("t-001").unwrap().facts.ci_first_push, FirstPush::Pass);
}

#[test]
fn what_waits_for_a_merge_is_bounded_and_not_kept_for_ever() {
    // A revert, then many others of unknown commits.
    let check = |others: usize, days: u64, expect: &str| {
        let shop = Workshop::new();
        shop.begun("t-001");
        let mut pr = shop.pull_request(57, "t-001", 1);
        shop.see(&pr, PullRequestChange::Opened);
        let merged_at = shop.now();
        shop.pushed(61, &reverts(50));
        let unknown: Vec<String> =
            (0..others).map(|number| reverts(10_000 + u32::try_from(number).unwrap())).collect();
        let unknown: Vec<(u32, &str)> =
            (1_000..).zip(&unknown).map(|(sha, text)| (sha, text.as_str())).collect();
        if !unknown.is_empty() {
            shop.pushed_together(&unknown);
        }
        shop.world.clock().advance_ms(days * DAY_MS);
        shop.later(&mut pr);
        (pr.is_open, pr.merged_at) = (false, Some(merged_at));
        pr.merge_commit_sha = Some(id(50));
        shop.see(&pr, PullRequestChange::Closed);
        assert_eq!(shop.grade("t-001").0, expect, "{others} others, {days} days");
    };
    let most = limits::WAITING_REVERTS_MAX;
    check(most - 1, 0, "reverted");
    check(most, 0, "merged_as_is");
    check(0, 29, "reverted");
    check(0, 31, "merged_as_is");
}

#[test]
fn checks_that_wait_for_their_pull_request_are_bounded() {
    let check = |others: usize, expect: FirstPush| {
        let shop = Workshop::new();
        shop.begun("t-001");
        let at = shop.now();
        shop.checked(1, 1, Some(true), at);
        for number in 0..u32::try_from(others).unwrap() {
            shop.world.clock().advance_ms(1);
            shop.checked(2, 10_000 + number, Some(true), at);
        }
        shop.see(&shop.pull_request(57, "t-001", 1), PullRequestChange::Opened);
        assert_eq!(shop.outcome("t-001").unwrap().facts.ci_first_push, expect, "{others} others");
    };
    let most = limits::WAITING_CHECKS_MAX;
    check(most - 1, FirstPush::Pass);
    check(most, FirstPush::Unknown);
}

#[test]
fn a_revert_whose_commit_is_reported_late_counts_when_it_is() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.merge(&mut pr, 50);
    shop.pushed(61, &reverts(7));
    shop.reports("t-001", &[7]);
    assert_eq!(shop.grade("t-001").0, "merged_as_is");
    block_on(shop.engine.sweep()).unwrap();
    assert_eq!(shop.grade("t-001").0, "reverted");
}

#[test]
fn a68_who_asks_for_what_has_changed_hears_of_reverts() {
    let forge = TestForge::default();
    let shop = Workshop::new().with_forge(&forge);
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.merge(&mut pr, 50);
    let poll = || block_on(shop.engine.coding.reviews_poll(&shop.caller, &shop.standing, REPO)).unwrap();
    let landed = |number: u32, message: &str| {
        shop.world.clock().advance_ms(60_000);
        let at = shop.now();
        forge.with(|held| held.landed.insert(0, (commit(number, message), at)));
    };
    landed(60, "Say more");
    poll();
    assert_eq!(shop.grade("t-001").0, "merged_as_is");
    landed(61, &reverts(50));
    poll();
    assert_eq!(shop.grade("t-001").0, "reverted");
    landed(62, &reverts(61));
    poll();
    assert_eq!(shop.grade("t-001").0, "merged_as_is");
    poll();
    assert_eq!(shop.outcome("t-001").unwrap().history.len(), 3, "heard again, nothing changes");
    // A revert made a day before its push is still detected.
    let before = shop.now();
    shop.world.clock().advance_ms(DAY_MS);
    forge.with(|held| held.landed.push((commit(63, &reverts(50)), before)));
    poll();
    assert_eq!(shop.grade("t-001").0, "reverted");
}

#[test]
fn a69_human_commits_are_detected() {
    let shop = Workshop::new();
    for id in ["t-001", "t-002"] {
        shop.begun(id);
    }
    shop.reports("t-001", &[1]);
    let commit = |number: u32, author: Option<ForgeUser>, message: &str| PullRequestCommit {
        sha: id(number),
        author,
        message: message.to_owned(),
    };
    let count = |number: u64, task: &str, commits: Vec<PullRequestCommit>| {
        let mut pr = PullRequest { commits, ..shop.pull_request(number, task, 1) };
        shop.merge(&mut pr, 50 + u32::try_from(number).unwrap());
        let outcome = shop.outcome(task).unwrap();
        (outcome.facts.human_commits, outcome.grade.map_or("-", OutcomeGrade::as_str), outcome.value)
    };
    let carol = || Some(user(7, "carol"));
    let all_of_agents = vec![
        commit(1, carol(), "reported by its hook"),
        commit(2, Some(user(90, "shop-agent[bot]")), "by the agent's account"),
        commit(3, carol(), "Says so\n\nTask-Id: t-001"),
        commit(4, carol(), "Merge branch 'main' into agent/t-001"),
    ];
    assert_eq!(count(57, "t-001", all_of_agents), (Some(0), "merged_as_is", 1.0));
    let with_people = vec![
        commit(1, carol(), "reported by its hook"),
        commit(5, carol(), "Fix what it did not see"),
        commit(6, None, "By nobody that the forge knows"),
        commit(7, carol(), "Of no task\n\nTask-Id: t-404"),
        commit(8, carol(), "Merge branch 'topic' into agent/t-002"),
    ];
    assert_eq!(count(58, "t-002", with_people), (Some(4), "merged_with_human_commits", 0.4));
}

#[test]
fn whose_a_pull_request_is() {
    let shop = Workshop::new();
    shop.register("acme/other").unwrap();
    for id in ["t-001", "t-002"] {
        shop.begun(id);
    }
    shop.create(TaskCreate { repo: Some("acme/other".into()), ..task("o-001") }).unwrap();
    let named = TaskPatch {
        pr: Some(TaskPullRequest { number: 60, ..TaskPullRequest::default() }),
        ..TaskPatch::default()
    };
    shop.patch("t-002", named).unwrap();
    let tasks = |pr: &PullRequest| {
        let seen = shop.see(pr, PullRequestChange::Seen);
        seen.tasks.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let of_branch = |branch: &str| PullRequest { head_ref: branch.into(), ..shop.pull_request(57, "-", 1) };
    let fork = PullRequest { is_fork: true, ..of_branch("agent/t-001") };
    assert_eq!(tasks(&fork), [""; 0], "anybody can fork, and call a branch so");
    let trailer = |id: &str| PullRequest {
        commits: vec![PullRequestCommit {
            sha: "x".into(),
            author: None,
            message: format!("a\n\nTask-Id: {id}"),
        }],
        ..of_branch("feature/x")
    };
    assert_eq!(tasks(&trailer("o-001")), [""; 0], "of another repository");
    assert_eq!(tasks(&trailer("t-002")), [""; 0], "that ended in another");
    assert_eq!(tasks(&of_branch("feature/y")), [""; 0]);
    assert_eq!(
        tasks(&PullRequest { number: 60, is_fork: true, ..of_branch("x") }),
        ["t-002"],
        "said so itself"
    );
    assert_eq!(tasks(&of_branch("agent/t-001-more")), ["t-001"], "by the pattern of branches");
    assert_eq!(tasks(&trailer("t-001")), ["t-001"], "known by now");
}

#[test]
fn an_episode_says_what_came_of_its_task() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let report = || Completion {
        status: Some(TaskStatus::Completed),
        summary: Some("Added pagination to orders.".into()),
        ..Completion::default()
    };
    shop.complete("t-001", report()).unwrap();
    let episode = shop.episodes().remove(0);
    let says = |key: &str| match shop.record(&episode).metadata.get(key) {
        Some(MetadataValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    assert_eq!(shop.grade("t-001"), ("no_pr", 0.3), "by its status");
    assert_eq!(says("outcome"), None);
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.close(&mut pr);
    assert_eq!(
        (says("outcome").as_deref(), says("polarity").as_deref()),
        (Some("closed_unmerged"), Some("negative"))
    );
    shop.begun("t-002");
    let hydrated = |expect: &str| {
        let asked = Hydration { query: Some("pagination of orders".into()), ..Hydration::default() };
        let found =
            block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id("t-002"), asked))
                .unwrap();
        assert!(found.plan.block.contains(expect), "{}", found.plan.block);
    };
    hydrated("closed unmerged");
    // A late report of the agent does not change it.
    let more = Completion { approach: Some("By offset.".into()), ..report() };
    shop.complete("t-001", more).unwrap();
    assert_eq!(says("outcome").as_deref(), Some("closed_unmerged"));
    shop.later(&mut pr);
    (pr.is_open, pr.closed_at) = (true, None);
    shop.see(&pr, PullRequestChange::Reopened);
    assert_eq!((says("outcome"), says("polarity")), (None, None));
    let memory = shop.memory();
    let (of, id) = (memory, episode.clone());
    let changes = block_on(shop.world.store().read(move |tx| tx.telemetry().of_record(&of, &id))).unwrap();
    let recorded: Vec<&str> =
        changes.iter().filter_map(|one| one.reason.strip_prefix("pr_outcome_recorded: ")).collect();
    assert_eq!(recorded, ["closed_unmerged", "open"]);
}

#[test]
fn an_outcome_is_set_by_hand_until_the_forge_says_more() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let rounds = OutcomeByHand {
        revision_count: Some(2),
        ci_first_push: Some(FirstPush::Pass),
        source: Some("gitlab".into()),
        ..by_hand(OutcomeGrade::MergedAfterRounds)
    };
    let outcome = shop.set_outcome("t-001", rounds).unwrap();
    assert_eq!((outcome.value, outcome.facts.ci_first_push), (0.9 - 0.15 * 2.0, FirstPush::Pass));
    let by = outcome.by_hand.map(|set| (set.source, set.by));
    assert_eq!(by, Some(("gitlab".to_owned(), "tester".to_owned())));
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.merge(&mut pr, 50);
    assert_eq!(shop.grade("t-001").0, "merged_as_is");
    shop.set_outcome("t-001", by_hand(OutcomeGrade::MergedWithHumanCommits)).unwrap();
    assert!(shop.see(&pr, PullRequestChange::Seen).regraded.is_empty(), "nothing new");
    assert_eq!(shop.grade("t-001").0, "merged_with_human_commits");
    shop.pushed(61, &format!("Revert\n\nThis reverts commit {}.", id(50)));
    assert_eq!(shop.grade("t-001").0, "reverted");

    let long = OutcomeByHand { source: Some("a".repeat(65)), ..by_hand(OutcomeGrade::NoPr) };
    assert_eq!(shop.set_outcome("t-001", long).unwrap_err().field.as_deref(), Some("source"));
    let many = OutcomeByHand { revision_count: Some(1_001), ..by_hand(OutcomeGrade::NoPr) };
    assert_eq!(shop.set_outcome("t-001", many).unwrap_err().field.as_deref(), Some("revision_count"));
    assert_eq!(shop.set_outcome("t-404", by_hand(OutcomeGrade::NoPr)).unwrap_err().kind, ErrorKind::NotFound);
    // An agent must not grade itself.
    let part = Grant { actor: Some(ActorId::parse(REPO).unwrap()), ..Grant::everything() };
    let agent = shop.with_grant(
        &[Capability::Read, Capability::Write],
        Grant { session: Some(loci_model::SessionId::parse("t-001").unwrap()), ..part },
    );
    let id = task_id("t-001");
    let set =
        shop.engine.coding.task_outcome_set(&agent, &shop.standing, &id, by_hand(OutcomeGrade::MergedAsIs));
    assert_eq!(block_on(set).unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn tasks_are_listed_by_what_came_of_them() {
    let shop = Workshop::new();
    for (number, id) in ["t-001", "t-002", "t-003", "t-004"].iter().enumerate() {
        shop.begun(id);
        let number = u32::try_from(number).unwrap();
        let mut pr = shop.pull_request(57 + u64::from(number), id, number + 1);
        match number {
            0 | 2 => drop(shop.merge(&mut pr, 50 + number)),
            1 => shop.set_outcome(id, by_hand(OutcomeGrade::ClosedUnmerged)).map(drop).unwrap(),
            _ => {}
        }
    }
    let listed = |grade, limit| -> Vec<String> {
        let outcome = Some(OutcomeGrade::as_str(grade).to_owned());
        let page = shop.page(TaskListing { outcome, ..TaskListing::default() }, (None, limit)).unwrap();
        page.items.iter().map(|task| task.id.to_string()).collect()
    };
    assert_eq!(listed(OutcomeGrade::MergedAsIs, 100), ["t-003", "t-001"]);
    assert_eq!(listed(OutcomeGrade::MergedAsIs, 1), ["t-003"]);
    assert_eq!(listed(OutcomeGrade::ClosedUnmerged, 100), ["t-002"]);
    assert_eq!(listed(OutcomeGrade::Reverted, 100), [""; 0]);
}

#[test]
fn what_is_forgotten_leaves_no_outcome() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let mut pr = shop.pull_request(57, "t-001", 1);
    shop.merge(&mut pr, 50);
    let repository = shop.repository().id;
    let memory = shop.memory();
    shop.forget();
    let (of, key) = (memory.clone(), "t-001");
    let left = block_on(shop.world.store().read(move |tx| tx.ledger().noun::<Outcome>(&of, key))).unwrap();
    assert!(left.is_none());
    let seen =
        block_on(shop.engine.coding.pull_request_seen(&memory, &repository, &pr, PullRequestChange::Seen));
    assert!(seen.is_err() || seen.unwrap().tasks.is_empty());
}
