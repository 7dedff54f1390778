//! Applies the feedback and the end of a task to rules, within the write of the task.

use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::store::Tx;
use loci_model::tasks::rule::RuleSupport;
use loci_model::tasks::task::{Task, TaskFeedback};
use loci_model::{RecordId, Result};

use super::relevance::{TaskRuleData, count};
use super::state_transition::{News, RuleContext, settle};
use crate::settings::CodingSettings;
use crate::tasks::reports::episode_record::existing_episode;
use crate::tasks::reports::episode_text::TaskEpisode;

/// Applies the changes of a task since `before` to the rules of its repository.
pub(crate) fn told(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    server: &CodingSettings,
    (before, task): (&Task, &Task),
) -> Result<()> {
    let Some(repository) = &task.repository else { return Ok(()) };
    let ended = !before.status.is_terminal() && task.status.is_terminal();
    let is_news = ended || before.feedback != task.feedback || before.written != task.written;
    if !is_news {
        return Ok(());
    }
    let repository = tx.repositories().get(&task.memory, repository)?;
    let settings = server.of(repository.as_ref()).rules;
    let ruler = RuleContext { changing: *changing, actor: &task.actor, settings };
    felt(tx, &ruler, &before.feedback, &task.feedback)?;
    let episode = existing_episode(tx, &task.memory, task)?;
    let files =
        episode.and_then(|record| TaskEpisode::read(&record.text)).map(|told| told.task.files_changed);
    let files = files.unwrap_or_default();
    count(tx, &ruler, &TaskRuleData { files: &files, used: &task.feedback.used, ended })
}

/// Counts new feedback: helpful and harmful rules.
fn felt(tx: &mut dyn Tx, ruler: &RuleContext<'_>, before: &TaskFeedback, now: &TaskFeedback) -> Result<()> {
    let helped = now.helpful.difference(&before.helpful).map(|id| (id, true));
    let misled = now.harmful.keys().filter(|id| !before.harmful.contains_key(*id)).map(|id| (id, false));
    let all: Vec<(&RecordId, bool)> = helped.chain(misled).collect();
    for (id, is_good) in all {
        let support: Option<RuleSupport> = tx.ledger().noun(&ruler.changing.memory.id, id.as_str())?;
        let Some(mut support) = support.filter(|support| support.actor == *ruler.actor) else { continue };
        let count = if is_good { &mut support.helpful } else { &mut support.harmful };
        *count = count.saturating_add(1);
        settle(tx, ruler, &mut support, News::Quiet)?;
    }
    Ok(())
}
