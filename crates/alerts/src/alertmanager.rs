//! The webhook of Alertmanager (version 4). Grafana sends the same form under another version. A
//! body is a group of alerts, each firing or resolved. A resolved alert means that its signal
//! ended, not that a person settled the incident.

use std::collections::BTreeMap;

use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::services::alert_notice::{AlertBody, AlertChange, AlertNotice};
use loci_model::{Result, Timestamp};
use serde_json::Value;

use crate::body_fields::{UNREAD, body, fnv, identifier, labels, of_no_use, title};
use crate::members::Members;

/// Reads webhook bodies of Alertmanager.
pub(crate) struct Alertmanager {
    pub(crate) labels: LabelMap,
}

/// The label that holds the number of alerts of the group that Alertmanager did not send.
const LEFT_OUT: &str = "truncated_alerts";

impl AlertReader for Alertmanager {
    fn read(&self, bytes: &[u8]) -> Result<AlertBody> {
        let body = body(bytes, "Alertmanager")?;
        let Some(alerts) = body.get("alerts").and_then(Value::as_array) else {
            return Ok(AlertBody::News(vec![of_no_use(UNREAD, body.to_string())]));
        };
        let group = Members::of(Some(&body)).line("groupKey");
        let mut news: Vec<AlertNotice> =
            alerts.iter().map(|alert| self.news(alert, group.as_deref())).collect();
        let truncated = body.get("truncatedAlerts").and_then(Value::as_u64).filter(|count| *count > 0);
        if let Some(count) = truncated {
            for one in &mut news {
                one.labels.insert(LEFT_OUT.to_owned(), count.to_string());
            }
        }
        Ok(AlertBody::News(news))
    }
}

impl Alertmanager {
    fn news(&self, alert: &Value, group: Option<&str>) -> AlertNotice {
        let mut members = Members::of(Some(alert));
        let Some(status) = members.text("status") else { return of_no_use(UNREAD, alert.to_string()) };
        let (starts_at, ends_at) = (members.time("startsAt"), members.time("endsAt"));
        let mut labels = labels(members.object("labels"));
        let annotations = members.object("annotations");
        let told = |name: &str| {
            let text = annotations.get(name).and_then(Value::as_str);
            text.filter(|text| !text.trim().is_empty())
        };
        let name = labels.get("alertname").map(String::as_str);
        let about =
            told("summary").or_else(|| told("description")).or(name).unwrap_or("an alert without a name");
        let about = title(about);
        let change = match status.as_str() {
            "firing" => Some(AlertChange::Opened),
            "resolved" => Some(AlertChange::Cleared),
            _ => None,
        };
        let fingerprint = members.text("fingerprint").map_or_else(|| of_labels(&labels), identifier);
        let identity = match starts_at.map(Timestamp::millis) {
            Some(began) => format!("{fingerprint} {status} {began}"),
            // An alert without a start time is identified by its whole content.
            None => alert.to_string(),
        };
        let url = members.line("generatorURL");
        let place = self.labels.place(&labels);
        members.note_left_out(&mut labels);
        AlertNotice {
            identity,
            event: identifier(status),
            change,
            title: about,
            place,
            labels,
            starts_at,
            ends_at: ends_at.filter(|_| change == Some(AlertChange::Cleared)),
            group_key: group.map(str::to_owned),
            url,
            fingerprint,
        }
    }
}

