//! Sessions of tasks in both stores: the contents of their columns, and the conditions of item
//! lists. The only SQL are conditions that are valid in both.

use loci_model::ports::store::SessionItemQuery;
use loci_model::tasks::task_session::{SessionItem, SessionItemKind, TaskSession};

use crate::codes::code_of;
use crate::sql::BoundParameters;
use crate::task_rules::searched;

/// Returns the searchable text of a session.
pub fn said_of(session: &TaskSession) -> String {
    searched(&session.told.words())
}

/// Returns the searchable text of an item.
pub fn said_in(item: &SessionItem) -> String {
    searched(item.text.as_deref().unwrap_or_default())
}

/// Returns the code of a kind.
pub fn kind_code(kind: SessionItemKind) -> i64 {
    code_of(SessionItemKind::ALL, kind)
}

/// Returns the conditions of a query on `session_items i`, each with a leading ` AND `; `bound` and
/// `position` as for tasks.
pub fn conditions(query: &SessionItemQuery, position: &str, bound: &mut BoundParameters) -> String {
    let mut out = format!(" AND i.expires > {}", bound.put(query.now));
    if let Some(after) = query.after {
        out.push_str(&format!(" AND i.seq > {}", bound.put(after)));
    }
    if !query.kinds.is_empty() {
        // The codes are constants: no input of a caller is in the statement.
        let codes: Vec<String> = query.kinds.iter().map(|kind| kind_code(*kind).to_string()).collect();
        out.push_str(&format!(" AND i.kind IN ({})", codes.join(", ")));
    }
    if !query.words.is_empty() {
        let holds = |word: &String| format!("{position}(i.said, {}) > 0", bound.put(searched(word)));
        let any: Vec<String> = query.words.iter().map(holds).collect();
        out.push_str(&format!(" AND ({})", any.join(" OR ")));
    }
    out
}
