//! `loci backend`: file backends other than the server's own. The commands check a backend, serve a
//! directory, and copy files between two backends.

mod backend_location;
mod check;
mod copy;
mod serve;

use anyhow::Result;
use clap::Subcommand;

use crate::cli::Globals;
use crate::config::environment::Environment;

/// File backends
#[derive(Debug, Subcommand)]
pub(crate) enum Backend {
    /// Run the conformance suite against a backend: a directory, a server of the HTTP form, or the
    /// documents of a memory
    Check(check::Check),
    /// Serve the HTTP form of a local directory until a signal arrives
    Serve(serve::Serve),
    /// Copy files from one place to another
    Copy(Box<copy::Copy>),
}

impl Backend {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        match self {
            Self::Check(check) => check.run(globals, environment).await,
            Self::Serve(serve) => serve.run(globals, environment).await,
            Self::Copy(copy) => copy.run(globals, environment).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, Parser as _};

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_guide_has_every_command_and_no_other() {
        let guide = include_str!("../../../../../../docs/guides/file-backends.md");
        for command in Backend::augment_subcommands(Command::new("backend")).get_subcommands() {
            let name = command.get_name();
            assert!(guide.contains(&format!("| `loci backend {name} ")), "the guide has no {name}");
        }
        let commands: Vec<_> = guide.lines().filter(|line| line.starts_with("loci ")).collect();
        assert!(commands.len() > 2, "{commands:?}");
        for line in commands {
            let parsed = Cli::try_parse_from(line.split_whitespace());
            assert!(parsed.is_ok(), "{line}: {:?}", parsed.err());
        }
    }
}
