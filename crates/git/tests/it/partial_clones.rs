//! Incomplete clones: missing data gives a specific error, never an answer, and nothing is fetched.

use loci_model::facts::code::Revision;

use crate::sample::Sample;

/// Creates `origin` with four commits, each with one more file and one changed.
fn origin() -> Sample {
    let sample = Sample::new();
    sample.git("origin", &["init", "--quiet", "--initial-branch=main"]);
    sample.git("origin", &["config", "uploadpack.allowFilter", "true"]);
    for step in 0..4 {
        sample.write("origin/a.txt", format!("{step}\n"));
        sample.write(&format!("origin/{step}.txt"), format!("file {step}\n"));
        sample.commit("origin", "a step");
    }
    sample
}

#[test]
fn a_missing_blob_is_an_error_and_is_not_fetched() {
    let sample = origin();
    let url = format!("file://{}", sample.path("origin").display());
    sample.git(".", &["clone", "-q", "--no-checkout", "--filter=blob:none", &url, "partial"]);
    let head = sample.id("origin", "HEAD");
    let at = Revision::Commit(head);
    let before = sample.git("partial", &["count-objects", "-v"]);
    assert_eq!(sample.paths("partial", at).unwrap(), ["0.txt", "1.txt", "2.txt", "3.txt", "a.txt"]);
    let entry = sample.ask("partial", move |source| source.entry(&at, "a.txt")).unwrap().unwrap();
    assert_eq!(entry.bytes, None, "the size of what is missing is not known");
    let error = sample.content("partial", at, "a.txt").unwrap_err();
    assert_eq!(error.why.as_str(), "partial_clone");
    assert_eq!(sample.content("partial", at, "absent.txt").unwrap(), None, "trees are there: this is known");
    assert_eq!(sample.git("partial", &["count-objects", "-v"]), before, "nothing was fetched");
    // Blobs added meanwhile are visible.
    sample.git("partial", &["checkout", "-q", "main"]);
    assert_eq!(sample.content("partial", at, "a.txt").unwrap().as_deref(), Some("3\n"));
}

#[test]
fn a_history_that_is_cut_off_is_not_a_history_that_ends() {
    let sample = origin();
    let url = format!("file://{}", sample.path("origin").display());
    sample.git(".", &["clone", "-q", "--depth=2", &url, "shallow"]);
    let [head, one, two] = ["HEAD", "HEAD~1", "HEAD~2"].map(|name| sample.id("origin", name));
    let ancestor = |older, newer| {
        sample.ask("shallow", move |source| source.is_ancestor(&older, &newer)).map_err(|e| e.why.as_str())
    };
    assert_eq!(ancestor(one, head), Ok(true));
    assert_eq!(ancestor(two, head), Err("partial_clone"));
    assert_eq!(ancestor(head, one), Ok(false), "it is the other way round");
    let follow = |from| {
        let at = Revision::Commit(head);
        sample
            .ask("shallow", move |source| source.follow("a.txt", &from, &at, 40))
            .map_err(|e| e.why.as_str())
    };
    assert_eq!(follow(one), Ok(Some("a.txt".to_owned())));
    assert_eq!(follow(two), Err("partial_clone"));
    let full = two.to_string();
    assert_eq!(sample.ask("shallow", move |source| source.resolve(&full)).unwrap(), None);
    let found = sample.discover("shallow").unwrap().unwrap();
    assert_eq!((found.head, found.roots), (Some(head), Vec::new()), "where it begins is not known");
    // After the rest is fetched it is visible.
    sample.git("shallow", &["fetch", "-q", "--unshallow"]);
    assert_eq!(ancestor(two, head), Ok(true));
    assert_eq!(follow(two), Ok(Some("a.txt".to_owned())));
    let found = sample.discover("shallow").unwrap().unwrap();
    assert_eq!(found.roots, [sample.id("origin", "HEAD~3")]);
}

#[test]
fn formats_that_are_not_read_are_said() {
    let sample = origin();
    sample.write(
        "origin/.git/config",
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n",
    );
    let error = sample.ask("origin", |source| source.resolve("HEAD")).unwrap_err();
    assert!(error.detail.contains("git refs migrate --ref-format=files"), "{}", error.detail);
    sample.write("origin/.git/config", "[extensions]\n\tobjectFormat = sha3\n");
    let error = sample.ask("origin", |source| source.resolve("HEAD")).unwrap_err();
    assert!(error.detail.contains("format"), "{}", error.detail);
    // Created by git itself, if it supports the format.
    sample
        .git("table", &["-c", "init.defaultRefFormat=reftable", "init", "--quiet", "--initial-branch=main"]);
    let is_table = std::fs::read_to_string(sample.path("table/.git/config")).unwrap().contains("reftable");
    if is_table {
        sample.commit("table", "first");
        let error = sample.ask("table", |source| source.resolve("HEAD")).unwrap_err();
        assert!(error.detail.contains("reftable"), "{}", error.detail);
        let error = sample.discover("table").unwrap_err();
        assert!(error.message.contains("git refs migrate"), "{}", error.message);
    }
    let error = sample.ask("absent", |source| source.resolve("HEAD")).unwrap_err();
    assert_eq!(error.why.as_str(), "auth_or_missing");
}
