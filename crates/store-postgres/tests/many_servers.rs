//! Several servers on one database: each claim is exclusive, and each row is swept once.
#![expect(clippy::expect_used, reason = "a failure of the database under test is the test's failure")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use loci_engine_testkit::postgres::PostgresServer;
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::event::Event;
use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::job::{DueRule, JobKind, NewJob};
use loci_model::ports::store::{DeliveryClaim, DeliveryOutcome, ReadTx, Store, StoreExt, Tx};
use loci_model::{DeliveryId, Document, JobId, MemoryId, Result};
use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_testkit_ports::{block_on, samples};

const SERVERS: usize = 3;
const THREADS: usize = 2;

/// Servers on one new database, and memories in it.
struct Bench {
    servers: Vec<Arc<dyn Store>>,
    memories: Vec<MemoryId>,
    url: String,
}

impl Bench {
    fn new(memories: usize) -> Self {
        let server = PostgresServer::shared().expect("a server");
        let url = server.fresh_database().expect("a database");
        // All start concurrently: one creates the schema.
        let opening: Vec<_> = (0..SERVERS)
            .map(|_| {
                let url = url.clone();
                thread::spawn(move || {
                    let mut options = PostgresOptions::parse(&url).expect("an address");
                    options.partitions = 2;
                    PostgresStore::open(options).expect("a store")
                })
            })
            .collect();
        let servers: Vec<_> =
            opening.into_iter().map(|one| one.join().expect("a store") as Arc<dyn Store>).collect();
        let mut bench = Self { servers, memories: Vec::new(), url };
        for number in 0..memories {
            let memory = samples::memory(&format!("notes{number}")).expect("a memory");
            bench.memories.push(memory.id.clone());
            bench.write(0, move |tx| tx.memories_mut().insert(&memory));
        }
        bench
    }

    /// Returns the name of the database.
    fn database(&self) -> String {
        self.url.rsplit('/').next().expect("a name").to_owned()
    }

    fn write<T: Send + 'static>(
        &self,
        server: usize,
        work: impl FnMut(&mut dyn Tx) -> Result<T> + Send + 'static,
    ) -> T {
        block_on(self.servers[server].write(work)).expect("a write")
    }

    fn read<T: Send + 'static>(
        &self,
        server: usize,
        work: impl FnMut(&dyn ReadTx) -> Result<T> + Send + 'static,
    ) -> T {
        block_on(self.servers[server].read(work)).expect("a read")
    }

    /// Runs work on several threads of each server, and returns the results.
    fn everywhere<T: Send>(&self, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..SERVERS * THREADS)
                .map(|number| {
                    let work = &work;
                    scope.spawn(move || work(number % SERVERS))
                })
                .collect();
            threads.into_iter().map(|one| one.join().expect("a thread")).collect()
        })
    }
}

fn job(memory: &MemoryId, id: &str, key: &str) -> NewJob {
    NewJob {
        id: JobId::parse(id).expect("an id"),
        memory: memory.clone(),
        kind: JobKind::EXTRACT,
        unique_key: key.to_owned(),
        strategy: None,
        actor: None,
        session: None,
        due: samples::time(1),
        due_rule: DueRule::Earlier,
    }
}

#[test]
fn jobs_are_claimed_once() {
    let bench = Bench::new(5);
    for (number, memory) in (0..150).zip(bench.memories.iter().cycle()) {
        let job = job(memory, &format!("j{number:03}"), &format!("k{number}"));
        bench.write(0, move |tx| tx.jobs_mut().enqueue(&job, samples::time(1)));
    }
    let claimed = bench.everywhere(|server| {
        let mut claimed = Vec::new();
        while let Some(job) = bench.write(server, move |tx| {
            tx.jobs_mut().claim(&format!("h{server}"), &[], samples::time(2), 60_000)
        }) {
            claimed.push(job.id);
        }
        claimed
    });
    let all: Vec<JobId> = claimed.into_iter().flatten().collect();
    assert_eq!(all.len(), 150);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 150);
}

