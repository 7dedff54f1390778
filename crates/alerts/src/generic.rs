//! Bodies of any other system, read by JSON pointers that the configuration names: one body is one piece of news.

use std::fmt;

use loci_model::alert_notice::{AlertBody, AlertChange, AlertNotice};
use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::{Error, Result, Timestamp};
use serde_json::{Map, Value};

use crate::reading::{body, identifier, labels, time, title};

/// Where members stand in a body, as JSON pointers (RFC 6901).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// What tells one body from another; none: all of the body does.
    pub id: Option<String>,
    /// What the same trouble has in common; required.
    pub fingerprint: String,
    /// A line on it; required.
    pub title: String,
    /// The word that says what happened; required.
    pub status: String,
    /// Words of it that open an alert; at least one.
    pub open_values: Vec<String>,
    /// Words of it that close one.
    pub close_values: Vec<String>,
    /// The service.
    pub service: Option<String>,
    /// The environment.
    pub environment: Option<String>,
    /// When it began: RFC 3339, or milliseconds.
    pub starts_at: Option<String>,
    /// When it ended.
    pub ends_at: Option<String>,
    /// An object of labels.
    pub labels: Option<String>,
}

/// Places that a configuration must name, or names wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacesMissing(&'static str);

impl fmt::Display for PlacesMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for PlacesMissing {}

/// Reads them.
#[derive(Debug)]
pub(crate) struct Generic {
    places: Places,
    labels: LabelMap,
}

impl Generic {
    pub(crate) fn new(places: Places, labels: LabelMap) -> std::result::Result<Self, PlacesMissing> {
        let required = [&places.fingerprint, &places.title, &places.status];
        if required.iter().any(|place| place.is_empty()) || places.open_values.is_empty() {
            return Err(PlacesMissing(
                "a generic hook needs the JSON pointers fingerprint, title and status, and open_values",
            ));
        }
        let optional = [
            &places.id,
            &places.service,
            &places.environment,
            &places.starts_at,
            &places.ends_at,
            &places.labels,
        ];
        let named = required.into_iter().chain(optional.into_iter().flatten());
        if named.into_iter().any(|place| !place.starts_with('/')) {
            return Err(PlacesMissing("places are JSON pointers: each begins with /"));
        }
        Ok(Self { places, labels })
    }

