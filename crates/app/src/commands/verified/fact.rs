//! `loci fact`: facts that cite code, by the tools of verified memory. The caller counts as a
//! person, so actions reserved for people are permitted within the caller's grants.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Subcommand, ValueEnum};
use loci_api::verified::proposal::{ProposalList, ProposalListing};
use serde_json::{Map, Value, json};

use super::fact_lines::shown;
use super::local_repository::LocalRepository;
use crate::cli::Globals;
use crate::commands::session_documents::{DOCUMENTS, SessionDocuments};
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// The time limit for facts and documents at a session's start.
const FAIL_OPEN: Duration = Duration::from_millis(1_800);
/// The part of it for facts, so that documents are shown without them if they are late.
const FACTS_FAIL_OPEN: Duration = Duration::from_millis(1_300);

/// Facts that cite code.
#[derive(Debug, Subcommand)]
pub(crate) enum Fact {
    /// Show the facts of a repository, checked against its code
    Recent(Recent),
    /// Store a fact with the lines that prove it
    Store {
        /// The repository [default: that of the working directory]
        #[arg(long)]
        repo: Option<String>,
        /// The subject, in a few words
        #[arg(long)]
        subject: String,
        /// The fact
        fact: String,
        /// Lines that prove it, as PATH:LINE or PATH:FIRST-LAST; repeatable
        #[arg(long = "cite", value_name = "PLACE", required = true)]
        cite: Vec<String>,
        /// The reason why it matters
        #[arg(long)]
        reason: Option<String>,
        /// A claim, as JSON; repeatable
        #[arg(long = "claim", value_name = "JSON")]
        claims: Vec<String>,
        /// The revision [default: WORKTREE, the current files; HEAD if there is none]
        #[arg(long = "ref", value_name = "REF")]
        reference: Option<String>,
    },
    /// Search facts by words, meaning or path
    Search {
        /// The question
        query: String,
        /// The repository [default: that of the working directory]
        #[arg(long)]
        repo: Option<String>,
        /// Only facts that cite this path, or a file beneath it
        #[arg(long)]
        path: Option<String>,
        /// The revision [default: WORKTREE, the current files; HEAD if there is none]
        #[arg(long = "ref", value_name = "REF")]
        reference: Option<String>,
    },
    /// Show one fact
    Show {
        /// The id
        id: String,
    },
    /// Check a fact against the code now
    Verify {
        /// The id
        id: String,
        /// The revision [default: WORKTREE, the current files; HEAD if there is none]
        #[arg(long = "ref", value_name = "REF")]
        reference: Option<String>,
    },
    /// Confirm a fact
    Refresh {
        /// The id
        id: String,
        /// The revision [default: WORKTREE, the current files; HEAD if there is none]
        #[arg(long = "ref", value_name = "REF")]
        reference: Option<String>,
    },
    /// Mark a fact as wrong
    Invalidate {
        /// The id
        id: String,
        /// The reason
        #[arg(long)]
        reason: String,
    },
    /// Replace a fact with a corrected one
    Supersede {
        /// The id of the old fact
        id: String,
        /// The corrected fact
        fact: String,
        /// Lines that prove it [default: those of the old fact, if still valid]
        #[arg(long = "cite", value_name = "PLACE")]
        cite: Vec<String>,
        /// The revision [default: WORKTREE, the current files; HEAD if there is none]
        #[arg(long = "ref", value_name = "REF")]
        reference: Option<String>,
    },
    /// Show the chain and the history of a fact
    History {
        /// The id
        id: String,
    },
    /// List extracted proposals with the locations that they name; `loci fact refresh` turns one
    /// into a fact
    Proposed {
        /// The repository [default: that of the working directory]
        #[arg(long)]
        repo: Option<String>,
        /// The maximum number of proposals
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// The revision [default: WORKTREE, the current files; HEAD if there is none]
        #[arg(long = "ref", value_name = "REF")]
        reference: Option<String>,
    },
    /// Show counts, rates and times of a repository
    Stats {
        /// The repository [default: that of the working directory]
        #[arg(long)]
        repo: Option<String>,
    },
}

