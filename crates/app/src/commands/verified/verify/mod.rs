//! `loci verify`: checks the facts of a repository against a clone at a revision, and the effect of
//! a change on them. For CI: it reads facts from a store or a server and code from this machine,
//! and changes neither. `change_start` finds the commit to compare with, `compare` decides,
//! `report` contains the result, and `table`, `markdown` and `sarif` format it.

mod change_start;
mod compare;
mod markdown;
mod report;
#[cfg(test)]
mod samples;
mod sarif;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use loci_api::ErrorCode;
use loci_api::verified::evidence::{EvidenceListing, EvidencePage, EvidenceRepository, FactEvidence};
use loci_api::verified::verdict::{Verdicts, VerdictsTell};
use loci_client::{Client, ClientError};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeError;
use loci_verified::{FactCheck, RepositoryName, Subject, Tip};

use super::code_memory::of_memory;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::config::load;
use crate::exit::{Difference, NotFound, Usage};
use crate::local_code::{HEAD, LocalCode, subject, verdict};
use crate::output;
use crate::output::protected_paths::ensure_free_of_data;
use crate::session::Session;
use compare::ComparedVerification;
use report::{Revision, VerifyReport};

/// The maximum number of facts in a batch of verification, as in the background work of a server.
/// The time limit applies to each batch.
const FACTS: u32 = 100;

/// Check the facts of a repository against a clone at a revision, and find those that a change
/// invalidates
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// A clone, a bare repository or a worktree [default: the one around the working directory]
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    /// The name of the repository in the store, owner/name or host/owner/name [default: derived
    /// from the clone's remote]
    #[arg(long, value_name = "REPO")]
    name: Option<String>,
    /// The revision to check: a branch, a tag, a commit, HEAD or WORKTREE [default: WORKTREE, the
    /// current files; HEAD if there is none, and with --tell]
    #[arg(long, visible_alias = "ref", value_name = "REV")]
    rev: Option<String>,
    /// The revision that the change is meant for, such as its target branch: facts that are valid
    /// at the merge base of REV and this revision and invalid at REV are invalidated
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Report slightly changed lines without failing, unless they contradict the fact
    #[arg(long)]
    allow_drifted: bool,
    /// Report the verdicts at REV to the server, under the name of this key; they change no state
    /// of a fact
    #[arg(long)]
    tell: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Also write the report to a file; repeatable
    #[arg(long = "write", value_name = "FORMAT=FILE")]
    write: Vec<String>,
    /// The memory, by name or id [default: the one for code]
    #[arg(long, value_name = "MEMORY", env = "LOCI_MEMORY")]
    memory: Option<String>,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines for a person
    Table,
    /// The whole report
    Json,
    /// A comment on a pull request
    Markdown,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

impl Verify {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let format = match (globals.json, self.format) {
            (true, Format::Table | Format::Json) => Format::Json,
            (true, Format::Markdown | Format::Sarif) => {
                return Err(
                    Usage("--json and --format say different things: leave one out".to_owned()).into()
                );
            }
            (false, format) => format,
        };
        let files = self.write.iter().map(|text| file(text)).collect::<Result<Vec<_>>>()?;
        files.iter().try_for_each(|(_, path)| ensure_free_of_data(path))?;
        let code = self.code(globals, environment).await?;
        let session = Session::begin(globals, environment)?;
        let client = of_memory(&session.client, self.memory.as_deref())?;
        let name = self.name.clone().unwrap_or_else(|| code.name());
        let (repository, facts) = evidence(&client, &name, self.name.is_some()).await?;
        let (report, verdicts) = self.check(&code, &repository, &facts).await?;
        if self.tell {
            tell(&client, &repository, verdicts).await?;
        }
        session.end().await?;
        for (format, path) in files {
            let text = shown(&report, format)?;
            std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
        }
        output::line(shown(&report, format)?.trim_end());
        if report.invalidated.is_empty() { Ok(()) } else { Err(Difference(report.summary).into()) }
    }

    async fn code(&self, globals: &Globals, environment: &Environment) -> Result<LocalCode> {
        let config = load(globals.config.as_deref(), environment)?;
        let directory = self.repo.clone().unwrap_or_else(|| PathBuf::from("."));
        let directory =
            directory.canonicalize().with_context(|| format!("the directory {}", directory.display()))?;
        let none = || NotFound(format!("there is no git repository at or above {}", directory.display()));
        Ok(LocalCode::around(&config, &directory).await?.ok_or_else(none)?)
    }

    async fn check(
        &self,
        code: &LocalCode,
        repository: &EvidenceRepository,
        facts: &[FactEvidence],
    ) -> Result<(VerifyReport, Vec<Verdicts>)> {
        let named = match &self.rev {
            Some(rev) => rev.as_str(),
            // A report to others names a commit, which they can read.
            None if self.tell => HEAD,
            None => code.default_reference(),
        };
        let rev = revision(code, repository, named).await?;
        let since = match &self.since {
            Some(since) => {
                let named = revision(code, repository, since).await?;
                Some(change_start::find(code, repository, &rev, named).await?)
            }
            None => None,
        };
        let mut report = VerifyReport {
            repo: repository.repo.clone(),
            repository_uri: repository_uri(code),
            rev: shown_revision(&rev),
            since: since.as_ref().map(|since| Revision {
                parted_from: since.parted_from.map(|commit| commit.to_string()),
                ..shown_revision(&since.tip)
            }),
            ..VerifyReport::default()
        };
        let mut told = Vec::new();
        for page in facts.chunks(FACTS as usize) {
            let subjects = page.iter().map(subject).collect::<Result<Vec<_>>>()?;
            let now = look(code, repository, &rev, &subjects).await?;
            let before = match &since {
                Some(since) => Some(look(code, repository, &since.tip, &subjects).await?),
                None => None,
            };
            for (place, (fact, (subject, now))) in page.iter().zip(subjects.iter().zip(&now)).enumerate() {
                let since =
                    before.as_ref().and_then(|before| before.get(place)).map(|seen| &seen.verification);
                let one = ComparedVerification { fact, subject, since, now: &now.verification };
                compare::add(&mut report, &one, self.allow_drifted);
            }
            told.push(verdicts(&rev, page, now)?);
        }
        report.summarise();
        Ok((report, told))
    }
}

