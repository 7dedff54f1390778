//! Tests names, entries, contents and ancestors: the requests, their number, and their headers.

use loci_forges::forges::ForgeOptions;
use loci_model::facts::code::{EntryKind, Revision};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeSource;

use crate::fixture::{TOKEN, forge, object, place, plain, world};
use crate::test_forge::{Content, Files, Hub, Repo, files, id_of};

/// Reads one citation as a verifier does.
fn verify(source: &dyn CodeSource, path: &str) -> Result<Option<Vec<u8>>, Unverifiable> {
    let read = || {
        let Some(at) = source.resolve("main")? else { return Ok(None) };
        let Some(entry) = source.entry(&at, path)? else { return Ok(None) };
        source.read(&entry.id, 1 << 20).map(|content| Some(content.to_vec()))
    };
    read().map_err(|error: loci_model::ports::code::CodeError| error.why)
}

#[tokio::test]
async fn an_unchanged_repository_costs_one_request() {
    let mut repo = Repo::new(7, "o/r");
    repo.commit("main", files(&[("src/a.rs", "fn a() {}\n"), ("b.rs", "fn b() {}\n")]));
    let hub = Hub::start(vec![repo]).await;
    let world = plain(&hub);
    let read = |path: &'static str| world.read(move |source| verify(source, path));

    assert_eq!(read("src/a.rs").await, Ok(Some(b"fn a() {}\n".to_vec())));
    let first = hub.seen();
    assert_eq!(first.len(), 3, "a name, a tree, a blob: {first:?}");
    // Within the cache time of a tip there is no request. Afterwards there is one, which does not
    // count against the rate limit.
    assert_eq!(read("src/a.rs").await, Ok(Some(b"fn a() {}\n".to_vec())));
    assert_eq!(hub.told(), Vec::<String>::new());
    for _ in 0..3 {
        world.clock.advance_ms(30_000);
        assert_eq!(read("src/a.rs").await, Ok(Some(b"fn a() {}\n".to_vec())));
        assert_eq!(read("missing.rs").await, Ok(None));
        assert_eq!(hub.told(), ["/repos/o/r/commits/main 304"]);
    }
    // A new tip requires its tree and the changed blobs.
    let next = files(&[("src/a.rs", "fn a() {}\n"), ("b.rs", "fn c() {}\n")]);
    let tip = hub.model().repos[0].commit("main", next);
    world.clock.advance_ms(30_000);
    assert_eq!(read("src/a.rs").await, Ok(Some(b"fn a() {}\n".to_vec())));
    assert_eq!(
        hub.told(),
        ["/repos/o/r/commits/main 200".to_owned(), format!("/repos/o/r/git/trees/{tip}?recursive=1 200")]
    );
    let headers = &first[0].headers;
    assert_eq!(headers["authorization"], format!("Bearer {TOKEN}"));
    assert_eq!(headers["x-github-api-version"], "2022-11-28");
    assert!(headers["user-agent"].to_str().unwrap().starts_with("loci/"));
}

#[tokio::test]
async fn many_who_ask_the_same_cost_no_more_than_one() {
    let mut repo = Repo::new(7, "o/r");
    repo.commit("main", files(&[("a.rs", "x")]));
    let hub = Hub::start(vec![repo]).await;
    let world = plain(&hub);
    let all = (0..6).map(|_| {
        world.read(|source| {
            let at = source.resolve("main").unwrap().unwrap();
            source.entry(&at, "a.rs").unwrap().is_some()
        })
    });
    assert_eq!(futures::future::join_all(all).await, [true; 6]);
    let told = hub.told();
    assert_eq!(told.len(), 2, "{told:?}");
}