/// Show the facts of a repository, checked against its code
#[derive(Debug, clap::Args)]
pub(crate) struct Recent {
    /// The repository [default: that of the directory]
    #[arg(long)]
    repo: Option<String>,
    /// The directory of the work
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// The maximum number of facts
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// The verification of the facts
    #[arg(long, default_value = "cached", value_parser = ["none", "cached", "fresh"])]
    verify: String,
    /// The revision [default: WORKTREE, the current files; HEAD if there is none]
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    /// As lines, or as a block for a prompt
    #[arg(long, value_enum, default_value_t = Form::Lines)]
    format: Form,
    /// Print the format of an agent's hook
    #[arg(long, value_enum)]
    hook: Option<Hook>,
    #[command(flatten)]
    documents: SessionDocuments,
    /// Print nothing and exit with 0 if the facts are not available within two seconds
    #[arg(long)]
    fail_open: bool,
}

/// The format of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One line each.
    Lines,
    /// A block for a prompt.
    Prompt,
}

/// The format that an agent's hook reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Hook {
    /// Cursor.
    Cursor,
    /// Copilot.
    Copilot,
}

impl Fact {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if let Self::Recent(recent) = self {
            return recent.run(globals, environment).await;
        }
        let session = Session::begin(globals, environment)?;
        let here = LocalRepository::at(session.client.clone(), globals, environment, None).await?;
        if let Self::Proposed { repo, limit, reference } = self {
            let listing = ProposalListing { repo: here.repo(repo)?, limit: Some(limit), reference };
            let list = here.client.facts_proposed(&listing).await?;
            output::result(session.json, &list, proposals)?;
            return session.end().await;
        }
        let (tool, arguments) = self.call(&here)?;
        let answer = here.tool(tool, arguments).await?;
        output::result(session.json, &answer, shown)?;
        session.end().await
    }

    fn call(self, here: &LocalRepository) -> Result<(&'static str, Map<String, Value>)> {
        let (tool, arguments) = match self {
            Self::Recent(_) | Self::Proposed { .. } => anyhow::bail!("this is asked for otherwise"),
            Self::Store { repo, subject, fact, cite, reason, claims, reference } => {
                let claims = claims.iter().map(|text| claim(text)).collect::<Result<Vec<_>>>()?;
                let claims = (!claims.is_empty()).then_some(claims);
                (
                    "memory_store",
                    json!({
                        "repo": here.repo(repo)?, "subject": subject, "fact": fact, "citations": places(&cite)?,
                        "reason": reason, "claims": claims, "ref": reference,
                    }),
                )
            }
            Self::Search { query, repo, path, reference } => (
                "memory_search",
                json!({
                    "ref": reference, "repo": here.repo(repo)?, "query": query,
                    "filters": path.map(|path| json!({ "path": path })),
                }),
            ),
            Self::Show { id } => ("memory_get", json!({ "memory_id": id })),
            Self::Verify { id, reference } => (
                "memory_verify_citations",
                json!({ "repo": repo_of(here), "memory_id": id, "ref": reference }),
            ),
            Self::Refresh { id, reference } => {
                ("memory_refresh", json!({ "memory_id": id, "ref": reference }))
            }
            Self::Invalidate { id, reason } => {
                ("memory_invalidate", json!({ "memory_id": id, "reason": reason }))
            }
            Self::Supersede { id, fact, cite, reference } => {
                let cite = if cite.is_empty() { None } else { Some(places(&cite)?) };
                (
                    "memory_supersede",
                    json!({ "old_memory_id": id, "new_fact": fact, "new_citations": cite, "ref": reference }),
                )
            }
            Self::History { id } => ("memory_history", json!({ "memory_id": id })),
            Self::Stats { repo } => ("memory_stats", json!({ "repo": here.repo(repo)? })),
        };
        Ok((tool, given(arguments)))
    }
}

fn proposals(list: &ProposalList) {
    for one in &list.proposals {
        let support = one.support.as_deref().unwrap_or("not_checked").replace('_', " ");
        output::line(format!("{}  {}, {support}  {}", one.id, one.verdict, one.text));
        output::line(format!("    {}", one.places.join(", ")));
    }
    if list.omitted > 0 {
        output::line(format!("{} kept back: their code is gone, or cannot be read now", list.omitted));
    }
}

