//! Wiring of the hooks of alerting systems.

use anyhow::Result;
use loci_server::v1::hooks::AlertHook;
use sha2::{Digest, Sha256};

use super::hooks::keys;
use crate::config::environment::Environment;
use crate::config::hooks::HookEntry;

/// Digits of the name of a sender.
const SENDER_DIGITS: usize = 8;

/// A hook of the configuration.
///
/// # Errors
/// A variable that should hold a secret and does not, or holds a blank one; an unknown source.
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

/// A name for the sender that does not depend on the other hooks: of the variable with its first secret.
fn sender(entry: &HookEntry) -> String {
    let variable = entry.secrets_env.first().map(String::as_str).unwrap_or_default();
    let digits = hex::encode(Sha256::digest(variable));
    digits.get(..SENDER_DIGITS).unwrap_or(&digits).to_owned()
}
