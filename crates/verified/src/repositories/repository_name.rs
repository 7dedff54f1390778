//! Names of repositories: as callers write them, as remotes configure them, and in the normal form
//! for comparison. `repositories` resolves a name.

use loci_model::{Error, Result, limits};

/// The minimum and the maximum number of characters in a name, including its host.
const NAME_CHARS: std::ops::RangeInclusive<usize> = 3..=300;
/// The rule for a name, as a message for people.
const RULE: &str = "repo must be owner/name or host/owner/name, of letters, digits, . _ and -; no segment has more than 100 characters \
                    (an owner at github.com 39), all of them no more than 255; no segment begins with -, the name does not end in \
                    .git, and nobody is called users";
/// The forge that limits owner names to 39 characters.
const GITHUB: &str = "github.com";
/// An owner of that name would own the preferences of users, because they are stored in
/// `/users/{user}/`.
const RESERVED_OWNER: &str = "users";
/// The suffix of clone URLs, which is not part of the repository's name.
const CLONE: &str = ".git";

/// A repository's name from a caller or a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryName {
    /// The forge's host in lower case, with its port if it is not the default one.
    pub host: Option<String>,
    /// The segments as written, two or more.
    pub segments: Vec<String>,
}

impl RepositoryName {
    /// Parses a caller's text: `owner/name`, `group/sub/name`, `host/owner/name`.
    ///
    /// # Errors
    /// `Invalid`, naming the rule.
    pub fn parse(text: &str) -> Result<Self> {
        let bad = || Error::invalid("repo", RULE);
        if !NAME_CHARS.contains(&text.chars().count()) {
            return Err(bad());
        }
        let mut segments: Vec<&str> = text.split('/').collect();
        let host = match segments.as_slice() {
            [first, _, _, ..] if is_host(first) => {
                let host = first.to_ascii_lowercase();
                segments.remove(0);
                Some(host)
            }
            _ => None,
        };
        if !is_path(&segments) || !has_room(host.as_deref(), &segments) {
            return Err(bad());
        }
        Ok(Self { host, segments: segments.into_iter().map(str::to_owned).collect() })
    }

    /// Parses a remote's URL: https, ssh, git or `user@host:path`. Returns `None` for paths and
    /// URLs of this machine, and for URLs that are not a repository's address.
    pub fn of_remote(url: &str) -> Option<Self> {
        let (authority, path) = match url.split_once("://") {
            Some((scheme, rest)) => {
                let known = ["https", "http", "ssh", "git", "git+ssh", "ssh+git"];
                known.iter().find(|known| scheme.eq_ignore_ascii_case(known))?;
                rest.split_once('/')?
            }
            // The scp form: a colon before the first slash, and more than a drive letter before it.
            None => url.split_once(':').filter(|(host, _)| host.len() > 1 && !host.contains('/'))?,
        };
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
        let host =
            [":22", ":443", ":80", ":9418"].iter().find_map(|port| host.strip_suffix(port)).unwrap_or(&host);
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
        let path = without_clone(path);
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let named = is_path(&segments) && has_room(Some(host), &segments);
        let host_ok = !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'));
        (named && host_ok).then(|| Self {
            host: Some(host.to_owned()),
            segments: segments.into_iter().map(str::to_owned).collect(),
        })
    }

    /// Returns the normal form for comparison: lower case, with the host if there is one.
    pub fn alias(&self) -> String {
        let path = self.segments.join("/").to_lowercase();
        match &self.host {
            Some(host) => format!("{host}/{path}"),
            None => path,
        }
    }

    /// Returns the normal form without the host.
    pub fn unqualified(&self) -> String {
        self.segments.join("/").to_lowercase()
    }

    /// Returns the scope key `owner/name` of two segments. Nested groups are joined with `--`.
    pub fn key(&self) -> String {
        match self.segments.split_last() {
            Some((name, owner)) => format!("{}/{name}", owner.join("--")),
            None => String::new(),
        }
    }
}

/// The number of characters of a root commit that distinguish two directories of one name.
const ROOT_CHARS: usize = 8;

/// Returns a name for a repository without a remote: the directory's, with the first characters of
/// the root commit.
pub fn local_key(directory: &str, root: Option<&str>) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let room = limits::REPOSITORY_SEGMENT_CHARS_MAX - 1 - ROOT_CHARS;
    let name: String = directory.chars().map(legal).take(room).collect();
    let name = name.trim_matches(['.', '-']);
    let name = if name.is_empty() { "repository" } else { name };
    let root: String =
        root.map_or_else(|| "unborn".to_owned(), |root| root.chars().take(ROOT_CHARS).collect());
    format!("local/{name}-{root}")
}

/// Returns true if the first segment is a host: it has a dot and ends in letters, with or without a
/// port.
fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
    let top = name.rsplit_once('.').map(|(_, top)| top);
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        && top.is_some_and(|top| top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic()))
        && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns true for two or more segments that name an owner, optional groups, and a repository.
fn is_path(segments: &[&str]) -> bool {
    let [owner, .., name] = segments else { return false };
    segments.iter().all(|segment| is_segment(segment))
        && !owner.eq_ignore_ascii_case(RESERVED_OWNER)
        && without_clone(name).len() == name.len()
}

