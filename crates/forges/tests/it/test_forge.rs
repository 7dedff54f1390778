//! A local forge that answers as GitHub documents: repositories with commits, trees and blobs,
//! entity tags, tokens, redirects. It records every request, and simulates faults on request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, Uri, header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A file of a commit.
#[derive(Clone)]
pub(crate) enum Content {
    File(Vec<u8>),
    Symlink(String),
    /// The commit of another repository.
    Submodule(String),
}

pub(crate) type Files = BTreeMap<String, Content>;

/// Returns text files.
pub(crate) fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(path, text)| ((*path).to_owned(), Content::File(text.as_bytes().to_vec()))).collect()
}

#[derive(Clone)]
pub(crate) struct Commit {
    pub(crate) files: Files,
    pub(crate) parents: Vec<String>,
}

/// A repository of the forge.
#[derive(Clone)]
pub(crate) struct Repo {
    pub(crate) id: u64,
    pub(crate) full_name: String,
    pub(crate) default_branch: String,
    pub(crate) branches: BTreeMap<String, String>,
    pub(crate) commits: BTreeMap<String, Commit>,
    pub(crate) is_private: bool,
    pub(crate) parent: Option<(u64, String)>,
}

/// The fault of one request.
#[derive(Clone)]
pub(crate) enum Wrong {
    Says(u16, Vec<(&'static str, String)>, &'static str),
    /// The request is never answered.
    Silent,
}

#[derive(Default)]
pub(crate) struct Model {
    pub(crate) repos: Vec<Repo>,
    /// Old names in lower case, with the number of the repository.
    pub(crate) moved: BTreeMap<String, u64>,
    /// The accepted tokens; those named `reader…` can read private repositories.
    pub(crate) tokens: BTreeSet<String>,
    /// The maximum number of entries in a recursive listing.
    pub(crate) entries_max: Option<usize>,
    /// Faults: a text in the path, the number of requests that fail, the fault.
    pub(crate) wrong: Vec<(String, usize, Wrong)>,
    pub(crate) latency_ms: u64,
    /// Lists below a repository, returned in pages, and objects there.
    pub(crate) lists: BTreeMap<String, Vec<Value>>,
    pub(crate) objects: BTreeMap<String, Value>,
    /// The remaining rate limit, reported in pages of lists.
    pub(crate) left: Option<u64>,
    seen: Vec<ForgeRequest>,
    at_once: usize,
    pub(crate) most_at_once: usize,
}

/// A request as received.
#[derive(Debug, Clone)]
pub(crate) struct ForgeRequest {
    /// The path and query, not decoded.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) status: u16,
}

type Shared = Arc<Mutex<Model>>;

pub(crate) struct Hub {
    pub(crate) url: String,
    shared: Shared,
}

impl Hub {
    pub(crate) async fn start(repos: Vec<Repo>) -> Self {
        let shared = Shared::default();
        shared.lock().unwrap().repos = repos;
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(respond).with_state((Arc::clone(&shared), url.clone()));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, shared }
    }

    pub(crate) fn model(&self) -> MutexGuard<'_, Model> {
        self.shared.lock().unwrap()
    }

    /// Returns the requests since the last call.
    pub(crate) fn seen(&self) -> Vec<ForgeRequest> {
        std::mem::take(&mut self.model().seen)
    }

    /// Returns the paths and statuses of the requests since the last call.
    pub(crate) fn told(&self) -> Vec<String> {
        self.seen().iter().map(|seen| format!("{} {}", seen.path, seen.status)).collect()
    }
}

pub(crate) fn id_of(kind: &str, bytes: &[u8]) -> String {
    let digest = Sha256::new().chain_update(kind).chain_update([0]).chain_update(bytes).finalize();
    digest.iter().take(20).map(|byte| format!("{byte:02x}")).collect()
}

impl Content {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::File(bytes) => bytes.clone(),
            Self::Symlink(target) => target.clone().into_bytes(),
            Self::Submodule(_) => Vec::new(),
        }
    }

    pub(crate) fn id(&self) -> String {
        match self {
            Self::Submodule(commit) => commit.clone(),
            Self::File(_) | Self::Symlink(_) => id_of("blob", &self.bytes()),
        }
    }
}

impl Repo {
    pub(crate) fn new(id: u64, full_name: &str) -> Self {
        Self {
            id,
            full_name: full_name.to_owned(),
            default_branch: "main".to_owned(),
            branches: BTreeMap::new(),
            commits: BTreeMap::new(),
            is_private: false,
            parent: None,
        }
    }

