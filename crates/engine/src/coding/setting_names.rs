//! Secrets in settings of repositories. Their texts are logins, branches and patterns, which are
//! compared: one with a secret is refused, for a masked one would be equal to nothing.

use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use serde_json::Value;

use crate::Engine;
use crate::memories::existing;
use crate::safety::{RedactionMode, SafetyPolicy, check_name};
use crate::verified::Standing;

/// Checks the value of a setting.
///
/// # Errors
/// `Invalid`, naming the setting.
pub(super) fn check(key: &str, value: &Value, mode: RedactionMode) -> Result<()> {
    texts(value).into_iter().try_for_each(|text| check_name(key, text, mode))
}

/// The texts of a value, names of members among them.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => {
            members.iter().flat_map(|(name, value)| [vec![name.as_str()], texts(value)].concat()).collect()
        }
    }
}

impl Engine {
    /// Returns the mode of secrets in the memory of repositories.
    ///
    /// # Errors
    /// Errors of `code_memory`.
    pub(super) async fn secrets_of_code(
        &self,
        caller: &Principal,
        standing: &Standing,
    ) -> Result<RedactionMode> {
        let (memory, settings) = (self.code_memory(caller, standing).await?, self.settings.clone());
        let mode = self.store.read(move |tx| {
            let memory = existing(tx, &memory)?;
            Ok(SafetyPolicy::of(&settings, &memory.settings).secrets)
        });
        mode.await
    }
}
