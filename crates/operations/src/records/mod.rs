//! Records of operations memory: their types, texts and namespaces, and their precedence.

pub(super) mod drafts;
pub(super) mod incident_name;
pub(super) mod index_text;
pub(super) mod investigation;
pub(super) mod knowledge;
pub(super) mod namespace_rules;
pub(super) mod origin;
pub(super) mod precedence;
pub(super) mod record_content;
pub(super) mod repetition;
pub(super) mod save;
