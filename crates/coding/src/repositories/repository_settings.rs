//! The verbs `repository_put`, `repository_configure`, `repository_show`: settings of a repository
//! that override those of the server. A setting is named by its dotted key; null means the server's
//! value. `CodingSettings::of` computes the settings in force. To add one: a member of
//! `RepositorySettings`, a line in `SETTINGS`, and code that reads it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use loci_api::verified::repository::RepositoryAdd;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::safety::{RedactionMode, SafetyPolicy};
use loci_model::facts::repository::{Repository, RepositorySettings};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::rule::{ProtectedTopics, RuleApproval};
use loci_model::tasks::task_session::Capture;
use loci_model::{CodeReason, Error, JobId, MemoryId, Reason, Result, limits};
use loci_verified::{check_revision, find_repository};
use serde_json::Value;

use super::setting_secrets;
use crate::Coding;
use crate::hydration::is_cold;
use crate::rules;
use crate::settings::{CodingSettings, MILLION, ReflectionSettings};
use crate::tasks::task_namespaces;

/// A change of settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RepositoryChange {
    /// True to reset all other settings to the server's values.
    pub replaces: bool,
    /// The settings by key; null: the server's value. A group of settings can only be null.
    pub settings: Vec<(String, Value)>,
}

/// A repository, and its settings in force.
#[derive(Debug, Clone, PartialEq)]
pub struct RepositoryShown {
    /// The repository.
    pub repository: Repository,
    /// True if it was not registered before.
    pub created: bool,
    /// Its own settings, with the server's values for the others.
    pub in_force: CodingSettings,
    /// The schedule of its reflection: its own settings, else those of its memory.
    pub reflection: ReflectionSettings,
    /// True if the repository has hardly any tasks yet.
    pub is_cold: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// The parts of a repository that settings change.
struct RepositoryParts<'a> {
    settings: &'a mut RepositorySettings,
    branch: &'a mut Option<String>,
}

