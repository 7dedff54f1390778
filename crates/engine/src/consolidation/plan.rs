//! The plan of a consolidation: actions on documents, each with its reason. Extraction, which
//! decides on new records, and consolidation of existing documents share this schema.
//!
//! A document is identified by its path or, without one, by its record's id. This module only
//! defines the form: `validator` checks plans, and nothing here applies them.

use serde::{Deserialize, Serialize};

/// A plan for the consolidation of documents: a list of changes, each with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// The changes, in the order of their application. An empty list means that nothing changes.
    pub actions: Vec<Action>,
    /// A summary of the plan in one sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

/// The new text of a document, either in parts or as a whole file that starts with front matter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Words {
    /// The new title; `None` keeps the old one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The new description, in one line; `None` keeps the old one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The new body; `None` keeps the old one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The whole new file, in place of the other members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// One change of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    /// Merges several documents into one.
    Merge {
        /// The paths or ids of the documents to merge, at least two.
        sources: Vec<String>,
        /// The path of the merged document.
        target: String,
        /// The text of the merged document.
        #[serde(flatten)]
        words: Words,
        /// The reason of this change.
        reason: String,
    },
    /// Changes the text of a document.
    Update {
        /// The path of the changed or created document.
        path: String,
        /// The new text of the document.
        #[serde(flatten)]
        words: Words,
        /// The reason of this change.
        reason: String,
    },
    /// Supersedes a document by another one.
    Supersede {
        /// The path of the document that is superseded.
        path: String,
        /// The path of the document that supersedes it.
        by: String,
        /// The reason of this change.
        reason: String,
    },
    /// Creates a document.
    Create {
        /// The path of the changed or created document.
        path: String,
        /// The text of the new document.
        #[serde(flatten)]
        words: Words,
        /// The paths or ids of the documents from which it is derived.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        derived_from: Vec<String>,
        /// The reason of this change.
        reason: String,
    },
    /// Moves a document without a change of its text.
    Move {
        /// The path from which the document moves.
        from: String,
        /// The path to which the document moves.
        to: String,
        /// The reason of this change.
        reason: String,
    },
    /// Archives a document.
    #[serde(alias = "delete")]
    Archive {
        /// The path of the archived document.
        path: String,
        /// The path or id of a document that has the same content, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        covered_by: Option<String>,
        /// The reason of this change.
        reason: String,
    },
}

/// An operation of consolidation, in the order of its passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Newer documents supersede older ones in the same scope.
    #[serde(alias = "resolveContradictions")]
    ResolveContradictions,
    /// Merges nearly identical documents.
    Deduplicate,
    /// Creates documents over several others, with counts.
    #[serde(alias = "deriveInsights")]
    DeriveInsights,
    /// Changes paths, titles and descriptions.
    Reorganize,
    /// Archives covered, expired or unused documents.
    Prune,
}

impl Operation {
    /// The default operations: those that rules decide with certainty, without a person or a model.
    pub const DEFAULT: [Self; 3] = [Self::ResolveContradictions, Self::Deduplicate, Self::Reorganize];

    /// Returns the name of the operation.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ResolveContradictions => "resolve_contradictions",
            Self::Deduplicate => "deduplicate",
            Self::DeriveInsights => "derive_insights",
            Self::Reorganize => "reorganize",
            Self::Prune => "prune",
        }
    }
}

/// The description of a defect in the form of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub String);

/// Allowed members of each kind of action.
const MEMBERS: &[(&str, &str)] = &[
    ("merge", "sources target title description body content"),
    ("update", "path title description body content"),
    ("supersede", "path by"),
    ("create", "path title description body content derived_from"),
    ("move", "from to"),
    ("archive", "path covered_by"),
    ("delete", "path covered_by"),
];

impl Plan {
    /// Parses a plan; unknown members are rejected.
    ///
    /// # Errors
    /// The defect, safe to display.
    pub fn read(text: &str) -> Result<Self, Malformed> {
        let value: serde_json::Value =
            loci_json::from_str(text).map_err(|error| Malformed(format!("not JSON: {error}")))?;
        let actions = value.get("actions").and_then(serde_json::Value::as_array);
        for (number, action) in (1..).zip(actions.into_iter().flatten()) {
            let kind = action.get("type").and_then(serde_json::Value::as_str).unwrap_or_default();
            let Some((_, allowed)) = MEMBERS.iter().find(|(name, _)| *name == kind) else {
                return Err(Malformed(format!("action {number}: no such type")));
            };
            let members = action.as_object().into_iter().flat_map(|members| members.keys());
            for member in members.filter(|member| !matches!(member.as_str(), "type" | "reason")) {
                if !allowed.split(' ').any(|name| name == member) {
                    let shown: String = member.chars().take(40).collect();
                    return Err(Malformed(format!("action {number}: a {kind} has no member {shown:?}")));
                }
            }
        }
        loci_json::from_value(&value).map_err(|error| Malformed(error.to_string()))
    }
}

