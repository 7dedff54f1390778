//! Knowledge about a service, as a caller sends it. Pure.

use loci_model::limits::{
    SRE_BATCH_ITEMS_MAX as BATCH_MAX, SRE_CONTEXT_CHARS_MAX as CONTEXT_CHARS_MAX, SRE_ITEMS_MAX as ITEMS_MAX,
    SRE_KNOWLEDGE_BYTES_MAX as DATA_BYTES_MAX, SRE_NAME_CHARS_MAX as NAME_CHARS_MAX,
};
use loci_model::services::knowledge::KnowledgeType;
use loci_model::{Error, Result, Timestamp};
use serde_json::{Map, Value, json};

use crate::input::canonical_json;
use crate::input::members::Members;

/// The confidence of items that state none.
const CONFIDENCE_DEFAULT: f64 = 0.8;
/// The environment of items that state none.
pub(super) const ENVIRONMENT_UNKNOWN: &str = "unknown";
/// The member of knowledge with the sentence from which the other members were read. It is not a
/// metric.
pub(crate) const SENTENCE: &str = "text";
const KNOWN: &str = "service_name, knowledge_type, knowledge_data, metric, environment, cluster, region, k8s_namespace, version, \
                     confidence, valid_window, evidence, context, timestamp";

/// An item of knowledge about a service.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Knowledge {
    pub(super) service: String,
    pub(super) kind: KnowledgeType,
    pub(super) data: Map<String, Value>,
    pub(super) metric: Option<String>,
    pub(super) environment: String,
    pub(super) cluster: Option<String>,
    pub(super) confidence: f64,
    pub(super) observed_at: Timestamp,
    /// The subtype of the knowledge type, for items read from plain text.
    pub(super) subtype: Option<&'static str>,
    /// Members that are stored but do not affect precedence.
    rest: Map<String, Value>,
}

/// The member of an object that holds a list of items.
const SEVERAL: &str = "infrastructure_knowledge";

/// Returns the items with their positions: one or more if a list is sent, either alone or in the
/// member of a knowledge block.
///
/// # Errors
/// `Invalid` for an empty list, and for a list that is too long.
pub(super) fn items(data: Value) -> Result<Vec<(String, Value)>> {
    let (items, place) = match data {
        Value::Array(items) => (items, "data".to_owned()),
        Value::Object(mut members)
            if members.len() == 1 && members.get(SEVERAL).is_some_and(Value::is_array) =>
        {
            match members.remove(SEVERAL) {
                Some(Value::Array(items)) => (items, format!("data.{SEVERAL}")),
                Some(_) | None => (Vec::new(), "data".to_owned()),
            }
        }
        one => return Ok(vec![("data".to_owned(), one)]),
    };
    if (1..=BATCH_MAX).contains(&items.len()) {
        return Ok(items
            .into_iter()
            .enumerate()
            .map(|(at, item)| (format!("{place}[{at}]"), item))
            .collect());
    }
    let rule = format!("{place} must have 1 to {BATCH_MAX} items: send the others in another request");
    Err(Error::invalid(place, rule))
}

/// Returns the identifying digest of an item, as [`Knowledge::digest`]. `None` for an invalid item.
pub(crate) fn digest_of(item: &Value, now: Timestamp) -> Option<String> {
    Knowledge::read(item.clone(), "data", now).ok().map(|known| known.digest())
}

