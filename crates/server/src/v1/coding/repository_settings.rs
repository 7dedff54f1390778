//! Settings of a repository: put, change, show.

use loci_api::coding::table as api;

use loci_api::coding::repository_settings as shape;
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::settings::ReflectionSettings;
use loci_coding::{CodingSettings, RepositoryChange, RepositoryShown, RuleSettings, intake_of, share_of};
use loci_model::facts::repository::{Repository, RepositorySettings, ReviewIntake, Tiers};
use loci_model::{Error, Result};
use loci_verified::host_of;
use serde_json::{Map, Value};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::{aliases, place, repo};

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::REPOSITORY_PUT, self::put)
        .json(api::REPOSITORY_PATCH, self::patch)
        .plain(api::REPOSITORY_SHOW, show)
}

async fn put(call: Call, asked: shape::RepositoryChange) -> Result<shape::RepositoryShown> {
    let (repo, warnings) = (repo(&call)?, unbuilt(&asked));
    let change = RepositoryChange { replaces: true, settings: settings(&asked) };
    let add = added(&repo, asked)?;
    let shown =
        call.doors.engine.coding.repository_put(&call.caller, &standing(&call)?, &repo, add, change).await?;
    Ok(told(shown, warnings))
}

async fn patch(call: Call, asked: shape::RepositoryChange) -> Result<shape::RepositoryShown> {
    let (repo, warnings) = (repo(&call)?, unbuilt(&asked));
    for (field, is_given) in [
        ("forge", asked.forge.is_some()),
        ("forge_repo_id", asked.forge_repo_id.is_some()),
        ("host", asked.host.is_some()),
        ("remotes", !asked.remotes.is_empty()),
        ("clone_path", asked.clone_path.is_some()),
        ("parent", asked.parent.is_some()),
    ] {
        if is_given {
            return Err(Error::invalid(field, format!("{field} registers a repository: send it by PUT")));
        }
    }
    let change = RepositoryChange { replaces: false, settings: settings(&asked) };
    let engine = &call.doors.engine;
    let shown = engine.coding.repository_configure(&call.caller, &standing(&call)?, &repo, change).await?;
    Ok(told(shown, warnings))
}

async fn show(call: Call) -> Result<shape::RepositoryShown> {
    let engine = &call.doors.engine;
    let (repo, standing) = (repo(&call)?, standing(&call)?);
    let shown = engine.coding.repository_show(&call.caller, &standing, &repo).await?;
    let counts = engine.coding.repository_counts(&call.caller, &standing, &repo).await?;
    Ok(shape::RepositoryShown { counts, ..told(shown, Vec::new()) })
}

/// Returns the registration of the repository in the path.
fn added(repo: &str, asked: shape::RepositoryChange) -> Result<RepositoryAdd> {
    let host = asked.host.clone().or_else(|| host_of(asked.forge.as_deref()).map(str::to_owned));
    let numbered = |number: u64| {
        let rule = "the number of a repository is that of a forge: send forge or host too";
        let host = host.as_deref().ok_or_else(|| Error::invalid("forge_repo_id", rule))?;
        Ok::<_, Error>(format!("{host}:{number}"))
    };
    Ok(RepositoryAdd {
        forge_id: asked.forge_repo_id.map(numbered).transpose()?,
        name: Some(host.map_or_else(|| repo.to_owned(), |host| format!("{host}/{repo}"))),
        directory: asked.clone_path,
        aliases: asked.remotes,
        parent: asked.parent,
        ..RepositoryAdd::default()
    })
}

