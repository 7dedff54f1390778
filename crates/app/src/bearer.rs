//! The bearer token of a command: from a file, from the environment, or from the command line.

use std::fs::Metadata;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use loci_json::without_mark;
use loci_server::{regular_file, secret_file};

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::output;

/// The environment variable with the path of a file that contains the bearer token.
const TOKEN_FILE: &str = "LOCI_TOKEN_FILE";
/// The maximum length of a bearer token in bytes.
const TOKEN_BYTES_MAX: u64 = 64 * 1024;

/// Returns the token from `--token-file`, else from `--token` or `LOCI_TOKEN`, else from the file
/// that `LOCI_TOKEN_FILE` names.
pub(crate) fn token(globals: &Globals, environment: &Environment) -> Result<Option<String>> {
    match (&globals.token_file, &globals.token) {
        (Some(file), _) => of_file(file).map(Some),
        (None, Some(token)) => Ok(Some(token.clone())),
        (None, None) => environment.get(TOKEN_FILE).map(|file| of_file(&PathBuf::from(file))).transpose(),
    }
}

/// Returns the warning about a token file that other users can read. The rule is the one for all
/// files with secrets.
fn warning(file: &Path, about: &Metadata) -> Option<String> {
    secret_file::fault(&format!("the token in {}", file.display()), about)
}

/// Returns the bearer token in a file.
pub(crate) fn of_file(file: &Path) -> Result<String> {
    let named = || format!("reading the token of {}", file.display());
    let refused = |rule: &str| Err(Usage(format!("{} {rule}", file.display())).into());
    let opened = match regular_file::open(file) {
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            return refused("must be a regular file with a token and nothing else");
        }
        opened => opened.with_context(named)?,
    };
    let about = opened.metadata().with_context(named)?;
    // An open file that a shell passes has no mode that other users could exploit.
    warning(file, &about).filter(|_| about.is_file()).iter().for_each(output::note);
    let mut text = String::new();
    opened.take(TOKEN_BYTES_MAX + 1).read_to_string(&mut text).with_context(named)?;
    if text.len() as u64 > TOKEN_BYTES_MAX {
        return refused("must be a file with a token and nothing else");
    }
    match without_mark(&text).trim() {
        "" => refused("is empty: write the token into it"),
        token => Ok(token.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_with_a_token_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let check = |text: &str, mode: u32, expect: Result<(&str, bool), &str>| {
            let file = folder.path().join("token");
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            let read = of_file(&file).map_err(|error| error.to_string());
            match expect {
                Ok((token, is_open)) => {
                    assert_eq!(read.as_deref(), Ok(token));
                    let about = std::fs::metadata(&file).unwrap();
                    assert_eq!(warning(&file, &about).is_some(), is_open, "{mode:o}");
                }
                Err(rule) => assert!(read.unwrap_err().contains(rule)),
            }
        };
        check("loci_abc\n", 0o600, Ok(("loci_abc", false)));
        check("loci_abc", 0o400, Ok(("loci_abc", false)));
        // The process's own user owns the file. A group may read only files that root mounts.
        check("loci_abc\n", 0o440, Ok(("loci_abc", true)));
        check("loci_abc\n", 0o640, Ok(("loci_abc", true)));
        check("\u{feff}loci_abc\r\n", 0o600, Ok(("loci_abc", false)));
        check("loci_abc\n", 0o644, Ok(("loci_abc", true)));
        check("loci_abc\n", 0o602, Ok(("loci_abc", true)));
        check(" \n", 0o600, Err("is empty"));
        assert!(of_file(folder.path()).unwrap_err().to_string().contains("must be a regular file"));
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(
            of_file(&pipe).unwrap_err().to_string().contains("must be a regular file"),
            "it is not waited for"
        );
        let globals = Globals { token: Some("given".to_owned()), ..Globals::default() };
        let from = |globals: &Globals| token(globals, &Environment::default()).unwrap();
        assert_eq!(from(&globals).as_deref(), Some("given"));
        check("of the file", 0o600, Ok(("of the file", false)));
        let globals = Globals { token_file: Some(folder.path().join("token")), ..globals };
        assert_eq!(from(&globals).as_deref(), Some("of the file"));
    }

    #[test]
    fn the_file_that_the_variable_names_is_the_last_that_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("option"), "of the option\n").unwrap();
        std::fs::write(at("variable"), "of the variable\n").unwrap();
        let named = |name: &str| Environment::of(&[(TOKEN_FILE, at(name).to_str().unwrap())]);
        let check = |token_file: Option<PathBuf>, given: Option<&str>, expect: Option<&str>| {
            let globals = Globals { token_file, token: given.map(str::to_owned), ..Globals::default() };
            assert_eq!(token(&globals, &named("variable")).unwrap().as_deref(), expect);
        };
        check(None, None, Some("of the variable"));
        check(None, Some("given"), Some("given"));
        check(Some(at("option")), Some("given"), Some("of the option"));
        let nothing = Globals::default();
        assert_eq!(token(&nothing, &Environment::default()).unwrap(), None);
        // A missing file is an error that names the file, and not a request without a token.
        let error = token(&nothing, &named("none")).unwrap_err().to_string();
        assert!(error.contains(at("none").to_str().unwrap()), "{error}");
    }
}
