//! Which part of which memory a bucket's name stands for: that of `[s3.buckets]`, or the whole of the
//! memory with that id or name.

use std::collections::BTreeMap;

use loci_documents::bucket::Bucket;
use loci_model::Namespace;
use loci_model::principal::Principal;

use super::fault::Fault;
use crate::doors::Doors;

/// How buckets behave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct S3Options {
    /// Buckets with a name of their own.
    pub buckets: BTreeMap<String, BucketAlias>,
    /// Appends to earlier versions are brought together with the current one.
    pub merge_appends: bool,
    /// What is no document vanishes after so many milliseconds; none: with the memory's events.
    pub object_ttl_ms: Option<i64>,
}

/// What a bucket's name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketAlias {
    /// The memory, by name or by id.
    pub memory: String,
    /// Below this namespace.
    pub namespace: Namespace,
}

impl Default for S3Options {
    fn default() -> Self {
        Self { buckets: BTreeMap::new(), merge_appends: true, object_ttl_ms: None }
    }
}

/// The bucket of a name, as far as the caller may know of it.
pub(super) async fn find(doors: &Doors, caller: &Principal, name: &str) -> Result<Bucket, Fault> {
    let missing = || Fault::no_such_bucket(name);
    let (memory, namespace) = match doors.options.s3.buckets.get(name) {
        Some(alias) => (alias.memory.as_str(), alias.namespace.clone()),
        None => (name, Namespace::parse("/")?),
    };
    let memory = doors.engine.memory_visible(caller, memory).await?.ok_or_else(missing)?;
    Ok(Bucket { memory, namespace })
}
