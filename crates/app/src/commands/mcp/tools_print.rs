//! `loci tools print`: prints the tools of a family as definitions for an external agent. It opens
//! no store.

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use loci_server::tools::profile::Profile;
use loci_server::tools::table::Table;
use loci_server::tools::tool::Tool;
use serde_json::{Value, json};

use crate::cli::Globals;
use crate::exit::Usage;
use crate::output;

/// Tools as definitions
#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// Print the definitions of a family of tools
    Print(Print),
}

/// Print the definitions of a family of tools
#[derive(Debug, Args)]
pub(crate) struct Print {
    /// core, verified, recall, coding, files, sre or full
    #[arg(long)]
    family: String,
    /// The format of the definitions
    #[arg(long, value_enum, default_value_t = Format::Mcp)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// As in `tools/list` of the Model Context Protocol
    Mcp,
    /// Functions of OpenAI's chat completions
    Openai,
    /// Tools of Anthropic's messages
    Anthropic,
}

impl Tools {
    pub(crate) fn run(&self, globals: &Globals) -> Result<()> {
        let Self::Print(print) = self;
        let profile = Profile::parse(&print.family).map_err(|error| Usage(error.message))?;
        let table = Table::shipped();
        let shown: Vec<Value> = table.of(&[profile]).map(|tool| print.format.of(tool)).collect();
        output::result(globals.json, &Value::Array(shown), |shown| output::line(format!("{shown:#}")))
    }
}

impl Format {
    fn of(self, tool: &Tool) -> Value {
        let (name, description, input) = (tool.name, tool.description, tool.listed_input());
        match self {
            Self::Mcp => tool.shown(false),
            Self::Openai => {
                json!({"type": "function", "function": {"name": name, "description": description, "parameters": input}})
            }
            Self::Anthropic => json!({"name": name, "description": description, "input_schema": input}),
        }
    }
}
