//! Delivering notifications to the outside: webhooks, folders, streams. At least once; who receives tells them apart.

use super::BoxFuture;
use crate::words::closed_words;
use crate::{DeliveryId, Document, Result, Timestamp};

closed_words! {
    /// What a notification is about.
    NoticeKind {
        /// A self-managed strategy has messages to read.
        SelfManaged = "self_managed",
        /// A record changed.
        RecordStream = "record_stream",
        /// A job ended.
        JobEnded = "job_ended",
        /// Somebody tries a target.
        Test = "test",
    }
}

/// A notification on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The target as the client named it: an ARN, or a name of the configuration.
    pub target: String,
    /// The id, the same at every try.
    pub id: DeliveryId,
    /// What it is about.
    pub kind: NoticeKind,
    /// Notifications of one key keep their order.
    pub order_key: String,
    /// What is said.
    pub body: Document,
    /// Which try this is, from 1.
    pub attempt: u32,
    /// When it came about.
    pub created_at: Timestamp,
    /// Now.
    pub at: Timestamp,
}

/// What became of a notification that was not refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivered {
    /// The other side has it.
    Accepted,
    /// The configuration has no such target; it may have one later.
    NoMapping,
}

/// A configured target, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetInfo {
    /// Its name.
    pub name: String,
    /// How it is reached: `https`, `file`, `s3`, `kinesis`.
    pub scheme: &'static str,
    /// Where it is, without credentials and query.
    pub place: String,
    /// Notifications are signed.
    pub signed: bool,
}

/// Delivers notifications.
pub trait Deliver: Send + Sync {
    /// One try.
    ///
    /// # Errors
    /// `Unavailable`, `Throttled` and `Upstream`: try again; anything else: no try will succeed.
    fn deliver(&self, notice: Notice) -> BoxFuture<'_, Result<Delivered>>;

    /// True where the configuration says how a target is reached. No try is made.
    fn reaches(&self, target: &str) -> bool;

    /// The configured targets, by name.
    fn known(&self) -> Vec<TargetInfo>;
}
