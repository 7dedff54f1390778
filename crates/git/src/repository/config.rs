//! The parts of a repository's configuration that are read: its object format and the URLs of its
//! remotes. All others (includes, hooks, filters, programs, another worktree) are untrusted and
//! ignored.

use std::collections::BTreeMap;

/// The parsed parts of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// The value of `extensions.objectFormat`.
    pub(crate) object_format: Option<String>,
    /// The value of `extensions.refStorage`.
    pub(crate) ref_storage: Option<String>,
    /// The value of `core.worktree`. It is compared with the current directory, and never followed.
    pub(crate) worktree: Option<String>,
    /// The value of `core.bare`, if it is set.
    pub(crate) bare: Option<bool>,
    /// True if `remote.origin.fetch` fetches all branches by a pattern. `None` if it is not set.
    pub(crate) is_origin_whole: Option<bool>,
    /// The remotes: each name with its first configured URL, without credentials.
    pub(crate) remotes: BTreeMap<String, String>,
}

/// Parses a configuration file; invalid lines are skipped.
pub(crate) fn parse(text: &str) -> Config {
    let mut config = Config::default();
    let mut section = String::new();
    let mut subsection = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((head, after)) = header(rest) else {
                section.clear();
                continue;
            };
            (section, subsection) = head;
            line = after.trim();
        }
        let (name, raw) = line.split_once('=').map_or((line, None), |(name, value)| (name, Some(value)));
        let name = name.trim().to_ascii_lowercase();
        if name.is_empty() || name.starts_with(['#', ';']) {
            continue;
        }
        let value = raw.map(|raw| value(raw, &mut lines));
        take(&mut config, &section, subsection.as_deref(), &name, value.as_deref());
    }
    config
}

fn take(config: &mut Config, section: &str, subsection: Option<&str>, name: &str, value: Option<&str>) {
    match (section, subsection, name, value) {
        ("extensions", None, "objectformat", Some(value)) => {
            config.object_format = Some(value.to_ascii_lowercase());
        }
        ("extensions", None, "refstorage", Some(value)) => {
            config.ref_storage = Some(value.to_ascii_lowercase())
        }
        ("core", None, "worktree", Some(value)) => config.worktree = Some(value.to_owned()),
        ("core", None, "bare", value) => {
            config.bare = Some(value.is_none_or(|value| {
                matches!(value.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1")
            }));
        }
        ("remote", Some("origin"), "fetch", Some(refs)) => {
            config.is_origin_whole = Some(refs.contains('*') || config.is_origin_whole == Some(true));
        }
        ("remote", Some(remote), "url", Some(url)) if config.remotes.len() < 64 => {
            if let Some(url) = without_credentials(url) {
                config.remotes.entry(remote.to_owned()).or_insert(url);
            }
        }
        _ => {}
    }
}

/// Parses `section]`, `section "sub"]` or the old `section.sub]`. Returns the rest of the line too.
fn header(rest: &str) -> Option<((String, Option<String>), &str)> {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '.'))?;
    let (name, rest) = rest.split_at_checked(end)?;
    let name = name.to_ascii_lowercase();
    let rest = rest.trim_start();
    if let Some(after) = rest.strip_prefix(']') {
        let head = match name.split_once('.') {
            Some((name, sub)) => (name.to_owned(), Some(sub.to_owned())),
            None => (name, None),
        };
        return Some((head, after));
    }
    let mut subsection = String::new();
    let mut chars = rest.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => subsection.push(chars.next()?.1),
            '"' => {
                let after = rest.get(at + 2..)?.trim_start().strip_prefix(']')?;
                return Some(((name, Some(subsection)), after));
            }
            c => subsection.push(c),
        }
    }
    None
}

/// Parses a value: removes quotes and comments, decodes escapes, and joins lines that end with a
/// backslash.
fn value<'a>(raw: &'a str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    let mut spaces = String::new();
    let mut quoted = false;
    let mut line = raw.trim_start();
    loop {
        let mut continues = false;
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            let read = match c {
                '"' => {
                    quoted = !quoted;
                    continue;
                }
                '#' | ';' if !quoted => break,
                '\\' => match chars.next() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some(other) => other,
                    None => {
                        continues = true;
                        break;
                    }
                },
                c if c.is_whitespace() && !quoted => {
                    spaces.push(c);
                    continue;
                }
                c => c,
            };
            out.push_str(&std::mem::take(&mut spaces));
            out.push(read);
        }
        match if continues { lines.next() } else { None } {
            Some(next) => line = next,
            None => return out,
        }
    }
}

/// Returns a URL without its secrets; `None` for one that names a program to execute.
fn without_credentials(url: &str) -> Option<String> {
    let url = url.trim();
    if url.is_empty() || url.starts_with('-') || url.contains("::") || url.chars().any(char::is_control) {
        return None;
    }
    let Some((scheme, rest)) = url.split_once("://") else { return Some(url.to_owned()) };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let (user, host) = authority.rsplit_once('@').map_or(("", authority), |(user, host)| (user, host));
    // For ssh the user is part of the location; otherwise it is a name or a token.
    let user = match scheme.to_ascii_lowercase().as_str() {
        "ssh" | "git+ssh" | "ssh+git" => user.split(':').next().unwrap_or_default(),
        _ => "",
    };
    let at = if user.is_empty() { "" } else { "@" };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some(format!("{scheme}://{user}{at}{host}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_formats_and_remotes_are_taken() {
        let config = parse(concat!(
            "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = /etc ; not followed\n",
            "\tfsmonitor = \"touch /tmp/x\"\n[include]\n\tpath = /etc/passwd\n",
            "[Extensions]\n\tObjectFormat = SHA256 # so\n[remote \"origin\"]\n\turl = https://u:p@h.example/o/r.git?token=1\n",
            "\tfetch = +refs/heads/*:refs/remotes/origin/*\n[remote \"a\\\"b\"] url = \"git@h:o/r # x\"\n",
            "[remote \"bad\"]\n\turl = ext::sh -c id\n[remote \"long\"]\n\turl = ssh://git:pw@h/o/\\\nr\n[remote.old]\nurl=../r\n",
        ));
        let remotes: Vec<_> = config.remotes.iter().map(|(name, url)| format!("{name} {url}")).collect();
        assert_eq!(
            remotes,
            ["a\"b git@h:o/r # x", "long ssh://git@h/o/r", "old ../r", "origin https://h.example/o/r.git"]
        );
        assert_eq!(config.object_format.as_deref(), Some("sha256"));
        assert_eq!(config.is_origin_whole, Some(true));
        assert_eq!((config.bare, config.worktree.as_deref()), (Some(false), Some("/etc")));
    }

    #[test]
    fn broken_configuration_is_passed_over() {
        for text in ["[", "[a", "[a \"", "[a \"b", "[a \"b\\", "= x", "[remote \"x\"]\nurl", "\\", "\u{0}"] {
            assert_eq!(parse(text), Config::default(), "{text:?}");
        }
        assert_eq!(parse("[core]\nbare").bare, Some(true));
        assert_eq!(parse("[core]\nbare=\"").bare, Some(false));
    }
}
