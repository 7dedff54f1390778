//! ListObjectsV2: keys by their bytes, in pages, those below a delimiter as one.

use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use loci_engine::files::bucket::{BucketEntry, BucketListing, collapsed};

use super::fault::Fault;
use super::route::Asked;
use super::{Call, xml};

/// Keys of a page.
const KEYS_MAX: usize = 1_000;
/// Behind every key that begins so.
const LAST: char = '\u{10ffff}';

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Listing {
    pub(super) prefix: String,
    pub(super) delimiter: Option<String>,
    pub(super) max_keys: usize,
    pub(super) start_after: Option<String>,
    pub(super) token: Option<String>,
    pub(super) is_url_encoded: bool,
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Listed {
    pub(super) entries: Vec<BucketEntry>,
    pub(super) prefixes: Vec<String>,
    pub(super) next_token: Option<String>,
}

impl Listing {
    fn of(asked: &Asked) -> Result<Self, Fault> {
        let text = |name: &str| asked.member(name).map(ToOwned::to_owned);
        let given = |name: &str| text(name).filter(|value| !value.is_empty());
        let max_keys = match given("max-keys") {
            None => KEYS_MAX,
            Some(number) => number
                .parse::<u32>()
                .map(|number| (number as usize).min(KEYS_MAX))
                .map_err(|_| Fault::invalid_argument("max-keys must be a number from 0"))?,
        };
        let is_url_encoded = match given("encoding-type").as_deref() {
            None => false,
            Some("url") => true,
            Some(_) => return Err(Fault::invalid_argument("encoding-type must be url")),
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

    /// Behind which key it begins.
    fn after(&self) -> Result<Option<String>, Fault> {
        let Some(token) = &self.token else { return Ok(self.start_after.clone()) };
        let key = BASE64_URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let wrong = || Fault::invalid_argument("continuation-token must be one that a list gave");
        key.map(Some).ok_or_else(wrong)
    }

    /// True for a common beginning that the page before has told.
    fn has_told(&self, common: &str) -> Result<bool, Fault> {
        Ok(self.token.is_some() && self.after()?.is_some_and(|after| after.starts_with(common)))
    }

    /// What stands for all keys that share a beginning with this one, up to the delimiter.
    fn common(&self, prefix: &str, key: &str) -> Option<String> {
        let delimiter = self.delimiter.as_deref()?;
        let at = key.get(prefix.len()..)?.find(delimiter)?;
        key.get(..prefix.len() + at + delimiter.len()).map(ToOwned::to_owned)
    }
}

pub(super) async fn list(call: Call<'_>) -> Result<Response, Fault> {
    let listing = Listing::of(call.asked)?;
    let listed = listed(&call, &listing).await?;
    Ok(xml::response(xml::listing(&call.asked.bucket, &listing, &listed)))
}

async fn listed(call: &Call<'_>, listing: &Listing) -> Result<Listed, Fault> {
    let prefix = collapsed(&listing.prefix);
    let (mut out, mut after, mut is_more) = (Listed::default(), listing.after()?, true);
    let room = |out: &Listed| listing.max_keys.saturating_sub(out.entries.len() + out.prefixes.len());
    while is_more && room(&out) > 0 {
        let asked = BucketListing {
            bucket: call.bucket.clone(),
            prefix: prefix.clone(),
            after: after.clone(),
            limit: room(&out),
        };
        let page = call.doors.engine.bucket_list(&call.caller, asked).await?;
        is_more = page.next.is_some();
        for entry in page.items {
            let Some(common) = listing.common(&prefix, &entry.key) else {
                after = Some(entry.key.clone());
                out.entries.push(entry);
                continue;
            };
            if out.prefixes.last() == Some(&common) || listing.has_told(&common)? {
                after = Some(entry.key);
                continue;
            }
            // The rest of them need not be read: the next page of the engine begins behind them.
            after = Some(format!("{common}{LAST}"));
            out.prefixes.push(common);
            is_more = true;
            break;
        }
    }
    if is_more && listing.max_keys > 0 {
        let asked = BucketListing { bucket: call.bucket.clone(), prefix, after: after.clone(), limit: 1 };
        let behind = call.doors.engine.bucket_list(&call.caller, asked).await?;
        let rest = after.filter(|_| !behind.items.is_empty());
        out.next_token = rest.map(|after| BASE64_URL_SAFE_NO_PAD.encode(after));
    }
    Ok(out)
}