/// A job that is requested while others claim and finish jobs runs after the request.
#[test]
fn nothing_that_is_asked_for_is_lost() {
    let bench = Bench::new(1);
    let memory = &bench.memories[0];
    let (asked, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let seen = thread::scope(|scope| {
        let runners: Vec<_> = (0..SERVERS)
            .map(|server| {
                let (bench, asked, ended) = (&bench, &asked, &ended);
                scope.spawn(move || {
                    let (mut seen, mut runs) = (0, 0);
                    loop {
                        let last = ended.load(Ordering::SeqCst);
                        let host = format!("h{server}");
                        let held = host.clone();
                        let found = bench.write(server, move |tx| {
                            tx.jobs_mut().claim(&host, &[], samples::time(9), 60_000)
                        });
                        let Some(job) = found else {
                            if last {
                                return (seen, runs);
                            }
                            continue;
                        };
                        seen = seen.max(asked.load(Ordering::SeqCst));
                        runs += 1;
                        let finished = bench.write(server, move |tx| {
                            tx.jobs_mut().finish(&job.memory, &job.id, &held, None, samples::time(9))
                        });
                        assert!(finished);
                    }
                })
            })
            .collect();
        let askers: Vec<_> = (0..SERVERS)
            .map(|server| {
                let (bench, asked) = (&bench, &asked);
                scope.spawn(move || {
                    for number in 0..60 {
                        asked.fetch_add(1, Ordering::SeqCst);
                        let job = job(memory, &format!("j{server}-{number}"), "one");
                        bench.write(server, move |tx| tx.jobs_mut().enqueue(&job, samples::time(1)));
                    }
                })
            })
            .collect();
        for asker in askers {
            asker.join().expect("an asker");
        }
        ended.store(true, Ordering::SeqCst);
        runners.into_iter().map(|one| one.join().expect("a runner")).collect::<Vec<_>>()
    });
    assert_eq!(seen.iter().map(|(seen, _)| *seen).max(), Some(SERVERS * 60));
    let place = memory.clone();
    assert!(!bench.read(0, move |tx| tx.jobs().has_open(&place, &JobKind::EXTRACT)), "{seen:?}");
}

#[test]
fn deliveries_keep_their_order_and_are_sent_once() {
    let bench = Bench::new(2);
    for (number, memory) in (0..60_u32).zip(bench.memories.iter().cycle()) {
        let delivery = Delivery {
            id: DeliveryId::parse(format!("d{number:02}")).expect("an id"),
            memory: memory.clone(),
            direction: DeliveryDirection::Out,
            target: "hook".into(),
            order_key: format!("k{}", number % 6),
            body: Document::parse("{}").expect("json"),
            state: DeliveryState::Pending,
            attempts: 0,
            due: samples::time(1),
            last_error: None,
            created_at: samples::time(0),
        };
        bench.write(0, move |tx| tx.deliveries_mut().insert(&delivery));
    }
    let sent = std::sync::Mutex::new(Vec::new());
    bench.everywhere(|server| {
        let mut turn = 0;
        loop {
            let claimed = bench.write(server, move |tx| {
                let (target, holder) = ("hook", format!("h{server}-{:?}-{turn}", thread::current().id()));
                let (direction, now, until) = (DeliveryDirection::Out, samples::time(2), samples::time(60));
                let claim = DeliveryClaim { direction, target, holder: &holder, now, until };
                Ok((tx.deliveries_mut().claim(&claim, 4)?, holder))
            });
            turn += 1;
            let (deliveries, holder) = claimed;
            let waits = bench.read(server, |tx| tx.deliveries().backlog()).pending;
            if deliveries.is_empty() && waits == 0 {
                return;
            }
            for delivery in deliveries {
                sent.lock().expect("a lock").push((
                    delivery.memory.clone(),
                    delivery.order_key.clone(),
                    delivery.id.clone(),
                ));
                let holder = holder.clone();
                let noted = bench.write(server, move |tx| {
                    let outcome =
                        DeliveryOutcome { state: DeliveryState::Done, due: samples::time(3), error: None };
                    tx.deliveries_mut().set_state(
                        &delivery.memory,
                        delivery.direction,
                        &delivery.id,
                        &holder,
                        &outcome,
                    )
                });
                assert!(noted);
            }
        }
    });
    let sent = sent.into_inner().expect("a lock");
    assert_eq!(sent.len(), 60);
    let mut by_key: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (memory, key, id) in sent {
        by_key.entry((memory, key)).or_default().push(id);
    }
    for (key, ids) in by_key {
        assert!(ids.is_sorted(), "{key:?}: {ids:?}");
    }
}

/// A token is used at several servers concurrently, with the same name or others: one memory is
/// created, and all receive it.
#[test]
fn a_token_of_the_server_answers_once() {
    let bench = Bench::new(0);
    for (round, same_name) in [true, false].into_iter().cycle().take(24).enumerate() {
        let number = AtomicUsize::new(0);
        let ready = std::sync::Barrier::new(SERVERS * THREADS);
        let answers = bench.everywhere(|server| {
            let own = if same_name { 0 } else { number.fetch_add(1, Ordering::SeqCst) };
            let memory = samples::memory(&format!("made{round}_{own}")).expect("a memory");
            let scope = TokenScope {
                place: "server".to_owned(),
                operation: "CreateMemory".to_owned(),
                token: format!("t{round}"),
            };
            ready.wait();
            bench.write(server, move |tx| {
                if let Some(first) = tx.idempotency().get(&scope, samples::time(1))? {
                    return Ok(first.answer.as_str().to_owned());
                }
                if tx.memories().by_name(&memory.name)?.is_some() {
                    return Ok("the name is taken".to_owned());
                }
                tx.memories_mut().insert(&memory)?;
                let answer = Document::parse(&format!("\"{}\"", memory.id))?;
                let expires = samples::time(1).plus_days(1);
                let remembered = TokenAnswer { expires, parameters: "p".to_owned(), answer: answer.clone() };
                tx.idempotency_mut().put(&scope, &remembered)?;
                Ok(answer.as_str().to_owned())
            })
        });
        assert_eq!(answers.iter().collect::<BTreeSet<_>>().len(), 1, "{answers:?}");
        assert_eq!(bench.read(0, |tx| tx.memories().list(None, 100)).len(), round + 1);
    }
}

#[test]
fn questions_are_taken_once() {
    let bench = Bench::new(2);
    for (number, memory) in (0..60_u8).zip(bench.memories.iter().cycle()) {
        let exchange = samples::exchange(memory, "j", number).expect("an exchange");
        bench.write(0, move |tx| tx.exchanges_mut().insert(&exchange));
    }
    let taken = bench.everywhere(|server| {
        let mut taken = Vec::new();
        loop {
            let found = bench.write(server, |tx| {
                let (now, until) = (samples::time(5), samples::time(90));
                let Some(open) = tx.exchanges().next_open(&[], &[], now)? else { return Ok(None) };
                assert!(tx.exchanges_mut().lease(&open.memory, &open.id, "h", now, until)?);
                Ok(Some((open.memory, open.id)))
            });
            match found {
                Some(found) => taken.push(found),
                None => {
                    let open = bench.read(server, |tx| tx.exchanges().next_open(&[], &[], samples::time(5)));
                    if open.is_none() {
                        return taken;
                    }
                }
            }
        }
    });
    let all: Vec<_> = taken.into_iter().flatten().collect();
    assert_eq!(all.len(), 60);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 60);
}

