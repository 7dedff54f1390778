//! The repository of a command: the one that its arguments name, else that of the clone of the
//! working directory. A command that uses the clone's repository prints its name.

use anyhow::Result;
use loci_client::Client;

use super::code_memory::CodeMemory;
use super::local_repository::LocalRepository;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::output;
use crate::session::Session;

/// A repository as a positional argument.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PositionedRepository {
    /// The repository, as owner/name [default: that of the working directory]
    repo: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

/// A repository as an option.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct OptionalRepository {
    /// The repository, as owner/name [default: that of the working directory]
    #[arg(long)]
    repo: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

/// The context in which a command determines its repository.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// The connection to the API.
    pub(crate) session: &'a Session,
    /// Options of all commands.
    pub(crate) globals: &'a Globals,
    /// The environment.
    pub(crate) environment: &'a Environment,
}

/// The repository that a command works on, with a client for the memory that knows the repository.
pub(crate) struct MeantRepository {
    /// The client.
    pub(crate) client: Client,
    owner: String,
    name: String,
}

impl MeantRepository {
    /// Returns its owner and its name. In `host/owner/name` the part after the first slash is one
    /// segment of a path.
    pub(crate) fn parts(&self) -> (&str, &str) {
        (&self.owner, &self.name)
    }

    /// Returns the whole name.
    pub(crate) fn whole(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }
}

impl PositionedRepository {
    /// Returns the repository of the command.
    pub(crate) async fn meant(&self, around: Surroundings<'_>) -> Result<MeantRepository> {
        around.meant(&self.at, self.repo.as_deref()).await
    }
}

impl OptionalRepository {
    /// Returns the repository of the command.
    pub(crate) async fn meant(&self, around: Surroundings<'_>) -> Result<MeantRepository> {
        around.meant(&self.at, self.repo.as_deref()).await
    }
}

impl Surroundings<'_> {
    /// Returns the named repository, else that of the working directory.
    ///
    /// # Errors
    /// A usage error if there is neither, or if the name is invalid.
    pub(crate) async fn meant(&self, at: &CodeMemory, named: Option<&str>) -> Result<MeantRepository> {
        let client = at.of(&self.session.client)?;
        let repo = match named {
            Some(named) => named.to_owned(),
            None => {
                let here = LocalRepository::at(client.clone(), self.globals, self.environment, None).await?;
                let repo = here.repo_or(None, "name the repository")?;
                output::note(format!("repository {repo}: that of the working directory"));
                repo
            }
        };
        let Some((owner, name)) = repo.split_once('/').filter(|(owner, _)| !owner.is_empty()) else {
            let rule = format!("the repository must be owner/name or host/owner/name, not {repo}");
            return Err(Usage(rule).into());
        };
        Ok(MeantRepository { client, owner: owner.to_owned(), name: name.to_owned() })
    }
}

/// Splits one or two arguments `[REPO] WORD` into the repository and the word.
pub(crate) fn repository_and_word(words: &[String]) -> (Option<&str>, &str) {
    match words {
        [repo, word, ..] => (Some(repo), word),
        [word] => (None, word),
        [] => (None, ""),
    }
}

/// Splits `[REPO] WORD…` into the repository and the words. A repository contains a slash and no
/// equals sign. Of the words that may follow, ids contain no slash, and settings contain an equals
/// sign.
pub(crate) fn repository_and_words(words: &[String]) -> (Option<&str>, &[String]) {
    match words.split_first() {
        Some((first, rest)) if first.contains('/') && !first.contains('=') => (Some(first), rest),
        _ => (None, words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_repository_before_one_word() {
        for (given, expect) in [
            ("o/r mem-1", (Some("o/r"), "mem-1")),
            ("mem-1", (None, "mem-1")),
            ("use/tabs", (None, "use/tabs")),
        ] {
            assert_eq!(repository_and_word(&words(given)), expect, "{given}");
        }
    }

    #[test]
    fn a_repository_before_a_list() {
        for (given, expect, rest) in [
            ("", None, ""),
            ("o/r", Some("o/r"), ""),
            ("host.example/o/r mem-1 mem-2", Some("host.example/o/r"), "mem-1 mem-2"),
            ("mem-1 mem-2", None, "mem-1 mem-2"),
            ("default_branch=feature/x", None, "default_branch=feature/x"),
            ("o/r default_branch=feature/x", Some("o/r"), "default_branch=feature/x"),
        ] {
            let (given, rest) = (words(given), words(rest));
            assert_eq!(repository_and_words(&given), (expect, rest.as_slice()), "{given:?}");
        }
    }
}
