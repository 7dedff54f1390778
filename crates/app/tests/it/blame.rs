//! From a commit with git hooks to `loci blame`: with a server, without one, and after amends,
//! rebases and squashes. Names contain the numbers of the acceptance tests of coding agents'
//! memory.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::githooks::{Agent, attempt};
use crate::program::Home;

/// An address without a listener.
const NOWHERE: &str = "http://127.0.0.1:9";
/// The time limit of a commit with the hooks, with or without a server. It is generous for a busy
/// machine, because a commit that waits for an answer would never end.
const COMMIT_MAX: Duration = Duration::from_secs(20);

/// Returns the shop with a task and its hooks.
fn begun(home: &Home) -> Agent<'_> {
    let agent = Agent::new(home);
    agent.json(&["task", "create", "--id", "t-001", "--user", "bob", "--pr", "57", "Add pagination"]);
    agent
}

fn commit(agent: &Agent<'_>, path: &str, text: &str) -> String {
    agent.change(path, text);
    agent.git(&["commit", "-m", "Subject"]);
    agent.git(&["rev-parse", "HEAD"])
}

/// Returns the way a line was attributed, and its tasks.
fn blame(agent: &Agent<'_>, place: &str) -> (String, Vec<String>, Value) {
    let found = agent.json(&["blame", place]);
    let item = found["items"][0].clone();
    let tasks = item["tasks"].as_array().unwrap_or_else(|| panic!("{found}"));
    let ids = tasks.iter().map(|task| task["task_id"].as_str().unwrap().to_owned()).collect();
    (item["how"].as_str().unwrap().to_owned(), ids, item)
}

fn check(agent: &Agent<'_>, what: &str, place: &str, how: &str, tasks: &[&str]) {
    let (found, ids, item) = blame(agent, place);
    assert_eq!(
        (found.as_str(), ids),
        (how, tasks.iter().map(|id| (*id).to_owned()).collect()),
        "{what}: {item}"
    );
}

fn spooled(agent: &Agent<'_>) -> usize {
    agent.json(&["spool", "show"]).as_array().unwrap().len()
}