#[test]
fn events_are_swept_once_beside_writes() {
    let bench = Bench::new(4);
    for (number, memory) in (0..200).zip(bench.memories.iter().cycle()) {
        let event = samples::event(memory, "ann", &format!("s{}", number % 7), number).expect("an event");
        bench.write(0, move |tx| tx.events_mut().insert(&event));
    }
    let late = samples::time(1_000).plus_days(60);
    let counts = bench.everywhere(|server| {
        let mut swept = 0;
        for round in 0..20 {
            swept += bench.write(server, move |tx| tx.events_mut().sweep(late, 10));
            let memory = &bench.memories[(round + server) % 4];
            let number = i64::try_from(1_000 + round * 10 + server).expect("small");
            let event = samples::event(memory, "bob", &format!("b{server}"), number).expect("an event");
            let event = Event { expires: late.plus_days(1), ..event };
            bench.write(server, move |tx| {
                let last = tx.events().last_place(&event.memory, event.time)?.map_or(0, |last| last + 1);
                let id = loci_model::EventId::compose(event.time.millis(), last);
                tx.events_mut().insert(&Event { id, ..event.clone() })
            });
        }
        swept
    });
    // Events, and the sessions that become empty.
    let mut swept: usize = counts.iter().sum();
    loop {
        match bench.write(0, move |tx| tx.events_mut().sweep(late, 10)) {
            0 => break,
            more => swept += more,
        }
    }
    assert_eq!(swept, 200 + 4 * 7);
    for memory in bench.memories.clone() {
        let kept = bench.read(1, move |tx| tx.events().export(&memory, 0, 1_000, late));
        assert_eq!(kept.len(), 30);
    }
    let (memory, first) = (bench.memories[0].clone(), samples::time(0));
    assert_eq!(bench.read(2, move |tx| tx.events().last_place(&memory, first)), Some(0));
}