    /// Adds a commit to a branch, and returns its id.
    pub(crate) fn commit(&mut self, branch: &str, files: Files) -> String {
        let parents: Vec<_> = self.branches.get(branch).cloned().into_iter().collect();
        let id = id_of(
            "commit",
            format!("{} {}{parents:?}{}", self.id, self.commits.len(), tree_id(&files, "")).as_bytes(),
        );
        self.commits.insert(id.clone(), Commit { files, parents });
        self.branches.insert(branch.to_owned(), id.clone());
        id
    }

    fn resolve(&self, name: &str) -> Option<String> {
        let branch = name.strip_prefix("heads/").unwrap_or(name);
        let branch = if branch == "HEAD" { self.default_branch.as_str() } else { branch };
        let mut fits = self.commits.keys().filter(|id| name.len() >= 4 && id.starts_with(name));
        let by_id = fits.next().filter(|_| fits.next().is_none());
        self.branches.get(branch).or(by_id).cloned()
    }

    fn ancestors(&self, of: &str) -> BTreeSet<String> {
        let (mut found, mut next) = (BTreeSet::new(), vec![of.to_owned()]);
        while let Some(id) = next.pop() {
            next.extend(self.commits.get(&id).map(|commit| commit.parents.clone()).unwrap_or_default());
            found.insert(id);
        }
        found
    }

    /// Returns the files below a tree, by the id of the tree or of a commit.
    fn below(&self, id: &str) -> Option<Files> {
        if let Some(commit) = self.commits.get(id) {
            return Some(commit.files.clone());
        }
        self.commits.values().find_map(|commit| {
            let prefixes = commit.files.keys().flat_map(|path| {
                path.match_indices('/').map(|(at, _)| path[..=at].to_owned()).collect::<Vec<_>>()
            });
            let prefix =
                prefixes.chain([String::new()]).find(|prefix| tree_id(&commit.files, prefix) == id)?;
            Some(strip(&commit.files, &prefix))
        })
    }

    fn blob(&self, id: &str) -> Option<Vec<u8>> {
        let contents = self.commits.values().flat_map(|commit| commit.files.values());
        contents
            .filter(|content| !matches!(content, Content::Submodule(_)))
            .find(|content| content.id() == id)
            .map(Content::bytes)
    }
}

fn strip(files: &Files, prefix: &str) -> Files {
    let below = files.iter().filter_map(|(path, content)| Some((path.strip_prefix(prefix)?, content)));
    below.map(|(path, content)| (path.to_owned(), content.clone())).collect()
}

fn tree_id(files: &Files, prefix: &str) -> String {
    let names: Vec<_> =
        strip(files, prefix).iter().map(|(path, content)| format!("{path} {}", content.id())).collect();
    id_of("tree", names.join("\n").as_bytes())
}

async fn respond(
    State((shared, url)): State<(Shared, String)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Body> {
    let path = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    // Only GraphQL queries have bodies and use POST.
    let expected = if path == "/graphql" { Method::POST } else { Method::GET };
    assert_eq!(method, expected, "nothing is ever written");
    let (latency_ms, wrong) = {
        let mut model = shared.lock().unwrap();
        model.at_once += 1;
        model.most_at_once = model.most_at_once.max(model.at_once);
        let wrong = model.wrong.iter_mut().find(|(part, left, _)| *left > 0 && path.contains(part.as_str()));
        let wrong = wrong.map(|(_, left, wrong)| {
            *left -= 1;
            wrong.clone()
        });
        (model.latency_ms, wrong)
    };
    pause(latency_ms).await;
    let response = match wrong {
        Some(Wrong::Silent) => {
            shared.lock().unwrap().seen.push(ForgeRequest { path, headers, status: 0 });
            return std::future::pending().await;
        }
        Some(Wrong::Says(status, said, body)) => {
            let response = said
                .iter()
                .fold(Response::builder().status(status), |to, (name, value)| to.header(*name, value));
            response.body(Body::from(body)).unwrap()
        }
        None => answer(&shared.lock().unwrap(), &url, &path, &headers),
    };
    let mut model = shared.lock().unwrap();
    model.at_once -= 1;
    model.seen.push(ForgeRequest { path, headers, status: response.status().as_u16() });
    response
}

#[expect(clippy::disallowed_methods, reason = "a network takes the machine's time")]
async fn pause(millis: u64) {
    if millis > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(millis)).await;
    }
}

