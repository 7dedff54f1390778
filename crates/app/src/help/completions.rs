//! `loci completions`: the completion script of a shell.

use anyhow::Result;
use clap::Args;
use clap_complete::Shell;

use crate::output;

/// Print the completion script of a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "loci", &mut script);
        output::text(&String::from_utf8_lossy(&script));
        Ok(())
    }
}
