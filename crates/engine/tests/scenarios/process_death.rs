//! A process may die at any step of the pipeline: a write, a question to the model, a payload, a
//! notification. The next process, or another server in parallel, reaches the same result: no
//! message is lost, and none is extracted, handed over or notified twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{Either, select};
use loci_engine::memories::{NewMemory, NewStrategy};
use loci_engine::settings::JobWebhook;
use loci_engine::{EngineParts, EngineSettings};
use loci_model::delivery::DeliveryState;
use loci_model::event::Role::{self, Assistant, User};
use loci_model::job::JobState;
use loci_model::job::exchange::Step;
use loci_model::memory::settings::{ConsolidationSettings, MemorySettings};
use loci_model::memory::strategy::StrategyBase::{
    Episodic, SelfManaged as Own, Semantic, Summary, UserPreference,
};
use loci_model::memory::strategy::{CustomConfiguration, SelfManaged, Trigger};
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::deliver::{Notice, NoticeKind};
use loci_model::ports::language_model::Completion;
use loci_model::ports::store::JobQuery;
use loci_model::record::RecordState::{Active, Quarantined, Superseded};
use loci_model::{Document, Timestamp};
use loci_products::Loci;
use loci_testkit_ports::{RecordingTargets, Script, ScriptedModel, ScriptedReply};
use serde_json::{Value, json};

use super::episodes::episode;
use super::reflections::{insight, insights};
use super::summaries::summary;
use super::{facts, text};
use crate::fixture::{World, said, strategy};
use crate::process_death::{Moment, ScheduledDeath, mortal};

const TOPIC: &str = "arn:aws:sns:us-west-2:000000000000:turns";
const STREAM: &str = "arn:aws:kinesis:us-west-2:000000000000:stream/records";
/// Maximum number of concurrent questions: that many may be asked again.
const AT_ONCE: usize = 4;

/// The content of a story.
#[derive(Debug, Clone, Copy)]
enum Tale {
    /// One session extracted for facts and preferences, handed over, and with all notifications.
    Facts,
    /// Two sessions, a summary and an episode of each, and a reflection on both.
    Episodes,
}

/// A world with all steps that can be aborted.
struct Story {
    tale: Tale,
    world: World,
    death: Arc<ScheduledDeath>,
    model: Arc<ScriptedModel>,
    targets: Arc<RecordingTargets>,
}

fn own() -> NewStrategy {
    let own = SelfManaged {
        triggers: vec![Trigger::Messages(3)],
        topic_arn: TOPIC.to_owned(),
        payload_bucket: "turns".to_owned(),
        history_messages: 2,
    };
    let custom = CustomConfiguration { self_managed: Some(own), ..CustomConfiguration::default() };
    NewStrategy { custom: Some(custom), ..strategy(Own) }
}

impl Tale {
    fn model(self) -> ScriptedModel {
        let preferences = r#"[{"context":"","preference":"Prefers dark mode","categories":["technology"],"sources":[1]},
                              {"context":"","preference":"Prefers light mode now","categories":["technology"],"sources":[3]}]"#;
        let script = |when: fn(&Completion) -> bool, then: ScriptedReply| Script {
            when: Box::new(when),
            then: vec![then],
        };
        ScriptedModel::new(match self {
            Self::Facts => vec![
                script(|asked| asked.system.contains("`preference`"), text(preferences)),
                script(
                    |_| true,
                    facts(&[("Alice lives in Bern.", &[1]), ("Alice's dog is called Pixel.", &[1, 2])]),
                ),
            ],
            Self::Episodes => vec![
                Script::of_step(Step::Reflect, vec![insights(&[insight("Round the lines first", &[1, 2])])]),
                script(
                    |asked| asked.system.contains("<global_summary>"),
                    summary("A cart is fixed.", &[("Cart", "The total of the cart is rounded.")]),
                ),
                script(|_| true, episode("Fix the cart", "success", &[(1, "rounded the total")])),
            ],
        })
    }

    fn memory(self) -> NewMemory {
        let content = json!([{ "type": "MEMORY_RECORDS", "level": "FULL_CONTENT" }]);
        let stream = json!({ "resources": [{ "kinesis": { "dataStreamArn": STREAM, "contentConfigurations": content } }] });
        let stream = Some(Document::from_value(&stream).unwrap());
        match self {
            Self::Facts => NewMemory {
                strategies: vec![strategy(Semantic), strategy(UserPreference), own()],
                stream,
                ..NewMemory::default()
            },
            Self::Episodes => {
                let consolidation = ConsolidationSettings {
                    reflect_every: 2,
                    reflect_min_episodes: 2,
                    ..ConsolidationSettings::default()
                };
                NewMemory {
                    strategies: vec![strategy(Summary), strategy(Episodic)],
                    stream,
                    settings: Some(MemorySettings { consolidation, ..MemorySettings::default() }),
                    ..NewMemory::default()
                }
            }
        }
    }

    /// Returns the sessions and their messages, one event each.
    fn talk(self) -> &'static [(&'static str, Role, &'static str)] {
        match self {
            Self::Facts => &[
                ("s1", User, "I live in Bern and prefer dark mode. My dog is called Pixel."),
                ("s1", Assistant, "Noted: Pixel is your dog."),
                ("s1", User, "I prefer light mode now."),
            ],
            Self::Episodes => &[
                ("s1", User, "Fix the cart of shop 1."),
                ("s1", Assistant, "The total of the cart is rounded by now."),
                ("s2", User, "Fix the cart of shop 2."),
                ("s2", Assistant, "The total of the cart is rounded by now."),
            ],
        }
    }

    /// Returns texts that the notifications must contain, so that the story covers all kinds.
    fn signs(self) -> &'static [&'static str] {
        match self {
            Self::Facts => &["MemoryRecordCreated", "MemoryRecordDeleted", "I live in Bern and", "job.done"],
            Self::Episodes => &["The total of the cart", "rounded the total", "Round the lines", "reflect"],
        }
    }
}

