//! Resources: the rules and, if there are facts, those of a repository. Reading a resource calls a
//! tool, so this module has no rules of its own.

use loci_api::ErrorCode;
use serde_json::{Value, json};

use super::{LociOffer, not_served};
use crate::mcp::fault::McpFault;
use crate::mcp::provider::{CacheScope, CacheableResult, HandlerRequest};

/// The URI scheme of all resources.
const SCHEME: &str = "memory://";
/// The resource with the rules.
const RULES: &str = "memory://rules";
/// The listing of a memory as files.
const FILES: &str = "memory://files";
/// The time for which resources with records may be cached, in milliseconds.
const RECORDS_TTL_MS: u64 = 10_000;
/// The time for which resources that are equal for all callers may be cached, in milliseconds.
const TTL_MS: u64 = 300_000;

/// A resource by its URI.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ResourceName<'a> {
    Rules,
    Files,
    Recent(&'a str),
    Stats(&'a str),
    Fact(&'a str, &'a str),
    ByPath(&'a str, &'a str),
}

/// Parses a URI.
fn named(uri: &str) -> Option<ResourceName<'_>> {
    if uri == RULES {
        return Some(ResourceName::Rules);
    }
    if uri == FILES {
        return Some(ResourceName::Files);
    }
    let rest = uri.strip_prefix(SCHEME)?;
    if let Some((repo, path)) = rest.split_once("/by-path/") {
        return (repo.contains('/') && !path.is_empty()).then_some(ResourceName::ByPath(repo, path));
    }
    let (before, last) = rest.rsplit_once('/')?;
    if !before.contains('/') {
        return None;
    }
    match last {
        "recent" => Some(ResourceName::Recent(before)),
        "stats" => Some(ResourceName::Stats(before)),
        id => before
            .strip_suffix("/memory")
            .filter(|repo| repo.contains('/'))
            .map(|repo| ResourceName::Fact(repo, id)),
    }
}

/// Returns the resources with a complete URI.
pub(super) async fn list(
    offer: &LociOffer,
    asking: &HandlerRequest,
) -> Result<CacheableResult<Vec<Value>>, McpFault> {
    let mut value = vec![json!({
        "uri": RULES,
        "name": "rules",
        "title": "How to use this memory",
        "mimeType": "text/plain",
    })];
    if offer.has_files() {
        value.push(json!({
            "uri": FILES,
            "name": "files",
            "title": "Memory as files",
            "mimeType": "text/plain",
        }));
    }
    if offer.has_facts() {
        let repositories = offer.tools.repositories(&asking.caller).await.map_err(not_served)?;
        value.extend(repositories.iter().map(|repo| {
            json!({
                "uri": format!("{SCHEME}{repo}/recent"),
                "name": format!("recent facts of {repo}"),
                "mimeType": "text/plain",
            })
        }));
    }
    Ok(CacheableResult { value, keep: CacheScope::Private, ttl_ms: RECORDS_TTL_MS })
}

/// Returns the URI templates of the resources whose URI contains a parameter.
pub(super) fn templates(offer: &LociOffer) -> CacheableResult<Vec<Value>> {
    let mut value = Vec::new();
    if offer.has_facts() {
        for (form, name, title, kind) in [
            (
                "{+repo}/recent",
                "recent",
                "Recent facts of a repository, checked against its code",
                "text/plain",
            ),
            ("{+repo}/memory/{id}", "fact", "One fact", "application/json"),
            ("{+repo}/by-path/{+path}", "by-path", "Facts that cite a path", "application/json"),
            ("{+repo}/stats", "stats", "Statistics of a repository", "application/json"),
        ] {
            value.push(json!({
                "uriTemplate": format!("{SCHEME}{form}"),
                "name": name,
                "title": title,
                "mimeType": kind,
            }));
        }
    }
    CacheableResult { value, keep: CacheScope::Public, ttl_ms: TTL_MS }
}

/// Returns the mark of a repository's recent facts. Other resources have no notifications.
pub(super) async fn mark(
    offer: &LociOffer,
    asking: &HandlerRequest,
    uri: &str,
) -> Result<Option<String>, McpFault> {
    let Some(ResourceName::Recent(repo)) = named(uri).filter(|_| offer.has_facts()) else { return Ok(None) };
    match offer.tools.mark(&asking.caller, repo).await {
        Ok(mark) => Ok(Some(mark)),
        Err(error) => match error.code {
            // The resource is not visible to this caller, or does not exist. There is no change as
            // long as this holds.
            ErrorCode::NotFound | ErrorCode::RepositoryUnknown | ErrorCode::Denied | ErrorCode::Invalid => {
                Ok(None)
            }
            _ => Err(not_served(error)),
        },
    }
}

