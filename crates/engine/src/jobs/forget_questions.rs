//! Removes the questions and answers of a finished job, because they quote user text.

use loci_model::Result;
use loci_model::job::Job;
use loci_model::ports::store::StoreExt;

use super::lease;
use crate::Engine;

/// Removes the stored questions and answers of a finished job, and the messages that were fixed
/// for these questions.
pub async fn forget_questions(engine: &Engine, job: &Job) -> Result<()> {
    let job = job.clone();
    engine
        .store
        .write(move |tx| {
            // Only the holder of the job removes its questions.
            let is_ours = tx.jobs_mut().set_window(&job.memory, &job.id, lease::holder(&job), None)?;
            if is_ours { tx.exchanges_mut().drop_of_job(&job.memory, &job.id).map(drop) } else { Ok(()) }
        })
        .await
}
