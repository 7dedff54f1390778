//! What a job that asked a model leaves behind when it has its result: nothing of its questions and answers, which quote what people wrote.

use loci_model::Result;
use loci_model::job::Job;
use loci_model::ports::store::StoreExt;

use super::lease;
use crate::Engine;

/// Forgets the questions and answers of a job, and the window that they were asked in.
pub async fn forget_questions(engine: &Engine, job: &Job) -> Result<()> {
    let job = job.clone();
    engine
        .store
        .write(move |tx| {
            // Only whoever still has the job takes its questions away.
            let is_ours = tx.jobs_mut().set_window(&job.memory, &job.id, lease::holder(&job), None)?;
            if is_ours { tx.exchanges_mut().drop_of_job(&job.memory, &job.id).map(drop) } else { Ok(()) }
        })
        .await
}
