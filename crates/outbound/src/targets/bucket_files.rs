//! A mirror's files in a bucket of S3, or of a service with the same protocol.
//!
//! A write carries its precondition (`If-Match`, `If-None-Match`) if the service supports
//! conditional writes. If the configuration states that it does not, a read before the write is the
//! only check, and the capabilities report this. A deletion always consists of a read and a
//! deletion, because few services support conditional deletion. A digest is computed once per
//! entity tag. The bucket keeps no history, because the engine's log does. No file in a bucket is
//! executable.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use http::header::{CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH};
use http::{HeaderName, HeaderValue, Method};
use loci_model::json::xml_attributes::xml_attributes;
use loci_model::ports::BoxFuture;
use loci_model::ports::files::{
    ChangeNote, FileBackend, FileBytes, FileCapabilities, FileChange, FileDigest, FileEntry, FileListing,
    FileSkipped, FilesApplied, FilesCommit, MARKER, Precondition, is_passed_over,
};
use loci_model::{Error, ErrorKind, Result, limits};
use sha2::{Digest, Sha256};

use super::address::encoded_query;
use super::bucket::{signer, url};
use super::bucket_listing::{ListedKey, page};
use super::{Address, Target};
use crate::request::{AddressOrigin, OutboundAnswer, OutboundRequest, Retry, Transport};
use crate::sign_v4::{PathRule, Signing};

const TIMEOUT_MS: u64 = 60_000;
/// The maximum number of pages of a listing, with a thousand keys each.
const PAGES_MAX: usize = 200;

/// A bucket, or a prefix of one, as a file backend.
pub struct BucketFiles {
    target: Target,
    bucket: String,
    prefix: String,
    transport: Arc<dyn Transport>,
    /// The entity tag and the digest of each file that was read or written, by path.
    known: Mutex<BTreeMap<String, (String, FileDigest)>>,
}

/// A file with its entity tag for conditional writes.
struct TaggedFile {
    file: FileBytes,
    etag: Option<HeaderValue>,
}

impl BucketFiles {
    /// Creates the backend of a target, below `folder` in it.
    ///
    /// # Errors
    /// `Invalid` if the target is not a bucket.
    pub fn new(target: Target, folder: &str, transport: Arc<dyn Transport>) -> Result<Self> {
        let Address::Bucket { bucket, prefix } = target.address.clone() else {
            let rule = format!("target {} must be a bucket: s3://bucket/prefix", target.name);
            return Err(Error::invalid("path", rule));
        };
        let folder = folder.trim_matches('/');
        let prefix = if folder.is_empty() { prefix } else { format!("{prefix}{folder}/") };
        let known = Mutex::default();
        Ok(Self { target, bucket, prefix, transport, known })
    }

