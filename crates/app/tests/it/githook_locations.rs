//! Locations of git hooks, Loci's and existing ones: with real git, in clones with hooks in each
//! location that git searches. `githooks` tests the messages of commits.

use std::path::{Path, PathBuf};

use crate::githooks::{Agent, TRAILERS, attempt, git_with, message, script};
use crate::program::Home;

/// A file next to a team's hook that the hook needs.
const BESIDE: &str = "ran() { echo \"$1\" >> \"$(git rev-parse --git-common-dir)/ran\"; }";
/// A hook that finds its neighbour by its own path, reports its path, and rejects forbidden
/// messages.
const HOOK: &str = ". \"$(dirname \"$0\")/beside.sh\"\nran \"$(cd \"$(dirname \"$0\")\" && pwd)/${0##*/}\"\ncase $0 in */commit-msg) ! grep -q forbidden \"$1\";; esac";

/// Creates a folder of foreign hooks.
fn team(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("beside.sh"), BESIDE).unwrap();
    for name in ["commit-msg", "pre-commit"] {
        script(&folder.join(name), HOOK);
    }
}

/// Returns all files beneath a folder with their content, sorted.
fn held(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.symlink_metadata().unwrap().file_type() {
                kind if kind.is_dir() => open.push(entry),
                kind if kind.is_symlink() => {
                    let to = std::fs::read_link(&entry).unwrap().into_os_string().into_encoded_bytes();
                    all.push((entry, to));
                }
                _ => all.push((entry.clone(), std::fs::read(&entry).unwrap())),
            }
        }
    }
    all.sort();
    all
}

/// Commits in a working tree. Returns its trailers, and the foreign hooks that ran.
fn commit(agent: &Agent<'_>, directory: &Path) -> (Vec<String>, Vec<String>) {
    let common = git_with(agent.home, directory, &[], &["rev-parse", "--git-common-dir"]);
    let ran = directory.join(common).join("ran");
    let _ = std::fs::remove_file(&ran);
    git_with(agent.home, directory, &[], &["commit", "--quiet", "--allow-empty", "-m", "Subject"]);
    let ran = std::fs::read_to_string(ran).unwrap_or_default();
    (message(agent.home, directory, "HEAD").trailers, ran.lines().map(str::to_owned).collect())
}

fn install_at(agent: &Agent<'_>, directory: &Path, task: &str) {
    let (code, out, said) = agent.loci_at(directory, &["githook", "install", "--task", task]);
    assert_eq!(code, 0, "{out}{said}");
}

/// Checks that foreign hooks run at their own location and may reject a commit, that Loci's run
/// after them, and that uninstalling restores everything.
fn check(agent: &Agent<'_>, what: &str, place: &Path, untouched: &Path) {
    let config = agent.shop.path().join(".git/config");
    let (before, config_before) = (held(untouched), std::fs::read(&config).unwrap());
    agent.install("t-001");
    assert_eq!(commit(agent, &agent.shop.path()), (own(&TRAILERS), hooks_in(place)), "{what}");
    assert_eq!(held(untouched), before, "{what}: nothing is written there");
    let refused =
        attempt(agent.home, &agent.shop.path(), &[], &["commit", "--allow-empty", "-m", "forbidden"]);
    assert!(!refused.status.success(), "{what}: it may still refuse a commit");
    let (code, out, said) = agent.loci(&["githook", "uninstall"]);
    assert_eq!(code, 0, "{what}: {out}{said}");
    assert_eq!(std::fs::read(&config).unwrap(), config_before, "{what}");
    assert_eq!(commit(agent, &agent.shop.path()), (vec![], hooks_in(place)), "{what}: as before");
    assert_eq!(agent.loci(&["githook", "uninstall"]).0, 3, "{what}");
    assert!(!agent.shop.path().join(".git/loci/hooks").exists(), "{what}");
}

/// Returns the output of a team's hooks in a folder at a commit.
fn hooks_in(folder: &Path) -> Vec<String> {
    ["pre-commit", "commit-msg"].map(|name| folder.join(name).display().to_string()).to_vec()
}