fn settings() -> EngineSettings {
    let ends = JobWebhook { target: "ends".into(), on: vec![JobState::Done, JobState::Failed], memory: None };
    EngineSettings { job_webhooks: vec![ends], ..EngineSettings::default() }
}

impl Story {
    /// Creates the story before any extraction.
    fn told(tale: Tale) -> Self {
        let (death, model, targets) = (Arc::default(), Arc::new(tale.model()), Arc::default());
        let world = World::made(tale.memory(), settings(), |parts| mortal(parts, &death, &model, &targets));
        for (minute, (session, role, text)) in (1..).zip(tale.talk()) {
            let mut event = world.event(session, vec![said(*role, text)]);
            // Ids and order of events are the same in every world.
            event.time = Some(Timestamp::clamped(minute * 60_000));
            world.create(event);
        }
        Self { tale, world, death, model, targets }
    }

    /// Resolves when no work is left.
    fn is_done(&self, engine: &Loci) -> BoxFuture<'static, ()> {
        let (engine, caller) = (engine.clone(), self.world.caller.clone());
        let (memory, clock) = (self.world.memory.id.clone(), self.world.clock.clone());
        let until = clock.now().plus_millis(3_600_000);
        Box::pin(async move {
            loop {
                let query = JobQuery { limit: 100, ..JobQuery::default() };
                let jobs = engine.job_list(&caller, &memory, query).await.unwrap().items;
                let sent = engine.delivery_list(&caller, &memory, None, None, 100).await.unwrap().items;
                let ended = jobs.iter().all(|job| matches!(job.state, JobState::Done | JobState::Failed));
                if ended && sent.iter().all(|delivery| delivery.state == DeliveryState::Done) {
                    return;
                }
                assert!(clock.now() < until, "it comes to no end: {jobs:?} {sent:?}");
                clock.sleep(100).await;
            }
        })
    }

    /// Serves until no work is left; returns false if the process died before.
    fn serve(&self) -> bool {
        let engine = &self.world.engine;
        let serving = std::pin::pin!(engine.run_jobs(self.is_done(engine)));
        let death = std::pin::pin!(self.death.comes());
        matches!(self.world.drive(select(serving, death)), Either::Left(_))
    }

    /// Serves together with another server that does not die, until that one has no work left;
    /// returns false if the first one died before.
    fn serve_beside_another(&mut self) -> bool {
        let other = self.world.server("other", |parts| {
            parts.store = self.world.store.clone();
            mortal(parts, &Arc::default(), &self.model, &self.targets);
        });
        let mut died = false;
        let first = async {
            {
                let serving = std::pin::pin!(self.world.engine.run_jobs(Box::pin(std::future::pending())));
                let death = std::pin::pin!(self.death.comes());
                select(serving, death).await;
            }
            // Nothing of it continues.
            died = true;
            std::future::pending::<()>().await;
        };
        let serving = Box::pin(other.run_jobs(self.is_done(&other)));
        self.world.drive(select(Box::pin(first), serving));
        // A dead server does not respond.
        self.world.engine = other.clone();
        !died
    }

    /// Starts the next process, which does not die.
    fn again(self) -> Self {
        let Self { tale, world, model, targets, .. } = self;
        let death = Arc::default();
        let change = |parts: &mut EngineParts| mortal(parts, &death, &model, &targets);
        let world = world.reopened(settings(), change);
        Self { tale, world, death, model, targets }
    }

    /// Returns the content and making of the records without ids and times.
    fn records(&self) -> Vec<(String, String, usize)> {
        let mut seen: Vec<_> = self
            .world
            .records(&[Active, Superseded, Quarantined])
            .into_iter()
            .map(|record| {
                let mode = record.making.as_ref().map(|making| making.mode);
                let how = format!("{:?} {mode:?} v{}", record.state, record.version);
                (record.text.clone(), how, record.provenance.sources.len())
            })
            .collect();
        seen.sort();
        seen
    }

    /// Returns the notifications without repetitions by id, as the guide advises receivers.
    fn known(&self) -> Vec<String> {
        let mut by_id: BTreeMap<String, Value> = BTreeMap::new();
        for notice in self.targets.notices() {
            let said = json!([notice.target, self.essence(&notice)]);
            let before = by_id.insert(notice.id.to_string(), said.clone());
            assert!(before.is_none_or(|before| before == said), "one id, two messages: {notice:?}");
        }
        let mut known: Vec<String> = by_id.into_values().map(|said| said.to_string()).collect();
        known.sort();
        known
    }

    /// Returns the content of a notification without ids and times.
    fn essence(&self, notice: &Notice) -> Value {
        let body = notice.body.value().unwrap();
        match notice.kind {
            NoticeKind::RecordStream => {
                let event = &body["memoryStreamEvent"];
                json!([event["eventType"], event["memoryRecordText"]])
            }
            NoticeKind::SelfManaged => {
                let key = body["s3PayloadLocation"].as_str().unwrap().strip_prefix("s3://turns/").unwrap();
                let payload = self.targets.object("turns", key).unwrap();
                let payload: Value = serde_json::from_slice(&payload).unwrap();
                json!([payload["currentContext"], payload["historicalContext"]])
            }
            NoticeKind::JobEnded | NoticeKind::Test => json!([body["type"], body["job"]["kind"]]),
        }
    }
}