/// Many writes wait for one memory that another server has locked: writes of other memories
/// continue.
#[test]
fn a_memory_that_is_long_written_to_holds_up_no_other() {
    let bench = Bench::new(2);
    let [long, other] = [bench.memories[0].clone(), bench.memories[1].clone()];
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (entered, has_entered) = std::sync::mpsc::channel::<()>();
    let enter = |memory: &MemoryId| {
        let memory = memory.clone();
        move |tx: &mut dyn Tx| Ok(tx.memories().get(&memory)?.is_some())
    };
    thread::scope(|scope| {
        let (bench, holds) = (&bench, enter(&long));
        scope.spawn(move || {
            bench.write(1, move |tx| {
                let there = holds(tx)?;
                let _ = entered.send(());
                let _ = released.recv_timeout(std::time::Duration::from_secs(8));
                Ok(there)
            })
        });
        has_entered.recv().expect("it is in");
        let waiting = futures::future::join_all((0..20).map(|_| bench.servers[0].write(enter(&long))));
        let waiting = scope.spawn(move || block_on(waiting));
        let server = PostgresServer::shared().expect("a server");
        let waits = format!(
            "SELECT count(*) >= 2 FROM pg_stat_activity WHERE datname = '{}' AND wait_event_type = 'Lock'",
            bench.database()
        );
        while server.sql("postgres", &waits).expect("a count").trim() != "t" {}
        assert!(bench.write(0, enter(&other)));
        // The long-running write still holds its lock.
        assert!(release.send(()).is_ok(), "the other write had to wait");
        assert!(waiting.join().expect("a thread").into_iter().all(|written| written.expect("a write")));
    });
}

/// The end of a read transaction is sent without waiting for the response.
#[test]
fn a_read_leaves_no_transaction_open() {
    let bench = Bench::new(1);
    let memory = bench.memories[0].clone();
    assert!(bench.read(0, move |tx| Ok(tx.memories().get(&memory)?.is_some())));
    let server = PostgresServer::shared().expect("a server");
    let open =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = 'NAME' AND state LIKE 'idle in transaction%'";
    let name = bench.database();
    // It may still be in transit.
    let ended = (0..100)
        .any(|_| server.sql("postgres", &open.replace("NAME", &name)).expect("a count").trim() == "0");
    assert!(ended);
}
