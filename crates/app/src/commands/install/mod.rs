//! `loci install CLIENT`: the client's configuration, a session-start hook and instructions, shown
//! before they are written. Files → `plan` (pure) → `apply`. A new client is a row in `client` and
//! its entry in `entry`.

mod apply;
mod client;
mod entry;
mod hook;
mod json_edit;
mod line_diff;
mod plan;
mod report;
mod request;
mod secret_masking;
mod snippet;
mod toml_table;

#[cfg(test)]
mod cases;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use self::client::{Client, InstallFolders, InstallScope};
use self::plan::FileEdit;
use self::report::InstallReport;
use self::request::{ClientConnection, InstallRequest};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::{confirmation, output};

/// Set up a coding agent: its server list, a session-start hook, instructions
#[derive(Debug, Args)]
pub(crate) struct Install {
    /// The program to set up
    client: Client,
    /// Let it call this server instead of starting loci; LOCI_TOKEN contains the token
    #[arg(long, value_name = "URL")]
    http: Option<String>,
    /// For all users of this repository [default: claude-code, cursor, vscode]
    #[arg(long)]
    project: bool,
    /// For this user, in each repository [default: codex, windsurf, copilot]
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Add instructions for using the facts [default: in a project]
    #[arg(long)]
    instructions: bool,
    /// Write no instructions
    #[arg(long, conflicts_with = "instructions")]
    no_instructions: bool,
    /// Write no session-start hook
    #[arg(long)]
    no_hook: bool,
    /// Let the hook also show the documents of this memory [default: those of the mount `default`]
    #[arg(long, value_name = "MEMORY", conflicts_with = "no_hook")]
    files: Option<String>,
    /// The namespace of these documents; `/` without it
    #[arg(long, value_name = "NAMESPACE", requires = "files")]
    files_namespace: Option<String>,
    /// Remove all of it again
    #[arg(long, conflicts_with_all = ["http", "instructions", "no_instructions", "no_hook", "files"])]
    remove: bool,
    /// Print the changes and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long, short = 'y', conflicts_with = "dry_run")]
    yes: bool,
}

impl Install {
    pub(crate) fn run(&self, globals: &Globals, environment: &Environment) -> Result<()> {
        let here = std::env::current_dir().context("finding the current folder")?;
        let binary = std::env::current_exe().context("finding the path of this program")?;
        let places = places(&here, environment)?;
        let mut notes = Vec::new();
        let request = self.request(globals, program(&binary, environment, &mut notes))?;
        let edits = planned(&request, &places)?;
        notes.extend(report::notes(&request, &places.project));
        if let ClientConnection::Http { base } = &request.form
            && request::is_readable_on_its_way(base)
        {
            notes.push(format!("{base} is no https: the token can be read on its way"));
        }
        let report = InstallReport::of(&request, &edits, notes);
        self.settle(report, &edits, &places.project, globals.json)
    }

    fn request(&self, globals: &Globals, program: String) -> Result<InstallRequest> {
        let form = match (&self.http, &globals.data_dir) {
            (Some(_), Some(_)) => {
                let why = "--data-dir is for a loci that the client starts: leave it or --http out";
                return Err(Usage(why.to_owned()).into());
            }
            (Some(url), None) => ClientConnection::Http { base: request::base_url(url)? },
            (None, folder) => {
                let mut options = Vec::new();
                if let Some(folder) = folder {
                    let folder = std::path::absolute(folder).context("finding the data folder")?;
                    options.extend(["--data-dir".to_owned(), folder.display().to_string()]);
                }
                if let Some(url) = &globals.url {
                    options.extend(["--url".to_owned(), request::base_url(url)?]);
                }
                ClientConnection::Stdio { options }
            }
        };
        let scope = match (self.project, self.user) {
            (true, _) => InstallScope::Project,
            (false, true) => InstallScope::User,
            (false, false) => self.client.usual_scope(),
        };
        let instructions = self.instructions || (scope == InstallScope::Project && !self.no_instructions);
        Ok(InstallRequest {
            client: self.client,
            scope,
            form,
            program,
            hook: !self.no_hook,
            instructions,
            files: self.files.clone().map(|memory| (memory, self.files_namespace.clone())),
            remove: self.remove,
        })
    }

    fn settle(
        &self,
        mut report: InstallReport,
        edits: &[FileEdit],
        project: &Path,
        json: bool,
    ) -> Result<()> {
        let is_asking = report.changes && !self.yes && !self.dry_run;
        if !json {
            if is_asking {
                report.show(|line| output::note(line))
            } else {
                report.show(|line| output::line(line))
            }
        }
        if is_asking {
            if json {
                output::json(&report)?;
            }
            confirmation::require_agreement(!json)?;
        }
        if report.changes && !self.dry_run {
            report.wrote(&apply::write(edits, project)?);
        }
        if json {
            output::json(&report)?;
        } else {
            match report.written {
                true => report.show_written(),
                false if !report.changes => output::line("nothing to do"),
                false => {}
            }
        }
        if self.dry_run && report.changes {
            output::dry_run();
        }
        Ok(())
    }
}

fn planned(request: &InstallRequest, places: &InstallFolders) -> Result<Vec<FileEdit>> {
    let targets = request.client.targets(request.scope, places)?;
    let mut edits = Vec::new();
    for target in targets.iter().filter(|target| plan::is_asked(target, request)) {
        let before = apply::read(target, &places.project)?;
        let edit = plan::edit(target, before, request).map_err(|why| {
            loci_model::Error::conflict(format!("{}: {why}; nothing was written", target.path.display()))
        })?;
        edits.push(edit);
    }
    Ok(edits)
}

fn places(here: &Path, environment: &Environment) -> Result<InstallFolders> {
    let home = environment.get("HOME").or_else(|| environment.get("USERPROFILE"));
    let home = PathBuf::from(home.context("HOME is not set: the user's files cannot be found")?);
    let folder = |variable: &str, usual: &str| {
        environment.get(variable).map_or_else(|| home.join(usual), PathBuf::from)
    };
    Ok(InstallFolders {
        project: here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(here).to_owned(),
        claude: environment.get("CLAUDE_CONFIG_DIR").map(PathBuf::from),
        codex: folder("CODEX_HOME", ".codex"),
        copilot: folder("COPILOT_HOME", ".copilot"),
        home,
    })
}

/// Returns the command that starts this program: `loci` if the search path finds it, else its path.
fn program(binary: &Path, environment: &Environment, notes: &mut Vec<String>) -> String {
    let name = format!("loci{}", std::env::consts::EXE_SUFFIX);
    let path = environment.get("PATH").unwrap_or_default();
    let found = std::env::split_paths(path).map(|folder| folder.join(&name)).find(|file| file.is_file());
    let Some(found) = found else {
        notes.push(format!("loci is not on PATH: its path, {}, is written", binary.display()));
        return binary.display().to_string();
    };
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if real(&found) != real(binary) {
        notes.push(format!("loci on PATH is {}, another than this one", found.display()));
    }
    "loci".to_owned()
}
