//! Opsgenie's outgoing webhooks: one action on one alert. Its alias is what makes two alerts the same there.

use loci_model::alert_notice::{AlertBody, AlertChange, AlertNotice};
use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::{Result, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::reading::{body, identifier, labels, title};

/// Reads them.
pub(crate) struct Opsgenie {
    pub(crate) labels: LabelMap,
}

#[derive(Deserialize)]
struct Body {
    action: String,
    alert: Alert,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Alert {
    alert_id: String,
    alias: Option<String>,
    message: Option<String>,
    #[serde(default)]
    tags: Vec<Value>,
    entity: Option<String>,
    created_at: Option<i64>,
    updated_at: Option<i64>,
    priority: Option<String>,
    #[serde(default)]
    details: Option<Map<String, Value>>,
}

impl AlertReader for Opsgenie {
    fn read(&self, bytes: &[u8]) -> Result<AlertBody> {
        let Body { action, alert } = body(bytes, "Opsgenie")?;
        let change = change(&action);
        let id = identifier(alert.alert_id, "alert.alertId")?;
        let alias = alert.alias.filter(|alias| !alias.is_empty());
        let updated = alert.updated_at.or(alert.created_at).unwrap_or_default();
        // Details are what its rules and people add; tags of the form `name:value` are labels, too.
        let tags = alert.tags.iter().filter_map(Value::as_str).filter_map(|tag| tag.split_once(':'));
        let tags = tags.map(|(name, value)| (name.trim().to_owned(), Value::from(value.trim())));
        let beside = [("entity", alert.entity), ("priority", alert.priority)];
        let beside =
            beside.into_iter().filter_map(|(name, text)| Some((name.to_owned(), Value::from(text?))));
        let labels = labels(tags.chain(beside).chain(alert.details.unwrap_or_default()));
        let mut place = self.labels.place(&labels);
        place.service =
            place.service.or_else(|| labels.get("entity").filter(|text| !text.is_empty()).cloned());
        Ok(AlertBody::News(vec![AlertNotice {
            identity: format!("{id} {action} {updated}"),
            change,
            fingerprint: identifier(alias.unwrap_or(id), "alert.alias")?,
            title: title(
                alert
                    .message
                    .as_deref()
                    .filter(|text| !text.trim().is_empty())
                    .unwrap_or("an alert without a message"),
            ),
            place,
            labels,
            starts_at: alert
                .created_at
                .map(Timestamp::from_millis)
                .transpose()
                .map_err(|error| error.on("alert.createdAt"))?,
            ends_at: alert
                .updated_at
                .filter(|_| change == Some(AlertChange::Closed))
                .map(Timestamp::from_millis)
                .transpose()
                .map_err(|error| error.on("alert.updatedAt"))?,
            group_key: None,
            url: None,
            event: identifier(action, "action")?,
        }]))
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
    fn what_is_no_webhook_of_it_is_refused() {
        assert_eq!(read(json!({"action": "Create"})).unwrap_err().field.as_deref(), Some("body"));
        let mut nameless = action("Create", 1);
        nameless["alert"]["alertId"] = json!("");
        assert_eq!(read(nameless).unwrap_err().field.as_deref(), Some("alert.alertId"));
    }
}