/// Returns the given settings by their dotted keys.
fn settings(asked: &shape::RepositoryChange) -> Vec<(String, Value)> {
    let groups = [
        ("default_branch", &asked.default_branch),
        ("memory_token_budget", &asked.memory_token_budget),
        ("tiers", &asked.tiers),
        ("control", &asked.control),
        ("capture", &asked.capture),
        ("agent_logins", &asked.agent_logins),
        ("allow_bots", &asked.allow_bots),
        ("ignore_drafts", &asked.ignore_drafts),
        ("accept_unmapped_prs", &asked.accept_unmapped_prs),
        ("branch_patterns", &asked.branch_patterns),
        ("authority", &asked.authority),
        ("rules", &asked.rules),
        ("preferences", &asked.preferences),
        ("reflection", &asked.reflection),
    ];
    let mut found = Vec::new();
    for (key, value) in groups {
        match value {
            None => {}
            Some(Value::Object(members)) => dotted(key, members, &mut found),
            Some(value) => found.push((key.to_owned(), value.clone())),
        }
    }
    found
}

/// Collects the members of a group, each by its key, and those of the nested group by theirs.
fn dotted(key: &str, members: &Map<String, Value>, found: &mut Vec<(String, Value)>) {
    for (member, value) in members {
        let key = format!("{key}.{member}");
        match value {
            _ if key == CRON => {}
            Value::Object(within) if key == QUORUM => dotted(&key, within, found),
            _ => found.push((key, value.clone())),
        }
    }
}

/// The nested group.
const QUORUM: &str = "rules.quorum";
/// The calendar schedule, which is not implemented: intervals count hours.
const CRON: &str = "reflection.cron";

/// Returns warnings about given settings that are not implemented, so that they are not taken as
/// active.
fn unbuilt(asked: &shape::RepositoryChange) -> Vec<String> {
    let is_pool = asked.isolation.as_ref().is_none_or(|isolation| isolation == "pool");
    let cron = asked.reflection.as_ref().and_then(|own| own.get("cron")).is_some_and(|cron| !cron.is_null());
    let given = [
        (CRON, cron),
        ("guardian", asked.guardian.is_some()),
        ("isolation", !is_pool),
        ("share_with", asked.share_with.is_some()),
    ];
    let said = |(field, _)| format!("NOT_BUILT: {field} is not kept yet, and changes nothing");
    given.into_iter().filter(|(_, is_given)| *is_given).map(said).collect()
}

fn told(shown: RepositoryShown, unbuilt: Vec<String>) -> shape::RepositoryShown {
    let RepositoryShown { repository, created, in_force, reflection, is_cold, mut warnings } = shown;
    warnings.extend(unbuilt);
    shape::RepositoryShown {
        config: own(&repository),
        in_force: counting(&repository, &in_force, reflection),
        repo_id: repository.id.to_string(),
        scope_key: repository.key,
        aliases: aliases(repository.aliases),
        places: repository.places.into_iter().map(place).collect(),
        created,
        cold_start: is_cold,
        counts: Vec::new(),
        warnings,
    }
}

fn own(repository: &Repository) -> shape::RepositorySettings {
    let RepositorySettings {
        memory_token_budget,
        tiers,
        control,
        capture,
        reviews,
        rules,
        preferences,
        reflection,
    } = &repository.settings;
    let shown = shape::RepositorySettings {
        default_branch: repository.default_ref.clone(),
        memory_token_budget: *memory_token_budget,
        tiers: shown_tiers(tiers, |tier| tier),
        control: shape::RepositoryControl {
            off: control.off.map(share_of),
            tier1: control.tier1.map(share_of),
            tier2: control.tier2.map(share_of),
            tier3: control.tier3.map(share_of),
        },
        capture: shape::RepositoryCapture {
            conversation: capture.conversation.map(|capture| capture.as_str().to_owned()),
            retention_days: capture.retention_days,
        },
        rules: shape::RepositoryRules {
            approval: rules.approval.map(|approval| approval.as_str().to_owned()),
            quorum: shape::RepositoryQuorum {
                weight: rules.quorum_weight.map(share_of),
                reviewers: rules.quorum_reviewers,
                prs: rules.quorum_prs,
                min_authority: rules.quorum_min_authority.map(share_of),
            },
            stale_after_tasks: rules.stale_after_tasks,
            expire_after_tasks: rules.expire_after_tasks,
            protected_topics: rules.protected_topics.map(|topics| topics.as_str().to_owned()),
            approval_by_reply: rules.approval_by_reply,
        },
        preferences: shape::RepositoryPreferences { implicit: preferences.implicit },
        reflection: shape::RepositoryReflection {
            every_tasks: reflection.every_tasks,
            every_hours: reflection.every_hours,
            min_episodes: reflection.min_episodes,
        },
        ..shape::RepositorySettings::default()
    };
    with_intake(shown, reviews)
}

