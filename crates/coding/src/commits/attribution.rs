//! The verb `attribution`: the tasks, prompts and people behind a repository, a pull request, a
//! commit, an issue, a file or a few words, with excerpts of their conversations. Tasks are listed
//! newest first, each with excerpts from the archive of its conversation.

use loci_api::coding::attribution::{AttributionAsk, Snippet};
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::memories::existing;
use loci_model::ports::store::{ConversationWords, ReadTx, SessionItemQuery, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::commit::{BlameHow, TaskCommit};
use loci_model::tasks::task::{Task, TaskStatus};
use loci_model::tasks::task_session::{SessionItem, SessionItemKind, ToldEnd};
use loci_model::{ActorId, Error, MemoryId, Result, SessionId, TaskId, Timestamp, limits};

use super::{blame, task_commits};
use crate::Coding;
use crate::hydration::RequestPaths;
use crate::tasks::{list, sessions, task_namespaces};

/// The maximum number of repositories searched for a commit.
const REPOSITORIES_MAX: usize = 100;
/// The maximum number of listed commits of one task.
const COMMITS_MAX: usize = 1_000;
/// The number of characters before the matched word in an excerpt.
const LEAD_CHARS: usize = 120;

/// A task, and its links to the request.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributed {
    /// The task.
    pub task: Task,
    /// The template of its prompt.
    pub template: Option<String>,
    /// Its commits, in the order of the reports, each with the way in which it leads to the task.
    pub commits: Vec<(TaskCommit, BlameHow)>,
    /// True if the task has more commits.
    pub has_more_commits: bool,
    /// The report at the end of the task.
    pub told: ToldEnd,
    /// Excerpts of the conversation, the oldest first. A request with words returns the items that
    /// contain one of them; otherwise decisions and notes.
    pub snippets: Vec<Snippet>,
}

/// A parsed request.
struct AttributionRequest {
    memory: MemoryId,
    ask: AttributionAsk,
    task: Option<TaskId>,
    session: Option<SessionId>,
    status: Option<TaskStatus>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    after: Option<(Timestamp, TaskId)>,
    paths: Option<RequestPaths>,
    words: Vec<String>,
    limit: usize,
    now: Timestamp,
}

impl Coding {
    /// Returns a page of tasks, each with its links to the request.
    ///
    /// # Errors
    /// `Invalid` by the rules of its members; `REPO_UNKNOWN`; `Denied` if the request names neither
    /// a repository nor a task and the caller's grants name no actors.
    pub async fn attribution(
        &self,
        caller: &Principal,
        standing: &CallContext,
        ask: AttributionAsk,
        (after, limit): (Option<(Timestamp, TaskId)>, u32),
    ) -> Result<Page<Attributed, (Timestamp, TaskId)>> {
        let task = TaskId::read("task", ask.task.as_deref())?;
        let session = SessionId::read("session", ask.session.as_deref())?;
        let status = TaskStatus::read("status", ask.status.as_deref())?;
        let since = Timestamp::read("since", ask.since.as_deref())?;
        let until = Timestamp::read("until", ask.until.as_deref())?;
        let sha = ask.commit.as_deref().map(|sha| task_commits::id("commit", sha)).transpose()?;
        let words = words(ask.q.as_deref())?;
        let paths = ask.path.as_ref().map(|path| RequestPaths::new(std::slice::from_ref(path)));
        let memory = self.verified.code_memory(caller, standing).await?;
        let caller = caller.clone();
        let limit = limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize;
        let paths = paths.filter(|paths| !paths.is_empty());
        let now = self.engine.now();
        let reading = AttributionRequest {
            memory,
            ask,
            task,
            session,
            status,
            since,
            until,
            after,
            paths,
            words,
            limit,
            now,
        };
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &reading.memory)?;
                let nothing = Page { items: Vec::new(), next: None };
                let Some(actors) = reading.whose(tx, &caller)? else { return Ok(nothing) };
                let led = match &sha {
                    Some(sha) => Some(reading.led_to(tx, &caller, &actors, sha)?),
                    None => None,
                };
                let page = reading.tasks(tx, actors, led.as_deref())?;
                let shown = |task| reading.attributed(tx, task, led.as_deref().unwrap_or_default());
                let items = page.items.into_iter().map(shown).collect::<Result<_>>()?;
                Ok(Page { items, next: page.next })
            })
            .await
    }
}

/// A task that a commit leads back to, the way to it, and the commit.
type AttributedTask = (TaskId, BlameHow, TaskCommit);

