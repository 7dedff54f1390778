//! Tests the meaning of each refusal; an error is never evidence that an object is gone.

use std::sync::{Arc, Mutex};

use loci_forges::forges::ForgeOptions;
use loci_model::facts::code::Revision;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{CodeError, CodeSources as _};
use loci_testkit_ports::ManualClock;

use crate::fixture::{TOKEN, World, forge, plain, world};
use crate::test_forge::{Hub, Repo, Wrong, files};

async fn hub() -> Hub {
    let mut repo = Repo::new(7, "o/r");
    repo.commit("main", files(&[("a.rs", "x")]));
    Hub::start(vec![repo]).await
}

async fn resolve(world: &World) -> Result<Option<Revision>, CodeError> {
    world.read(|source| source.resolve("main")).await
}

#[tokio::test]
async fn refusals_of_one_request() {
    let reset = (ManualClock::default().now().millis() / 1_000 + 90).to_string();
    let rate =
        |left: &str| vec![("x-ratelimit-remaining", left.to_owned()), ("x-ratelimit-reset", reset.clone())];
    let asked = vec![("retry-after", "7".to_owned())];
    let both: Vec<_> = asked.iter().cloned().chain(rate("0")).collect();
    // Status, headers, body; the reason of the failure, and the time of the next attempt.
    type Row = (u16, Vec<(&'static str, String)>, &'static str, Unverifiable, Option<u64>);
    let rows: Vec<Row> = vec![
        (401, vec![], "{\"message\":\"Bad credentials\"}", Unverifiable::Auth, None),
        (403, vec![], "{\"message\":\"Resource not accessible\"}", Unverifiable::Auth, None),
        (403, rate("40"), "{}", Unverifiable::Auth, None),
        (451, vec![], "{}", Unverifiable::Auth, None),
        (403, rate("0"), "{\"message\":\"API rate limit exceeded\"}", Unverifiable::Rate, Some(90_000)),
        (429, rate("0"), "{}", Unverifiable::Rate, Some(90_000)),
        (429, asked.clone(), "{}", Unverifiable::Rate, Some(7_000)),
        (403, asked.clone(), "{}", Unverifiable::Rate, Some(7_000)),
        (429, both, "{}", Unverifiable::Rate, Some(7_000)),
        (429, vec![], "", Unverifiable::Rate, Some(60_000)),
        (
            403,
            vec![],
            "{\"message\":\"You have exceeded a secondary rate limit\"}",
            Unverifiable::Rate,
            Some(60_000),
        ),
        (503, asked, "", Unverifiable::Network, Some(7_000)),
        (400, vec![], "", Unverifiable::Network, None),
        (200, vec![], "<html>a login page</html>", Unverifiable::Network, None),
        (200, vec![], "", Unverifiable::Network, None),
        (304, vec![], "", Unverifiable::Network, None),
        (204, vec![], "", Unverifiable::Network, None),
    ];
    for (status, headers, body, why, retry_after_ms) in rows {
        let hub = hub().await;
        let world = plain(&hub);
        hub.model().wrong = vec![("commits".to_owned(), 1, Wrong::Says(status, headers.clone(), body))];
        let error = resolve(&world).await.unwrap_err();
        assert_eq!((error.why, error.retry_after_ms), (why, retry_after_ms), "{status} {headers:?} {body}");
        assert!(!format!("{error:?}").contains("hidden") && !error.detail.contains("127.0.0.1"), "{error:?}");
        assert_eq!(hub.seen().len(), 1, "{status} {headers:?}");
    }
}

#[tokio::test]
async fn a_used_up_limit_is_left_alone_until_it_is_whole_again() {
    let hub = hub().await;
    let world = plain(&hub);
    let headers = vec![("retry-after", "20".to_owned())];
    hub.model().wrong = vec![("commits".to_owned(), 1, Wrong::Says(429, headers, ""))];
    assert_eq!(resolve(&world).await.unwrap_err().retry_after_ms, Some(20_000));
    hub.seen();
    world.clock.advance_ms(5_000);
    let error = resolve(&world).await.unwrap_err();
    assert_eq!((error.why, error.retry_after_ms), (Unverifiable::Rate, Some(15_000)));
    assert_eq!(hub.seen().len(), 0, "nothing is asked in the meantime");
    world.clock.advance_ms(15_000);
    assert!(resolve(&world).await.unwrap().is_some());
}

/// Tests that "not found" means a missing object only if the repository is visible with the same
/// token.
#[tokio::test]
async fn not_found_is_evidence_only_where_the_repository_is_seen() {
    let hub = hub().await;
    let mut private = Repo::new(8, "o/private");
    private.is_private = true;
    let tip = private.commit("main", files(&[("a.rs", "x")]));
    hub.model().repos.push(private);
    let strangers = world(&[forge("github.com", &hub, None)], ForgeOptions::default());
    let members = plain(&hub);
    let at = Revision::Commit(crate::fixture::object(&tip));
    for (world, path, name, entry) in [
        (&members, "o/private", Ok(true), Ok(false)),
        (&strangers, "o/private", Err(Unverifiable::AuthOrMissing), Err(Unverifiable::AuthOrMissing)),
        (&members, "o/none", Err(Unverifiable::AuthOrMissing), Err(Unverifiable::AuthOrMissing)),
        // The repository is visible, and the commit belongs to another repository.
        (&strangers, "o/r", Ok(true), Err(Unverifiable::Ref)),
    ] {
        let seen = world.read_at(crate::fixture::place(path), move |source| {
            let name = source.resolve("main").map(|at| at.is_some()).map_err(|error| error.why);
            (name, source.entry(&at, "gone.rs").map(|entry| entry.is_some()).map_err(|error| error.why))
        });
        assert_eq!(seen.await, Ok((name, entry)), "{path}");
    }
    assert!(hub.seen().iter().any(|seen| !seen.headers.contains_key("authorization")));
    // The forge answers that it does not find the branch.
    hub.model().wrong = vec![("commits".to_owned(), 1, Wrong::Says(404, vec![], "{}"))];
    assert_eq!(members.read(|source| source.resolve("main")).await, Ok(None));
    // A blob that is missing from a visible repository.
    let lost = crate::fixture::object(&"9".repeat(40));
    let why = members.read(move |source| source.read(&lost, 100).unwrap_err().why).await;
    assert_eq!(why, Unverifiable::PartialClone);
    // Revoking a token makes the cached data inaccessible.
    members.clock.advance_ms(30_000);
    hub.model().tokens.remove(TOKEN);
    assert_eq!(resolve(&members).await.unwrap_err().why, Unverifiable::Auth);
    let own_id =
        members.read_at(crate::fixture::place("o/private"), move |source| source.resolve(&tip).is_err());
    assert_eq!(own_id.await, Ok(true), "by a commit's own id neither");
}

#[tokio::test]
async fn a_forge_that_does_not_answer_in_time() {
    let hub = hub().await;
    let world = plain(&hub);
    hub.model().wrong = vec![("git/trees".to_owned(), 1, Wrong::Silent)];
    let reading = world.read(|source| {
        let at = source.resolve("main").unwrap().unwrap();
        let first = source.entry(&at, "a.rs").map_err(|error| error.why);
        // Cached data is still returned; other data is no longer requested.
        (first, source.resolve("main").is_ok(), source.entry(&at, "a.rs").map_err(|error| error.why))
    });
    let moving = async {
        while !hub.seen().iter().any(|seen| seen.path.contains("git/trees")) {
            tokio::task::yield_now().await;
        }
        world.clock.advance_ms(4_999);
        tokio::task::yield_now().await;
        world.clock.advance_ms(1);
    };
    let (seen, ()) = futures::future::join(reading, moving).await;
    assert_eq!(seen, (Err(Unverifiable::Deadline), true, Err(Unverifiable::Deadline)));
    assert_eq!(hub.seen().len(), 0, "nothing is asked for when the time is over");
    // The next call has its own time limit.
    assert!(world.read(|source| source.resolve("HEAD").unwrap().is_some()).await);
}

/// Tests that a temporary failure leads to one repeat, and that a network failure is no evidence.
#[tokio::test]
async fn passing_failures() {
    let mut hub = hub().await;
    let patient = ForgeOptions { budget_ms: 3_600_000, ..ForgeOptions::default() };
    let of = |hub: &Hub| world(&[forge("github.com", hub, Some(TOKEN))], patient.clone());
    let world = of(&hub);
    for (times, expect) in [(1, None), (2, Some(Unverifiable::Network))] {
        hub.model().wrong = vec![("commits".to_owned(), times, Wrong::Says(502, vec![], "bad gateway"))];
        world.clock.advance_ms(60_000);
        let outcome = while_time_passes(&world, resolve(&world)).await;
        assert_eq!(outcome.err().map(|error| error.why), expect, "{times}");
        assert_eq!(hub.seen().len(), 2);
    }
    hub.url = "http://127.0.0.1:1".to_owned();
    let world = of(&hub);
    let outcome = while_time_passes(&world, resolve(&world)).await;
    assert_eq!(outcome.unwrap_err().why, Unverifiable::Network);
}

/// Advances the clock until there is an outcome.
async fn while_time_passes<T>(world: &World, outcome: impl Future<Output = T>) -> T {
    let passing = async {
        loop {
            world.clock.advance_ms(1);
            tokio::task::yield_now().await;
        }
    };
    match futures::future::select(std::pin::pin!(outcome), std::pin::pin!(passing)).await {
        futures::future::Either::Left((outcome, _)) => outcome,
        futures::future::Either::Right(((), _)) => unreachable!("time has no end"),
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_token_is_not_logged() {
    let log = Log::default();
    let writer = log.clone();
    let told = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let hub = hub().await;
    hub.model().moved.insert("o/old".to_owned(), 7);
    let world = plain(&hub);
    // Set for the whole process, because events that a thread without a subscriber reaches first
    // would never be recorded.
    tracing::subscriber::set_global_default(told).unwrap();
    let place = crate::fixture::place("o/old");
    let repository = world.forges.at_forge(&place).await.unwrap().unwrap();
    assert_eq!(repository.path, "o/r");
    hub.model().tokens.remove(TOKEN);
    let refused = world.forges.at_forge(&place).await;
    assert_eq!(refused.as_ref().unwrap_err().why, Unverifiable::Auth);
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("called"), "{log}");
    assert!(!log.contains("hidden") && !format!("{refused:?}").contains("hidden"), "{log}");
}
