//! Deliveries and their targets: list the outbox, retry, test a target. For administrators.

use loci_api::admin::Finding;
use loci_api::delivery as shape;
use loci_api::table as api;
use loci_engine::deliveries::kind_of;
use loci_model::delivery::{Delivery, DeliveryBacklog, DeliveryState};
use loci_model::ports::store::StoreExt;
use loci_model::{DeliveryId, Error, Result};

use super::protocol::call::Call;
use super::protocol::cursor;
use super::protocol::table::Table;

/// The age of a pending delivery that is reported, in milliseconds.
const WAITS_LONG_MS: i64 = 15 * 60_000;

pub(super) fn operations(table: Table) -> Table {
    table
        .query(api::DELIVERY_LIST, list)
        .plain(api::DELIVERY_RETRY, retry)
        .plain(api::TARGET_LIST, targets)
        .json(api::TARGET_TEST, test)
}

async fn list(call: Call, asked: shape::DeliveryListing) -> Result<shape::DeliveryList> {
    let limit = cursor::limit(asked.limit)?;
    let state = asked.state.as_deref().map(|word| {
        let rule = "state must be one of pending, done, failed";
        DeliveryState::parse(word).ok_or_else(|| Error::invalid("state", rule))
    });
    let after = cursor::read(asked.cursor.as_deref())?;
    let engine = &call.doors.engine;
    let page =
        engine.delivery_list(&call.caller, &call.memory().await?, state.transpose()?, after, limit).await?;
    Ok(shape::DeliveryList {
        deliveries: page.items.into_iter().map(shown).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn retry(call: Call) -> Result<shape::DeliveryRetried> {
    let id = DeliveryId::parse(call.path("delivery")?).map_err(|error| error.on("delivery"))?;
    call.doors.engine.delivery_retry(&call.caller, &call.memory().await?, &id).await?;
    Ok(shape::DeliveryRetried { id: id.to_string() })
}

async fn targets(call: Call) -> Result<shape::TargetList> {
    let targets = call.doors.engine.targets(&call.caller)?;
    let shown = |target: loci_model::ports::deliver::TargetInfo| shape::Target {
        name: target.name,
        scheme: target.scheme.to_owned(),
        place: target.place,
        signed: target.signed,
    };
    Ok(shape::TargetList { targets: targets.into_iter().map(shown).collect() })
}

async fn test(call: Call, asked: shape::TargetTest) -> Result<shape::TargetTried> {
    call.doors.engine.target_test(&call.caller, &asked.name).await
}

fn shown(delivery: Delivery) -> shape::Delivery {
    shape::Delivery {
        kind: kind_of(&delivery.order_key).as_str().to_owned(),
        id: delivery.id.to_string(),
        memory: delivery.memory.to_string(),
        target: delivery.target,
        order_key: delivery.order_key,
        state: delivery.state.as_str().to_owned(),
        attempts: delivery.attempts,
        due_at: delivery.due.to_rfc3339(),
        last_error: delivery.last_error,
        created_at: delivery.created_at.to_rfc3339(),
    }
}

/// Returns `doctor`'s finding on the outbox: the oldest pending delivery, and those that were given
/// up.
pub(super) async fn finding(call: &Call) -> Result<Finding> {
    let backlog = call.doors.engine.store().read(|tx| tx.deliveries().backlog()).await?;
    let now = call.doors.engine.now();
    Ok(said(&backlog, now.millis()))
}

fn said(backlog: &DeliveryBacklog, now_ms: i64) -> Finding {
    let DeliveryBacklog { pending, failed, oldest } = backlog;
    let mut detail = format!("{pending} waiting, {failed} given up");
    let mut ok = *failed == 0;
    if let Some(oldest) = oldest {
        let age_ms = now_ms.saturating_sub(oldest.since.millis()).max(0);
        ok &= age_ms < WAITS_LONG_MS;
        let why = oldest.last_error.as_deref().unwrap_or("not tried yet");
        detail += &format!(
            "; the oldest for {} s to {} (memory {}, {} tries: {why})",
            age_ms / 1000,
            oldest.target,
            oldest.memory,
            oldest.attempts
        );
    }
    if !ok {
        detail += "; see `loci webhooks list`, and configure the target or `loci webhooks retry`";
    }
    Finding { name: "deliveries".to_owned(), ok, detail, ids: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::delivery::WaitingDelivery;
    use loci_model::{MemoryId, Timestamp};

    #[test]
    fn the_oldest_is_told() {
        let waiting = |since: i64| WaitingDelivery {
            memory: MemoryId::parse("notes-a1B2c3D4e5").unwrap(),
            id: DeliveryId::parse("d").unwrap(),
            target: "hook".into(),
            attempts: 3,
            last_error: Some("the target answered 500".into()),
            since: Timestamp::clamped(since),
        };
        let check = |pending, failed, oldest: Option<i64>, ok: bool, part: &str| {
            let found = said(&DeliveryBacklog { pending, failed, oldest: oldest.map(waiting) }, 2_000_000);
            assert_eq!(found.ok, ok, "{}", found.detail);
            assert!(found.detail.contains(part), "{}", found.detail);
        };
        check(0, 0, None, true, "0 waiting, 0 given up");
        check(1, 0, Some(1_990_000), true, "for 10 s to hook (memory notes-a1B2c3D4e5, 3 tries: the target");
        check(1, 0, Some(1_000_000), false, "loci webhooks list");
        check(0, 2, None, false, "2 given up; see");
    }
}
