//! DeleteObjects: deletes many keys in one request, each independently. Failures are reported by
//! key.

use axum::response::Response;
use futures::StreamExt;
use loci_model::json::xml_attributes::xml_attributes;
use loci_model::limits;

use super::fault::S3Fault;
use super::{Call, xml};
use crate::long_body;

/// The maximum number of keys in one request.
const KEYS_MAX: usize = 1_000;
/// The maximum number of XML nodes: enough for a list of that many keys, with white space and with
/// members that are rejected by name.
const NODES_MAX: u32 = 20_000;
/// The number of keys deleted concurrently. Writes that wait together are committed together.
const AT_ONCE: usize = 32;

/// The content of a DeleteObjects request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeleteObjectsRequest {
    pub(super) keys: Vec<String>,
    pub(super) is_quiet: bool,
}

/// The result of deleting one key.
#[derive(Debug)]
pub(super) struct Deleted {
    pub(super) key: String,
    pub(super) fault: Option<S3Fault>,
}

pub(super) async fn delete(call: Call<'_>) -> Result<Response, S3Fault> {
    let Call { doors, caller, bucket, body, .. } = call;
    let asked = long_body::run(body.len(), move || read(&body)).await??;
    let (engine, caller, bucket) = (&doors.engine, &caller, &bucket);
    let each = asked.keys.into_iter().map(|key| async move {
        let fault = engine.documents.bucket_delete(caller, bucket, &key, None).await.err().map(S3Fault::from);
        Deleted { key, fault }
    });
    let deleted: Vec<Deleted> = futures::stream::iter(each).buffered(AT_ONCE).collect().await;
    Ok(xml::response(xml::deleted(&deleted, asked.is_quiet)))
}

/// Parses the list of keys. A key with a condition or a version is rejected, because a deletion
/// without it would delete too much.
pub(super) fn read(body: &[u8]) -> Result<DeleteObjectsRequest, S3Fault> {
    let text = std::str::from_utf8(body).map_err(|_| malformed("the body is not UTF-8"))?;
    if xml_attributes(text) > limits::XML_ATTRIBUTES_MAX {
        let max = limits::XML_ATTRIBUTES_MAX;
        return Err(malformed(&format!("Delete may have {max} attributes at most: it needs none but xmlns")));
    }
    let options =
        roxmltree::ParsingOptions { nodes_limit: NODES_MAX, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(text, options)
        .map_err(|error| malformed(&format!("the body is not XML that can be read: {error}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "Delete" {
        return Err(malformed("the body must be a Delete element"));
    }
    let (mut keys, mut is_quiet) = (Vec::new(), false);
    for child in root.children().filter(roxmltree::Node::is_element) {
        match child.tag_name().name() {
            "Quiet" => is_quiet = child.text().map(str::trim) == Some("true"),
            "Object" => keys.push(key_of(child)?),
            other => return Err(malformed(&format!("Delete has no member {other}"))),
        }
    }
    if keys.is_empty() || keys.len() > KEYS_MAX {
        return Err(malformed(&format!("Delete must have 1 to {KEYS_MAX} members Object")));
    }
    Ok(DeleteObjectsRequest { keys, is_quiet })
}

fn key_of(object: roxmltree::Node<'_, '_>) -> Result<String, S3Fault> {
    let mut key = None;
    for member in object.children().filter(roxmltree::Node::is_element) {
        match member.tag_name().name() {
            "Key" if key.is_some() => return Err(malformed("an Object has one Key")),
            "Key" => key = Some(text_of(member)?),
            other => {
                return Err(S3Fault::not_implemented(&format!(
                    "a deletion of many with {other} is not answered"
                )));
            }
        }
    }
    key.filter(|key| !key.is_empty()).ok_or_else(|| malformed("an Object has no Key"))
}

/// Returns the complete text of a key. A key that is only partly text would name another key.
fn text_of(key: roxmltree::Node<'_, '_>) -> Result<String, S3Fault> {
    if key.children().any(|child| !child.is_text()) {
        return Err(malformed("a Key is text alone"));
    }
    Ok(key.children().filter_map(|child| child.text()).collect())
}

fn malformed(rule: &str) -> S3Fault {
    S3Fault::bad("MalformedXML", rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_keys() {
        let check = |body: &str, expect: Result<&[&str], &str>| {
            let found = read(body.as_bytes());
            let found = found.as_ref().map(|asked| asked.keys.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(found.map_err(|fault| fault.code), expect.map(<[&str]>::to_vec), "{body}");
        };
        let namespace = "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"";
        check(
            &format!(
                "<Delete {namespace}><Object><Key>a&amp;b</Key></Object><Object><Key>c</Key></Object></Delete>"
            ),
            Ok(&["a&b", "c"]),
        );
        check("<Delete><Quiet>true</Quiet><Object><Key> a </Key></Object></Delete>", Ok(&[" a "]));
        check("<Delete></Delete>", Err("MalformedXML"));
        check("<Delete><Object></Object></Delete>", Err("MalformedXML"));
        check("<Delete><Object><Key>a</Key><ETag>x</ETag></Object></Delete>", Err("NotImplemented"));
        check("<Delete><Object><Key>a<![CDATA[<b>]]></Key></Object></Delete>", Ok(&["a<b>"]));
        check("<Delete><Object><Key>a<!-- -->b</Key></Object></Delete>", Err("MalformedXML"));
        check("<Delete><Object><Key><b>a</b></Key></Object></Delete>", Err("MalformedXML"));
        check("<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>", Err("MalformedXML"));
        check(&format!("<Delete>{}</Delete>", "<a/>".repeat(NODES_MAX as usize)), Err("MalformedXML"));
        check("<Remove/>", Err("MalformedXML"));
        let with = |count: usize| {
            let names: String = (0..count).map(|number| format!(" a{number}='b'")).collect();
            format!("<Delete{names}><Object><Key>k</Key></Object></Delete>")
        };
        check(&with(loci_model::limits::XML_ATTRIBUTES_MAX), Ok(&["k"]));
        check(&with(loci_model::limits::XML_ATTRIBUTES_MAX + 1), Err("MalformedXML"));
        check("<Delete><Object><Key>a</Key>", Err("MalformedXML"));
        check(
            "<!DOCTYPE x [<!ENTITY y \"z\">]><Delete><Object><Key>&y;</Key></Object></Delete>",
            Err("MalformedXML"),
        );
        check("", Err("MalformedXML"));
        let many =
            |count: usize| format!("<Delete>{}</Delete>", "<Object><Key>k</Key></Object>".repeat(count));
        assert_eq!(read(many(KEYS_MAX).as_bytes()).unwrap().keys.len(), KEYS_MAX);
        assert_eq!(read(many(KEYS_MAX + 1).as_bytes()).unwrap_err().code, "MalformedXML");
    }
}
