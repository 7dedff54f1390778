//! `loci reflect`: reflects on the newest tasks of a repository together, or previews the findings
//! of the rules.

use anyhow::Result;
use clap::Args;
use loci_api::coding::reflection::RepositoryReflect;

use crate::cli::Globals;
use crate::commands::verified::repository_words::{PositionedRepository, Surroundings};
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Reflect on the newest tasks of a repository together
#[derive(Debug, Args)]
pub(crate) struct Reflect {
    #[command(flatten)]
    of: PositionedRepository,
    /// The number of newest ended tasks, 1 to 200 [default: 50]
    #[arg(long, value_name = "TASKS")]
    window: Option<u32>,
    /// Show the findings of the rules, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Reflect {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let meant = self.of.meant(Surroundings { session: &session, globals, environment }).await?;
        let ask = RepositoryReflect { window: self.window, dry_run: self.dry_run };
        let asked = meant.client.repository_reflect(meant.parts(), &ask).await?;
        output::result(session.json, &asked, |asked| {
            if let Some(job) = &asked.job {
                output::line(format!("asked for by the job {job}"));
                return;
            }
            for one in &asked.reflections {
                output::line(format!("{}  {} of {}", one.subject, one.hits, one.of));
                output::line(format!("      {}", one.text));
            }
            if asked.reflections.is_empty() {
                output::note("nothing that enough tasks bear out");
            }
        })?;
        session.end().await
    }
}
