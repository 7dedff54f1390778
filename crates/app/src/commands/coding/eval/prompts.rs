//! `loci eval prompts`: evaluates extraction prompts against the labelled set. The server asks its
//! configured model. With `--questions` and `--answers` a model of the caller answers instead (pull
//! mode). The server stores the figures with the version.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use loci_api::coding::extraction_prompt::{PromptEvaluate, PromptEvaluation};
use loci_client::Client;
use serde::{Deserialize, Serialize};

use crate::commands::verified::code_memory::CodeMemory;
use crate::exit::Usage;
use crate::input::text_of;
use crate::output;
use crate::session::Session;

/// The prompts that are evaluated by default.
const ALL: &[&str] = &["learnings", "self_feedback", "review_rules"];

/// The prompts, and the model that answers
#[derive(Debug, clap::Args)]
pub(crate) struct Prompts {
    /// A prompt by its name, or by name and version (learnings@1001); repeatable [default: the
    /// three current ones]
    #[arg(long = "prompt", value_name = "NAME")]
    prompts: Vec<String>,
    /// Print the questions as JSON lines for your own model: prompt, case, system, input
    #[arg(long, conflicts_with_all = ["answers", "list"])]
    questions: bool,
    /// Answers of your own model as JSON lines: prompt and case as in the questions, and output; -:
    /// standard input
    #[arg(long, value_name = "FILE", requires = "model", conflicts_with = "prompts")]
    answers: Option<PathBuf>,
    /// The model that produced these answers
    #[arg(long, value_name = "NAME", requires = "answers")]
    model: Option<String>,
    /// Show the stored figures, and evaluate nothing
    #[arg(long, conflicts_with = "answers")]
    list: bool,
    #[command(flatten)]
    at: CodeMemory,
}

/// A question as printed.
#[derive(Debug, Serialize)]
struct QuestionLine<'a> {
    prompt: &'a str,
    case: &'a str,
    system: &'a str,
    input: &'a str,
}

/// An answer as read. Other members of the line are ignored.
#[derive(Debug, Deserialize)]
struct AnswerLine {
    prompt: String,
    case: String,
    output: String,
}

impl Prompts {
    pub(super) async fn run(self, session: &Session) -> Result<()> {
        let client = self.at.of(&session.client)?;
        let named: Vec<&str> = match self.prompts.is_empty() {
            true => ALL.to_vec(),
            false => self.prompts.iter().map(String::as_str).collect(),
        };
        if self.questions {
            return questions(&client, &named).await;
        }
        let mut figures = Vec::new();
        if self.list {
            for prompt in named {
                figures.extend(client.prompt_evaluations(prompt).await?.evaluations);
            }
        } else if let Some(file) = &self.answers {
            for (prompt, outputs) in answers(&text_of(file, "the answers")?)? {
                let asked = PromptEvaluate { answers: Some(outputs), model: self.model.clone() };
                figures.push(client.prompt_evaluate(&prompt, &asked).await.context(prompt)?);
            }
        } else {
            for (number, prompt) in (1..).zip(&named) {
                output::note(format!("{prompt}: the model is asked ({number} of {})", named.len()));
                let done = client.prompt_evaluate(prompt, &PromptEvaluate::default()).await;
                figures.push(done.with_context(|| (*prompt).to_owned())?);
            }
        }
        output::result(session.json, &figures, |figures| table(figures))
    }
}

async fn questions(client: &Client, prompts: &[&str]) -> Result<()> {
    for prompt in prompts {
        let found = client.prompt_questions(prompt).await?;
        for one in &found.questions {
            let line = QuestionLine {
                prompt: &found.prompt,
                case: &one.case,
                system: &one.system,
                input: &one.input,
            };
            output::line(serde_json::to_string(&line)?);
        }
    }
    Ok(())
}

/// Parses the answers, by prompt and case.
fn answers(text: &str) -> Result<BTreeMap<String, BTreeMap<String, String>>> {
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| Usage(format!("line {number} of the answers {why}"));
        let AnswerLine { prompt, case, output } = loci_json::from_str(line)
            .map_err(|error| wrong(format!("must be JSON with prompt, case and output: {error}")))?;
        if found.entry(prompt).or_default().insert(case.clone(), output).is_some() {
            return Err(wrong(format!("answers {case} a second time: remove one of the answers")).into());
        }
    }
    if found.is_empty() {
        return Err(Usage(
            "the answers are empty: answer the lines of loci eval prompts --questions".to_owned(),
        )
        .into());
    }
    Ok(found)
}

fn table(figures: &[PromptEvaluation]) {
    if figures.is_empty() {
        output::note("no figures are stored: loci eval prompts");
        return;
    }
    let head =
        ["PROMPT", "MODEL", "MODE", "CASES", "PRECISION", "RECALL", "MISLED", "DISCARDED", "SET", "AT"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.2}"));
    for one in figures {
        rows.push(vec![
            one.prompt.clone(),
            one.model.clone(),
            one.mode.clone(),
            one.cases.to_string(),
            share(one.precision),
            share(one.recall),
            one.forbidden.to_string(),
            one.discarded.to_string(),
            one.set.clone(),
            one.at.clone(),
        ]);
    }
    output::table(&rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_by_prompt_and_case() {
        let one = r#"{"prompt":"learnings@1","case":"l-01","output":"x","input":"left over"}"#;
        let found = answers(&format!("{one}\n\n{}", one.replace("l-01", "l-02"))).unwrap();
        assert_eq!(found["learnings@1"].len(), 2);
        for (text, words) in [
            ("", "are empty"),
            ("{}", "line 1 of the answers must be JSON"),
            (&format!("{one}\n{one}"), "line 2 of the answers answers l-01 a second time"),
        ] {
            let error = answers(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
