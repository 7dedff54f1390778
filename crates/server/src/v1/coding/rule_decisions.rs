//! Decisions of people on the rules of a repository: write, decide, show the origin, propose as a
//! change of its instructions.

use loci_api::coding::rule as shape;
use loci_api::coding::table as api;
use loci_coding::{RuleDecision, RuleProvenance};
use loci_model::tasks::review::{Authority, ForgeUser};
use loci_model::tasks::rule::{DissentItem, SupportItem};
use loci_model::{Error, RecordId, Result};
use loci_verified::record_id;

use super::rules::shown;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::repo;

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::RULE_ADD, add)
        .json(api::RULE_APPROVE, |call, asked| decide(call, asked, |_| Ok(RuleDecision::Approve)))
        .json(api::RULE_REJECT, |call, asked| decide(call, asked, |_| Ok(RuleDecision::Reject)))
        .json(api::RULE_PIN, |call, asked| decide(call, asked, |_| Ok(RuleDecision::Pin)))
        .json(api::RULE_UNPIN, |call, asked| decide(call, asked, |_| Ok(RuleDecision::Unpin)))
        .json(api::RULE_EXPIRE, |call, asked| decide(call, asked, |_| Ok(RuleDecision::Expire)))
        .json(api::RULE_SUPERSEDE, |call, asked| decide(call, asked, by_another))
        .json(api::RULE_QUARANTINE, |call, asked| decide(call, asked, |_| Ok(RuleDecision::Quarantine)))
        .plain(api::RULE_PROVENANCE, provenance)
        .json(api::RULE_PROMOTE, promote)
}

fn rule(call: &Call) -> Result<RecordId> {
    record_id(call.path("rule")?).map_err(|error| error.on("rule"))
}

async fn add(call: Call, new: shape::NewRule) -> Result<shape::Rule> {
    let added =
        call.doors.engine.coding.rule_add(&call.caller, &standing(&call)?, &repo(&call)?, new).await?;
    Ok(shown(added))
}

async fn decide(
    call: Call,
    asked: shape::RuleDecision,
    decision: fn(&shape::RuleDecision) -> Result<RuleDecision>,
) -> Result<shape::RuleDecided> {
    let (standing, repo, id, decision) = (standing(&call)?, repo(&call)?, rule(&call)?, decision(&asked)?);
    let engine = &call.doors.engine;
    let decided =
        engine.coding.rule_decide(&call.caller, &standing, &repo, &id, decision, asked.reason).await?;
    Ok(shape::RuleDecided {
        id: decided.id.to_string(),
        state: decided.state.as_str().to_owned(),
        version: decided.version,
    })
}

fn by_another(asked: &shape::RuleDecision) -> Result<RuleDecision> {
    let missing = || Error::invalid("by", "by must name the rule that takes its place");
    let by = asked.by.as_deref().ok_or_else(missing)?;
    Ok(RuleDecision::Supersede { by: record_id(by).map_err(|error| error.on("by"))? })
}

async fn provenance(call: Call) -> Result<shape::RuleProvenance> {
    let (standing, repo, id) = (standing(&call)?, repo(&call)?, rule(&call)?);
    let found = call.doors.engine.coding.rule_provenance(&call.caller, &standing, &repo, &id).await?;
    let RuleProvenance { rule, support, weights, against, weight: _, transitions, exposures } = found;
    Ok(shape::RuleProvenance {
        rule: shown(rule),
        items: support.items.into_iter().zip(weights).map(item).collect(),
        dissent: support.dissent.into_iter().zip(against).map(dissent).collect(),
        transitions: transitions
            .into_iter()
            .map(|change| shape::RuleTransition {
                from: change.from.map(|state| state.as_str().to_owned()),
                to: change.to.as_str().to_owned(),
                by: change.by,
                reason: change.reason,
                at: change.at.to_rfc3339(),
            })
            .collect(),
        exposures: exposures
            .into_iter()
            .map(|one| shape::RuleExposure {
                exposure_id: one.id.to_string(),
                task_id: one.task.to_string(),
                at: one.at.to_rfc3339(),
            })
            .collect(),
    })
}

fn said(who: ForgeUser, authority: Authority, weight: f64) -> shape::RuleItem {
    shape::RuleItem {
        reviewer_id: Some(who.id).filter(|id| *id != 0),
        reviewer: who.login,
        role: authority.role.as_str().to_owned(),
        provisional: authority.is_provisional,
        weight,
        ..shape::RuleItem::default()
    }
}

fn item((item, weight): (SupportItem, f64)) -> shape::RuleItem {
    shape::RuleItem {
        pr: item.pr,
        review_id: item.review,
        comment_ids: item.comments,
        state: Some(item.state.as_str().to_owned()),
        url: item.url,
        date: item.at.to_rfc3339(),
        excerpt: item.excerpt,
        job_id: item.job,
        extraction_prompt_version: Some(item.read_by),
        past: item.is_past,
        ..said(item.reviewer, item.authority, weight)
    }
}

fn dissent((item, weight): (DissentItem, f64)) -> shape::RuleItem {
    shape::RuleItem {
        pr: item.pr,
        review_id: item.review,
        comment_ids: vec![item.comment],
        date: item.at.to_rfc3339(),
        excerpt: item.excerpt,
        ..said(item.author, item.authority, weight)
    }
}

async fn promote(call: Call, asked: shape::RulePromote) -> Result<shape::RulePromotion> {
    let (standing, repo, id) = (standing(&call)?, repo(&call)?, rule(&call)?);
    call.doors.engine.coding.rule_promote(&call.caller, &standing, &repo, &id, asked.target).await
}