#[tokio::test]
async fn names() {
    let mut repo = Repo::new(7, "o/r");
    let old = repo.commit("main", files(&[("a", "1")]));
    let new = repo.commit("main", files(&[("a", "2")]));
    let side = repo.commit("feature/x#1", files(&[("a", "3")]));
    let hub = Hub::start(vec![repo, Repo::new(8, "o/empty")]).await;
    let world = plain(&hub);
    let rows = [
        ("main", Some(&new)),
        ("HEAD", Some(&new)),
        ("refs/heads/main", Some(&new)),
        ("refs/remotes/origin/HEAD", Some(&new)),
        ("feature/x#1", Some(&side)),
        (old.as_str(), Some(&old)),
        (&old[..8], Some(&old)),
        (&old[..5], None),
        ("nothing", None),
        ("0123456789012345678901234567890123456789", None),
        ("WORKTREE", None),
        ("a..b", None),
    ];
    for (name, expect) in rows {
        let (asked, expect) = (name.to_owned(), expect.map(|id| Revision::Commit(object(id))));
        assert_eq!(world.read(move |source| source.resolve(&asked)).await, Ok(expect), "{name}");
    }
    for name in ["main~1", "HEAD^"] {
        let refused = world.read(move |source| source.resolve(name)).await.unwrap_err();
        assert!(refused.detail.contains("ask where a clone is"), "{name}: {refused:?}");
    }
    let sent: Vec<_> = hub.told().into_iter().filter(|path| path.contains("feature")).collect();
    assert_eq!(sent, ["/repos/o/r/commits/feature%2Fx%231 200"]);
    let home = world.read(|source| source.default_branch()).await.unwrap();
    assert_eq!(home, Some(("main".to_owned(), object(&new))));
    hub.seen();
    world.clock.advance_ms(30_000);
    world.read(|source| source.default_branch()).await.unwrap();
    assert_eq!(hub.told(), ["/repos/o/r/commits/HEAD 304"]);
    let empty =
        world.read_at(place("o/empty"), |source| (source.resolve("HEAD"), source.default_branch())).await;
    assert_eq!(empty, Ok((Ok(None), Ok(None))));
}

#[tokio::test]
async fn what_an_entry_is() {
    let mut all = files(&[("src/a.rs", "fn a() {}\n")]);
    all.insert("link".to_owned(), Content::Symlink("../../etc/passwd".to_owned()));
    all.insert("vendor/lib".to_owned(), Content::Submodule("b".repeat(40)));
    all.insert("large.bin".to_owned(), Content::File(vec![b'x'; 3 << 20]));
    let mut repo = Repo::new(7, "o/r");
    repo.commit("main", all);
    let hub = Hub::start(vec![repo]).await;
    let world = plain(&hub);
    let rows = [
        ("src/a.rs", Some((EntryKind::File, Some(10)))),
        ("src", Some((EntryKind::Directory, None))),
        ("link", Some((EntryKind::Symlink, Some(16)))),
        ("vendor/lib", Some((EntryKind::Submodule, None))),
        ("large.bin", Some((EntryKind::File, Some(3 << 20)))),
        ("link/passwd", None),
        ("vendor/lib/x", None),
        ("src/../src/a.rs", None),
        ("/src/a.rs", None),
        ("", None),
    ];
    for (path, expect) in rows {
        let entry = world.read(move |source| {
            let at = source.resolve("HEAD").unwrap().unwrap();
            source.entry(&at, path).unwrap()
        });
        assert_eq!(entry.await.map(|entry| (entry.kind, entry.bytes)), expect, "{path}");
    }
    // The content of a link is its target. A file above one megabyte is read, unless the reader
    // sets a lower limit.
    hub.seen();
    let (link, large, small) = world
        .read(|source| {
            let at = source.resolve("HEAD").unwrap().unwrap();
            let id = |path: &str| source.entry(&at, path).unwrap().unwrap().id;
            let small = source.read(&id("large.bin"), 1 << 20).map_err(|error| error.why);
            (
                source.read(&id("link"), 100).unwrap(),
                source.read(&id("large.bin"), 8 << 20).unwrap().len(),
                small,
            )
        })
        .await;
    assert_eq!((link.as_ref(), large), (b"../../etc/passwd".as_slice(), 3 << 20));
    assert_eq!(small, Err(Unverifiable::TooLarge));
    assert_eq!(hub.seen().len(), 2, "what is known to be too large is not fetched");
}

