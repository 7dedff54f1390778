//! The location of a mirror: a bare repository on this machine or a URL, and the path from which a
//! server reads it. Pure, except for checking that a directory exists.

use std::path::{Path, PathBuf};

use anyhow::Result;
use loci_verified::RepositoryName;

use crate::exit::Usage;

/// The location of a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MirrorTarget {
    /// A bare repository on this machine, by its path.
    Local(PathBuf),
    /// A repository on another machine, by its URL.
    Remote(String),
}

impl MirrorTarget {
    /// Parses the location that the caller gives.
    ///
    /// # Errors
    /// A usage error for an unsupported transport.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let rule = "--to must be a path, or a URL of ssh or https, or user@host:path";
        let bad = || Usage(format!("{rule}, not {text}"));
        if text.is_empty()
            || text.starts_with('-')
            || text.contains("::")
            || text.chars().any(char::is_control)
        {
            return Err(bad().into());
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            let known = ["ssh", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
            let is_safe = known && !rest.is_empty() && !rest.starts_with('-');
            return if is_safe { Ok(Self::Remote(text.to_owned())) } else { Err(bad().into()) };
        }
        // The syntax of scp: a colon before the first slash.
        let is_scp = text.split_once(':').is_some_and(|(host, _)| host.len() > 1 && !host.contains('/'));
        Ok(if is_scp { Self::Remote(text.to_owned()) } else { Self::Local(PathBuf::from(text)) })
    }

    /// Returns the location in the configured folder of mirrors, by the repository's name.
    pub(super) fn in_folder(folder: &Path, name: &str) -> Result<Self> {
        let name = RepositoryName::parse(name)?;
        // Names contain no `..` and no separators, so each segment is one directory.
        let host = name.host.map_or_else(|| "local".to_owned(), |host| host.replace(':', "-"));
        let (last, groups) =
            name.segments.split_last().ok_or_else(|| Usage("a repository has a name".to_owned()))?;
        let directory = groups.iter().fold(folder.join(host), |path, group| path.join(group.to_lowercase()));
        Ok(Self::Local(directory.join(format!("{}.git", last.to_lowercase()))))
    }

    /// Returns the path from which a server on the mirror's own machine reads it, if known.
    pub(super) fn server_path(&self) -> Option<String> {
        match self {
            Self::Local(path) => path.to_str().map(str::to_owned),
            Self::Remote(url) => {
                let path = match url.split_once("://") {
                    Some((scheme, rest)) if scheme.eq_ignore_ascii_case("ssh") => {
                        rest.split_once('/').map(|(_, path)| format!("/{path}"))
                    }
                    Some(_) => None,
                    None => url.split_once(':').map(|(_, path)| path.to_owned()),
                };
                path.filter(|path| path.starts_with('/') && !path.starts_with("/~"))
            }
        }
    }

    /// Returns the location for git and for people, without a password.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Local(path) => path.display().to_string(),
            Self::Remote(url) => match (url.split_once("://"), url.rsplit_once('@')) {
                (Some((scheme, rest)), Some(_)) => {
                    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
                    format!("{scheme}://{rest}")
                }
                _ => url.clone(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_transports_that_run_nothing_are_taken() {
        let check = |text: &str, remote: bool, path: Option<&str>| {
            let target = MirrorTarget::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(matches!(target, MirrorTarget::Remote(_)), remote, "{text}");
            assert_eq!(target.server_path().as_deref(), path, "{text}");
        };
        check("/srv/mirrors/shop.git", false, Some("/srv/mirrors/shop.git"));
        check("mirrors/shop.git", false, Some("mirrors/shop.git"));
        check("ssh://git@host:22/srv/shop.git", true, Some("/srv/shop.git"));
        check("ssh://host/~git/shop.git", true, None);
        check("git@host:/srv/shop.git", true, Some("/srv/shop.git"));
        check("git@host:shop.git", true, None);
        check("https://host/shop.git", true, None);
        for bad in [
            "",
            "-u",
            "--upload-pack=x",
            "ext::sh -c x",
            "http://host/x",
            "git://host/x",
            "file:///x",
            "fd::1",
            "ssh://",
            "ssh://-oProxyCommand=x/y",
            "a\nb",
        ] {
            assert!(MirrorTarget::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_folder_of_mirrors_has_a_place_for_each_name() {
        let check = |name: &str, expect: &str| {
            let target = MirrorTarget::in_folder(Path::new("/m"), name).unwrap();
            assert_eq!(target, MirrorTarget::Local(PathBuf::from(expect)));
        };
        check("git.example/Acme/Shop", "/m/git.example/acme/shop.git");
        check("git.example:8443/a/b/c", "/m/git.example-8443/a/b/c.git");
        check("local/shop-0123abcd", "/m/local/local/shop-0123abcd.git");
        assert!(MirrorTarget::in_folder(Path::new("/m"), "git.example/../x").is_err());
    }

    #[test]
    fn passwords_are_not_shown() {
        let shown = |text: &str| MirrorTarget::parse(text).unwrap().shown();
        assert_eq!(shown("https://me:hush@host/x.git"), "https://host/x.git");
        assert_eq!(shown("git@host:/srv/x.git"), "git@host:/srv/x.git");
        assert_eq!(shown("/srv/a@b.git"), "/srv/a@b.git");
    }
}
