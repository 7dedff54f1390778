//! The statements of a review, in the stored form of rules: the digest for comparison, and the
//! metadata of a rule's record. Pure.

use std::collections::BTreeSet;

use loci_engine::safety;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::tasks::rule::{ApprovalReason, RuleImpact};
use loci_model::{RepositoryId, limits};
use sha2::{Digest, Sha256};

use super::extraction::{ExtractedRule, Impact, folded};
use crate::learnings::learning_write::SCHEMA_VERSION;

/// A statement that is stored as a rule.
pub(super) struct StoredStatement {
    pub(super) text: String,
    pub(super) digest: String,
    /// The digest in an earlier version.
    pub(super) earlier: String,
    pub(super) scope: Option<String>,
    pub(super) comments: Vec<u64>,
    pub(super) impact: RuleImpact,
    pub(super) asks_approval: BTreeSet<ApprovalReason>,
}

impl StoredStatement {
    /// Returns the statement of an extracted rule.
    pub(super) fn of(repository: &RepositoryId, rule: &ExtractedRule) -> Self {
        let mut asks_approval = BTreeSet::new();
        let is_doubtful = f64::from(rule.injection) >= safety::injection::FLAGGED.into();
        if is_doubtful {
            asks_approval.insert(ApprovalReason::InjectionScore);
        }
        if rule.needs_approval && !is_doubtful {
            asks_approval.insert(ApprovalReason::Command);
        }
        Self {
            text: rule.text.clone(),
            digest: rule_digest(repository, &rule.canonical, rule.scope.as_deref()),
            earlier: rule_digest(repository, &folded(&rule.text), rule.scope.as_deref()),
            scope: rule.scope.clone(),
            comments: rule.comment_ids.clone(),
            impact: match rule.impact {
                Impact::High => RuleImpact::High,
                Impact::Style => RuleImpact::Style,
            },
            asks_approval,
        }
    }
}

/// Returns the digest of a rule, which is equal for rules with equal canonical form and scope.
pub(super) fn rule_digest(repository: &RepositoryId, canonical: &str, scope: Option<&str>) -> String {
    let whole = format!("{repository}\n{}\n{canonical}", scope.unwrap_or_default());
    hex::encode(Sha256::digest(whole.as_bytes()))
}

/// Returns a remark as provenance quotes it.
pub(super) fn excerpt(text: &str) -> String {
    let clean = safety::for_model(text);
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(limits::RULE_EXCERPT_CHARS_MAX).collect()
}

/// Returns the metadata that every rule's record has.
pub(super) fn rule_metadata(actor: &str, source_type: &str, read_by: &str) -> Metadata {
    let text = |text: &str| MetadataValue::String(text.to_owned());
    Metadata::from([
        ("schema_version".to_owned(), text(SCHEMA_VERSION)),
        ("repo".to_owned(), text(actor)),
        ("type".to_owned(), text("review_feedback")),
        ("source_type".to_owned(), text(source_type)),
        ("extraction_prompt_version".to_owned(), text(read_by)),
    ])
}
