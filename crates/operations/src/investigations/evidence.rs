//! Verifies evidence in agents' answers. Evidence is verified if it names a tool call that was
//! reported for the investigation separately from the agent's text. Other evidence is kept and
//! marked as unverified, because an author can name any call. Records that a caller saves by type
//! are not checked here: the caller vouches for them.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_model::event::filter::EventFilter;
use loci_model::event::{Event, PayloadItem};
use loci_model::ports::store::{EventQuery, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, Result};
use serde_json::{Value, json};

use super::agent_response::{INCIDENT, TYPE, TYPE_RESPONSE};
use super::capture::AnswerContext;
use crate::Operations;
use crate::records::namespace_rules;
use crate::records::save::PRIVATE;
use crate::retrieval::scores::UNVERIFIED;

/// The maximum number of answers of an agent in a session whose calls are read, newest first.
const ANSWERS_MAX: usize = 200;

/// Returns the ids of the reported tool calls.
pub(super) fn calls_of<'a>(reported: impl IntoIterator<Item = &'a Value>) -> BTreeSet<String> {
    let id = |call: &Value| call.get("id")?.as_str().map(|id| id.trim().to_owned());
    reported.into_iter().filter_map(id).filter(|id| !id.is_empty()).collect()
}

/// Returns the call that a piece of evidence names.
fn call(evidence: &Value) -> Option<&str> {
    evidence.get("tool_call_id")?.as_str().map(str::trim).filter(|id| !id.is_empty())
}

/// Returns the calls that the evidence of items names.
fn named(items: &[Value]) -> BTreeSet<String> {
    let lists = items.iter().filter_map(|item| item.get("evidence")?.as_array());
    lists.flatten().filter_map(call).map(str::to_owned).collect()
}

/// Marks evidence that names none of the calls, and removes any mark set by its author. The rules
/// of items reject malformed evidence.
fn mark(items: &mut [Value], calls: &BTreeSet<String>) {
    let lists = items.iter_mut().filter_map(|item| item.get_mut("evidence")?.as_array_mut());
    for evidence in lists.flatten() {
        let is_reported = call(evidence).is_some_and(|id| calls.contains(id));
        let Some(members) = evidence.as_object_mut() else { continue };
        members.remove(UNVERIFIED);
        if !is_reported {
            members.insert(UNVERIFIED.to_owned(), json!(true));
        }
    }
}

impl Operations {
    /// Marks the evidence in an answer that names no call reported for its investigation, with this
    /// answer or another one.
    pub(super) async fn mark_unverified(
        &self,
        caller: &Principal,
        answer: &AnswerContext<'_>,
        items: &mut [Value],
    ) -> Result<()> {
        let mut calls = answer.calls.clone();
        // Most evidence names calls of its own answer: read the other answers only if some does
        // not.
        if !named(items).is_subset(&calls) {
            calls.extend(self.stored_calls(caller, answer).await?);
        }
        mark(items, &calls);
        Ok(())
    }

    /// Returns the calls reported with stored answers that the caller may read or write.
    async fn stored_calls(&self, caller: &Principal, answer: &AnswerContext<'_>) -> Result<BTreeSet<String>> {
        let (memory, now) = (answer.memory.clone(), self.engine.now());
        let settings = self.settings.of(&memory);
        let agents = settings.agents.iter().chain(&settings.capture_agents).map(String::as_str);
        let actors: BTreeSet<ActorId> = agents
            .chain([answer.agent])
            .filter_map(|name| namespace_rules::actor(SreType::Infrastructure, name, settings).ok())
            .collect();
        let session = namespace_rules::session(SreType::Infrastructure, Some(answer.session))?;
        let mut metadata = vec![
            EventFilter::Equals(TYPE.to_owned(), TYPE_RESPONSE.to_owned()),
            EventFilter::Equals(INCIDENT.to_owned(), answer.incident.to_owned()),
        ];
        if answer.private_to.is_none() {
            metadata.push(EventFilter::NotExists(PRIVATE.to_owned()));
        }
        let may = |actor: &ActorId| {
            let view =
                |capability| access::event_view(caller, &memory, actor, Some(&session), capability, now).ok();
            view(Capability::Read).or_else(|| view(Capability::Write))
        };
        let query = |(actor, only)| EventQuery {
            memory: memory.clone(),
            actor,
            session: session.clone(),
            branches: None,
            metadata: metadata.clone(),
            only,
            before: None,
            limit: ANSWERS_MAX,
            now,
            with_payload: true,
        };
        let seen = actors.into_iter().filter_map(|actor| may(&actor).map(|view| (actor, view.only())));
        let queries: Vec<EventQuery> = seen.map(query).collect();
        self.engine
            .store()
            .read(move |tx| {
                let mut calls = BTreeSet::new();
                for query in &queries {
                    calls.extend(tx.events().list(query)?.iter().flat_map(reported_with));
                }
                Ok(calls)
            })
            .await
    }
}

/// Returns the calls reported with an answer.
pub(super) fn reported_with(event: &Event) -> BTreeSet<String> {
    let list = |item: &PayloadItem| match item {
        PayloadItem::Blob(calls) => serde_json::from_str::<Vec<Value>>(calls.as_str()).ok(),
        PayloadItem::Conversational { .. } | PayloadItem::Json(_) => None,
    };
    calls_of(event.payload.iter().filter_map(list).flatten().collect::<Vec<_>>().iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_no_call_is_marked() {
        let calls = calls_of(&[json!({"id": "tc_1"}), json!({"id": " "}), json!({"name": "x"}), json!(7)]);
        assert_eq!(calls, BTreeSet::from(["tc_1".to_owned()]));
        let check = |evidence: Value, expect: Value| {
            let mut items = [json!({"evidence": evidence})];
            mark(&mut items, &calls);
            assert_eq!(items[0]["evidence"], expect);
        };
        let one = json!({"tool_call_id": "tc_1", "tool": "logs"});
        check(json!([one]), json!([one]));
        check(json!([{"tool_call_id": " tc_1 "}]), json!([{"tool_call_id": " tc_1 "}]));
        check(json!([{"tool_call_id": "tc_1", "unverified": true}]), json!([{"tool_call_id": "tc_1"}]));
        let marked = json!([{"tool_call_id": "tc_2", "unverified": true}]);
        check(json!([{"tool_call_id": "tc_2"}]), marked.clone());
        check(json!([{"tool_call_id": "tc_2", "unverified": false}]), marked);
        check(json!([{"tool": "logs"}]), json!([{"tool": "logs", "unverified": true}]));
        // Malformed evidence, which the rules of items reject.
        check(json!("tc_1"), json!("tc_1"));
        check(json!(["tc_1"]), json!(["tc_1"]));
        assert_eq!(named(&[json!({"evidence": [one, {"tool": "x"}]}), json!(7)]), calls);
    }
}
