//! Measures the time of a citation over a network with a latency of 100 milliseconds. Latency
//! dominates, so the number of requests counts. The measured time is printed and not checked.

use std::time::Instant;

use crate::fixture::plain;
use crate::test_forge::{Hub, Repo, files};

const ROUNDS: usize = 20;

#[tokio::test]
async fn one_citation_with_a_warm_cache() {
    let mut repo = Repo::new(7, "o/r");
    repo.commit("main", files(&[("src/a.rs", "fn a() {}\n")]));
    let hub = Hub::start(vec![repo]).await;
    hub.model().latency_ms = 100;
    let world = plain(&hub);
    let (mut took_ms, mut questions) = (Vec::new(), Vec::new());
    for _ in 0..=ROUNDS {
        // The cache time of a tip has passed, so the tip is requested again.
        world.clock.advance_ms(30_000);
        #[expect(clippy::disallowed_methods, reason = "the machine's time is what is measured")]
        let began = Instant::now();
        let read = world.read(|source| {
            let at = source.resolve("main").unwrap().unwrap();
            let entry = source.entry(&at, "src/a.rs").unwrap().unwrap();
            source.read(&entry.id, 1 << 20).unwrap().len()
        });
        assert_eq!(read.await, 10);
        took_ms.push(began.elapsed().as_millis());
        questions.push(hub.seen().len());
    }
    let cold = took_ms.remove(0);
    took_ms.sort_unstable();
    let (p50, p95) = (took_ms[ROUNDS / 2], took_ms[ROUNDS * 95 / 100 - 1]);
    println!("cold {cold} ms, warm p50 {p50} ms, p95 {p95} ms");
    assert_eq!(
        questions,
        [vec![3], vec![1; ROUNDS]].concat(),
        "a name, a tree, a blob; then whether the name is as it was"
    );
}