/// Returns the contents of a resource.
pub(super) async fn read(
    offer: &LociOffer,
    asking: &HandlerRequest,
    uri: &str,
) -> Result<CacheableResult<Vec<Value>>, McpFault> {
    let none = || McpFault::no_resource(uri, asking.revision);
    let named = named(uri).ok_or_else(none)?;
    let is_offered = match named {
        ResourceName::Rules => true,
        ResourceName::Files => offer.has_files(),
        ResourceName::Recent(_)
        | ResourceName::Stats(_)
        | ResourceName::Fact(..)
        | ResourceName::ByPath(..) => offer.has_facts(),
    };
    if !is_offered {
        return Err(none());
    }
    let (tool, arguments) = match named {
        ResourceName::Rules => {
            let text = offer.rules(&asking.endpoint);
            let contents = json!({ "uri": uri, "mimeType": "text/plain", "text": text });
            return Ok(CacheableResult { value: vec![contents], keep: CacheScope::Public, ttl_ms: TTL_MS });
        }
        ResourceName::Files => ("memory_list", json!({ "format": "listing" })),
        ResourceName::Recent(repo) => ("memory_get_recent", json!({ "repo": repo, "format": "prompt" })),
        ResourceName::Stats(repo) => ("memory_stats", json!({ "repo": repo })),
        ResourceName::Fact(_, id) => ("memory_get", json!({ "memory_id": id })),
        ResourceName::ByPath(repo, path) => ("memory_search_by_path", json!({ "repo": repo, "path": path })),
    };
    let answer = offer.ask(asking, tool, arguments).await.map_err(|error| match error.code {
        ErrorCode::Invalid | ErrorCode::NotFound | ErrorCode::RepositoryUnknown | ErrorCode::PathRejected => {
            none()
        }
        _ => not_served(error),
    })?;
    if let ResourceName::Fact(repo, _) = named
        && !is_of(offer, asking, &answer, repo).await
    {
        return Err(none());
    }
    let told = answer.get("prompt").or_else(|| answer.get("listing"));
    let (kind, text) = match told.and_then(Value::as_str) {
        Some(prompt) => ("text/plain", prompt.to_owned()),
        None => ("application/json", answer.to_string()),
    };
    let contents = json!({ "uri": uri, "mimeType": kind, "text": text });
    Ok(CacheableResult { value: vec![contents], keep: CacheScope::Private, ttl_ms: RECORDS_TTL_MS })
}

/// Returns true if a fact belongs to that repository, under any name of it.
async fn is_of(offer: &LociOffer, asking: &HandlerRequest, answer: &Value, repo: &str) -> bool {
    let of = answer.pointer("/memory/repo").and_then(Value::as_str).unwrap_or_default();
    if of.eq_ignore_ascii_case(repo) {
        return true;
    }
    let stats = offer.ask(asking, "memory_stats", json!({ "repo": repo })).await;
    stats.is_ok_and(|stats| stats.get("repo").and_then(Value::as_str) == Some(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris() {
        let check = |uri: &str, expect: Option<ResourceName>| assert_eq!(named(uri), expect, "{uri}");
        check("memory://rules", Some(ResourceName::Rules));
        check("memory://files", Some(ResourceName::Files));
        check("memory://acme/shop/recent", Some(ResourceName::Recent("acme/shop")));
        check("memory://git.example/acme/shop/recent", Some(ResourceName::Recent("git.example/acme/shop")));
        check("memory://acme/shop/stats", Some(ResourceName::Stats("acme/shop")));
        check("memory://acme/shop/memory/0192", Some(ResourceName::Fact("acme/shop", "0192")));
        check("memory://acme/shop/by-path/src/a.rs", Some(ResourceName::ByPath("acme/shop", "src/a.rs")));
        check("memory://acme/shop/by-path/", None);
        check("memory://acme/recent", None);
        check("memory://acme/shop/other", None);
        check("file:///etc/passwd", None);
        check("memory://", None);
    }
}