/// Returns the settings with the sources of reviews from which the server learns, and their notes.
fn with_intake(shown: shape::RepositorySettings, reviews: &ReviewIntake) -> shape::RepositorySettings {
    let weights = reviews.authority.iter().flatten();
    shape::RepositorySettings {
        agent_logins: reviews.agent_logins.clone(),
        allow_bots: reviews.allow_bots.clone(),
        ignore_drafts: reviews.ignore_drafts,
        accept_unmapped_prs: reviews.accept_unmapped_prs,
        branch_patterns: reviews.branch_patterns.clone(),
        authority: shape::RepositoryAuthority {
            overrides: weights.map(|(name, weight)| (name.clone(), share_of(*weight))).collect(),
        },
        ..shown
    }
}

fn counting(
    repository: &Repository,
    settings: &CodingSettings,
    reflection: ReflectionSettings,
) -> shape::RepositorySettings {
    let (control, capture) = (&settings.control, &settings.capture);
    let shown = shape::RepositorySettings {
        default_branch: repository.default_ref.clone(),
        memory_token_budget: Some(settings.budget_tokens),
        tiers: shown_tiers(&repository.settings.tiers, |tier| Some(tier.unwrap_or(true))),
        control: shape::RepositoryControl {
            off: Some(control.off),
            tier1: Some(control.tier1),
            tier2: Some(control.tier2),
            tier3: Some(control.tier3),
        },
        capture: shape::RepositoryCapture {
            conversation: Some(capture.conversation.as_str().to_owned()),
            retention_days: Some(capture.retention_days),
        },
        rules: counting_rules(&settings.rules),
        preferences: shape::RepositoryPreferences {
            implicit: Some(repository.settings.preferences.implicit.unwrap_or(true)),
        },
        reflection: shape::RepositoryReflection {
            every_tasks: Some(reflection.every_tasks),
            every_hours: reflection.every_hours,
            min_episodes: Some(reflection.min_episodes),
        },
        ..shape::RepositorySettings::default()
    };
    with_intake(shown, &intake_of(repository))
}

fn counting_rules(rules: &RuleSettings) -> shape::RepositoryRules {
    shape::RepositoryRules {
        approval: Some(rules.approval.as_str().to_owned()),
        quorum: shape::RepositoryQuorum {
            weight: Some(rules.quorum_weight),
            reviewers: Some(rules.quorum_reviewers),
            prs: Some(rules.quorum_prs),
            min_authority: Some(rules.quorum_min_authority),
        },
        stale_after_tasks: Some(rules.stale_after_tasks),
        expire_after_tasks: Some(rules.expire_after_tasks),
        protected_topics: Some(rules.protected_topics.as_str().to_owned()),
        approval_by_reply: Some(rules.approval_by_reply),
    }
}

fn shown_tiers(tiers: &Tiers, shown: fn(Option<bool>) -> Option<bool>) -> shape::RepositoryTiers {
    shape::RepositoryTiers {
        knowledge: shown(tiers.knowledge),
        episodes: shown(tiers.episodes),
        rules: shown(tiers.rules),
        preferences: shown(tiers.preferences),
        reflections: shown(tiers.reflections),
        graph: shown(tiers.graph),
    }
}
