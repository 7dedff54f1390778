//! The environment, read once, and its settings.

mod service_links;
mod variable_keys;
pub(super) mod variables;

use std::collections::BTreeMap;

use anyhow::Result;
use toml::{Table, Value};
use zeroize::Zeroizing;

use service_links::is_service_link;

/// Variables that are not `LOCI_<SECTION>_<KEY>`. Test programs read `LOCI_BIN` and `LOCI_TEST_…`.
const OTHERS: &[&str] = &[
    "LOCI_MEMORY",
    "LOCI_BIN",
    "LOCI_CA_CERT",
    "LOCI_CONFIG",
    "LOCI_DATA_DIR",
    "LOCI_MASTER_KEY",
    "LOCI_PROMPT_VERSION",
    "LOCI_SPOOL",
    "LOCI_STORE",
    "LOCI_TASK_ID",
    "LOCI_TEST_POSTGRES_BIN",
    "LOCI_TEST_STORE",
    "LOCI_URL",
    "LOCI_TOKEN",
    "LOCI_TOKEN_FILE",
    "LOCI_USER",
];

/// The variables that this binary reads.
#[derive(Clone, Default)]
pub struct Environment {
    seen: BTreeMap<String, String>,
    /// True if variables named in the configuration are read from the process on use.
    of_process: bool,
}

impl Environment {
    /// Reads the variables of this binary from the process.
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
        // A variable that is not UTF-8 does not belong to Loci, and is not an error.
        let pairs = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let ours = pairs.filter(|(name, _)| wanted(name));
        let seen = ours.filter_map(|(name, value)| Some((name, value.into_string().ok()?)));
        Self { seen: seen.collect(), of_process: true }
    }

    /// Returns an environment of pairs, for tests.
    pub fn of(pairs: &[(&str, &str)]) -> Self {
        let seen = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { seen: seen.collect(), of_process: false }
    }

    /// Returns a variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.seen.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the master key, if given.
    pub fn master_key(&self) -> Option<Zeroizing<String>> {
        self.get("LOCI_MASTER_KEY").map(|value| Zeroizing::new(value.to_owned()))
    }

    /// Returns a secret in a variable that the configuration names (`key_env` and the like), if it
    /// is set and not empty.
    #[expect(
        clippy::disallowed_methods,
        reason = "the name comes from the configuration, not from the program"
    )]
    pub fn secret(&self, name: &str) -> Option<Zeroizing<String>> {
        let known = self.get(name).map(str::to_owned);
        let looked_up = || self.of_process.then(|| std::env::var(name).ok()).flatten();
        known.or_else(looked_up).filter(|value| !value.is_empty()).map(Zeroizing::new)
    }

    /// Returns the name of the operating system's user.
    pub fn os_user(&self) -> String {
        self.get("USER").or_else(|| self.get("LOGNAME")).unwrap_or("local").to_owned()
    }

    /// Applies `LOCI_<SECTION>_<KEY>` to a configuration, and returns the names without a known
    /// section, which have no effect. A variable named in the configuration contains a key, and is
    /// not a setting.
    pub(super) fn apply(&self, table: &mut Table) -> Result<Vec<String>> {
        let mut named = variables::named_by(table);
        // `LOCI_TELEMETRY_HEADERS_ENV` names a variable too.
        named.extend(
            self.seen.iter().filter(|(name, _)| name.ends_with("_ENV")).map(|(_, named)| named.clone()),
        );
        let sections = variable_keys::sections()?;
        let mut without_effect = Vec::new();
        for (name, value) in self.seen.iter().filter(|(_, value)| !value.is_empty()) {
            let is_set_elsewhere = OTHERS.contains(&name.as_str()) || named.contains(name);
            if !name.starts_with("LOCI_") || is_set_elsewhere || is_service_link(name, value) {
                continue;
            }
            match variable_keys::setting(name, value, &sections)? {
                Some(setting) => setting.put_into(table),
                None => without_effect.push(name.clone()),
            }
        }
        if let Some(folder) = self.get("LOCI_DATA_DIR") {
            let entry = table.entry("store").or_insert_with(|| Value::Table(Table::new()));
            if let Some(members) = entry.as_table_mut() {
                members.insert("data_dir".to_owned(), Value::String(folder.to_owned()));
            }
        }
        Ok(without_effect)
    }
}

impl std::fmt::Debug for Environment {
    /// Prints only the names, because values may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.seen.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Each variable in a guide is either read by Loci, or named in the guide's own configuration
    /// or pipeline.
    #[test]
    fn variables_of_the_guides_are_known() {
        let sections = variable_keys::sections().unwrap();
        let mut seen = BTreeSet::new();
        let guides = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides");
        for guide in std::fs::read_dir(guides).unwrap() {
            let text = std::fs::read_to_string(guide.unwrap().path()).unwrap();
            for (at, _) in text.match_indices("LOCI_") {
                let rest = &text[at..];
                let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
                let name = &rest[..end.unwrap_or(rest.len())];
                let is_shape = name.len() == "LOCI_".len();
                let is_named = ["_env = [\"", "_env = \"", "vars."]
                    .iter()
                    .any(|before| text.contains(&format!("{before}{name}")));
                let is_link = is_service_link(name, "tcp://10.0.0.1:8411");
                let is_known = || OTHERS.contains(&name) || variable_keys::names_section(name, &sections);
                assert!(is_shape || is_named || is_link || is_known(), "{name} is not read");
                seen.insert(name.to_owned());
            }
        }
        assert!(seen.contains("LOCI_SERVER_LISTEN") && seen.len() > 9, "{seen:?}");
    }
}
