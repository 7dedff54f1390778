//! `loci sre explain`: the results of a question in operations memory, the parts of each score, and
//! the reason why other records are missing. It makes two retrievals: one as requested, and one
//! without filters and limits, which finds the others. It decides nothing: scores and filters are
//! the server's.

use anyhow::Result;
use clap::Args;
use loci_api::operations::knowledge as shape;
use loci_model::Timestamp;
use loci_model::services::knowledge::SreType;
use serde::Serialize;
use serde_json::Value;

use super::memory_selection::OperationsMemory;
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// The maximum number of characters of a record on a line.
const TEXT_CHARS_MAX: usize = 80;
/// A time before all records. It overrides time expressions in the question.
const EVER: &str = "1970-01-01T00:00:00Z";

/// The question and the filters
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The question
    query: String,
    /// preferences, infrastructure or investigations; repeatable [default: all of them]
    #[arg(long = "type", value_name = "TYPE")]
    kinds: Vec<String>,
    /// Only this user or agent
    #[arg(long)]
    actor: Option<String>,
    /// Only this session
    #[arg(long)]
    session: Option<String>,
    /// The service; repeatable
    #[arg(long)]
    service: Vec<String>,
    /// The environment; repeatable
    #[arg(long)]
    environment: Vec<String>,
    /// The start of the period: RFC 3339, or a local date
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// The exclusive end of the period: RFC 3339, or a local date
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The time zone of dates and of words like "yesterday"
    #[arg(long, value_name = "ZONE")]
    tz: Option<String>,
    /// The minimum effective confidence, 0 to 1
    #[arg(long, value_name = "NUMBER")]
    min_confidence: Option<f64>,
    /// The maximum number of results per type
    #[arg(long, value_name = "NUMBER")]
    top_k: Option<u32>,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The result of the command: the records that were found, and those that were dropped.
#[derive(Debug, Serialize)]
struct Explained {
    results: Vec<shape::SreResult>,
    time_filter: Option<shape::SreTimeFilter>,
    dropped: Vec<Dropped>,
    skipped: Vec<shape::SreSkipped>,
    degraded: bool,
    warnings: Vec<String>,
}

/// A relevant record that is not among the results.
#[derive(Debug, Serialize)]
struct Dropped {
    record_id: String,
    memory_type: String,
    /// `superseded`, `service`, `environment`, `time`, `min_confidence` or `top_k`.
    reason: &'static str,
    detail: String,
    score: f64,
    score_parts: shape::SreScoreParts,
    content: Value,
}

/// Returns the default and the maximum number of results of a type.
fn limits(kind: SreType) -> (u32, u32) {
    match kind {
        SreType::Preferences => (10, 50),
        SreType::Infrastructure => (50, 100),
        SreType::Investigations => (5, 20),
    }
}

impl Explain {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let kinds = self.kinds()?;
        let asked = self.asked(&kinds);
        let found = session.client.sre_retrieve(&memory, &asked).await?;
        let wide = session.client.sre_retrieve(&memory, &self.wide(&kinds)).await?;
        let explained = self.explained(found, wide);
        output::result(session.json, &explained, shown)
    }

    fn kinds(&self) -> Result<Vec<SreType>> {
        let unknown = |word: &str| {
            Usage(format!("--type must be preferences, infrastructure or investigations, not {word}"))
        };
        let named: Result<Vec<SreType>, Usage> =
            self.kinds.iter().map(|word| SreType::parse_input(word).ok_or_else(|| unknown(word))).collect();
        let named = named?;
        Ok(if named.is_empty() { SreType::ALL.to_vec() } else { named })
    }

    fn asked(&self, kinds: &[SreType]) -> shape::SreRetrieve {
        shape::SreRetrieve {
            types: kinds.iter().map(|kind| kind.as_str().to_owned()).collect(),
            query: Some(self.query.clone()),
            actor: self.actor.clone(),
            session: self.session.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            tz: self.tz.clone(),
            service: self.service.clone(),
            environment: self.environment.clone(),
            min_confidence: self.min_confidence,
            top_k: self.top_k,
            explain: true,
            ..shape::SreRetrieve::default()
        }
    }

    /// Returns the query without filters: any time, service, environment and confidence, with the
    /// maximum number of results.
    fn wide(&self, kinds: &[SreType]) -> shape::SreRetrieve {
        shape::SreRetrieve {
            since: Some(EVER.to_owned()),
            until: None,
            service: Vec::new(),
            environment: Vec::new(),
            min_confidence: None,
            top_k: kinds.iter().map(|kind| limits(*kind).1).max(),
            include: vec![shape::SreInclude::Current, shape::SreInclude::Superseded],
            explain: false,
            ..self.asked(kinds)
        }
    }

    fn explained(&self, found: shape::SreRetrieved, wide: shape::SreRetrieved) -> Explained {
        let time = found.time_filter.as_ref().filter(|filter| !filter.relaxed);
        let is_shown =
            |one: &shape::SreResult| found.results.iter().any(|other| other.record_id == one.record_id);
        let rest = wide.results.into_iter().filter(|one| !is_shown(one));
        let dropped = rest.map(|one| self.dropped(one, time)).collect();
        Explained {
            dropped,
            time_filter: found.time_filter,
            skipped: found.skipped,
            degraded: found.degraded || wide.degraded,
            warnings: found.warnings,
            results: found.results,
        }
    }

    fn dropped(&self, one: shape::SreResult, time: Option<&shape::SreTimeFilter>) -> Dropped {
        let (reason, detail) = self.reason(&one, time);
        let shape::SreResult { record_id, memory_type, score, score_parts, content, .. } = one;
        Dropped { record_id, memory_type, reason, detail, score, score_parts, content }
    }

    /// Returns the first reason for which a search excludes the record, in the order of the
    /// server's checks.
    fn reason(&self, one: &shape::SreResult, time: Option<&shape::SreTimeFilter>) -> (&'static str, String) {
        let kind = SreType::parse_input(&one.memory_type);
        let is_of_facts = kind != Some(SreType::Preferences);
        if one.state == "superseded" {
            return ("superseded", "something newer is known of it".to_owned());
        }
        if is_of_facts && !self.service.is_empty() && !is_of_any(&self.service, &services(&one.content)) {
            return ("service", format!("it is of {}", or_none(&services(&one.content))));
        }
        let places: Vec<&str> = environment(&one.content).into_iter().collect();
        let may_be_anywhere = kind == Some(SreType::Investigations) && places.is_empty();
        if is_of_facts
            && !self.environment.is_empty()
            && !may_be_anywhere
            && !is_of_any(&self.environment, &places)
        {
            return ("environment", format!("it is of {}", or_none(&places)));
        }
        if let Some(filter) = time.filter(|filter| is_of_facts && is_out(filter, one, kind)) {
            let (from, to) =
                (filter.from.as_deref().unwrap_or("ever"), filter.to.as_deref().unwrap_or("now"));
            return ("time", format!("it is of {}, and not of {from} to {to}", one.observed_at));
        }
        if let Some(least) =
            self.min_confidence.filter(|least| is_of_facts && one.score_parts.confidence < *least)
        {
            let is = one.score_parts.confidence;
            return ("min_confidence", format!("its effective confidence {is:.2} is below {least:.2}"));
        }
        let most = self.top_k.unwrap_or_else(|| kind.map_or(0, |kind| limits(kind).0));
        ("top_k", format!("it ranks after the first {most} that were requested"))
    }
}

