//! `loci prompt extraction`: the prompts by which agents say at the end of a task what they learned and what they lacked, and by which
//! reviews are read.

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::coding::extraction_prompt::{
    ExtractionPromptAsk, ExtractionPromptChanged, ExtractionPromptPut,
};

use crate::commands::verified::at::At;
use crate::input::text_of;
use crate::output;
use crate::session::Session;

/// The prompts for what agents write at the end of a task
#[derive(Debug, Subcommand)]
pub(crate) enum Extraction {
    /// List them, with their versions
    List {
        #[command(flatten)]
        at: At,
    },
    /// Print one, as it is given to an agent
    Show {
        /// Its name, or its name with its version: learnings, self_feedback@1
        name: String,
        /// The repository that is put into the text, as owner/name
        #[arg(long)]
        repo: Option<String>,
        #[command(flatten)]
        at: At,
    },
    /// Store a text of your own as the next version: a candidate until `loci eval prompts` and
    /// `rollback`, or current by --force
    Put {
        /// Its name: learnings, self_feedback, review_rules
        name: String,
        /// The text; {repo} stands for the repository; - reads it from standard input
        file: String,
        /// What it is for, or what changed
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
        /// It becomes current although it was not evaluated
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        at: At,
    },
    /// Make a version current: an earlier one, or a candidate that was evaluated
    Rollback {
        /// Its name
        name: String,
        /// The number of the version
        #[arg(long, value_name = "N")]
        to: u32,
        #[command(flatten)]
        at: At,
    },
}

impl Extraction {
    pub(super) async fn run(self, session: &Session) -> Result<()> {
        let json = session.json;
        match self {
            Self::List { at } => {
                let list = at.of(&session.client)?.extraction_prompts().await?;
                output::result(json, &list, |list| {
                    for prompt in &list.prompts {
                        let current = if prompt.current { "  current" } else { "" };
                        let note = prompt.note.as_ref().map(|note| format!("  {note}")).unwrap_or_default();
                        output::line(format!("{}{current}{note}", prompt.id));
                    }
                })
            }
            Self::Show { name, repo, at } => {
                let asked = ExtractionPromptAsk { repo };
                let prompt = at.of(&session.client)?.extraction_prompt(&name, &asked).await?;
                output::result(json, &prompt, |prompt| output::line(prompt.text.trim_end_matches('\n')))
            }
            Self::Put { name, file, note, force, at } => {
                let put = ExtractionPromptPut { text: text_of(&file, "the text")?, note, force };
                let changed = at.of(&session.client)?.extraction_prompt_put(&name, &put).await;
                changed_to(json, &changed.context("storing the prompt")?)
            }
            Self::Rollback { name, to, at } => {
                changed_to(json, &at.of(&session.client)?.extraction_prompt_rollback(&name, to).await?)
            }
        }
    }
}

fn changed_to(as_json: bool, changed: &ExtractionPromptChanged) -> Result<()> {
    if !changed.current {
        let next = format!(
            "loci eval prompts --prompt {0}, then rollback {1} --to {2}",
            changed.id, changed.name, changed.version
        );
        output::note(format!("{} is a candidate: {next}", changed.id));
    } else if changed.previous.is_none() {
        output::note(format!("{} is current already", changed.id));
    }
    output::result(as_json, changed, |changed| output::line(&changed.id))
}
