//! The plan of a consolidation: actions on documents, each with its reason. One schema for
//! extraction, which decides on new records, and for the upkeep of what is kept.
//!
//! A document is named by its path or, without one, by its record's id. Shapes only: `validator` judges, nothing here acts.

use serde::{Deserialize, Serialize};

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// In order; none is no plan.
    pub actions: Vec<Action>,
    /// What it does, in a sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

/// New words of a document: in parts, or as a whole file that starts with frontmatter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Words {
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// One line about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// All of it at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// One action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    /// Several documents become one.
    Merge {
        /// At least two.
        sources: Vec<String>,
        /// Where the one lies.
        target: String,
        /// Its words.
        #[serde(flatten)]
        words: Words,
        /// Why.
        reason: String,
    },
    /// A document gets other words.
    Update {
        /// Which one.
        path: String,
        /// The words that change.
        #[serde(flatten)]
        words: Words,
        /// Why.
        reason: String,
    },
    /// A document gives its place to another.
    Supersede {
        /// Which one.
        path: String,
        /// The other.
        by: String,
        /// Why.
        reason: String,
    },
    /// A new document.
    Create {
        /// Where.
        path: String,
        /// Its words.
        #[serde(flatten)]
        words: Words,
        /// What it draws on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        derived_from: Vec<String>,
        /// Why.
        reason: String,
    },
    /// A document goes elsewhere, word for word.
    Move {
        /// From here.
        from: String,
        /// To here.
        to: String,
        /// Why.
        reason: String,
    },
    /// A document is put away.
    #[serde(alias = "delete")]
    Archive {
        /// Which one.
        path: String,
        /// What says the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        covered_by: Option<String>,
        /// Why.
        reason: String,
    },
}

/// What a consolidation may do, in the order of its passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Newer supersedes older in the same scope.
    #[serde(alias = "resolveContradictions")]
    ResolveContradictions,
    /// Near-identical documents become one.
    Deduplicate,
    /// New documents over several, with counts.
    #[serde(alias = "deriveInsights")]
    DeriveInsights,
    /// Moves, titles, descriptions.
    Reorganize,
    /// What is covered, expired or unused is put away.
    Prune,
}

impl Operation {
    /// The operations where none is named: what rules are certain of, and nothing that only a
    /// person or a model can judge.
    pub const DEFAULT: [Self; 3] = [Self::ResolveContradictions, Self::Deduplicate, Self::Reorganize];

    /// Its word.
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

/// What is wrong with a plan that is not of this form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub String);

/// Members of every action, and of each kind.
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
    /// Reads a plan; members that the schema has not are refused.
    ///
    /// # Errors
    /// What is wrong, safe to show.
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
        serde_json::from_value(value).map_err(|error| Malformed(error.to_string()))
    }
}

impl Action {
    /// Its word.
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

    /// Why.
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

    /// Gives it another reason.
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

    /// Its new words, where it has some.
    pub fn words(&self) -> Option<&Words> {
        match self {
            Self::Merge { words, .. } | Self::Update { words, .. } | Self::Create { words, .. } => {
                Some(words)
            }
            Self::Supersede { .. } | Self::Move { .. } | Self::Archive { .. } => None,
        }
    }

    /// Documents that must be there.
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

    /// Where it writes.
    pub fn writes(&self) -> Option<&str> {
        match self {
            Self::Merge { target, .. } => Some(target),
            Self::Update { path, .. } | Self::Create { path, .. } => Some(path),
            Self::Move { to, .. } => Some(to),
            Self::Supersede { .. } | Self::Archive { .. } => None,
        }
    }

    /// What is not there afterwards.
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

    /// True where that ends a document's life.
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
            r#"{"actions":[{"type":"forget","path":"a","reason":"r"}]}"#,
            r#"{"actions":[{"type":"archive","path":"a","reason":"r","force":true}]}"#,
            r#"{"actions":[{"type":"archive","reason":"r"}]}"#,
            r#"{"actions":[],"more":1}"#,
        ] {
            assert!(Plan::read(bad).is_err(), "{bad}");
        }
    }
}
