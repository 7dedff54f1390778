//! The checked request of an installation: the client, the scope, the connection to Loci, and the
//! words of the written commands.

use super::client::{Client, InstallScope};
use crate::exit::Usage;

/// The request of an installation, from the command line.
#[derive(Debug, Clone)]
pub(super) struct InstallRequest {
    pub(super) client: Client,
    pub(super) scope: InstallScope,
    pub(super) form: ClientConnection,
    /// `loci`, or the path of the binary.
    pub(super) program: String,
    pub(super) hook: bool,
    pub(super) instructions: bool,
    /// The memory, and its namespace, whose documents the hook also shows.
    pub(super) files: Option<(String, Option<String>)>,
    /// True to remove the installation.
    pub(super) remove: bool,
}

/// The connection of the client to Loci.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ClientConnection {
    /// The client starts `loci mcp` with these options.
    Stdio { options: Vec<String> },
    /// The client calls a server. `base` is its address without `/mcp`.
    Http { base: String },
}

impl InstallRequest {
    /// Returns the arguments of the program that the client starts.
    pub(super) fn arguments(&self) -> Vec<String> {
        let options = match &self.form {
            ClientConnection::Stdio { options } => options.as_slice(),
            ClientConnection::Http { .. } => &[],
        };
        std::iter::once("mcp".to_owned()).chain(options.iter().cloned()).collect()
    }

    /// True if the client needs the token of a server.
    pub(super) fn needs_token(&self) -> bool {
        match &self.form {
            ClientConnection::Stdio { options } => options.iter().any(|option| option == "--url"),
            ClientConnection::Http { .. } => true,
        }
    }

    /// Returns the command of a session-start hook. With `hook`, it prints the format of that
    /// client.
    pub(super) fn hook_command(&self, hook: Option<&str>) -> String {
        let mut words = vec![self.program.clone()];
        words.extend(["fact", "recent", "--cwd", ".", "--format", "prompt"].map(str::to_owned));
        words.extend(hook.into_iter().flat_map(|client| ["--hook".to_owned(), client.to_owned()]));
        match &self.form {
            ClientConnection::Stdio { options } => words.extend(options.iter().cloned()),
            ClientConnection::Http { base } => words.extend(["--url".to_owned(), base.clone()]),
        }
        if let Some((memory, namespace)) = &self.files {
            words.extend(["--files".to_owned(), memory.clone()]);
            let namespace = namespace.iter().cloned();
            words.extend(namespace.flat_map(|namespace| ["--files-namespace".to_owned(), namespace]));
        }
        words.push("--fail-open".to_owned());
        words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
    }
}

/// True if this module wrote a hook command.
pub(super) fn is_our_hook(command: &str) -> bool {
    command.contains(" fact recent ") && command.contains("--fail-open")
}

/// Returns the address of a server, without a trailing slash and without `/mcp`.
///
/// # Errors
///
/// The text is not the address of a server, or contains a secret.
pub(super) fn base_url(url: &str) -> Result<String, Usage> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~' | ':' | '/' | '[' | ']' | '%')
    };
    let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if host.is_empty() || !rest.unwrap_or_default().chars().all(is_plain) {
        let why = "the address of a server is http:// or https://, a host, and a path if it has one; no user, question \
                   mark or quotes";
        return Err(Usage(why.to_owned()));
    }
    let base = url.trim_end_matches('/');
    Ok(base.strip_suffix("/mcp").unwrap_or(base).trim_end_matches('/').to_owned())
}

/// True if a token sent to this address is not encrypted in transit.
pub(super) fn is_readable_on_its_way(base: &str) -> bool {
    let Some(rest) = base.strip_prefix("http://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.chars().all(|c| c.is_ascii_digit()))
        .map_or(host, |(n, _)| n);
    !(name == "localhost" || name == "[::1]" || name.starts_with("127."))
}

/// Quotes a word for a shell.
fn shell_word(word: &str) -> String {
    let is_plain =
        |c: char| c.is_alphanumeric() || "_-./:@%+=,~[]".contains(c) || (cfg!(windows) && c == '\\');
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_as_they_are_given() {
        let check = |url: &str, expect: &str| assert_eq!(base_url(url).unwrap(), expect);
        check("https://memory.example", "https://memory.example");
        check("https://memory.example/", "https://memory.example");
        check("https://memory.example/team/mcp/", "https://memory.example/team");
        check("http://127.0.0.1:8411/mcp", "http://127.0.0.1:8411");
        for bad in [
            "memory.example",
            "ftp://x",
            "https://",
            "https://u:p@x",
            "https://x/$(id)",
            "https://x?token=1",
            "",
        ] {
            assert!(base_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_token_over_a_plain_wire_is_noticed() {
        let check = |base: &str, expect: bool| assert_eq!(is_readable_on_its_way(base), expect, "{base}");
        check("https://memory.example", false);
        check("http://memory.example:80", true);
        check("http://127.0.0.1:8411", false);
        check("http://[::1]:8411", false);
        check("http://[::1]", false);
        check("http://localhost/x", false);
        check("http://127.example", false);
        check("http://localhost.example", true);
    }

    #[test]
    fn the_hook_shows_documents_that_are_named() {
        let request = |files: Option<(&str, Option<&str>)>| InstallRequest {
            client: Client::ClaudeCode,
            scope: InstallScope::Project,
            form: ClientConnection::Stdio { options: Vec::new() },
            program: "loci".to_owned(),
            hook: true,
            instructions: false,
            files: files.map(|(memory, namespace)| (memory.to_owned(), namespace.map(str::to_owned))),
            remove: false,
        };
        let check = |files, expect: &str| {
            let command = request(files).hook_command(None);
            assert_eq!(command, format!("loci fact recent --cwd . --format prompt{expect} --fail-open"));
            assert!(is_our_hook(&command));
        };
        check(None, "");
        check(Some(("notes", None)), " --files notes");
        check(Some(("notes", Some("/team"))), " --files notes --files-namespace /team");
    }

    #[cfg(unix)]
    #[test]
    fn words_of_a_command_stay_one_word_each() {
        let check = |word: &str, expect: &str| assert_eq!(shell_word(word), expect);
        check("/usr/bin/loci", "/usr/bin/loci");
        check("/my apps/loci", "'/my apps/loci'");
        check("it's", "'it'\\''s'");
        check("a$(b)", "'a$(b)'");
        check("", "''");
    }
}
