//! Search in the memory of a repository while an agent works on it.

use loci_api::coding::table as api;
use std::sync::Arc;

use loci_api::coding::repository_search as shape;
use loci_coding::hydration::{
    RepositoryFound, RepositorySearch, SearchFilters, SearchKind, SearchedRecord, outcome_of,
};
use loci_model::tasks::exposure::rounded;
use loci_model::tasks::task::{MemoryArm, TaskStatus};
use loci_model::{Error, Result, TaskId, Timestamp};
use loci_verified::ReportedVerdicts;

use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;
use crate::v1::verified::repositories::{asking, repo};

pub(super) fn operations(table: Table) -> Table {
    table.json(api::REPOSITORY_SEARCH, search)
}

async fn search(call: Call, asked: shape::RepositorySearch) -> Result<shape::RepositoryFound> {
    Ok(shown(&searched(&asking(&call)?, repo(&call)?, asked, None).await?))
}

/// Returns the results, with the verdicts that the caller reports.
pub(crate) async fn searched(
    asking: &AuthenticatedCall<'_>,
    repo: String,
    asked: shape::RepositorySearch,
    told: Option<Arc<ReportedVerdicts>>,
) -> Result<RepositoryFound> {
    let asked = RepositorySearch { repo, told, ..read(asked)? };
    asking.engine.coding.repository_search(asking.caller, &asking.standing, asked).await
}

fn read(asked: shape::RepositorySearch) -> Result<RepositorySearch> {
    let filters = asked.filters;
    let mut kinds = Vec::new();
    for word in &asked.kinds {
        let kind = kind(word)?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(RepositorySearch {
        repo: String::new(),
        query: asked.query,
        kinds,
        filters: SearchFilters {
            pr: filters.pr,
            commit: filters.commit,
            issue: filters.issue,
            status: TaskStatus::read("status", filters.status.as_deref())?,
            outcome: filters.outcome,
            user: filters.user,
            path: filters.path,
            since: time("since", filters.since.as_deref())?,
            until: time("until", filters.until.as_deref())?,
        },
        limit: asked.limit,
        task: asked.task_id.map(TaskId::parse).transpose()?,
        reference: asked.reference,
        told: None,
    })
}

fn kind(word: &str) -> Result<SearchKind> {
    let unknown = || {
        let words: Vec<&str> = SearchKind::ALL.iter().map(|kind| kind.as_str()).collect();
        Error::invalid("kinds", format!("kinds must be of {}", words.join(", ")))
    };
    SearchKind::parse(word).ok_or_else(unknown)
}

/// Returns the response.
pub(crate) fn shown(found: &RepositoryFound) -> shape::RepositoryFound {
    let status = found.status.iter();
    shape::RepositoryFound {
        degraded: found.degraded,
        warnings: found.warnings.clone(),
        arm: MemoryArm::as_str(found.arm).to_owned(),
        status: status.map(|(kind, status)| (kind.as_str().to_owned(), status.as_str().to_owned())).collect(),
        results: found.results.iter().map(|one| result(one, found.at)).collect(),
        commit: found.commit.clone(),
        exposure_id: found.exposure.as_ref().map(ToString::to_string),
    }
}

/// Returns one of the results.
pub(crate) fn result(one: &SearchedRecord, at: Timestamp) -> shape::FoundRecord {
    let candidate = &one.candidate;
    let record = &candidate.record;
    let ended = (one.kind == SearchKind::Episode).then(|| outcome_of(candidate));
    let text = |key: &str| candidate.text(key).map(str::to_owned);
    shape::FoundRecord {
        similarity: rounded(candidate.similarity),
        trust: rounded(candidate.trust),
        score: rounded(candidate.score),
        verdict: candidate.cited.as_ref().map(|cited| cited.fate.as_str().to_owned()),
        support: candidate.cited.as_ref().and_then(|cited| Some(cited.support?.as_str().to_owned())),
        record: shape::SearchedRecord {
            id: record.id.to_string(),
            version: record.version,
            kind: one.kind.as_str().to_owned(),
            topic: record.title.clone(),
            scope: record.scope.clone(),
            category: text("category"),
            text: one.text.clone(),
            looks_like_instructions: one.is_doubtful,
            source_type: text("source_type"),
            task_id: text("task_id"),
            polarity: ended.as_ref().map(|(_, polarity)| polarity.as_str().to_owned()),
            outcome: ended.map(|(outcome, _)| outcome),
            pr_url: text("pr_url"),
            age_days: candidate.age_days(at),
        },
    }
}
