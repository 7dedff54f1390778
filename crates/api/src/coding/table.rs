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
        "Tell which tasks, prompts and people something leads back to, and what was said; the newest first.";
    TASK_COMMITS = accept "/v1/tasks/{task}/commits": TaskCommits => TaskCommitsTaken,
        "Report commits that a task made, and commits that took the place of others.";
    BLAME = get "/v1/repos/{owner}/{name}/blame": BlameAsk => Blame,
        "Tell which tasks, prompts and people led to a commit.";
    CONFLICTS_LIST = get "/v1/repos/{owner}/{name}/conflicts": ConflictListing => ConflictList,
        "List memories of a repository that contradict each other.";
    CONFLICT_RESOLVE = post "/v1/repos/{owner}/{name}/conflicts/{conflict}/resolve":
        ConflictResolve => Conflict,
        "Decide which of two memories stays, or that both do.";
    DEAD_LETTER_LIST = get "/v1/dead-letters": DeadLetterListing => DeadLetterList,
        "List what the server could not write for coding agents, the latest first.";
    DEAD_LETTER_RETRY = post "/v1/dead-letters/{letter}/retry": Nothing => DeadLetterRetried,
        "Try again now what was given up.", key;
    EVALUATION_ADD = create "/v1/evaluations": EvaluationAdd => EvaluationAdded,
        "Store what an evaluation found in the work of a task: findings are remembered, a suggestion is kept.";
    EVALUATION_LIST = get "/v1/evaluations": EvaluationListing => EvaluationList,
        "List evaluations of a repository or of a task, the newest first.";
    EXTRACTION_PROMPTS = get "/v1/extraction-prompts": Nothing => ExtractionPromptList,
        "List the prompts for what agents write at the end of a task.";
    EXTRACTION_PROMPT = get "/v1/extraction-prompts/{prompt}":
        ExtractionPromptAsk => ExtractionPrompt,
        "Get one by name and version, as learnings@1, or the current one by its name.";
    EXTRACTION_PROMPT_PUT = put "/v1/extraction-prompts/{prompt}":
        ExtractionPromptPut => ExtractionPromptChanged,
        "Store a text as the next version of a prompt: a candidate, or current by force. {prompt} is its name.";
    EXTRACTION_PROMPT_ROLLBACK = post "/v1/extraction-prompts/{prompt}/rollback":
        ExtractionPromptRollback => ExtractionPromptChanged,
        "Make an earlier version of a prompt current again: {prompt} is its name.";
    PROMPT_QUESTIONS = get "/v1/extraction-prompts/{prompt}/questions":
        Nothing => PromptQuestionList,
        "Get the questions of the labelled set for a version, for a model of your own to answer.";
    PROMPT_EVALUATIONS = get "/v1/extraction-prompts/{prompt}/evaluations":
        Nothing => PromptEvaluationList,
        "List the figures of a version, newest first.";
    PROMPT_EVALUATE = post "/v1/extraction-prompts/{prompt}/evaluations":
        PromptEvaluate => PromptEvaluation,
        "Evaluate a version against the labelled set, by your answers or by the configured model.";
    CO_CHANGES = get "/v1/repos/{owner}/{name}/graph/co-change": CoChangeAsk => CoChangeList,
        "Files that often change with a file.";
    FILE_SETS = get "/v1/repos/{owner}/{name}/graph/sets": FileSetListing => FileSetList,
        "Groups of files that are always modified together.";
    IMPACT = get "/v1/repos/{owner}/{name}/graph/impact": ImpactAsk => ImpactList,
        "What a change of a file, a directory or a module may touch: importers, files that change with it, tasks that failed with it.";
    MISSING_FILES = post "/v1/repos/{owner}/{name}/graph/missing": MissingAsk => MissingList,
        "Files that usually change with some others and are not among them: to look at before a pull request.";
    GRAPH_REBUILD = accept "/v1/repos/{owner}/{name}/graph/rebuild":
        GraphRebuild => GraphRebuildAsked,
        "Ask for the history of a repository to be read anew.";
    REPOSITORY_METRICS = get "/v1/repos/{owner}/{name}/metrics": MetricsAsk => Metrics,
        "Tell how well the tasks of a repository went, by group, and what memories were worth to them.";
    TASK_OUTCOME = get "/v1/tasks/{task}/outcome": Nothing => Outcome,
        "Get what came of a task: how its pull request ended, graded.";
    TASK_OUTCOME_SET = post "/v1/tasks/{task}/outcome": OutcomeSet => Outcome,
        "Set what came of a task by hand, or from a forge that is not watched.";
    PREFERENCE_PUT = put "/v1/users/{user}/preferences/{preference}":
        PreferencePut => PreferenceSet,
        "Set what somebody wants of one dimension.";
    PREFERENCE_REMOVE = delete "/v1/users/{user}/preferences/{preference}":
        Nothing => PreferenceRemoved,
        "Delete a preference of somebody, by its id.";
    USER_SETTINGS_PUT = put "/v1/users/{user}/settings": UserSettings => UserSettingsPut,
        "Say whether conclusions may be drawn of somebody.";
    USER_FORGET = delete "/v1/users/{user}": Nothing => UserForgotten,
        "Erase somebody: what is theirs, and who they were.";
    PREFERENCES_LIST = get "/v1/users/{user}/preferences": Nothing => PreferenceList,
        "List what somebody wants of the agents that work for them.";
    USER_EXPORT = get "/v1/users/{user}/export": Nothing => UserExport,
        "Export what is kept of somebody.";
    PROMPT_ADD = post "/v1/prompts": PromptAdd => PromptAdded,
        "Store a version of a prompt; it becomes its template's current one.";
    PROMPT_LIST = get "/v1/prompts": PromptListing => PromptList,
        "List versions of prompts, who became current last first.";
    PROMPT_GET = get "/v1/prompts/{prompt}": Nothing => Prompt,
        "Get a version of a prompt.";
    PROMPT_DIFF = get "/v1/prompts/{prompt}/diff": Nothing => PromptDiff,
        "Compare two versions: {prompt} is A..B.";
    PROMPT_ROLLBACK = post "/v1/prompts/{prompt}/rollback": PromptRollback => PromptRolledBack,
        "Make a version the current one of its template again: {prompt} is the template.";
    REPOSITORY_REFLECT = accept "/v1/repos/{owner}/{name}/reflect":
        RepositoryReflect => RepositoryReflectAsked,
        "Look at the newest tasks of a repository together.";
    STRATEGY_REFLECT = post "/v1/memories/{memory}/strategies/{strategy}/reflect":
        Reflect => ReflectAsked,
        "Ask for a reflection over the newest episodes of a strategy.";
    REPOSITORY_SEARCH = post "/v1/repos/{owner}/{name}/search": RepositorySearch => RepositoryFound,
        "Search what is remembered of a repository, by a question and filters, while an agent works on it.";
    REPOSITORY_PUT = put "/v1/repos/{owner}/{name}": RepositoryChange => RepositoryShown,
        "Register a repository, and give it settings of its own.";
    REPOSITORY_PATCH = patch "/v1/repos/{owner}/{name}": RepositoryChange => RepositoryShown,
        "Change settings of a repository.";
    REPOSITORY_SHOW = get "/v1/repos/{owner}/{name}": Nothing => RepositoryShown,
        "Get a repository with its settings, and those that count for it.";
    RULE_ADD = create "/v1/repos/{owner}/{name}/rules": NewRule => Rule,
        "Write a rule of a repository; it is in force at once.";
    RULE_APPROVE = post "/v1/repos/{owner}/{name}/rules/{rule}/approve":
        RuleDecision => RuleDecided,
        "Put a rule in force, by a person's word.";
    RULE_REJECT = post "/v1/repos/{owner}/{name}/rules/{rule}/reject": RuleDecision => RuleDecided,
        "Reject a rule, for good.";
    RULE_PIN = post "/v1/repos/{owner}/{name}/rules/{rule}/pin": RuleDecision => RuleDecided,
        "Keep a rule in force, whatever reviews say.";
    RULE_UNPIN = post "/v1/repos/{owner}/{name}/rules/{rule}/unpin": RuleDecision => RuleDecided,
        "Let a rule be one like others.";
    RULE_EXPIRE = post "/v1/repos/{owner}/{name}/rules/{rule}/expire": RuleDecision => RuleDecided,
        "End a rule: its time is over.";
    RULE_SUPERSEDE = post "/v1/repos/{owner}/{name}/rules/{rule}/supersede":
        RuleDecision => RuleDecided,
        "Put another rule in a rule's place.";
    RULE_QUARANTINE = post "/v1/repos/{owner}/{name}/rules/{rule}/quarantine":
        RuleDecision => RuleDecided,
        "Hold a rule back as suspicious.";
    RULE_PROVENANCE = get "/v1/repos/{owner}/{name}/rules/{rule}/provenance":
        Nothing => RuleProvenance,
        "What supports a rule, how its state changed, and which tasks were shown it.";
    RULE_PROMOTE = post "/v1/repos/{owner}/{name}/rules/{rule}/promote":
        RulePromote => RulePromotion,
        "Render a rule as a patch of the repository's instructions; nothing is written.";
    RULE_LIST = get "/v1/repos/{owner}/{name}/rules": RuleListing => RuleList,
        "List the rules that reviews of a repository left, the newest first.";
    REPOSITORY_QUARANTINE = post "/v1/repos/{owner}/{name}/quarantine":
        RepositoryQuarantine => Quarantined,
        "Hold back memories of a repository, or say which would be.";
    REPOSITORY_RELEASE = post "/v1/repos/{owner}/{name}/quarantine/release":
        RepositoryQuarantine => Quarantined,
        "Let held memories of a repository go again.";
    HELD_LIST = get "/v1/repos/{owner}/{name}/held": HeldListing => HeldList,
        "Memories of a repository that wait for a person.";
    HELD_ACCEPT = post "/v1/repos/{owner}/{name}/held/{record}/accept": HeldDecide => Record,
        "Put a memory that waits in force.";
    HELD_REJECT = post "/v1/repos/{owner}/{name}/held/{record}/reject": HeldDecide => Record,
        "Mark a memory that waits as wrong, for good.";
    SNAPSHOTS_LIST = get "/v1/repos/{owner}/{name}/snapshots": SnapshotListing => SnapshotList,
        "States of a repository's memory that one can go back to.";
    REPOSITORY_ROLLBACK = post "/v1/repos/{owner}/{name}/rollback": RollbackAsk => RolledBack,
        "Put a repository's memory back to a snapshot.";
    REPOSITORY_PURGE = post "/v1/repos/{owner}/{name}/purge": PurgeAsk => Purged,
        "Erase memories of a repository, or say which would be.";
    TASK_ALERT = post "/v1/tasks/{task}/alert": TaskAlertRaise => TaskAlerted,
        "Raise the security alert of a task: what it wrote is quarantined, and whatever it writes.";
    TASK_COMPLETE = accept "/v1/tasks/{task}/complete": TaskComplete => TaskCompleted,
        "Report the end of a task: its episode, its learnings, what its agent would have needed.", key;
    TASK_FINALIZE = post "/v1/tasks/{task}/finalize": TaskFinalize => TaskFinalized,
        "End a task, on every path: an episode is written where none tells of it. As often as you like.";
    TASK_NOTE = accept "/v1/tasks/{task}/notes": TaskNote => TaskNoted,
        "Store one thing that was learned, while the task goes on.";
    TASK_FEEDBACK = post "/v1/tasks/{task}/feedback": TaskFeedback => TaskFeedbackTaken,
        "Say which memories were used, helped or misled; what two tasks call harmful, or a person, is quarantined.";
    TASK_HYDRATE = post "/v1/tasks/{task}/hydrate": TaskHydrate => TaskHydrated,
        "What is remembered, for the prompt of a task: within a budget and a deadline, with a receipt.";
    TASK_EXPLAIN = get "/v1/tasks/{task}/explain": Nothing => TaskExplained,
        "What a task was shown, what it used, where that comes from.";
    EXPOSURE_GET = get "/v1/exposures/{exposure}": Nothing => Exposure,
        "What one call showed a task.";
    TASK_CREATE = create "/v1/tasks": TaskCreate => TaskTaken,
        "Take a task in; 200 where it was taken in before.", key;
    TASK_LIST = get "/v1/tasks": TaskListing => TaskList,
        "List tasks, the newest first.";
    TASK_GET = get "/v1/tasks/{task}": Nothing => Task,
        "Get a task.";
    TASK_PATCH = patch "/v1/tasks/{task}": TaskPatch => TaskPatched,
        "Say how far a task has come. What has ended stays ended.";
    TASK_EPISODE = post "/v1/tasks/{task}/episode": TaskEpisode => TaskWrote,
        "Report the end of a task in its narrow form: an alias of complete, for its episode alone.", key;
    TASK_LEARNINGS = post "/v1/tasks/{task}/learnings": TaskLearnings => TaskWrote,
        "Report what was learned: an alias of complete, for learnings alone.";
    SESSION_APPEND = accept "/v1/sessions/{task}/events": SessionAppend => SessionAppended,
        "Add to the session of a task; what has a number that is known is a repetition.";
    SESSION_EVENTS = get "/v1/sessions/{task}/events": SessionListing => SessionEvents,
        "Read what was said in the session of a task, by number.";
    SESSION_STATE = get "/v1/sessions/{task}/state": Nothing => SessionState,
        "Get what an agent keeps for its next run.";
    SESSION_STATE_PUT = put "/v1/sessions/{task}/state": SessionState => SessionStateKept,
        "Keep something for an agent's next run.";
    SESSION_PROMOTE = post "/v1/sessions/{task}/promote": SessionPromote => SessionPromoted,
        "Make learnings of chosen events, while the session is open.";
    SESSION_END_OF_TASK = post "/v1/sessions/{task}/end": Nothing => TaskSessionEnded,
        "End the session of a task; what is left is the archive.";
    THEMES_LIST = get "/v1/repos/{owner}/{name}/self-feedback/themes": ThemeListing => ThemeList,
        "List what at least three tasks of a repository lacked.";
    THEME_CLOSE = post "/v1/repos/{owner}/{name}/self-feedback/themes/{theme}/close":
        Nothing => ThemeClosed,
        "Close a theme: something was done about it, and its items are put away.";
    THEME_PROPOSAL = get "/v1/repos/{owner}/{name}/self-feedback/proposal":
        ThemeProposalAsk => ThemeProposal,
        "Get the open themes of a repository as an edit of its prompt, with the difference.";
    THEME_PROPOSAL_ACCEPT = post "/v1/repos/{owner}/{name}/self-feedback/proposal/accept":
        ThemeProposalAccept => ThemeProposalAccepted,
        "Accept the edit: store it as a version of the prompt, and close its themes.";
    REVIEW_TAKE = post "/v1/repos/{owner}/{name}/reviews": NewReview => ReviewsPulled,
        "Take a review, as any forge could tell it.";
    REVIEWS_PULL = post "/v1/repos/{owner}/{name}/reviews/{pr}/pull": Nothing => ReviewsPulled,
        "Read the reviews of a pull request from its forge.";
    REVIEWS_REPROCESS = post "/v1/repos/{owner}/{name}/reviews/{pr}/reprocess":
        ReviewsReprocess => ReviewsPulled,
        "Learn again from reviews of a pull request.";
    REVIEWS_POLL = post "/v1/repos/{owner}/{name}/reviews/poll": Nothing => ReviewsPolled,
        "Read what has changed in a repository's pull requests.";
    BACKFILL = accept "/v1/repos/{owner}/{name}/backfill": BackfillRequest => Backfill,
        "Read the reviews of a repository's latest pull requests, from the past.";
}
