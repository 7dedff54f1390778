//! Rules for the stored sessions of tasks that are equal in SQLite and PostgreSQL: the contents
//! of their columns, and the SQL conditions for lists of their items. Both databases accept these
//! conditions.

use loci_model::ports::store::SessionItemQuery;
use loci_model::tasks::task_session::{SessionItem, SessionItemKind, TaskSession};

use crate::codes::code_of;
use crate::sql::BoundParameters;
use crate::task_rules::searched;

/// Returns the text of a task's session for searches by words.
pub fn said_of(session: &TaskSession) -> String {
    searched(&session.told.words())
}

/// Returns the text of a session item for searches by words.
pub fn said_in(item: &SessionItem) -> String {
    searched(item.text.as_deref().unwrap_or_default())
}

/// Returns the stored code of a kind of session item.
pub fn kind_code(kind: SessionItemKind) -> i64 {
    code_of(SessionItemKind::ALL, kind)
}

/// Returns the SQL conditions of a query on `session_items i`, each with a leading ` AND `. The
/// values are added to `bound`; `position` is the database's function for the position of a text
/// in another text, from 1.
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
