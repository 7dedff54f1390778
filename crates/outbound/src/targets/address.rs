//! Parses the configured address of a target. Pure.

use std::fmt;
use std::path::{Path, PathBuf};

use loci_model::{Error, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::redact;

/// The characters to percent-encode in a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The characters to percent-encode in a query value.
const ENCODED_IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address of a target, which selects how it receives notifications.
#[derive(Clone, PartialEq, Eq)]
pub enum Address {
    /// A webhook, by its URL: `https://…`, `http://…`.
    Web(String),
    /// A folder that gets one file for each notification: `file:///folder`.
    Folder(PathBuf),
    /// A file that gets one line for each notification: `file:///folder/name.jsonl`.
    Lines(PathBuf),
    /// A bucket that gets one object for each notification: `s3://bucket/prefix`.
    Bucket {
        /// The name of the bucket.
        bucket: String,
        /// The prefix of every object key: empty, or ending in a slash.
        prefix: String,
    },
    /// A Kinesis stream, by its name: `kinesis://stream`.
    Stream(String),
}

impl Address {
    /// Parses an address.
    ///
    /// # Errors
    /// `Invalid` if the scheme is unknown, or a required part is missing.
    pub fn parse(text: &str) -> Result<Self> {
        let bad = |rule: &str| Err(Error::invalid("target.url", format!("the url of a target {rule}")));
        let Some((scheme, rest)) = text.split_once("://") else {
            return bad("must be https://…, file:///folder, s3://bucket/prefix or kinesis://stream");
        };
        match scheme {
            "http" | "https" if !rest.is_empty() => Ok(Self::Web(text.to_owned())),
            "file" => {
                let Ok(path) = percent_decode_str(rest).decode_utf8() else {
                    return bad("must be percent-encoded UTF-8");
                };
                if !path.starts_with('/') {
                    return bad("must be absolute: file:///folder");
                }
                let path = PathBuf::from(path.as_ref());
                let is_lines = path.extension().is_some_and(|extension| extension == "jsonl");
                Ok(if is_lines { Self::Lines(path) } else { Self::Folder(path) })
            }
            "s3" => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
                if bucket.is_empty() || !bucket.bytes().all(is_name) {
                    return bad("must name a bucket: s3://bucket/prefix");
                }
                let prefix = prefix.trim_matches('/');
                let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
                Ok(Self::Bucket { bucket: bucket.to_owned(), prefix })
            }
            "kinesis" => {
                let name = rest.trim_end_matches('/');
                let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
                if name.is_empty() || !name.bytes().all(is_name) {
                    return bad("must name a stream: kinesis://stream");
                }
                Ok(Self::Stream(name.to_owned()))
            }
            _ => bad("must be https://…, file:///folder, s3://bucket/prefix or kinesis://stream"),
        }
    }

    /// Returns the scheme of the address's URL.
    pub fn scheme(&self) -> &'static str {
        match self {
            Self::Web(url) if url.starts_with("https:") => "https",
            Self::Web(_) => "http",
            Self::Folder(_) | Self::Lines(_) => "file",
            Self::Bucket { .. } => "s3",
            Self::Stream(_) => "kinesis",
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Web(url) => f.write_str(url),
            Self::Folder(path) | Self::Lines(path) => f.write_str(&of_path(path)),
            Self::Bucket { bucket, prefix } => write!(f, "s3://{bucket}/{prefix}"),
            Self::Stream(name) => write!(f, "kinesis://{name}"),
        }
    }
}

impl fmt::Debug for Address {
    /// Hides queries of webhooks, which may contain keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Web(url) => f.write_str(&redact::place(url)),
            Self::Folder(_) | Self::Lines(_) | Self::Bucket { .. } | Self::Stream(_) => {
                fmt::Display::fmt(self, f)
            }
        }
    }
}

/// Returns the address of a file.
pub(super) fn of_path(path: &Path) -> String {
    format!("file://{}", encoded(&path.to_string_lossy()))
}

/// Percent-encodes a path.
pub(super) fn encoded(path: &str) -> impl fmt::Display {
    utf8_percent_encode(path, ENCODED)
}

/// Percent-encodes a query value.
pub(super) fn encoded_query(text: &str) -> impl fmt::Display {
    utf8_percent_encode(text, ENCODED_IN_QUERY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |text: &str, expect: Option<Address>, shown: &str| {
            let parsed = Address::parse(text).ok();
            assert_eq!(parsed, expect, "{text}");
            assert_eq!(parsed.map_or(String::new(), |address| address.to_string()), shown, "{text}");
        };
        let bucket = |prefix: &str| Some(Address::Bucket { bucket: "b-1".into(), prefix: prefix.into() });
        check("https://h/x", Some(Address::Web("https://h/x".into())), "https://h/x");
        check("file:///var/out%20box", Some(Address::Folder("/var/out box".into())), "file:///var/out%20box");
        check(
            "file:///var/all.jsonl",
            Some(Address::Lines("/var/all.jsonl".into())),
            "file:///var/all.jsonl",
        );
        check("s3://b-1", bucket(""), "s3://b-1/");
        check("s3://b-1/a/b/", bucket("a/b/"), "s3://b-1/a/b/");
        check("kinesis://records", Some(Address::Stream("records".into())), "kinesis://records");
        let web = Address::Web("https://h/x?token=secret".into());
        assert_eq!(format!("{web:?}"), "https://h/x?…");
        for bad in [
            "",
            "ftp://x",
            "file://relative",
            "s3://",
            "s3:///x",
            "kinesis://",
            "kinesis://a/b",
            "https://",
            "x",
        ] {
            check(bad, None, "");
        }
    }
}
