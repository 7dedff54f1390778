//! Bodies of any other system, read by JSON pointers from the configuration. One body is one
//! notice.

use std::fmt;

use loci_model::Result;
use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::services::alert_notice::{AlertBody, AlertChange, AlertNotice};
use serde_json::{Map, Value};

use crate::body_fields::{UNREAD, body, identifier, labels, of_no_use, title};
use crate::members::{LEFT_OUT, time};

/// The JSON pointers (RFC 6901) of the members of a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// The identity of a notice; none: the whole body is its identity.
    pub id: Option<String>,
    /// The value that all notices of one alert share; required.
    pub fingerprint: String,
    /// A one-line description; required.
    pub title: String,
    /// The word for the change of the alert; required.
    pub status: String,
    /// Values of `status` that open an alert; at least one.
    pub open_values: Vec<String>,
    /// Values of `status` that close an alert.
    pub close_values: Vec<String>,
    /// The service.
    pub service: Option<String>,
    /// The environment.
    pub environment: Option<String>,
    /// The start time: RFC 3339, or seconds, milli-, micro- or nanoseconds since 1970.
    pub starts_at: Option<String>,
    /// The end time, in the same formats.
    pub ends_at: Option<String>,
    /// An object of labels.
    pub labels: Option<String>,
}

/// The error for pointers that a configuration lacks or writes incorrectly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacesMissing(&'static str);

impl fmt::Display for PlacesMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for PlacesMissing {}

/// Reads bodies by configured JSON pointers.
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

    fn text(&self, body: &Value, place: &str) -> Option<String> {
        self.at(body, Some(place)).and_then(text)
    }

    /// Returns the notice of a body; none if a required member is missing.
    fn news(&self, body: &Value) -> Option<AlertNotice> {
        let places = &self.places;
        let status = self.text(body, &places.status)?;
        let fingerprint = identifier(self.text(body, &places.fingerprint)?);
        let about = title(&self.text(body, &places.title)?);
        let is_of = |words: &[String]| words.iter().any(|word| word.eq_ignore_ascii_case(&status));
        let change = if is_of(&places.open_values) {
            Some(AlertChange::Opened)
        } else {
            is_of(&places.close_values).then_some(AlertChange::Closed)
        };
        let found = self.at(body, places.labels.as_deref()).and_then(Value::as_object).cloned();
        let mut labels = labels(found.unwrap_or_else(Map::new));
        let mut place = self.labels.place(&labels);
        let named = |at: &Option<String>| self.at(body, at.as_deref()).and_then(text);
        place.service = named(&places.service).or(place.service);
        place.environment = named(&places.environment).or(place.environment);
        let id = named(&places.id).map(identifier);
        let mut time_at = |at: &Option<String>| {
            let value = self.at(body, at.as_deref())?;
            let read = time(value);
            if let (None, Some(at)) = (read, at) {
                labels.insert(LEFT_OUT.to_owned(), at.clone());
            }
            read
        };
        let (starts_at, ends_at) = (time_at(&places.starts_at), time_at(&places.ends_at));
        Some(AlertNotice {
            // The id may belong to the alert, which begins, ends and begins again. If the id or the
            // start time is missing, the whole body is the identity.
            identity: match id.zip(starts_at) {
                Some((id, began)) => format!("{id} {} {}", status.to_lowercase(), began.millis()),
                None => body.to_string(),
            },
            event: identifier(status),
            change,
            fingerprint,
            title: about,
            place,
            labels,
            starts_at,
            ends_at: ends_at.filter(|_| change == Some(AlertChange::Closed)),
            group_key: None,
            url: None,
        })
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
        let body = body(bytes, "this hook")?;
        let news = self.news(&body).unwrap_or_else(|| of_no_use(UNREAD, body.to_string()));
        Ok(AlertBody::News(vec![news]))
    }
}

#[cfg(test)]
mod tests {
    use loci_model::Timestamp;
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
    fn a_body_without_what_it_must_say_is_counted() {
        for body in
            [json!({}), json!({"state": "down"}), json!({"state": "down", "check": {"name": "c"}}), json!([])]
        {
            let news = read(body).unwrap();
            assert_eq!((news.change, news.event.as_str()), (None, UNREAD));
        }
    }

    #[test]
    fn a_time_that_cannot_be_read_costs_itself_alone() {
        let check = |since: Value, millis: Option<i64>| {
            let body = json!({"state": "down", "check": {"name": "c"}, "message": "m", "since": since});
            let news = read(body).unwrap();
            assert_eq!(news.change, Some(AlertChange::Opened));
            assert_eq!(news.starts_at.map(Timestamp::millis), millis);
            let told = news.labels.get("loci_members_left_out").map(String::as_str);
            assert_eq!(told, millis.is_none().then_some("/since"));
        };
        check(json!("soon"), None);
        check(json!(1.5), None);
        check(json!(1_795_273_800), Some(1_795_273_800_000));
        check(json!("1795273800000"), Some(1_795_273_800_000));
    }

    #[test]
    fn a_configuration_names_what_is_needed() {
        let none = Generic::new(Places::default(), LabelMap::default());
        assert!(none.unwrap_err().to_string().contains("fingerprint, title and status"));
        let wrong = Places { service: Some("service".to_owned()), ..places() };
        assert!(Generic::new(wrong, LabelMap::default()).unwrap_err().to_string().contains("begins with /"));
    }
}
