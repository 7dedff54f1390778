//! Default locations: the user's folders, as defined by the platform.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::environment::Environment;

/// Returns the data folder of this user.
///
/// # Errors
/// The environment contains neither `XDG_DATA_HOME` nor `HOME`.
pub fn default_data_dir(environment: &Environment) -> Result<PathBuf> {
    Ok(user_folder(environment, "XDG_DATA_HOME", ".local/share")
        .context("there is no home folder: name a data folder with --data-dir or LOCI_DATA_DIR")?
        .join("loci"))
}

/// Returns the path of this user's configuration file, which may not exist.
pub fn user_file(environment: &Environment) -> Option<PathBuf> {
    Some(user_folder(environment, "XDG_CONFIG_HOME", ".config")?.join("loci").join("config.toml"))
}

fn user_folder(environment: &Environment, name: &str, below_home: &str) -> Option<PathBuf> {
    let named = environment.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| Some(PathBuf::from(environment.get("HOME")?).join(below_home)))
}
