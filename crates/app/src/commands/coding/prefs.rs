//! `loci prefs`: preferences of people for coding agents, and the export and erasure of a person's
//! data.

use anyhow::Result;
use clap::{Args, Subcommand};
use loci_api::coding::preference::{Preference, PreferencePut, UserSettings};
use loci_client::Client;

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::config::environment::Environment;
use crate::confirmation::Confirmation;
use crate::output::{self, counted};
use crate::session::Session;

/// The maximum number of characters of text on a line.
const TEXT_CHARS_MAX: usize = 160;

/// Preferences of users for the agents that work for them
#[derive(Debug, Args)]
pub(crate) struct Prefs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the preferences of a user
    Show(PreferencesUserArgument),
    /// Set the preference of a user for one dimension
    Set(Set),
    /// Delete a preference
    Rm(Rm),
    /// Stop inferring preferences from reviews, and delete the inferred ones
    OptOut(OptOut),
    /// Export the data of a user, as JSON
    Export(PreferencesUserArgument),
    /// Erase somebody: their preferences, records and events, and who they were in what others own
    Forget(Forget),
}

/// The user
#[derive(Debug, Args)]
struct PreferencesUserArgument {
    /// The login
    user: String,
    #[command(flatten)]
    at: CodeMemory,
}

/// The preference
#[derive(Debug, Args)]
struct Set {
    /// The login
    user: String,
    /// `pr_size`, `commit_style`, `test_coverage`, `documentation`, `libraries`, `patterns`,
    /// `communication` or other
    dimension: String,
    /// The text of the preference, at most 500 characters
    text: String,
    /// Only in this repository, as owner/name
    #[arg(long)]
    repo: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

/// The preference
#[derive(Debug, Args)]
struct Rm {
    /// The login
    user: String,
    /// The id of the preference
    id: String,
    #[command(flatten)]
    at: CodeMemory,
}

/// The user who opts out
#[derive(Debug, Args)]
struct OptOut {
    /// The login
    user: String,
    /// Permit inference again
    #[arg(long)]
    undo: bool,
    #[command(flatten)]
    at: CodeMemory,
}

/// The user to erase
#[derive(Debug, Args)]
struct Forget {
    /// The login
    user: String,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    at: CodeMemory,
}

impl PreferencesUserArgument {
    async fn show(&self, client: &Client, json: bool) -> Result<()> {
        let found = self.at.of(client)?.preferences_list(&self.user).await?;
        output::result(json, &found, |found| {
            found.preferences.iter().for_each(line);
            if found.preferences.is_empty() {
                output::note("nothing is known of what they want");
            }
            if !found.user.implicit_inference {
                output::note("no conclusions are drawn from reviews");
            }
        })
    }
}

impl Prefs {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let (client, json) = (&session.client, session.json);
        match &self.command {
            Command::Show(of) => of.show(client, json).await?,
            Command::Set(set) => {
                let put = PreferencePut { text: set.text.clone(), repo: set.repo.clone() };
                let done = set.at.of(client)?.preference_put(&set.user, &set.dimension, &put).await?;
                output::result(json, &done, |done| line(&done.preference))?;
            }
            Command::Rm(rm) => {
                let gone = rm.at.of(client)?.preference_remove(&rm.user, &rm.id).await?;
                output::result(json, &gone, |gone| output::line(format!("{} deleted", gone.preference_id)))?;
            }
            Command::OptOut(out) => {
                let wanted = UserSettings { implicit_inference: Some(out.undo) };
                let put = out.at.of(client)?.user_settings_put(&out.user, &wanted).await?;
                output::result(json, &put, |put| {
                    let drawn =
                        if put.user.implicit_inference { "may be drawn" } else { "are not drawn any more" };
                    output::line(format!("conclusions {drawn}; {} deleted", put.removed.len()));
                })?;
            }
            Command::Export(of) => {
                let found = of.at.of(client)?.user_export(&of.user).await?;
                output::result(true, &found, |_| {})?;
            }
            Command::Forget(forget) => {
                let effect = format!("erase everything about {}", forget.user);
                if !forget.confirmation.is_given(json, &effect, &forget.user)? {
                    return session.end().await;
                }
                let gone = forget.at.of(client)?.user_forget(&forget.user).await?;
                output::result(json, &gone, |gone| {
                    output::line(format!(
                        "{} is {} now: {} and {} erased, {}, {} and {} name them no more",
                        forget.user,
                        gone.pseudonym,
                        counted(gone.records, "record"),
                        counted(gone.events, "event"),
                        counted(gone.tasks, "task"),
                        counted(gone.entries, "review"),
                        counted(gone.rules, "rule")
                    ));
                })?;
            }
        }
        session.end().await
    }
}

fn line(one: &Preference) {
    let repo = one.repo.as_ref().map(|repo| format!("  in {repo}")).unwrap_or_default();
    let evidence =
        one.evidence_prs.map(|prs| format!("  asked for in {prs} pull requests")).unwrap_or_default();
    output::line(format!("{}  {}  {}{repo}{evidence}", one.preference_id, one.dimension, one.origin));
    output::line(format!("      {}", output::short(&one.text, TEXT_CHARS_MAX)));
}
