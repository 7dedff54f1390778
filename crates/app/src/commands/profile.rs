//! `loci profile`: lists profiles, and applies one to a memory.

use anyhow::Result;
use clap::Subcommand;
use loci_api::profile as shape;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::input::text_of;
use crate::memory_argument::MemoryArgument;
use crate::output;
use crate::session::Session;

/// Profiles: settings and strategies in readable files
#[derive(Debug, Subcommand)]
pub(crate) enum Profile {
    /// List the profiles
    List,
    /// Show a profile's file
    Show {
        /// The name
        profile: String,
    },
    /// Apply a profile's settings and strategies to a memory
    Apply {
        #[command(flatten)]
        memory: MemoryArgument,
        /// Print the changes and write nothing
        #[arg(long)]
        dry_run: bool,
        /// A file (a path with a dot or a slash in it), or the name of a profile
        file: String,
    },
}

impl Profile {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        match self {
            Self::List => {
                let list = session.client.profile_list().await?;
                output::result(session.json, &list, |list| {
                    let rows = list.profiles.iter().map(|profile| {
                        let strategies = profile.strategies.join(" ");
                        let description = profile.description.clone();
                        vec![profile.profile.clone(), profile.version.to_string(), strategies, description]
                    });
                    let heads = ["NAME", "VERSION", "STRATEGIES", "FOR"];
                    output::list(&heads, rows.collect(), "No profiles.");
                })?;
            }
            Self::Show { profile } => {
                let found = session.client.profile_get(&profile).await?;
                output::result(session.json, &found, |found| output::line(found.text.trim_end()))?;
            }
            Self::Apply { memory, dry_run, file } => {
                let memory = memory.id(&session).await?;
                let asked = asked(&file, dry_run)?;
                let applied = session.client.profile_apply(&memory, &asked).await?;
                output::result(session.json, &applied, shown)?;
                if applied.dry_run && !(applied.added.is_empty() && applied.changed.is_empty()) {
                    output::dry_run();
                }
            }
        }
        session.end().await
    }
}

/// Returns the request to apply a profile. This process reads a file that is given by its path,
/// because the server may be remote.
pub(crate) fn asked(file: &str, dry_run: bool) -> Result<shape::ProfileApply> {
    if !file.contains(['.', '/', '\\']) {
        return Ok(shape::ProfileApply { profile: Some(file.to_owned()), text: None, dry_run });
    }
    let text = text_of(file, "the profile")?;
    Ok(shape::ProfileApply { profile: None, text: Some(text), dry_run })
}

/// Prints the changes that a profile makes, one per line.
pub(crate) fn shown(applied: &shape::ProfileApplied) {
    let done = if applied.dry_run { "would be" } else { "was" };
    for name in &applied.added {
        output::line(format!("strategy {name} {done} added"));
    }
    for change in &applied.changed {
        let whose = change.strategy.as_deref().map_or(String::new(), |name| format!("strategy {name}: "));
        let (from, to) = (change.from.as_deref().unwrap_or("unset"), change.to.as_deref().unwrap_or("unset"));
        output::line(format!("{whose}{} {from} → {to}", change.member));
    }
    for name in &applied.kept {
        output::line(format!("strategy {name} is not in the profile and stays as it is"));
    }
    if applied.moved_records + applied.unmoved_records > 0 {
        let (moved, unmoved) = (applied.moved_records, applied.unmoved_records);
        output::line(format!(
            "{} moved with the template, {unmoved} not moved",
            output::counted_are(moved, "record")
        ));
    }
    if applied.added.is_empty() && applied.changed.is_empty() {
        output::line(format!("the memory matches {} {}", applied.profile, applied.version));
    }
}
