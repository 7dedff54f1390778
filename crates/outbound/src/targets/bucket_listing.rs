//! Parses a page of a bucket's listing from the service's XML. Pure.

use loci_model::json::xml_attributes::xml_attributes;
use loci_model::{Error, Result, limits};
use percent_encoding::percent_decode_str;

/// A key in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedKey {
    /// The complete key.
    pub(super) key: String,
    /// The entity tag as received. It changes whenever the content changes.
    pub(super) etag: String,
    /// The size in bytes.
    pub(super) bytes: u64,
}

/// A page of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ListedPage {
    /// The keys on the page.
    pub(super) keys: Vec<ListedKey>,
    /// The keys on the page that are not valid text.
    pub(super) unreadable: Vec<String>,
    /// The token with which the next page is requested. `None` on the last page.
    pub(super) next: Option<String>,
}

/// Parses a page that was requested with `encoding-type=url`.
///
/// # Errors
/// `Upstream` if the text is not a listing.
pub(super) fn page(text: &str) -> Result<ListedPage> {
    let bad =
        |what: &str| Error::new(loci_model::ErrorKind::Upstream, format!("the bucket's listing {what}"));
    if xml_attributes(text) > limits::XML_ATTRIBUTES_MAX {
        return Err(bad("has more attributes than a listing needs"));
    }
    let document = roxmltree::Document::parse(text).map_err(|error| bad("is no XML").caused_by(error))?;
    let root = document.root_element();
    if root.tag_name().name() != "ListBucketResult" {
        return Err(bad("is something else: look at the endpoint of the target"));
    }
    let of = |node: roxmltree::Node<'_, '_>, name: &str| {
        let child = node.children().find(|child| child.tag_name().name() == name);
        child.and_then(|child| child.text()).map(ToOwned::to_owned)
    };
    let is_encoded = of(root, "EncodingType").is_some_and(|word| word == "url");
    let mut page = ListedPage::default();
    for node in root.children().filter(|node| node.tag_name().name() == "Contents") {
        let key = of(node, "Key").ok_or_else(|| bad("has an entry without a key"))?;
        let bytes = of(node, "Size").and_then(|size| size.parse().ok());
        let bytes = bytes.ok_or_else(|| bad("has an entry without a size"))?;
        let etag = of(node, "ETag").unwrap_or_default();
        match if is_encoded { decoded(&key) } else { Some(key.clone()) } {
            Some(key) => page.keys.push(ListedKey { key, etag, bytes }),
            None => page.unreadable.push(key),
        }
    }
    if of(root, "IsTruncated").is_some_and(|word| word == "true") {
        let next = of(root, "NextContinuationToken");
        page.next = Some(next.ok_or_else(|| bad("ends in the middle, without a token"))?);
    }
    Ok(page)
}

/// Decodes a form-encoded key, in which a plus is a space.
fn decoded(key: &str) -> Option<String> {
    let spaced = key.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages() {
        let check = |inner: &str, expect: Option<(&[&str], Option<&str>)>| {
            let text = format!(
                r#"<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{inner}</ListBucketResult>"#
            );
            let read = page(&text).ok();
            let seen = read.as_ref().map(|page| {
                (page.keys.iter().map(|key| key.key.as_str()).collect::<Vec<_>>(), page.next.as_deref())
            });
            assert_eq!(seen, expect.map(|(keys, next)| (keys.to_vec(), next)), "{inner}");
        };
        let entry = |key: &str| {
            format!("<Contents><Key>{key}</Key><ETag>&quot;x&quot;</ETag><Size>3</Size></Contents>")
        };
        check("", Some((&[], None)));
        check(&entry("a%2Bb.md"), Some((&["a%2Bb.md"], None)));
        let encoded = format!("<EncodingType>url</EncodingType>{}{}", entry("a%2Bb+c.md"), entry("%FF"));
        check(&encoded, Some((&["a+b c.md"], None)));
        check(
            "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>",
            Some((&[], Some("t"))),
        );
        check("<IsTruncated>true</IsTruncated>", None);
        check("<Contents><Size>3</Size></Contents>", None);
        check("<Contents><Key>a</Key><Size>many</Size></Contents>", None);
        assert!(page("<Error><Code>NoSuchBucket</Code></Error>").is_err());
        assert!(page("no xml").is_err());
    }
}
