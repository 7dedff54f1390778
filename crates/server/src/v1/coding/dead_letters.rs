//! Dead letters, the jobs that the server gave up: list, retry.

use loci_api::coding::dead_letter as shape;
use loci_api::coding::table as api;
use loci_api::job::JobMessage;
use loci_model::job::{Job, JobState};
use loci_model::{JobId, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::DEAD_LETTER_LIST, list).plain(api::DEAD_LETTER_RETRY, retry)
}

async fn list(call: Call, asked: shape::DeadLetterListing) -> Result<shape::DeadLetterList> {
    let (after, limit) = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let page =
        call.doors.engine.coding.dead_letter_list(&call.caller, &standing(&call)?, after, limit).await?;
    Ok(shape::DeadLetterList {
        dead_letters: page.items.into_iter().map(shown).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn retry(call: Call) -> Result<shape::DeadLetterRetried> {
    let id = JobId::parse(call.path("letter")?).map_err(|error| error.on("letter"))?;
    let (standing, token) = (standing(&call)?, call.token()?);
    let job = call.doors.engine.coding.dead_letter_retry(&call.caller, &standing, &id, token).await?;
    Ok(shape::DeadLetterRetried { id: id.to_string(), was_dead: job.state == JobState::Failed })
}

fn shown(job: Job) -> shape::DeadLetter {
    let message = |message: loci_model::job::JobMessage| JobMessage {
        event: message.event.to_string(),
        message: message.message,
    };
    shape::DeadLetter {
        id: job.id.to_string(),
        kind: job.kind.as_str().to_owned(),
        payload: shape::DeadLetterPayload {
            key: job.unique_key,
            strategy: job.strategy.map(|strategy| strategy.to_string()),
            actor: job.actor.map(|actor| actor.to_string()),
            session: job.session.map(|session| session.to_string()),
            messages: job.messages.into_iter().map(message).collect(),
        },
        error: job.failure_reason.unwrap_or_default(),
        attempts: job.attempts,
        created_at: job.created_at.to_rfc3339(),
        failed_at: job.updated_at.to_rfc3339(),
    }
}
