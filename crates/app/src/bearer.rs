//! The bearer token of a command: from a file, which no other user sees, from the environment, or from the
//! command line.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;

/// The variable that names a file with the token.
const TOKEN_FILE: &str = "LOCI_TOKEN_FILE";
/// Longer is no token.
const TOKEN_BYTES_MAX: u64 = 64 * 1024;

/// The token: of `--token-file`, else `--token` or `LOCI_TOKEN`, else of the file that `LOCI_TOKEN_FILE`
/// names.
pub(crate) fn token(globals: &Globals, environment: &Environment) -> Result<Option<String>> {
    match (&globals.token_file, &globals.token) {
        (Some(file), _) => read(file).map(Some),
        (None, Some(token)) => Ok(Some(token.clone())),
        (None, None) => environment.get(TOKEN_FILE).map(|file| read(&PathBuf::from(file))).transpose(),
    }
}

fn read(file: &Path) -> Result<String> {
    let named = || format!("reading the token of {}", file.display());
    let about = std::fs::metadata(file).with_context(named)?;
    let refused = |rule: &str| Err(Usage(format!("{} {rule}", file.display())).into());
    if !about.is_file() || about.len() > TOKEN_BYTES_MAX {
        return refused("must be a file with a token and nothing else");
    }
    if about.permissions().mode() & 0o077 != 0 {
        return refused("can be read by other users: chmod 600 it");
    }
    let text = std::fs::read_to_string(file).with_context(named)?;
    match text.trim() {
        "" => refused("is empty: write the token into it"),
        token => Ok(token.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let check = |text: &str, mode: u32, expect: Result<&str, &str>| {
            let file = folder.path().join("token");
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            let read = read(&file).map_err(|error| error.to_string());
            match expect {
                Ok(token) => assert_eq!(read.as_deref(), Ok(token)),
                Err(rule) => assert!(read.unwrap_err().contains(rule)),
            }
        };
        check("loci_abc\n", 0o600, Ok("loci_abc"));
        check("loci_abc", 0o400, Ok("loci_abc"));
        check("loci_abc\n", 0o644, Err("chmod 600"));
        check("loci_abc\n", 0o640, Err("chmod 600"));
        check(" \n", 0o600, Err("is empty"));
        assert!(read(folder.path()).unwrap_err().to_string().contains("must be a file"));
        let globals = Globals { token: Some("given".to_owned()), ..Globals::default() };
        let from = |globals: &Globals| token(globals, &Environment::default()).unwrap();
        assert_eq!(from(&globals).as_deref(), Some("given"));
        check("of the file", 0o600, Ok("of the file"));
        let globals = Globals { token_file: Some(folder.path().join("token")), ..globals };
        assert_eq!(from(&globals).as_deref(), Some("of the file"));
    }
}
