//! The targets of notifications and payloads in the configuration, and one file for each way of
//! delivery.
//!
//! A name is the identifier by which a client or the configuration refers to a target: an ARN, a
//! bucket. Its address selects the delivery method: `http(s)://` (`webhook`), `file://` (`folder`),
//! `s3://` (`bucket`), `kinesis://` (`stream`). This module makes one attempt; the outbox schedules
//! repeats.

mod address;
mod bucket;
mod bucket_files;
mod bucket_listing;
mod folder;
mod stream;
mod webhook;

use std::collections::BTreeMap;
use std::path::{Component, PathBuf};
use std::sync::Arc;

use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_model::ports::deliver::{Deliver, DeliveryResult, Notice, NoticeKind, TargetInfo};
use loci_model::ports::objects::{ObjectStoreResult, Objects};
use loci_model::{Error, FieldName, Result, limits};

pub use address::Address;
pub use bucket_files::BucketFiles;

use crate::redact;
use crate::request::{AddressOrigin, OutboundAnswer, OutboundError, Transport};
use crate::secret::Secret;
use crate::signature::Keys;

/// A secret for which the configuration names an environment variable.
#[derive(Debug, Clone)]
pub enum NamedSecret {
    /// The configuration names no variable.
    None,
    /// The secret that the variable contains.
    Given(Secret),
    /// The name of the variable, which is not set. Operations that need the secret fail until it is
    /// set.
    Missing(String),
}

impl NamedSecret {
    /// Returns the secret. `None` if the configuration names no variable.
    fn get(&self) -> Result<Option<&Secret>> {
        match self {
            Self::None => Ok(None),
            Self::Given(secret) => Ok(Some(secret)),
            Self::Missing(variable) => Err(Error::unavailable(format!("{variable} is not set"))),
        }
    }
}

/// A target for notifications and payloads, from the configuration.
#[derive(Debug, Clone)]
pub struct Target {
    /// The name by which clients and webhooks refer to the target.
    pub name: String,
    /// The address of the target.
    pub address: Address,
    /// The secret that signs notifications to a webhook.
    pub secret: NamedSecret,
    /// The URL of the service, for buckets and streams. `None` means that of AWS.
    pub endpoint: Option<String>,
    /// The AWS region, for buckets and streams.
    pub region: String,
    /// The AWS access key id, for buckets and streams. Without one, requests are not signed.
    pub access_key: NamedSecret,
    /// The AWS secret access key, for buckets and streams.
    pub secret_key: NamedSecret,
    /// The session token of temporary AWS credentials, for buckets and streams.
    pub session_token: NamedSecret,
    /// True if the name of the bucket is in the path of the URL. Otherwise it is in the host name.
    pub path_style: bool,
    /// True if the service supports conditional writes, so that a mirror does not overwrite
    /// concurrent changes.
    pub conditional_writes: bool,
}

/// The targets that clients may specify themselves (`compat.client_targets`).
#[derive(Debug, Clone, Default)]
pub struct ClientTargets {
    /// True if clients may specify URLs.
    pub allowed: bool,
    /// The folder that must contain the `file://` addresses of clients.
    pub folder: PathBuf,
}

/// All targets.
pub struct Targets {
    by_name: BTreeMap<String, Target>,
    clients: ClientTargets,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
}

impl Targets {
    /// Creates the table of targets.
    ///
    /// # Errors
    /// Invalid if a name occurs twice, there are too many targets, or a secret cannot be used to
    /// sign.
    pub fn new(
        targets: Vec<Target>,
        clients: ClientTargets,
        transport: Arc<dyn Transport>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        if targets.len() > limits::TARGETS_MAX {
            let rule = format!("the configuration may have at most {} targets", limits::TARGETS_MAX);
            return Err(Error::invalid("target", rule));
        }
        let mut by_name = BTreeMap::new();
        for target in targets {
            if let NamedSecret::Given(secret) = &target.secret
                && Keys::read(secret).is_none()
            {
                let rule = format!(
                    "the secret of target {} must be one or two keys, each text or whsec_ and base64",
                    target.name
                );
                return Err(Error::invalid("target.secret_env", rule));
            }
            if let Some(twice) = by_name.insert(target.name.clone(), target) {
                return Err(Error::invalid("target.name", format!("target {} is there twice", twice.name)));
            }
        }
        Ok(Self { by_name, clients, transport, clock })
    }

    /// Returns the bucket with this name, below `folder` in it, as a file backend.
    ///
    /// # Errors
    /// `Invalid`, for the field `path`, if the target does not exist or is not a bucket.
    pub fn bucket_files(&self, name: &str, folder: &str) -> Result<BucketFiles> {
        let target = self.by_name.get(name).cloned().ok_or_else(|| {
            let rule = format!(
                "path must begin with the name of a [[target]] for s3; there is none called {name:?}"
            );
            Error::invalid("path", rule)
        })?;
        BucketFiles::new(target, folder, Arc::clone(&self.transport))
    }

