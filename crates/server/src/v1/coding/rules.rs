//! Rules from the reviews of a repository: list and show. `rule_decisions` handles the decisions of
//! people.

use loci_api::coding::rule as shape;
use loci_api::coding::table as api;
use loci_model::Result;
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;

use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::{asking, repo};

/// The metadata key by which rules are ordered.
const WEIGHT: &str = "weight";

pub(super) fn operations(table: Table) -> Table {
    table.query(api::RULE_LIST, list)
}

async fn list(call: Call, asked: shape::RuleListing) -> Result<shape::RuleList> {
    listed(&asking(&call)?, &repo(&call)?, asked).await
}

/// Returns a page of rules.
pub(crate) async fn listed(
    asking: &AuthenticatedCall<'_>,
    repo: &str,
    asked: shape::RuleListing,
) -> Result<shape::RuleList> {
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let page = asking.engine.coding.rules_list(asking.caller, &asking.standing, repo, asked, place).await?;
    Ok(shape::RuleList {
        rules: page.items.into_iter().map(shown).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

pub(crate) fn shown(rule: Record) -> shape::Rule {
    let number = |key: &str| match rule.metadata.get(key) {
        Some(MetadataValue::Number(number)) => Some(*number),
        Some(_) | None => None,
    };
    let word = |key: &str| match rule.metadata.get(key) {
        Some(MetadataValue::String(word)) => Some(word.clone()),
        Some(_) | None => None,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, clamped")]
    let count = |key: &str| number(key).map(|count| count.clamp(0.0, 1e9) as u64);
    let conflicts = match rule.metadata.get("conflict") {
        Some(MetadataValue::StringList(ids)) => ids.clone(),
        Some(_) | None => Vec::new(),
    };
    shape::Rule {
        id: rule.id.to_string(),
        version: rule.version,
        weight: number(WEIGHT),
        impact: word("impact"),
        support: number("support"),
        reviewers: count("reviewers"),
        prs: count("prs"),
        approval_suggested: word("approval_suggested").is_some(),
        waits_for: word("waits_for"),
        approved_by: word("approved_by"),
        pinned: word("pinned").is_some(),
        conflicts,
        text: rule.text,
        scope: rule.scope,
        state: rule.state.as_str().to_owned(),
        state_reason: rule.state_reason,
        created_at: rule.created_at.to_rfc3339(),
        updated_at: rule.updated_at.to_rfc3339(),
    }
}