/// Parses FORMAT=FILE.
fn file(text: &str) -> Result<(Format, &Path)> {
    let bad =
        || Usage(format!("--write must be FORMAT=FILE with table, json, markdown or sarif, not {text}"));
    let (format, path) = text.split_once('=').filter(|(_, path)| !path.is_empty()).ok_or_else(bad)?;
    Ok((Format::from_str(format, false).map_err(|_| bad())?, Path::new(path)))
}

fn shown(report: &VerifyReport, format: Format) -> Result<String> {
    Ok(match format {
        Format::Table => table::render(report),
        Format::Markdown => markdown::render(report),
        Format::Json => serde_json::to_string_pretty(report)? + "\n",
        Format::Sarif => serde_json::to_string_pretty(&sarif::render(report))? + "\n",
    })
}

/// Returns all facts of a repository, with their anchors.
async fn evidence(
    client: &Client,
    name: &str,
    is_given: bool,
) -> Result<(EvidenceRepository, Vec<FactEvidence>)> {
    let mut listing = EvidenceListing { repo: name.to_owned(), limit: Some(FACTS), cursor: None };
    let mut facts = Vec::new();
    loop {
        let page = client.evidence_list(&listing).await.map_err(|error| unknown(error, name, is_given))?;
        let EvidencePage { repository, facts: more, next_cursor } = page;
        facts.extend(more);
        if next_cursor.is_none() {
            return Ok((repository, facts));
        }
        listing.cursor = next_cursor;
    }
}

/// Returns the error for a repository that the store does not know by the name of its remote. It
/// may know it by another name.
fn unknown(error: ClientError, name: &str, is_given: bool) -> anyhow::Error {
    if error.error_code() == Some(ErrorCode::RepositoryUnknown) && !is_given {
        let known = format!("the clone's name is {name}: say by --name which of `loci repo list` it is");
        return anyhow::Error::new(error).context(known);
    }
    error.into()
}

/// Resolves a revision before any check at it.
async fn revision(code: &LocalCode, repository: &EvidenceRepository, name: &str) -> Result<Tip> {
    code.tip(name, repository).await.map_err(|error| {
        if error.why == Unverifiable::Ref {
            let remedy = "fetch it, or check out with the whole history (fetch-depth: 0)";
            return NotFound(format!("{}: {remedy}", error.detail)).into();
        }
        unread(&error)
    })
}

/// Returns verdicts at a resolved revision. If the branch has moved on meanwhile, the commit stays
/// the same.
async fn look(
    code: &LocalCode,
    repository: &EvidenceRepository,
    tip: &Tip,
    subjects: &[Subject],
) -> Result<Vec<FactCheck>> {
    let fixed = tip.commit().filter(|_| !tip.revision.is_dirty()).map(|commit| commit.to_string());
    let reference = fixed.as_deref().unwrap_or(&tip.reference);
    let looked = code.look(reference, repository, subjects.to_vec(), false).await;
    Ok(looked.map_err(|error| unread(&error))?.1)
}

/// Returns the verdicts at the revision in the format of the API.
fn verdicts(rev: &Tip, facts: &[FactEvidence], seen: Vec<FactCheck>) -> Result<Verdicts> {
    let facts = facts.iter().zip(seen).map(|(fact, seen)| verdict(fact, seen));
    Ok(Verdicts {
        reference: rev.reference.clone(),
        commit: rev.commit().map(|commit| commit.to_string()),
        facts: facts.collect::<Result<_>>()?,
    })
}

async fn tell(client: &Client, repository: &EvidenceRepository, verdicts: Vec<Verdicts>) -> Result<()> {
    let mut left_out = 0;
    for verdicts in verdicts {
        let tell = VerdictsTell { repo: repository.repo.clone(), verdicts };
        let told = client.verdicts_tell(&tell).await?;
        left_out += told.facts.iter().filter(|fact| fact.verification_id.is_none()).count();
    }
    if left_out > 0 {
        output::note(format!("{left_out} verdicts were not told: not read here, or changed there meanwhile"));
    }
    Ok(())
}

fn unread(error: &CodeError) -> anyhow::Error {
    anyhow::anyhow!("the clone cannot be read: {} ({})", error.detail, error.why.as_str())
}

fn shown_revision(tip: &Tip) -> Revision {
    Revision {
        name: tip.reference.clone(),
        commit: tip.commit().map(|commit| commit.to_string()),
        dirty: tip.revision.is_dirty(),
        parted_from: None,
    }
}

/// Returns the repository's address at a forge, without secrets in the remote's URL.
fn repository_uri(code: &LocalCode) -> Option<String> {
    let name = RepositoryName::parse(&code.name()).ok()?;
    Some(format!("https://{}/{}", name.host?, name.segments.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_with_their_format() {
        let check = |text: &str, expect: Option<(Format, &str)>| {
            assert_eq!(file(text).ok(), expect.map(|(format, path)| (format, Path::new(path))), "{text}");
        };
        check("sarif=out.sarif", Some((Format::Sarif, "out.sarif")));
        check("markdown=a=b.md", Some((Format::Markdown, "a=b.md")));
        for bad in ["sarif", "sarif=", "pdf=x", "=x", ""] {
            check(bad, None);
        }
    }
}
