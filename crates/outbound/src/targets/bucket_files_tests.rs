//! Tests files in a simulated bucket that follows the protocol: pages, tags, conditions.
//! `compat/bucket` tests a real service.

use std::sync::atomic::{AtomicUsize, Ordering};

use http::HeaderMap;
use percent_encoding::percent_decode_str;

use super::*;
use crate::request::OutboundError;
use crate::targets::NamedSecret;

/// The number of keys per page.
const PAGE: usize = 2;

/// The content of an object that may not be read.
const CLOSED: &[u8] = b"closed";

#[derive(Default)]
struct Bucket {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    /// The key and content that another writer stores just before the next write.
    between: Mutex<Option<(String, Vec<u8>)>>,
    is_gone: bool,
    knows_no_conditions: bool,
    reads: AtomicUsize,
}

impl Bucket {
    fn answer(status: u16, body: &[u8], etag: Option<&str>) -> OutboundAnswer {
        let mut headers = HeaderMap::new();
        if let Some(etag) = etag {
            headers.insert(ETAG, HeaderValue::from_str(etag).unwrap());
        }
        OutboundAnswer { status, headers, body: body.to_vec(), tries: 1, elapsed_ms: 1 }
    }

    fn etag(bytes: &[u8]) -> String {
        format!("\"{}\"", hex::encode(&Sha256::digest(bytes)[..8]))
    }

    fn list(&self, query: &str) -> OutboundAnswer {
        let of = |name: &str| {
            let pair = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            pair.map(|value| percent_decode_str(value).decode_utf8().unwrap().into_owned())
        };
        let prefix = of("prefix").unwrap();
        let after = of("continuation-token").unwrap_or_default();
        let objects = self.objects.lock().unwrap();
        let found: Vec<_> =
            objects.iter().filter(|(key, _)| key.starts_with(&prefix) && **key > after).collect();
        let mut text = String::from("<ListBucketResult><EncodingType>url</EncodingType>");
        for (key, bytes) in found.iter().take(PAGE) {
            let tag = Self::etag(bytes).replace('"', "&quot;");
            text += &format!(
                "<Contents><Key>{}</Key><ETag>{tag}</ETag><Size>{}</Size></Contents>",
                encoded_query(key),
                bytes.len()
            );
        }
        if found.len() > PAGE {
            let next = found[PAGE - 1].0;
            text += &format!(
                "<IsTruncated>true</IsTruncated><NextContinuationToken>{next}</NextContinuationToken>"
            );
        }
        Self::answer(200, (text + "</ListBucketResult>").as_bytes(), None)
    }

    fn serve(&self, request: &OutboundRequest) -> OutboundAnswer {
        let error = |status, code: &str| {
            Self::answer(status, format!("<Error><Code>{code}</Code></Error>").as_bytes(), None)
        };
        if self.is_gone {
            return error(404, "NoSuchBucket");
        }
        let rest = request.url.strip_prefix("http://s3.test/notes/").unwrap();
        if let Some((_, query)) = rest.split_once('?') {
            return self.list(query);
        }
        let key = percent_decode_str(rest).decode_utf8().unwrap().into_owned();
        if request.method == Method::PUT
            && let Some((key, bytes)) = self.between.lock().unwrap().take()
        {
            self.objects.lock().unwrap().insert(key, bytes);
        }
        let mut objects = self.objects.lock().unwrap();
        let tag = objects.get(&key).map(|bytes| Self::etag(bytes));
        match request.method {
            Method::GET => {
                self.reads.fetch_add(1, Ordering::Relaxed);
                match objects.get(&key) {
                    Some(bytes) if bytes.as_slice() == CLOSED => error(403, "AccessDenied"),
                    Some(bytes) => Self::answer(200, bytes, tag.as_deref()),
                    None => error(404, "NoSuchKey"),
                }
            }
            Method::DELETE => {
                objects.remove(&key);
                Self::answer(204, b"", None)
            }
            _ => {
                let header = |name: HeaderName| request.headers.iter().find(|(known, _)| *known == name);
                let wanted = header(IF_MATCH).map(|(_, tag)| tag.to_str().unwrap().to_owned());
                let is_new = header(IF_NONE_MATCH).is_some();
                if self.knows_no_conditions && (is_new || wanted.is_some()) {
                    return error(501, "NotImplemented");
                }
                if (is_new && tag.is_some()) || (wanted.is_some() && wanted != tag) {
                    return error(412, "PreconditionFailed");
                }
                objects.insert(key, request.body.clone());
                Self::answer(200, b"", None)
            }
        }
    }
}

impl Transport for Bucket {
    fn send(
        &self,
        request: OutboundRequest,
    ) -> BoxFuture<'_, std::result::Result<OutboundAnswer, OutboundError>> {
        Box::pin(async move { Ok(self.serve(&request)) })
    }
}

fn files(bucket: &Arc<Bucket>, is_conditional: bool) -> BucketFiles {
    let target = Target {
        name: "notes".to_owned(),
        address: Address::parse("s3://notes/team").unwrap(),
        secret: NamedSecret::None,
        endpoint: Some("http://s3.test".to_owned()),
        region: "eu-central-1".to_owned(),
        access_key: NamedSecret::None,
        secret_key: NamedSecret::None,
        session_token: NamedSecret::None,
        path_style: true,
        conditional_writes: is_conditional,
    };
    BucketFiles::new(target, "mirror", Arc::clone(bucket) as Arc<dyn Transport>).unwrap()
}

fn note() -> ChangeNote {
    ChangeNote {
        author_name: "a".to_owned(),
        author_email: "a@x".to_owned(),
        committer_email: "l@x".to_owned(),
        at: loci_model::Timestamp::EPOCH,
        message: "m".to_owned(),
    }
}

