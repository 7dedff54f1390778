//! PagerDuty's webhooks, version 3: one event of one incident. Who resolves an incident there is a person or a rule of theirs: it counts.

use std::collections::BTreeMap;

use loci_model::Result;
use loci_model::alert_notice::{AlertBody, AlertChange, AlertNotice};
use loci_model::ports::alerts::{AlertReader, LabelMap};
use serde::Deserialize;

use crate::reading::{body, identifier, line, time, title};

/// Reads them.
pub(crate) struct PagerDuty {
    pub(crate) labels: LabelMap,
}

/// What a subscription is tried with.
const PING: &str = "pagey.ping";

#[derive(Deserialize)]
struct Body {
    event: Event,
}

#[derive(Deserialize)]
struct Event {
    id: String,
    event_type: String,
    resource_type: Option<String>,
    occurred_at: Option<String>,
    #[serde(default)]
    data: Data,
}

#[derive(Deserialize, Default)]
struct Data {
    id: Option<String>,
    incident_key: Option<String>,
    title: Option<String>,
    service: Option<Named>,
    urgency: Option<String>,
    created_at: Option<String>,
    html_url: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    summary: Option<String>,
}

impl AlertReader for PagerDuty {
    fn read(&self, bytes: &[u8]) -> Result<AlertBody> {
        let Event { id, event_type, resource_type, occurred_at, data } =
            body::<Body>(bytes, "PagerDuty")?.event;
        if event_type == PING {
            return Ok(AlertBody::Ping);
        }
        let is_incident = resource_type.as_deref().is_none_or(|kind| kind == "incident");
        let change = change(&event_type).filter(|_| is_incident);
        let at = time(occurred_at.as_deref(), "event.occurred_at")?;
        let key = data.incident_key.filter(|key| !key.is_empty()).or(data.id);
        let service = data.service.and_then(|service| service.summary);
        let labels: BTreeMap<String, String> =
            [("service", service.as_deref()), ("urgency", data.urgency.as_deref())]
                .into_iter()
                .filter_map(|(name, text)| text.map(|text| Ok((name.to_owned(), line(text, "event.data")?))))
                .collect::<Result<_>>()?;
        let mut place = self.labels.place(&labels);
        place.service = place.service.or_else(|| labels.get("service").cloned());
        // What is of no incident has no key; nothing follows from it.
        let fingerprint = match (key, change) {
            (Some(key), _) => identifier(key, "event.data.incident_key")?,
            (None, None) => String::new(),
            (None, Some(_)) => identifier(String::new(), "event.data.id")?,
        };
        Ok(AlertBody::News(vec![AlertNotice {
            identity: identifier(id, "event.id")?,
            change,
            fingerprint,
            title: title(
                data.title
                    .as_deref()
                    .filter(|text| !text.trim().is_empty())
                    .unwrap_or("an incident without a title"),
            ),
            place,
            labels,
            starts_at: time(data.created_at.as_deref(), "event.data.created_at")?.or(at),
            ends_at: at.filter(|_| change == Some(AlertChange::Closed)),
            group_key: None,
            url: data.html_url.map(|text| line(&text, "event.data.html_url")).transpose()?,
            event: event_type,
        }]))
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
    use serde_json::{Value, json};

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
        assert_eq!(read(nameless).unwrap_err().field.as_deref(), Some("event.data.id"));
        assert_eq!(read(json!({"event": []})).unwrap_err().field.as_deref(), Some("body"));
    }
}
