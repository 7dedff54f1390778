//! Opsgenie's outgoing webhooks: one action on one alert. Opsgenie treats alerts with the same
//! alias as one alert. `createdAt` is in milliseconds and `updatedAt` in nanoseconds.

use loci_model::Result;
use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::services::alert_notice::{AlertBody, AlertChange, AlertNotice};
use serde_json::Value;

use crate::body_fields::{UNREAD, body, identifier, labels, of_no_use, title};
use crate::members::Members;

/// Reads webhook bodies of Opsgenie.
pub(crate) struct Opsgenie {
    pub(crate) labels: LabelMap,
}

impl AlertReader for Opsgenie {
    fn read(&self, bytes: &[u8]) -> Result<AlertBody> {
        let body = body(bytes, "Opsgenie")?;
        let news = self.news(&body).unwrap_or_else(|| of_no_use(UNREAD, body.to_string()));
        Ok(AlertBody::News(vec![news]))
    }
}

impl Opsgenie {
    /// Returns the notice of a body; none if the body is not an action on an alert.
    fn news(&self, body: &Value) -> Option<AlertNotice> {
        let action = Members::of(Some(body)).text("action")?;
        let mut alert = Members::of(body.get("alert"));
        let id = identifier(alert.text("alertId")?);
        let change = change(&action);
        let (created, updated) = (alert.time("createdAt"), alert.time("updatedAt"));
        // The value as it was sent, because two actions of one kind may occur within a millisecond.
        let at = ["updatedAt", "createdAt"].into_iter().find_map(|name| alert.get(name));
        let identity = format!("{id} {action} {}", at.map(Value::to_string).unwrap_or_default());
        // Rules and people add details. Tags of the form `name:value` also become labels.
        let tags = alert.get("tags").and_then(Value::as_array).into_iter().flatten();
        let tags = tags.filter_map(Value::as_str).filter_map(|tag| tag.split_once(':'));
        let tags: Vec<(String, Value)> =
            tags.map(|(name, value)| (name.trim().to_owned(), Value::from(value.trim()))).collect();
        let beside = [("entity", alert.text("entity")), ("priority", alert.text("priority"))];
        let beside =
            beside.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?))));
        let mut labels = labels(tags.into_iter().chain(beside).chain(alert.object("details")));
        let mut place = self.labels.place(&labels);
        place.service =
            place.service.or_else(|| labels.get("entity").filter(|text| !text.is_empty()).cloned());
        let alias = alert.text("alias").map(identifier);
        let message = alert.text("message");
        alert.note_left_out(&mut labels);
        Some(AlertNotice {
            identity,
            change,
            fingerprint: alias.unwrap_or(id),
            title: title(message.as_deref().unwrap_or("an alert without a message")),
            place,
            labels,
            starts_at: created,
            ends_at: updated.filter(|_| change == Some(AlertChange::Closed)),
            group_key: None,
            url: None,
            event: identifier(action),
        })
    }
}

