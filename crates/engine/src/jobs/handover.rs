//! The job that hands a session's new messages to the owner of a self-managed strategy. Nobody asks for it yet.

use loci_model::Result;
use loci_model::job::Job;

use super::{Ended, failure};
use crate::Engine;

/// Says that it cannot be done: a newer server asked for it in this folder.
pub(super) async fn run(_engine: &Engine, _job: &Job) -> Result<Ended> {
    Ok(Ended::Failed(
        format!("{}: this version does not hand over messages", failure::UNSUPPORTED),
        Vec::new(),
    ))
}
