//! Tasks in both stores: the conditions of their lists. No SQL but conditions that read the same in both.

use loci_model::ports::store::TaskQuery;
use loci_model::tasks::task::TaskStatus;

use crate::codes::code_of;

/// The description as it is looked through.
pub fn searched(text: &str) -> String {
    text.to_lowercase()
}

/// The code of a status.
pub fn status_code(status: TaskStatus) -> i64 {
    code_of(TaskStatus::ALL, status)
}

/// A number of an issue or a pull request, as columns hold it.
pub fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A value of a condition on tasks.
pub enum TaskValue {
    /// Text.
    Text(String),
    /// A number.
    Number(i64),
}

/// The conditions of a query on `tasks t`, each with its ` AND ` before it. `put` binds a value and says what stands for it;
/// `position` is the database's name for the function that says where a text holds another, from 1.
pub fn conditions(query: &TaskQuery, position: &str, put: &mut dyn FnMut(TaskValue) -> String) -> String {
    let mut out = String::new();
    let mut add = |condition: String| {
        out.push_str(" AND ");
        out.push_str(&condition);
    };
    if !query.actors.is_empty() {
        let places: Vec<String> =
            query.actors.iter().map(|actor| put(TaskValue::Text(actor.to_string()))).collect();
        add(format!("t.actor IN ({})", places.join(", ")));
    }
    if let Some(ids) = &query.ids {
        // Of no task: a list without members is none to every database.
        let places: Vec<String> = ids.iter().map(|id| put(TaskValue::Text(id.to_string()))).collect();
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
            add(format!("t.{column} = {}", put(TaskValue::Text(wanted.clone()))));
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
            add(format!("t.{column} {}", put(TaskValue::Number(wanted))));
        }
    }
    if let Some(words) = &query.words {
        add(format!("{position}(t.said, {}) > 0", put(TaskValue::Text(searched(words)))));
    }
    if let Some(said) = query.said.as_ref().filter(|said| !said.words.is_empty()) {
        let now = put(TaskValue::Number(said.now.millis()));
        for word in &said.words {
            let word = put(TaskValue::Text(searched(word)));
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
        let created = put(TaskValue::Number(created.millis()));
        let id = put(TaskValue::Text(id.to_string()));
        add(format!("(t.created < {created} OR (t.created = {created} AND t.id > {id}))"));
    }
    out
}
