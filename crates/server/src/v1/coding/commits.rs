//! Operations on commits: the report of a task's commits, and the tasks behind a commit.

use loci_api::coding::commit as shape;
use loci_api::coding::table as api;
use loci_coding::BlameAsk;
use loci_model::Result;

use super::tasks::task_id;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;
use crate::v1::verified::repositories::repo;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::TASK_COMMITS, report).query(api::BLAME, blame)
}

async fn report(call: Call, report: shape::TaskCommits) -> Result<shape::TaskCommitsTaken> {
    let (standing, id) = (standing(&call)?, task_id(&call)?);
    call.doors.engine.coding.task_commits(&call.caller, &standing, &id, report).await
}

async fn blame(call: Call, asked: shape::BlameAsk) -> Result<shape::Blame> {
    let repo = repo(&call)?;
    let ids = asked.task_ids.as_deref().unwrap_or_default().split(',').map(str::trim);
    let ask = BlameAsk {
        commit: asked.commit,
        patch_id: asked.patch_id,
        task_ids: ids.filter(|id| !id.is_empty()).map(str::to_owned).collect(),
        authored_at: time("authored_at", asked.authored_at.as_deref())?,
    };
    call.doors.engine.coding.blame(&call.caller, &standing(&call)?, &repo, ask).await
}