impl Action {
    /// Returns the name of the kind of change, such as `merge`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Merge { .. } => "merge",
            Self::Update { .. } => "update",
            Self::Supersede { .. } => "supersede",
            Self::Create { .. } => "create",
            Self::Move { .. } => "move",
            Self::Archive { .. } => "archive",
        }
    }

    /// Returns the reason of the change.
    pub fn reason(&self) -> &str {
        match self {
            Self::Merge { reason, .. }
            | Self::Update { reason, .. }
            | Self::Supersede { reason, .. }
            | Self::Create { reason, .. }
            | Self::Move { reason, .. }
            | Self::Archive { reason, .. } => reason,
        }
    }

    /// Replaces the reason of the change.
    pub fn set_reason(&mut self, new: &str) {
        match self {
            Self::Merge { reason, .. }
            | Self::Update { reason, .. }
            | Self::Supersede { reason, .. }
            | Self::Create { reason, .. }
            | Self::Move { reason, .. }
            | Self::Archive { reason, .. } => new.clone_into(reason),
        }
    }

    /// Returns the new text that the change writes, if any.
    pub fn words(&self) -> Option<&Words> {
        match self {
            Self::Merge { words, .. } | Self::Update { words, .. } | Self::Create { words, .. } => {
                Some(words)
            }
            Self::Supersede { .. } | Self::Move { .. } | Self::Archive { .. } => None,
        }
    }

    /// Returns the documents that must exist before the change.
    pub fn reads(&self) -> Vec<&str> {
        match self {
            Self::Merge { sources, .. } => sources.iter().map(String::as_str).collect(),
            Self::Update { path, .. } => vec![path],
            Self::Supersede { path, by, .. } => vec![path, by],
            Self::Create { derived_from, .. } => derived_from.iter().map(String::as_str).collect(),
            Self::Move { from, .. } => vec![from],
            Self::Archive { path, covered_by, .. } => {
                std::iter::once(path.as_str()).chain(covered_by.as_deref()).collect()
            }
        }
    }

    /// Returns the path that the change writes; `None` if it writes none.
    pub fn writes(&self) -> Option<&str> {
        match self {
            Self::Merge { target, .. } => Some(target),
            Self::Update { path, .. } | Self::Create { path, .. } => Some(path),
            Self::Move { to, .. } => Some(to),
            Self::Supersede { .. } | Self::Archive { .. } => None,
        }
    }

    /// Returns the paths at which no document exists after the change.
    pub fn vacates(&self) -> Vec<&str> {
        match self {
            Self::Merge { sources, target, .. } => {
                sources.iter().map(String::as_str).filter(|source| *source != target.as_str()).collect()
            }
            Self::Move { from, .. } => vec![from],
            Self::Supersede { path, .. } | Self::Archive { path, .. } => vec![path],
            Self::Update { .. } | Self::Create { .. } => Vec::new(),
        }
    }

    /// Returns true if the change takes a document out of use: merging, superseding or archiving.
    pub fn retires(&self) -> bool {
        matches!(self, Self::Merge { .. } | Self::Supersede { .. } | Self::Archive { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema() {
        let plan = r#"{"actions":[
            {"type":"merge","sources":["a.md","b.md"],"target":"a.md","body":"x","reason":"r"},
            {"type":"supersede","path":"c.md","by":"d.md","reason":"r"},
            {"type":"create","path":"e.md","content":"---\n","derived_from":["a.md"],"reason":"r"},
            {"type":"delete","path":"f.md","covered_by":"a.md","reason":"r"}],"summary":"s"}"#;
        let plan = Plan::read(plan).unwrap();
        let kinds: Vec<_> = plan.actions.iter().map(Action::kind).collect();
        assert_eq!(kinds, ["merge", "supersede", "create", "archive"]);
        assert_eq!(plan.actions[0].vacates(), ["b.md"]);
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(Plan::read(&text).unwrap(), plan);
        for bad in [
            "[]x",
            "[[]]",
            r#"[[{"type":"archive","path":"a","reason":"r"}]]"#,
            r#"{"actions":[{"type":"forget","path":"a","reason":"r"}]}"#,
            r#"{"actions":[{"type":"archive","path":"a","reason":"r","force":true}]}"#,
            r#"{"actions":[{"type":"archive","reason":"r"}]}"#,
            r#"{"actions":[],"more":1}"#,
        ] {
            assert!(Plan::read(bad).is_err(), "{bad}");
        }
    }
}
