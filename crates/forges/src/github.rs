//! The REST API of GitHub and of GitHub Enterprise Server. Contents are never requested as JSON,
//! because those are empty above 1 MB. Modes come from trees, and contents from blobs.

use std::borrow::Cow;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use loci_model::Timestamp;
use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId, Rename};
use loci_model::ports::forge::ForgeRoom;
use loci_outbound::request::OutboundAnswer;
use loci_outbound::retry::asked_pause_ms;
use loci_outbound::secret::Secret;
use serde::Deserialize;

use crate::dialect::{Ask, Comparison, Dialect, Facts, Refusal};
use crate::github_reviews::GitHubReviews;
use crate::listing::Listing;
use crate::review_dialect::ReviewDialect;
use crate::url_part::part;

/// The version of the API for which this code was written.
const VERSION: &str = "2022-11-28";
const JSON: &str = "application/vnd.github+json";
const SHA: &str = "application/vnd.github.sha";
const RAW: &str = "application/vnd.github.raw+json";

/// The longest pause after a rate limit, in milliseconds. Limits are hourly, so a longer pause
/// means that a clock is wrong.
const PAUSE_MS_MAX: u64 = 3_660_000;
/// The maximum number of files in a comparison of the API.
const COMPARED_FILES_MAX: usize = 300;
/// The maximum size of a refusal that is parsed, in bytes.
const REFUSAL_BYTES_MAX: usize = 16 * 1024;

/// The API of GitHub.
pub(crate) struct GitHub;

#[derive(Deserialize)]
struct Repository {
    id: u64,
    full_name: String,
    default_branch: Option<String>,
    parent: Option<Parent>,
}

#[derive(Deserialize)]
struct Parent {
    id: u64,
    full_name: String,
}

#[derive(Deserialize)]
struct Tree<'a> {
    #[serde(borrow)]
    tree: Vec<Entry<'a>>,
    #[serde(default)]
    truncated: bool,
}

#[derive(Deserialize)]
struct Entry<'a> {
    path: String,
    #[serde(borrow)]
    mode: Cow<'a, str>,
    #[serde(borrow)]
    sha: Cow<'a, str>,
    size: Option<u64>,
}

#[derive(Deserialize)]
struct Compared {
    status: String,
    #[serde(default)]
    files: Vec<ComparedFile>,
}

#[derive(Deserialize)]
struct ComparedFile {
    filename: String,
    status: String,
    previous_filename: Option<String>,
}

#[derive(Deserialize, Default)]
struct Refused {
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<RefusedError>,
}

#[derive(Deserialize)]
struct RefusedError {
    #[serde(default)]
    code: String,
}

impl Dialect for GitHub {
    fn api(&self, host: &str) -> String {
        match host {
            "github.com" => "https://api.github.com".to_owned(),
            // An enterprise with data residency has its own API host; a self-hosted server has an
            // API path.
            _ if host.ends_with(".ghe.com") => format!("https://api.{host}"),
            _ => format!("https://{host}/api/v3"),
        }
    }

    fn headers(
        &self,
        token: Option<&Secret>,
        version: Option<&str>,
    ) -> Option<Vec<(HeaderName, HeaderValue)>> {
        let version = HeaderValue::from_str(version.unwrap_or(VERSION)).ok()?;
        let mut headers = vec![(HeaderName::from_static("x-github-api-version"), version)];
        if let Some(token) = token {
            headers.push((AUTHORIZATION, token.header("Bearer ")?));
        }
        Some(headers)
    }

    fn locate(&self, path: &str) -> Option<String> {
        let (owner, name) = path.split_once('/').filter(|(_, name)| !name.contains('/'))?;
        Some(format!("repos/{}/{}", part(owner)?, part(name)?))
    }

    fn repository(&self, at: &str) -> Ask {
        Ask { path: at.to_owned(), accept: JSON }
    }

    fn read_repository(&self, answer: &OutboundAnswer) -> Option<Facts> {
        let read: Repository = loci_json::from_slice(&answer.body).ok()?;
        self.locate(&read.full_name)?;
        Some(Facts {
            id: read.id,
            path: read.full_name,
            default_branch: read.default_branch.filter(|name| !name.is_empty()),
            parent: read.parent.map(|parent| (parent.id, parent.full_name)),
        })
    }