    /// Returns the target with this name, and the origin of its address.
    fn find(&self, name: &str) -> Option<(Target, AddressOrigin)> {
        if let Some(target) = self.by_name.get(name) {
            return Some((target.clone(), AddressOrigin::Configured));
        }
        let address = self.clients.allowed.then(|| Address::parse(name).ok()).flatten()?;
        let is_legal = match &address {
            Address::Web(_) => true,
            Address::Folder(path) => self.is_within(path),
            // These need keys or a configured file, which clients cannot supply.
            Address::Lines(_) | Address::Bucket { .. } | Address::Stream(_) => false,
        };
        let target = Target {
            name: name.to_owned(),
            address,
            secret: NamedSecret::None,
            endpoint: None,
            region: String::new(),
            access_key: NamedSecret::None,
            secret_key: NamedSecret::None,
            session_token: NamedSecret::None,
            path_style: false,
            conditional_writes: true,
        };
        is_legal.then_some((target, AddressOrigin::Public))
    }

    fn is_within(&self, path: &std::path::Path) -> bool {
        path.starts_with(&self.clients.folder)
            && path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
    }

    async fn deliver_to(&self, notice: Notice) -> Result<DeliveryResult> {
        let Some((target, reach)) = self.find(&notice.target) else { return Ok(DeliveryResult::NoMapping) };
        let transport = self.transport.as_ref();
        let name = format!("{:013}-{}.json", notice.created_at.millis(), file_name(notice.id.as_str()));
        match &target.address {
            Address::Web(url) => webhook::send(transport, url, &target, reach, &notice).await?,
            Address::Folder(path) => {
                folder::write(path.clone(), name, notice.body.as_str().as_bytes().to_vec()).await?;
            }
            Address::Lines(path) => folder::append(path.clone(), notice.body.as_str()).await?,
            Address::Bucket { bucket, prefix } => {
                let key = format!("{prefix}{name}");
                let body = notice.body.as_str().as_bytes().to_vec();
                bucket::put(transport, &target, bucket, &key, body, notice.at).await?;
            }
            Address::Stream(stream) => stream::put(transport, &target, stream, &notice).await?,
        }
        Ok(DeliveryResult::Accepted)
    }

    async fn store(&self, bucket: &str, key: &str, bytes: Vec<u8>) -> Result<ObjectStoreResult> {
        let Some((target, _)) = self.find(bucket) else { return Ok(ObjectStoreResult::NoMapping) };
        match &target.address {
            Address::Folder(path) => folder::store(path, key, bytes).await.map(ObjectStoreResult::At),
            Address::Bucket { bucket, prefix } => {
                let key = format!("{prefix}{key}");
                let at = self.clock.now();
                bucket::put(self.transport.as_ref(), &target, bucket, &key, bytes, at).await?;
                Ok(ObjectStoreResult::At(format!("s3://{bucket}/{key}")))
            }
            Address::Web(_) | Address::Lines(_) | Address::Stream(_) => Err(Error::invalid(
                FieldName::PayloadBucket,
                "the target of payloads must be a folder (file:///dir) or a bucket (s3://bucket)",
            )),
        }
    }
}

impl Deliver for Targets {
    fn deliver(&self, notice: Notice) -> BoxFuture<'_, Result<DeliveryResult>> {
        Box::pin(self.deliver_to(notice))
    }

    fn reaches(&self, target: &str) -> bool {
        self.find(target).is_some()
    }

    fn known(&self) -> Vec<TargetInfo> {
        let shown = |target: &Target| TargetInfo {
            name: target.name.clone(),
            scheme: target.address.scheme(),
            place: redact::place(&target.address.to_string()),
            signed: matches!((&target.address, &target.secret), (Address::Web(_), NamedSecret::Given(_))),
        };
        self.by_name.values().map(shown).collect()
    }
}

impl Objects for Targets {
    fn put(&self, bucket: &str, key: &str, bytes: Vec<u8>) -> BoxFuture<'_, Result<ObjectStoreResult>> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        Box::pin(async move { self.store(&bucket, &key, bytes).await })
    }
}

impl std::fmt::Debug for Targets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Targets").field("names", &self.by_name.keys()).finish_non_exhaustive()
    }
}

/// Returns an id as part of a file name. Our own ids contain letters, digits and dashes; other
/// characters are replaced.
fn file_name(id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    id.chars().map(safe).collect()
}

/// Maps a response, or its absence, to the result of the attempt. The error contains neither the
/// address nor the body.
fn accepted(answer: std::result::Result<OutboundAnswer, OutboundError>) -> Result<()> {
    let status = match answer {
        Ok(answer) => answer.status,
        Err(error @ OutboundError::Refused(_)) => {
            return Err(Error::invalid("target", error.to_string()));
        }
        Err(error) => {
            return Err(Error::new(loci_model::ErrorKind::Upstream, error.to_string()).caused_by(error));
        }
    };
    match status {
        200..=299 => Ok(()),
        410 => Err(Error::invalid("target", "the target answered 410: it is gone")),
        429 | 503 => {
            let said = format!("the target answered {status}");
            Err(Error::new(loci_model::ErrorKind::Throttled, said))
        }
        _ => {
            let said = format!("the target answered {status}");
            Err(Error::new(loci_model::ErrorKind::Upstream, said))
        }
    }
}

/// Returns the partition key of a notification in a stream: its record, or the complete order key.
fn partition(notice: &Notice) -> &str {
    match notice.kind {
        NoticeKind::RecordStream => notice.order_key.rsplit(' ').next().unwrap_or(&notice.order_key),
        NoticeKind::SelfManaged | NoticeKind::JobEnded | NoticeKind::Test => &notice.order_key,
    }
}
