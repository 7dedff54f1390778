//! The environment, read once, and what `LOCI_<SECTION>_<KEY>` means in it.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use toml::{Table, Value};
use zeroize::Zeroizing;

use super::variables;

/// Sections whose keys the environment can set.
const SECTIONS: &[&str] = &[
    "server",
    "store",
    "aws",
    "compat",
    "memories",
    "extraction",
    "llm",
    "embedding",
    "pipeline",
    "safety",
    "sre",
    "profiles",
    "outbound",
    "mcp",
    "telemetry",
    "log",
];
/// Variables that are not `LOCI_<SECTION>_<KEY>`; `LOCI_BIN` names the binary to test programs.
const OTHERS: &[&str] = &[
    "LOCI_BIN",
    "LOCI_CONFIG",
    "LOCI_DATA_DIR",
    "LOCI_MASTER_KEY",
    "LOCI_PROMPT_VERSION",
    "LOCI_SPOOL",
    "LOCI_STORE",
    "LOCI_TASK_ID",
    "LOCI_URL",
    "LOCI_TOKEN",
    "LOCI_TOKEN_FILE",
    "LOCI_USER",
];

/// The variables this binary looks at.
#[derive(Clone, Default)]
pub struct Environment {
    seen: BTreeMap<String, String>,
    /// Variables that the configuration names are looked up in the process when they are needed.
    of_process: bool,
}

impl Environment {
    /// Takes what this binary looks at from the process.
    pub fn of_process() -> Self {
        let wanted = |name: &str| {
            name.starts_with("LOCI_")
                || matches!(
                    name,
                    "HOME"
                        | "NO_COLOR"
                        | "XDG_DATA_HOME"
                        | "XDG_CONFIG_HOME"
                        | "USER"
                        | "LOGNAME"
                        | "USERPROFILE"
                        | "PATH"
                        | "CLAUDE_CONFIG_DIR"
                        | "CODEX_HOME"
                        | "AWS_ACCESS_KEY_ID"
                        | "AWS_DEFAULT_REGION"
                        | "AWS_ENDPOINT_URL"
                        | "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE"
                        | "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL"
                        | "AWS_REGION"
                        | "COPILOT_HOME"
                        | "GIT_EDITOR"
                        | "PROMPT_VERSION"
                        | "TASK_ID"
                )
        };
        // What is not UTF-8 is nothing of ours, and no reason to fail.
        let pairs = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let ours = pairs.filter(|(name, _)| wanted(name));
        let seen = ours.filter_map(|(name, value)| Some((name, value.into_string().ok()?)));
        Self { seen: seen.collect(), of_process: true }
    }

    /// From pairs, for tests.
    pub fn of(pairs: &[(&str, &str)]) -> Self {
        let seen = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { seen: seen.collect(), of_process: false }
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.seen.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The master key, where it is given.
    pub fn master_key(&self) -> Option<Zeroizing<String>> {
        self.get("LOCI_MASTER_KEY").map(|value| Zeroizing::new(value.to_owned()))
    }

    /// A secret in a variable that the configuration names (`key_env` and the like), where it is set and not empty.
    #[expect(
        clippy::disallowed_methods,
        reason = "the name comes from the configuration, not from the program"
    )]
    pub fn secret(&self, name: &str) -> Option<Zeroizing<String>> {
        let known = self.get(name).map(str::to_owned);
        let looked_up = || self.of_process.then(|| std::env::var(name).ok()).flatten();
        known.or_else(looked_up).filter(|value| !value.is_empty()).map(Zeroizing::new)
    }

    /// The name of the user of the operating system.
    pub fn os_user(&self) -> String {
        self.get("USER").or_else(|| self.get("LOGNAME")).unwrap_or("local").to_owned()
    }

    /// Puts `LOCI_<SECTION>_<KEY>` into a configuration. A variable that a member of it names holds a key, and is none.
    pub(super) fn apply(&self, table: &mut Table) -> Result<()> {
        let mut named = variables::named_by(table);
        // `LOCI_TELEMETRY_HEADERS_ENV` names one, too.
        named.extend(
            self.seen.iter().filter(|(name, _)| name.ends_with("_ENV")).map(|(_, named)| named.clone()),
        );
        for (name, value) in self.seen.iter().filter(|(_, value)| !value.is_empty()) {
            let is_ours = |_: &&str| !OTHERS.contains(&name.as_str()) && !named.contains(name);
            let Some(rest) = name.strip_prefix("LOCI_").filter(is_ours) else { continue };
            let rest = rest.to_ascii_lowercase();
            let place = rest.split_once('_').filter(|(section, _)| SECTIONS.contains(section));
            let Some((section, key)) = place else {
                bail!(
                    "{name} names no section: use LOCI_<SECTION>_<KEY> with one of {}",
                    SECTIONS.join(", ")
                );
            };
            let entry = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
            if let Some(members) = entry.as_table_mut() {
                members.insert(key.to_owned(), scalar(value));
            }
        }
        if let Some(folder) = self.get("LOCI_DATA_DIR") {
            let entry = table.entry("store").or_insert_with(|| Value::Table(Table::new()));
            if let Some(members) = entry.as_table_mut() {
                members.insert("data_dir".to_owned(), Value::String(folder.to_owned()));
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Environment {
    /// Names only: values may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.seen.keys()).finish()
    }
}

/// `true`, `false` and whole numbers as such, anything else as text.
fn scalar(text: &str) -> Value {
    match (text, text.parse::<i64>()) {
        ("true", _) => Value::Boolean(true),
        ("false", _) => Value::Boolean(false),
        // A number with leading zeros is a name, like an account.
        (_, Ok(number)) if number.to_string() == text => Value::Integer(number),
        _ => Value::String(text.to_owned()),
    }
}
