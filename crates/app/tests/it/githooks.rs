//! Git hooks with real git in repositories of their own: the message of a commit, for all authors
//! and methods. Names contain the numbers of the acceptance tests of coding agents' memory.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::fact_repository::{PATH, Shop, git_command};
use crate::program::Home;

pub(crate) const TRAILERS: [&str; 3] =
    ["Task-Id: t-001", "Prompt-Version: 3f2a9c0d11ab", "Prompted-by: t-001/3f2a9c0d11ab"];
/// An editor that writes a subject on the first line, as people do.
const TYPES: &str = "f() { { echo Typed; cat \"$1\"; } > \"$1.typed\"; mv \"$1.typed\" \"$1\"; }; f";
/// An editor that changes nothing.
const LEAVES: &str = "true";

/// A commit's message, its trailers as git reads them, and the rest.
pub(crate) struct Message {
    pub(crate) whole: String,
    pub(crate) trailers: Vec<String>,
}

/// Runs git in a directory as an agent does, with these variables.
pub(crate) fn attempt(
    home: &Home,
    directory: &Path,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> Output {
    let mut command = git_command(directory, arguments);
    command.env("HOME", home.path("")).env("USER", "tester").env("GIT_EDITOR", LEAVES);
    command.env("LOCI_DATA_DIR", home.path("data")).envs(variables.iter().copied()).output().unwrap()
}

pub(crate) fn git_with(
    home: &Home,
    directory: &Path,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> String {
    let output = attempt(home, directory, variables, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
        + if said.contains("loci githook") { &said } else { "" }
}

pub(crate) fn message(home: &Home, directory: &Path, commit: &str) -> Message {
    let git = |format: &str| git_with(home, directory, &[], &["log", "-1", format, commit]);
    let trailers = git("--format=%(trailers:only,unfold)");
    let trailers = trailers.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    Message { whole: git("--format=%B"), trailers }
}

pub(crate) fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A clone with the hooks of a task.
pub(crate) struct Agent<'a> {
    pub(crate) shop: Shop<'a>,
    pub(crate) home: &'a Home,
}

impl<'a> Agent<'a> {
    pub(crate) fn new(home: &'a Home) -> Self {
        let agent = Self::bare(home);
        agent.install("t-001");
        agent
    }

    /// Returns a clone without hooks.
    pub(crate) fn bare(home: &'a Home) -> Self {
        Self { shop: Shop::new(home, "shop"), home }
    }

    pub(crate) fn install(&self, task: &str) {
        let version = ["--prompt-version", "3f2a9c0d11ab", "--user", "bob"];
        let (code, out, said) = self.loci(&[&["githook", "install", "--task", task], &version[..]].concat());
        assert_eq!(code, 0, "{out}{said}");
    }

    pub(crate) fn loci(&self, arguments: &[&str]) -> (i32, String, String) {
        self.loci_at(&self.shop.path(), arguments)
    }

    pub(crate) fn loci_at(&self, directory: &Path, arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.home.command(arguments);
        let output = command.current_dir(directory).env("PATH", PATH).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Returns the JSON answer of a command, which must succeed.
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let (code, out, said) = self.loci(&[arguments, &["--json"]].concat());
        assert_eq!(code, 0, "{arguments:?}: {said}");
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git_with(self.home, &self.shop.path(), &[], arguments)
    }

    pub(crate) fn git_as(&self, variables: &[(&str, &str)], arguments: &[&str]) -> String {
        git_with(self.home, &self.shop.path(), variables, arguments)
    }

    /// Changes a file and adds it.
    pub(crate) fn change(&self, path: &str, text: &str) {
        self.shop.write(path, text);
        self.git(&["add", "--all"]);
    }

    pub(crate) fn message(&self) -> Message {
        message(self.home, &self.shop.path(), "HEAD")
    }

    /// Checks the subject, and that the last block ends with exactly the trailers of the task.
    fn check(&self, what: &str, subject: &str, others: &[&str]) {
        let message = self.message();
        let expect: Vec<String> = others.iter().chain(&TRAILERS).map(|line| (*line).to_owned()).collect();
        assert_eq!(message.trailers, expect, "{what}: {}", message.whole);
        assert_eq!(message.whole.lines().next(), Some(subject), "{what}: {}", message.whole);
        assert_eq!(message.whole.matches("Task-Id: t-").count(), 1, "{what}: {}", message.whole);
    }

    pub(crate) fn hooks(&self) -> PathBuf {
        self.shop.path().join(".git/hooks")
    }
}

#[test]
fn a44_however_a_commit_is_made() {
    let home = Home::new();
    let agent = Agent::new(&home);
    let made = |what: &str, arguments: &[&str]| {
        agent.change("made.txt", what);
        agent.git(&[&["commit"], arguments].concat());
    };
    made("-m", &["-m", "Subject"]);
    agent.check("-m", "Subject", &[]);
    made("--no-verify", &["-m", "Subject", "--no-verify"]);
    agent.check("--no-verify", "Subject", &[]);
    made("a rule of dashes", &["-m", "Subject\n\nabove\n---\nbelow"]);
    agent.check("a rule of dashes", "Subject", &[]);
    assert!(agent.message().whole.contains("---\nbelow\n\nTask-Id"), "{}", agent.message().whole);
    made("a block", &["-m", "Subject\n\nCo-authored-by: D <d@example.org>"]);
    agent.check("a block", "Subject", &["Co-authored-by: D <d@example.org>"]);
    made("a type", &["-m", "fix: subject"]);
    agent.check("a type", "fix: subject", &[]);
    made("hostile", &["-m", "Subject\n\nTask-Id: x\u{1b}[31m$(touch pwned)`touch pwned`\n\n$(touch pwned)"]);
    let hostile = agent.message();
    assert_eq!(hostile.trailers, TRAILERS, "{}", hostile.whole);
    assert!(!agent.shop.path().join("pwned").exists());

    for (what, arguments) in [("editor", &[][..]), ("-v", &["-v"]), ("verbatim", &["--cleanup=scissors"])] {
        agent.change("made.txt", what);
        agent.git_as(&[("GIT_EDITOR", TYPES)], &[&["commit"], arguments].concat());
        agent.check(what, "Typed", &[]);
    }
    assert!(!agent.message().whole.contains("diff --git"), "{}", agent.message().whole);

    agent.change("made.txt", "amended");
    agent.git(&["commit", "--amend", "--no-edit"]);
    agent.check("amended", "Typed", &[]);
    agent.git_as(&[("GIT_EDITOR", LEAVES)], &["commit", "--amend"]);
    agent.check("amended and edited", "Typed", &[]);
    agent.git_as(&[("TASK_ID", "t-002"), ("PROMPT_VERSION", "b")], &["commit", "--amend", "--no-edit"]);
    let both = agent.message().trailers;
    let second = ["Task-Id: t-002", "Prompt-Version: b", "Prompted-by: t-002/b"];
    assert_eq!(both, [&TRAILERS[..], &second].concat(), "the first task is kept");
}

#[test]
fn a44_merges_rebases_and_squashes() {
    let home = Home::new();
    let agent = Agent::new(&home);
    agent.git(&["switch", "--quiet", "-c", "agent/t-001"]);
    for number in ["1", "2"] {
        agent.change(&format!("{number}.txt"), number);
        agent.git(&["commit", "-m", &format!("Change {number}")]);
    }
    // Commits of a person, in a clone without the hooks of a task.
    let person = |path: &str| {
        agent.change(path, "a person's");
        agent.git_as(
            &[
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", "core.hooksPath"),
                ("GIT_CONFIG_VALUE_0", "/dev/null"),
            ],
            &["commit", "-m", "A person's"],
        );
    };
    person("person.txt");
    agent.git(&["switch", "--quiet", "main"]);
    person("main.txt");
    agent.git(&["switch", "--quiet", "agent/t-001"]);
    agent.git(&["rebase", "main"]);
    let told = |back: &str| message(&home, &agent.shop.path(), back);
    assert_eq!(told("HEAD~1").trailers, TRAILERS);
    assert_eq!(told("HEAD").trailers, [""; 0], "who rebases has not written what a person wrote");
    agent.git(&["switch", "--quiet", "main"]);
    agent.git(&["merge", "--no-ff", "--no-edit", "agent/t-001"]);
    assert_eq!(agent.message().trailers, TRAILERS, "{}", agent.message().whole);
    agent.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    agent.git(&["merge", "--squash", "agent/t-001"]);
    agent.git(&["commit", "--no-edit"]);
    assert_eq!(agent.message().trailers, TRAILERS, "{}", agent.message().whole);
}

#[test]
fn a45_what_people_leave_in_the_editor() {
    let home = Home::new();
    let agent = Agent::new(&home);
    let above = "f() { { echo Typed; grep -v '^$' \"$1\"; } > \"$1.typed\"; mv \"$1.typed\" \"$1\"; }; f";
    agent.change("made.txt", "above");
    agent.git_as(&[("GIT_EDITOR", above)], &["commit"]);
    agent.check("right above the trailers", "Typed", &[]);
    agent.change("made.txt", "deleted");
    agent.git_as(&[("GIT_EDITOR", "f() { echo Typed > \"$1\"; }; f")], &["commit"]);
    agent.check("trailers deleted", "Typed", &[]);
    agent.change("made.txt", "called off");
    for arguments in [&["commit"][..], &["commit", "-v"], &["commit", "-m", ""]] {
        let left = attempt(&home, &agent.shop.path(), &[], arguments);
        assert!(!left.status.success(), "{arguments:?}: nothing was said of it, so there is no commit");
    }
    let only_comments = "f() { grep '^#' \"$1\" > \"$1.new\"; mv \"$1.new\" \"$1\"; }; f";
    let template = agent.shop.path().join("../template.txt");
    std::fs::write(&template, "Why:\nHow:\n").unwrap();
    let from_template = format!("commit.template={}", template.display());
    let calls: [(&str, &[&str]); 6] = [
        (only_comments, &["commit"]),
        (only_comments, &["commit", "-v"]),
        (only_comments, &["commit", "--amend"]),
        (LEAVES, &["commit", "--no-verify"]),
        (LEAVES, &["commit", "-s"]),
        (LEAVES, &["-c", &from_template, "commit"]),
    ];
    for (editor, arguments) in calls {
        let left = attempt(&home, &agent.shop.path(), &[("GIT_EDITOR", editor)], arguments);
        assert!(!left.status.success(), "{arguments:?} with {editor}: git alone calls it off");
    }
    agent.git_as(&[("GIT_EDITOR", TYPES)], &["-c", &from_template, "commit"]);
    agent.check("a template with something typed", "Typed", &[]);
}

#[test]
fn a45_what_git_alone_calls_off_is_not_made() {
    let home = Home::new();
    let agent = Agent::new(&home);
    agent.change("made.txt", "1");
    let comments = home.path("comments.txt");
    std::fs::write(&comments, "# only\n#\n#\tcomments\n").unwrap();
    let file = comments.to_str().unwrap();
    let calls: [&[&str]; 4] = [
        &["commit"],
        &["commit", "-v"],
        &["commit", "--cleanup=strip", "-F", file],
        &["-c", "commit.cleanup=strip", "commit", "-m", "#1"],
    ];
    for arguments in calls {
        // Git sets the same value if nobody edits.
        let left = attempt(&home, &agent.shop.path(), &[("GIT_EDITOR", ":")], arguments);
        assert!(!left.status.success(), "{arguments:?}: git alone calls it off");
    }
    agent.git(&["commit", "-m", "#12: an issue"]);
    agent.check("a subject that begins like a comment", "#12: an issue", &[]);
    let edited = [("GIT_EDITOR", ":")];
    let left = attempt(&home, &agent.shop.path(), &edited, &["commit", "--amend"]);
    assert!(!left.status.success(), "its only line is a comment for git where somebody edits");
    agent.git(&["commit", "--amend", "-m", "Subject"]);
    agent.git_as(&edited, &["commit", "--amend"]);
    agent.check("an editor that does nothing", "Subject", &[]);
}

#[test]
fn a45_comments_may_begin_with_anything() {
    let home = Home::new();
    let agent = Agent::new(&home);
    let signs: [&[&str]; 5] = [
        &["-c", "core.commentChar=auto"],
        &["-c", "core.commentString=auto"],
        &["-c", "core.commentChar=;"],
        &["-c", "core.commentString=//"],
        &["-c", "core.commentString=//", "-c", "core.commentChar=;"],
    ];
    for sign in signs {
        let what = sign.join(" ");
        let git = |arguments: &[&str]| agent.git(&[sign, arguments].concat());
        for message in
            ["Subject\n\nbody", "Subject\n\n# heading\n\nbody\n\n# heading", "Subject\n\n; one\n# two"]
        {
            git(&["commit", "--allow-empty", "-m", message]);
            agent.check(&what, "Subject", &[]);
            for arguments in [&["--amend"][..], &["--amend", "-v"], &["--amend", "--no-edit"]] {
                git(&[&["commit", "--allow-empty"], arguments].concat());
                let whole = agent.message().whole;
                assert_eq!(whole.matches("Task-Id").count(), 1, "{what} {arguments:?}: {whole}");
            }
        }
    }
}

#[test]
fn a45_prose_is_left_as_it_is() {
    let home = Home::new();
    let agent = Agent::new(&home);
    for prose in ["Every message has\nTask-Id: t-1\nat its end.", "What stands behind\nTask-Id: is the task."]
    {
        agent.git(&["commit", "--allow-empty", "-m", &format!("Subject\n\n{prose}")]);
        let found = agent.message();
        assert_eq!(found.trailers, TRAILERS, "{}", found.whole);
        assert!(
            found.whole.starts_with(&format!("Subject\n\n{prose}\n\nTask-Id: t-001\n")),
            "{}",
            found.whole
        );
    }
    agent.git(&["commit", "--allow-empty", "-m", "Task-Id: write it in every message"]);
    agent.check("a subject that looks like one of ours", "Task-Id: write it in every message", &[]);
}

#[test]
fn a46_a47_without_a_task_and_with_a_bad_one() {
    let home = Home::new();
    let agent = Agent::bare(&home);
    let (code, out, said) = agent.loci(&["githook", "install"]);
    assert_eq!(code, 0, "{out}{said}");
    agent.change("made.txt", "1");
    let said = agent.git(&["commit", "-m", "Subject"]);
    assert!(said.contains("no task"), "{said}");
    assert_eq!(agent.message().whole, "Subject");
    agent.change("made.txt", "2");
    let said = agent.git_as(&[("TASK_ID", "t-1\nReviewed-by: root")], &["commit", "-m", "Subject"]);
    assert!(said.contains("Task-Id is left out"), "{said}");
    assert_eq!(agent.message().whole, "Subject");
    agent.change("made.txt", "3");
    agent.git_as(&[("TASK_ID", "t-1")], &["commit", "-m", "Subject"]);
    assert_eq!(agent.message().trailers, ["Task-Id: t-1"]);
    let (code, _, said) = agent.loci(&["githook", "install", "--task", "t 1"]);
    assert!(code == 2 && said.contains("--task"), "{said}");
}

#[test]
fn a44_worktrees_and_submodules_have_tasks_of_their_own() {
    let home = Home::new();
    let agent = Agent::new(&home);
    let tree = home.path("tree");
    let at = tree.to_str().unwrap();
    agent.git(&["worktree", "add", "--quiet", "-b", "agent/t-002", at]);
    let commit = |directory: &Path| {
        std::fs::write(directory.join("made.txt"), directory.to_str().unwrap()).unwrap();
        git_with(&home, directory, &[], &["add", "--all"]);
        git_with(&home, directory, &[], &["commit", "--allow-empty", "-m", "Subject"]);
        message(&home, directory, "HEAD").trailers
    };
    let install = |directory: &Path, task: &str| {
        let mut command = home.command(&["githook", "install", "--task", task]);
        let output = command.current_dir(directory).env("PATH", PATH).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    assert_eq!(commit(&tree), [""; 0], "nobody said for which task this working tree is");
    install(&tree, "t-002");
    assert_eq!(commit(&tree), ["Task-Id: t-002"]);
    assert_eq!(commit(&agent.shop.path()), TRAILERS);
    let (_, out, _) = agent.loci(&["githook", "uninstall"]);
    assert!(out.contains("other working trees"), "{out}");
    assert_eq!(commit(&tree), ["Task-Id: t-002"]);

    let inner = Shop::new(&home, "inner").at();
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "--quiet", inner.as_str(), "inner"];
    agent.git(&add);
    let inner = agent.shop.path().join("inner");
    install(&inner, "t-003");
    assert_eq!(commit(&inner), ["Task-Id: t-003"]);

    let mut command = home.command(&["githook", "install", "--task", "t-004"]);
    let command = command.current_dir(&tree).env("PATH", PATH).env("LOCI_MEMORY", "notes");
    assert!(command.output().unwrap().status.success());
    let (_, out, _) = agent.loci_at(&tree, &["githook", "status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(status["task"]["memory"], "notes", "{out}");
}
