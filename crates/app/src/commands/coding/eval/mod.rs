//! `loci eval`: findings of evaluations in the work of tasks, and the evaluation of extraction
//! prompts.

mod prompts;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::coding::evaluation::{Evaluation, EvaluationAdd, EvaluationFindingAdd, EvaluationListing};

use crate::cli::Globals;
use crate::commands::verified::at::At;
use crate::config::environment::Environment;
use crate::input::text_of;
use crate::output;
use crate::session::Session;

/// Evaluations of tasks and of prompts
#[derive(Debug, Subcommand)]
pub(crate) enum Eval {
    /// Store what an evaluation found: findings are remembered, a suggestion for the prompt is kept for a person
    Add(Box<Add>),
    /// Evaluate extraction prompts against the labelled set, by the configured model or by one of
    /// yours
    Prompts(prompts::Prompts),
    /// List evaluations of a repository or of a task, the newest first
    List {
        /// Of this repository
        #[arg(long)]
        repo: Option<String>,
        /// Of this task
        #[arg(long)]
        task: Option<String>,
        /// At most so many
        #[arg(long)]
        limit: Option<u32>,
        /// From the page before
        #[arg(long)]
        cursor: Option<String>,
        #[command(flatten)]
        at: At,
    },
}

/// What was found
#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// The task
    task: String,
    /// `reasoning_error`, `instruction_noncompliance`, `missing_verification`, `timeout` or `environment_failure`
    #[arg(long, requires = "text")]
    category: Option<String>,
    /// What future tasks should know
    #[arg(long, requires = "category")]
    text: Option<String>,
    /// What it is about: a path, a glob or module:NAME
    #[arg(long, requires = "text")]
    scope: Option<String>,
    /// What it rests on
    #[arg(long, requires = "text")]
    evidence: Option<String>,
    /// Several findings: a file with a JSON list of `category`, `text`, `scope` and `evidence`
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    findings: Option<PathBuf>,
    /// How the prompt should be changed
    #[arg(long, value_name = "TEXT")]
    suggest: Option<String>,
    #[command(flatten)]
    at: At,
}

impl Eval {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        match self {
            Self::Add(add) => {
                let (client, add) = (add.at.of(&session.client)?, add.evaluation()?);
                let added = client.evaluation_add(&add).await?;
                output::result(session.json, &added, |added| {
                    shown(&added.evaluation);
                    added.warnings.iter().for_each(output::note);
                })?;
            }
            Self::Prompts(prompts) => prompts.run(&session).await?,
            Self::List { repo, task, limit, cursor, at } => {
                let listing = EvaluationListing { repo, task, limit, cursor };
                let found = at.of(&session.client)?.evaluation_list(&listing).await?;
                output::result(session.json, &found, |found| {
                    found.evaluations.iter().for_each(shown);
                    if let Some(cursor) = &found.next_cursor {
                        output::note(format!("more with --cursor {cursor}"));
                    }
                })?;
            }
        }
        session.end().await
    }
}

impl Add {
    fn evaluation(self) -> Result<EvaluationAdd> {
        let findings = match (self.findings, self.text) {
            (Some(file), _) => {
                let text = text_of(&file, "the findings")?;
                loci_json::from_str(&text)
                    .with_context(|| format!("{} is no list of findings", file.display()))?
            }
            (None, Some(text)) => {
                let category = self.category.unwrap_or_default();
                vec![EvaluationFindingAdd { category, text, scope: self.scope, evidence: self.evidence }]
            }
            (None, None) => Vec::new(),
        };
        Ok(EvaluationAdd { task_id: self.task, findings, prompt_suggestion: self.suggest })
    }
}

fn shown(evaluation: &Evaluation) {
    let Evaluation { evaluation_id, task_id, at, by, .. } = evaluation;
    output::line(format!("{evaluation_id}  {task_id}  {at}  {by}"));
    for finding in &evaluation.findings {
        let record = finding.record_id.as_deref().unwrap_or("not stored");
        output::line(format!("    {}  {record}", finding.category));
    }
    if let Some(suggestion) = &evaluation.prompt_suggestion {
        output::line(format!("    prompt: {suggestion}"));
    }
}
