//! Several servers on one store: they share the work, nothing is done twice, and another server
//! takes over the work of a dead one only after its lease has expired.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use futures::future::{Either, join_all, join3, select};
use loci_api::pull::JobResult;
use loci_engine::EngineSettings;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::jobs::Servers;
use loci_engine::language_models::pull_verbs::QuestionAsk;
use loci_engine::memories::NewMemory;
use loci_engine::records::{NewRecord, RecordUpdate, RecordsCreate};
use loci_engine::safety::RedactionMode;
use loci_engine::settings::JobWebhook;
use loci_model::delivery::DeliveryDirection::Out;
use loci_model::event::Role::User;
use loci_model::job::JobState;
use loci_model::memory::settings::{MemorySettings, ModelMode};
use loci_model::memory::strategy::StrategyBase::{self, Episodic, Semantic, Summary};
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::deliver::{Deliver, DeliveryResult, Notice, TargetInfo};
use loci_model::ports::observe::Observe;
use loci_model::ports::store::{DeliveryClaim, Store, StoreExt};
use loci_model::{Error, Namespace, Result, Timestamp, limits};
use loci_products::Loci;
use loci_testkit_ports::{ManualClock, RecordingTargets};
use serde_json::json;

use crate::fixture::{World, said, strategy};

const LEASE_MS: i64 = limits::JOB_LEASE_MS;

/// Returns a world whose store may have several hosts; the ends of jobs are sent to `hook`.
fn world(bases: &[StrategyBase]) -> (World, Arc<RecordingTargets>) {
    let targets = Arc::new(RecordingTargets::default());
    let (parts, new) = (
        targets.clone(),
        NewMemory { strategies: bases.iter().copied().map(strategy).collect(), ..NewMemory::default() },
    );
    let hook = JobWebhook { target: "hook".to_owned(), on: vec![JobState::Done], memory: None };
    let settings = EngineSettings { job_webhooks: vec![hook], ..EngineSettings::default() };
    (World::made(new, settings, |made| made.deliver = Some(parts)).of_many(), targets)
}

/// Resolves after this many milliseconds.
fn after(clock: &ManualClock, millis: i64) -> BoxFuture<'static, ()> {
    let (clock, until) = (clock.clone(), clock.now().plus_millis(millis));
    Box::pin(async move {
        while clock.now() < until {
            clock.sleep(20).await;
        }
    })
}

/// Runs servers for this many milliseconds, then stops them.
fn serve(world: &World, servers: &[&Loci], millis: i64) {
    let run = servers.iter().map(|server| server.run_jobs(after(&world.clock, millis)));
    world.drive(join_all(run));
}

fn holder_of_sweeps(world: &World) -> Option<String> {
    let now = world.clock.now();
    let store: &dyn Store = &*world.store;
    world.drive(store.read(move |tx| tx.leases().holder("sweep", now))).unwrap()
}

/// Returns the texts with their number of sources, independent of the order of work.
fn told(world: &World) -> Vec<(String, usize)> {
    let mut told: Vec<_> =
        world.active().into_iter().map(|record| (record.text, record.provenance.sources.len())).collect();
    told.sort();
    told
}

fn talk(world: &World) {
    let lines =
        ["I prefer dark mode.", "My dog is called Pixel.", "I prefer light mode now.", "I live in Oslo."];
    for session in 0..6 {
        for (minute, line) in (1..).zip(lines) {
            let mut event =
                world.event(&format!("s{session}"), vec![said(User, &format!("{line} Really {session}."))]);
            event.time = Some(Timestamp::clamped(session * 3_600_000 + minute * 60_000));
            world.create(event);
        }
    }
}

#[test]
fn servers_share_the_work_and_do_it_once() {
    // The result for preferences depends on the order of the sessions, so they are excluded.
    let bases = [Semantic, Summary, Episodic];
    let (alone, _) = world(&bases);
    talk(&alone);
    serve(&alone, &[&alone.engine], 120_000);
    let (world, targets) = world(&bases);
    talk(&world);
    let others = [world.server("two", |_| {}), world.server("three", |_| {})];
    serve(&world, &[&world.engine, &others[0], &others[1]], 120_000);
    assert!(world.jobs().iter().all(|job| job.state == JobState::Done), "{:?}", world.jobs());
    assert_eq!(told(&world), told(&alone));
    assert_eq!(world.missing_vectors(), 0);
    let notices = targets.notices();
    let ids: BTreeSet<&str> = notices.iter().map(|notice| notice.id.as_str()).collect();
    assert_eq!(ids.len(), notices.len(), "none was sent twice");
    let mut ends: BTreeMap<&str, Vec<Timestamp>> = BTreeMap::new();
    for notice in &notices {
        ends.entry(&notice.order_key).or_default().push(notice.created_at);
    }
    assert!(ends.len() >= 18 && ends.values().all(|times| times.is_sorted()), "{ends:?}");
}

