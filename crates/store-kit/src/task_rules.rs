//! Rules for the stored tasks of coding agents that are equal in SQLite and PostgreSQL: the SQL
//! conditions of their lists, which both databases accept.

use loci_model::ports::store::TaskQuery;
use loci_model::tasks::task::TaskStatus;

use crate::codes::code_of;
use crate::sql::BoundParameters;

/// Returns the form of a task's description that searches compare.
pub fn searched(text: &str) -> String {
    text.to_lowercase()
}

/// Returns the stored code of a task's status.
pub fn status_code(status: TaskStatus) -> i64 {
    code_of(TaskStatus::ALL, status)
}

/// Returns the number of an issue or a pull request as it is stored in a column.
pub fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns the SQL conditions of a query on `tasks t`, each with a leading ` AND `. The values
/// are added to `bound`; `position` is the database's function for the position of a text in
/// another text, from 1.
pub fn conditions<'a>(query: &'a TaskQuery, position: &str, bound: &mut BoundParameters<'a>) -> String {
    let mut out = String::new();
    let mut add = |condition: String| {
        out.push_str(" AND ");
        out.push_str(&condition);
    };
    if !query.actors.is_empty() {
        let places: Vec<String> = query.actors.iter().map(|actor| bound.put(actor.as_str())).collect();
        add(format!("t.actor IN ({})", places.join(", ")));
    }
    if let Some(ids) = &query.ids {
        // No task matches: an empty list is not valid SQL in every database.
        let places: Vec<String> = ids.iter().map(|id| bound.put(id.as_str())).collect();
        add(if places.is_empty() { "1 = 0".to_owned() } else { format!("t.id IN ({})", places.join(", ")) });
    }
    let texts = [
        ("person", &query.user),
        ("branch", &query.branch),
        ("prompt_version", &query.prompt_version),
        ("variant", &query.variant),
    ];
    for (column, wanted) in texts {
        if let Some(wanted) = wanted {
            add(format!("t.{column} = {}", bound.put(wanted)));
        }
    }
    let numbers = [
        ("status =", query.status.map(status_code)),
        ("issue =", query.issue.map(number)),
        ("pr =", query.pr.map(number)),
        ("created >=", query.since.map(|since| since.millis())),
        ("created <", query.until.map(|until| until.millis())),
    ];
    for (column, wanted) in numbers {
        if let Some(wanted) = wanted {
            add(format!("t.{column} {}", bound.put(wanted)));
        }
    }
    if let Some(words) = &query.words {
        add(format!("{position}(t.said, {}) > 0", bound.put(searched(words))));
    }
    if let Some(said) = query.said.as_ref().filter(|said| !said.words.is_empty()) {
        let now = bound.put(said.now);
        for word in &said.words {
            let word = bound.put(searched(word));
            add(format!(
                "({position}(t.said, {word}) > 0 \
                 OR EXISTS (SELECT 1 FROM task_sessions s WHERE s.mem = t.mem AND s.task = t.id \
                 AND {position}(s.said, {word}) > 0) \
                 OR EXISTS (SELECT 1 FROM session_items i WHERE i.mem = t.mem AND i.task = t.id \
                 AND i.expires > {now} AND {position}(i.said, {word}) > 0))"
            ));
        }
    }
    if let Some((created, id)) = &query.after {
        let created = bound.put(*created);
        let id = bound.put(id.as_str());
        add(format!("(t.created < {created} OR (t.created = {created} AND t.id > {id}))"));
    }
    out
}