    fn tip(&self, at: &str, name: &str) -> Option<Ask> {
        Some(Ask { path: format!("{at}/commits/{}", part(&plain_name(name)?)?), accept: SHA })
    }

    fn read_tip(&self, answer: &OutboundAnswer) -> Option<ObjectId> {
        ObjectId::parse(std::str::from_utf8(&answer.body).ok()?.trim())
    }

    fn tree(&self, at: &str, id: &ObjectId, is_deep: bool) -> Ask {
        // Any value of the parameter selects a recursive listing, so a request for a flat one omits
        // it.
        let deep = if is_deep { "?recursive=1" } else { "" };
        Ask { path: format!("{at}/git/trees/{id}{deep}"), accept: JSON }
    }

    fn read_tree(&self, answer: &OutboundAnswer) -> Option<Listing> {
        let body = loci_json::repaired(&answer.body);
        let read: Tree<'_> = loci_json::from_repaired(&body).ok()?;
        let (mut files, mut directories) = (Vec::with_capacity(read.tree.len()), Vec::new());
        for entry in read.tree {
            let id = ObjectId::parse(&entry.sha)?;
            match kind(&entry.mode)? {
                EntryKind::Directory => directories.push((entry.path, id)),
                kind => {
                    files.push(CodeFile {
                        path: entry.path,
                        entry: CodeEntry { kind, id, bytes: entry.size },
                    });
                }
            }
        }
        Some(Listing::new(files, directories, !read.truncated))
    }

    fn blob(&self, at: &str, id: &ObjectId) -> Ask {
        Ask { path: format!("{at}/git/blobs/{id}"), accept: RAW }
    }

    fn comparison(&self, at: &str, older: &ObjectId, newer: &ObjectId) -> Ask {
        // A page has one commit, because the commits are not used. All files are on the first page.
        Ask { path: format!("{at}/compare/{older}...{newer}?per_page=1&page=1"), accept: JSON }
    }

    fn read_comparison(&self, answer: &OutboundAnswer) -> Option<Comparison> {
        let read: Compared = loci_json::from_slice(&answer.body).ok()?;
        let is_ancestor = match read.status.as_str() {
            "ahead" | "identical" => true,
            "behind" | "diverged" => false,
            _ => return None,
        };
        let is_cut = read.files.len() >= COMPARED_FILES_MAX;
        let renamed = read.files.into_iter().filter(|file| file.status == "renamed");
        let renames = renamed
            .filter_map(|file| Some(Rename { from: file.previous_filename?, to: file.filename }))
            .collect();
        Some(Comparison { is_ancestor, renames, is_cut })
    }

    fn refusal(&self, answer: &OutboundAnswer, now: Timestamp) -> Refusal {
        let body = answer.body.get(..REFUSAL_BYTES_MAX).unwrap_or(&answer.body);
        let said: Refused = loci_json::from_slice(body).unwrap_or_default();
        if answer.status == 403 && said.errors.iter().any(|error| error.code == "too_large") {
            return Refusal::TooLarge;
        }
        let asked = asked_pause_ms(&answer.headers, &[], now);
        let used_up = used_up_ms(&answer.headers, now);
        // Secondary rate limits also use status 403, and not always with a header.
        let is_rate = match answer.status {
            429 => true,
            403 => {
                asked.is_some()
                    || used_up.is_some()
                    || said.message.to_ascii_lowercase().contains("rate limit")
            }
            _ => false,
        };
        match is_rate {
            true => Refusal::Rate(asked.or(used_up).map(|pause| pause.clamp(1_000, PAUSE_MS_MAX))),
            false => Refusal::Other,
        }
    }

    fn room(&self, answer: &OutboundAnswer) -> Option<ForgeRoom> {
        let number = |name: &str| header_number(&answer.headers, name);
        let whole_at = number("x-ratelimit-reset")?.saturating_mul(1_000);
        Some(ForgeRoom {
            limit: u64::try_from(number("x-ratelimit-limit")?).ok()?,
            left: u64::try_from(number("x-ratelimit-remaining")?).ok()?,
            whole_at: Timestamp::from_millis(whole_at).ok()?,
        })
    }

    fn json(&self) -> &'static str {
        JSON
    }

    fn reviews(&self) -> &'static dyn ReviewDialect {
        &GitHubReviews
    }
}

