//! Secrets in settings of repositories. The texts of settings are logins, branches and patterns,
//! which are compared: one with a secret is rejected, because a masked one would match nothing.

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::safety::{RedactionMode, SafetyPolicy, check_name};
use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use serde_json::Value;

use crate::Coding;

/// Checks the value of a setting, including the names of its members.
///
/// # Errors
/// `Invalid`, naming the setting.
pub(super) fn check(key: &str, value: &Value, mode: RedactionMode) -> Result<()> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(text) => check_name(key, text, mode),
        Value::Array(items) => items.iter().try_for_each(|item| check(key, item, mode)),
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            check_name(key, name, mode)?;
            check(key, value, mode)
        }),
    }
}

impl Coding {
    /// Returns the redaction mode of secrets in the memory of repositories.
    ///
    /// # Errors
    /// Errors of `code_memory`.
    pub(super) async fn secrets_of_code(
        &self,
        caller: &Principal,
        standing: &CallContext,
    ) -> Result<RedactionMode> {
        let (memory, settings) =
            (self.verified.code_memory(caller, standing).await?, self.engine.settings().clone());
        let mode = self.engine.store().read(move |tx| {
            let memory = existing(tx, &memory)?;
            Ok(SafetyPolicy::of(&settings, &memory.settings).secrets)
        });
        mode.await
    }
}
