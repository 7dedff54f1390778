//! `loci memory ensure`: creates a memory if needed, and writes its id to `.memory_id` in the
//! working directory, for scripts. The server never needs the file.

use std::path::Path;

use anyhow::{Context, Result};
use clap::Args;
use loci_api::memory::ensure as shape;

use crate::session::Session;
use crate::{output, replaced_file};

/// The file, in the working directory of the command.
pub(in crate::commands) const FILE: &str = ".memory_id";
/// Its mode: only the owner can read it.
const OWNER_ALONE: u32 = 0o600;

/// The desired memory
#[derive(Debug, Args)]
pub(crate) struct Ensure {
    /// Letters, digits and _
    name: String,
    /// The profile with the settings and strategies, by name
    #[arg(long)]
    profile: Option<String>,
    /// The description of a new memory [default: that of the profile]
    #[arg(long)]
    description: Option<String>,
    /// Change settings that differ from the profile
    #[arg(long)]
    update: bool,
}

impl Ensure {
    pub(super) async fn run(self, session: &Session) -> Result<()> {
        let asked = shape::MemoryEnsure {
            description: self.description,
            profile: self.profile,
            strategies: Vec::new(),
        };
        let how = shape::MemoryEnsureQuery { update: self.update.then(|| "true".to_owned()) };
        let done = session.client.memory_ensure(&self.name, &how, &asked).await?;
        let folder = std::env::current_dir().context("finding the folder for .memory_id")?;
        write(&folder.join(FILE), &done.memory_id)?;
        output::result(session.json, &done, |done| {
            output::line(&done.memory_id);
            for name in &done.added {
                output::line(format!("strategy {name} was added"));
            }
            for warning in &done.warnings {
                output::line(format!("warning: {warning}"));
            }
        })
    }
}

/// Writes one line that only the owner can read. A reader sees the complete old or new file.
pub(super) fn write(path: &Path, id: &str) -> Result<()> {
    replaced_file::replace(path, &format!("{id}\n"), OWNER_ALONE)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_id_is_one_line_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::write(&path, "an older and longer id-0123456789\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, "sre_agent_memory-0123456789").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "sre_agent_memory-0123456789\n");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