/// Returns true if the lengths are valid for a name and for the scope key made from it.
fn has_room(host: Option<&str>, segments: &[&str]) -> bool {
    let owner_max = match host {
        Some(GITHUB) => limits::GITHUB_OWNER_CHARS_MAX,
        Some(_) | None => limits::REPOSITORY_SEGMENT_CHARS_MAX,
    };
    let groups = segments.len().saturating_sub(2);
    // A key joins nested groups with two characters in place of one.
    let key = segments.iter().map(|segment| segment.len() + 1).sum::<usize>().saturating_sub(1) + groups;
    segments.first().is_some_and(|owner| owner.len() <= owner_max)
        && segments.iter().all(|segment| segment.len() <= limits::REPOSITORY_SEGMENT_CHARS_MAX)
        && key <= limits::REPOSITORY_KEY_CHARS_MAX
}

/// Returns a path without the suffix of clones, in any case.
fn without_clone(path: &str) -> &str {
    let end = path.len().saturating_sub(CLONE.len());
    match path.get(end..) {
        Some(tail) if tail.eq_ignore_ascii_case(CLONE) => path.get(..end).unwrap_or(path),
        Some(_) | None => path,
    }
}

fn is_segment(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && text.bytes().any(|byte| byte != b'.')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_callers_write() {
        let check = |text: &str, expect: Option<(&str, &str)>| {
            let name = RepositoryName::parse(text).ok();
            let found = name.as_ref().map(|name| (name.alias(), name.key()));
            assert_eq!(found, expect.map(|(alias, key)| (alias.to_owned(), key.to_owned())), "{text}");
        };
        check("acme/Shop", Some(("acme/shop", "acme/Shop")));
        check("github.com/acme/shop", Some(("github.com/acme/shop", "acme/shop")));
        check("GitHub.com/acme/shop", Some(("github.com/acme/shop", "acme/shop")));
        check("git.corp.io:8443/a/b", Some(("git.corp.io:8443/a/b", "a/b")));
        check("group/sub/name", Some(("group/sub/name", "group--sub/name")));
        check("socket.io/client", Some(("socket.io/client", "socket.io/client")));
        for bad in ["", "a/", "shop", "a//b", "../x", "a/..", "a b/c", "a/b?ref=x", "/a/b", "a/b/", "é/b"] {
            check(bad, None);
        }
    }

    #[test]
    fn names_at_their_lengths_and_one_past_them() {
        let check = |text: String, expect: bool| {
            assert_eq!(RepositoryName::parse(&text).is_ok(), expect, "{text}");
            let host = text.split('/').count() > 2 && text.starts_with(GITHUB);
            if host {
                assert_eq!(
                    RepositoryName::of_remote(&format!("https://{text}.git")).is_some(),
                    expect,
                    "{text}"
                );
            }
        };
        let long = |chars: usize| "a".repeat(chars);
        for (chars, expect) in [(39, true), (40, false)] {
            check(format!("github.com/{}/shop", long(chars)), expect);
        }
        for (chars, expect) in [(100, true), (101, false)] {
            check(format!("{}/shop", long(chars)), expect);
            check(format!("acme/{}", long(chars)), expect);
            check(format!("github.com/acme/{}", long(chars)), expect);
            check(format!("group/{}/shop", long(chars)), expect);
        }
        // As a key: 100, two dashes, 100, a slash, and the rest.
        for (chars, expect) in [(52, true), (53, false)] {
            let name = format!("{}/{}/{}", long(100), long(100), long(chars));
            check(name.clone(), expect);
            let key = RepositoryName::parse(&name).map(|name| name.key().len());
            assert_eq!(key.ok(), expect.then_some(loci_model::limits::REPOSITORY_KEY_CHARS_MAX));
        }
        let local = local_key(&long(200), Some("0123456789abcdef"));
        assert!(RepositoryName::parse(&local).is_ok(), "{local}");
    }

    #[test]
    fn what_remotes_say() {
        let check = |url: &str, expect: Option<&str>| {
            assert_eq!(RepositoryName::of_remote(url).map(|name| name.alias()).as_deref(), expect, "{url}");
        };
        for url in [
            "https://github.com/Acme/Shop.git",
            "https://github.com/acme/shop/",
            "https://user:secret@GitHub.com:443/acme/shop",
            "git@github.com:acme/shop.git",
            "ssh://git@github.com/acme/shop.git",
            "ssh://git@github.com:22/acme/shop",
            "git://github.com/acme/shop.git",
        ] {
            check(url, Some("github.com/acme/shop"));
        }
        check("https://gitlab.com/group/sub/name.git", Some("gitlab.com/group/sub/name"));
        check("ssh://git@host.io:2222/a/b", Some("host.io:2222/a/b"));
        for none in [
            "/srv/git/shop.git",
            "../shop",
            "file:///srv/git/shop",
            "C:\\src\\shop",
            "ext::sh -c id",
            "host:",
            "",
        ] {
            check(none, None);
        }
    }

    #[test]
    fn repositories_without_a_remote() {
        assert_eq!(local_key("my shop", Some("0123456789abcdef")), "local/my-shop-01234567");
        assert_eq!(local_key("..", None), "local/repository-unborn");
    }
}
