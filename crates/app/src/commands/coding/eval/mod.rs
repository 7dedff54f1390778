//! `loci eval`: stores findings of evaluations about tasks, and evaluates extraction prompts.

mod prompts;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::coding::evaluation::{Evaluation, EvaluationAdd, EvaluationFindingAdd, EvaluationListing};

use crate::cli::Globals;
use crate::commands::verified::code_memory::CodeMemory;
use crate::commands::verified::repository_words::Surroundings;
use crate::config::environment::Environment;
use crate::input::text_of;
use crate::output;
use crate::session::Session;

/// Evaluations of tasks and of prompts
#[derive(Debug, Subcommand)]
pub(crate) enum Eval {
    /// Store the result of an evaluation: findings become memories, a prompt suggestion waits for a
    /// person
    Add(Box<Add>),
    /// Evaluate extraction prompts against the labelled set, with the configured model or your own
    Prompts(prompts::Prompts),
    /// List the evaluations of a repository or of a task, newest first
    List {
        /// The repository, as owner/name [default: that of the working directory, unless --task is
        /// given]
        #[arg(long)]
        repo: Option<String>,
        /// The task
        #[arg(long)]
        task: Option<String>,
        /// The maximum number of rows
        #[arg(long)]
        limit: Option<u32>,
        /// The cursor of the previous page
        #[arg(long)]
        cursor: Option<String>,
        #[command(flatten)]
        at: CodeMemory,
    },
}

/// The findings of an evaluation
#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// The task
    task: String,
    /// `reasoning_error`, `instruction_noncompliance`, `missing_verification`, `timeout` or
    /// `environment_failure`
    #[arg(long, requires = "text")]
    category: Option<String>,
    /// The text that future tasks should know
    #[arg(long, requires = "category")]
    text: Option<String>,
    /// The scope of the finding: a path, a glob or module:NAME
    #[arg(long, requires = "text")]
    scope: Option<String>,
    /// The evidence for the finding
    #[arg(long, requires = "text")]
    evidence: Option<String>,
    /// Several findings: a file with a JSON list of `category`, `text`, `scope` and `evidence`
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    findings: Option<PathBuf>,
    /// A suggested change of the prompt
    #[arg(long, value_name = "TEXT")]
    suggest: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
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
                let repo = if repo.is_none() && task.is_none() {
                    let around = Surroundings { session: &session, globals, environment };
                    Some(around.meant(&at, None).await?.whole())
                } else {
                    repo
                };
                let listing = EvaluationListing { repo, task, limit, cursor };
                let found = at.of(&session.client)?.evaluation_list(&listing).await?;
                output::result(session.json, &found, |found| {
                    output::note_if_empty(&found.evaluations, "No evaluations.");
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
