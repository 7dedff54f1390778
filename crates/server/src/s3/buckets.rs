//! The memory and namespace of a bucket's name: those of `[s3.buckets]`, or the whole memory with
//! that id or name.

use std::collections::BTreeMap;

use loci_documents::bucket::Bucket;
use loci_model::Namespace;
use loci_model::principal::Principal;

use super::fault::S3Fault;
use crate::doors::Doors;

/// The settings of the S3 interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct S3Options {
    /// The buckets with configured names.
    pub buckets: BTreeMap<String, BucketAlias>,
    /// True to merge appends to earlier versions with the current one.
    pub merge_appends: bool,
    /// The lifetime of objects that are not documents, in milliseconds. `None` uses the retention
    /// of the memory's events.
    pub object_ttl_ms: Option<i64>,
}

/// The memory and the namespace that a configured bucket stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketAlias {
    /// The name or the id of the memory.
    pub memory: String,
    /// The namespace that is the bucket's root.
    pub namespace: Namespace,
}

impl Default for S3Options {
    fn default() -> Self {
        Self { buckets: BTreeMap::new(), merge_appends: true, object_ttl_ms: None }
    }
}

/// Returns the bucket of a name, if the caller may see it.
pub(super) async fn find(doors: &Doors, caller: &Principal, name: &str) -> Result<Bucket, S3Fault> {
    let missing = || S3Fault::no_such_bucket(name);
    let (memory, namespace) = match doors.options.s3.buckets.get(name) {
        Some(alias) => (alias.memory.as_str(), alias.namespace.clone()),
        None => (name, Namespace::parse("/")?),
    };
    let memory = doors.engine.memory_visible(caller, memory).await?.ok_or_else(missing)?;
    Ok(Bucket { memory, namespace })
}
