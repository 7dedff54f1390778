//! Targets and buckets in memory: they store received data, and a script determines the failures.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use loci_model::ports::BoxFuture;
use loci_model::ports::deliver::{Deliver, DeliveryResult, Notice, TargetInfo};
use loci_model::ports::objects::{ObjectStoreResult, Objects};
use loci_model::{Error, ErrorKind, Result};

#[derive(Default)]
struct RecordedDeliveries {
    notices: Vec<Notice>,
    objects: BTreeMap<(String, String), Vec<u8>>,
    tries: usize,
    /// The failures of the next attempts, for deliveries and objects; `None`: the attempt succeeds.
    failures: VecDeque<Option<ErrorKind>>,
    unmapped: BTreeSet<String>,
}

/// A target that accepts notifications and objects.
#[derive(Default)]
pub struct RecordingTargets(Mutex<RecordedDeliveries>);

impl RecordingTargets {
    /// Sets the failures of the next attempts, one each; `None`: the attempt succeeds.
    pub fn fail_next(&self, failures: impl IntoIterator<Item = Option<ErrorKind>>) {
        self.kept(|kept| kept.failures.extend(failures));
    }

    /// Removes the configuration of a target or bucket.
    pub fn unmap(&self, name: &str) {
        self.kept(|kept| kept.unmapped.insert(name.to_owned()));
    }

    /// Restores the configuration.
    pub fn map(&self, name: &str) {
        self.kept(|kept| kept.unmapped.remove(name));
    }

    /// Returns the received notices in order. A repeated delivery is included twice.
    pub fn notices(&self) -> Vec<Notice> {
        self.kept(|kept| kept.notices.clone())
    }

    /// Returns the object under a key of a bucket.
    pub fn object(&self, bucket: &str, key: &str) -> Option<Vec<u8>> {
        self.kept(|kept| kept.objects.get(&(bucket.to_owned(), key.to_owned())).cloned())
    }

    /// Returns the buckets and keys of all objects.
    pub fn objects(&self) -> Vec<(String, String)> {
        self.kept(|kept| kept.objects.keys().cloned().collect())
    }

    /// Returns the number of attempts.
    pub fn tries(&self) -> usize {
        self.kept(|kept| kept.tries)
    }

    fn kept<T>(&self, work: impl FnOnce(&mut RecordedDeliveries) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl RecordedDeliveries {
    fn try_once(&mut self) -> Result<()> {
        self.tries += 1;
        match self.failures.pop_front().flatten() {
            Some(kind) => Err(Error::new(kind, "failed as scripted")),
            None => Ok(()),
        }
    }
}

impl Deliver for RecordingTargets {
    fn deliver(&self, notice: Notice) -> BoxFuture<'_, Result<DeliveryResult>> {
        let outcome = self.kept(|kept| {
            kept.try_once()?;
            if kept.unmapped.contains(&notice.target) {
                return Ok(DeliveryResult::NoMapping);
            }
            kept.notices.push(notice);
            Ok(DeliveryResult::Accepted)
        });
        Box::pin(async move { outcome })
    }

    fn reaches(&self, target: &str) -> bool {
        self.kept(|kept| !kept.unmapped.contains(target))
    }

    fn known(&self) -> Vec<TargetInfo> {
        let names: BTreeSet<String> =
            self.kept(|kept| kept.notices.iter().map(|notice| notice.target.clone()).collect());
        let shown = |name: String| TargetInfo { place: name.clone(), name, scheme: "memory", signed: false };
        names.into_iter().map(shown).collect()
    }
}

impl Objects for RecordingTargets {
    fn put(&self, bucket: &str, key: &str, bytes: Vec<u8>) -> BoxFuture<'_, Result<ObjectStoreResult>> {
        let place = (bucket.to_owned(), key.to_owned());
        let outcome = self.kept(|kept| {
            kept.try_once()?;
            if kept.unmapped.contains(bucket) {
                return Ok(ObjectStoreResult::NoMapping);
            }
            kept.objects.insert(place, bytes);
            Ok(ObjectStoreResult::At(format!("s3://{bucket}/{key}")))
        });
        Box::pin(async move { outcome })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_on;

    #[test]
    fn objects_and_failures() {
        let targets = RecordingTargets::default();
        targets.fail_next([Some(ErrorKind::Throttled), None]);
        let put = |bucket: &str| block_on(targets.put(bucket, "k", vec![1]));
        assert_eq!(put("b").unwrap_err().kind, ErrorKind::Throttled);
        assert_eq!(put("b").unwrap(), ObjectStoreResult::At("s3://b/k".to_owned()));
        targets.unmap("c");
        assert_eq!(put("c").unwrap(), ObjectStoreResult::NoMapping);
        targets.map("c");
        assert_eq!(put("c").unwrap(), ObjectStoreResult::At("s3://c/k".to_owned()));
        assert_eq!((targets.tries(), targets.objects().len()), (4, 2));
        assert_eq!(targets.object("b", "k"), Some(vec![1]));
    }
}
