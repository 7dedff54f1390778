//! Success metrics of the tasks of a repository.

use loci_api::coding::metrics as shape;
use loci_api::coding::table as api;
use loci_coding::Cut;
use loci_model::Result;

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::repo;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::REPOSITORY_METRICS, metrics)
}

async fn metrics(call: Call, ask: shape::MetricsAsk) -> Result<shape::Metrics> {
    let (standing, repo) = (standing(&call)?, repo(&call)?);
    let found = call.doors.engine.coding.repository_metrics(&call.caller, &standing, &repo, ask).await?;
    Ok(shape::Metrics {
        groups: found.groups,
        records: found.records,
        compared_by: found.compared_by.to_owned(),
        note: note(found.cut),
    })
}

fn note(cut: Cut) -> String {
    let few =
        "groups of fewer than 20 tasks are insufficient; shares have Wilson's interval, means a bootstrap's";
    let left_out = [
        (cut.tasks, "there are older tasks, which are not counted: ask with since"),
        (cut.exposures, "of what a task searched for only the newest counts"),
        (
            cut.comments,
            "not every comment of reviewers, or not all of a long one, was compared with rules: ask with since",
        ),
        (cut.rules, "comments were compared with the newest rules alone, or not with all of a long one"),
    ];
    let mut note = few.to_owned();
    for (_, words) in left_out.iter().filter(|(is_cut, _)| *is_cut) {
        note.push_str("; ");
        note.push_str(words);
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_what_is_left_out() {
        let none = note(Cut::default());
        assert!(!none.contains("not counted"), "{none}");
        let check = |cut: Cut, words: &str| assert!(note(cut).contains(words), "{}", note(cut));
        check(Cut { tasks: true, ..Cut::default() }, "older tasks");
        check(Cut { exposures: true, ..Cut::default() }, "searched for");
        check(Cut { comments: true, ..Cut::default() }, "not every comment");
        check(Cut { rules: true, ..Cut::default() }, "newest rules alone");
    }
}
