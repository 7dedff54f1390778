//! The default branch: determined by the remote, or by a single branch, and never by the checkout
//! alone.

use crate::sample::Sample;

/// The refs to create, the checked-out branch, configuration lines, and the default branch.
type Case<'a> = (&'a [&'a str], &'a str, &'a str, Option<&'a str>);

/// Creates a repository whose only commit has these refs.
fn made(sample: &Sample, refs: &[&str], checked_out: &str) {
    sample.git("work", &["init", "--quiet", "--initial-branch=begun"]);
    let first = sample.commit("work", "first").to_string();
    sample.git("work", &["checkout", "--quiet", "--detach"]);
    sample.git("work", &["branch", "--quiet", "-D", "begun"]);
    for name in refs {
        sample.git("work", &["update-ref", &format!("refs/{name}"), &first]);
    }
    if checked_out.is_empty() {
        return;
    }
    sample.git("work", &["symbolic-ref", "HEAD", &format!("refs/heads/{checked_out}")]);
}

#[test]
fn what_is_checked_out_is_no_default_branch() {
    let one = "[remote \"origin\"]\n\tfetch = +refs/heads/topic:refs/remotes/origin/topic\n";
    let all = "[remote \"origin\"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n";
    let cases: &[Case<'_>] = &[
        (&["heads/main", "heads/topic"], "topic", "", Some("main")),
        (&["heads/master", "heads/topic"], "topic", "", Some("master")),
        (&["heads/develop"], "develop", "", Some("develop")),
        (&["heads/team/develop"], "team/develop", "", Some("team/develop")),
        (&["heads/develop", "heads/topic"], "topic", "", None),
        (&["heads/develop", "heads/topic"], "develop", "", None),
        (&["heads/develop", "tags/v1"], "develop", "", Some("develop")),
        (&["heads/develop", "heads/topic", "remotes/origin/develop"], "topic", all, Some("develop")),
        (&["heads/topic", "remotes/origin/develop"], "topic", "", Some("develop")),
        (&["heads/topic", "remotes/origin/topic"], "topic", one, None),
        (&["heads/topic", "remotes/origin/a", "remotes/origin/b"], "topic", all, None),
        (&["heads/topic", "remotes/origin/a", "remotes/origin/main"], "topic", all, Some("main")),
        (&["heads/main", "remotes/origin/a", "remotes/origin/b"], "main", all, Some("main")),
        (&["heads/topic", "remotes/upstream/a"], "topic", "", None),
        (&["heads/topic", "remotes/pull/1/merge"], "", "", None),
        (&[], "", "", None),
    ];
    for (refs, checked_out, config, expect) in cases {
        let sample = Sample::new();
        made(&sample, refs, checked_out);
        let before = std::fs::read_to_string(sample.path("work/.git/config")).unwrap();
        sample.write("work/.git/config", format!("{before}{config}"));
        let default = || {
            let found = sample.ask("work", |source| source.default_branch()).unwrap();
            found.map(|(name, _)| name)
        };
        assert_eq!(default().as_deref(), *expect, "{refs:?}, on {checked_out}");
        sample.git("work", &["pack-refs", "--all"]);
        assert_eq!(default().as_deref(), *expect, "{refs:?}, packed");
    }
}

#[test]
fn a_bare_repository_says_it_itself() {
    let sample = Sample::new();
    made(&sample, &["heads/develop", "heads/main", "heads/topic"], "develop");
    sample.git(".", &["clone", "-q", "--bare", "work", "bare.git"]);
    sample.git("bare.git", &["worktree", "add", "-q", "../linked", "topic"]);
    sample.git(".", &["clone", "-q", "--separate-git-dir=apart.git", "work", "apart"]);
    sample.git("apart", &["remote", "rm", "origin"]);
    sample.git("apart", &["checkout", "-q", "-b", "topic"]);
    for (directory, expect) in
        [("bare.git", Some("develop")), ("linked", Some("develop")), ("apart.git", None)]
    {
        let found = sample.ask(directory, |source| source.default_branch()).unwrap();
        assert_eq!(found.map(|(name, _)| name).as_deref(), expect, "{directory}");
    }
}

#[test]
fn of_a_history_that_is_cut_off_one_branch_tells_nothing() {
    let sample = Sample::new();
    made(&sample, &["heads/topic"], "topic");
    sample.commit("work", "second");
    let url = format!("file://{}", sample.path("work").display());
    sample.git(".", &["clone", "-q", "--depth=1", "--no-single-branch", &url, "cut"]);
    sample.git("cut", &["remote", "set-head", "origin", "--delete"]);
    let found = sample.ask("cut", |source| source.default_branch()).unwrap();
    assert_eq!(found, None);
}
