//! `loci task explain`: the memories that a task received and used, and their provenance.

use loci_api::coding::hydration::{ExplainedRecord, Exposure, TaskExplained};

use crate::output;

/// The maximum number of characters of a text in a list.
const TEXT_CHARS_MAX: usize = 60;
const SHOWN: &str = "shown";

pub(super) fn shown(explained: &TaskExplained) {
    output::line(format!("{}  memory {}", explained.task_id, explained.arm));
    explained.exposures.iter().for_each(exposure);
    if explained.more_exposures {
        output::note("there are older ones: GET /v1/exposures/ID");
    }
    let rows = explained.records.iter().map(|record| row(explained, record)).collect();
    let heads = ["RECORD", "AS", "USED", "STATE", "FROM", "TEXT"];
    output::list(&heads, rows, "The task received no records.");
}

fn exposure(exposure: &Exposure) {
    let taken = exposure.records.iter().filter(|record| record.decision == SHOWN).count();
    let left = exposure.records.len() - taken;
    let Exposure { exposure_id, at, call, used, limit, .. } = exposure;
    output::line(format!(
        "    {exposure_id}  {at}  {call}: {taken} shown, {left} not, {used} of {limit} tokens"
    ));
}

fn row(explained: &TaskExplained, record: &ExplainedRecord) -> Vec<String> {
    let said = |list: &[String]| list.contains(&record.id);
    let used = match (said(&explained.harmful), said(&explained.helpful), said(&explained.used)) {
        (true, ..) => "harmful",
        (_, true, _) => "helpful",
        (.., true) => "used",
        _ => "-",
    };
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    vec![
        record.id.clone(),
        or_none(&record.kind),
        used.to_owned(),
        or_none(&record.state),
        or_none(&record.from_task),
        output::short(record.text.as_deref().unwrap_or("-"), TEXT_CHARS_MAX),
    ]
}
