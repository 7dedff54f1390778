//! Alertmanager's webhook, version 4: a group of alerts, each of which fires or is over. That a signal is over is no word on the matter.

use loci_model::alert_notice::{AlertBody, AlertChange, AlertNotice};
use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::{Error, Result, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::reading::{body, bounded, identifier, labels, line, time, title};

/// Reads them.
pub(crate) struct Alertmanager {
    pub(crate) labels: LabelMap,
}

/// How an end that is not there yet is written.
const OPEN: &str = "0001-01-01T00:00:00Z";

/// The label by which an alert says how many of its group were not sent.
const LEFT_OUT: &str = "truncated_alerts";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    version: Option<String>,
    group_key: Option<String>,
    #[serde(default)]
    truncated_alerts: u64,
    #[serde(default)]
    alerts: Vec<Alert>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Alert {
    status: String,
    #[serde(default)]
    labels: Map<String, Value>,
    #[serde(default)]
    annotations: Map<String, Value>,
    starts_at: String,
    ends_at: Option<String>,
    #[serde(rename = "generatorURL")]
    generator_url: Option<String>,
    fingerprint: String,
}

impl AlertReader for Alertmanager {
    fn read(&self, bytes: &[u8]) -> Result<AlertBody> {
        let body: Body = body(bytes, "Alertmanager")?;
        if body.version.as_deref() != Some("4") {
            return Err(Error::invalid("version", "version must be 4: this is no webhook of Alertmanager"));
        }
        let group = body.group_key.as_deref();
        let news = bounded(body.alerts, "alerts")?.into_iter().map(|alert| self.news(alert, group));
        let mut news: Vec<AlertNotice> = news.collect::<Result<_>>()?;
        if body.truncated_alerts > 0 {
            for one in &mut news {
                one.labels.insert(LEFT_OUT.to_owned(), body.truncated_alerts.to_string());
            }
        }
        Ok(AlertBody::News(news))
    }
}

impl Alertmanager {
    fn news(&self, alert: Alert, group: Option<&str>) -> Result<AlertNotice> {
        let fingerprint = identifier(alert.fingerprint, "alerts.fingerprint")?;
        let starts_at = time(Some(&alert.starts_at), "alerts.startsAt")?;
        let ends_at = time(alert.ends_at.as_deref().filter(|text| *text != OPEN), "alerts.endsAt")?;
        let labels = labels(alert.labels);
        let told = |name: &str| {
            let text = alert.annotations.get(name).and_then(Value::as_str);
            text.filter(|text| !text.trim().is_empty())
        };
        let name = labels.get("alertname").map(String::as_str);
        let about =
            told("summary").or_else(|| told("description")).or(name).unwrap_or("an alert without a name");
        let change = match alert.status.as_str() {
            "firing" => Some(AlertChange::Opened),
            "resolved" => Some(AlertChange::Cleared),
            _ => None,
        };
        let began = starts_at.map(Timestamp::millis).unwrap_or_default();
        Ok(AlertNotice {
            identity: format!("{fingerprint} {} {began}", alert.status),
            event: alert.status,
            change,
            title: title(about),
            place: self.labels.place(&labels),
            labels,
            starts_at,
            ends_at: ends_at.filter(|_| change == Some(AlertChange::Cleared)),
            group_key: group.map(|text| line(text, "groupKey")).transpose()?,
            url: alert.generator_url.map(|text| line(&text, "alerts.generatorURL")).transpose()?,
            fingerprint,
        })
    }
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
    fn what_is_no_webhook_of_it_is_refused() {
        let check = |body: Value, field: &str| {
            assert_eq!(read(body).unwrap_err().field.as_deref(), Some(field));
        };
        check(json!({"alerts": []}), "version");
        check(json!({"version": "4", "alerts": {}}), "body");
        let mut alert = firing();
        alert["fingerprint"] = json!("");
        check(json!({"version": "4", "alerts": [alert]}), "alerts.fingerprint");
        let mut alert = firing();
        alert["startsAt"] = json!("soon");
        check(json!({"version": "4", "alerts": [alert]}), "alerts.startsAt");
        check(json!({"version": "4", "alerts": vec![firing(); 501]}), "alerts");
    }
}
