//! `sre_history`: every version of what is known of a service, with the time in which it held (sre-memory.md §10.1).

use loci_engine::access;
use loci_engine::memories::existing;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::{KnowledgeType, SreType};
use loci_model::{Error, MemoryId, RecordId, Result, limits};
use serde_json::Value;

use crate::Operations;
use crate::investigations::is_hidden;
use crate::records::{namespace_rules, precedence, record_content};

const PAGE: usize = 200;

/// Which history is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SreHistoryAsk {
    /// The memory.
    pub memory: MemoryId,
    /// The service, as it was saved.
    pub service: String,
    /// Of one type; `None`: of all.
    pub kind: Option<KnowledgeType>,
    /// Of one metric, setting or target; `None`: of all.
    pub metric: Option<String>,
    /// Of one environment, with its cluster or without; `None`: of all.
    pub environment: Option<String>,
}

/// One version.
#[derive(Debug, Clone, PartialEq)]
pub struct SreVersion {
    /// Its record: `valid_from` and `valid_to` say when it held.
    pub record: Record,
    /// What is remembered, as an object.
    pub content: Value,
    /// Keys that it is about and that are current.
    pub keys: Vec<String>,
    /// Keys of which something newer is known.
    pub gone: Vec<String>,
}

/// Every version.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreHistory {
    /// By when they began to hold, oldest first.
    pub versions: Vec<SreVersion>,
    /// Records that nobody could read, and why.
    pub skipped: Vec<(RecordId, String)>,
    /// There are more than are looked at: these are of the newest records.
    pub is_cut: bool,
}

impl Operations {
    /// Every version of what is known of a service, as far as the caller may read.
    ///
    /// # Errors
    /// `Invalid` without a service; `Denied`; `Conflict` where the memory has no strategy for it.
    pub async fn sre_history(&self, caller: &Principal, asked: SreHistoryAsk) -> Result<SreHistory> {
        if asked.service.trim().is_empty() {
            return Err(Error::invalid(
                "service",
                "service is required: name the service whose history is asked for",
            ));
        }
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, &asked.memory, Capability::Read, now)?;
        let ask = asked.clone();
        let (records, is_cut) = self
            .engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &ask.memory)?;
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    metadata: conditions(&ask),
                    states: vec![RecordState::Active, RecordState::Superseded, RecordState::Expired],
                    ..namespace_rules::scope(&memory, SreType::Infrastructure, None, now)?
                };
                let mut page = RecordPage { scope, after: None, limit: PAGE };
                let mut all: Vec<Record> = Vec::new();
                loop {
                    let some = tx.records().list(&page)?;
                    let is_last = some.len() < PAGE;
                    page.after = some.last().map(|record| (record.created_at, record.id.clone()));
                    all.extend(some);
                    if is_last || all.len() >= limits::SRE_LOOKED_AT_MAX {
                        return Ok((all, !is_last));
                    }
                }
            })
            .await?;
        let is_admin = access::require_whole(caller, &asked.memory, Capability::Admin).is_ok();
        let may = |record: &Record| is_admin || !is_hidden(record, &caller.name);
        let mut history = SreHistory { is_cut, ..SreHistory::default() };
        for record in records.into_iter().filter(may) {
            match record_content::content(&record.text) {
                Err(why) => history.skipped.push((record.id, why)),
                Ok(content) if is_asked_for(&asked, &record, &content) => {
                    let keys = precedence::current(&record).cloned().collect();
                    let gone = precedence::gone(&record).to_vec();
                    history.versions.push(SreVersion { record, content, keys, gone });
                }
                Ok(_) => {}
            }
        }
        history.versions.sort_by(|a, b| {
            let began = a.record.valid_from.cmp(&b.record.valid_from);
            began
                .then(a.record.created_at.cmp(&b.record.created_at))
                .then_with(|| a.record.id.cmp(&b.record.id))
        });
        Ok(history)
    }
}

fn conditions(asked: &SreHistoryAsk) -> Vec<MetadataFilter> {
    let equals = |key: &str, text: &str| MetadataFilter {
        key: key.to_owned(),
        operator: FilterOperator::EqualsTo,
        right: Some(MetadataValue::String(text.to_owned())),
    };
    let kind = asked.kind.map(|kind| equals("knowledge_type", kind.as_str()));
    [equals("service_name", asked.service.trim())].into_iter().chain(kind).collect()
}

fn is_asked_for(asked: &SreHistoryAsk, record: &Record, content: &Value) -> bool {
    let text = |name: &str| content.get(name).and_then(Value::as_str).unwrap_or_default();
    let of_metric = |metric: &String| precedence::keys(record).contains(metric) || text("metric") == metric;
    let (environment, cluster) = (text("environment"), text("cluster"));
    let of_environment = |wanted: &String| {
        wanted.eq_ignore_ascii_case(environment)
            || (!cluster.is_empty() && wanted.eq_ignore_ascii_case(&format!("{environment}/{cluster}")))
    };
    asked.metric.as_ref().is_none_or(of_metric) && asked.environment.as_ref().is_none_or(of_environment)
}