/// Returns the fingerprint that Alertmanager computes from an alert's labels. Older senders do not
/// send it.
fn of_labels(labels: &BTreeMap<String, String>) -> String {
    let texts: Vec<&str> = labels.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]).collect();
    format!("{:016x}", fnv(&texts))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: Value) -> Result<Vec<AlertNotice>> {
        let reader = Alertmanager { labels: LabelMap::default() };
        reader.read(body.to_string().as_bytes()).map(|body| match body {
            AlertBody::News(news) => news,
            AlertBody::Ping => Vec::new(),
        })
    }

    fn firing() -> Value {
        json!({
            "status": "firing",
            "labels": {"alertname": "PodRestarts", "service": "api-server", "env": "prod", "cluster": "eu-1", "namespace": "shop"},
            "annotations": {"summary": "api-server restarts,\nagain"},
            "startsAt": "2026-11-21T14:30:00Z", "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus.example/graph", "fingerprint": "1a30ba71cca2921f",
        })
    }

    #[test]
    fn a_group_is_one_piece_of_news_for_each_alert() {
        let mut over = firing();
        (over["status"], over["endsAt"]) = (json!("resolved"), json!("2026-11-21T15:10:00Z"));
        let news =
            read(json!({"version": "4", "groupKey": "{}:{alertname=\"PodRestarts\"}", "receiver": "loci", "alerts": [firing(), over], "truncatedAlerts": 0}))
                .unwrap();
        let [one, two] = news.as_slice() else { panic!("{news:?}") };
        assert_eq!(one.change, Some(AlertChange::Opened));
        assert_eq!(one.title, "api-server restarts, again");
        assert_eq!(one.ends_at, None);
        assert_eq!(one.place.service.as_deref(), Some("api-server"));
        assert_eq!(one.place.environment.as_deref(), Some("prod"));
        assert_eq!(one.place.k8s_namespace.as_deref(), Some("shop"));
        assert_eq!(one.group_key.as_deref(), Some("{}:{alertname=\"PodRestarts\"}"));
        assert_eq!(two.change, Some(AlertChange::Cleared));
        assert_eq!(two.ends_at, Some(Timestamp::parse("2026-11-21T15:10:00Z").unwrap()));
        assert_eq!(one.fingerprint, two.fingerprint);
        assert_ne!(one.identity, two.identity);
    }

    #[test]
    fn half_a_letter_costs_no_body() {
        let body = json!({"version": "4", "alerts": [firing()]}).to_string().replace(",\\nagain", " \\ud83d");
        let reader = Alertmanager { labels: LabelMap::default() };
        let AlertBody::News(news) = reader.read(body.as_bytes()).unwrap() else { panic!("{body}") };
        assert_eq!(news[0].title, "api-server restarts \u{fffd}");
    }

    #[test]
    fn what_is_cut_is_told() {
        let mut long = firing();
        long["annotations"]["summary"] = json!("word ".repeat(3_000));
        let news = read(json!({"version": "4", "alerts": [long, firing()], "truncatedAlerts": 7})).unwrap();
        assert!(news[0].title.ends_with("…[truncated, 9900 of 14999 characters]"), "{}", news[0].title.len());
        assert_eq!(news[1].title, "api-server restarts, again");
        assert!(news.iter().all(|one| one.labels["truncated_alerts"] == "7"));
    }

    #[test]
    fn one_odd_alert_costs_itself_alone() {
        let odd = |member: &str, value: Value| {
            let mut alert = firing();
            alert[member] = value;
            alert
        };
        let check = |alert: Value, change: Option<AlertChange>, left_out: Option<&str>| {
            let news = read(json!({"version": "4", "alerts": [alert, firing()]})).unwrap();
            let [one, other] = news.as_slice() else { panic!("{news:?}") };
            let told = one.labels.get("loci_members_left_out").map(String::as_str);
            assert_eq!((one.change, told), (change, left_out), "{one:?}");
            assert_eq!(other.change, Some(AlertChange::Opened), "{one:?}");
        };
        let opened = Some(AlertChange::Opened);
        check(odd("startsAt", json!("soon")), opened, Some("startsAt"));
        check(odd("endsAt", json!("0001-01-01T00:00:00.000Z")), opened, None);
        check(odd("endsAt", json!("0001-01-01T00:00:00+00:00")), opened, None);
        check(odd("generatorURL", json!("x".repeat(10_001))), opened, Some("generatorURL"));
        check(odd("labels", json!([])), opened, Some("labels"));
        check(odd("annotations", Value::Null), opened, None);
        check(odd("fingerprint", json!("")), opened, None);
        check(odd("status", json!("pending")), None, None);
        check(odd("status", json!({})), None, None);
        check(json!("an alert"), None, None);
    }

    #[test]
    fn grafana_sends_the_same_form_under_another_version() {
        let mut alert = firing();
        (alert["silenceURL"], alert["values"]) = (json!("https://g.example/silence"), json!({"A": 1}));
        let body = json!({"version": "1", "alerts": [alert], "truncatedAlerts": null, "orgId": 1, "state": "alerting"});
        assert_eq!(read(body).unwrap()[0].fingerprint, "1a30ba71cca2921f");
    }

    #[test]
    fn a_fingerprint_that_is_not_sent_is_that_of_the_labels() {
        let check = |labels: Value, expect: &str| {
            let mut alert = firing();
            alert.as_object_mut().unwrap().remove("fingerprint");
            alert["labels"] = labels;
            assert_eq!(read(json!({"alerts": [alert]})).unwrap()[0].fingerprint, expect);
        };
        check(json!({}), "cbf29ce484222325");
        check(json!({"x": "y"}), "725f725716f98d94");
        check(
            json!({"occupation": "robot", "first_name": "electro", "manufacturer": "westinghouse"}),
            "520aa309145d62f2",
        );
    }

    #[test]
    fn what_is_none_of_its_bodies_is_counted_and_no_json_is_refused() {
        for body in [json!({"version": "4"}), json!([]), json!({"version": "4", "alerts": {}})] {
            let news = read(body).unwrap();
            assert_eq!((news[0].change, news[0].event.as_str()), (None, UNREAD));
        }
        assert_eq!(read(json!({"version": "4", "alerts": vec![firing(); 501]})).unwrap().len(), 501);
        let reader = Alertmanager { labels: LabelMap::default() };
        assert_eq!(reader.read(b"firing").unwrap_err().field.as_deref(), Some("body"));
    }
}
