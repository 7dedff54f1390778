//! Facts for a verifier elsewhere: their citations, with the anchors that find them again.

use loci_api::verified::evidence as shape;
use loci_api::verified::table as api;
use loci_model::facts::repository::Repository;
use loci_model::{Error, Result};
use loci_verified::{Evidence, bare_id};
use serde::Serialize;
use serde_json::Value;

use super::repositories::aliases;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::EVIDENCE_LIST, list)
}

async fn list(call: Call, asked: shape::EvidenceListing) -> Result<shape::EvidencePage> {
    let (standing, limit) = (standing(&call)?, cursor::limit(asked.limit)?);
    let after = cursor::read(asked.cursor.as_deref())?;
    let engine = &call.doors.engine;
    let page = engine.verified.facts_evidence(&call.caller, &standing, &asked.repo, after, limit).await?;
    Ok(shape::EvidencePage {
        facts: page.facts.iter().map(fact).collect::<Result<_>>()?,
        repository: repository(page.repository),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

/// Returns a fact with its documents.
pub(super) fn fact(evidence: &Evidence) -> Result<shape::FactEvidence> {
    let remembered = &evidence.remembered;
    let detail = &remembered.fact.detail;
    Ok(shape::FactEvidence {
        memory_id: bare_id(&remembered.record.id).to_owned(),
        digest: evidence.digest.clone(),
        subject: remembered.subject().to_owned(),
        fact: remembered.record.text.clone(),
        citations: detail.citations.iter().map(document).collect::<Result<_>>()?,
        claims: detail.claims.iter().map(document).collect::<Result<_>>()?,
    })
}

/// Returns the repository data that a verifier needs.
pub(super) fn repository(repository: Repository) -> shape::EvidenceRepository {
    shape::EvidenceRepository {
        repo: repository.key,
        aliases: aliases(repository.aliases),
        roots: repository.roots.iter().map(ToString::to_string).collect(),
        default_ref: repository.default_ref,
        quorum: repository.quorum,
    }
}

/// Returns a value in its stored form.
pub(super) fn document(noun: &impl Serialize) -> Result<Value> {
    serde_json::to_value(noun)
        .map_err(|error| Error::bug("a noun that cannot be written down").caused_by(error))
}
