//! Plain-text findings in the next start: as saved, and as refuted if their cause was refuted.

use loci_model::services::knowledge::{SreSource, SreType};
use serde_json::{Value, json};

use super::investigation_start::{asked, start};
use super::{CallerStatement, of_team, reopened, world};

const LIMIT: &str = "Pod memory limit (512Mi) is too low";

fn save(world: &crate::fixture::World, data: Value) {
    let alice = of_team("alice");
    let kind = SreType::Investigations;
    let said =
        CallerStatement { by: &alice, source: SreSource::Agent, kind, actor: "alice", session: Some("s-1") };
    said.save(world, data).unwrap();
}

#[test]
fn findings_as_texts_are_rendered_in_the_next_start() {
    let world = world();
    save(
        &world,
        json!({"incident_id": "incident_1", "query": "Why are the API pods crashing?",
               "key_findings": [LIMIT, "Restarts follow the nightly batch"],
               "actions_taken": ["raised the limit"], "resolution_status": "completed"}),
    );
    let world = reopened(world);
    let started = start(&world, &of_team("bob"), asked(&world, "bob", "API pods are crashing")).unwrap();
    let line = started.rendered.lines().find(|line| line.contains("incident_1")).unwrap();
    assert!(line.contains(&format!("found: [unverified] {LIMIT}; found: ")), "{line}");
    assert!(line.contains("Restarts follow the nightly batch"), "{line}");
    assert!(!started.rendered.contains("no root cause known"), "{}", started.rendered);
}

#[test]
fn an_investigation_without_findings_has_no_known_cause() {
    let world = world();
    save(&world, json!({"incident_id": "incident_2", "query": "API pods are crashing", "key_findings": []}));
    let started = start(&world, &of_team("bob"), asked(&world, "bob", "API pods are crashing")).unwrap();
    assert!(started.rendered.contains("no root cause known"), "{}", started.rendered);
}