fn own(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn hooks_of_others_run_where_they_are() {
    let home = Home::new();
    let agent = Agent::bare(&home);
    let clone = agent.shop.path();
    let (hooks, tracked) = (agent.hooks(), clone.join(".team"));
    team(&hooks);
    check(&agent, "the clone's own", &hooks, &hooks);

    // The hook folder is a link to a tracked folder, so files written into it would be shared with
    // everybody.
    std::fs::remove_dir_all(&hooks).unwrap();
    team(&tracked);
    agent.git(&["add", "--all"]);
    std::os::unix::fs::symlink("../.team", &hooks).unwrap();
    check(&agent, "a link", &hooks, &tracked);
    std::fs::remove_file(&hooks).unwrap();

    agent.git(&["config", "core.hooksPath", ".team"]);
    check(&agent, "a configured place", &tracked, &tracked);
    agent.git(&["config", "core.hooksPath", tracked.to_str().unwrap()]);
    check(&agent, "a full path", &tracked, &tracked);
    agent.git(&["config", "core.hooksPath", "/dev/null"]);
    agent.install("t-001");
    assert_eq!(commit(&agent, &clone), (own(&TRAILERS), vec![]), "none of others");
}

#[test]
fn hooks_of_others_do_what_they_did() {
    let home = Home::new();
    let agent = Agent::bare(&home);
    let (clone, hooks) = (agent.shop.path(), agent.hooks());
    script(
        &hooks.join("prepare-commit-msg"),
        "echo \"${0##*/} $2\" >> ran; echo 'Made-by: a hook' >> \"$1\"",
    );
    script(&hooks.join("post-rewrite"), "{ echo \"$1\"; cat; } >> ran; exit 3");
    script(&clone.join("checks/commit-msg"), "grep -q forbidden \"$1\" && exit 1; exit 0");
    std::os::unix::fs::symlink("../../checks/commit-msg", hooks.join("commit-msg")).unwrap();
    std::fs::write(hooks.join("pre-commit"), "not a program").unwrap();
    let before = held(&hooks);
    agent.install("t-001");
    agent.install("t-001");
    let ran = || std::fs::read_to_string(clone.join("ran")).unwrap();
    agent.git(&["commit", "--allow-empty", "-m", "Subject"]);
    assert_eq!(ran(), "prepare-commit-msg message\n");
    assert!(agent.message().whole.contains("Made-by: a hook"), "{}", agent.message().whole);
    let refused = attempt(&home, &clone, &[], &["commit", "--allow-empty", "-m", "forbidden"]);
    assert!(!refused.status.success());
    let old = agent.git(&["rev-parse", "HEAD"]);
    agent.git(&["commit", "--allow-empty", "--amend", "--no-edit"]);
    let pair = format!("\namend\n{old} {}", agent.git(&["rev-parse", "HEAD"]));
    assert!(ran().contains(&pair), "{}", ran());
    assert_eq!(held(&hooks), before);
}

#[test]
fn the_place_of_others_may_change_behind_ours() {
    let home = Home::new();
    let agent = Agent::new(&home);
    let clone = agent.shop.path();
    team(&clone.join(".team"));
    // The setting that a package installation writes.
    agent.git(&["config", "core.hooksPath", ".team"]);
    assert_eq!(commit(&agent, &clone), (own(&TRAILERS), hooks_in(&clone.join(".team"))));
    assert_eq!(agent.loci(&["githook", "status"]).0, 0);
    // A hook that calls the configured hook as its predecessor, which is Loci's.
    script(&clone.join(".team/commit-msg"), "echo again >> .git/ran; .git/loci/hooks/commit-msg \"$@\"");
    let (trailers, ran) = commit(&agent, &clone);
    assert_eq!(trailers, TRAILERS);
    assert!((2..9).contains(&ran.len()), "it comes to an end: {ran:?}");
    // A later setting takes precedence, until Loci's hooks are installed again.
    let config = clone.join(".git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}[core]\n\thooksPath = /dev/null\n")).unwrap();
    let (code, _, said) = agent.loci(&["githook", "status"]);
    assert!(code == 5 && said.contains("install them again"), "{said}");
    agent.install("t-001");
    assert_eq!(agent.message().trailers, TRAILERS);
    agent.git(&["config", "--unset-all", "core.hooksPath"]);
    // Another program replaced one of Loci's hooks: it must not be deleted.
    let foreign = clone.join(".git/loci/hooks/commit-msg");
    script(&foreign, "exit 0");
    let (code, _, said) = agent.loci(&["githook", "install"]);
    assert!(code == 4 && said.contains("is not ours"), "{code}: {said}");
    let (code, out, _) = agent.loci(&["githook", "uninstall"]);
    assert!(code == 0 && out.contains("stays"), "{out}");
    assert!(foreign.exists());
}

#[test]
fn a_copied_and_a_moved_clone_stand_alone() {
    let home = Home::new();
    let agent = Agent::bare(&home);
    let clone = agent.shop.path();
    team(&agent.hooks());
    agent.install("t-001");
    let (copy, moved) = (home.path("copy"), home.path("moved"));
    let copied = std::process::Command::new("cp").arg("-R").arg(&clone).arg(&copy).status().unwrap();
    assert!(copied.success());
    let theirs = |clone: &Path| hooks_in(&clone.join(".git/hooks"));
    assert_eq!(commit(&agent, &copy), (vec![], theirs(&copy)), "hooks of others go on, and none of ours");
    let (code, _, said) = agent.loci_at(&copy, &["githook", "status"]);
    assert!(code == 5 && said.contains("install them again"), "{said}");
    assert_eq!(agent.loci_at(&copy, &["githook", "uninstall"]).0, 0);
    assert!(!copy.join(".git/loci/hooks").exists());
    assert_eq!(agent.loci(&["githook", "status"]).0, 0, "what was copied is as it was");
    assert_eq!(commit(&agent, &clone), (own(&TRAILERS), theirs(&clone)));

    std::fs::rename(&clone, &moved).unwrap();
    assert_eq!(commit(&agent, &moved), (vec![], theirs(&moved)), "hooks of others go on");
    install_at(&agent, &moved, "t-002");
    assert_eq!(commit(&agent, &moved), (own(&["Task-Id: t-002"]), theirs(&moved)));
    assert_eq!(agent.loci_at(&moved, &["githook", "uninstall"]).0, 0);
    let config = std::fs::read_to_string(moved.join(".git/config")).unwrap();
    assert!(!config.contains("loci"), "{config}");
}

