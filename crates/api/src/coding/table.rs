//! The table of operations of the coding product. To add an operation, add one line here.

use crate::Nothing;
use crate::coding::attribution::{Attribution, AttributionAsk};
use crate::coding::commit::{Blame, BlameAsk, TaskCommits, TaskCommitsTaken};
use crate::coding::conflict::{Conflict, ConflictList, ConflictListing, ConflictResolve};
use crate::coding::dead_letter::{DeadLetterList, DeadLetterListing, DeadLetterRetried};
use crate::coding::evaluation::{EvaluationAdd, EvaluationAdded, EvaluationList, EvaluationListing};
use crate::coding::extraction_prompt::{
    ExtractionPrompt, ExtractionPromptAsk, ExtractionPromptChanged, ExtractionPromptList,
    ExtractionPromptPut, ExtractionPromptRollback, PromptEvaluate, PromptEvaluation, PromptEvaluationList,
    PromptQuestionList,
};
use crate::coding::graph::{
    CoChangeAsk, CoChangeList, FileSetList, FileSetListing, GraphRebuild, GraphRebuildAsked, ImpactAsk,
    ImpactList, MissingAsk, MissingList,
};
use crate::coding::hydration::{Exposure, TaskExplained, TaskHydrate, TaskHydrated};
use crate::coding::metrics::{Metrics, MetricsAsk};
use crate::coding::outcome::{Outcome, OutcomeSet};
use crate::coding::preference::{
    PreferenceList, PreferencePut, PreferenceRemoved, PreferenceSet, UserExport, UserForgotten, UserSettings,
    UserSettingsPut,
};
use crate::coding::prompt::{
    Prompt, PromptAdd, PromptAdded, PromptDiff, PromptList, PromptListing, PromptRollback, PromptRolledBack,
};
use crate::coding::reflection::{Reflect, ReflectAsked, RepositoryReflect, RepositoryReflectAsked};
use crate::coding::repository_search::{RepositoryFound, RepositorySearch};
use crate::coding::repository_settings::{RepositoryChange, RepositoryShown};
use crate::coding::review::{
    Backfill, BackfillRequest, NewReview, ReviewsPolled, ReviewsPulled, ReviewsReprocess,
};
use crate::coding::rule::{
    NewRule, Rule, RuleDecided, RuleDecision, RuleList, RuleListing, RulePromote, RulePromotion,
    RuleProvenance,
};
use crate::coding::safeguard::{
    HeldDecide, HeldList, HeldListing, PurgeAsk, Purged, RepositoryQuarantine, RollbackAsk, RolledBack,
    SnapshotList, SnapshotListing,
};
use crate::coding::task::end::{
    TaskComplete, TaskCompleted, TaskEpisode, TaskFinalize, TaskFinalized, TaskLearnings, TaskNote,
    TaskNoted, TaskWrote,
};
use crate::coding::task::feedback::{TaskFeedback, TaskFeedbackTaken};
use crate::coding::task::session::{
    SessionAppend, SessionAppended, SessionEvents, SessionListing, SessionPromote, SessionPromoted,
    SessionState, SessionStateKept, TaskSessionEnded,
};
use crate::coding::task::{
    Task, TaskAlertRaise, TaskAlerted, TaskCreate, TaskList, TaskListing, TaskPatch, TaskPatched, TaskTaken,
};
use crate::coding::theme::{
    ThemeClosed, ThemeList, ThemeListing, ThemeProposal, ThemeProposalAccept, ThemeProposalAccepted,
    ThemeProposalAsk,
};
use crate::operation::operations;
use crate::quarantine::Quarantined;
use crate::record::Record;

