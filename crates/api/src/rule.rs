//! Rules that reviews of a repository left.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which rules; every member that is given must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleListing {
    /// In this state; absent: `active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What they apply to, as it is written there: a path, a glob, `module:<name>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// First written then or later, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// First written before, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The text holds this, whatever the case of its letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of rules, the newest first. With a filter a page may hold fewer than there are behind it: the cursor says so.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleList {
    /// The rules.
    pub rules: Vec<Rule>,
    /// More is behind this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Rule {
    /// The record.
    pub id: String,
    /// Its version.
    pub version: u32,
    /// What is asked for.
    pub text: String,
    /// To what it applies; absent: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// By which hydration orders it, where it has a weight of its own; absent: by how far it is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Where it stands.
    pub state: String,
    /// Why it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// When it was first written.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
}