/// A command leaves its work to the servers, which may have models and targets that it lacks, and
/// reports that.
#[test]
fn a_command_beside_servers_or_none() {
    let (world, targets) = world(&[Semantic]);
    world.say("s1", User, "the lighthouse was painted white");
    outbox(&world);
    let other = Arc::new(RecordingTargets::default());
    other.unmap("hook");
    let command = world.server("command", |parts| parts.deliver = Some(other.clone()));
    let settle =
        |wait_ms| world.drive(command.settle(std::slice::from_ref(&world.memory.id), wait_ms)).unwrap();
    for wait_ms in [None, Some(0), Some(5_000)] {
        let began = world.clock.now();
        let settled = settle(wait_ms);
        assert_eq!((settled.jobs.complete, settled.jobs.pending, settled.jobs.waiting), (false, 1, 0));
        let servers = settled.left_to.unwrap();
        assert!(!servers.heard_of);
        let took_ms = world.clock.now().millis() - began.millis();
        assert!(took_ms >= wait_ms.unwrap_or(0) as i64 && took_ms < 20_000, "{took_ms}");
        assert_eq!(servers.overdue_ms > 0, wait_ms == Some(5_000), "who waits wants it now: {servers:?}");
    }
    assert_eq!((targets.tries(), other.tries(), world.texts().len()), (0, 0, 0));
    assert!(
        sent(&world).iter().all(|(attempts, error)| *attempts == 0 && error.is_none()),
        "nothing is put off"
    );
    // If a server runs, the command waits for it.
    let serving = world.server("two", |_| {});
    let run = serving.run_jobs(after(&world.clock, 90_000));
    let settling = command.settle(std::slice::from_ref(&world.memory.id), Some(60_000));
    let (settled, ..) = world.drive(join3(settling, run, async {}));
    assert!(settled.unwrap().jobs.complete);
    assert_eq!((targets.notices().len(), world.texts().len()), (3, 1));
    let servers = settle(None).left_to.unwrap();
    assert_eq!(servers, Servers { heard_of: false, overdue_ms: 0 }, "it gave its lease up when it stopped");
}

/// On a store for one host, the command is the host.
#[test]
fn a_command_that_is_the_host() {
    let targets = Arc::new(RecordingTargets::default());
    let of_world = targets.clone();
    let strategies = vec![strategy(Semantic)];
    let new = NewMemory { strategies, ..NewMemory::default() };
    let world = World::made(new, EngineSettings::default(), |made| made.deliver = Some(of_world)).of_one();
    world.say("s1", User, "the lighthouse was painted white");
    outbox(&world);
    let settle =
        |wait_ms| world.drive(world.engine.settle(std::slice::from_ref(&world.memory.id), wait_ms)).unwrap();
    assert_eq!(settle(Some(0)).jobs.pending, 1);
    let settled = settle(Some(60_000));
    assert!(settled.jobs.complete && settled.left_to.is_none());
    assert_eq!((arrived(&targets), world.texts().len()), (vec!["first".to_owned(), "second".to_owned()], 1));
}

/// Returns the tries and failures of pending deliveries.
fn sent(world: &World) -> Vec<(u32, Option<String>)> {
    let page =
        world.drive(world.engine.delivery_list(&world.caller, &world.memory.id, None, None, 9)).unwrap();
    page.items.into_iter().map(|delivery| (delivery.attempts, delivery.last_error)).collect()
}

/// Claims a job for a host that no longer exists.
fn job_in_the_hands_of_nobody(world: &World) {
    let (store, now): (&dyn Store, _) = (&*world.store, world.clock.now().plus_days(1));
    let claimed = world.drive(store.write(move |tx| {
        // Due by then, and leased from now on.
        let job = tx.jobs_mut().claim("dead 0", &[], now, LEASE_MS)?;
        let Some(job) = job else { return Ok(None) };
        let until = now.plus_millis(LEASE_MS - loci_model::time::DAY_MS);
        tx.jobs_mut().renew(&job.memory, &job.id, "dead 0", until)?;
        Ok(Some(job))
    }));
    assert!(claimed.unwrap().is_some());
}