#[tokio::test]
async fn blobs_are_fetched_together() {
    let list: Vec<_> =
        (0..40).map(|n| (format!("f{n:02}"), Content::File(format!("content {n}").into_bytes()))).collect();
    let mut repo = Repo::new(7, "o/r");
    repo.commit("main", list.into_iter().collect::<Files>());
    let hub = Hub::start(vec![repo]).await;
    hub.model().latency_ms = 20;
    let world = plain(&hub);
    let read = world
        .read(|source| {
            let at = source.resolve("main").unwrap().unwrap();
            let ids: Vec<_> = source.files(&at).unwrap().iter().map(|file| file.entry.id).collect();
            let absent = object(&id_of("blob", b"in no repository"));
            source.prefetch(&[ids.as_slice(), &[absent]].concat(), 100);
            ids.iter().filter(|id| source.read(id, 100).is_ok()).count()
        })
        .await;
    assert_eq!(read, 40);
    assert_eq!(hub.model().most_at_once, 8, "concurrency of a call");
    // A name, a tree, forty blobs, the absent one, and the check that the repository exists.
    assert_eq!(hub.seen().len(), 2 + 40 + 2);
}

#[tokio::test]
async fn ancestors_and_renames() {
    let mut repo = Repo::new(7, "o/r");
    let text = "first line\nsecond\n";
    let a = repo.commit("main", files(&[("old.rs", "same"), ("edited.rs", text), ("kept.rs", "kept")]));
    repo.branches.insert("side".to_owned(), a.clone());
    let b = repo.commit(
        "main",
        files(&[("dir/new.rs", "same"), ("dir/edited.rs", "first line\nthird\n"), ("kept.rs", "k")]),
    );
    let c = repo.commit("side", files(&[("old.rs", "same")]));
    let many = ["second", "third"].map(|line| {
        let texts: Vec<_> =
            (0..301).map(|n| (format!("{line}/{n}.rs"), format!("file {n}\n{line}\n"))).collect();
        let list: Vec<_> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        repo.commit("many", files(&list))
    });
    let hub = Hub::start(vec![repo]).await;
    let world = plain(&hub);
    for (older, newer, expect) in [(&a, &b, true), (&b, &a, false), (&b, &c, false), (&a, &a, true)] {
        let (older, newer) = (object(older), object(newer));
        assert_eq!(
            world.read(move |source| source.is_ancestor(&older, &newer)).await,
            Ok(expect),
            "{older} {newer}"
        );
    }
    let renames = |similarity: u8| {
        let (from, to) = (object(&a), Revision::Commit(object(&b)));
        world.read(move |source| {
            let renames = source.renames(&from, &to, similarity).unwrap();
            renames.iter().map(|rename| format!("{} {}", rename.from, rename.to)).collect::<Vec<_>>()
        })
    };
    hub.seen();
    assert_eq!(renames(50).await, ["edited.rs dir/edited.rs", "old.rs dir/new.rs"]);
    assert_eq!(renames(90).await, ["old.rs dir/new.rs"]);
    let told = hub.told();
    let (from, to) = (object(&a), Revision::Commit(object(&b)));
    assert_eq!(world.read(move |source| source.may_lack_renames(&from, &to)).await, Ok(false));
    assert_eq!(told.len(), 2, "two trees; the comparison is known from the question before: {told:?}");
    let lost = object(&"9".repeat(40));
    let error = world
        .read(move |source| {
            source.is_ancestor(&lost, &lost.clone()).and(source.files(&Revision::Commit(lost)))
        })
        .await;
    assert_eq!(error.unwrap_err().why, Unverifiable::Ref);
    let can = world.read(|source| source.capabilities()).await;
    assert!(can.renames && !can.history && !can.worktree);
    // More files than a comparison contains: files that it omits may have another path.
    let from = object(&many[0]);
    let to = Revision::Commit(object(&many[1]));
    let found = world.read(move |source| {
        let renames = source.renames(&from, &to, 50).map(|renames| renames.len());
        (renames, source.may_lack_renames(&from, &to))
    });
    assert_eq!(found.await, (Ok(300), Ok(true)));
    let dirty =
        world.read(|source| source.entry(&Revision::Worktree(None), "kept.rs").unwrap_err().why).await;
    assert_eq!(dirty, Unverifiable::Ref);
}