/// A setting: its key, the rule for its value, and the function that sets it, which returns false
/// for an invalid value.
struct Setting {
    key: &'static str,
    rule: &'static str,
    set: fn(&mut RepositoryParts<'_>, &Value) -> bool,
}

const SHARE: &str = "must be a number from 0 to 1";
const SWITCH: &str = "must be true or false";
const LOGINS: &str = "must be a list of at most 100 logins";
/// The length of a login, and of a pattern, in characters.
const NAME_CHARS: std::ops::RangeInclusive<usize> = 1..=255;
const COUNT: &str = "must be a number from 1 to 100";
const TASKS: &str = "must be a number of tasks, 1 to 100000";

const DEFAULT_BRANCH: &str = "default_branch";

const SETTINGS: &[Setting] = &[
    Setting {
        key: "memory_token_budget",
        rule: "must be a number of tokens, at most 200000",
        set: |of, value| put(&mut of.settings.memory_token_budget, value, budget),
    },
    Setting {
        key: DEFAULT_BRANCH,
        rule: "must be the name of a branch",
        set: |of, value| put(of.branch, value, branch),
    },
    Setting {
        key: "tiers.knowledge",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.tiers.knowledge, value, Value::as_bool),
    },
    Setting {
        key: "tiers.episodes",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.tiers.episodes, value, Value::as_bool),
    },
    Setting {
        key: "tiers.rules",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.tiers.rules, value, Value::as_bool),
    },
    Setting {
        key: "tiers.preferences",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.tiers.preferences, value, Value::as_bool),
    },
    Setting {
        key: "tiers.reflections",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.tiers.reflections, value, Value::as_bool),
    },
    Setting {
        key: "tiers.graph",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.tiers.graph, value, Value::as_bool),
    },
    Setting {
        key: "control.off",
        rule: SHARE,
        set: |of, value| put(&mut of.settings.control.off, value, share),
    },
    Setting {
        key: "control.tier1",
        rule: SHARE,
        set: |of, value| put(&mut of.settings.control.tier1, value, share),
    },
    Setting {
        key: "control.tier2",
        rule: SHARE,
        set: |of, value| put(&mut of.settings.control.tier2, value, share),
    },
    Setting {
        key: "control.tier3",
        rule: SHARE,
        set: |of, value| put(&mut of.settings.control.tier3, value, share),
    },
    Setting {
        key: "capture.conversation",
        rule: "must be full, decisions, metadata or off",
        set: |of, value| {
            put(&mut of.settings.capture.conversation, value, |value| Capture::parse(value.as_str()?))
        },
    },
    Setting {
        key: "capture.retention_days",
        rule: "must be a number of days, 1 to 3650",
        set: |of, value| put(&mut of.settings.capture.retention_days, value, days),
    },
    Setting {
        key: "agent_logins",
        rule: LOGINS,
        set: |of, value| put(&mut of.settings.reviews.agent_logins, value, names),
    },
    Setting {
        key: "allow_bots",
        rule: LOGINS,
        set: |of, value| put(&mut of.settings.reviews.allow_bots, value, names),
    },
    Setting {
        key: "ignore_drafts",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.reviews.ignore_drafts, value, Value::as_bool),
    },
    Setting {
        key: "accept_unmapped_prs",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.reviews.accept_unmapped_prs, value, Value::as_bool),
    },
    Setting {
        key: "branch_patterns",
        rule: "must be a list of at most 100 names of branches with {task_id} in them, * being anything",
        set: |of, value| put(&mut of.settings.reviews.branch_patterns, value, patterns),
    },
    Setting {
        key: "authority.overrides",
        rule: "must be an object of at most 100 logins or numbers of people, each with a weight from 0 to 1",
        set: |of, value| put(&mut of.settings.reviews.authority, value, weights),
    },
    Setting {
        key: "rules.approval",
        rule: "must be none, high_impact or all",
        set: |of, value| {
            put(&mut of.settings.rules.approval, value, |value| RuleApproval::parse(value.as_str()?))
        },
    },
    Setting {
        key: "rules.quorum.weight",
        rule: "must be a number from 0 to 100",
        set: |of, value| put(&mut of.settings.rules.quorum_weight, value, weight),
    },
    Setting {
        key: "rules.quorum.reviewers",
        rule: COUNT,
        set: |of, value| put(&mut of.settings.rules.quorum_reviewers, value, count),
    },
    Setting {
        key: "rules.quorum.prs",
        rule: COUNT,
        set: |of, value| put(&mut of.settings.rules.quorum_prs, value, count),
    },
    Setting {
        key: "rules.quorum.min_authority",
        rule: SHARE,
        set: |of, value| put(&mut of.settings.rules.quorum_min_authority, value, share),
    },
    Setting {
        key: "rules.stale_after_tasks",
        rule: TASKS,
        set: |of, value| put(&mut of.settings.rules.stale_after_tasks, value, tasks),
    },
    Setting {
        key: "rules.expire_after_tasks",
        rule: TASKS,
        set: |of, value| put(&mut of.settings.rules.expire_after_tasks, value, tasks),
    },
    Setting {
        key: "rules.protected_topics",
        rule: "must be reject or approve",
        set: |of, value| {
            put(&mut of.settings.rules.protected_topics, value, |value| {
                ProtectedTopics::parse(value.as_str()?)
            })
        },
    },
    Setting {
        key: "rules.approval_by_reply",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.rules.approval_by_reply, value, Value::as_bool),
    },
    Setting {
        key: "preferences.implicit",
        rule: SWITCH,
        set: |of, value| put(&mut of.settings.preferences.implicit, value, Value::as_bool),
    },
    Setting {
        key: "reflection.every_tasks",
        rule: "must be a number of tasks, 1 to 1000",
        set: |of, value| {
            put(&mut of.settings.reflection.every_tasks, value, |value| within(value, limits::REFLECT_TASKS))
        },
    },
    Setting {
        key: "reflection.every_hours",
        rule: "must be a number of hours, 1 to 8760",
        set: |of, value| {
            put(&mut of.settings.reflection.every_hours, value, |value| within(value, limits::REFLECT_HOURS))
        },
    },
    Setting {
        key: "reflection.min_episodes",
        rule: "must be a number of episodes, 2 to 200",
        set: |of, value| {
            put(&mut of.settings.reflection.min_episodes, value, |value| {
                within(value, limits::REFLECT_EPISODES)
            })
        },
    },
];