#[test]
fn a_job_is_anothers_when_its_lease_has_run_out() {
    let (world, _) = world(&[Semantic]);
    world.say("s1", User, "the lighthouse was painted white");
    job_in_the_hands_of_nobody(&world);
    let two = world.server("two", |_| {});
    serve(&world, &[&two], LEASE_MS - 5_000);
    assert_eq!(world.texts(), Vec::<String>::new(), "a new server takes nothing that another may be at");
    serve(&world, &[&two], 15_000);
    assert_eq!(world.texts().len(), 1);
}

/// On a store for one host, the new host does not wait for the previous one.
#[test]
fn a_new_host_waits_for_nobody() {
    let world = World::with(&[Semantic]).of_one();
    world.say("s1", User, "the lighthouse was painted white");
    job_in_the_hands_of_nobody(&world);
    serve(&world, &[&world.engine], 5_000);
    assert_eq!(world.texts().len(), 1);
}

/// A process that lost a job and claimed it again: the first try neither ends the second one nor
/// writes anything.
#[test]
fn a_try_that_lost_its_job_writes_nothing() {
    let (world, targets) = world(&[Semantic]);
    world.say("s1", User, "the lighthouse was painted white");
    let (store, clock) = (world.store.clone(), world.clock.clone());
    *world.embedder.meanwhile.lock().unwrap() = Some(Box::new(move || {
        let (store, now): (&dyn Store, _) = (&*store, clock.now().plus_millis(2 * LEASE_MS));
        let again = loci_testkit_ports::block_on(
            store.write(move |tx| tx.jobs_mut().claim("loci 99", &[], now, LEASE_MS)),
        );
        assert!(again.unwrap().is_some(), "its lease has run out");
    }));
    serve(&world, &[&world.engine], 30_000);
    assert!(world.embedder.meanwhile.lock().unwrap().is_none());
    assert_eq!((world.texts().len(), targets.notices().len()), (0, 0));
    assert_eq!(world.jobs()[0].lease_host.as_deref(), Some("loci 99"));
    serve(&world, &[&world.engine], 4 * LEASE_MS);
    assert_eq!((world.texts().len(), targets.notices().len()), (1, 1));
}

/// A slow target, which records when a try begins, ends, or is aborted.
struct Slow {
    inner: Arc<RecordingTargets>,
    clock: ManualClock,
    takes_ms: u64,
    seen: Arc<Mutex<Vec<(&'static str, Timestamp)>>>,
}

struct BrokenOff<'a>(&'a Slow, bool);

impl Drop for BrokenOff<'_> {
    fn drop(&mut self) {
        if !self.1 {
            self.0.note("broken off");
        }
    }
}

impl Slow {
    fn note(&self, what: &'static str) {
        self.seen.lock().unwrap().push((what, self.clock.now()));
    }
}

impl Deliver for Slow {
    fn deliver(&self, notice: Notice) -> BoxFuture<'_, Result<DeliveryResult>> {
        Box::pin(async move {
            self.note("begun");
            let mut guard = BrokenOff(self, false);
            self.clock.sleep(self.takes_ms).await;
            guard.1 = true;
            self.note("done");
            self.inner.deliver(notice).await
        })
    }

    fn reaches(&self, target: &str) -> bool {
        self.inner.reaches(target)
    }

    fn known(&self) -> Vec<TargetInfo> {
        self.inner.known()
    }
}

/// Adds two pending deliveries of one key.
fn outbox(world: &World) {
    let caller = &world.caller;
    let memory = world.memory.id.clone();
    let store: &dyn Store = &*world.store;
    let now = world.clock.now();
    world
        .drive(store.write(move |tx| {
            for id in ["first", "second"] {
                tx.deliveries_mut().insert(&loci_model::delivery::Delivery {
                    id: loci_model::DeliveryId::parse(id)?,
                    memory: memory.clone(),
                    direction: Out,
                    target: "hook".to_owned(),
                    order_key: "job - j1 hook".to_owned(),
                    body: loci_model::Document::parse("{}")?,
                    state: loci_model::delivery::DeliveryState::Pending,
                    attempts: 0,
                    due: now,
                    last_error: None,
                    created_at: now,
                })?;
            }
            Ok(())
        }))
        .unwrap();
    assert!(
        world.drive(world.engine.delivery_list(caller, &world.memory.id, None, None, 9)).unwrap().items.len()
            == 2
    );
}