impl Knowledge {
    /// Parses the item at `place`. Text without structure becomes a pattern without a specific
    /// service.
    ///
    /// # Errors
    /// `Invalid`, naming the member.
    pub(crate) fn read(data: Value, place: &str, now: Timestamp) -> Result<Self> {
        let (data, subtype) = match data {
            Value::String(text) => {
                let data = json!({"service_name": "general", "knowledge_type": "pattern", "knowledge_data": {"text": text}});
                (data, Some("investigation"))
            }
            other => (other, None),
        };
        let mut members = Members::of(data, place)?;
        let service = members.required("service_name", NAME_CHARS_MAX)?;
        let words: Vec<_> = KnowledgeType::ALL.iter().map(|kind| kind.as_str()).collect();
        let kind = members.word("knowledge_type", KnowledgeType::parse, &words)?;
        let kind = kind.ok_or_else(|| {
            members.wrong("knowledge_type", &format!("is required: one of {}", words.join(", ")))
        })?;
        let data = members.object("knowledge_data", DATA_BYTES_MAX)?.filter(|data| !data.is_empty());
        let data =
            data.ok_or_else(|| members.wrong("knowledge_data", "is required: an object of what is known"))?;
        let metric = members.text("metric", NAME_CHARS_MAX)?;
        if metric.is_none() && data.len() > ITEMS_MAX {
            let rule = "must have at most 200 members, each of which is a metric, where metric names none";
            return Err(members.wrong("knowledge_data", rule));
        }
        let environment = members.text("environment", NAME_CHARS_MAX)?;
        let cluster = members.text("cluster", NAME_CHARS_MAX)?;
        let confidence = confidence(&mut members)?;
        let observed_at = members.past("timestamp", now)?.unwrap_or(now);
        let rest = rest(&mut members)?;
        members.finish(KNOWN)?;
        let environment = environment.unwrap_or_else(|| ENVIRONMENT_UNKNOWN.to_owned());
        Ok(Self { service, kind, data, metric, environment, cluster, confidence, observed_at, subtype, rest })
    }

    /// Returns the metrics of the item: the named one, otherwise each member of the knowledge. A
    /// pattern has none, so that nothing supersedes it.
    pub(super) fn metrics(&self) -> Vec<String> {
        match (self.kind, &self.metric) {
            (KnowledgeType::Pattern, _) => Vec::new(),
            (_, Some(metric)) => vec![metric.clone()],
            (_, None) => {
                let is_metric = |name: &&String| self.data.len() == 1 || name.as_str() != SENTENCE;
                let mut names: Vec<String> = self.data.keys().filter(is_metric).cloned().collect();
                names.sort();
                names
            }
        }
    }

    /// Returns the scope of validity, which distinguishes environments.
    pub(super) fn holds_in(&self) -> String {
        match &self.cluster {
            None => self.environment.clone(),
            Some(cluster) => format!("{}/{cluster}", self.environment),
        }
    }

    /// Returns the content that identifies a repetition, without time, origin and confidence.
    pub(super) fn said(&self) -> Value {
        json!({
            "service_name": self.service,
            "knowledge_type": self.kind.as_str(),
            "knowledge_data": self.data,
            "metric": self.metric,
            "holds_in": self.holds_in(),
        })
    }

    /// Returns a digest of the identifying content.
    pub(super) fn digest(&self) -> String {
        canonical_json::digest(&self.said())
    }

    /// Returns the stored content.
    pub(super) fn stored(&self, agent: &str) -> Value {
        let mut members = self.rest.clone();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        put("service_name", json!(self.service));
        put("knowledge_type", json!(self.kind.as_str()));
        put("knowledge_data", Value::Object(self.data.clone()));
        put("environment", json!(self.environment));
        put("confidence", json!(self.confidence));
        put("timestamp", json!(self.observed_at.to_rfc3339()));
        put("discovered_by", json!(agent));
        for (name, text) in [("metric", &self.metric), ("cluster", &self.cluster)] {
            if let Some(text) = text {
                put(name, json!(text));
            }
        }
        if let Some(subtype) = self.subtype {
            put("subtype", json!(subtype));
        }
        Value::Object(members)
    }
}

fn confidence(members: &mut Members) -> Result<f64> {
    let Some(value) = members.take("confidence") else { return Ok(CONFIDENCE_DEFAULT) };
    let within = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
    within.ok_or_else(|| members.wrong("confidence", "must be a number from 0.0 to 1.0"))
}

