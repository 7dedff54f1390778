//! `loci config`: the effective configuration and its sources.

use anyhow::Result;
use clap::Subcommand;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::config::user_file;
use crate::{output, session};

/// The configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the effective configuration, without secrets
    Print,
    /// Print the search path of the user's configuration file
    Path,
}

impl ConfigCommand {
    pub(crate) fn run(&self, globals: &Globals, environment: &Environment) -> Result<()> {
        match self {
            Self::Print => {
                let (folder, mut config) = session::folder(globals, environment)?;
                config.store.data_dir = Some(folder);
                config.warnings().iter().for_each(|warning| output::note(format!("warning: {warning}")));
                let config = config.shown();
                if globals.json {
                    return output::json(&config);
                }
                output::line(toml::to_string_pretty(&config)?.trim_end());
                Ok(())
            }
            Self::Path => {
                let path = globals.config.clone().or_else(|| user_file(environment));
                let text = path.map_or_else(String::new, |path| path.display().to_string());
                if globals.json {
                    return output::json(&serde_json::json!({ "path": text }));
                }
                output::line(text);
                Ok(())
            }
        }
    }
}