fn slow(world: &World, targets: &Arc<RecordingTargets>, takes_ms: u64) -> Arc<Slow> {
    let (inner, clock) = (targets.clone(), world.clock.clone());
    Arc::new(Slow { inner, clock, takes_ms, seen: Arc::default() })
}

fn arrived(targets: &RecordingTargets) -> Vec<String> {
    targets.notices().into_iter().map(|notice| notice.id.to_string()).collect()
}

#[test]
fn a_slow_target_is_told_once_and_in_order() {
    let (world, targets) = world(&[]);
    outbox(&world);
    let slow = slow(&world, &targets, 300_000);
    let servers = ["two", "three"].map(|host| world.server(host, |parts| parts.deliver = Some(slow.clone())));
    serve(&world, &[&servers[0], &servers[1]], 700_000);
    assert_eq!(arrived(&targets), ["first", "second"]);
    let seen: Vec<&str> = slow.seen.lock().unwrap().iter().map(|(what, _)| *what).collect();
    assert_eq!(seen, ["begun", "done", "begun", "done"], "longer than a lease, but prolonged");
}

/// A clock that is ahead of the others.
struct Ahead(ManualClock, i64);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        self.0.now().plus_millis(self.1)
    }

    fn monotonic_us(&self) -> u64 {
        self.0.monotonic_us()
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        self.0.sleep(millis)
    }
}

#[test]
fn clocks_may_differ_a_little() {
    let (world, targets) = world(&[Semantic]);
    outbox(&world);
    for session in ["s1", "s2", "s3"] {
        world.say(session, User, "the lighthouse was painted white");
    }
    let slow = slow(&world, &targets, 150_000);
    let servers = [("two", 0), ("three", 9_000)].map(|(host, ahead)| {
        world.server(host, |parts| {
            parts.deliver = Some(slow.clone());
            parts.clock = Arc::new(Ahead(world.clock.clone(), ahead));
        })
    });
    serve(&world, &[&servers[0], &servers[1]], 700_000);
    let seen: Vec<&str> = slow.seen.lock().unwrap().iter().map(|(what, _)| *what).collect();
    assert!(!seen.contains(&"broken off"), "{seen:?}");
    let arrived = arrived(&targets);
    assert_eq!(
        arrived.iter().collect::<BTreeSet<_>>().len(),
        arrived.len(),
        "none was sent twice: {arrived:?}"
    );
    assert_eq!((arrived.len(), world.texts().len()), (5, 1));
    let of_one_key: Vec<&String> =
        arrived.iter().filter(|id| matches!(id.as_str(), "first" | "second")).collect();
    assert_eq!(of_one_key, ["first", "second"]);
}

#[test]
fn a_delivery_of_a_server_that_died_is_sent_by_another() {
    let (world, targets) = world(&[]);
    outbox(&world);
    let store: &dyn Store = &*world.store;
    let (now, until) = (world.clock.now(), world.clock.now().plus_millis(60_000));
    let claimed = world.drive(store.write(move |tx| {
        let claim = DeliveryClaim { direction: Out, target: "hook", holder: "dead 0", now, until };
        tx.deliveries_mut().claim(&claim, 9)
    }));
    assert_eq!(claimed.unwrap().len(), 1, "the first of the key");
    serve(&world, &[&world.engine], 55_000);
    assert_eq!(arrived(&targets), Vec::<String>::new());
    serve(&world, &[&world.engine], 10_000);
    assert_eq!(arrived(&targets), ["first", "second"]);
}

/// The availability of a server's store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Whole,
    /// Every call fails immediately.
    None,
    /// No call returns until this ends.
    Silent,
    /// Writes take effect but do not return until this ends.
    Mute,
}

/// A store that can be disconnected.
struct Cut {
    inner: Arc<dyn Store>,
    reach: Arc<Mutex<Reach>>,
    clock: ManualClock,
}

impl Cut {
    async fn waits_while(&self, silent: &[Reach]) -> Result<()> {
        loop {
            let reach = *self.reach.lock().unwrap();
            match reach {
                Reach::None => return Err(Error::unavailable("cut off")),
                reach if silent.contains(&reach) => self.clock.sleep(100).await,
                Reach::Whole | Reach::Silent | Reach::Mute => return Ok(()),
            }
        }
    }
}

