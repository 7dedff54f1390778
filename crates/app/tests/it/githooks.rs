//! Git hooks with real git in repositories of their own: what a commit's message holds, whoever makes it and however. Names carry
//! the numbers of the acceptance tests of coding-agent-memory.md §23.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::Home;
use crate::shop::Shop;

const TRAILERS: [&str; 3] =
    ["Task-Id: t-001", "Prompt-Version: 3f2a9c0d11ab", "Prompted-by: t-001/3f2a9c0d11ab"];
/// An editor that writes a subject on the first line, as people do.
const TYPES: &str = "f() { { echo Typed; cat \"$1\"; } > \"$1.typed\"; mv \"$1.typed\" \"$1\"; }; f";
/// One that changes nothing.
const LEAVES: &str = "true";

/// Where programs are that scripts start.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A commit's message, its trailers as git reads them, and the rest.
struct Message {
    whole: String,
    trailers: Vec<String>,
}

/// Git in a directory, as an agent runs it, with these variables.
fn attempt(home: &Home, directory: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments).env_clear();
    command.env("HOME", home.path("")).env("PATH", PATH).env("USER", "tester").env("GIT_EDITOR", LEAVES);
    command.env("LOCI_DATA_DIR", home.path("data"));
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "C"),
        ("GIT_COMMITTER_EMAIL", "c@example.org"),
    ] {
        command.env(name, value);
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

fn git_with(home: &Home, directory: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let output = attempt(home, directory, variables, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
        + if said.contains("loci githook") { &said } else { "" }
}

fn message(home: &Home, directory: &Path, commit: &str) -> Message {
    let git = |format: &str| git_with(home, directory, &[], &["log", "-1", format, commit]);
    let trailers = git("--format=%(trailers:only,unfold)");
    let trailers = trailers.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    Message { whole: git("--format=%B"), trailers }
}

fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A clone with the hooks of a task.
pub(crate) struct Agent<'a> {
    shop: Shop<'a>,
    home: &'a Home,
}

impl<'a> Agent<'a> {
    pub(crate) fn new(home: &'a Home) -> Self {
        let agent = Self { shop: Shop::new(home, "shop"), home };
        agent.install("t-001");
        agent
    }

    fn install(&self, task: &str) {
        let version = ["--prompt-version", "3f2a9c0d11ab", "--user", "bob"];
        let (code, out, said) = self.loci(&[&["githook", "install", "--task", task], &version[..]].concat());
        assert_eq!(code, 0, "{out}{said}");
    }

    pub(crate) fn loci(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.home.command(arguments);
        let output = command.current_dir(self.shop.path()).env("PATH", PATH).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// What a command answers as JSON, where it must succeed.
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

    fn message(&self) -> Message {
        message(self.home, &self.shop.path(), "HEAD")
    }

    /// The subject, and exactly the trailers of the task behind what else is in the last block.
    fn check(&self, what: &str, subject: &str, others: &[&str]) {
        let message = self.message();
        let expect: Vec<String> = others.iter().chain(&TRAILERS).map(|line| (*line).to_owned()).collect();
        assert_eq!(message.trailers, expect, "{what}: {}", message.whole);
        assert_eq!(message.whole.lines().next(), Some(subject), "{what}: {}", message.whole);
        assert_eq!(message.whole.matches("Task-Id").count(), 1, "{what}: {}", message.whole);
    }

    fn hooks(&self) -> PathBuf {
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
    // A person's commits: theirs, in a clone without the hooks of a task.
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
fn a46_a47_without_a_task_and_with_a_bad_one() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let agent = Agent { shop, home: &home };
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
fn hooks_that_are_there_are_kept_and_come_back() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let agent = Agent { shop, home: &home };
    let hooks = agent.hooks();
    script(
        &hooks.join("prepare-commit-msg"),
        "echo \"$(basename \"$0\") $2\" >> ran; echo 'Made-by: a hook' >> \"$1\"",
    );
    script(&hooks.join("post-rewrite"), "{ echo \"$1\"; cat; } >> ran; exit 3");
    let linked = agent.shop.path().join("checks/commit-msg");
    script(&linked, "grep -q forbidden \"$1\" && exit 1; exit 0");
    std::os::unix::fs::symlink("../../checks/commit-msg", hooks.join("commit-msg")).unwrap();
    let before = |name: &str| std::fs::read(hooks.join(name)).unwrap();
    let (prepare, rewrite) = (before("prepare-commit-msg"), before("post-rewrite"));
    let (code, out, _) = agent.loci(&["githook", "install", "--dry-run"]);
    assert!(code == 5 && out.contains("moves to before-loci/prepare-commit-msg"), "{out}");
    assert_eq!(before("prepare-commit-msg"), prepare);
    agent.install("t-001");
    agent.install("t-001");
    agent.change("made.txt", "1");
    agent.git(&["commit", "-m", "Subject"]);
    let ran = || std::fs::read_to_string(agent.shop.path().join("ran")).unwrap();
    assert_eq!(ran(), "prepare-commit-msg message\n");
    agent.change("made.txt", "2");
    let refused = attempt(&home, &agent.shop.path(), &[], &["commit", "-m", "forbidden"]);
    assert!(!refused.status.success(), "a hook that was there may still refuse a commit");
    agent.git(&["commit", "--amend", "--no-edit"]);
    assert!(ran().contains("\namend\n"), "{}", ran());
    let (code, out, said) = agent.loci(&["githook", "uninstall"]);
    assert_eq!(code, 0, "{out}{said}");
    assert_eq!((before("prepare-commit-msg"), before("post-rewrite")), (prepare, rewrite));
    assert_eq!(std::fs::read_link(hooks.join("commit-msg")).unwrap(), Path::new("../../checks/commit-msg"));
    assert!(!hooks.join("before-loci").exists() && !hooks.join("post-commit").exists());
    agent.change("made.txt", "3");
    agent.git(&["commit", "-m", "Subject"]);
    assert!(!agent.message().whole.contains("Task-Id"));
    assert_eq!(agent.loci(&["githook", "uninstall"]).0, 3);
}

#[test]
fn a44_a_place_of_ones_own_for_hooks_is_not_touched() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let agent = Agent { shop, home: &home };
    script(&agent.shop.path().join(".team/commit-msg"), "echo commit-msg >> .git/ran; exit 0");
    script(&agent.shop.path().join(".team/pre-commit"), "echo pre-commit >> .git/ran; exit 0");
    agent.git(&["config", "core.hooksPath", ".team"]);
    agent.change("made.txt", "1");
    agent.install("t-001");
    assert_eq!(agent.git(&["status", "--short"]).matches(".team").count(), 2, "only what was added before");
    agent.git(&["commit", "-m", "Subject"]);
    agent.check("with a place of its own", "Subject", &[]);
    let ran = std::fs::read_to_string(agent.shop.path().join(".git/ran")).unwrap();
    assert_eq!(ran, "pre-commit\ncommit-msg\n");
    agent.install("t-002");
    assert_eq!(agent.loci(&["githook", "status"]).0, 0);
    // As an installation of packages does.
    agent.git(&["config", "core.hooksPath", ".team"]);
    let (code, _, said) = agent.loci(&["githook", "status"]);
    assert!(code == 5 && said.contains("install them again"), "{said}");
    agent.install("t-001");
    let (code, out, said) = agent.loci(&["githook", "uninstall"]);
    assert_eq!(code, 0, "{out}{said}");
    assert_eq!(agent.git(&["config", "--get", "core.hooksPath"]), ".team");
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
}
