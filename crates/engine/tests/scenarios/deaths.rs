//! Whatever step of the pipeline is the last of a process (a write, a question to the model, a payload, a notification),
//! the next process brings everything to the same end: no message lost, none read, handed over or told of twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{Either, select};
use loci_engine::memories::{NewMemory, NewStrategy};
use loci_engine::settings::JobWebhook;
use loci_engine::{EngineParts, EngineSettings};
use loci_model::delivery::DeliveryState;
use loci_model::event::Role::{Assistant, User};
use loci_model::job::JobState;
use loci_model::ports::clock::Clock;
use loci_model::ports::deliver::{Notice, NoticeKind};
use loci_model::ports::store::JobQuery;
use loci_model::record::RecordState::{Active, Quarantined, Superseded};
use loci_model::strategy::StrategyBase::{SelfManaged as Own, Semantic, UserPreference};
use loci_model::strategy::{CustomConfiguration, SelfManaged, Trigger};
use loci_model::{Document, Timestamp};
use loci_testkit::{RecordingTargets, Script, ScriptedModel};
use serde_json::{Value, json};

use super::{facts, text};
use crate::dying::{Death, Moment, mortal};
use crate::world::{World, said, strategy};

const TOPIC: &str = "arn:aws:sns:us-west-2:000000000000:turns";
const STREAM: &str = "arn:aws:kinesis:us-west-2:000000000000:stream/records";

/// A world in which everything that can break off happens.
struct Story {
    world: World,
    death: Arc<Death>,
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

fn reader() -> ScriptedModel {
    let preferences = r#"[{"context":"","preference":"Prefers dark mode","categories":["technology"],"sources":[1]},
                          {"context":"","preference":"Prefers light mode now","categories":["technology"],"sources":[3]}]"#;
    ScriptedModel::new(vec![
        Script {
            when: Box::new(|asked| asked.system.contains("`preference`")),
            then: vec![text(preferences)],
        },
        Script {
            when: Box::new(|_| true),
            then: vec![facts(&[("Alice lives in Bern.", &[1]), ("Alice's dog is called Pixel.", &[1, 2])])],
        },
    ])
}

fn settings() -> EngineSettings {
    let ends = JobWebhook { target: "ends".into(), on: vec![JobState::Done, JobState::Failed], memory: None };
    EngineSettings { job_webhooks: vec![ends], ..EngineSettings::default() }
}

impl Story {
    /// Told, but nothing of it read yet.
    fn told() -> Self {
        let (death, model, targets) = (Arc::default(), Arc::new(reader()), Arc::default());
        let content = json!([{ "type": "MEMORY_RECORDS", "level": "FULL_CONTENT" }]);
        let stream = json!({ "resources": [{ "kinesis": { "dataStreamArn": STREAM, "contentConfigurations": content } }] });
        let new = NewMemory {
            strategies: vec![strategy(Semantic), strategy(UserPreference), own()],
            stream: Some(Document::from_value(&stream).unwrap()),
            ..NewMemory::default()
        };
        let world = World::made(new, settings(), |parts| mortal(parts, &death, &model, &targets));
        let talk = [
            (User, "I live in Bern and prefer dark mode. My dog is called Pixel."),
            (Assistant, "Noted: Pixel is your dog."),
            (User, "I prefer light mode now."),
        ];
        for (minute, (role, text)) in (1..).zip(talk) {
            let mut event = world.event("s1", vec![said(role, text)]);
            event.time = Some(Timestamp::clamped(minute * 60_000));
            world.create(event);
        }
        Self { world, death, model, targets }
    }

    /// Serves until there is nothing to do; false if the process died before.
    fn serve(&self) -> bool {
        let (engine, caller) = (self.world.engine.clone(), self.world.caller.clone());
        let (memory, clock) = (self.world.memory.id.clone(), self.world.clock.clone());
        let stop = Box::pin(async move {
            loop {
                let query = JobQuery { limit: 100, ..JobQuery::default() };
                let jobs = engine.job_list(&caller, &memory, query).await.unwrap().items;
                let sent = engine.delivery_list(&caller, &memory, None, None, 100).await.unwrap().items;
                let ended = jobs.iter().all(|job| matches!(job.state, JobState::Done | JobState::Failed));
                if ended && sent.iter().all(|delivery| delivery.state == DeliveryState::Done) {
                    return;
                }
                clock.sleep(100).await;
            }
        });
        let serving = std::pin::pin!(self.world.engine.run_jobs(stop));
        let death = std::pin::pin!(self.death.comes());
        matches!(self.world.drive(select(serving, death)), Either::Left(_))
    }

    /// The next process, which does not die.
    fn again(self) -> Self {
        let Self { world, model, targets, .. } = self;
        let death = Arc::default();
        let change = |parts: &mut EngineParts| mortal(parts, &death, &model, &targets);
        let world = world.reopened(settings(), change);
        Self { world, death, model, targets }
    }

    /// What the records say and how they were made, ids and times left aside.
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

    /// What receivers know, after leaving out what they were told before: by id, as the guide asks of them.
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

    /// What a notification says, ids and times left aside.
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

fn any_step_may_be_the_last_of_a_process(moment: Moment) {
    let calm = Story::told();
    let before = calm.death.steps();
    assert!(calm.serve());
    let (steps, questions) = (calm.death.steps() - before, calm.model.calls());
    let (records, known) = (calm.records(), calm.known());
    assert!(questions >= 2 && records.len() >= 4, "{questions} {records:?}");
    for sign in ["MemoryRecordCreated", "MemoryRecordDeleted", "I live in Bern and", "job.done"] {
        assert!(known.iter().any(|said| said.contains(sign)), "{sign}: {known:?}");
    }
    let mut deaths = 0;
    for step in 1..=steps {
        let story = Story::told();
        story.death.arm(step, moment);
        let story = if story.serve() {
            story
        } else {
            deaths += 1;
            let next = story.again();
            assert!(next.serve());
            next
        };
        let place = format!("step {step} of {steps}, {moment:?}");
        assert_eq!(story.records(), records, "{place}");
        assert_eq!(story.known(), known, "{place}");
        assert!(story.model.calls() <= questions + 2, "{place}: a kept answer was asked for again");
        assert_eq!(story.targets.objects().len(), 1, "{place}: one hand-over, one object");
        assert_eq!(story.world.missing_vectors(), 0, "{place}");
        for job in story.world.jobs() {
            assert_eq!(story.world.exchanges_of(&job), 0, "{place}");
        }
    }
    // The number of steps differs a little between runs: workers look again when others call.
    assert!(deaths * 10 > steps * 8, "{deaths} deaths in {steps} steps");
}

#[test]
fn a_process_may_die_before_any_step() {
    any_step_may_be_the_last_of_a_process(Moment::Before);
}

#[test]
fn a_process_may_die_after_any_step() {
    any_step_may_be_the_last_of_a_process(Moment::After);
}
