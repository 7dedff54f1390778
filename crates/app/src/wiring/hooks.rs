//! Wiring of hooks: whose deliveries are taken, and with which secrets of the environment.

use std::sync::Arc;

use anyhow::{Context, Result};
use loci_forges::github_hook::GitHubHooks;
use loci_server::v1::hooks::{AlertHook, Hook, HookKeys, Hooks};
use sha2::{Digest, Sha256};

use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::hooks::HookEntry;

/// Digits of the name of a sender.
const SENDER_DIGITS: usize = 8;

/// The hooks of the configuration.
///
/// # Errors
/// A variable that should hold a secret and does not, or holds a blank one.
pub fn hooks(config: &Config, environment: &Environment) -> Result<Hooks> {
    let names = &config.coding.github.webhook_secrets_env;
    let keys = keys("coding.github.webhook_secrets_env", names, environment)?;
    let github = Hook { keys, reader: Some(Arc::new(GitHubHooks)) };
    let alerts = config.hooks.iter().map(|entry| alert_hook(entry, environment));
    Ok(Hooks { github, alerts: alerts.collect::<Result<_>>()? })
}

fn alert_hook(entry: &HookEntry, environment: &Environment) -> Result<AlertHook> {
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

fn keys(member: &str, names: &[String], environment: &Environment) -> Result<HookKeys> {
    let secrets = names.iter().map(|name| {
        let secret = environment.secret(name).filter(|secret| !secret.trim().is_empty());
        secret.with_context(|| format!("{member}: the variable {name} is not set, or blank"))
    });
    HookKeys::new(secrets.collect::<Result<_>>()?).map_err(|error| anyhow::anyhow!("{}", error.message))
}