impl AttributionRequest {
    /// Returns the actors whose tasks are searched. An empty list means all actors; `None` means
    /// that the caller may see none.
    fn whose(&self, tx: &dyn ReadTx, caller: &Principal) -> Result<Option<Vec<ActorId>>> {
        if let (Some(id), None) = (&self.task, &self.ask.repo) {
            // A caller with access to a single task may request only that task.
            let task = tx.tasks().get(&self.memory, id)?;
            return Ok(task_namespaces::visible(caller, id, task, Capability::Read)
                .ok()
                .map(|task| vec![task.actor]));
        }
        list::actors(tx, caller, &self.memory, self.ask.repo.as_deref()).map(Some)
    }

    fn led_to(
        &self,
        tx: &dyn ReadTx,
        caller: &Principal,
        actors: &[ActorId],
        sha: &loci_model::facts::code::ObjectId,
    ) -> Result<Vec<AttributedTask>> {
        let mut led = Vec::new();
        for row in tx.commits().of_sha(&self.memory, sha, REPOSITORIES_MAX)? {
            if actors.is_empty() || actors.contains(&row.actor) {
                let (how, tasks) = blame::reported(tx, caller, (&self.memory, &row.actor), sha)?;
                led.extend(tasks.into_iter().map(|task| (task, how, row.clone())));
            }
        }
        Ok(led)
    }

    /// Returns a page of tasks. Conditions that the store cannot query are checked here for each
    /// task, up to a maximum number of tasks for each page.
    fn tasks(
        &self,
        tx: &dyn ReadTx,
        actors: Vec<ActorId>,
        led: Option<&[AttributedTask]>,
    ) -> Result<Page<Task, (Timestamp, TaskId)>> {
        let mut query = self.query(actors, led);
        let mut items = Vec::new();
        let mut looked_at = 0;
        loop {
            let found = tx.tasks().list(&query)?;
            let is_last = found.len() < query.limit;
            for task in found {
                if items.len() == self.limit || looked_at == limits::ATTRIBUTION_SCANNED_MAX {
                    return Ok(Page { items, next: query.after });
                }
                looked_at += 1;
                query.after = Some((task.created_at, task.id.clone()));
                if self.holds(tx, &task)? {
                    items.push(task);
                }
            }
            if is_last {
                return Ok(Page { items, next: None });
            }
        }
    }

    fn query(&self, actors: Vec<ActorId>, led: Option<&[AttributedTask]>) -> TaskQuery {
        let ask = self.ask.clone();
        let by_commit = led.map(|led| led.iter().map(|(task, ..)| task.clone()).collect::<Vec<_>>());
        let by_session = self.session.as_ref().and_then(task_namespaces::tasks_of_session);
        let by_id = self.task.clone().map(|task| vec![task]);
        let ids = [by_commit, by_session, by_id].into_iter().flatten().reduce(both);
        let said = ConversationWords { words: self.words.clone(), now: self.now };
        TaskQuery {
            ids,
            actors,
            user: ask.user,
            status: self.status,
            issue: ask.issue,
            pr: ask.pr,
            branch: ask.branch,
            prompt_version: ask.prompt_version,
            since: self.since,
            until: self.until,
            said: (!self.words.is_empty()).then_some(said),
            after: self.after.clone(),
            ..TaskQuery::all(self.memory.clone(), self.limit + 1)
        }
    }

    fn holds(&self, tx: &dyn ReadTx, task: &Task) -> Result<bool> {
        if self.session.as_ref().is_some_and(|session| *session != task.session) {
            return Ok(false);
        }
        let Some(paths) = &self.paths else { return Ok(true) };
        let session = tx.task_sessions().get(&self.memory, &task.id)?;
        Ok(session.is_some_and(|session| session.told.files_changed.iter().any(|file| paths.meet(file))))
    }

    fn attributed(&self, tx: &dyn ReadTx, task: Task, led: &[AttributedTask]) -> Result<Attributed> {
        let mut commits: Vec<(TaskCommit, BlameHow)> = Vec::new();
        let own = tx.commits().of_task(&self.memory, &task.id, COMMITS_MAX + 1)?;
        let has_more_commits = own.len() > COMMITS_MAX;
        commits.extend(own.into_iter().take(COMMITS_MAX).map(|commit| (commit, BlameHow::PostCommit)));
        for (_, how, commit) in led.iter().filter(|(id, ..)| *id == task.id) {
            if !commits.iter().any(|(known, _)| known.sha == commit.sha) {
                commits.push((commit.clone(), *how));
            }
        }
        let prompt = task.prompt_version.as_deref().map(|version| tx.prompts().get(&self.memory, version));
        let of_task = task.prompt.as_ref().and_then(|prompt| prompt.template_id.clone());
        let template = of_task.or(prompt.transpose()?.flatten().map(|prompt| prompt.template_id));
        let session = tx.task_sessions().get(&self.memory, &task.id)?;
        let told = session.map(|session| session.told).unwrap_or_default();
        let snippets = self.snippets(tx, &task)?;
        Ok(Attributed { task, template, commits, has_more_commits, told, snippets })
    }

