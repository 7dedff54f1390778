//! What is asked for, checked: the client, whom it is for, how it reaches Loci, and the words of the commands that are
//! written down.

use super::client::{Client, Scope};
use crate::exit::Usage;

/// A set-up that is asked for.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) client: Client,
    pub(super) scope: Scope,
    pub(super) form: Form,
    /// `loci`, or the path of the binary.
    pub(super) program: String,
    pub(super) hook: bool,
    pub(super) instructions: bool,
    /// The memory, and its namespace, whose documents the hook shows, too.
    pub(super) files: Option<(String, Option<String>)>,
    /// Take everything out again.
    pub(super) remove: bool,
}

/// How the client reaches Loci.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// It starts `loci mcp`, with these options.
    Stdio { options: Vec<String> },
    /// It calls a server, of which this is the address without `/mcp`.
    Http { base: String },
}

impl Request {
    /// What the client starts, behind the program.
    pub(super) fn arguments(&self) -> Vec<String> {
        let options = match &self.form {
            Form::Stdio { options } => options.as_slice(),
            Form::Http { .. } => &[],
        };
        std::iter::once("mcp".to_owned()).chain(options.iter().cloned()).collect()
    }

    /// Whether the token of a server is needed where the client runs.
    pub(super) fn needs_token(&self) -> bool {
        match &self.form {
            Form::Stdio { options } => options.iter().any(|option| option == "--url"),
            Form::Http { .. } => true,
        }
    }

    /// The command of a session-start hook; with `hook`, its answer is in the form of that client.
    pub(super) fn hook_command(&self, hook: Option<&str>) -> String {
        let mut words = vec![self.program.clone()];
        words.extend(["fact", "recent", "--cwd", ".", "--format", "prompt"].map(str::to_owned));
        words.extend(hook.into_iter().flat_map(|client| ["--hook".to_owned(), client.to_owned()]));
        match &self.form {
            Form::Stdio { options } => words.extend(options.iter().cloned()),
            Form::Http { base } => words.extend(["--url".to_owned(), base.clone()]),
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

/// Whether a command of a hook was written by this.
pub(super) fn is_our_hook(command: &str) -> bool {
    command.contains(" fact recent ") && command.contains("--fail-open")
}

/// The address of a server, without a slash at its end and without `/mcp`.
///
/// # Errors
///
/// It is no address of a server, or one that carries a secret.
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

/// Whether a token sent to this address could be read on its way.
pub(super) fn is_readable_on_its_way(base: &str) -> bool {
    let Some(rest) = base.strip_prefix("http://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.chars().all(|c| c.is_ascii_digit()))
        .map_or(host, |(n, _)| n);
    !(name == "localhost" || name == "[::1]" || name.starts_with("127."))
}

/// A word as a shell takes it.
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
        let request = |files: Option<(&str, Option<&str>)>| Request {
            client: Client::ClaudeCode,
            scope: Scope::Project,
            form: Form::Stdio { options: Vec::new() },
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