/// Returns the time until an exhausted rate limit resets, in milliseconds; `None` if it is not
/// exhausted.
fn used_up_ms(headers: &HeaderMap, now: Timestamp) -> Option<u64> {
    if header_number(headers, "x-ratelimit-remaining")? != 0 {
        return None;
    }
    let reset_ms = header_number(headers, "x-ratelimit-reset")?.saturating_mul(1_000);
    Some(u64::try_from(reset_ms.saturating_sub(now.millis())).unwrap_or(0))
}

fn header_number(headers: &HeaderMap, name: &str) -> Option<i64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// Converts a name to the form of the API: remote-tracking branches of a clone are the forge's own
/// branches. Returns `None` for text that names no commit.
fn plain_name(name: &str) -> Option<String> {
    let is_odd = |c: char| c.is_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    let is_none = name == "WORKTREE" || name.starts_with('-') || name.contains(is_odd);
    if is_none || name.contains("..") || name.contains("@{") {
        return None;
    }
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        return Some(format!("heads/{branch}"));
    }
    if let Some(tag) = name.strip_prefix("refs/tags/") {
        return Some(format!("tags/{tag}"));
    }
    match name.strip_prefix("refs/remotes/").map(|rest| rest.split_once('/')) {
        Some(Some((_, "HEAD"))) => Some("HEAD".to_owned()),
        Some(Some((_, branch))) => Some(format!("heads/{branch}")),
        Some(None) => None,
        None => Some(name.to_owned()),
    }
}