operations! {
    ATTRIBUTION = get "/v1/attribution": AttributionAsk => Attribution,
        "List the tasks, prompts, people and messages that led to a commit, file or text, newest first.";
    TASK_COMMITS = accept "/v1/tasks/{task}/commits": TaskCommits => TaskCommitsTaken,
        "Report commits of a task, and commits that replaced earlier ones.";
    BLAME = get "/v1/repos/{owner}/{name}/blame": BlameAsk => Blame,
        "List the tasks, prompts and people behind a commit.";
    CONFLICTS_LIST = get "/v1/repos/{owner}/{name}/conflicts": ConflictListing => ConflictList,
        "List memories of a repository that contradict each other.";
    CONFLICT_RESOLVE = post "/v1/repos/{owner}/{name}/conflicts/{conflict}/resolve":
        ConflictResolve => Conflict,
        "Resolve a conflict: keep one of the two memories, or both.";
    DEAD_LETTER_LIST = get "/v1/dead-letters": DeadLetterListing => DeadLetterList,
        "List writes for coding agents that failed, newest first.";
    DEAD_LETTER_RETRY = post "/v1/dead-letters/{letter}/retry": Nothing => DeadLetterRetried,
        "Retry a failed write now.", key;
    EVALUATION_ADD = create "/v1/evaluations": EvaluationAdd => EvaluationAdded,
        "Store the findings and the suggestion of an evaluation of a task.";
    EVALUATION_LIST = get "/v1/evaluations": EvaluationListing => EvaluationList,
        "List evaluations of a repository or of a task, newest first.";
    EXTRACTION_PROMPTS = get "/v1/extraction-prompts": Nothing => ExtractionPromptList,
        "List the extraction prompts, which ask agents for learnings at the end of a task.";
    EXTRACTION_PROMPT = get "/v1/extraction-prompts/{prompt}":
        ExtractionPromptAsk => ExtractionPrompt,
        "Get an extraction prompt by name and version (`learnings@1`), or the current version by name.";
    EXTRACTION_PROMPT_PUT = put "/v1/extraction-prompts/{prompt}":
        ExtractionPromptPut => ExtractionPromptChanged,
        "Store a text as the next version of the extraction prompt with the name {prompt}.";
    EXTRACTION_PROMPT_ROLLBACK = post "/v1/extraction-prompts/{prompt}/rollback":
        ExtractionPromptRollback => ExtractionPromptChanged,
        "Make an earlier version of the extraction prompt with the name {prompt} current again.";
    PROMPT_QUESTIONS = get "/v1/extraction-prompts/{prompt}/questions":
        Nothing => PromptQuestionList,
        "Get the questions of the labelled set for a version, to answer with your own model.";
    PROMPT_EVALUATIONS = get "/v1/extraction-prompts/{prompt}/evaluations":
        Nothing => PromptEvaluationList,
        "List the evaluations of a version, newest first.";
    PROMPT_EVALUATE = post "/v1/extraction-prompts/{prompt}/evaluations":
        PromptEvaluate => PromptEvaluation,
        "Evaluate a version on the labelled set, with your answers or with the configured model.";
    CO_CHANGES = get "/v1/repos/{owner}/{name}/graph/co-change": CoChangeAsk => CoChangeList,
        "List files that often change together with a file.";
    FILE_SETS = get "/v1/repos/{owner}/{name}/graph/sets": FileSetListing => FileSetList,
        "List groups of files that always change together.";
    IMPACT = get "/v1/repos/{owner}/{name}/graph/impact": ImpactAsk => ImpactList,
        "List what a change of a file or module may affect: importers, co-changing files, failed tasks.";
    MISSING_FILES = post "/v1/repos/{owner}/{name}/graph/missing": MissingAsk => MissingList,
        "List files that usually change with the given files but are missing from them.";
    GRAPH_REBUILD = accept "/v1/repos/{owner}/{name}/graph/rebuild":
        GraphRebuild => GraphRebuildAsked,
        "Start a job that rebuilds the code graph from the history of a repository.";
    REPOSITORY_METRICS = get "/v1/repos/{owner}/{name}/metrics": MetricsAsk => Metrics,
        "Get the success metrics of a repository's tasks by group, and the effect of memories on them.";
    TASK_OUTCOME = get "/v1/tasks/{task}/outcome": Nothing => Outcome,
        "Get the outcome of a task: the graded result of its pull request.";
    TASK_OUTCOME_SET = post "/v1/tasks/{task}/outcome": OutcomeSet => Outcome,
        "Set the outcome of a task by hand, or from a forge that Loci does not watch.";
    PREFERENCE_PUT = put "/v1/users/{user}/preferences/{preference}":
        PreferencePut => PreferenceSet,
        "Set a user's preference in one dimension.";
    PREFERENCE_REMOVE = delete "/v1/users/{user}/preferences/{preference}":
        Nothing => PreferenceRemoved,
        "Delete a user's preference by its id.";
    USER_SETTINGS_PUT = put "/v1/users/{user}/settings": UserSettings => UserSettingsPut,
        "Allow or forbid that Loci infers preferences of a user.";
    USER_FORGET = delete "/v1/users/{user}": Nothing => UserForgotten,
        "Erase a user's data and identity.";
    PREFERENCES_LIST = get "/v1/users/{user}/preferences": Nothing => PreferenceList,
        "List a user's preferences.";
    USER_EXPORT = get "/v1/users/{user}/export": Nothing => UserExport,
        "Export all data about a user.";
    PROMPT_ADD = post "/v1/prompts": PromptAdd => PromptAdded,
        "Store a version of a prompt, and make it the current version of its template.";
    PROMPT_LIST = get "/v1/prompts": PromptListing => PromptList,
        "List versions of prompts, latest to become current first.";
    PROMPT_GET = get "/v1/prompts/{prompt}": Nothing => Prompt,
        "Get a version of a prompt.";
    PROMPT_DIFF = get "/v1/prompts/{prompt}/diff": Nothing => PromptDiff,
        "Compare two versions of a prompt. {prompt} has the form `A..B`.";
    PROMPT_ROLLBACK = post "/v1/prompts/{prompt}/rollback": PromptRollback => PromptRolledBack,
        "Make an earlier version current again. {prompt} is the template.";
    REPOSITORY_REFLECT = accept "/v1/repos/{owner}/{name}/reflect":
        RepositoryReflect => RepositoryReflectAsked,
        "Start a reflection over the newest tasks of a repository.";
    STRATEGY_REFLECT = post "/v1/memories/{memory}/strategies/{strategy}/reflect":
        Reflect => ReflectAsked,
        "Start a reflection over the newest episodes of a strategy.";
    REPOSITORY_SEARCH = post "/v1/repos/{owner}/{name}/search": RepositorySearch => RepositoryFound,
        "Search the memory of a repository by query and filters.";
    REPOSITORY_PUT = put "/v1/repos/{owner}/{name}": RepositoryChange => RepositoryShown,
        "Register a repository, and set its own settings.";
    REPOSITORY_PATCH = patch "/v1/repos/{owner}/{name}": RepositoryChange => RepositoryShown,
        "Change settings of a repository.";
    REPOSITORY_SHOW = get "/v1/repos/{owner}/{name}": Nothing => RepositoryShown,
        "Get a repository with its own settings and its effective settings.";
    RULE_ADD = create "/v1/repos/{owner}/{name}/rules": NewRule => Rule,
        "Create a rule of a repository, in force immediately.";
    RULE_APPROVE = post "/v1/repos/{owner}/{name}/rules/{rule}/approve":
        RuleDecision => RuleDecided,
        "Approve a rule, which puts it in force.";
    RULE_REJECT = post "/v1/repos/{owner}/{name}/rules/{rule}/reject": RuleDecision => RuleDecided,
        "Reject a rule permanently.";
    RULE_PIN = post "/v1/repos/{owner}/{name}/rules/{rule}/pin": RuleDecision => RuleDecided,
        "Pin a rule: it stays in force regardless of later reviews.";
    RULE_UNPIN = post "/v1/repos/{owner}/{name}/rules/{rule}/unpin": RuleDecision => RuleDecided,
        "Unpin a rule.";
    RULE_EXPIRE = post "/v1/repos/{owner}/{name}/rules/{rule}/expire": RuleDecision => RuleDecided,
        "Expire a rule.";
    RULE_SUPERSEDE = post "/v1/repos/{owner}/{name}/rules/{rule}/supersede":
        RuleDecision => RuleDecided,
        "Replace a rule by another rule.";
    RULE_QUARANTINE = post "/v1/repos/{owner}/{name}/rules/{rule}/quarantine":
        RuleDecision => RuleDecided,
        "Quarantine a suspicious rule.";
    RULE_PROVENANCE = get "/v1/repos/{owner}/{name}/rules/{rule}/provenance":
        Nothing => RuleProvenance,
        "Get the evidence of a rule, its state changes, and the tasks that received it.";
    RULE_PROMOTE = post "/v1/repos/{owner}/{name}/rules/{rule}/promote":
        RulePromote => RulePromotion,
        "Render a rule as a patch of the repository's instructions, without writing anything.";
    RULE_LIST = get "/v1/repos/{owner}/{name}/rules": RuleListing => RuleList,
        "List the rules of a repository, newest first.";
    REPOSITORY_QUARANTINE = post "/v1/repos/{owner}/{name}/quarantine":
        RepositoryQuarantine => Quarantined,
        "Quarantine memories of a repository, or preview the selection.";
    REPOSITORY_RELEASE = post "/v1/repos/{owner}/{name}/quarantine/release":
        RepositoryQuarantine => Quarantined,
        "Release quarantined memories of a repository.";
    HELD_LIST = get "/v1/repos/{owner}/{name}/held": HeldListing => HeldList,
        "List memories of a repository that await a person's decision.";
    HELD_ACCEPT = post "/v1/repos/{owner}/{name}/held/{record}/accept": HeldDecide => Record,
        "Accept a held memory, which makes it active.";
    HELD_REJECT = post "/v1/repos/{owner}/{name}/held/{record}/reject": HeldDecide => Record,
        "Reject a held memory permanently.";
    SNAPSHOTS_LIST = get "/v1/repos/{owner}/{name}/snapshots": SnapshotListing => SnapshotList,
        "List the snapshots of a repository's memory.";
    REPOSITORY_ROLLBACK = post "/v1/repos/{owner}/{name}/rollback": RollbackAsk => RolledBack,
        "Roll a repository's memory back to a snapshot.";
    REPOSITORY_PURGE = post "/v1/repos/{owner}/{name}/purge": PurgeAsk => Purged,
        "Erase memories of a repository, or preview the selection.";
    TASK_ALERT = post "/v1/tasks/{task}/alert": TaskAlertRaise => TaskAlerted,
        "Raise a security alert for a task, which quarantines its past and future records.";
    TASK_COMPLETE = accept "/v1/tasks/{task}/complete": TaskComplete => TaskCompleted,
        "Report the end of a task: its episode, its learnings, and the context that its agent lacked.", key;
    TASK_FINALIZE = post "/v1/tasks/{task}/finalize": TaskFinalize => TaskFinalized,
        "End a task, and write an episode if none exists. Repeated calls have no further effect.";
    TASK_NOTE = accept "/v1/tasks/{task}/notes": TaskNote => TaskNoted,
        "Store one learning of a running task.";
    TASK_FEEDBACK = post "/v1/tasks/{task}/feedback": TaskFeedback => TaskFeedbackTaken,
        "Rate memories as used, helpful or harmful. Two tasks or one person can quarantine a harmful one.";
    TASK_HYDRATE = post "/v1/tasks/{task}/hydrate": TaskHydrate => TaskHydrated,
        "Get the memories for a task's prompt, within a token budget and a deadline, with a receipt.";
    TASK_EXPLAIN = get "/v1/tasks/{task}/explain": Nothing => TaskExplained,
        "Get the memories that a task received and used, with their sources.";
    EXPOSURE_GET = get "/v1/exposures/{exposure}": Nothing => Exposure,
        "Get an exposure: the memories that one call returned to a task.";
    TASK_CREATE = create "/v1/tasks": TaskCreate => TaskTaken,
        "Create a task. The status is 200 if the task exists already.", key;
    TASK_LIST = get "/v1/tasks": TaskListing => TaskList,
        "List tasks, newest first.";
    TASK_GET = get "/v1/tasks/{task}": Nothing => Task,
        "Get a task.";
    TASK_PATCH = patch "/v1/tasks/{task}": TaskPatch => TaskPatched,
        "Update the status of a task. A task that has ended cannot reopen.";
    TASK_EPISODE = post "/v1/tasks/{task}/episode": TaskEpisode => TaskWrote,
        "Report the episode of a task. Alias of `complete` without learnings.", key;
    TASK_LEARNINGS = post "/v1/tasks/{task}/learnings": TaskLearnings => TaskWrote,
        "Report the learnings of a task. Alias of `complete` without an episode.";
    SESSION_APPEND = accept "/v1/sessions/{task}/events": SessionAppend => SessionAppended,
        "Append events to the session of a task. Events with a known number are repetitions.";
    SESSION_EVENTS = get "/v1/sessions/{task}/events": SessionListing => SessionEvents,
        "List the events of a task's session, by number.";
    SESSION_STATE = get "/v1/sessions/{task}/state": Nothing => SessionState,
        "Get the state that an agent stored for its next run.";
    SESSION_STATE_PUT = put "/v1/sessions/{task}/state": SessionState => SessionStateKept,
        "Store the state for an agent's next run.";
    SESSION_PROMOTE = post "/v1/sessions/{task}/promote": SessionPromote => SessionPromoted,
        "Promote selected events of an open session to learnings.";
    SESSION_END_OF_TASK = post "/v1/sessions/{task}/end": Nothing => TaskSessionEnded,
        "End the session of a task, and keep its archive only.";
    THEMES_LIST = get "/v1/repos/{owner}/{name}/self-feedback/themes": ThemeListing => ThemeList,
        "List the themes of a repository: context that at least three tasks lacked.";
    THEME_CLOSE = post "/v1/repos/{owner}/{name}/self-feedback/themes/{theme}/close":
        Nothing => ThemeClosed,
        "Close a theme as done, and archive its items.";
    THEME_PROPOSAL = get "/v1/repos/{owner}/{name}/self-feedback/proposal":
        ThemeProposalAsk => ThemeProposal,
        "Get a proposed edit of a repository's prompt for its open themes, with the diff.";
    THEME_PROPOSAL_ACCEPT = post "/v1/repos/{owner}/{name}/self-feedback/proposal/accept":
        ThemeProposalAccept => ThemeProposalAccepted,
        "Accept the proposed edit: store it as a version of the prompt, and close its themes.";
    REVIEW_TAKE = post "/v1/repos/{owner}/{name}/reviews": NewReview => ReviewsPulled,
        "Store a review in the format that is common to all forges.";
    REVIEWS_PULL = post "/v1/repos/{owner}/{name}/reviews/{pr}/pull": Nothing => ReviewsPulled,
        "Fetch the reviews of a pull request from its forge.";
    REVIEWS_REPROCESS = post "/v1/repos/{owner}/{name}/reviews/{pr}/reprocess":
        ReviewsReprocess => ReviewsPulled,
        "Extract rules from the reviews of a pull request again.";
    REVIEWS_POLL = post "/v1/repos/{owner}/{name}/reviews/poll": Nothing => ReviewsPolled,
        "Fetch the changed pull requests of a repository from its forge.";
    BACKFILL = accept "/v1/repos/{owner}/{name}/backfill": BackfillRequest => Backfill,
        "Fetch the reviews of a repository's past pull requests, latest first.";
}