/// Sets a member, or resets it to the server's value.
fn put<T>(member: &mut Option<T>, value: &Value, read: impl Fn(&Value) -> Option<T>) -> bool {
    let read = if value.is_null() { Some(None) } else { read(value).map(Some) };
    let is_one = read.is_some();
    *member = read.unwrap_or_else(|| member.take());
    is_one
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn within(value: &Value, range: RangeInclusive<u32>) -> Option<u32> {
    number(value).filter(|number| range.contains(number))
}

fn budget(value: &Value) -> Option<u32> {
    number(value).filter(|tokens| *tokens <= limits::HYDRATION_TOKENS_MAX)
}

fn count(value: &Value) -> Option<u32> {
    number(value).filter(|count| (1..=limits::QUORUM_MAX).contains(count))
}

fn tasks(value: &Value) -> Option<u32> {
    number(value).filter(|tasks| (1..=limits::RULE_TASKS_MAX).contains(tasks))
}

fn days(value: &Value) -> Option<u32> {
    number(value).filter(|days| (1..=limits::RETENTION_DAYS_MAX).contains(days))
}

/// Reads a share in millionths, because integers compare exactly and fractions do not.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to a million")]
fn share(value: &Value) -> Option<u32> {
    let share = value.as_f64().filter(|share| (0.0..=1.0).contains(share))?;
    Some((share * MILLION).round() as u32)
}

fn names(value: &Value) -> Option<Vec<String>> {
    let list = value.as_array().filter(|list| list.len() <= limits::INTAKE_NAMES_MAX)?;
    list.iter().map(|name| name.as_str().filter(|name| is_name(name)).map(str::to_owned)).collect()
}

fn is_name(name: &str) -> bool {
    NAME_CHARS.contains(&name.chars().count()) && !name.chars().any(|c| c.is_control() || c == ' ')
}

fn patterns(value: &Value) -> Option<Vec<String>> {
    names(value).filter(|list| list.iter().all(|pattern| pattern.matches("{task_id}").count() == 1))
}

fn weights(value: &Value) -> Option<BTreeMap<String, u32>> {
    let members = value.as_object().filter(|members| members.len() <= limits::INTAKE_NAMES_MAX)?;
    let weight = |(name, value): (&String, &Value)| Some((name.clone(), share(value)?));
    members
        .iter()
        .filter(|(name, _)| is_name(name))
        .map(weight)
        .collect::<Option<BTreeMap<_, _>>>()
        .filter(|read| read.len() == members.len())
}

/// Reads a weight in millionths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to a hundred million")]
fn weight(value: &Value) -> Option<u32> {
    let weight = value.as_f64().filter(|weight| (0.0..=f64::from(limits::QUORUM_MAX)).contains(weight))?;
    Some((weight * MILLION).round() as u32)
}

fn branch(value: &Value) -> Option<String> {
    value.as_str().filter(|name| check_revision(name).is_ok()).map(str::to_owned)
}

/// Checks settings that replace all others, before any write.
fn check(change: &RepositoryChange, server: &CodingSettings, mode: RedactionMode) -> Result<()> {
    let (mut settings, mut branch) = (RepositorySettings::default(), None);
    apply(&mut RepositoryParts { settings: &mut settings, branch: &mut branch }, change, (server, mode))
}

/// Returns the warning about a branch that does not exist.
fn branchless(name: &str) -> String {
    format!(
        "DEFAULT_BRANCH_UNKNOWN: no place of the repository that can be read here has the branch {name}, so no fact changes its state: \
         fetch it, or name another by default_branch"
    )
}

/// Changes the settings of a repository. Together with those of the server they must be consistent.
fn apply(
    of: &mut RepositoryParts<'_>,
    change: &RepositoryChange,
    (server, mode): (&CodingSettings, RedactionMode),
) -> Result<()> {
    if change.replaces {
        *of.settings = RepositorySettings::default();
    }
    for (key, value) in &change.settings {
        let group = format!("{key}.");
        let is_group = value.is_null() && SETTINGS.iter().any(|one| one.key.starts_with(&group));
        let named = |one: &&Setting| one.key == key || (is_group && one.key.starts_with(&group));
        let mut found = SETTINGS.iter().filter(named).peekable();
        if found.peek().is_none() {
            let all = SETTINGS.iter().map(|one| one.key).collect::<Vec<_>>().join(", ");
            return Err(Error::invalid(
                key.clone(),
                format!("{key} is no setting of a repository: these are {all}"),
            ));
        }
        for setting in found {
            if !(setting.set)(of, value) {
                let rule = format!("{key} {}; null leaves it to the server", setting.rule);
                return Err(Error::invalid(key.clone(), rule));
            }
        }
        setting_secrets::check(key, value, mode)?;
    }
    let control = server.with(of.settings).control;
    if control.off + control.tier1 + control.tier2 + control.tier3 > 1.0 + 1.0 / MILLION {
        let rule =
            "control.off, tier1, tier2 and tier3 must be at most 1 together, with those that the server has";
        return Err(Error::invalid("control", rule));
    }
    Ok(())
}

impl Coding {
    /// Registers a repository, or a name or place of it, and replaces its settings; all others are
    /// the server's. The default branch determines the code that is read, as in `repository_add`,
    /// and stays if the request names none.
    ///
    /// # Errors
    /// `Invalid` by the rules of the settings, without a registration; errors of `repository_add`
    /// and `repository_configure`.
    pub async fn repository_put(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        add: RepositoryAdd,
        change: RepositoryChange,
    ) -> Result<RepositoryShown> {
        let known = match self.repository_show(caller, standing, repo).await {
            Ok(known) => Some(known.repository),
            Err(error) if error.reason == Some(Reason::Code(CodeReason::RepositoryUnknown)) => None,
            Err(error) => return Err(error),
        };
        check(&change, &self.parts.settings, self.secrets_of_code(caller, standing).await?)?;
        let same_as = known.map(|known| known.key);
        let added = self.verified.repository_add(caller, standing, RepositoryAdd { same_as, ..add }).await?;
        let key = added.repository.key.clone();
        let mut shown = self.repository_configure(caller, standing, &key, change).await?;
        shown.created = added.created;
        shown.warnings.splice(0..0, added.warnings);
        Ok(shown)
    }

    /// Changes the settings of a repository.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `REPO_UNKNOWN`; `Invalid`, by key, without a
    /// change.
    pub async fn repository_configure(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        change: RepositoryChange,
    ) -> Result<RepositoryShown> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        let (caller, repo, now) = (caller.clone(), repo.to_owned(), self.engine.now());
        let names_branch = change.settings.iter().any(|(key, _)| key == DEFAULT_BRANCH);
        let own = Arc::clone(&self.parts.settings);
        let engine = self.engine.settings().clone();
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let mut shown = self
            .engine
            .store()
            .write(move |tx| {
                let of = existing(tx, &memory)?;
                let mode = SafetyPolicy::of(&engine, &of.settings).secrets;
                let before = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                let mut repository = before.clone();
                let Repository { settings, default_ref, .. } = &mut repository;
                apply(&mut RepositoryParts { settings, branch: default_ref }, &change, (&own, mode))?;
                if repository.default_ref != before.default_ref {
                    repository.verified_tip = None; // Of another branch: nothing is older or newer than that.
                }
                if repository != before {
                    repository.updated_at = now;
                    tx.repositories_mut().put(&repository)?;
                    let changing = StateTransition { memory: &of, by: &caller.name, at: now };
                    rules::reweigh(tx, &changing, &repository, (&own, &job))?;
                }
                shown(tx, &memory, repository, &own)
            })
            .await?;
        self.engine.wake().call();
        if names_branch && self.verified.is_untold(&shown.repository).await {
            shown.warnings.extend(shown.repository.default_ref.as_deref().map(branchless));
        }
        Ok(shown)
    }

    /// Returns a repository with its settings.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`, also if the caller may not see the repository.
    pub async fn repository_show(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
    ) -> Result<RepositoryShown> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo, server) = (caller.clone(), repo.to_owned(), self.parts.settings.clone());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                shown(tx, &memory, repository, &server)
            })
            .await
    }
}

fn shown(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    repository: Repository,
    server: &CodingSettings,
) -> Result<RepositoryShown> {
    let is_cold = is_cold(tx, memory, &task_namespaces::actor_of(&repository)?)?;
    let in_force = server.of(Some(&repository));
    let reflection = ReflectionSettings::of(&existing(tx, memory)?.settings, &repository.settings.reflection);
    let (created, warnings) = (false, Vec::new());
    Ok(RepositoryShown { repository, created, in_force, reflection, is_cold, warnings })
}
