//! Tests truncated listings: a path is missing only from a tree that was listed completely.

use loci_model::facts::code::Revision;
use loci_model::facts::verdict::Unverifiable;

use crate::fixture::plain;
use crate::test_forge::{Content, Files, Hub, Repo, Wrong};

/// Returns directories with files; `deep` has more files than a listing returns.
fn many() -> Files {
    let file = |path: String| (path.clone(), Content::File(path.into_bytes()));
    let wide = (0..6).flat_map(|d| (0..4).map(move |f| format!("dir{d}/f{f}.rs")));
    let deep = (0..3).flat_map(|d| (0..7).map(move |f| format!("deep/d{d}/f{f}.rs")));
    wide.chain(deep).chain(["top.rs".to_owned()]).map(file).collect()
}

#[tokio::test]
async fn a_listing_that_is_cut_off_is_walked() {
    let mut repo = Repo::new(7, "o/r");
    repo.commit("main", many());
    let hub = Hub::start(vec![repo]).await;
    hub.model().entries_max = Some(10);
    let world = plain(&hub);
    let find = |path: &'static str| {
        world.read(move |source| {
            let at = source.resolve("main").unwrap().unwrap();
            source.entry(&at, path).unwrap().is_some()
        })
    };
    // The number of requests for an entry, beyond the first listing.
    for (path, expect, requests) in [
        ("deep/d0/f0.rs", true, 2),
        ("deep/d2/f6.rs", true, 2),
        ("deep/d2/none.rs", false, 0),
        ("dir5/f3.rs", true, 2),
        ("dir5/none.rs", false, 0),
        ("top.rs", true, 0),
        ("none/none.rs", false, 0),
        ("top.rs/none", false, 0),
    ] {
        assert_eq!(find(path).await, expect, "{path}");
        let told = hub.told();
        assert_eq!(told.len(), requests, "{path}: {told:?}");
    }
    let all = |_: ()| {
        world.read(|source| {
            let at = source.resolve("main").unwrap().unwrap();
            source.files(&at).unwrap().iter().map(|file| file.path.clone()).collect::<Vec<_>>()
        })
    };
    assert_eq!(all(()).await, many().into_keys().collect::<Vec<_>>());
    let asked = hub.seen().len();
    assert!((1..=14).contains(&asked), "each directory that is given whole is asked for once: {asked}");
    assert_eq!(all(()).await.len(), many().len());
    assert_eq!(hub.seen().len(), 0);
}

/// Tests that an error during the walk is no evidence that a path is missing.
#[tokio::test]
async fn a_walk_that_breaks_off_says_nothing_is_gone() {
    let mut repo = Repo::new(7, "o/r");
    let tip = repo.commit("main", many());
    let hub = Hub::start(vec![repo]).await;
    hub.model().entries_max = Some(10);
    let world = plain(&hub);
    let at = Revision::Commit(crate::fixture::object(&tip));
    let check = |wrong: Wrong, expect: Unverifiable| {
        hub.model().wrong = vec![("git/trees/".to_owned(), 9, wrong)];
        let (at, again) = (at, at);
        let world = &world;
        async move {
            let entry =
                world.read(move |source| source.entry(&at, "dir5/none.rs").map_err(|error| error.why)).await;
            assert_eq!(entry.err(), Some(expect));
            let files = world.read(move |source| source.files(&again).map_err(|error| error.why)).await;
            assert_eq!(files.err(), Some(expect));
        }
    };
    check(Wrong::Says(200, vec![], "{\"tree\":[{\"path\":1}]}"), Unverifiable::Network).await;
    check(Wrong::Says(200, vec![], "<html>not JSON</html>"), Unverifiable::Network).await;
    check(Wrong::Says(403, vec![], "{}"), Unverifiable::Auth).await;
    check(Wrong::Says(404, vec![], "{}"), Unverifiable::Ref).await;
    // The first listing is cached, those below it are not.
    hub.model().wrong.clear();
    let found = world.read(move |source| source.entry(&at, "deep/d0/f0.rs").unwrap().is_some()).await;
    assert!(found);
    check(Wrong::Says(200, vec![], "[]"), Unverifiable::Network).await;
    // A directory that is truncated even when it is listed without recursion.
    check(Wrong::Says(200, vec![], "{\"tree\":[],\"truncated\":true}"), Unverifiable::TooLarge).await;
}
