//! Outgoing deliveries of notifications: webhooks, folders, streams. Each is delivered at least
//! once, and the receiver recognises repetitions.

use super::BoxFuture;
use crate::words::closed_words;
use crate::{DeliveryId, Document, Result, Timestamp};

closed_words! {
    /// The kind of a notification.
    NoticeKind {
        /// A self-managed strategy has messages to read.
        SelfManaged = "self_managed",
        /// A record changed.
        RecordStream = "record_stream",
        /// A job ended.
        JobEnded = "job_ended",
        /// A caller tests a target.
        Test = "test",
    }
}

/// An outgoing notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The target as the client named it: an ARN, or a name of the configuration.
    pub target: String,
    /// The id, equal at every attempt.
    pub id: DeliveryId,
    /// The kind of the notification.
    pub kind: NoticeKind,
    /// Notifications of one key keep their order.
    pub order_key: String,
    /// The content of the notification.
    pub body: Document,
    /// The number of this attempt to send the notification, from 1.
    pub attempt: u32,
    /// The time at which the notification was created.
    pub created_at: Timestamp,
    /// The current time.
    pub at: Timestamp,
}

/// The result of a notification that was not rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryResult {
    /// The target accepted the notification.
    Accepted,
    /// The configuration does not contain the target. The delivery stays pending, because the
    /// target may be configured later.
    NoMapping,
}

/// A configured target, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetInfo {
    /// The name of the target.
    pub name: String,
    /// The protocol: `https`, `file`, `s3`, `kinesis`.
    pub scheme: &'static str,
    /// The address, without credentials and query.
    pub place: String,
    /// True if notifications are signed.
    pub signed: bool,
}

/// Delivers notifications.
pub trait Deliver: Send + Sync {
    /// Makes one attempt.
    ///
    /// # Errors
    /// `Unavailable`, `Throttled` and `Upstream`: try again. For any other error, no attempt will
    /// succeed.
    fn deliver(&self, notice: Notice) -> BoxFuture<'_, Result<DeliveryResult>>;

    /// True if the configuration maps the target to an address. It makes no attempt.
    fn reaches(&self, target: &str) -> bool;

    /// Returns the configured targets, by name.
    fn known(&self) -> Vec<TargetInfo>;
}
