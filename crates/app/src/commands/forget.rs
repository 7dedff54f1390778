//! `loci forget`: erases the data of a memory about a person, and prints the receipt. It
//! requires a confirmation, because nothing restores erased data. A dry run counts the same data
//! and changes nothing.

use anyhow::Result;
use clap::Args;
use loci_api::admin::{self, ForgetReceipt};

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::Confirmation;
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
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Forget {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let dry_run = self.confirmation.dry_run;
        if !dry_run {
            let effect = format!("erase everything about {}", self.actor);
            self.confirmation.require(&effect, &self.actor)?;
        }
        let mut session = Session::begin(globals, environment)?;
        let memory = self.memory.id(&session).await?;
        let actor = self.actor;
        let confirm = (!dry_run).then(|| actor.clone());
        let receipt = session.client.forget(&memory, &admin::Forget { actor, dry_run, confirm }).await?;
        if !dry_run {
            session.wrote(&memory)?;
        }
        output::result(session.json, &receipt, shown)?;
        session.end().await
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