fn says(status: u16, body: &Value) -> Response<Body> {
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

fn not_found() -> Response<Body> {
    says(
        404,
        &json!({"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}),
    )
}

fn answer(model: &Model, url: &str, path: &str, headers: &HeaderMap) -> Response<Body> {
    let token =
        headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap().trim_start_matches("Bearer "));
    if token.is_some_and(|token| !model.tokens.contains(token)) {
        return says(401, &json!({"message": "Bad credentials", "status": "401"}));
    }
    let (plain, query) = path.split_once('?').unwrap_or((path, ""));
    let parts: Vec<&str> = plain.trim_start_matches('/').split('/').collect();
    if parts == ["graphql"] {
        return model.objects.get("graphql").map_or_else(not_found, |object| says(200, object));
    }
    let (repo, rest) = match parts.as_slice() {
        ["repos", owner, name, rest @ ..] => {
            let full_name = format!("{owner}/{name}").to_lowercase();
            if let Some(id) = model.moved.get(&full_name) {
                let end: String = rest.iter().map(|part| format!("/{part}")).collect();
                let query = if query.is_empty() { String::new() } else { format!("?{query}") };
                let to = format!("{url}/repositories/{id}{end}{query}");
                let moved = json!({"message": "Moved Permanently", "url": to});
                let mut response = says(301, &moved);
                response.headers_mut().insert(header::LOCATION, to.parse().unwrap());
                return response;
            }
            (model.repos.iter().find(|repo| repo.full_name.to_lowercase() == full_name), rest)
        }
        ["repositories", id, rest @ ..] => (model.repos.iter().find(|repo| repo.id.to_string() == *id), rest),
        _ => return not_found(),
    };
    let may_read = |repo: &&Repo| !repo.is_private || token.is_some_and(|token| token.starts_with("reader"));
    let Some(repo) = repo.filter(may_read) else { return not_found() };
    let accept = headers.get(header::ACCEPT).unwrap().to_str().unwrap();
    let response = match rest {
        [] => repository(repo),
        ["commits", name] => tip(repo, &decoded(name), accept),
        ["git", "trees", id] => tree(model, repo, id, query),
        ["git", "blobs", id] => blob(repo, id, accept),
        ["compare", both] => compare(repo, both),
        rest => replayed(model, url, repo, &rest.join("/"), query, accept),
    };
    tagged(response, headers)
}

/// Returns a page of a stored list in the documented format. The `Link` header contains the next
/// page with the repository's number.
fn replayed(model: &Model, url: &str, repo: &Repo, path: &str, query: &str, accept: &str) -> Response<Body> {
    assert_eq!(accept, "application/vnd.github+json");
    let path = decoded(path);
    if let Some(object) = model.objects.get(&path) {
        return tagged_body(object);
    }
    let Some(list) = model.lists.get(&path) else { return not_found() };
    let parameter = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let number = |name: &str, default: usize| parameter(name).map_or(default, |value| value.parse().unwrap());
    let (per_page, page) = (number("per_page", 30), number("page", 1));
    let shown: Vec<_> = list.iter().skip((page - 1) * per_page).take(per_page).cloned().collect();
    let mut response = tagged_body(&json!(shown));
    if page * per_page < list.len() {
        let others: Vec<_> = query.split('&').filter(|pair| !pair.starts_with("page=")).collect();
        let next = format!("{url}/repositories/{}/{path}?{}&page={}", repo.id, others.join("&"), page + 1);
        let link = format!("<{next}>; rel=\"next\", <{url}/x>; rel=\"last\"");
        response.headers_mut().insert(header::LINK, link.parse().unwrap());
    }
    if let Some(left) = model.left {
        for (name, value) in [
            ("x-ratelimit-limit", 5_000),
            ("x-ratelimit-remaining", left),
            ("x-ratelimit-reset", 1_800_000_000),
        ] {
            response.headers_mut().insert(name, value.to_string().parse().unwrap());
        }
    }
    response
}

fn tagged_body(body: &Value) -> Response<Body> {
    let tag = format!("\"{}\"", id_of("tag", body.to_string().as_bytes()));
    let mut response = says(200, body);
    response.headers_mut().insert(header::ETAG, tag.parse().unwrap());
    response
}

/// Returns status 304 if the entity tag matches that of the request.
fn tagged(response: Response<Body>, headers: &HeaderMap) -> Response<Body> {
    let tag = response.headers().get(header::ETAG).cloned();
    if let Some(tag) = tag.filter(|tag| headers.get(header::IF_NONE_MATCH) == Some(tag)) {
        return Response::builder().status(304).header(header::ETAG, tag).body(Body::empty()).unwrap();
    }
    response
}

fn repository(repo: &Repo) -> Response<Body> {
    let mut body = json!({
        "id": repo.id, "node_id": "x", "name": "x", "full_name": repo.full_name, "private": repo.is_private,
        "fork": repo.parent.is_some(), "default_branch": repo.default_branch, "size": 108,
    });
    if let Some((id, full_name)) = &repo.parent {
        body["parent"] = json!({"id": id, "full_name": full_name});
    }
    let tag = format!("W/\"{}\"", id_of("tag", body.to_string().as_bytes()));
    let mut response = says(200, &body);
    response.headers_mut().insert(header::ETAG, tag.parse().unwrap());
    response
}

fn tip(repo: &Repo, name: &str, accept: &str) -> Response<Body> {
    assert_eq!(accept, "application/vnd.github.sha", "the whole commit is not asked for");
    if repo.commits.is_empty() {
        return says(409, &json!({"message": "Git Repository is empty.", "status": "409"}));
    }
    let Some(commit) = repo.resolve(name) else {
        return says(422, &json!({"message": format!("No commit found for SHA: {name}"), "status": "422"}));
    };
    let response = Response::builder().header("content-type", "application/vnd.github.sha; charset=utf-8");
    response.header(header::ETAG, format!("\"{commit}\"")).body(Body::from(commit)).unwrap()
}

fn tree(model: &Model, repo: &Repo, id: &str, query: &str) -> Response<Body> {
    let Some(files) = repo.below(id) else { return not_found() };
    let is_deep = query.contains("recursive");
    let mut entries = BTreeMap::new();
    for (path, content) in &files {
        for (at, _) in path.match_indices('/').filter(|(at, _)| is_deep || !path[..*at].contains('/')) {
            let id = tree_id(&files, &path[..=at]);
            entries.insert(
                path[..at].to_owned(),
                json!({"path": &path[..at], "mode": "040000", "type": "tree", "sha": id}),
            );
        }
        if is_deep || !path.contains('/') {
            let (mode, kind) = match content {
                Content::File(_) => ("100644", "blob"),
                Content::Symlink(_) => ("120000", "blob"),
                Content::Submodule(_) => ("160000", "commit"),
            };
            let mut entry =
                json!({"path": path, "mode": mode, "type": kind, "sha": content.id(), "url": "x"});
            if kind == "blob" {
                entry["size"] = json!(content.bytes().len());
            }
            entries.insert(path.clone(), entry);
        }
    }
    let max = model.entries_max.filter(|_| is_deep).unwrap_or(usize::MAX);
    let truncated = entries.len() > max;
    let entries: Vec<_> = entries.into_values().take(max).collect();
    says(200, &json!({"sha": id, "url": "x", "tree": entries, "truncated": truncated}))
}

fn blob(repo: &Repo, id: &str, accept: &str) -> Response<Body> {
    assert_eq!(accept, "application/vnd.github.raw+json", "contents in JSON are not asked for");
    match repo.blob(id) {
        Some(bytes) => Response::builder().header("content-type", accept).body(Body::from(bytes)).unwrap(),
        None => not_found(),
    }
}

fn compare(repo: &Repo, both: &str) -> Response<Body> {
    let Some((older, newer)) = both.split_once("...") else { return not_found() };
    let (Some(a), Some(b)) = (repo.commits.get(older), repo.commits.get(newer)) else { return not_found() };
    let (above, below) = (repo.ancestors(newer).contains(older), repo.ancestors(older).contains(newer));
    let status = match (above, below) {
        (true, true) => "identical",
        (true, false) => "ahead",
        (false, true) => "behind",
        (false, false) => "diverged",
    };
    // Compares from the merge base, as `base...head` of git does.
    let (older_all, newer_all) = (repo.ancestors(older), repo.ancestors(newer));
    let common = older_all.intersection(&newer_all).max_by_key(|id| repo.ancestors(id).len());
    let a = common.and_then(|id| repo.commits.get(id)).unwrap_or(a);
    // The test forge detects a renamed file by its first line.
    let first = |content: &Content| content.bytes().split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    let gone = a.files.iter().filter(|(path, _)| !b.files.contains_key(*path));
    let renamed = gone.filter_map(|(path, content)| {
        let is_new = |to: &String| !a.files.contains_key(to);
        let come = b.files.iter().find(|(to, now)| is_new(to) && first(now) == first(content))?;
        Some(json!({"sha": "x", "filename": come.0, "status": "renamed", "previous_filename": path, "changes": 2}))
    });
    let files: Vec<_> = renamed.take(300).collect();
    says(
        200,
        &json!({"status": status, "ahead_by": 1, "behind_by": 0, "total_commits": 1, "commits": [], "files": files}),
    )
}

fn decoded(part: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [a, b, tail @ ..]) => {
                let hex = [*a, *b];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).unwrap(), 16).unwrap());
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}