/// The expected end of a story.
struct End {
    steps: i64,
    questions: usize,
    records: Vec<(String, String, usize)>,
    known: Vec<String>,
    objects: usize,
}

impl End {
    fn of(tale: Tale) -> Self {
        let calm = Story::told(tale);
        let before = calm.death.steps();
        assert!(calm.serve());
        let end = Self {
            steps: calm.death.steps() - before,
            questions: calm.model.calls(),
            records: calm.records(),
            known: calm.known(),
            objects: calm.targets.objects().len(),
        };
        assert!(end.questions >= 2 && end.records.len() >= 4, "{} {:?}", end.questions, end.records);
        for sign in calm.tale.signs() {
            assert!(end.known.iter().any(|said| said.contains(sign)), "{sign}: {:?}", end.known);
        }
        end
    }

    fn check(&self, story: &Story, place: &str) {
        assert_eq!(story.records(), self.records, "{place}");
        assert_eq!(story.known(), self.known, "{place}");
        assert!(
            story.model.calls() <= self.questions + AT_ONCE,
            "{place}: a kept answer was asked for again"
        );
        assert_eq!(story.targets.objects().len(), self.objects, "{place}: one hand-over, one object");
        assert_eq!(story.world.missing_vectors(), 0, "{place}");
        for job in story.world.jobs() {
            assert_eq!(story.world.exchanges_of(&job), 0, "{place}");
        }
    }
}

fn any_step_may_be_the_last_of_a_process(tale: Tale, moment: impl Fn(i64) -> Moment) {
    let end = End::of(tale);
    let mut deaths = 0;
    for step in 1..=end.steps {
        let (story, moment) = (Story::told(tale), moment(step));
        story.death.arm(step, moment);
        let story = if story.serve() {
            story
        } else {
            deaths += 1;
            let next = story.again();
            assert!(next.serve());
            next
        };
        end.check(&story, &format!("step {step} of {}, {moment:?}", end.steps));
    }
    // The number of steps varies slightly between runs, because workers poll again after a wake-up.
    assert!(deaths * 10 > end.steps * 8, "{deaths} deaths in {} steps", end.steps);
}

#[test]
fn a_process_may_die_before_any_step() {
    any_step_may_be_the_last_of_a_process(Tale::Facts, |_| Moment::Before);
}

#[test]
fn a_process_may_die_after_any_step() {
    any_step_may_be_the_last_of_a_process(Tale::Facts, |_| Moment::After);
}

#[test]
fn a_process_may_die_while_it_summarises_and_reflects() {
    // "Before" a step equals "after" the previous one, except for models and receivers.
    any_step_may_be_the_last_of_a_process(Tale::Episodes, |step| {
        if step % 2 == 0 { Moment::Before } else { Moment::After }
    });
}

/// One of two servers dies; the other one takes over its work after its leases have expired.
#[test]
fn a_server_may_die_beside_another() {
    let end = End::of(Tale::Facts);
    let mut deaths = 0;
    for step in (1..=end.steps).step_by(3) {
        let moment = if step % 2 == 0 { Moment::Before } else { Moment::After };
        let mut story = Story::told(Tale::Facts);
        story.world = story.world.of_many();
        story.death.arm(step, moment);
        deaths += i64::from(!story.serve_beside_another());
        end.check(&story, &format!("step {step} of {}, {moment:?}", end.steps));
    }
    // The other server does a part of the steps.
    assert!(deaths * 10 > end.steps, "{deaths} deaths in {} steps", end.steps);
}
