//! `loci prompt`: versions of the prompts for agents.

mod extraction;

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::coding::prompt::{Prompt as Shown, PromptAdd, PromptListing};

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::config::environment::Environment;
use crate::exit::{Difference, Usage};
use crate::input::text_of;
use crate::output;
use crate::session::Session;

/// Versions of the prompts for agents
#[derive(Debug, Subcommand)]
pub(crate) enum Prompt {
    /// Store a version and make it the current one of its template; print its name
    Add(Add),
    /// List versions, the latest current ones first
    List(List),
    /// Show a version
    Show {
        /// The name
        #[arg(value_name = "VERSION")]
        name: String,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// Show the difference between two versions; exit code 5 if they differ
    Diff {
        /// The first version
        from: String,
        /// The second version
        to: String,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// The prompts for the reports of agents at the end of a task
    #[command(subcommand)]
    Extraction(extraction::Extraction),
    /// Make a version the current one of its template again
    Rollback {
        /// The template
        template: String,
        /// The version
        #[arg(long, value_name = "VERSION")]
        to: String,
        #[command(flatten)]
        at: CodeMemory,
    },
}

/// The parts of a version
#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// The file with the template's text, byte for byte; - reads standard input
    file: String,
    /// The template of the version
    #[arg(long, value_name = "ID")]
    template: String,
    /// The overrides, as a JSON object
    #[arg(long, value_name = "JSON")]
    overrides: Option<String>,
    /// A tool of the prompt; repeatable
    #[arg(long = "tool", value_name = "NAME")]
    tools: Vec<String>,
    /// A prompt that extracts memories from the result; repeatable
    #[arg(long = "extraction-prompt", value_name = "NAME")]
    extraction_prompts: Vec<String>,
    /// The model of the prompt; it does not change the version
    #[arg(long)]
    model: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

/// The selection of versions
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// The template
    #[arg(long, value_name = "ID")]
    template: Option<String>,
    /// The maximum number of rows
    #[arg(long)]
    limit: Option<u32>,
    /// The cursor of the previous page
    #[arg(long)]
    cursor: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

impl Prompt {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        let json = session.json;
        let outcome = match self {
            Self::Add(add) => add.run(&session).await,
            Self::List(list) => list.run(&session).await,
            Self::Show { name, at } => {
                let prompt = at.of(&session.client)?.prompt_get(&name).await?;
                output::result(json, &prompt, shown)
            }
            Self::Diff { from, to, at } => {
                let diff = at.of(&session.client)?.prompt_diff(&from, &to).await?;
                output::result(json, &diff, |diff| diff.diff.lines().for_each(output::line))?;
                match diff.changed.is_empty() {
                    true => Ok(()),
                    false => Err(Difference(format!("these differ: {}", diff.changed.join(", "))).into()),
                }
            }
            Self::Extraction(extraction) => extraction.run(&session).await,
            Self::Rollback { template, to, at } => {
                let now = at.of(&session.client)?.prompt_rollback(&template, &to).await?;
                output::result(json, &now, |now| output::line(&now.prompt_version))
            }
        };
        session.end().await?;
        outcome
    }
}

impl Add {
    async fn run(self, session: &Session) -> Result<()> {
        let overrides = self.overrides.as_deref().map(loci_json::from_str).transpose();
        let add = PromptAdd {
            template_id: self.template,
            text: text_of(&self.file, "the template")?,
            overrides: overrides.map_err(|error| Usage(format!("--overrides is no JSON: {error}")))?,
            tools: self.tools,
            extraction_prompts: self.extraction_prompts,
            model: self.model,
        };
        let added = self.at.of(&session.client)?.prompt_add(&add).await.context("storing the prompt")?;
        added.warnings.iter().for_each(output::note);
        output::result(session.json, &added, |added| output::line(&added.prompt_version))
    }
}

impl List {
    async fn run(self, session: &Session) -> Result<()> {
        let is_first = self.cursor.is_none();
        let listing = PromptListing { template_id: self.template, limit: self.limit, cursor: self.cursor };
        let found = self.at.of(&session.client)?.prompt_list(&listing).await?;
        output::result(session.json, &found, |found| {
            let mut rows = Vec::new();
            let mut seen = BTreeSet::new();
            for prompt in &found.prompts {
                let is_current = is_first && seen.insert(prompt.template_id.clone());
                let mark = if is_current { "current" } else { "" };
                let cells = [&prompt.prompt_version, &prompt.template_id, &prompt.current_since];
                rows.push(cells.into_iter().cloned().chain([mark.to_owned()]).collect());
            }
            output::list(&["VERSION", "TEMPLATE", "SINCE", ""], rows, "No prompts.");
            if let Some(cursor) = &found.next_cursor {
                output::note(format!("more with --cursor {cursor}"));
            }
        })
    }
}

fn shown(prompt: &Shown) {
    let model = prompt.model.as_ref().map(|model| format!("  {model}")).unwrap_or_default();
    output::line(format!(
        "{}  {}  since {}{model}",
        prompt.prompt_version, prompt.template_id, prompt.current_since
    ));
    output::line(format!("overrides: {}", prompt.overrides));
    output::line(format!("tools: {}", prompt.tools.join(", ")));
    output::line(format!("extraction prompts: {}", prompt.extraction_prompts.join(", ")));
    output::line("");
    prompt.text.lines().for_each(output::line);
}
