//! `loci prompt extraction`: the prompts by which agents say at the end of a task what they learned and what they lacked.

use anyhow::Result;
use clap::Subcommand;
use loci_api::extraction_prompt::ExtractionPromptAsk;
use loci_client::Client;

use crate::output;

/// The prompts for what agents write at the end of a task
#[derive(Debug, Subcommand)]
pub(crate) enum Extraction {
    /// List them, with their versions
    List,
    /// Print one, as it is given to an agent
    Show {
        /// Its name, or its name with its version: learnings, self_feedback@1
        name: String,
        /// The repository that is put into the text, as owner/name
        #[arg(long)]
        repo: Option<String>,
    },
}

impl Extraction {
    pub(super) async fn run(&self, client: &Client, as_json: bool) -> Result<()> {
        match self {
            Self::List => {
                let list = client.extraction_prompts().await?;
                output::result(as_json, &list, |list| {
                    for prompt in &list.prompts {
                        let current = if prompt.current { "  current" } else { "" };
                        output::line(format!("{}{current}", prompt.id));
                    }
                })
            }
            Self::Show { name, repo } => {
                let asked = ExtractionPromptAsk { repo: repo.clone() };
                let prompt = client.extraction_prompt(name, &asked).await?;
                output::result(as_json, &prompt, |prompt| output::line(prompt.text.trim_end_matches('\n')))
            }
        }
    }
}