    fn key(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    async fn send(
        &self,
        method: Method,
        url: String,
        condition: Option<(HeaderName, HeaderValue)>,
        body: Vec<u8>,
    ) -> Result<OutboundAnswer> {
        let signer = signer(&self.target, "s3")?;
        // A conditional write that has succeeded would fail if it were repeated.
        let retry = if condition.is_some() { Retry::Never } else { Retry::Safe };
        let mut headers: Vec<(HeaderName, HeaderValue)> = condition.into_iter().collect();
        if method == Method::PUT {
            headers.push((CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8")));
        }
        let request = OutboundRequest {
            method,
            url,
            headers,
            body,
            reach: AddressOrigin::Configured,
            retry,
            timeout_ms: Some(TIMEOUT_MS),
            signing: signer.map(|by| Signing { by, path: PathRule::Once }),
        };
        let sent = self.transport.send(request).await;
        sent.map_err(|error| Error::new(ErrorKind::Upstream, format!("the bucket: {error}")).caused_by(error))
    }

    async fn get(&self, path: &str) -> Result<OutboundAnswer> {
        let url = url(&self.target, &self.bucket, &self.key(path))?;
        self.send(Method::GET, url, None, Vec::new()).await
    }

    async fn find(&self, path: &str) -> Result<Option<TaggedFile>> {
        found(self.get(path).await?)
    }

    async fn all(&self) -> Result<FileListing> {
        let mut listing = FileListing::default();
        let mut next: Option<String> = None;
        let mut keys = Vec::new();
        for _ in 0..PAGES_MAX {
            let token = next.map(|token| format!("continuation-token={}&", encoded_query(&token)));
            let url = format!(
                "{}?{}encoding-type=url&list-type=2&prefix={}",
                url(&self.target, &self.bucket, "")?,
                token.unwrap_or_default(),
                encoded_query(&self.prefix)
            );
            let answer = self.send(Method::GET, url, None, Vec::new()).await?;
            match answer.status {
                200 => {}
                404 => return Ok(FileListing::default()),
                _ => return Err(failed("list", &answer)),
            }
            listing.has_root = true;
            let page = page(&String::from_utf8_lossy(&answer.body))?;
            let unreadable = page.unreadable.into_iter();
            listing.skipped.extend(unreadable.map(|path| FileSkipped { path, why: "no_text_path" }));
            keys.extend(page.keys);
            next = page.next;
            if next.is_none() {
                self.enter(keys, &mut listing).await?;
                return Ok(listing);
            }
        }
        let rule = format!("the bucket has more than {PAGES_MAX} pages of keys below {}", self.prefix);
        Err(Error::new(ErrorKind::TooLarge, format!("{rule}: give the mirror a prefix of its own")))
    }

    /// Adds the listed keys to the listing. Keys that are not files of a mirror are left out and
    /// reported.
    async fn enter(&self, keys: Vec<ListedKey>, listing: &mut FileListing) -> Result<()> {
        let mut seen = BTreeMap::new();
        for ListedKey { key, etag, bytes } in keys {
            let Some(path) = key.strip_prefix(&self.prefix).map(ToOwned::to_owned) else { continue };
            if path == MARKER {
                let marker = self.find(&path).await?;
                listing.marker = marker.map(|found| String::from_utf8_lossy(&found.file.bytes).into_owned());
                continue;
            }
            if path.is_empty() {
                continue;
            }
            if path.split('/').any(is_passed_over) {
                listing.passed_over.push(path);
                continue;
            }
            let mut skip = |why| listing.skipped.push(FileSkipped { path: path.clone(), why });
            if path.split('/').any(str::is_empty) {
                skip("no_regular_file");
                continue;
            }
            if bytes > limits::MIRRORED_FILE_BYTES_MAX {
                skip("too_large");
                continue;
            }
            let Some(sha256) = self.digest(&path, &etag).await? else {
                // The object was removed meanwhile, or may not be read; the next listing shows
                // which.
                skip("unreadable");
                continue;
            };
            seen.insert(path.clone(), (etag, sha256));
            listing.entries.push(FileEntry { path, bytes, sha256, executable: false });
        }
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        listing.entries.sort_by(|one, other| one.path.cmp(&other.path));
        listing.skipped.sort_by(|one, other| one.path.cmp(&other.path));
        listing.passed_over.sort();
        Ok(())
    }

    async fn digest(&self, path: &str, etag: &str) -> Result<Option<FileDigest>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some((tag, digest)) = known
            && tag == etag
            && !etag.is_empty()
        {
            return Ok(Some(digest));
        }
        let answer = self.get(path).await?;
        // An object that may not be read does not block the others.
        if answer.status == 403 {
            return Ok(None);
        }
        Ok(found(answer)?.map(|found| found.file.sha256))
    }

    /// Makes one change. Returns true if it was made, false if it was refused, and `None` if there
    /// was nothing to change.
    async fn change(&self, change: FileChange) -> Result<Option<bool>> {
        let found = self.find(&change.path).await?;
        let holds = match change.only_if {
            Precondition::Any => true,
            Precondition::Absent => found.is_none(),
            Precondition::Holds(digest) => found.as_ref().is_some_and(|found| found.file.sha256 == digest),
        };
        if !holds {
            return Ok(Some(false));
        }
        let url = url(&self.target, &self.bucket, &self.key(&change.path))?;
        let Some(bytes) = change.bytes else {
            if found.is_none() {
                return Ok(None);
            }
            let answer = self.send(Method::DELETE, url, None, Vec::new()).await?;
            return match answer.status {
                200..=299 | 404 => Ok(Some(true)),
                _ => Err(failed("delete in", &answer)),
            };
        };
        if found.as_ref().is_some_and(|found| found.file.bytes == bytes) {
            return Ok(None);
        }
        let condition = match (change.only_if, found.and_then(|found| found.etag)) {
            _ if !self.target.conditional_writes => None,
            (Precondition::Any, _) | (Precondition::Holds(_), None) => None,
            (Precondition::Absent, _) => Some((IF_NONE_MATCH, HeaderValue::from_static("*"))),
            (Precondition::Holds(_), Some(etag)) => Some((IF_MATCH, etag)),
        };
        let answer = self.send(Method::PUT, url, condition, bytes).await?;
        match answer.status {
            200..=299 => Ok(Some(true)),
            404 if said(&answer.body).as_deref() == Some("NoSuchBucket") => Err(failed("write to", &answer)),
            404 | 409 | 412 if self.target.conditional_writes => Ok(Some(false)),
            _ => Err(failed("write to", &answer)),
        }
    }

    async fn change_all(&self, changes: Vec<FileChange>) -> Result<FilesApplied> {
        let mut applied = FilesApplied::default();
        for change in changes {
            let path = change.path.clone();
            match self.change(change).await? {
                Some(true) => applied.changed.push(path),
                Some(false) => applied.refused.push(path),
                None => {}
            }
        }
        Ok(applied)
    }

    async fn remove_all(&self) -> Result<()> {
        for entry in self.all().await?.entries {
            let (path, only_if) = (entry.path, Precondition::Any);
            self.change(FileChange { path, bytes: None, executable: None, like: None, only_if }).await?;
        }
        Ok(())
    }

    async fn write_marker(&self, text: &str) -> Result<()> {
        let url = url(&self.target, &self.bucket, &self.key(MARKER))?;
        let answer = self.send(Method::PUT, url, None, text.as_bytes().to_vec()).await?;
        if (200..300).contains(&answer.status) { Ok(()) } else { Err(failed("write to", &answer)) }
    }
}

/// Returns the object of a response; `None` if it does not exist.
fn found(answer: OutboundAnswer) -> Result<Option<TaggedFile>> {
    match answer.status {
        200 => {
            let etag = answer.headers.get(ETAG).cloned();
            let sha256 = Sha256::digest(&answer.body).into();
            let file = FileBytes { sha256, bytes: answer.body, executable: false };
            Ok(Some(TaggedFile { file, etag }))
        }
        404 if said(&answer.body).as_deref() != Some("NoSuchBucket") => Ok(None),
        _ => Err(failed("read", &answer)),
    }
}

/// Returns the error code of a response of S3.
fn said(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    if xml_attributes(&text) > limits::XML_ATTRIBUTES_MAX {
        return None;
    }
    let document = roxmltree::Document::parse(&text).ok()?;
    let code = document.descendants().find(|node| node.has_tag_name("Code"))?.text()?;
    let is_word = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then(|| code.to_owned())
}

fn failed(what: &str, answer: &OutboundAnswer) -> Error {
    let code = said(&answer.body).map(|code| format!(" {code}")).unwrap_or_default();
    let remedy = match answer.status {
        403 => ": look at the keys of the target",
        404 => ": the bucket is not there",
        501 => ": the service knows no conditions of writes; set conditional_writes = false for the target",
        _ => "",
    };
    let kind = if matches!(answer.status, 429 | 503) { ErrorKind::Throttled } else { ErrorKind::Upstream };
    Error::new(
        kind,
        format!("the mirror cannot {what} the bucket: it answered {}{code}{remedy}", answer.status),
    )
}

impl FileBackend for BucketFiles {
    fn capabilities(&self) -> FileCapabilities {
        FileCapabilities { versioning: false, cas: self.target.conditional_writes, atomic_multi_write: false }
    }

    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<FileBytes>>> {
        Box::pin(async move { Ok(self.find(path).await?.map(|found| found.file)) })
    }

    fn list(&self) -> BoxFuture<'_, Result<FileListing>> {
        Box::pin(self.all())
    }

    fn apply(&self, changes: Vec<FileChange>, _: ChangeNote) -> BoxFuture<'_, Result<FilesApplied>> {
        Box::pin(self.change_all(changes))
    }

    fn mark<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.write_marker(text))
    }

    fn renew(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.remove_all())
    }

    fn newest(&self) -> BoxFuture<'_, Result<Option<FilesCommit>>> {
        Box::pin(async { Ok(None) })
    }
}

#[cfg(test)]
#[path = "bucket_files_tests.rs"]
mod tests;
