//! Files that often change with those of the task, among what is shown: lines of the knowledge's share, read by no question but by the
//! paths that the request names. They are no records: no exposure lists them.

use loci_engine::calls::deadline::Read;
use loci_engine::retrieval::render::{Entry, Screened};
use loci_engine::safety::Patterns;
use loci_model::ErrorKind;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::task::MemoryArm;

use super::asked::Hydration;
use super::kind::KindStatus;
use super::lines::TOGETHER;
use super::reading::{Place, Reading};
use crate::code_graph::co_change::{CoChange, Scene, Thresholds, absent};
use crate::tasks::log_fields::LOAD_INFRA;

/// The word of requests and answers.
pub const GRAPH: &str = "graph";
/// Files that are shown at most.
const FILES_MAX: usize = 5;
/// How the id of a line begins that tells of no record.
const ID: &str = "related-";

/// What was read of files that change together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RelatedRead {
    pub(super) status: KindStatus,
    pub(super) files: Vec<CoChange>,
    pub(super) warnings: Vec<String>,
}

impl RelatedRead {
    pub(super) fn of(status: KindStatus) -> Self {
        Self { status, files: Vec::new(), warnings: Vec::new() }
    }

    fn failed(status: KindStatus, warning: &str) -> Self {
        Self { warnings: vec![warning.to_owned()], ..Self::of(status) }
    }
}

/// Whether they are shown at a place: they are of the last tier, which tasks with all memory have alone.
pub(super) fn is_wanted(place: &Place, asked: &Hydration) -> bool {
    let own = place.repository.as_ref().and_then(|repository| repository.settings.tiers.graph);
    asked.includes_graph() && own.unwrap_or(true) && place.arm() == MemoryArm::On
}

impl Reading<'_> {
    /// What often changes with the paths of the request.
    pub(super) async fn related(&self) -> RelatedRead {
        if !is_wanted(self.place, self.asked) {
            return RelatedRead::of(KindStatus::Disabled);
        }
        let Some(repository) = self.place.repository.clone().filter(|_| !self.asked.paths.is_empty()) else {
            return RelatedRead::of(KindStatus::Skipped);
        };
        let (coding, caller) = (self.coding.clone(), self.caller.clone());
        let paths = self.asked.paths.clone();
        let work = self.coding.engine.store().read(move |tx| {
            let answer = |scene: &Scene<'_>| Ok(absent(scene, &paths, &Thresholds::default(), FILES_MAX));
            Ok(coding.ask_graph_of(tx, &caller, &repository, &answer)?.0)
        });
        match self.deadline.read(work).await {
            Read::Done(Ok(files)) => {
                let status = if files.is_empty() { KindStatus::Empty } else { KindStatus::Ok };
                RelatedRead { status, files, warnings: Vec::new() }
            }
            Read::Done(Err(error)) if error.kind == ErrorKind::Denied => RelatedRead::failed(
                KindStatus::Disabled,
                "NOT_GRANTED: the caller may not read the graph of files that change together",
            ),
            Read::Done(Err(error)) => {
                tracing::warn!(
                    metric_type = LOAD_INFRA,
                    ?error,
                    "files that change together could not be read"
                );
                RelatedRead::failed(
                    KindStatus::Error,
                    "NOT_READ: files that change together could not be read",
                )
            }
            Read::Late => RelatedRead::failed(
                KindStatus::Timeout,
                "NOT_IN_TIME: files that change together were not read in time",
            ),
        }
    }
}

/// The lines of files, in order.
pub(super) fn screened(files: &[CoChange], patterns: &Patterns) -> Vec<Screened> {
    let entry = |(number, file): (usize, &CoChange)| {
        let CoChange { path, because, support, confidence, .. } = file;
        let part = (confidence * 100.0).round();
        let entry = Entry {
            id: format!("{ID}{number}"),
            section: TOGETHER,
            label: format!("history; {support} times"),
            text: format!("{path} is changed in {part} % of the changes of {because}"),
        };
        Screened::new(&entry, patterns)
    };
    (1..).zip(files).map(entry).collect()
}

/// Which of the files a line of that id tells of.
pub(super) fn place_of(id: &str) -> Option<usize> {
    let number: usize = id.strip_prefix(ID)?.parse().ok()?;
    number.checked_sub(1)
}