fn rest(members: &mut Members) -> Result<Map<String, Value>> {
    let mut rest = Map::new();
    for name in ["region", "k8s_namespace", "version"] {
        rest.extend(members.text(name, NAME_CHARS_MAX)?.map(|text| (name.to_owned(), json!(text))));
    }
    rest.extend(members.text("context", CONTEXT_CHARS_MAX)?.map(|text| ("context".to_owned(), json!(text))));
    if let Some(window) = members.object("valid_window", CONTEXT_CHARS_MAX)? {
        rest.insert("valid_window".to_owned(), Value::Object(window));
    }
    let evidence = members.list("evidence", ITEMS_MAX)?;
    if !evidence.iter().all(Value::is_object) {
        return Err(
            members.wrong("evidence", "must be a list of objects, like {\"tool_call_id\": …, \"tool\": …}")
        );
    }
    if !evidence.is_empty() {
        rest.insert("evidence".to_owned(), Value::Array(evidence));
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::clamped(1_795_500_000_000);

    fn read(data: Value) -> Result<Knowledge> {
        Knowledge::read(data, "data", NOW)
    }

    fn with(name: &str, value: Value) -> Value {
        let mut data = json!({"service_name": "api", "knowledge_type": "baseline", "knowledge_data": {"memory": "400-500Mi", "cpu": 2}});
        data[name] = value;
        data
    }

    #[test]
    fn what_it_is_about() {
        let check = |data: Value, metrics: &[&str], holds_in: &str| {
            let read = read(data).unwrap();
            assert_eq!(
                (read.metrics(), read.holds_in()),
                (metrics.iter().map(ToString::to_string).collect(), holds_in.to_owned())
            );
        };
        check(with("metric", Value::Null), &["cpu", "memory"], "unknown");
        check(with("metric", json!("memory")), &["memory"], "unknown");
        check(with("environment", json!("prod")), &["cpu", "memory"], "prod");
        check(with("cluster", json!("eu-1")), &["cpu", "memory"], "unknown/eu-1");
        check(with("knowledge_type", json!("pattern")), &[], "unknown");
        check(
            with("knowledge_data", json!({"memory": "1Gi", "text": "memory is 1Gi"})),
            &["memory"],
            "unknown",
        );
        check(with("knowledge_data", json!({"text": "memory is high"})), &["text"], "unknown");
    }

    #[test]
    fn several_are_read_one_by_one() {
        let places = |data: Value| {
            let items = items(data).map_err(|error| error.field.unwrap_or_default());
            items.map(|items| items.into_iter().map(|(place, _)| place).collect::<Vec<_>>())
        };
        assert_eq!(places(json!({"service_name": "api"})).unwrap(), ["data"]);
        assert_eq!(places(json!([1, 2])).unwrap(), ["data[0]", "data[1]"]);
        assert_eq!(places(json!({ SEVERAL: [1] })).unwrap(), ["data.infrastructure_knowledge[0]"]);
        assert_eq!(places(json!([])).unwrap_err(), "data");
        assert_eq!(places(json!(vec![1; BATCH_MAX])).unwrap().len(), BATCH_MAX);
        assert_eq!(
            places(json!({ SEVERAL: vec![1; BATCH_MAX + 1] })).unwrap_err(),
            "data.infrastructure_knowledge"
        );
    }

    #[test]
    fn text_is_a_pattern_of_no_service() {
        let read = read(json!("restarts follow the nightly batch")).unwrap();
        assert_eq!(
            (read.service.as_str(), read.kind, read.subtype),
            ("general", KnowledgeType::Pattern, Some("investigation"))
        );
        assert_eq!(read.data["text"], "restarts follow the nightly batch");
    }

    #[test]
    fn what_is_refused_names_its_member() {
        let check = |name: &str, value: Value| {
            let expect = format!("data.{name}");
            assert_eq!(read(with(name, value)).unwrap_err().field, Some(expect));
        };
        check("service_name", json!(""));
        check("service_name", json!("s".repeat(201)));
        check("knowledge_type", json!("rumour"));
        check("knowledge_type", Value::Null);
        check("knowledge_data", json!({}));
        check("knowledge_data", json!("text"));
        check("knowledge_data", json!({"a": "b".repeat(DATA_BYTES_MAX)}));
        check("confidence", json!(1.2));
        check("confidence", json!(-0.1));
        check("confidence", json!("high"));
        check("evidence", json!(["tc_1"]));
        check("owner", json!("team"));
        assert!(read(with("confidence", json!(0))).is_ok() && read(with("confidence", json!(1))).is_ok());
        assert!(read(with("service_name", json!("s".repeat(200)))).is_ok());
        assert_eq!(read(with("metric", json!("cpu"))).unwrap().confidence, CONFIDENCE_DEFAULT);
    }

    #[test]
    fn the_same_is_known_again_whenever_it_is_said() {
        let one = read(with("timestamp", json!("2026-11-20T10:00:00Z"))).unwrap();
        assert_eq!(one.said(), read(with("context", json!("seen again"))).unwrap().said());
        assert_ne!(one.said(), read(with("environment", json!("prod"))).unwrap().said());
    }
}
