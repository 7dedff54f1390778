//! The texts of a new fact, and their check for secrets. Facts never contain a secret.

use loci_engine::calls::call_context::kinds_of_secrets;
use loci_model::facts::claim::Claim;
use loci_model::{CodeReason, Error, Result};
use serde_json::Value;

/// The texts of a fact to store.
#[derive(Debug, Clone)]
pub(crate) struct NewText {
    pub(crate) subject: String,
    pub(crate) fact: String,
    pub(crate) reason: Option<String>,
    pub(crate) created_by: Option<String>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) content_hash: String,
}

impl NewText {
    /// Rejects a secret in any of the texts.
    ///
    /// # Errors
    /// `SECRET_DETECTED`, with the kinds of secrets found.
    pub(crate) fn check_secrets(&self) -> Result<()> {
        let claims = self.claims_written()?;
        let mut texts = vec![self.subject.as_str(), self.fact.as_str()];
        texts.extend(self.reason.as_deref());
        texts.extend(self.created_by.as_deref());
        texts_in(&claims, &mut texts);
        check_secrets(&texts)
    }

    /// Returns the operands of the claims: literals, patterns, paths and names.
    pub(super) fn operands(&self) -> Vec<String> {
        let claims = self.claims_written().unwrap_or_default();
        let mut texts = Vec::new();
        texts_in(&claims, &mut texts);
        texts.into_iter().map(str::to_owned).collect()
    }

    fn claims_written(&self) -> Result<Value> {
        serde_json::to_value(&self.claims)
            .map_err(|error| Error::bug("claims that cannot be written down").caused_by(error))
    }
}

fn texts_in<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts_in(item, texts)),
        Value::Object(members) => members.values().for_each(|member| texts_in(member, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Rejects texts that contain a secret, also one split by hidden characters.
///
/// # Errors
/// `SECRET_DETECTED`, with the kinds of secrets found.
pub(crate) fn check_secrets(texts: &[&str]) -> Result<()> {
    let kinds = kinds_of_secrets(texts);
    if kinds.is_empty() {
        return Ok(());
    }
    let message = "the fact, its subject, its reason, its claims or a label holds a secret: facts never do; leave \
                   it out";
    Err(Error::code(CodeReason::SecretDetected, message).listing(kinds))
}
