//! The restrictions of grants as conditions on `events e`. None of them reads a payload. If the
//! restrictions have values, the index of the values is the driver: hidden events are not examined.

use loci_model::principal::bounds::Bounds;

use crate::bound_values::SqliteBoundParameters;

/// Returns the condition for events of the session at `session` within one of the bounds. With
/// `drives` no other condition is the driver.
pub(super) fn of_bounds(
    only: &[Bounds],
    session: &str,
    drives: bool,
    bound: &mut SqliteBoundParameters,
) -> String {
    let mut parts = Vec::with_capacity(only.len());
    let mut drivers = Vec::with_capacity(only.len());
    for one in only {
        let mut part = "1".to_owned();
        if let Some(since) = one.since {
            part.push_str(&format!(" AND e.time >= {}", bound.put(since.millis())));
        }
        for (nth, (key, allowed)) in one.metadata.iter().enumerate() {
            let key = bound.put(key.clone());
            let allowed: Vec<String> = allowed.iter().map(|text| bound.put(text.clone())).collect();
            let from = format!(
                "FROM event_meta m WHERE m.sess = {session} AND m.key = {key} AND m.value IN ({})",
                allowed.join(", ")
            );
            if nth == 0 {
                drivers.push(format!("SELECT m.id {from}"));
            }
            part.push_str(&format!(" AND EXISTS (SELECT 1 {from} AND m.id = e.id)"));
        }
        parts.push(format!("({part})"));
    }
    if parts.is_empty() {
        return " AND 0".to_owned();
    }
    let mut sql = format!(" AND ({})", parts.join(" OR "));
    // An age alone cannot be the driver: the events are scanned.
    if drives && drivers.len() == only.len() {
        sql.push_str(&format!(" AND e.id IN ({})", drivers.join(" UNION ALL ")));
    }
    sql
}

/// Returns the one value that all these events have under a key: its index returns them in order.
pub(super) fn common_value(only: &[Bounds]) -> Option<(&String, &String)> {
    let [one] = only else { return None };
    one.metadata.iter().find_map(|(key, allowed)| match allowed.len() {
        1 => Some((key, allowed.first()?)),
        _ => None,
    })
}