    fn snippets(&self, tx: &dyn ReadTx, task: &Task) -> Result<Vec<Snippet>> {
        let kinds = match self.words.is_empty() {
            true => vec![SessionItemKind::Decision, SessionItemKind::Note],
            false => Vec::new(),
        };
        let words = self.words.clone();
        let most = limits::SNIPPETS_MAX;
        let items = tx.task_sessions().items(&SessionItemQuery {
            kinds,
            words,
            ..sessions::everything(task, self.now, most)
        })?;
        Ok(items.into_iter().filter_map(|item| snippet(item, &self.words)).collect())
    }
}

/// Returns the ids in both lists.
fn both(mut some: Vec<TaskId>, others: Vec<TaskId>) -> Vec<TaskId> {
    some.retain(|id| others.contains(id));
    some
}

fn snippet(item: SessionItem, words: &[String]) -> Option<Snippet> {
    let (text, is_cut) = excerpt(item.text.as_deref()?, words);
    Some(Snippet {
        seq: item.seq,
        r#type: item.kind.as_str().to_owned(),
        role: item.role,
        text,
        cut: is_cut,
        at: item.at.to_rfc3339(),
    })
}

/// Returns the words of a request in lower case.
fn words(text: Option<&str>) -> Result<Vec<String>> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let max = limits::SAID_WORDS_MAX;
    if words.is_empty() || words.len() > max {
        return Err(Error::invalid("q", format!("q must have 1 to {max} words")));
    }
    Ok(words)
}

/// Returns the part of a text around the first matched word, else its beginning. The flag is true
/// if the text was cut.
fn excerpt(text: &str, words: &[String]) -> (String, bool) {
    let chars = text.chars().count();
    if chars <= limits::SNIPPET_CHARS_MAX {
        return (text.to_owned(), false);
    }
    let small = text.to_lowercase();
    let place = |word: &String| small.find(word.as_str()).and_then(|at| small.get(..at));
    let first = words.iter().filter_map(place).map(|before| before.chars().count()).min().unwrap_or(0);
    let start = first.saturating_sub(LEAD_CHARS).min(chars - limits::SNIPPET_CHARS_MAX);
    (text.chars().skip(start).take(limits::SNIPPET_CHARS_MAX).collect(), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_question() {
        assert_eq!(words(Some(" Größe\tof  Pages ")).unwrap(), ["größe", "of", "pages"]);
        assert_eq!(words(None).unwrap(), Vec::<String>::new());
        let many = |count: usize| vec!["a"; count].join(" ");
        assert_eq!(
            words(Some(&many(loci_model::limits::SAID_WORDS_MAX))).unwrap().len(),
            loci_model::limits::SAID_WORDS_MAX
        );
        for bad in [" ".to_owned(), many(loci_model::limits::SAID_WORDS_MAX + 1)] {
            assert_eq!(words(Some(&bad)).unwrap_err().field.as_deref(), Some("q"), "{bad:?}");
        }
    }

    #[test]
    fn an_excerpt_shows_the_word() {
        let max = loci_model::limits::SNIPPET_CHARS_MAX;
        assert_eq!(excerpt(&"ä".repeat(max), &[]), ("ä".repeat(max), false));
        let needle = "Nadel".to_owned();
        for (before, after) in [(0, 900), (300, 900), (900, 0), (900, 900)] {
            let text = format!("{}{needle}{}", "ä".repeat(before), "ö".repeat(after));
            let (part, is_cut) = excerpt(&text, &["fehlt".to_owned(), "nadel".to_owned()]);
            assert!(is_cut && part.contains(&needle) && part.chars().count() == max, "{before} {after}");
        }
        let (part, _) = excerpt(&format!("İ{}x", "a".repeat(max)), &["x".to_owned()]);
        assert_eq!(part.chars().count(), max, "small letters may be more than great ones");
    }
}
