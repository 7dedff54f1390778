//! Task reports that a harness writes as events of the AgentCore wire. Without a model, their
//! learnings become knowledge, and the end of a task becomes its episode, never knowledge.

use std::collections::BTreeMap;

use loci_coding::hydration::{Hydration, episode_origin};
use loci_engine::events::NewEvent;
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::record::metadata::MetadataValue;
use loci_model::{ActorId, SessionId};
use loci_testkit_ports::block_on;

use super::workshop::{REPO, Workshop, task_id};

const LINE: &str = "Task t-900 completed with status: COMPLETED. PR: https://github.com/acme/shop/pull/57. \
                    Duration: 812.4s. Cost: $0.4213. Agent notes: I let orders be paged by a cursor. \
                    I changed src/api/orders.ts.";
const LEARNED: &str = "Repository learnings: - [Auth module]: session tokens are cached for 5 minutes.\n\
                       - The build needs Node 20.";

fn sent(shop: &Workshop, role: Role, (kind, text): (&str, &str), more: &[(&str, &str)]) {
    let metadata = [("task_id", "t-900"), ("type", kind)].into_iter().chain(more.iter().copied());
    let event = NewEvent {
        memory: shop.memory(),
        actor: ActorId::parse(REPO).unwrap(),
        session: Some(SessionId::parse("t-900").unwrap()),
        time: None,
        payload: vec![PayloadItem::Conversational { role, text: text.to_owned() }],
        branch: None,
        metadata: metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        extraction: ExtractionMode::Extract,
        namespace_variables: BTreeMap::new(),
        over_limit: false,
    };
    shop.world.clock().advance_ms(1_000);
    block_on(shop.engine.event_create(&shop.caller, event, None)).unwrap();
}

#[test]
fn a_report_becomes_an_episode_and_its_learnings_knowledge() {
    for role in [Role::Other, Role::Assistant] {
        let shop = Workshop::new();
        shop.begun("t-001");
        let asked = [("description", "Add pagination to /orders")];
        sent(&shop, role, ("task_episode", LINE), &asked);
        sent(&shop, role, ("repo_learnings", LEARNED), &[]);
        shop.work();
        let mut known: Vec<_> = shop.knowledge().iter().map(|id| shop.record(id)).collect();
        known.sort_by(|one, other| one.text.cmp(&other.text));
        let texts: Vec<_> = known.iter().map(|one| (one.text.as_str(), one.scope.as_deref())).collect();
        let expect = [
            ("The build needs Node 20.", None),
            ("[Auth module]: session tokens are cached for 5 minutes.", Some("module:auth")),
        ];
        assert_eq!(texts, expect, "{role:?}");
        assert_eq!(known[0].metadata["source_type"], MetadataValue::String("agent_learning".to_owned()));
        let episodes = shop.episodes();
        assert_eq!(episodes.len(), 1, "{role:?}");
        let text = shop.record(&episodes[0]).text;
        let episode: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(episode["intent"], "Add pagination to /orders");
        assert_eq!(episode["situation"], "I let orders be paged by a cursor. I changed src/api/orders.ts.");
        assert_eq!(episode["assessment"], "success");
        assert_eq!(episode["task"]["files_changed"], serde_json::json!(["src/api/orders.ts"]));
    }
}

#[test]
fn hydration_shows_what_a_report_says() {
    let shop = Workshop::new();
    shop.begun("t-001");
    sent(&shop, Role::Other, ("task_episode", LINE), &[("description", "Add pagination to /orders")]);
    shop.work();
    let asked = Hydration { query: Some("Page the orders by a cursor".to_owned()), ..Hydration::default() };
    let task = task_id("t-001");
    let found =
        block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task, asked)).unwrap();
    let shown: Vec<_> = found.plan.shown.iter().collect();
    assert_eq!(shown.len(), 1, "{}", found.plan.block);
    let (files, pr) = episode_origin(&shown[0].candidate);
    assert_eq!((files, pr), (vec!["src/api/orders.ts".to_owned()], Some(57)));
    assert!(found.plan.block.contains("Past tasks that worked"), "{}", found.plan.block);
    assert!(!found.plan.block.contains("Task t-900 completed with status"), "{}", found.plan.block);
}

#[test]
fn an_orchestrators_report_fills_the_agents() {
    let shop = Workshop::new();
    sent(&shop, Role::Other, ("task_episode", "Task t-900 completed with status: COMPLETED."), &[]);
    shop.work();
    let late = "Task t-900 completed with status: TIMED_OUT. Duration: 9s. Note: This is a minimal episode.";
    sent(&shop, Role::Other, ("orchestrator_fallback_episode", late), &[]);
    shop.work();
    let episodes = shop.episodes();
    assert_eq!(episodes.len(), 1);
    let record = shop.record(&episodes[0]);
    let says = |key: &str| record.metadata.get(key).cloned();
    let word = |text: &str| Some(MetadataValue::String(text.to_owned()));
    assert_eq!(record.version, 2);
    assert_eq!((says("status"), says("source_type")), (word("completed"), word("agent_episode")));
    assert_eq!(says("duration_s"), Some(MetadataValue::Number(9.0)));
}
