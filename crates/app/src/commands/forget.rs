//! `loci forget`: erases the data of a memory about a person, and prints the receipt. It asks for
//! the actor again, because nothing restores erased data. A dry run counts the same data and
//! changes nothing.

use anyhow::Result;
use clap::Args;
use loci_api::admin::{self, ForgetReceipt};

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::memory_argument::MemoryArgument;
use crate::output;
use crate::session::Session;

/// Erase the data of a memory about a person immediately
#[derive(Debug, Args)]
pub(crate) struct Forget {
    #[command(flatten)]
    memory: MemoryArgument,
    /// The person: an actor, a login or an e-mail address
    #[arg(long)]
    actor: String,
    /// Only count the data to erase
    #[arg(long, conflicts_with = "confirm")]
    dry_run: bool,
    /// The actor again; required unless it is a dry run
    #[arg(long, value_name = "ACTOR")]
    confirm: Option<String>,
}

impl Forget {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if !self.dry_run && self.confirm.as_deref() != Some(self.actor.as_str()) {
            return Err(Usage(self.unconfirmed()).into());
        }
        let mut session = Session::begin(globals, environment)?;
        let memory = self.memory.id(&session).await?;
        let Self { actor, dry_run, confirm, .. } = self;
        let receipt = session.client.forget(&memory, &admin::Forget { actor, dry_run, confirm }).await?;
        if !dry_run {
            session.wrote(&memory)?;
        }
        output::result(session.json, &receipt, shown)?;
        session.end().await
    }

    fn unconfirmed(&self) -> String {
        let actor = quoted(&self.actor);
        let memory = self.memory.given().map(|memory| format!(" --memory {}", quoted(memory)));
        let is_else = self.confirm.is_some();
        let why = if is_else { "--confirm names somebody else" } else { "it was not confirmed" };
        let same = format!("loci forget{} --actor {actor}", memory.unwrap_or_default());
        format!(
            "nothing was erased: {why}, and nothing brings back what forget erases. \
             Look first: {same} --dry-run. Then type: {same} --confirm {actor}"
        )
    }
}

/// Quotes an argument for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@:".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

fn shown(receipt: &ForgetReceipt) {
    let (actor, memory, at) = (&receipt.actor, &receipt.memory, &receipt.at);
    match receipt.dry_run {
        true => output::line(format!("would forget {actor} in {memory}; nothing was changed:")),
        false => output::line(format!("forgot {actor} in {memory}, at {at}:")),
    }
    for one in &receipt.kinds {
        output::line(format!("  {} {}", one.count, one.kind));
    }
    for mirror in &receipt.mirrors {
        output::line(format!("brought up: mirror {mirror}"));
    }
    for place in &receipt.unreachable {
        output::line(format!("out of reach: {place}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_can_be_typed_as_they_are_shown() {
        assert_eq!(quoted("github.com/acme/shop"), "github.com/acme/shop");
        assert_eq!(quoted("Anna's"), "'Anna'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
