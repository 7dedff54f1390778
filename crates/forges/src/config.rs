//! The configured forges, each with the address of its API and a token. No other hosts are called.

use std::fmt;

use http::{HeaderName, HeaderValue};
use loci_model::{Error, Result};
use loci_outbound::secret::Secret;

use crate::dialect::Dialect;
use crate::github;

/// The kind of a forge, which determines its API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForgeKind {
    /// GitHub, and GitHub Enterprise Server.
    GitHub,
}

/// Every kind with its name in the configuration and the implementation of its API.
const DIALECTS: &[(ForgeKind, &str, &dyn Dialect)] = &[(ForgeKind::GitHub, "github", &github::GitHub)];

impl ForgeKind {
    /// Returns the kind of forge with this name in the configuration.
    pub fn parse(word: &str) -> Option<Self> {
        DIALECTS.iter().find(|(_, known, _)| *known == word).map(|(kind, ..)| *kind)
    }

    fn dialect(self) -> &'static dyn Dialect {
        match self {
            Self::GitHub => &github::GitHub,
        }
    }
}

/// A forge in the configuration.
#[derive(Clone)]
pub struct ForgeConfig {
    /// The kind of the forge.
    pub kind: ForgeKind,
    /// The host of the forge in names and remotes of repositories, for example `github.com`.
    pub host: String,
    /// The base URL of the forge's API. `None` means the default for the kind and the host.
    pub api: Option<String>,
    /// The token for the forge's API. Without one only public repositories can be read.
    pub token: Option<Secret>,
    /// The version of the API to request. `None` means the version that this code was written for.
    pub version: Option<String>,
}

impl fmt::Debug for ForgeConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForgeConfig")
            .field("kind", &self.kind)
            .field("host", &self.host)
            .field("has_token", &self.token.is_some())
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

/// The configuration of a forge after validation.
pub(crate) struct Checked {
    /// The host of the forge, in lower case.
    pub(crate) host: String,
    /// The base URL of the API, without a trailing slash.
    pub(crate) api: String,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) dialect: &'static dyn Dialect,
}

/// Validates a configured forge.
///
/// # Errors
/// `Invalid`, naming the member of `[[forge]]` that is invalid.
pub(crate) fn check(config: &ForgeConfig) -> Result<Checked> {
    let dialect = config.kind.dialect();
    let host = config.host.trim().to_ascii_lowercase();
    if host.is_empty() || !host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':')) {
        return Err(Error::invalid("forge.host", "forge.host must be a host like github.com"));
    }
    let lacks = |member: &str, rule: &str| {
        Error::invalid(format!("forge.{member}"), format!("forge.{member} of `{host}` {rule}"))
    };
    let api = config.api.clone().unwrap_or_else(|| dialect.api(&host));
    let api = api.trim_end_matches('/').to_owned();
    let is_safe = api.starts_with("https://") || is_loopback(&api) || config.token.is_none();
    if !(api.starts_with("https://") || api.starts_with("http://"))
        || api.contains(['?', '#', '@', ' ', '\\'])
    {
        return Err(lacks("api", "must be an address like https://api.github.com, without user and query"));
    }
    if !is_safe {
        return Err(lacks("api", "must begin with https://: a token is not sent in the clear"));
    }
    if config.token.as_ref().is_some_and(|token| token.expose().is_empty() || token.header("").is_none()) {
        return Err(lacks("token_env", "names a variable with what is no token: look for line ends"));
    }
    let headers = dialect
        .headers(config.token.as_ref(), config.version.as_deref())
        .ok_or_else(|| lacks("version", "must be a version of the API like 2022-11-28"))?;
    Ok(Checked { host, api, headers, dialect })
}

/// True if an unencrypted address stays on this machine.
fn is_loopback(api: &str) -> bool {
    let Some(rest) = api.strip_prefix("http://") else { return false };
    let authority = rest.split('/').next().unwrap_or_default();
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|name| authority.strip_prefix(name).is_some_and(|port| port.is_empty() || port.starts_with(':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(api: Option<&str>) -> ForgeConfig {
        ForgeConfig {
            kind: ForgeKind::GitHub,
            host: "GitHub.com".to_owned(),
            api: api.map(str::to_owned),
            token: Some(Secret::from("hidden")),
            version: None,
        }
    }

    #[test]
    fn every_kind_is_in_the_table_under_its_word() {
        for (kind, word, _) in DIALECTS {
            assert_eq!(ForgeKind::parse(word), Some(*kind), "{word}");
        }
        assert_eq!(ForgeKind::parse("sourceforge"), None);
    }

    #[test]
    fn what_is_taken_and_what_is_not() {
        let plain = check(&config(None)).unwrap();
        assert_eq!((plain.host.as_str(), plain.api.as_str()), ("github.com", "https://api.github.com"));
        let check = |change: &dyn Fn(&mut ForgeConfig), field: Option<&str>| {
            let mut config = config(None);
            change(&mut config);
            let error = check(&config).err();
            assert_eq!(error.as_ref().and_then(|error| error.field.as_deref()), field, "{config:?}");
            assert!(!format!("{error:?} {config:?}").contains("hidden"));
        };
        check(&|c| c.api = Some("https://git.example.org/api/v3/".to_owned()), None);
        check(&|c| c.api = Some("http://127.0.0.1:8080".to_owned()), None);
        check(&|c| c.api = Some("http://git.example.org".to_owned()), Some("forge.api"));
        check(&|c| c.api = Some("http://127.0.0.1.example.org".to_owned()), Some("forge.api"));
        check(&|c| (c.api, c.token) = (Some("http://git.example.org".to_owned()), None), None);
        check(&|c| c.api = Some("git.example.org".to_owned()), Some("forge.api"));
        check(&|c| c.api = Some("https://user:word@git.example.org".to_owned()), Some("forge.api"));
        check(&|c| c.api = Some("https://git.example.org/?x=1".to_owned()), Some("forge.api"));
        check(&|c| c.host = "git.example.org/x".to_owned(), Some("forge.host"));
        check(&|c| c.host = String::new(), Some("forge.host"));
        check(&|c| c.token = Some(Secret::from("hidden\nhidden")), Some("forge.token_env"));
        check(&|c| c.token = Some(Secret::from("")), Some("forge.token_env"));
        check(&|c| c.version = Some("2026\n".to_owned()), Some("forge.version"));
        check(&|c| c.version = Some("2026-03-10".to_owned()), None);
    }
}