#[test]
fn a_line_leads_back_with_a_server_and_without() {
    let home = Home::new();
    let agent = begun(&home);
    let sha = commit(&agent, "src/page.rs", "one\ntwo\n");
    assert_eq!(spooled(&agent), 1, "nobody serves: it waits");
    let (how, ids, item) = blame(&agent, "src/page.rs:2");
    assert_eq!((how.as_str(), ids), ("post_commit", vec!["t-001".to_owned()]));
    assert_eq!((&item["commit"], &item["lines"]), (&json!(sha), &json!([[2, 2]])));
    let task = &item["tasks"][0];
    assert_eq!((&task["user"], &task["prompt_version"]), (&json!("bob"), &json!("3f2a9c0d11ab")), "{task}");
    assert_eq!(spooled(&agent), 0, "whoever asks says first what waits");
    check(&agent, "a person's line", "src/limits.rs:1", "none", &[]);
    let (code, out, _) = agent.loci(&["blame", "src/limits.rs:1"]);
    assert!(code == 0 && out.contains("no task is known"), "{out}");
    agent.change("src/page.rs", "one\ntwo\nthree\n");
    let found = agent.json(&["blame", "src/page.rs"]);
    assert_eq!(found["uncommitted"], json!([[3, 3]]), "{found}");
    assert_eq!(agent.loci(&["blame", "src/none.rs"]).0, 3);
    assert_eq!(agent.loci(&["blame", "src/page.rs:1", "--rev=--output=x"]).0, 3);
    for option in ["--rev", "--ref"] {
        let found = agent.json(&["blame", "src/page.rs:2", option, "HEAD"]);
        assert_eq!(found["items"][0]["commit"], json!(sha), "{found}");
        assert_eq!(agent.loci(&["blame", "src/page.rs:3", option, "HEAD"]).0, 3, "it is not committed");
    }

    let server = home.serve(&[]);
    commit(&agent, "src/page.rs", "one\ntwo\nthree\n");
    // The hook's time limit of a second may be exceeded on a busy machine.
    let is_told = |number: usize| {
        commit(&agent, "made.txt", &number.to_string());
        spooled(&agent) == 0
    };
    assert!(spooled(&agent) == 0 || (0..10).any(is_told), "a server that answers is told at once");
    check(&agent, "told at once", "src/page.rs:3", "post_commit", &["t-001"]);
    // Over a URL the clone is identified by its remote, whose name contains a host.
    for repo in [&[][..], &["--repo", "git.example/acme/shop"], &["--repo", "acme/shop"]] {
        let found = agent.json(&[&["blame", "src/page.rs:3", "--url", &server.url], repo].concat());
        let item = &found["items"][0];
        assert_eq!((&item["how"], &item["tasks"][0]["task_id"]), (&json!("post_commit"), &json!("t-001")));
    }
    for repo in ["shop", "git.example/other/shop"] {
        let (code, ..) = agent.loci(&["blame", "src/page.rs:3", "--url", &server.url, "--repo", repo]);
        assert!(code != 0, "{repo}");
    }
    assert!(server.stop());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a process is timed by the machine's time")]
fn a_commit_is_neither_failed_nor_held_up() {
    let home = Home::new();
    let agent = begun(&home);
    // A listener that accepts calls and never answers.
    let deaf = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let deaf = format!("http://{}", deaf.local_addr().unwrap());
    for (number, url) in [NOWHERE, deaf.as_str()].into_iter().enumerate() {
        agent.change("made.txt", &number.to_string());
        let began = Instant::now();
        agent.git_as(&[("LOCI_URL", url)], &["commit", "-m", "Subject"]);
        assert!(began.elapsed() < COMMIT_MAX, "{url} took {:?}", began.elapsed());
    }
    assert_eq!(spooled(&agent), 2);
    // Invalid settings, and an unknown task.
    agent.change("made.txt", "bad settings");
    let said = agent.git_as(&[("LOCI_STORE_NONSENSE", "1")], &["commit", "-m", "Subject"]);
    assert!(said.contains("loci githook"), "{said}");
    agent.change("made.txt", "unknown task");
    agent.git_as(&[("TASK_ID", "t-404")], &["commit", "-m", "Subject"]);
    check(&agent, "the commit before", "src/cart.rs:1", "none", &[]);
    let waiting = agent.json(&["spool", "show"]);
    let unknown = waiting.as_array().unwrap().iter().filter(|one| one["waits"]["is_unknown"] == true).count();
    assert_eq!(unknown, 1, "kept with the reason, until somebody knows the task: {waiting}");
}

#[test]
fn a_commit_that_is_reported_before_its_task_is_known() {
    let home = Home::new();
    let agent = Agent::new(&home);
    for number in ["1", "2"] {
        commit(&agent, "src/page.rs", &format!("{number}\n"));
    }
    check(&agent, "too early", "src/page.rs:1", "none", &[]);
    assert_eq!(agent.loci(&["spool", "flush"]).0, 5);
    assert_eq!(spooled(&agent), 2, "it is nobody's fault, and waits");
    agent.json(&["task", "create", "--id", "t-001", "--user", "bob", "Add pagination"]);
    check(&agent, "now it is known", "src/page.rs:1", "post_commit", &["t-001"]);
    assert_eq!(spooled(&agent), 0);
}

#[test]
fn what_is_not_utf8_leads_back_too() {
    let home = Home::new();
    let agent = begun(&home);
    std::fs::write(agent.shop.path().join("old.txt"), b"caf\xe9\nplain\n").unwrap();
    agent.git(&["add", "--all"]);
    let message = home.path("message.txt");
    std::fs::write(&message, b"Add a caf\xe9\n").unwrap();
    let latin =
        ["-c", "i18n.commitEncoding=ISO-8859-1", "commit", "--quiet", "-F", message.to_str().unwrap()];
    agent.git(&latin);
    for line in ["1", "2"] {
        check(&agent, "Latin-1", &format!("old.txt:{line}"), "post_commit", &["t-001"]);
    }
    let (_, _, item) = blame(&agent, "old.txt:1");
    assert_eq!(item["subject"], "Add a café", "{item}");
}

#[test]
fn a50_a_conflict_that_somebody_resolves() {
    let home = Home::new();
    let agent = begun(&home);
    agent.json(&["task", "create", "--id", "t-002", "--user", "ann", "Rebase it"]);
    for (branch, text) in [("agent/t-001", "the task's\n"), ("main", "a person's\n")] {
        agent.git(&["switch", "--quiet", "--force-create", branch, "main"]);
        agent.change("page.txt", text);
        agent.git(&["commit", "-m", "Subject"]);
    }
    let other = [("TASK_ID", "t-002")];
    let resolved_by = |what: &str, resolve: &[&[&str]]| {
        agent.git(&["switch", "--quiet", "-C", what, "agent/t-001"]);
        let stopped = attempt(&home, &agent.shop.path(), &other, &["rebase", "main"]);
        assert!(!stopped.status.success(), "{what}: it stops at the conflict");
        agent.change("page.txt", &format!("resolved {what}\n"));
        for arguments in resolve {
            agent.git_as(&other, arguments);
        }
        check(&agent, what, "page.txt:1", "rewrite", &["t-001"]);
        let whole = agent.git(&["log", "--format=%B", "main.."]);
        let names = |task: &str| whole.matches(&format!("Task-Id: {task}")).count();
        (names("t-001"), names("t-002"))
    };
    assert_eq!(resolved_by("continued", &[&["rebase", "--continue"]]), (1, 0));
    assert_eq!(resolved_by("committed", &[&["commit", "--no-edit"], &["rebase", "--continue"]]), (1, 0));
    // A commit that a person adds during the stop is theirs.
    let adds: &[&[&str]] = &[
        &["commit", "-m", "Resolved"],
        &["commit", "--allow-empty", "-m", "More"],
        &["rebase", "--continue"],
    ];
    assert_eq!(resolved_by("and-more", adds), (0, 1));
}

#[test]
fn a50_amended_where_no_task_is_set() {
    let home = Home::new();
    let agent = Agent::bare(&home);
    assert_eq!(agent.loci(&["githook", "install"]).0, 0);
    agent.json(&["task", "create", "--id", "t-001", "--user", "bob", "Add pagination"]);
    agent.change("page.txt", "1\n");
    agent.git_as(&[("TASK_ID", "t-001")], &["commit", "-m", "Subject"]);
    agent.git(&["commit", "--amend", "--quiet", "-m", "By a person, without trailers"]);
    check(&agent, "by the trailers of the one before", "page.txt:1", "rewrite", &["t-001"]);
    agent.change("more.txt", "a person's\n");
    agent.git(&["commit", "-m", "A person's"]);
    agent.git(&["commit", "--amend", "--quiet", "-m", "Still a person's"]);
    assert_eq!(spooled(&agent), 0, "that is nobody's task");
}

#[test]
fn a50_amended_rebased_and_squashed() {
    let home = Home::new();
    let agent = begun(&home);
    agent.json(&["task", "create", "--id", "t-002", "--user", "ann", "Fix it"]);
    agent.git(&["switch", "--quiet", "-c", "agent/t-001"]);
    commit(&agent, "one.txt", "1\n");
    agent.git(&["commit", "--amend", "--no-edit", "--date=2001-01-01T00:00:00Z"]);
    check(&agent, "amended", "one.txt:1", "post_commit", &["t-001"]);
    commit(&agent, "two.txt", "2\n");
    agent.git(&["switch", "--quiet", "main"]);
    agent.change("main.txt", "a person's\n");
    agent.git_as(
        &[
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "core.hooksPath"),
            ("GIT_CONFIG_VALUE_0", "/dev/null"),
        ],
        &["commit", "-m", "A person's"],
    );
    agent.git(&["switch", "--quiet", "agent/t-001"]);
    // Another task runs the rebase, but the moved commits keep their task.
    agent.git_as(&[("TASK_ID", "t-002")], &["rebase", "main"]);
    check(&agent, "rebased", "two.txt:1", "rewrite", &["t-001"]);
    check(&agent, "a person's", "main.txt:1", "none", &[]);

    agent.git(&["switch", "--quiet", "main"]);
    let by_forge = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.hooksPath"),
        ("GIT_CONFIG_VALUE_0", "/dev/null"),
    ];
    agent.git(&["merge", "--squash", "agent/t-001"]);
    agent.git_as(&by_forge, &["commit", "-m", "Add pagination (#57)"]);
    check(&agent, "a squash that nobody told of", "two.txt:1", "none", &[]);
    let squash = agent.git(&["rev-parse", "HEAD"]);
    agent.json(&["task", "merged", "t-001", "--commit", &squash]);
    check(&agent, "a squash", "two.txt:1", "merge_sha", &["t-001"]);
    let (_, out, _) = agent.loci(&["blame", "two.txt:1"]);
    assert!(
        out.contains("task t-001") && out.contains("pull request 57") && out.contains("(merge_sha)"),
        "{out}"
    );

    // A rebase merge, without a report of new ids.
    agent.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    agent.change("more.txt", "a person's\n");
    agent.git_as(&by_forge, &["commit", "-m", "A person's"]);
    agent.git_as(&by_forge, &["cherry-pick", "main..agent/t-001"]);
    let message = "Without trailers";
    agent.git_as(&by_forge, &["commit", "--amend", "--quiet", "-m", message]);
    check(&agent, "merged by rebase", "two.txt:1", "patch_id", &["t-001"]);
}