fn digest(text: &str) -> FileDigest {
    Sha256::digest(text).into()
}

#[tokio::test]
async fn what_is_listed() {
    let bucket = Arc::new(Bucket::default());
    let place = files(&bucket, true);
    let large = "x".repeat(usize::try_from(loci_model::limits::MIRRORED_FILE_BYTES_MAX).unwrap() + 1);
    for (key, text) in [
        ("team/mirror/b ü+%.md", "two"),
        ("team/mirror/knowledge/a.md", "one"),
        ("team/mirror/.hidden.md", "x"),
        ("team/mirror/draft.md~", "x"),
        ("team/mirror/folder/", ""),
        ("team/mirror/closed.md", "closed"),
        ("team/mirror/large.md", large.as_str()),
        ("team/elsewhere.md", "x"),
    ] {
        bucket.objects.lock().unwrap().insert(key.to_owned(), text.as_bytes().to_vec());
    }
    place.mark("version 1\nm\n").await.unwrap();
    let listing = place.list().await.unwrap();
    let entries: Vec<_> = listing.entries.iter().map(|entry| (entry.path.as_str(), entry.sha256)).collect();
    assert_eq!(entries, [("b ü+%.md", digest("two")), ("knowledge/a.md", digest("one"))]);
    assert_eq!((listing.has_root, listing.marker.as_deref()), (true, Some("version 1\nm\n")));
    let skipped: Vec<_> =
        listing.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.why)).collect();
    assert_eq!(
        skipped,
        [("closed.md", "unreadable"), ("folder/", "no_regular_file"), ("large.md", "too_large")]
    );
    assert_eq!(listing.passed_over, [".hidden.md", "draft.md~"]);
    // The marker and the unreadable object are read again, because nothing else changed.
    let before = bucket.reads.load(Ordering::Relaxed);
    assert_eq!(place.list().await.unwrap(), listing);
    assert_eq!(bucket.reads.load(Ordering::Relaxed), before + 2);
}

#[tokio::test]
async fn a_bucket_that_is_gone_has_no_root() {
    let bucket = Arc::new(Bucket { is_gone: true, ..Bucket::default() });
    let place = files(&bucket, true);
    assert_eq!(place.list().await.unwrap(), FileListing::default());
    assert!(place.read("a.md").await.unwrap_err().message.contains("the bucket is not there"));
}

#[tokio::test]
async fn conditions_hold_against_whoever_else_writes() {
    let check =
        async |known: Option<&str>, only_if: Precondition, between: Option<&str>, expect: Option<bool>| {
            let bucket = Arc::new(Bucket::default());
            let place = files(&bucket, true);
            let key = "team/mirror/a.md".to_owned();
            if let Some(text) = known {
                bucket.objects.lock().unwrap().insert(key.clone(), text.as_bytes().to_vec());
            }
            *bucket.between.lock().unwrap() = between.map(|text| (key.clone(), text.as_bytes().to_vec()));
            let (path, bytes) = ("a.md".to_owned(), Some(b"new".to_vec()));
            let change = FileChange { path, bytes, executable: None, like: None, only_if };
            let applied = place.apply(vec![change], note()).await.unwrap();
            let outcome = (applied.changed.len(), applied.refused.len());
            assert_eq!(
                outcome,
                match expect {
                    Some(true) => (1, 0),
                    Some(false) => (0, 1),
                    None => (0, 0),
                }
            );
            let left = bucket.objects.lock().unwrap().get(&key).cloned().unwrap();
            let lost = expect == Some(false) && left == b"new";
            assert!(!lost, "a refused write is not made");
        };
    check(None, Precondition::Absent, None, Some(true)).await;
    check(None, Precondition::Absent, Some("theirs"), Some(false)).await;
    check(Some("old"), Precondition::Absent, None, Some(false)).await;
    check(Some("old"), Precondition::Holds(digest("old")), None, Some(true)).await;
    check(Some("old"), Precondition::Holds(digest("old")), Some("theirs"), Some(false)).await;
    check(Some("old"), Precondition::Holds(digest("other")), None, Some(false)).await;
    check(Some("new"), Precondition::Any, None, None).await;
}

#[tokio::test]
async fn a_service_without_conditions_says_so() {
    let bucket = Arc::new(Bucket { knows_no_conditions: true, ..Bucket::default() });
    let change = || FileChange {
        executable: None,
        like: None,
        path: "a.md".to_owned(),
        bytes: Some(b"new".to_vec()),
        only_if: Precondition::Absent,
    };
    let error = files(&bucket, true).apply(vec![change()], note()).await.unwrap_err();
    assert!(error.message.contains("conditional_writes = false"), "{error:?}");
    let place = files(&bucket, false);
    assert!(!place.capabilities().cas);
    assert_eq!(place.apply(vec![change()], note()).await.unwrap().changed, ["a.md"]);
    let removal = FileChange {
        path: "a.md".to_owned(),
        bytes: None,
        executable: None,
        like: None,
        only_if: Precondition::Holds(digest("new")),
    };
    assert_eq!(place.apply(vec![removal.clone()], note()).await.unwrap().changed, ["a.md"]);
    let again = FileChange { only_if: Precondition::Any, ..removal };
    assert_eq!(place.apply(vec![again], note()).await.unwrap(), FilesApplied::default());
}

#[test]
fn a_target_that_is_no_bucket_is_refused() {
    let bucket = Arc::new(Bucket::default());
    let target = Target { address: Address::parse("file:///tmp/x").unwrap(), ..files(&bucket, true).target };
    let made = BucketFiles::new(target, "", bucket as Arc<dyn Transport>);
    assert_eq!(made.err().map(|error| error.kind), Some(ErrorKind::Invalid));
}
