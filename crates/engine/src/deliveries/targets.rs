//! `targets`, `target_test`: the targets of notifications, and a test delivery.

use loci_api::delivery::TargetTried;
use loci_model::ports::deliver::{DeliveryResult, Notice, NoticeKind, TargetInfo};
use loci_model::ports::ids::uuid7;
use loci_model::principal::Principal;
use loci_model::{DeliveryId, Document, Error, Result};
use serde_json::json;

use crate::{Engine, access};

impl Engine {
    /// Returns the delivery targets of the server's configuration by name, without their secrets.
    ///
    /// # Errors
    /// `Denied` without administration of the server.
    pub fn targets(&self, caller: &Principal) -> Result<Vec<TargetInfo>> {
        access::require_server_admin(caller)?;
        Ok(self.deliver.as_ref().map(|deliver| deliver.known()).unwrap_or_default())
    }

    /// Sends a notification of the kind `test` to a configured target once. It is not stored or
    /// retried.
    ///
    /// # Errors
    /// `Denied` without administration of the server, `NotFound` for a name that the configuration
    /// does not contain. A failure response of the target is a result, not an error.
    pub async fn target_test(&self, caller: &Principal, name: &str) -> Result<TargetTried> {
        access::require_server_admin(caller)?;
        let unknown =
            || Error::not_found("the configuration has no target of that name: see `GET /v1/targets`");
        let deliver = self.deliver.as_ref().ok_or_else(unknown)?;
        if !deliver.known().iter().any(|target| target.name == name) {
            return Err(unknown());
        }
        let now = self.clock.now();
        let id = uuid7(self.ids.as_ref(), now.millis());
        let notice = Notice {
            target: name.to_owned(),
            body: Document::from_value(&json!({ "type": "test", "id": id, "at": now.to_rfc3339() }))?,
            id: DeliveryId::parse(id)?,
            kind: NoticeKind::Test,
            order_key: "test".to_owned(),
            attempt: 1,
            created_at: now,
            at: now,
        };
        let began = self.clock.monotonic_us();
        let outcome = deliver.deliver(notice).await;
        let elapsed_ms = self.clock.monotonic_us().saturating_sub(began) / 1000;
        let detail = match outcome {
            Ok(DeliveryResult::Accepted) => None,
            Ok(DeliveryResult::NoMapping) => Some("the configuration has no such target".to_owned()),
            Err(error) => Some(error.message),
        };
        Ok(TargetTried { ok: detail.is_none(), detail, elapsed_ms })
    }
}