impl Recent {
    async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if !self.fail_open {
            let found = self.ask(globals, environment).await?;
            return self.show(&found, globals.json);
        }
        // A session must start regardless of errors here.
        if let Ok(Ok(found)) = tokio::time::timeout(FAIL_OPEN, self.ask(globals, environment)).await {
            let has_facts =
                found.get("memories").and_then(Value::as_array).is_some_and(|facts| !facts.is_empty());
            // Withheld facts are counted, so that an agent does not take the memory for empty.
            let has_withheld =
                found.get("omitted").and_then(Value::as_object).is_some_and(|omitted| !omitted.is_empty());
            if has_facts || has_withheld || found.get(DOCUMENTS).is_some() {
                self.show(&found, globals.json)?;
            }
        }
        Ok(())
    }

    async fn ask(&self, globals: &Globals, environment: &Environment) -> Result<Value> {
        let session = Session::begin(globals, environment)?;
        let is_prompt = self.format == Form::Prompt || self.hook.is_some();
        let documents =
            if is_prompt { self.documents.text(&session.client, self.fail_open).await? } else { None };
        let facts = self.facts(&session, globals, environment);
        // Documents are shown even without a repository, or if its facts are late.
        let mut found = match self.fail_open {
            true => tokio::time::timeout(FACTS_FAIL_OPEN, facts)
                .await
                .ok()
                .and_then(Result::ok)
                .unwrap_or(json!({})),
            false => facts.await?,
        };
        if let Some(text) = documents {
            found[DOCUMENTS] = Value::String(text);
        }
        session.end().await?;
        Ok(found)
    }

    async fn facts(&self, session: &Session, globals: &Globals, environment: &Environment) -> Result<Value> {
        let here =
            LocalRepository::at(session.client.clone(), globals, environment, self.cwd.clone()).await?;
        let format = if self.format == Form::Prompt { "prompt" } else { "records" };
        let arguments = given(json!({
            "repo": here.repo(self.repo.clone())?, "limit": self.limit, "verify": self.verify,
            "ref": self.reference, "format": format,
        }));
        here.tool("memory_get_recent", arguments).await
    }

    fn show(&self, found: &Value, as_json: bool) -> Result<()> {
        let texts =
            [DOCUMENTS, "prompt"].map(|name| found.get(name).and_then(Value::as_str).unwrap_or_default());
        let prompt = texts.concat();
        match (self.hook, self.format) {
            (Some(Hook::Cursor), _) => output::json(&json!({ "additional_context": prompt })),
            (Some(Hook::Copilot), _) => output::json(&json!({ "additionalContext": prompt })),
            (None, Form::Prompt) if !as_json => {
                output::line(prompt.trim_end());
                Ok(())
            }
            (None, Form::Prompt | Form::Lines) => output::result(as_json, found, shown),
        }
    }
}

/// Returns a name for the tool, which requires one although a fact knows its own repository.
fn repo_of(here: &LocalRepository) -> String {
    here.known_repo(None).unwrap_or_else(|| "any/repository".to_owned())
}

/// Returns the arguments without absent ones.
pub(in crate::commands) fn given(arguments: Value) -> Map<String, Value> {
    match arguments {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    }
}

fn places(cite: &[String]) -> Result<Vec<Value>> {
    cite.iter().map(|text| place(text)).collect()
}

/// Parses PATH:LINE or PATH:FIRST-LAST.
fn place(text: &str) -> Result<Value> {
    let bad = || Usage(format!("--cite must be PATH:LINE or PATH:FIRST-LAST, not {text}"));
    let (path, lines) = text.rsplit_once(':').ok_or_else(bad)?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last): (u32, u32) = (first.parse().map_err(|_| bad())?, last.parse().map_err(|_| bad())?);
    Ok(json!({ "path": path, "line_start": first, "line_end": last }))
}

fn claim(text: &str) -> Result<Value> {
    let bad = |error| Usage(format!("--claim must be a JSON object: {error}"));
    Ok(loci_json::from_str(text).map_err(bad)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_code() {
        let check = |text: &str, expect: Option<(&str, u64, u64)>| {
            let found = place(text).ok();
            let expect = expect
                .map(|(path, first, last)| json!({ "path": path, "line_start": first, "line_end": last }));
            assert_eq!(found, expect, "{text}");
        };
        check("src/a.rs:3", Some(("src/a.rs", 3, 3)));
        check("src/a.rs:3-9", Some(("src/a.rs", 3, 9)));
        check("a:b:1", Some(("a:b", 1, 1)));
        for bad in ["src/a.rs", "src/a.rs:", "src/a.rs:x", "src/a.rs:1-"] {
            check(bad, None);
        }
    }
}
