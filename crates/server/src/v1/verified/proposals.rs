//! Proposed citations: extracted records about a repository, for human review. They are verified
//! before they are listed. The tools confirm them.

use loci_api::verified::proposal as shape;
use loci_api::verified::table as api;
use loci_model::Result;
use loci_verified::{FactView, bare_id};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;

/// The default page size.
const PAGE: u32 = 50;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::FACTS_PROPOSED, list)
}

async fn list(call: Call, asked: shape::ProposalListing) -> Result<shape::ProposalList> {
    let standing = standing(&call)?;
    let limit = asked.limit.unwrap_or(PAGE);
    let engine = &call.doors.engine;
    let list =
        engine.verified.facts_proposed(&call.caller, &standing, &asked.repo, limit, asked.reference).await?;
    Ok(shape::ProposalList {
        repo: list.repo,
        commit: list.commit.map(|commit| commit.to_string()),
        proposals: list.facts.iter().map(proposal).collect(),
        omitted: list.omitted.gone + list.omitted.contradicted + list.omitted.unproven,
    })
}

fn proposal(view: &FactView) -> shape::Proposal {
    let record = &view.remembered.record;
    let citations = &view.remembered.fact.detail.citations;
    let place = |citation: &loci_model::facts::citation::Citation| {
        let known = citation.current.as_ref().map_or(&citation.anchor.place, |(place, _)| place);
        format!("{}:{}-{}", known.path, known.line_start, known.line_end)
    };
    shape::Proposal {
        id: bare_id(&record.id).to_owned(),
        text: record.text.clone(),
        places: citations.iter().map(place).collect(),
        verdict: view.verdict().map_or("", |verdict| verdict.as_str()).to_owned(),
        support: view.support().map(|report| report.support.as_str().to_owned()),
    }
}
