//! Finds the operation of a request by method, path and query: a few operations, and 501 for all
//! others. A query member that changes the meaning of a request is never ignored.

use http::Method;
use percent_encoding::percent_decode_str;

use super::fault::S3Fault;

/// The maximum number of query members. Each is compared with those before it, and no valid request
/// has half as many.
const MEMBERS_MAX: usize = 64;

/// An operation of the S3 interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    PutObject,
    GetObject,
    HeadObject,
    DeleteObject,
    ListObjectsV2,
    DeleteObjects,
    HeadBucket,
    GetBucketLocation,
}

impl Action {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PutObject => "PutObject",
            Self::GetObject => "GetObject",
            Self::HeadObject => "HeadObject",
            Self::DeleteObject => "DeleteObject",
            Self::ListObjectsV2 => "ListObjectsV2",
            Self::DeleteObjects => "DeleteObjects",
            Self::HeadBucket => "HeadBucket",
            Self::GetBucketLocation => "GetBucketLocation",
        }
    }

    /// Returns the query members that the operation accepts.
    fn members(self) -> &'static [&'static str] {
        match self {
            Self::ListObjectsV2 => &[
                "list-type",
                "prefix",
                "max-keys",
                "continuation-token",
                "start-after",
                "delimiter",
                "encoding-type",
                "fetch-owner",
            ],
            Self::DeleteObjects => &["delete"],
            Self::GetBucketLocation => &["location"],
            Self::PutObject | Self::GetObject | Self::HeadObject | Self::DeleteObject | Self::HeadBucket => {
                &[]
            }
        }
    }
}

/// A request, as far as its first line describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectRequestLine {
    pub(super) action: Action,
    pub(super) bucket: String,
    /// The key of the object; empty for a request to the bucket itself.
    pub(super) key: String,
    query: Vec<(String, String)>,
}

impl ObjectRequestLine {
    /// Returns a member of the query.
    pub(super) fn member(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Parses the method, the path from the bucket on, and the query, both raw.
pub(super) fn read(method: &Method, path: &str, query: &str) -> Result<ObjectRequestLine, S3Fault> {
    let rest = path.trim_start_matches('/');
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    let (bucket, key) = (decoded(bucket)?, decoded(key)?);
    let query = members(query)?;
    let has = |name: &str| query.iter().any(|(key, _)| key == name);
    let is_list = query.iter().any(|(key, value)| key == "list-type" && value == "2");
    let action = match (method, bucket.is_empty(), key.is_empty()) {
        (_, true, _) => None,
        (&Method::PUT, _, false) => Some(Action::PutObject),
        (&Method::GET, _, false) => Some(Action::GetObject),
        (&Method::HEAD, _, false) => Some(Action::HeadObject),
        (&Method::DELETE, _, false) => Some(Action::DeleteObject),
        (&Method::GET, _, true) if is_list => Some(Action::ListObjectsV2),
        (&Method::GET, _, true) if has("location") => Some(Action::GetBucketLocation),
        (&Method::HEAD, _, true) => Some(Action::HeadBucket),
        (&Method::POST, _, true) if has("delete") => Some(Action::DeleteObjects),
        _ => None,
    };
    let action = action.ok_or_else(|| S3Fault::not_implemented("this request is none that Loci answers"))?;
    let is_known = |name: &str| {
        // Members that SDKs add to name the operation, and signatures.
        let is_frame =
            name == "x-id" || name.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("x-amz-"));
        is_frame || action.members().contains(&name)
    };
    if let Some((name, _)) = query.iter().find(|(name, _)| !is_known(name)) {
        return Err(S3Fault::not_implemented(&format!("{} with {name} is not answered", action.name())));
    }
    Ok(ObjectRequestLine { action, bucket, key, query })
}

fn members(raw: &str) -> Result<Vec<(String, String)>, S3Fault> {
    let mut found: Vec<(String, String)> = Vec::new();
    for part in raw.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        // Clients that form-encode queries write a space as a plus, and signatures read it in this
        // way too.
        let (name, value) = (decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?);
        if found.len() >= MEMBERS_MAX {
            return Err(S3Fault::invalid_argument(&format!(
                "a query may have {MEMBERS_MAX} members at most"
            )));
        }
        if found.iter().any(|(known, _)| *known == name) {
            return Err(S3Fault::invalid_argument(&format!("{name} is given twice")));
        }
        found.push((name, value));
    }
    Ok(found)
}

fn decoded(raw: &str) -> Result<String, S3Fault> {
    let text = percent_decode_str(raw).decode_utf8();
    text.map(std::borrow::Cow::into_owned)
        .map_err(|_| S3Fault::bad("InvalidURI", "path and query must be percent-encoded UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_answered() {
        let check = |line: &str, expect: &str| {
            let (method, target) = line.split_once(' ').unwrap();
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            let said = match read(&method.parse().unwrap(), path, query) {
                Ok(asked) => format!("{} {} {}", asked.action.name(), asked.bucket, asked.key),
                Err(fault) => fault.code.to_owned(),
            };
            assert_eq!(said.trim_end(), expect, "{line}");
        };
        check("PUT /notes/a/b.md", "PutObject notes a/b.md");
        check("PUT /notes/a%20%C3%A9+%2Bb.md?x-id=PutObject", "PutObject notes a é++b.md");
        check("GET /notes//a", "GetObject notes /a");
        check("GET /notes/a?X-Amz-Signature=00", "GetObject notes a");
        check("HEAD /notes/a", "HeadObject notes a");
        check("DELETE /notes/a", "DeleteObject notes a");
        check("GET /notes?list-type=2&prefix=a", "ListObjectsV2 notes");
        check("GET /notes/?list-type=2", "ListObjectsV2 notes");
        check("HEAD /notes", "HeadBucket notes");
        check("GET /notes/?location", "GetBucketLocation notes");
        check("POST /notes?delete", "DeleteObjects notes");
        for other in [
            "GET ",
            "GET /",
            "GET /notes",
            "GET /notes?list-type=1",
            "GET /notes?list-type=2&versions",
            "PUT /notes",
            "DELETE /notes",
            "POST /notes/a?uploads",
            "PUT /notes/a?partNumber=1&uploadId=x",
            "GET /notes/a?versionId=1",
            "GET /notes/a?acl",
            "GET /notes/a?response-content-type=text/html",
            "PATCH /notes/a",
        ] {
            check(other, "NotImplemented");
        }
        check("GET /notes/%ff", "InvalidURI");
        check("GET /notes?list-type=2&prefix=a&prefix=b", "InvalidArgument");
        let members = |count: usize| (0..count).map(|number| format!("&x-amz-{number}")).collect::<String>();
        check(&format!("GET /notes?list-type=2{}", members(MEMBERS_MAX - 1)), "ListObjectsV2 notes");
        check(&format!("GET /notes?list-type=2{}", members(MEMBERS_MAX)), "InvalidArgument");
    }
}
