//! Tests repositories that moved, and redirects to other hosts.

use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodePlace, CodeSources as _, ForgeRepository};

use crate::fixture::{object, place, plain};
use crate::test_forge::{Hub, Repo, Wrong, files};

#[tokio::test]
async fn a_renamed_repository_is_followed_and_its_name_told() {
    let mut repo = Repo::new(7, "new/name");
    repo.parent = Some((3, "up/stream".to_owned()));
    let tip = repo.commit("main", files(&[("a.rs", "x")]));
    let hub = Hub::start(vec![repo]).await;
    hub.model().moved.insert("o/r".to_owned(), 7);
    let world = plain(&hub);
    let read = || {
        world.read(|source| {
            let at = source.resolve("main").unwrap().unwrap();
            (at.commit().unwrap(), source.entry(&at, "a.rs").unwrap().is_some())
        })
    };
    assert_eq!(read().await, (object(&tip), true));
    let told = hub.told();
    assert_eq!(told[0], "/repos/o/r/commits/main 301");
    assert_eq!(told[1], "/repositories/7/commits/main 200");
    // Later requests use the new path.
    world.clock.advance_ms(30_000);
    read().await;
    assert_eq!(hub.told(), ["/repos/new/name/commits/main 304"]);
    let expect = ForgeRepository {
        host: "github.com".to_owned(),
        id: 7,
        path: "new/name".to_owned(),
        default_branch: Some("main".to_owned()),
        parent: Some((3, "up/stream".to_owned())),
    };
    assert_eq!(world.forges.at_forge(&place("o/r")).await, Ok(Some(expect.clone())));
    assert_eq!(world.forges.at_forge(&place("New/Name")).await, Ok(Some(expect)));
    let none = world.forges.at_forge(&place("no/body")).await.unwrap_err();
    assert_eq!(none.why, Unverifiable::AuthOrMissing);
}

/// Tests that a token is sent only to its own host.
#[tokio::test]
async fn redirects_to_other_hosts_are_dropped() {
    let mut repo = Repo::new(7, "o/r");
    repo.commit("main", files(&[("a.rs", "x")]));
    let (hub, evil) = (Hub::start(vec![repo]).await, Hub::start(vec![]).await);
    let world = plain(&hub);
    let port = hub.url.rsplit(':').next().unwrap().to_owned();
    for location in [
        format!("{}/repos/o/r/commits/main", evil.url),
        format!("//{}/repos/o/r", evil.url.trim_start_matches("http://")),
        format!("http://localhost:{port}/repos/o/r/commits/main"),
        format!("{}@{}/repos/o/r", hub.url, evil.url.trim_start_matches("http://")),
        "file:///etc/passwd".to_owned(),
        String::new(),
    ] {
        for status in [301, 302, 307, 308] {
            let wrong = Wrong::Says(status, vec![("location", location.clone())], "");
            hub.model().wrong = vec![("commits".to_owned(), 1, wrong)];
            let why = world.read(|source| source.resolve("main").map_err(|error| error.why)).await;
            assert_eq!(why, Err(Unverifiable::Network), "{status} {location}");
            assert_eq!(hub.seen().len(), 1, "{status} {location}");
        }
    }
    assert_eq!(evil.seen().len(), 0);
    // A redirect loop ends.
    let round = Wrong::Says(302, vec![("location", "/repos/o/r/commits/main".to_owned())], "");
    hub.model().wrong = vec![("commits".to_owned(), 99, round)];
    assert!(world.read(|source| source.resolve("main").is_err()).await);
    assert_eq!(hub.seen().len(), 3);
}

/// Tests that no host comes from a repository's name, and no path leaves the repositories.
#[tokio::test]
async fn only_configured_hosts_are_called() {
    let hub = Hub::start(vec![]).await;
    let world = plain(&hub);
    let on = |host: &str, path: &str| CodePlace::Forge { host: host.to_owned(), path: path.to_owned() };
    let authority = hub.url.trim_start_matches("http://").to_owned();
    for (place, expect) in [
        (on("evil.example.org", "o/r"), Unverifiable::Auth),
        (on(&authority, "o/r"), Unverifiable::Auth),
        (on("github.com", "../user"), Unverifiable::AuthOrMissing),
        (on("github.com", "o"), Unverifiable::AuthOrMissing),
        (on("github.com", "o/r/../../user"), Unverifiable::AuthOrMissing),
        (CodePlace::Local("/".into()), Unverifiable::AuthOrMissing),
    ] {
        let error = world.read_at(place.clone(), |_| ()).await.unwrap_err();
        assert_eq!(error.why, expect, "{place:?}");
    }
    assert_eq!(hub.seen().len(), 0);
    let odd =
        world.read_at(place("o/r?x=1#y"), |source| source.resolve("main").map_err(|error| error.why)).await;
    assert_eq!(odd, Ok(Err(Unverifiable::AuthOrMissing)));
    assert!(hub.told()[0].starts_with("/repos/o/r%3Fx%3D1%23y/"), "every part is encoded");
}