impl Store for Cut {
    fn write_boxed(&self, work: loci_model::ports::store::WriteWork) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.waits_while(&[Reach::Silent]).await?;
            let written = self.inner.write_boxed(work).await;
            self.waits_while(&[Reach::Silent, Reach::Mute]).await?;
            written
        })
    }

    fn read_boxed(&self, work: loci_model::ports::store::ReadWork) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.waits_while(&[Reach::Silent]).await?;
            self.inner.read_boxed(work).await
        })
    }

    loci_testkit_ports::as_within!();
}

/// Returns the tries of a server whose store is disconnected at some time, together with a server
/// that starts then.
fn cut_off(reach: Reach, is_sending: bool) -> (Vec<(&'static str, Timestamp)>, Vec<Notice>) {
    let (world, targets) = world(&[]);
    if is_sending {
        outbox(&world);
    }
    let (clock, slow) = (&world.clock, slow(&world, &targets, 200_000));
    let reached = Arc::new(Mutex::new(Reach::Whole));
    let of_two = reached.clone();
    let two = world.server("two", |parts| {
        parts.store = Arc::new(Cut { inner: parts.store.clone(), reach: of_two, clock: clock.clone() });
        parts.deliver = Some(slow.clone());
    });
    let late = world.server("three", |parts| parts.deliver = Some(targets.clone()));
    let loses = async {
        after(clock, 10_000).await;
        *reached.lock().unwrap() = reach;
        if !is_sending {
            outbox(&world);
        }
        after(clock, 3_000).await;
        late.run_jobs(after(clock, 100_000)).await;
        *reached.lock().unwrap() = Reach::Whole;
    };
    world.drive(join3(two.run_jobs(after(clock, 150_000)), loses, async {}));
    assert_eq!(arrived(&targets), ["first", "second"], "{reach:?}");
    let seen = slow.seen.lock().unwrap().clone();
    (seen, targets.notices())
}

/// A server sends nothing without a lease: if it cannot renew, it aborts its try before another
/// begins one, both for a store that reports errors and one that does not respond.
#[test]
fn a_server_without_its_store_sends_nothing_more() {
    for reach in [Reach::None, Reach::Silent] {
        let (seen, sent) = cut_off(reach, true);
        let [("begun", _), ("broken off", broken)] = seen.as_slice() else { panic!("{reach:?}: {seen:?}") };
        assert!(*broken <= sent[0].at, "{reach:?}: {broken:?} {:?}", sent[0].at);
    }
}

/// A claim whose response arrives too late has expired.
#[test]
fn what_was_claimed_long_ago_is_not_begun() {
    let (seen, _) = cut_off(Reach::Mute, false);
    assert_eq!(seen, []);
}

#[test]
fn one_server_sweeps_until_it_stops_or_dies() {
    let (world, _) = world(&[]);
    let [two, three] = ["two", "three"].map(|host| world.server(host, |_| {}));
    let clock = &world.clock;
    let dies = async {
        let run = std::pin::pin!(two.run_jobs(Box::pin(std::future::pending())));
        match select(run, after(clock, 100_000)).await {
            Either::Left(_) | Either::Right(_) => {}
        }
    };
    world.drive(dies);
    assert_eq!(holder_of_sweeps(&world).as_deref(), Some("two"));
    serve(&world, &[&three], 70_000);
    assert_eq!(holder_of_sweeps(&world).as_deref(), Some("two"), "it may be there");
    serve(&world, &[&three], 190_000);
    assert_eq!(holder_of_sweeps(&world), None, "the next one took it, and gave it up when it stopped");
    let both = async {
        let run = join3(
            three.run_jobs(after(clock, 400_000)),
            world.engine.run_jobs(after(clock, 400_000)),
            async {},
        );
        run.await;
    };
    let mut seen = BTreeSet::new();
    let watching = async {
        for _ in 0..5 {
            after(clock, 75_000).await;
            let (store, now): (&dyn Store, _) = (&*world.store, clock.now());
            seen.insert(store.read(move |tx| tx.leases().holder("sweep", now)).await.unwrap());
        }
    };
    world.drive(join3(both, watching, async {}));
    assert!(seen.len() == 1 && !seen.contains(&None), "{seen:?}");
}

#[test]
fn the_same_request_at_two_servers_is_one() {
    let (world, _) = world(&[Semantic]);
    let others = [world.server("two", |_| {}), world.server("three", |_| {})];
    let sent = |server: &Loci| {
        let (server, caller) = (server.clone(), world.caller.clone());
        let event = world.event("s1", vec![said(User, "the lighthouse was painted white")]);
        let token = ClientToken::new("once", &json!({})).unwrap();
        async move { server.event_create(&caller, event, Some(token)).await.unwrap().event.id }
    };
    let (one, two, three) = world.drive(join3(sent(&world.engine), sent(&others[0]), sent(&others[1])));
    assert!(one == two && two == three);
    serve(&world, &[&others[0], &others[1]], 20_000);
    assert_eq!(world.texts().len(), 1);
}

/// A server that starts wakes all jobs that wait for answers: they find their questions, and wait
/// again.
#[test]
fn a_question_is_one_whoever_starts_meanwhile() {
    let settings = Some(MemorySettings { model_mode: Some(ModelMode::Pull), ..MemorySettings::default() });
    let world =
        World::of(NewMemory { strategies: vec![strategy(Semantic)], settings, ..NewMemory::default() });
    let world = world.of_many();
    world.say("s1", User, "I live in Bern");
    let [two, three] = ["two", "three"].map(|host| world.server(host, |_| {}));
    serve(&world, &[&two], 10_000);
    let asked = world.extraction();
    assert!(asked.waits && world.exchanges_of(&asked) == 1);
    let ask = QuestionAsk { memory: None, steps: Vec::new(), lease_ms: 60_000, wait_ms: 0 };
    let taken = world.drive(three.question_next(&world.caller, &ask)).unwrap().unwrap();
    serve(&world, &[&two, &three], 10_000);
    let job = world.extraction();
    assert!(job.waits && world.exchanges_of(&job) == 1 && job.id == asked.id, "{job:?}");
    assert!(world.drive(two.question_next(&world.caller, &ask)).unwrap().is_none(), "it is somebody's");
    // Submitted to one server, read by another.
    let output = r#"[{"fact":"Alice lives in Bern.","sources":[1]}]"#.to_owned();
    let reply = JobResult { output, model: None, cost_usd: None };
    let answering = world.engine.question_answer(&world.caller, &world.memory.id, &taken.exchange.id, reply);
    let run = |server| loci_engine::Engine::run_jobs(server, after(&world.clock, 10_000));
    let (answered, ..) = world.drive(join3(answering, run(&two), run(&three)));
    assert_eq!((answered.unwrap().accepted, world.active().len()), (1, 1));
}

/// Counts safety findings.
#[derive(Default)]
struct Findings(Mutex<Vec<String>>);

impl Observe for Findings {
    fn finding(&self, what: &str) {
        self.0.lock().unwrap().push(what.to_owned());
    }
}

/// Stores repeat writes when servers conflict.
#[test]
fn what_safety_finds_is_counted_once_however_often_a_write_is_run() {
    let findings = Arc::new(Findings::default());
    let told = findings.clone();
    let new = NewMemory { strategies: vec![strategy(Semantic)], ..NewMemory::default() };
    let settings = EngineSettings { redaction: RedactionMode::Mask, ..EngineSettings::default() };
    let world = World::made(new, settings, |parts| parts.observe = told);
    let secret = format!("the key is {}", ["AKIA", "IOSFODNN7EXAMPLE"].concat());
    world.create(world.event("s1", vec![said(User, &secret)]));
    world.ingest("s2", vec![said(User, &secret)]);
    let (caller, memory, at) = (&world.caller, &world.memory.id, world.clock.now());
    let place = Namespace::parse("/notes/").unwrap();
    let new = NewRecord::fact("one".into(), vec![place], secret.clone(), at);
    let request = RecordsCreate { memory: memory.clone(), records: vec![new], expiry: None };
    let made = world.drive(world.engine.records_create(caller, request, None)).unwrap();
    let update = RecordUpdate {
        id: made.items[0].id.clone(),
        text: Some(format!("by now {secret}")),
        timestamp: at,
        namespaces: None,
        strategy: None,
        source_namespaces: None,
        metadata: None,
        if_version: None,
    };
    world.drive(world.engine.records_update(caller, memory, vec![update], None)).unwrap();
    assert_eq!(*findings.0.lock().unwrap(), ["aws_access_key"; 4]);
}