/// Returns true if the time filter excludes the record. An investigation has a duration, and only
/// its beginning and its end decide.
fn is_out(filter: &shape::SreTimeFilter, one: &shape::SreResult, kind: Option<SreType>) -> bool {
    let time = |text: Option<&str>| text.and_then(|text| Timestamp::parse(text).ok());
    let member = |name: &str| time(one.content.get(name).and_then(Value::as_str));
    let observed = time(Some(&one.observed_at));
    let (begun, ended) = match kind {
        Some(SreType::Investigations) => (
            member("started_at").or(observed),
            member("completed_at").or_else(|| member("resolved_at")).or(observed),
        ),
        _ => (observed, observed),
    };
    let is_before = ended.zip(time(filter.from.as_deref())).is_some_and(|(ended, from)| ended < from);
    let is_after = begun.zip(time(filter.to.as_deref())).is_some_and(|(begun, to)| begun >= to);
    is_before || is_after
}

fn services(content: &Value) -> Vec<&str> {
    let several = content.get("services").and_then(Value::as_array).into_iter().flatten();
    let one = content.get("service_name").into_iter();
    one.chain(several).filter_map(Value::as_str).collect()
}

fn environment(content: &Value) -> Option<&str> {
    content
        .get("environment")
        .or_else(|| content.pointer("/alert/labels/environment"))
        .and_then(Value::as_str)
}

fn is_of_any(wanted: &[String], named: &[&str]) -> bool {
    named.iter().any(|name| wanted.iter().any(|one| one.eq_ignore_ascii_case(name)))
}

fn or_none(names: &[&str]) -> String {
    if names.is_empty() { "none that it names".to_owned() } else { names.join(", ") }
}

fn shown(explained: &Explained) {
    if let Some(filter) = &explained.time_filter {
        let phrase = filter.phrase.as_ref().map(|words| format!(" (\"{words}\")")).unwrap_or_default();
        let (from, to) = (filter.from.as_deref().unwrap_or("ever"), filter.to.as_deref().unwrap_or("now"));
        let relaxed = if filter.relaxed { ", of which there is nothing" } else { "" };
        output::line(format!("time: {from} to {to}{phrase}, by the {}{relaxed}", filter.source));
    }
    if explained.results.is_empty() {
        output::note("nothing is found");
    } else {
        let heads = ["SCORE", "LIKENESS", "WORDS", "FRESH", "SURE", "TYPE", "STATE", "RECORD", "SAYS"];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        rows.extend(explained.results.iter().map(|one| {
            let state = if one.stale { format!("{}, stale", one.state) } else { one.state.clone() };
            let mut row = numbers(one.score, &one.score_parts);
            row.extend([one.memory_type.clone(), state, one.record_id.clone(), says(&one.content)]);
            row
        }));
        output::table(&rows);
    }
    if !explained.dropped.is_empty() {
        output::line("not shown:");
        let mut rows = vec![["SCORE", "REASON", "RECORD", "WHY"].map(str::to_owned).to_vec()];
        rows.extend(explained.dropped.iter().map(|one| {
            let score = format!("{:.2}", one.score);
            vec![score, one.reason.to_owned(), one.record_id.clone(), one.detail.clone()]
        }));
        output::table(&rows);
    }
    for one in &explained.skipped {
        output::note(format!("{} cannot be read: {}", one.record_id, one.reason));
    }
    explained.warnings.iter().for_each(output::note);
}

fn numbers(score: f64, parts: &shape::SreScoreParts) -> Vec<String> {
    let all = [score, parts.similarity, parts.lexical, parts.recency, parts.confidence];
    all.iter().map(|number| format!("{number:.2}")).collect()
}

fn says(content: &Value) -> String {
    let members = ["knowledge_data", "preference_value", "query"];
    let said = members.iter().find_map(|name| content.get(*name)).unwrap_or(content);
    let name = content.get("service_name").and_then(Value::as_str).map(|name| format!("{name} "));
    output::short(&format!("{}{said}", name.unwrap_or_default()), TEXT_CHARS_MAX)
}