    fn at<'b>(&self, body: &'b Value, place: Option<&str>) -> Option<&'b Value> {
        place.and_then(|place| body.pointer(place)).filter(|value| !value.is_null())
    }

    fn required(&self, body: &Value, place: &str, field: &'static str) -> Result<String> {
        let missing = || Error::invalid(field, format!("the body has no text at {place} for {field}"));
        self.at(body, Some(place)).and_then(text).ok_or_else(missing)
    }

    fn time(&self, body: &Value, place: Option<&str>, field: &'static str) -> Result<Option<Timestamp>> {
        match self.at(body, place) {
            Some(Value::Number(millis)) => {
                let wrong = || Error::invalid(field, format!("{field} must be RFC 3339 or milliseconds"));
                let millis = millis.as_i64().ok_or_else(wrong)?;
                Timestamp::from_millis(millis).map(Some).map_err(|error| error.on(field))
            }
            Some(value) => time(value.as_str(), field),
            None => Ok(None),
        }
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

impl AlertReader for Generic {
    fn read(&self, bytes: &[u8]) -> Result<AlertBody> {
        let body: Value = body(bytes, "this hook")?;
        let places = &self.places;
        let status = self.required(&body, &places.status, "status")?;
        let is_of = |words: &[String]| words.iter().any(|word| word.eq_ignore_ascii_case(&status));
        let change = if is_of(&places.open_values) {
            Some(AlertChange::Opened)
        } else {
            is_of(&places.close_values).then_some(AlertChange::Closed)
        };
        let fingerprint =
            identifier(self.required(&body, &places.fingerprint, "fingerprint")?, "fingerprint")?;
        let title = title(&self.required(&body, &places.title, "title")?);
        let found = self.at(&body, places.labels.as_deref()).and_then(Value::as_object).cloned();
        let labels = labels(found.unwrap_or_else(Map::new));
        let mut place = self.labels.place(&labels);
        let named = |at: &Option<String>| self.at(&body, at.as_deref()).and_then(text);
        place.service = named(&places.service).or(place.service);
        place.environment = named(&places.environment).or(place.environment);
        let id = named(&places.id).map(|id| identifier(id, "id")).transpose()?;
        let starts_at = self.time(&body, places.starts_at.as_deref(), "starts_at")?;
        let ends_at = self.time(&body, places.ends_at.as_deref(), "ends_at")?;
        Ok(AlertBody::News(vec![AlertNotice {
            // A number may be of the alert, which begins, is over, and begins again. Where not both are told, a body is told by all that it says.
            identity: match id.zip(starts_at) {
                Some((id, began)) => format!("{id} {} {}", status.to_lowercase(), began.millis()),
                None => body.to_string(),
            },
            event: identifier(status, "status")?,
            change,
            fingerprint,
            title,
            place,
            labels,
            starts_at,
            ends_at: ends_at.filter(|_| change == Some(AlertChange::Closed)),
            group_key: None,
            url: None,
        }]))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places() -> Places {
        let at = |place: &str| Some(place.to_owned());
        Places {
            id: at("/id"),
            fingerprint: "/check/name".to_owned(),
            title: "/message".to_owned(),
            status: "/state".to_owned(),
            open_values: vec!["down".to_owned()],
            close_values: vec!["up".to_owned()],
            service: at("/tags/0"),
            environment: None,
            starts_at: at("/since"),
            ends_at: at("/until"),
            labels: at("/labels"),
        }
    }

    fn read(body: Value) -> Result<AlertNotice> {
        let reader = Generic::new(places(), LabelMap::default()).unwrap();
        reader.read(body.to_string().as_bytes()).map(|body| match body {
            AlertBody::News(mut news) => news.remove(0),
            AlertBody::Ping => panic!("a ping"),
        })
    }

    #[test]
    fn members_are_read_at_their_places() {
        let body = json!({"id": 7, "check": {"name": "api-http"}, "message": "no answer", "state": "DOWN", "tags": ["api-server"],
            "since": "2026-11-21T14:30:00Z", "until": 1_795_273_800_000_i64, "labels": {"env": "prod", "weight": 3}});
        let news = read(body.clone()).unwrap();
        assert_eq!(
            (news.identity.as_str(), news.change),
            ("7 down 1795271400000", Some(AlertChange::Opened))
        );
        let mut again = body.clone();
        again["since"] = json!("2026-11-28T14:30:00Z");
        assert_ne!(read(again.clone()).unwrap().identity, news.identity);
        again["since"] = Value::Null;
        assert_eq!(read(again.clone()).unwrap().identity, again.to_string());
        assert_eq!(news.fingerprint, "api-http");
        assert_eq!(news.place.service.as_deref(), Some("api-server"));
        assert_eq!(news.place.environment.as_deref(), Some("prod"));
        assert_eq!((news.starts_at.is_some(), news.ends_at), (true, None));
        let mut up = body.clone();
        up["state"] = json!("up");
        let closed = read(up).unwrap();
        assert_eq!((closed.change, closed.ends_at.is_some()), (Some(AlertChange::Closed), true));
        let mut odd = body;
        odd["state"] = json!("flapping");
        odd["id"] = Value::Null;
        let ignored = read(odd.clone()).unwrap();
        assert_eq!((ignored.change, ignored.identity), (None, odd.to_string()));
    }

    #[test]
    fn what_is_missing_is_named_with_its_place() {
        let check = |body: Value, field: &str| {
            let error = read(body).unwrap_err();
            assert_eq!(error.field.as_deref(), Some(field), "{}", error.message);
        };
        check(json!({}), "status");
        check(json!({"state": "down"}), "fingerprint");
        check(json!({"state": "down", "check": {"name": "c"}}), "title");
        check(json!({"state": "down", "check": {"name": "c"}, "message": "m", "since": "soon"}), "starts_at");
        check(json!({"state": "down", "check": {"name": "c"}, "message": "m", "since": 1.5}), "starts_at");
    }

    #[test]
    fn a_configuration_names_what_is_needed() {
        let none = Generic::new(Places::default(), LabelMap::default());
        assert!(none.unwrap_err().to_string().contains("fingerprint, title and status"));
        let wrong = Places { service: Some("service".to_owned()), ..places() };
        assert!(Generic::new(wrong, LabelMap::default()).unwrap_err().to_string().contains("begins with /"));
    }
}