#[test]
fn a_working_tree_with_a_place_of_its_own() {
    let home = Home::new();
    let agent = Agent::bare(&home);
    let (clone, tree) = (agent.shop.path(), home.path("tree"));
    team(&agent.hooks());
    agent.git(&["worktree", "add", "--quiet", "-b", "agent/t-002", tree.to_str().unwrap()]);
    let at_tree = |arguments: &[&str]| git_with(&home, &tree, &[], arguments);
    agent.git(&["config", "extensions.worktreeConfig", "true"]);
    team(&tree.join(".own"));
    at_tree(&["config", "--worktree", "core.hooksPath", ".own"]);
    let config = PathBuf::from(at_tree(&["rev-parse", "--git-dir"])).join("config.worktree");
    let before = std::fs::read(&config).unwrap();
    install_at(&agent, &clone, "t-001");
    let its_own = hooks_in(&tree.join(".own"));
    assert_eq!(commit(&agent, &tree), (vec![], its_own.clone()), "not installed there");
    let (code, _, said) = agent.loci_at(&tree, &["githook", "status"]);
    assert!(code == 5 && said.contains("install them again"), "{said}");
    install_at(&agent, &tree, "t-002");
    assert_eq!(commit(&agent, &tree), (own(&["Task-Id: t-002"]), its_own.clone()));
    let (trailers, ran) = commit(&agent, &clone);
    assert_eq!((trailers, ran.len()), (own(&["Task-Id: t-001"]), 2));
    let (code, out, _) = agent.loci_at(&tree, &["githook", "uninstall"]);
    assert!(code == 0 && out.contains("other working trees"), "{out}");
    assert_eq!(std::fs::read(&config).unwrap(), before);
    assert_eq!(commit(&agent, &tree), (vec![], its_own));
    assert_eq!(agent.loci_at(&clone, &["githook", "uninstall"]).0, 0);
    assert!(!clone.join(".git/loci/hooks").exists());
}

#[test]
fn a_place_for_all_clones_and_a_bare_clone() {
    let home = Home::new();
    let agent = Agent::bare(&home);
    let everybodys = home.path("everybodys");
    team(&everybodys);
    let config = home.path(".gitconfig");
    std::fs::write(&config, format!("[core]\n\thooksPath = {}\n", everybodys.display())).unwrap();
    agent.install("t-001");
    agent.git_as(
        &[("GIT_CONFIG_GLOBAL", config.to_str().unwrap())],
        &["commit", "--allow-empty", "-m", "Subject"],
    );
    let ran = std::fs::read_to_string(agent.shop.path().join(".git/ran")).unwrap();
    assert_eq!((agent.message().trailers, ran.lines().count()), (own(&TRAILERS), 2), "{ran}");
    std::fs::remove_file(&config).unwrap();

    let (bare, tree) = (home.path("bare.git"), home.path("of-bare"));
    agent.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let add = ["worktree", "add", "--quiet", "-b", "agent/t-003", tree.to_str().unwrap()];
    git_with(&home, &bare, &[], &add);
    team(&bare.join("hooks"));
    script(&bare.join("hooks/pre-receive"), "echo refused >&2; exit 1");
    install_at(&agent, &tree, "t-003");
    let (trailers, ran) = commit(&agent, &tree);
    assert_eq!((trailers, ran.len()), (own(&["Task-Id: t-003"]), 2));
    let pushed = attempt(&home, &tree, &[], &["push", bare.to_str().unwrap(), "HEAD:refs/heads/other"]);
    assert!(String::from_utf8_lossy(&pushed.stderr).contains("refused"), "its own hooks go on");
}

#[test]
fn a_dry_run_says_whether_something_would_change() {
    let home = Home::new();
    let agent = Agent::bare(&home);
    let dry = ["githook", "install", "--task", "t-001", "--dry-run"];
    let before = held(&agent.shop.path());
    let (code, out, _) = agent.loci(&dry);
    assert!(code == 0 && out.contains("loci/hooks/commit-msg"), "{out}");
    assert_eq!(held(&agent.shop.path()), before);
    install_at(&agent, &agent.shop.path(), "t-001");
    let (code, out, said) = agent.loci(&dry);
    assert!(code == 0 && out.contains("would change nothing"), "{code}: {out}{said}");
    let (code, out, _) = agent.loci(&["githook", "install", "--task", "t-002", "--dry-run"]);
    assert!(code == 0 && out.contains("githook-task.json"), "{out}");
    let hook = agent.shop.path().join(".git/loci/hooks/post-commit");
    std::fs::remove_file(&hook).unwrap();
    let (code, out, said) = agent.loci(&dry);
    assert!(code == 0 && out.contains("post-commit") && said.contains("would write"), "{out}{said}");
}