fn change(action: &str) -> Option<AlertChange> {
    match action {
        "Create" => Some(AlertChange::Opened),
        "Close" => Some(AlertChange::Closed),
        "Escalate" | "EscalateToNext" | "EscalateNext" => Some(AlertChange::Escalated),
        "Acknowledge" | "UnAcknowledge" | "AddNote" | "Delete" | "TakeOwnership" | "AssignOwnership" => {
            Some(AlertChange::Noted)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use loci_model::Timestamp;
    use serde_json::json;

    use super::*;

    fn read(body: Value) -> Result<AlertNotice> {
        let reader = Opsgenie { labels: LabelMap::default() };
        reader.read(body.to_string().as_bytes()).map(|body| match body {
            AlertBody::News(mut news) => news.remove(0),
            AlertBody::Ping => panic!("a ping"),
        })
    }

    fn action(word: &str, at: i64) -> Value {
        json!({
            "source": {"name": "", "type": "API"}, "action": word, "integrationName": "loci", "integrationId": "4513b7ea",
            "alert": {"alertId": "052652ac-5d1c", "alias": "api-down", "tinyId": "1791", "message": "API server down",
                "tags": ["env:prod", "urgent"], "entity": "api-server", "createdAt": 1_795_271_400_000_i64, "updatedAt": at,
                "username": "fili@acme.example", "description": "call +49 30 1234567", "team": "ops", "responders": [],
                "details": {"cluster": "eu-1"}, "priority": "P1"},
        })
    }

    #[test]
    fn actions_say_what_happened() {
        let check = |word: &str, expect: Option<AlertChange>| {
            let news = read(action(word, 1_795_273_800_000)).unwrap();
            assert_eq!(news.change, expect, "{word}");
            assert_eq!((news.fingerprint.as_str(), news.title.as_str()), ("api-down", "API server down"));
            assert_eq!(news.place.service.as_deref(), Some("api-server"));
            assert_eq!(news.place.environment.as_deref(), Some("prod"));
            assert_eq!(news.place.cluster.as_deref(), Some("eu-1"));
            assert_eq!(news.ends_at.is_some(), expect == Some(AlertChange::Closed));
        };
        check("Create", Some(AlertChange::Opened));
        check("Close", Some(AlertChange::Closed));
        check("EscalateToNext", Some(AlertChange::Escalated));
        check("AddNote", Some(AlertChange::Noted));
        check("Snooze", None);
    }

    #[test]
    fn the_same_action_later_is_other_news() {
        let one = read(action("AddNote", 1)).unwrap();
        assert_eq!(one.identity, read(action("AddNote", 1)).unwrap().identity);
        assert_ne!(one.identity, read(action("AddNote", 2)).unwrap().identity);
        let told = format!("{one:?}");
        assert!(
            !told.contains("fili@acme.example") && !told.contains("1234567"),
            "people's addresses stay out: {told}"
        );
    }

    #[test]
    fn a_close_in_nanoseconds_ends_the_alert() {
        for at in
            [json!(1_795_334_460_636_000_173_i64), json!("1795334460636000173"), json!(1_795_334_460_636_i64)]
        {
            let mut body = action("Close", 1);
            body["alert"]["updatedAt"] = at.clone();
            let news = read(body).unwrap();
            assert_eq!(news.change, Some(AlertChange::Closed), "{at}");
            assert_eq!(news.ends_at.map(Timestamp::millis), Some(1_795_334_460_636), "{at}");
        }
        // Numbers that differ only in their last digits are two actions.
        let note = |at: i64| read(action("AddNote", at)).unwrap().identity;
        assert_ne!(note(1_795_334_460_636_000_001), note(1_795_334_460_636_000_002));
    }

    #[test]
    fn odd_members_cost_themselves_alone() {
        let mut odd = action("Create", 1_795_273_800_000);
        for (member, value) in [
            ("createdAt", json!("soon")),
            ("details", json!([])),
            ("tags", Value::Null),
            ("message", Value::Null),
            ("entity", json!(7)),
            ("alias", json!("")),
        ] {
            odd["alert"][member] = value;
        }
        let news = read(odd).unwrap();
        assert_eq!((news.change, news.starts_at), (Some(AlertChange::Opened), None));
        assert_eq!(news.fingerprint, "052652ac-5d1c");
        assert_eq!(news.labels["loci_members_left_out"], "createdAt,details");
        assert_eq!(news.title, "an alert without a message");
    }

    #[test]
    fn what_is_no_action_on_an_alert_is_counted() {
        let mut nameless = action("Create", 1);
        nameless["alert"]["alertId"] = json!("");
        for body in [json!({"action": "Create"}), nameless, json!([])] {
            let news = read(body).unwrap();
            assert_eq!((news.change, news.event.as_str()), (None, UNREAD));
        }
        let reader = Opsgenie { labels: LabelMap::default() };
        assert_eq!(reader.read(b"{").unwrap_err().field.as_deref(), Some("body"));
    }
}
