//! `[s3]`: buckets for S3 clients, and their parts of memories.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use loci_model::Namespace;
use loci_server::s3::{BucketAlias, S3Options};
use serde::{Deserialize, Serialize};

use super::mirror::millis;

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;
/// The maximum retention of parked objects in milliseconds.
const TTL_MS_MAX: u64 = 3_650 * DAY_MS;

/// `[s3]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct S3Section {
    /// An address with the buckets at the root, for clients that permit no path prefix. Absent
    /// means only at `/s3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<SocketAddr>,
    /// True to merge appends to earlier versions with the current one.
    pub merge_appends: bool,
    /// The retention of objects that are not documents. Absent means that of the memory's events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_ttl: Option<String>,
    /// Buckets, by name.
    pub buckets: BTreeMap<String, BucketSection>,
}

/// `[s3.buckets.<name>]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketSection {
    /// The memory, by name or by id.
    pub memory: String,
    /// The namespace of the bucket. Absent means `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}

impl Default for S3Section {
    fn default() -> Self {
        Self { listen: None, merge_appends: true, object_ttl: None, buckets: BTreeMap::new() }
    }
}

impl S3Section {
    /// Checks the section.
    pub(in crate::config) fn check(&self) -> Result<()> {
        self.options().map(drop)
    }

    /// Returns the options of the S3 interface.
    ///
    /// # Errors
    /// A bucket name, a namespace or a duration is invalid.
    pub fn options(&self) -> Result<S3Options> {
        let mut buckets = BTreeMap::new();
        for (name, section) in &self.buckets {
            let alias = section.alias(name).with_context(|| format!("s3.buckets.{name}"))?;
            buckets.insert(name.clone(), alias);
        }
        let object_ttl_ms = self.object_ttl.as_deref().map(ttl_ms).transpose()?;
        Ok(S3Options { buckets, merge_appends: self.merge_appends, object_ttl_ms })
    }
}

impl BucketSection {
    fn alias(&self, name: &str) -> Result<BucketAlias> {
        let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.');
        let first = name.bytes().next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if !(3..=63).contains(&name.len()) || !first || !name.bytes().all(legal) {
            bail!(
                "a bucket's name must be 3 to 63 lower-case letters, digits, dashes and dots, as clients demand"
            );
        }
        if self.memory.is_empty() {
            bail!("memory must be the name or the id of a memory");
        }
        let namespace = Namespace::parse(self.namespace.as_deref().unwrap_or("/"))
            .map_err(|error| anyhow::anyhow!("namespace: {}", error.message))?;
        Ok(BucketAlias { memory: self.memory.clone(), namespace })
    }
}

fn ttl_ms(text: &str) -> Result<i64> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u64>().ok());
    let told = days.map_or_else(|| millis(text), |days| days.checked_mul(DAY_MS));
    told.filter(|ttl| (HOUR_MS..=TTL_MS_MAX).contains(ttl))
        .and_then(|ttl| i64::try_from(ttl).ok())
        .context("s3.object_ttl must be a duration of 1h to 3650d, such as 12h or 30d")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_must_be() {
        let check = |text: &str, expect: &str| {
            let section: S3Section = toml::from_str(text).unwrap();
            let said = section.check().map_or_else(|error| format!("{error:#}"), |()| String::new());
            assert!(
                if expect.is_empty() { said.is_empty() } else { said.contains(expect) },
                "{text}: {said}"
            );
        };
        check("", "");
        check("listen = \"127.0.0.1:9000\"", "");
        check("object_ttl = \"1h\"", "");
        check("object_ttl = \"3650d\"", "");
        check("object_ttl = \"3651d\"", "1h to 3650d");
        check("object_ttl = \"59m\"", "1h to 3650d");
        check("object_ttl = \"soon\"", "1h to 3650d");
        check("[buckets.desk]\nmemory = \"notes\"\nnamespace = \"/team\"", "");
        check("[buckets.Desk]\nmemory = \"notes\"", "s3.buckets.Desk: a bucket's name");
        check("[buckets.ab]\nmemory = \"notes\"", "3 to 63");
        check("[buckets.desk]\nmemory = \"\"", "memory must be");
        check("[buckets.desk]\nmemory = \"notes\"\nnamespace = \"/a b\"", "namespace");
    }

    #[test]
    fn durations() {
        assert_eq!(ttl_ms("30d").unwrap(), 30 * 24 * 3_600_000);
        assert_eq!(ttl_ms("12h").unwrap(), 12 * 3_600_000);
    }
}
