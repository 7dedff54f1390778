//! Requests and jobs that requested a job. The job's span has links to theirs, because it runs
//! later and may serve several. Only this process stores them, up to the maximum number, newest
//! first.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use loci_model::JobId;
use loci_model::ports::trace::SpanContext;

/// The maximum number of stored requests.
const LINKS_MAX: usize = 4_096;
/// The maximum number of links of one span.
const LINKS_OF_ONE_MAX: usize = 16;

/// The spans that requested jobs, oldest first.
#[derive(Debug, Default)]
pub(super) struct JobLinks(Mutex<VecDeque<(JobId, SpanContext)>>);

impl JobLinks {
    /// Adds the jobs that one span requested, and drops the oldest entries.
    pub(super) fn add(&self, jobs: &[JobId], asking: SpanContext) {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.extend(jobs.iter().map(|job| (job.clone(), asking)));
        let over = links.len().saturating_sub(LINKS_MAX);
        links.drain(..over);
    }

    /// Returns the newest distinct spans that requested a job. The last attempt removes them,
    /// because a later request is for another run.
    pub(super) fn of(&self, job: &JobId, is_last_try: bool) -> Vec<SpanContext> {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        for (_, asking) in links.iter().rev().filter(|(id, _)| id == job) {
            if found.len() < LINKS_OF_ONE_MAX && !found.contains(asking) {
                found.push(*asking);
            }
        }
        if is_last_try {
            links.retain(|(id, _)| id != job);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept() {
        let job = |number: usize| JobId::parse(format!("job-{number}")).unwrap();
        let span = |number: u8| SpanContext { trace: [number; 16], span: [number; 8] };
        let links = JobLinks::default();
        links.add(&[job(1), job(2)], span(1));
        links.add(&[job(1), job(1)], span(2));
        assert_eq!(links.of(&job(1), false), [span(2), span(1)]);
        assert_eq!(links.of(&job(2), false), [span(1)]);
        assert_eq!(links.of(&job(3), false), []);
        let many: Vec<JobId> = (10..10 + LINKS_MAX).map(job).collect();
        links.add(&many, span(3));
        assert_eq!(links.of(&job(1), false), []);
        assert_eq!(links.of(&job(10), false), [span(3)]);
        (4..40).for_each(|number| links.add(&[job(5)], span(number)));
        assert_eq!(links.of(&job(5), true).len(), LINKS_OF_ONE_MAX);
        assert_eq!(links.of(&job(5), false), []);
    }
}
