//! ListObjectsV2: keys in byte order, in pages, with those below a delimiter grouped.

use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use loci_documents::bucket::{BucketEntry, BucketItem, BucketListing, collapsed};

use super::fault::S3Fault;
use super::route::ObjectRequestLine;
use super::{Call, xml};

/// The maximum number of keys in a page.
const KEYS_MAX: usize = 1_000;

/// The parameters of a ListObjectsV2 request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Listing {
    pub(super) prefix: String,
    pub(super) delimiter: Option<String>,
    pub(super) max_keys: usize,
    pub(super) start_after: Option<String>,
    pub(super) token: Option<String>,
    pub(super) is_url_encoded: bool,
}

/// The result of a ListObjectsV2 request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ListObjectsResult {
    pub(super) entries: Vec<BucketEntry>,
    pub(super) prefixes: Vec<String>,
    pub(super) next_token: Option<String>,
}

impl Listing {
    fn of(asked: &ObjectRequestLine) -> Result<Self, S3Fault> {
        let text = |name: &str| asked.member(name).map(ToOwned::to_owned);
        let given = |name: &str| text(name).filter(|value| !value.is_empty());
        let max_keys = match given("max-keys") {
            None => KEYS_MAX,
            Some(number) => number
                .parse::<u32>()
                .map(|number| (number as usize).min(KEYS_MAX))
                .map_err(|_| S3Fault::invalid_argument("max-keys must be a number from 0"))?,
        };
        let is_url_encoded = match given("encoding-type").as_deref() {
            None => false,
            Some("url") => true,
            Some(_) => return Err(S3Fault::invalid_argument("encoding-type must be url")),
        };
        Ok(Self {
            prefix: text("prefix").unwrap_or_default(),
            delimiter: given("delimiter"),
            max_keys,
            start_after: given("start-after"),
            token: given("continuation-token"),
            is_url_encoded,
        })
    }

    /// Returns the key after which the page begins.
    fn after(&self) -> Result<Option<String>, S3Fault> {
        let Some(token) = &self.token else { return Ok(self.start_after.clone()) };
        let key = BASE64_URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let wrong = || S3Fault::invalid_argument("continuation-token must be one that a list gave");
        key.map(Some).ok_or_else(wrong)
    }
}

pub(super) async fn list(call: Call<'_>) -> Result<Response, S3Fault> {
    let listing = Listing::of(call.asked)?;
    let listed = listed(&call, &listing).await?;
    Ok(xml::response(xml::listing(&call.asked.bucket, &listing, &listed)))
}

async fn listed(call: &Call<'_>, listing: &Listing) -> Result<ListObjectsResult, S3Fault> {
    let after = listing.after()?;
    if listing.max_keys == 0 {
        return Ok(ListObjectsResult::default());
    }
    let asked = BucketListing {
        bucket: call.bucket.clone(),
        prefix: collapsed(&listing.prefix),
        after,
        delimiter: listing.delimiter.clone(),
        limit: listing.max_keys,
    };
    let page = call.doors.engine.documents.bucket_list(&call.caller, asked).await?;
    let next_token = page.next.map(|after| BASE64_URL_SAFE_NO_PAD.encode(after));
    let mut out = ListObjectsResult { next_token, ..ListObjectsResult::default() };
    for item in page.items {
        match item {
            BucketItem::Key(entry) => out.entries.push(entry),
            BucketItem::Common(common) => out.prefixes.push(common),
        }
    }
    Ok(out)
}