fn kind(mode: &str) -> Option<EntryKind> {
    match mode {
        "120000" => Some(EntryKind::Symlink),
        "160000" => Some(EntryKind::Submodule),
        "040000" | "40000" => Some(EntryKind::Directory),
        _ => mode.starts_with("100").then_some(EntryKind::File),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> OutboundAnswer {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        OutboundAnswer { status, headers, body: body.as_bytes().to_vec(), tries: 1, elapsed_ms: 0 }
    }

    #[test]
    fn addresses_of_the_api() {
        let check = |host: &str, expect: &str| assert_eq!(GitHub.api(host), expect, "{host}");
        check("github.com", "https://api.github.com");
        check("acme.ghe.com", "https://api.acme.ghe.com");
        check("git.example.org", "https://git.example.org/api/v3");
    }

    #[test]
    fn paths_of_repositories() {
        let check =
            |path: &str, expect: Option<&str>| assert_eq!(GitHub.locate(path).as_deref(), expect, "{path}");
        check("BurntSushi/ripgrep", Some("repos/BurntSushi/ripgrep"));
        check("a b/c?d", Some("repos/a%20b/c%3Fd"));
        for none in ["ripgrep", "a/b/c", "../x", "x/..", "/x", "x/", ""] {
            check(none, None);
        }
    }

    #[test]
    fn names_of_commits() {
        let check = |name: &str, expect: Option<&str>| {
            let path = GitHub.tip("repos/o/r", name).map(|ask| ask.path);
            assert_eq!(
                path.as_deref(),
                expect.map(|end| format!("repos/o/r/commits/{end}")).as_deref(),
                "{name}"
            );
        };
        check("HEAD", Some("HEAD"));
        check("main", Some("main"));
        check("feature/x", Some("feature%2Fx"));
        check("refs/heads/feature/x", Some("heads%2Ffeature%2Fx"));
        check("refs/tags/v1.0", Some("tags%2Fv1.0"));
        check("refs/remotes/origin/HEAD", Some("HEAD"));
        check("refs/remotes/origin/main", Some("heads%2Fmain"));
        check("refs/pull/7/head", Some("refs%2Fpull%2F7%2Fhead"));
        check("a#b%", Some("a%23b%25"));
        for none in
            ["WORKTREE", "", "-x", "a..b", "a@{1}", "HEAD~1", "a b", "a:b", "a?b", ".", "refs/remotes/x"]
        {
            check(none, None);
        }
    }

    #[test]
    fn trees() {
        let sha = |digit: &str| digit.repeat(40);
        let body = format!(
            r#"{{"sha":"{}","url":"x","tree":[
                {{"path":"src","mode":"040000","type":"tree","sha":"{}","url":"x"}},
                {{"path":"src/\u00e4.rs","mode":"100755","type":"blob","sha":"{}","size":12,"url":"x"}},
                {{"path":"link","mode":"120000","type":"blob","sha":"{}","size":3,"url":"x"}},
                {{"path":"sub","mode":"160000","type":"commit","sha":"{}"}}],"truncated":true}}"#,
            sha("0"),
            sha("1"),
            sha("2"),
            sha("3"),
            sha("4"),
        );
        let listing = GitHub.read_tree(&answer(200, &[], &body)).unwrap();
        let seen = |path: &str| listing.entry(path).map(|entry| (entry.kind, entry.bytes));
        assert!(!listing.is_whole());
        assert_eq!(seen("src"), Some((EntryKind::Directory, None)));
        assert_eq!(seen("src/ä.rs"), Some((EntryKind::File, Some(12))));
        assert_eq!(seen("link"), Some((EntryKind::Symlink, Some(3))));
        assert_eq!(seen("sub"), Some((EntryKind::Submodule, None)));
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"tree":[{"path":"a","mode":"100644","sha":"12"}]}"#,
            r#"{"tree":7}"#,
            r#"{"tree":[{"path":"a","mode":"777","sha":"0000000000000000000000000000000000000000"}]}"#,
        ] {
            assert!(GitHub.read_tree(&answer(200, &[], wrong)).is_none(), "{wrong}");
        }
    }

    #[test]
    fn comparisons() {
        let check = |body: &str, expect: Option<(bool, usize)>| {
            let read = GitHub.read_comparison(&answer(200, &[], body));
            assert_eq!(read.map(|read| (read.is_ancestor, read.renames.len())), expect, "{body}");
        };
        check(
            r#"{"status":"ahead","files":[
            {"filename":"b","status":"renamed","previous_filename":"a"},{"filename":"c","status":"added"}]}"#,
            Some((true, 1)),
        );
        check(r#"{"status":"identical"}"#, Some((true, 0)));
        check(r#"{"status":"behind","files":[]}"#, Some((false, 0)));
        check(r#"{"status":"diverged"}"#, Some((false, 0)));
        check(r#"{"status":"sideways"}"#, None);
        check("<html>", None);
        let cut = |files: usize| {
            let files = vec![r#"{"filename":"c","status":"modified"}"#; files].join(",");
            let body = format!(r#"{{"status":"ahead","files":[{files}]}}"#);
            GitHub.read_comparison(&answer(200, &[], &body)).map(|read| read.is_cut)
        };
        assert_eq!((cut(0), cut(299), cut(300)), (Some(false), Some(false), Some(true)));
    }

    #[test]
    fn refusals() {
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        let check = |answer: OutboundAnswer, expect: Refusal| {
            assert_eq!(GitHub.refusal(&answer, now), expect, "{answer:?} {:?}", answer.headers);
        };
        const LIMIT: &str = "x-ratelimit-remaining";
        const RESET: &str = "x-ratelimit-reset";
        check(answer(403, &[], r#"{"message":"Resource not accessible"}"#), Refusal::Other);
        check(answer(403, &[(LIMIT, "57"), (RESET, "1795334700")], ""), Refusal::Other);
        check(answer(401, &[(LIMIT, "0"), (RESET, "1795334700")], ""), Refusal::Other);
        // The reset time is 2026-11-22T08:05:00Z.
        check(answer(403, &[(LIMIT, "0"), (RESET, "1795334700")], ""), Refusal::Rate(Some(300_000)));
        check(answer(429, &[(LIMIT, "0"), (RESET, "1795334700")], ""), Refusal::Rate(Some(300_000)));
        check(
            answer(429, &[("retry-after", "7"), (LIMIT, "0"), (RESET, "1795334700")], ""),
            Refusal::Rate(Some(7_000)),
        );
        check(answer(403, &[("retry-after", "30")], ""), Refusal::Rate(Some(30_000)));
        check(answer(429, &[], ""), Refusal::Rate(None));
        let secondary = r#"{"message":"You have exceeded a secondary rate limit."}"#;
        check(answer(403, &[], secondary), Refusal::Rate(None));
        // A wrong clock neither blocks a forge for days nor removes the pause between requests.
        check(answer(403, &[(LIMIT, "0"), (RESET, "1995334700")], ""), Refusal::Rate(Some(PAUSE_MS_MAX)));
        check(answer(403, &[(LIMIT, "0"), (RESET, "1595334700")], ""), Refusal::Rate(Some(1_000)));
        check(answer(403, &[], r#"{"errors":[{"resource":"Blob","code":"too_large"}]}"#), Refusal::TooLarge);
    }
}
