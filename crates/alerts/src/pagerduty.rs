//! PagerDuty's webhooks, version 3: one event of one incident. A person or a rule in PagerDuty
//! resolves an incident, so a resolution closes the alert.

use loci_model::Result;
use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::services::alert_notice::{AlertBody, AlertChange, AlertNotice};
use serde_json::Value;

use crate::body_fields::{UNREAD, body, identifier, labels, of_no_use, title};
use crate::members::Members;

/// Reads webhook bodies of PagerDuty.
pub(crate) struct PagerDuty {
    pub(crate) labels: LabelMap,
}

/// The event type that PagerDuty sends to test a subscription.
const PING: &str = "pagey.ping";

impl AlertReader for PagerDuty {
    fn read(&self, bytes: &[u8]) -> Result<AlertBody> {
        let body = body(bytes, "PagerDuty")?;
        let event = body.get("event");
        if event.and_then(|event| event.get("event_type")).and_then(Value::as_str) == Some(PING) {
            return Ok(AlertBody::Ping);
        }
        let news = event.and_then(|event| self.news(event));
        Ok(AlertBody::News(vec![news.unwrap_or_else(|| of_no_use(UNREAD, body.to_string()))]))
    }
}

impl PagerDuty {
    /// Returns the notice of an event; none if its id or its type is missing.
    fn news(&self, event: &Value) -> Option<AlertNotice> {
        let mut members = Members::of(Some(event));
        let (id, event_type) = (members.text("id")?, members.text("event_type")?);
        let is_incident = members.text("resource_type").is_none_or(|kind| kind == "incident");
        let at = members.time("occurred_at");
        let mut data = Members::of(members.get("data"));
        let mut incident = Members::of(data.get("incident"));
        // A note has an id of its own and names its incident.
        let key = data.text("incident_key").or_else(|| incident.text("id")).or_else(|| data.text("id"));
        let service = Members::of(data.get("service")).line("summary");
        let said = [("service", service), ("urgency", data.line("urgency"))];
        let mut labels =
            labels(said.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?)))));
        let mut place = self.labels.place(&labels);
        place.service = place.service.or_else(|| labels.get("service").cloned());
        // An event without an incident has no key and no effect.
        let change = change(&event_type).filter(|_| is_incident && key.is_some());
        let (starts_at, url) = (data.time("created_at").or(at), data.line("html_url"));
        let about = data.text("title");
        members.note_left_out(&mut labels);
        data.note_left_out(&mut labels);
        Some(AlertNotice {
            identity: identifier(id),
            change,
            fingerprint: key.map(identifier).unwrap_or_default(),
            title: title(about.as_deref().unwrap_or("an incident without a title")),
            place,
            labels,
            starts_at,
            ends_at: at.filter(|_| change == Some(AlertChange::Closed)),
            group_key: None,
            url,
            event: identifier(event_type),
        })
    }
}

fn change(event: &str) -> Option<AlertChange> {
    match event {
        "incident.triggered" | "incident.reopened" => Some(AlertChange::Opened),
        "incident.resolved" => Some(AlertChange::Closed),
        "incident.escalated" => Some(AlertChange::Escalated),
        "incident.acknowledged" | "incident.annotated" | "incident.reassigned" => Some(AlertChange::Noted),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: Value) -> Result<AlertBody> {
        PagerDuty { labels: LabelMap::default() }.read(body.to_string().as_bytes())
    }

    fn event(kind: &str) -> Value {
        json!({"event": {
            "id": "01BBYA3PJ0", "event_type": kind, "resource_type": "incident", "occurred_at": "2026-11-21T15:10:00Z",
            "agent": {"id": "PABC"}, "client": null,
            "data": {"id": "PGR0VU2", "type": "incident", "status": "triggered", "incident_key": "d3640fbd41094207a1c11e58e46b1662",
                "title": "API server down", "service": {"id": "PF9KMXH", "summary": "api-server"}, "urgency": "high",
                "created_at": "2026-11-21T14:30:00Z", "html_url": "https://acme.pagerduty.example/incidents/PGR0VU2"},
        }})
    }

    #[test]
    fn events_say_what_happened() {
        let check = |kind: &str, expect: Option<AlertChange>| {
            let AlertBody::News(news) = read(event(kind)).unwrap() else { panic!("{kind}") };
            assert_eq!(news[0].change, expect, "{kind}");
            assert_eq!(news[0].fingerprint, "d3640fbd41094207a1c11e58e46b1662");
            assert_eq!(news[0].place.service.as_deref(), Some("api-server"));
            assert_eq!(news[0].ends_at.is_some(), expect == Some(AlertChange::Closed));
        };
        check("incident.triggered", Some(AlertChange::Opened));
        check("incident.reopened", Some(AlertChange::Opened));
        check("incident.resolved", Some(AlertChange::Closed));
        check("incident.escalated", Some(AlertChange::Escalated));
        check("incident.acknowledged", Some(AlertChange::Noted));
        check("incident.priority_updated", None);
        assert_eq!(read(json!({"event": {"id": "1", "event_type": PING}})).unwrap(), AlertBody::Ping);
    }

    #[test]
    fn what_is_of_no_incident_is_of_no_use() {
        let mut service = event("service.updated");
        service["event"]["resource_type"] = json!("service");
        service["event"]["data"] = json!({});
        let AlertBody::News(news) = read(service).unwrap() else { panic!() };
        assert_eq!(news[0].change, None);
        let mut nameless = event("incident.triggered");
        nameless["event"]["data"] = json!({});
        for (body, event) in [
            (nameless, "incident.triggered"),
            (json!({"event": []}), UNREAD),
            (json!({"event": {"id": "1"}}), UNREAD),
            (json!("ping"), UNREAD),
        ] {
            let AlertBody::News(news) = read(body).unwrap() else { panic!("{event}") };
            assert_eq!((news[0].change, news[0].event.as_str()), (None, event));
        }
        let reader = PagerDuty { labels: LabelMap::default() };
        assert_eq!(reader.read(b"").unwrap_err().field.as_deref(), Some("body"));
    }

    #[test]
    fn odd_members_cost_themselves_alone() {
        let mut odd = event("incident.triggered");
        odd["event"]["occurred_at"] = json!("soon");
        odd["event"]["data"]["service"] = json!("api-server");
        odd["event"]["data"]["urgency"] = json!([]);
        let AlertBody::News(news) = read(odd).unwrap() else { panic!() };
        assert_eq!(news[0].change, Some(AlertChange::Opened));
        assert_eq!(news[0].labels["loci_members_left_out"], "urgency");
        let mut note = event("incident.annotated");
        note["event"]["data"] = json!({"id": "PANN", "type": "incident_note", "incident": {"id": "PGR0VU2"}});
        let AlertBody::News(news) = read(note).unwrap() else { panic!() };
        assert_eq!((news[0].change, news[0].fingerprint.as_str()), (Some(AlertChange::Noted), "PGR0VU2"));
        let mut bare = event("incident.delegated");
        bare["event"]["data"] = Value::Null;
        assert!(read(bare).is_ok());
    }
}
