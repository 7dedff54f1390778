//! `sre_history`: all versions of knowledge about a service, each with its period of validity.

use loci_api::operations::knowledge::{SreHistory, SreHistoryAsk, SreSkipped, SreVersion};
use loci_engine::access;
use loci_engine::memories::existing;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::{KnowledgeType, SreType};
use loci_model::{Error, MemoryId, Result, Timestamp, limits};
use serde_json::Value;

use crate::Operations;
use crate::investigations::is_hidden;
use crate::records::origin::origin;
use crate::records::{namespace_rules, precedence, record_content};

const PAGE: usize = 200;

impl Operations {
    /// Returns all versions of knowledge about a service that the caller may read.
    ///
    /// # Errors
    /// `Invalid` without a service, and for an unknown type; `Denied`; `Conflict` if the memory has
    /// no strategy for it.
    pub async fn sre_history(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        asked: SreHistoryAsk,
    ) -> Result<SreHistory> {
        let kind = KnowledgeType::read("type", asked.knowledge_type.as_deref())?;
        if asked.service.trim().is_empty() {
            return Err(Error::invalid(
                "service",
                "service is required: name the service whose history is asked for",
            ));
        }
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let (id, metadata) = (memory.clone(), conditions(&asked.service, kind));
        let (records, is_cut) = self
            .engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &id)?;
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    metadata: metadata.clone(),
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
        let is_admin = access::require_whole(caller, memory, Capability::Admin).is_ok();
        let may = |record: &Record| is_admin || !is_hidden(record, &caller.name);
        let (mut found, mut skipped) = (Vec::new(), Vec::new());
        for record in records.into_iter().filter(may) {
            match record_content::content(&record.text) {
                Err(reason) => skipped.push(SreSkipped { record_id: record.id.to_string(), reason }),
                Ok(content) if is_asked_for(&asked, &record, &content) => found.push((record, content)),
                Ok(_) => {}
            }
        }
        found.sort_by(|(a, _), (b, _)| {
            let began = a.valid_from.cmp(&b.valid_from);
            began.then(a.created_at.cmp(&b.created_at)).then_with(|| a.id.cmp(&b.id))
        });
        let cut = "only the newest records were looked at: name a type, a metric or an environment";
        Ok(SreHistory {
            versions: found.into_iter().map(version).collect(),
            skipped,
            degraded: is_cut,
            warnings: is_cut.then(|| cut.to_owned()).into_iter().collect(),
        })
    }
}

fn version((record, content): (Record, Value)) -> SreVersion {
    let (provenance, source) = origin(SreType::Infrastructure, &record, &content);
    SreVersion {
        record_id: record.id.to_string(),
        state: record.state.as_str().to_owned(),
        valid_from: record.valid_from.to_rfc3339(),
        valid_to: record.valid_to.map(Timestamp::to_rfc3339),
        superseded_by: record.superseded_by.as_ref().map(ToString::to_string),
        keys: precedence::current(&record).cloned().collect(),
        superseded_keys: precedence::gone(&record).to_vec(),
        source: source.to_owned(),
        provenance,
        content,
    }
}

fn conditions(service: &str, kind: Option<KnowledgeType>) -> Vec<MetadataFilter> {
    let equals = |key: &str, text: &str| MetadataFilter {
        key: key.to_owned(),
        operator: FilterOperator::EqualsTo,
        right: Some(MetadataValue::String(text.to_owned())),
    };
    let kind = kind.map(|kind| equals("knowledge_type", kind.as_str()));
    [equals("service_name", service.trim())].into_iter().chain(kind).collect()
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
