//! Wiring of hooks: whose deliveries are taken, and with which secrets of the environment.

use std::sync::Arc;

use anyhow::{Context, Result};
use loci_forges::github_hook::GitHubHooks;
use loci_server::v1::hooks::{AlertHook, Hook, HookKeys, Hooks};

use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::hooks::HookEntry;

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
        memory: entry.memory.clone(),
        keys: keys("hook.secrets_env", &entry.secrets_env, environment)?,
        header: entry.header.as_ref().map(|name| name.to_ascii_lowercase()),
        reader: loci_alerts::reader(source, entry.label_map(), entry.places())?,
    })
}

fn keys(member: &str, names: &[String], environment: &Environment) -> Result<HookKeys> {
    let secrets = names.iter().map(|name| {
        let secret = environment.secret(name).filter(|secret| !secret.trim().is_empty());
        secret.with_context(|| format!("{member}: the variable {name} is not set, or blank"))
    });
    HookKeys::new(secrets.collect::<Result<_>>()?).map_err(|error| anyhow::anyhow!("{}", error.message))
}
