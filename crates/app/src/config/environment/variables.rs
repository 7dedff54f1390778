//! Variables that the configuration names (`key_env` and the like). Each value must be a variable's
//! name. A key in its place would appear in logs, job errors and `loci config print`, so it is
//! rejected without being repeated.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use loci_engine::safety::{RedactionMode, secrets};
use toml::{Table, Value};

use crate::config::Config;

/// The suffix of members that name a variable.
const ENDING: &str = "_env";
/// The prefix of webhook secrets, which often consist only of letters and digits.
const WEBHOOK_SECRET: &str = "whsec_";

/// Checks all variable names.
pub(in crate::config) fn check(config: &Config) -> Result<()> {
    for (place, variable) in named_in(config) {
        if !is_name(variable) {
            bail!(
                "{place} must be the name of a variable (letters, digits and `_`, no digit first), never the key itself"
            );
        }
    }
    Ok(())
}

/// Returns all variable names in an unparsed configuration.
pub(super) fn named_by(table: &Table) -> BTreeSet<String> {
    let (mut names, mut open): (_, Vec<&Table>) = (BTreeSet::new(), vec![table]);
    while let Some(table) = open.pop() {
        for (key, value) in table {
            match value {
                Value::String(name) if key.ends_with(ENDING) => {
                    names.insert(name.clone());
                }
                Value::Array(names_of) if key.ends_with(ENDING) => {
                    names.extend(names_of.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                Value::Table(inner) => open.push(inner),
                Value::Array(entries) => open.extend(entries.iter().filter_map(Value::as_table)),
                Value::String(_)
                | Value::Integer(_)
                | Value::Float(_)
                | Value::Boolean(_)
                | Value::Datetime(_) => {}
            }
        }
    }
    names
}

/// Returns the members that name a variable, and their values.
fn named_in(config: &Config) -> Vec<(String, &str)> {
    let models = config.models.iter().map(|entry| {
        let keys = [&entry.key_env, &entry.access_key_env, &entry.secret_key_env, &entry.session_token_env];
        ("model", &entry.name, keys)
    });
    let embedders = config.embedders.iter().map(|entry| {
        let keys = [&entry.key_env, &entry.access_key_env, &entry.secret_key_env, &entry.session_token_env];
        ("embedder", &entry.name, keys)
    });
    let targets = config.targets.iter().map(|entry| {
        let keys =
            [&entry.secret_env, &entry.access_key_env, &entry.secret_key_env, &entry.session_token_env];
        ("target", &entry.name, keys)
    });
    let mut named = Vec::new();
    for (section, name, keys) in models.chain(embedders).chain(targets) {
        let first = if section == "target" { "secret_env" } else { "key_env" };
        let members = [first, "access_key_env", "secret_key_env", "session_token_env"];
        for (member, variable) in members.into_iter().zip(keys) {
            named.extend(
                variable.as_deref().map(|variable| (format!("{section}.{member} of {name}"), variable)),
            );
        }
    }
    #[cfg(feature = "verified")]
    named.extend(config.forges.iter().filter_map(|forge| {
        Some((format!("forge.token_env of {}", forge.host), forge.token_env.as_deref()?))
    }));
    #[cfg(feature = "coding")]
    named.extend(
        config
            .coding
            .github
            .webhook_secrets_env
            .iter()
            .map(|variable| ("coding.github.webhook_secrets_env".to_owned(), variable.as_str())),
    );
    #[cfg(feature = "operations")]
    for hook in &config.hooks {
        let named_by = format!("hook.secrets_env of {}", hook.source);
        named.extend(hook.secrets_env.iter().map(|variable| (named_by.clone(), variable.as_str())));
    }
    let headers = config.telemetry.headers_env.as_deref();
    named.extend(headers.map(|variable| ("telemetry.headers_env".to_owned(), variable)));
    named
}

/// True for a variable name that does not look like a key.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    let is_secret = || {
        text.starts_with(WEBHOOK_SECRET)
            || !secrets::redact(text.to_owned(), RedactionMode::Mask).1.is_empty()
    };
    begins && text.bytes().all(fits) && !is_secret()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_key() {
        let check = |text: &str, expect: bool| assert_eq!(is_name(text), expect, "{text}");
        check("OPENAI_API_KEY", true);
        check("_k2", true);
        check("LOCI_KEY", true);
        check("", false);
        check("2KEYS", false);
        check("MY KEY", false);
        check("KÖRPER", false);
        check(&format!("sk-{}-{}", "ant", "x1".repeat(20)), false);
        check(&format!("AK{}", "IAIOSFODNN7EXAMPLE"), false);
        check(&format!("gh{}_{}", "p", "a1B2c3D4e5F6".repeat(3)), false);
        check("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", false);
    }

    #[test]
    fn names_are_found_wherever_they_stand() {
        let text = "[telemetry]\nheaders_env = \"A\"\n[[model]]\nkey_env = \"B\"\nname = \"C\"\n";
        let names: Vec<_> = named_by(&text.parse().unwrap()).into_iter().collect();
        assert_eq!(names, ["A", "B"]);
    }
}
