//! `loci prompt extraction`: the prompts with which agents report learnings and self-feedback at
//! the end of a task, and the prompt that extracts rules from reviews.

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::coding::extraction_prompt::{
    ExtractionPromptAsk, ExtractionPromptChanged, ExtractionPromptPut,
};

use crate::commands::verified::code_memory::CodeMemory;
use crate::input::text_of;
use crate::output;
use crate::session::Session;

/// The prompts for the reports of agents at the end of a task
#[derive(Debug, Subcommand)]
pub(crate) enum Extraction {
    /// List them, with their versions
    List {
        #[command(flatten)]
        at: CodeMemory,
    },
    /// Print one, as an agent receives it
    Show {
        /// The name, optionally with a version: learnings, self_feedback@1
        name: String,
        /// The repository to insert into the text, as owner/name
        #[arg(long)]
        repo: Option<String>,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// Store your own text as the next version: a candidate until `loci eval prompts` and
    /// `rollback`, or current with --force
    Put {
        /// The name: learnings, self_feedback, review_rules
        name: String,
        /// The file with the text; {repo} stands for the repository; - reads standard input
        file: String,
        /// The purpose or the change
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
        /// Make it current without an evaluation
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// Make a version current: an earlier one, or an evaluated candidate
    Rollback {
        /// The name
        name: String,
        /// The number of the version
        #[arg(long, value_name = "N")]
        to: u32,
        #[command(flatten)]
        at: CodeMemory,
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
