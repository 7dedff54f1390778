//! The confirmation of a command that destroys something: `--yes`, the name typed again, or a
//! question on a terminal. A dry run shows the effect instead. A command that changes one object
//! needs no confirmation, but has a dry run.

use std::io::{IsTerminal as _, Write as _};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::json;

use crate::exit::Usage;
use crate::output;

/// The options of a command that destroys something.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Confirmation {
    /// Do not ask for confirmation
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// The name of the destroyed object again, instead of --yes
    #[arg(long, alias = "yes-destroy", value_name = "NAME", conflicts_with_all = ["yes", "dry_run"])]
    confirm: Option<String>,
    /// Only show what the command would destroy
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The option of a command that changes one object, or whose effect can be undone.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct DryRun {
    /// Only show what the command would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Prints what a command would do, such as “erase notes”.
pub(crate) fn would(as_json: bool, effect: &str) -> Result<()> {
    let shown = json!({ "dry_run": true, "would": effect });
    output::result(as_json, &shown, |_| output::line(format!("would {effect}")))
}

/// Requires a “yes” on a terminal before files are written, for a command that showed its changes.
///
/// # Errors
/// [`Usage`] if `can_ask` is false or there is no terminal, and an error after another answer.
pub(crate) fn require_agreement(can_ask: bool) -> Result<()> {
    if !can_ask || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        let rule = "nothing was written: nobody can be asked here; run it with --yes to write, or with \
                    --dry-run to see";
        return Err(Usage(rule.to_owned()).into());
    }
    match typed("Write this? [y/N] ")?.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => bail!("nothing was written"),
    }
}

impl Confirmation {
    /// Returns true if the command may go on. A dry run prints `effect`, such as “erase notes”, and
    /// returns false.
    ///
    /// # Errors
    /// [`Usage`] if the user did not confirm, or typed another name.
    pub(crate) fn is_given(&self, as_json: bool, effect: &str, name: &str) -> Result<bool> {
        if self.dry_run {
            would(as_json, effect)?;
            return Ok(false);
        }
        self.require(effect, name)?;
        Ok(true)
    }

    /// Returns true if a command that deletes objects by id may go on: it needs no confirmation,
    /// and takes no name. A dry run prints `effect` and returns false.
    ///
    /// # Errors
    /// [`Usage`] with `--confirm`.
    pub(crate) fn is_by_id(&self, as_json: bool, effect: &str) -> Result<bool> {
        if self.confirm.is_some() {
            let rule = "--confirm applies only to a deletion without ids: remove it";
            return Err(Usage(rule.to_owned()).into());
        }
        if self.dry_run {
            would(as_json, effect)?;
        }
        Ok(!self.dry_run)
    }

    /// Requires the confirmation, for a command with a dry run of its own.
    ///
    /// # Errors
    /// See [`Self::is_given`].
    pub(crate) fn require(&self, effect: &str, name: &str) -> Result<()> {
        let typed = match &self.confirm {
            _ if self.yes => return Ok(()),
            Some(typed) => typed.clone(),
            None if std::io::stdin().is_terminal() => typed_name(effect, name)?,
            None => return Err(refusal(effect, name, "it was not confirmed")),
        };
        if typed == name { Ok(()) } else { Err(refusal(effect, name, "another name was given")) }
    }
}

fn refusal(effect: &str, name: &str, reason: &str) -> anyhow::Error {
    let rule = format!(
        "nothing was changed: {reason}. The command would {effect}, which cannot be undone. Look first \
         with --dry-run, then add --yes, or --confirm {}",
        quoted(name)
    );
    Usage(rule).into()
}

fn typed_name(effect: &str, name: &str) -> Result<String> {
    output::note(format!("This will {effect}, which cannot be undone."));
    // The name comes from a caller: a terminal must not obey it.
    let escape = |c: char| if c.is_control() { c.escape_default().collect() } else { String::from(c) };
    typed(&format!("Type {} to go on: ", name.chars().map(escape).collect::<String>()))
}

/// Returns the line that a person types after a question.
fn typed(question: &str) -> Result<String> {
    let mut out = std::io::stderr().lock();
    write!(out, "{question}").and_then(|()| out.flush()).context("asking for confirmation")?;
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed).context("reading the answer")?;
    Ok(typed.trim_end_matches(['\n', '\r']).to_owned())
}

/// Quotes an argument for a POSIX shell, if it needs quotes.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@:".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_and_a_wrong_name_do_not_confirm() {
        let check = |yes: bool, confirm: Option<&str>, dry_run: bool, expect: Option<bool>| {
            let given = Confirmation { yes, confirm: confirm.map(str::to_owned), dry_run };
            assert_eq!(given.is_given(false, "erase notes", "notes").ok(), expect, "{given:?}");
        };
        check(true, None, false, Some(true));
        check(false, Some("notes"), false, Some(true));
        check(false, Some("other"), false, None);
        check(false, None, true, Some(false));
    }

    #[test]
    fn arguments_can_be_typed_as_they_are_shown() {
        assert_eq!(quoted("github.com/acme/shop"), "github.com/acme/shop");
        assert_eq!(quoted("Anna's"), "'Anna'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[cfg(all(feature = "verified", feature = "coding", feature = "documents", feature = "operations"))]
    #[test]
    fn every_command_that_removes_one_object_has_a_dry_run() {
        use clap::CommandFactory as _;
        let all = crate::cli::Cli::command();
        for path in [
            "record delete",
            "event delete",
            "key revoke",
            "files rm",
            "mirror rm",
            "rule reject",
            "rule expire",
            "restore",
            "install",
        ] {
            let command = path.split(' ').try_fold(&all, |command, word| command.find_subcommand(word));
            let has_it = command.unwrap().get_arguments().any(|one| one.get_long() == Some("dry-run"));
            assert!(has_it, "{path}");
        }
    }

    #[cfg(all(feature = "verified", feature = "coding", feature = "operations"))]
    #[test]
    fn every_command_that_destroys_has_both_options() {
        use clap::CommandFactory as _;
        let all = crate::cli::Cli::command();
        for path in [
            "memory delete",
            "memory recreate",
            "forget",
            "prefs forget",
            "ops delete",
            "me delete",
            "repo purge",
        ] {
            let command = path.split(' ').try_fold(&all, |command, word| command.find_subcommand(word));
            let options: Vec<_> = command.unwrap().get_arguments().filter_map(|one| one.get_long()).collect();
            assert!(options.contains(&"yes") && options.contains(&"dry-run"), "{path}: {options:?}");
        }
    }
}