/// Tests that only the newer side is compared: renames on the older side, or files that only the
/// older side has, are not reported.
#[tokio::test]
async fn of_commits_that_diverged_renames_are_not_told_whole() {
    let mut repo = Repo::new(7, "o/r");
    let text = |second: &str| format!("first line\n{second}\n");
    let base = repo.commit("main", files(&[("same.rs", "same"), ("edited.rs", &text("second"))]));
    repo.branches.insert("side".to_owned(), base.clone());
    let main = repo.commit("main", files(&[("same.rs", "same"), ("main.rs", &text("third"))]));
    let side = repo.commit("side", files(&[("there/same.rs", "same"), ("side.rs", &text("fourth"))]));
    let moved = repo.commit("side", files(&[("other/same.rs", "same"), ("side.rs", &text("fourth"))]));
    let hub = Hub::start(vec![repo]).await;
    let world = plain(&hub);
    for (from, to, expect) in [
        (&base, &side, (2, false)),
        (&main, &side, (1, true)),
        (&side, &base, (1, true)),
        (&moved, &side, (1, false)),
    ] {
        let (from, to) = (object(from), Revision::Commit(object(to)));
        let found = world.read(move |source| {
            let renames = source.renames(&from, &to, 50).unwrap();
            (renames.len(), source.may_lack_renames(&from, &to).unwrap())
        });
        assert_eq!(found.await, expect, "{from} {to:?}");
    }
}

#[tokio::test]
async fn what_one_token_read_is_not_shown_to_another() {
    let mut repo = Repo::new(7, "o/r");
    repo.is_private = true;
    let tip = repo.commit("main", files(&[("a.rs", "private")]));
    let blob = object(&Content::File(b"private".to_vec()).id());
    let mut public = Repo::new(8, "o/public");
    public.commit("main", files(&[("b.rs", "public")]));
    let hub = Hub::start(vec![repo, public]).await;
    let forges =
        [forge("github.com", &hub, Some(TOKEN)), forge("mirror.example.org", &hub, Some("stranger"))];
    let world = world(&forges, ForgeOptions::default());
    assert_eq!(world.read(|source| verify(source, "a.rs")).await, Ok(Some(b"private".to_vec())));
    let elsewhere = |path: &str| loci_model::ports::code::CodePlace::Forge {
        host: "mirror.example.org".to_owned(),
        path: path.to_owned(),
    };
    let at = Revision::Commit(object(&tip));
    let seen = world
        .read_at(elsewhere("o/r"), move |source| {
            (
                source.read(&blob, 100).map_err(|error| error.why).is_ok(),
                source.files(&at).map_err(|error| error.why).is_ok(),
                source.resolve("main").map_err(|error| error.why),
            )
        })
        .await;
    assert_eq!(seen, Ok((false, false, Err(Unverifiable::AuthOrMissing))));
    // Access through another repository that the same token can read fails too.
    let across =
        world.read_at(place("o/public"), move |source| source.read(&blob, 100).map_err(|error| error.why));
    assert_eq!(across.await.unwrap().err(), Some(Unverifiable::PartialClone));
}
