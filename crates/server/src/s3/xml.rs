//! Responses in the XML of S3. Elements are in AWS's order, and every text is escaped.

use std::fmt::Write;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::delete_objects::Deleted;
use super::fault::S3Fault;
use super::listing::{ListObjectsResult, Listing};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NAMESPACE: &str = "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"";
/// The characters that `encoding-type=url` leaves unencoded.
const KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

pub(super) fn response(text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/xml"));
    response
}

/// Returns the entity tag of bytes with that digest.
pub(super) fn etag(sha256: &str) -> String {
    format!("\"sha256:{sha256}\"")
}

pub(super) fn location() -> String {
    format!("{DECLARATION}<LocationConstraint {NAMESPACE}/>")
}

pub(super) fn error(fault: &S3Fault, resource: &str, request_id: &str) -> String {
    let mut out = format!("{DECLARATION}<Error>");
    element(&mut out, "Code", fault.code);
    element(&mut out, "Message", &fault.message);
    element(&mut out, "Resource", resource);
    element(&mut out, "RequestId", request_id);
    out.push_str("</Error>");
    out
}

pub(super) fn listing(bucket: &str, asked: &Listing, listed: &ListObjectsResult) -> String {
    let coded = |text: &str| match asked.is_url_encoded {
        true => utf8_percent_encode(text, &KEPT).to_string(),
        false => text.to_owned(),
    };
    let mut out = format!("{DECLARATION}<ListBucketResult {NAMESPACE}>");
    element(&mut out, "Name", bucket);
    element(&mut out, "Prefix", &coded(&asked.prefix));
    if let Some(delimiter) = &asked.delimiter {
        element(&mut out, "Delimiter", &coded(delimiter));
    }
    element(&mut out, "MaxKeys", &asked.max_keys.to_string());
    if asked.is_url_encoded {
        element(&mut out, "EncodingType", "url");
    }
    element(&mut out, "KeyCount", &(listed.entries.len() + listed.prefixes.len()).to_string());
    element(&mut out, "IsTruncated", if listed.next_token.is_some() { "true" } else { "false" });
    if let Some(token) = &asked.token {
        element(&mut out, "ContinuationToken", token);
    }
    if let Some(token) = &listed.next_token {
        element(&mut out, "NextContinuationToken", token);
    }
    if let Some(start_after) = &asked.start_after {
        element(&mut out, "StartAfter", &coded(start_after));
    }
    for entry in &listed.entries {
        out.push_str("<Contents>");
        element(&mut out, "Key", &coded(&entry.key));
        element(&mut out, "LastModified", &entry.updated_at.to_rfc3339());
        element(&mut out, "ETag", &etag(&entry.sha256));
        element(&mut out, "Size", &entry.bytes.to_string());
        element(&mut out, "StorageClass", "STANDARD");
        out.push_str("</Contents>");
    }
    for prefix in &listed.prefixes {
        out.push_str("<CommonPrefixes>");
        element(&mut out, "Prefix", &coded(prefix));
        out.push_str("</CommonPrefixes>");
    }
    out.push_str("</ListBucketResult>");
    out
}

pub(super) fn deleted(deleted: &[Deleted], is_quiet: bool) -> String {
    let mut out = format!("{DECLARATION}<DeleteResult {NAMESPACE}>");
    for one in deleted {
        match &one.fault {
            None if is_quiet => {}
            None => {
                out.push_str("<Deleted>");
                element(&mut out, "Key", &one.key);
                out.push_str("</Deleted>");
            }
            Some(fault) => {
                out.push_str("<Error>");
                element(&mut out, "Key", &one.key);
                element(&mut out, "Code", fault.code);
                element(&mut out, "Message", &fault.message);
                out.push_str("</Error>");
            }
        }
    }
    out.push_str("</DeleteResult>");
    out
}

fn element(out: &mut String, name: &str, text: &str) {
    let _ = write!(out, "<{name}>"); // a string takes everything
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            // XML cannot represent these characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    let _ = write!(out, "</{name}>");
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use loci_documents::bucket::BucketEntry;
    use loci_model::Timestamp;

    use super::*;

    fn lines(text: &str) -> String {
        text.replace("><", ">\n<")
    }

    #[test]
    fn a_page_of_keys() {
        let asked = Listing {
            prefix: "memory/".to_owned(),
            delimiter: Some("/".to_owned()),
            max_keys: 2,
            token: Some("bWVt".to_owned()),
            is_url_encoded: true,
            ..Listing::default()
        };
        let entry = BucketEntry {
            key: "memory/a b+&é.md".to_owned(),
            bytes: 7,
            sha256: "ab".to_owned(),
            updated_at: Timestamp::parse("2026-03-14T09:26:53.589Z").unwrap(),
        };
        let listed = ListObjectsResult {
            entries: vec![entry],
            prefixes: vec!["memory/desk/".to_owned()],
            next_token: Some("bmV4dA".to_owned()),
        };
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Name>notes</Name>
            <Prefix>memory/</Prefix>
            <Delimiter>/</Delimiter>
            <MaxKeys>2</MaxKeys>
            <EncodingType>url</EncodingType>
            <KeyCount>2</KeyCount>
            <IsTruncated>true</IsTruncated>
            <ContinuationToken>bWVt</ContinuationToken>
            <NextContinuationToken>bmV4dA</NextContinuationToken>
            <Contents>
            <Key>memory/a%20b%2B%26%C3%A9.md</Key>
            <LastModified>2026-03-14T09:26:53.589Z</LastModified>
            <ETag>&quot;sha256:ab&quot;</ETag>
            <Size>7</Size>
            <StorageClass>STANDARD</StorageClass>
            </Contents>
            <CommonPrefixes>
            <Prefix>memory/desk/</Prefix>
            </CommonPrefixes>
            </ListBucketResult>"#]]
        .assert_eq(&lines(&listing("notes", &asked, &listed)));
    }

    #[test]
    fn errors_and_deletions() {
        let fault = || S3Fault::no_such_key("<a>&\r\u{1}");
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <Error>
            <Code>NoSuchKey</Code>
            <Message>nothing lies under the key &lt;a&gt;&amp;&#13;�</Message>
            <Resource>/s3/notes/a</Resource>
            <RequestId>id-1</RequestId>
            </Error>"#]]
        .assert_eq(&lines(&error(&fault(), "/s3/notes/a", "id-1")));
        let all = [
            Deleted { key: "a".to_owned(), fault: None },
            Deleted { key: "b".to_owned(), fault: Some(fault()) },
        ];
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Deleted>
            <Key>a</Key>
            </Deleted>
            <Error>
            <Key>b</Key>
            <Code>NoSuchKey</Code>
            <Message>nothing lies under the key &lt;a&gt;&amp;&#13;�</Message>
            </Error>
            </DeleteResult>"#]]
        .assert_eq(&lines(&deleted(&all, false)));
        assert!(!deleted(&all, true).contains("<Deleted>"));
        assert_eq!(location(), format!("{DECLARATION}<LocationConstraint {NAMESPACE}/>"));
    }
}
