//! Sessions of tasks in both stores: what their columns hold, and the conditions of lists of items. No SQL but conditions that read
//! the same in both.

use loci_model::ports::store::SessionItemQuery;
use loci_model::tasks::task_session::{SessionItem, SessionItemKind, TaskSession};

use crate::codes::code_of;
use crate::sql::Bound;
use crate::task_rules::searched;

/// What a session is searched by.
pub fn said_of(session: &TaskSession) -> String {
    searched(&session.told.words())
}

/// What an item is searched by.
pub fn said_in(item: &SessionItem) -> String {
    searched(item.text.as_deref().unwrap_or_default())
}

/// The code of a kind.
pub fn kind_code(kind: SessionItemKind) -> i64 {
    code_of(SessionItemKind::ALL, kind)
}

/// The conditions of a query on `session_items i`, each with its ` AND ` before it; `bound` and
/// `position` as for tasks.
pub fn conditions(query: &SessionItemQuery, position: &str, bound: &mut Bound) -> String {
    let mut out = format!(" AND i.expires > {}", bound.put(query.now));
    if let Some(after) = query.after {
        out.push_str(&format!(" AND i.seq > {}", bound.put(after)));
    }
    if !query.kinds.is_empty() {
        // Numbers of a closed list: nothing of the caller's.
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
