//! `loci ops preferences`: preferences of users of operations agents.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use loci_api::operations::knowledge::SreKept;
use loci_api::operations::preference as shape;
use serde_json::Value;

use super::memory_selection::OperationsMemory;
use crate::input::text_of;
use crate::output;
use crate::session::Session;

/// The maximum number of characters of a value on a line.
const VALUE_CHARS_MAX: usize = 120;

/// Preferences of users of operations agents.
#[derive(Debug, Subcommand)]
pub(crate) enum Preferences {
    /// List preferences, those that need a decision first
    List(List),
    /// Put a pending preference in force
    Confirm(Decide),
    /// Reject a pending preference
    Reject(Decide),
    /// List all statements about the preferences of a user
    History(History),
    /// Make the preferences of users match a file
    Apply(Apply),
}

impl Preferences {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        match self {
            Self::List(list) => list.run(session).await,
            Self::Confirm(decide) => decide.confirm(session).await,
            Self::Reject(decide) => decide.reject(session).await,
            Self::History(history) => history.run(session).await,
            Self::Apply(apply) => apply.run(session).await,
        }
    }
}

/// The preferences that a file declares
#[derive(Debug, Args)]
pub(crate) struct Apply {
    /// The YAML file: `users`, each with `preferences`
    file: PathBuf,
    /// Print the changes and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Remove previously declared preferences that this file does not contain
    #[arg(long)]
    prune: bool,
    /// Restore preferences that were erased here, including those of forgotten users
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The selection of preferences
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only this user
    user: Option<String>,
    /// Only those that wait for a person
    #[arg(long)]
    pending: bool,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The preference
#[derive(Debug, Args)]
pub(crate) struct Decide {
    /// The id of a waiting preference
    id: String,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The selection of the history
#[derive(Debug, Args)]
pub(crate) struct History {
    /// The user
    user: String,
    /// Only this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only this key
    #[arg(long)]
    key: Option<String>,
    #[command(flatten)]
    at: OperationsMemory,
}

impl Apply {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let text = text_of(&self.file, "the preferences")?;
        let memory = self.at.memory(session).await?;
        let asked = shape::SrePreferencesApply {
            users: None,
            text: Some(text),
            dry_run: self.dry_run,
            prune: self.prune,
        };
        let client = session.client.clone().with_if_erased(self.force);
        let done = client.sre_preferences_apply(&memory, &asked).await?;
        output::result(session.json, &done, applied)?;
        if done.dry_run && done.changed > 0 {
            output::dry_run();
        }
        Ok(())
    }
}

fn applied(done: &shape::SrePreferencesApplied) {
    let short = |value: &Option<Value>| {
        value.as_ref().map(|value| output::short(&value.to_string(), VALUE_CHARS_MAX)).unwrap_or_default()
    };
    for one in done.changes.iter().filter(|one| one.change != "unchanged") {
        let (from, to) = (short(&one.from), short(&one.to));
        let what = match one.change.as_str() {
            "change" => format!("{from} → {to}"),
            "add" => to,
            "kept" => format!("{from}: another person set it, and it stays"),
            "undeclare" => format!("{from}: it stays for a time; --prune removes it"),
            _ => from,
        };
        output::line(format!("{}  {}  {}/{}  {what}", one.change, one.user_id, one.preference_type, one.key));
    }
    output::line(format!("unchanged: {}", done.unchanged));
}

impl List {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let state = self.pending.then(|| "pending_confirmation".to_owned());
        let Some(user) = &self.user else {
            let listing = shape::SrePreferencesListing { state };
            let found = session.client.sre_preferences_list(&memory, &listing).await?;
            return output::result(session.json, &found, |found| {
                output::note_if_empty(&found.preferences, "No preferences.");
                found.preferences.iter().for_each(line);
                found.warnings.iter().for_each(output::note);
            });
        };
        let mut found = session.client.sre_preferences(&memory, user).await?;
        for one in found.preferences.iter_mut().filter(|_| self.pending) {
            one.entries.retain(|entry| Some(&entry.state) == state.as_ref());
        }
        output::result(session.json, &found, |found| {
            let entries: Vec<_> = found.preferences.iter().flat_map(|one| &one.entries).collect();
            output::note_if_empty(&entries, "No preferences of this user.");
            entries.into_iter().for_each(line);
            let effective = &found.effective;
            let quiet = if effective.quiet_now { "quiet" } else { "not quiet" };
            output::note(format!("now: {quiet}, in {}", effective.timezone));
            found.warnings.iter().for_each(output::note);
        })
    }
}

impl Decide {
    pub(super) async fn confirm(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let decision = shape::SrePreferenceDecision { memory };
        let kept = session.client.sre_preference_confirm(&self.id, &decision).await?;
        output::result(session.json, &kept, |kept| decided(kept, "confirmed"))
    }

    pub(super) async fn reject(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let decision = shape::SrePreferenceDecision { memory };
        let kept = session.client.sre_preference_reject(&self.id, &decision).await?;
        output::result(session.json, &kept, |kept| decided(kept, "rejected"))
    }
}

fn decided(kept: &SreKept, what: &str) {
    let id = kept.record_id.as_deref().unwrap_or_default();
    output::line(format!("{id}  {}  {what}", kept.key.as_deref().unwrap_or_default()));
}

impl History {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let which =
            shape::SrePreferenceHistoryQuery { preference_type: self.kind.clone(), key: self.key.clone() };
        let found = session.client.sre_preference_history(&memory, &self.user, &which).await?;
        output::result(session.json, &found, |found| {
            output::note_if_empty(&found.preferences, "No versions of this preference.");
            found.preferences.iter().for_each(line);
        })
    }
}

fn line(one: &shape::SrePreference) {
    let value = output::short(&one.value.to_string(), VALUE_CHARS_MAX);
    output::line(format!(
        "{}  {}  {}  {}/{}  {value}  {}  {}",
        one.preference_id, one.state, one.user_id, one.preference_type, one.key, one.source, one.timestamp
    ));
}
