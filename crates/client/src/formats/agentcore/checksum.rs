//! A checksum over the parts of a memory that the wire format carries without loss. Equal memories
//! have equal checksums, regardless of their ids and of the order of their lists.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::events::EventCall;
use super::hex;
use super::records::RecordCall;

/// Digests of items.
#[derive(Debug, Default)]
pub(super) struct Checksum {
    items: Vec<[u8; 32]>,
}

impl Checksum {
    /// Adds an event by its content, its position in its session, and the event that its branch
    /// starts from. Returns its digest.
    pub(super) fn event(&mut self, call: &EventCall, position: usize, root: Option<[u8; 32]>) -> [u8; 32] {
        let payload: Value =
            call.payload.iter().map(|item| serde_json::to_value(item).unwrap_or_default()).collect();
        let branch = call.branch.as_ref().map(|branch| branch.name.as_str());
        let metadata: BTreeMap<&str, &str> =
            call.metadata.iter().map(|(key, value)| (key.as_str(), value.string_value.as_str())).collect();
        let root = root.map(|root| hex(&root));
        let time = call.event_timestamp.0;
        let said =
            json!(["event", call.actor_id, call.session_id, position, time, branch, root, payload, metadata]);
        self.take(&said)
    }

    /// Adds a record by its content; strategies count by their names.
    pub(super) fn record(&mut self, call: &RecordCall, strategy: Option<&str>, kind: &str) {
        let metadata: BTreeMap<&String, &Value> =
            call.metadata.iter().filter(|(key, _)| key.as_str() != super::KIND).collect();
        let said =
            json!(["record", call.namespaces, call.content.text, call.timestamp.0, strategy, kind, metadata]);
        self.take(&said);
    }

    fn take(&mut self, said: &Value) -> [u8; 32] {
        let digest: [u8; 32] = Sha256::digest(said.to_string()).into();
        self.items.push(digest);
        digest
    }

    /// Returns the checksum.
    pub(super) fn finish(mut self) -> String {
        self.items.sort_unstable();
        hex(&Sha256::digest(self.items.concat()))
    }
}
