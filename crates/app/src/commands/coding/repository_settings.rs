//! `loci repo show`, `loci repo set`: settings of a repository that override the server's settings.

use anyhow::{Context, Result, bail};
use loci_api::coding::repository_settings::{RepositoryChange, RepositoryShown};
use serde_json::{Map, Value};

use crate::commands::verified::code_memory::CodeMemory;
use crate::commands::verified::repository_words::{PositionedRepository, Surroundings, repository_and_words};
use crate::exit::Usage;
use crate::output;

/// The repository
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    #[command(flatten)]
    of: PositionedRepository,
}

/// The settings
#[derive(Debug, clap::Args)]
pub(crate) struct Set {
    /// memory_token_budget=3000, tiers.rules=false, control.off=0.1,
    /// capture.conversation=decisions, capture.retention_days=30, preferences.implicit=false,
    /// reflection.every_tasks=20, default_branch=main; KEY= restores the server's setting. Before
    /// them the repository, as owner/name [default: that of the working directory]
    #[arg(required = true, num_args = 1.., value_names = ["[REPO]", "KEY=VALUE"])]
    settings: Vec<String>,
    /// Print the request, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    at: CodeMemory,
}

impl Show {
    pub(in crate::commands) async fn run(&self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let shown = meant.client.repository_show(meant.parts()).await?;
        output::result(around.session.json, &shown, print)
    }
}

impl Set {
    pub(in crate::commands) async fn run(&self, around: Surroundings<'_>) -> Result<()> {
        let as_json = around.session.json;
        let (repo, settings) = repository_and_words(&self.settings);
        if settings.is_empty() {
            return Err(Usage("name a setting, as KEY=VALUE".to_owned()).into());
        }
        let change = change(settings)?;
        let meant = around.meant(&self.at, repo).await?;
        if self.dry_run {
            return output::result(as_json, &change, |change| {
                let change = serde_json::to_string(change).unwrap_or_default();
                output::line(format!("would set {change}"));
            });
        }
        let shown = meant.client.repository_patch(meant.parts(), &change).await?;
        output::result(as_json, &shown, print)
    }
}

/// Settings whose value is always text: a branch may be called 2024.
const TEXTS: &[&str] = &["capture.conversation", "default_branch"];

/// Converts `a.b=c` to `{"a":{"b":"c"}}`. A value that parses as JSON becomes JSON unless its key
/// takes only text. An empty value becomes null.
fn change(settings: &[String]) -> Result<RepositoryChange> {
    let mut body = Map::new();
    for setting in settings {
        let Some((key, value)) = setting.split_once('=') else { bail!("{setting} must be KEY=VALUE") };
        let value = read(key, value);
        let before = match key.split_once('.') {
            None => body.insert(key.to_owned(), value),
            Some((group, member)) => {
                let group = body.entry(group).or_insert_with(|| Value::Object(Map::new()));
                let Some(members) = group.as_object_mut() else {
                    bail!("{key}: its group is set as a whole")
                };
                members.insert(member.to_owned(), value)
            }
        };
        if before.is_some() {
            bail!("{key} is given twice: give it once")
        }
    }
    loci_json::from_value(&Value::Object(body)).context("no setting of a repository")
}

fn read(key: &str, value: &str) -> Value {
    let text = || Value::String(value.to_owned());
    match loci_json::from_str(value) {
        _ if value.is_empty() => Value::Null,
        Ok(read @ Value::String(_)) => read,
        Ok(read) if !TEXTS.contains(&key) => read,
        Ok(_) | Err(_) => text(),
    }
}

fn print(shown: &RepositoryShown) {
    output::line(format!("{}  {}", shown.scope_key, shown.repo_id));
    output::line(format!("    names  {}", shown.aliases.join(" ")));
    if !shown.places.is_empty() {
        output::line(format!("    read at  {}", shown.places.join(" ")));
    }
    let own = serde_json::to_value(&shown.config).unwrap_or_default();
    for (key, value) in flat(&serde_json::to_value(&shown.in_force).unwrap_or_default()) {
        let is_own = flat(&own).iter().any(|(own, _)| *own == key);
        let whose = if is_own { "its own" } else { "the server's" };
        output::line(format!("    {key} = {value}  ({whose})"));
    }
    for count in &shown.counts {
        output::line(format!("    {} {} {}", count.count, count.state, count.kind));
    }
    shown.warnings.iter().for_each(output::note);
}

/// Flattens the members to dotted keys.
fn flat(value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Object(_) => found
                .extend(flat(value).into_iter().map(|(member, value)| (format!("{key}.{member}"), value))),
            value => found.push((key.clone(), value.to_string())),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_as_they_are_sent() {
        let check = |settings: &[&str], expect: &str| {
            let settings: Vec<String> = settings.iter().map(|one| (*one).to_owned()).collect();
            let sent = change(&settings).ok().map(|change| serde_json::to_value(change).unwrap());
            let expect = (!expect.is_empty()).then(|| serde_json::from_str::<Value>(expect).unwrap());
            assert_eq!(sent, expect, "{settings:?}");
        };
        check(&["memory_token_budget=3000"], r#"{"memory_token_budget":3000}"#);
        check(&["tiers.rules=false", "tiers.episodes="], r#"{"tiers":{"episodes":null,"rules":false}}"#);
        check(
            &["capture.conversation=off", "default_branch=main"],
            r#"{"default_branch":"main","capture":{"conversation":"off"}}"#,
        );
        for name in ["2024", "true", "null", "1e3", "[x]", "{}"] {
            check(&[&format!("default_branch={name}")], &format!(r#"{{"default_branch":"{name}"}}"#));
        }
        check(&[r#"default_branch="main""#], r#"{"default_branch":"main"}"#);
        check(&["default_branch="], r#"{"default_branch":null}"#);
        check(&["control.off=0.1", "control.tier1=0.2"], r#"{"control":{"off":0.1,"tier1":0.2}}"#);
        check(&["default_branch=a", "default_branch=b"], "");
        check(&["control.off=0.1", "control.off=0.1"], "");
        check(&["control.off=0.1", "control="], "");
        check(&[r#"control={"off":0.1}"#, "control.off=0.2"], "");
        check(&["control="], r#"{"control":null}"#);
        check(&["control=", "control.off=1"], "");
        check(&["budget"], "");
        check(&["budgets=1"], "");
    }
}
