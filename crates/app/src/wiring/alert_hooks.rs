//! Wiring of the hooks of alerting systems.

use anyhow::Result;
use loci_server::v1::hooks::AlertHook;
use sha2::{Digest, Sha256};

use super::hooks::keys;
use crate::config::environment::Environment;
use crate::config::hooks::HookEntry;

/// The number of digits in a sender's name.
const SENDER_DIGITS: usize = 8;

/// Returns a configured hook.
///
/// # Errors
/// A variable for a secret is unset or blank, or the source is unknown.
pub(super) fn alert_hook(entry: &HookEntry, environment: &Environment) -> Result<AlertHook> {
    let source = entry.source()?;
    Ok(AlertHook {
        source,
        sender: sender(entry),
        memory: entry.memory.clone(),
        keys: keys("hook.secrets_env", &entry.secrets_env, environment)?,
        header: entry.header.as_ref().map(|name| name.to_ascii_lowercase()),
        reader: loci_alerts::reader(source, entry.label_map(), entry.places())?,
    })
}

/// Returns a name for the sender that is independent of other hooks: it derives from the variable
/// with its first secret.
fn sender(entry: &HookEntry) -> String {
    let variable = entry.secrets_env.first().map(String::as_str).unwrap_or_default();
    let digits = hex::encode(Sha256::digest(variable));
    digits.get(..SENDER_DIGITS).unwrap_or(&digits).to_owned()
}
