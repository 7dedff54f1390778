//! What people want of the agents that work for them: shown, set, deleted; what is kept of somebody, and its end.

use loci_api::coding::preference as shape;
use loci_api::coding::table as api;
use loci_coding::{PreferenceSet, UserExport};
use loci_model::record::Record;
use loci_model::record::metadata::MetadataValue;
use loci_model::tasks::preference::PreferenceDimension;
use loci_model::tasks::review::Review;
use loci_model::tasks::task::Task;
use loci_model::{Error, RecordId, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::standing::standing;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
        .plain(api::PREFERENCES_LIST, list)
        .json(api::PREFERENCE_PUT, self::put)
        .plain(api::PREFERENCE_REMOVE, self::remove)
        .json(api::USER_SETTINGS_PUT, self::settings)
        .plain(api::USER_EXPORT, export)
        .plain(api::USER_FORGET, self::forget)
}

async fn list(call: Call) -> Result<shape::PreferenceList> {
    let engine = &call.doors.engine;
    let found = engine.coding.preferences_list(&call.caller, &standing(&call)?, call.path("user")?).await?;
    Ok(shape::PreferenceList {
        user: found.user,
        preferences: found.preferences.into_iter().map(shown).collect(),
    })
}

async fn put(call: Call, asked: shape::PreferencePut) -> Result<shape::PreferenceSet> {
    let all = || PreferenceDimension::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ");
    let unknown = || Error::invalid("dimension", format!("dimension must be one of {}", all()));
    let dimension = PreferenceDimension::parse(call.path("preference")?).ok_or_else(unknown)?;
    let set = PreferenceSet { dimension, text: asked.text, repo: asked.repo };
    let engine = &call.doors.engine;
    let put = engine.coding.preference_put(&call.caller, &standing(&call)?, call.path("user")?, set).await?;
    Ok(shape::PreferenceSet { preference: shown(put.preference), created: put.created })
}

async fn remove(call: Call) -> Result<shape::PreferenceRemoved> {
    let id = RecordId::parse(call.path("preference")?).map_err(|error| error.on("preference_id"))?;
    let engine = &call.doors.engine;
    engine.coding.preference_remove(&call.caller, &standing(&call)?, call.path("user")?, &id).await?;
    Ok(shape::PreferenceRemoved { preference_id: id.to_string() })
}

async fn settings(call: Call, asked: shape::UserSettings) -> Result<shape::UserSettingsPut> {
    let rule = "send implicit_inference: true or false";
    let wanted = asked.implicit_inference.ok_or_else(|| Error::invalid("implicit_inference", rule))?;
    let engine = &call.doors.engine;
    engine.coding.user_settings_put(&call.caller, &standing(&call)?, call.path("user")?, wanted).await
}

async fn export(call: Call) -> Result<shape::UserExport> {
    let engine = &call.doors.engine;
    let UserExport { user: of, preferences, tasks, reviews, warnings } =
        engine.coding.user_export(&call.caller, &standing(&call)?, call.path("user")?).await?;
    let reviews = reviews.into_iter().map(|one| review(one, &of)).collect();
    Ok(shape::UserExport {
        user: of,
        preferences: preferences.into_iter().map(shown).collect(),
        tasks: tasks.into_iter().map(task).collect(),
        reviews,
        warnings,
    })
}

async fn forget(call: Call) -> Result<shape::UserForgotten> {
    let engine = &call.doors.engine;
    engine.coding.user_forget(&call.caller, &standing(&call)?, call.path("user")?).await
}

/// What a client wrote itself says neither dimension nor origin: it was said, of whatever.
fn shown(record: Record) -> shape::Preference {
    let text = |key: &str| match record.metadata.get(key) {
        Some(MetadataValue::String(text)) => Some(text.clone()),
        Some(_) | None => None,
    };
    let evidence_prs = match record.metadata.get("evidence_prs") {
        Some(MetadataValue::Number(number)) => number.to_string().parse().ok(),
        Some(_) | None => None,
    };
    shape::Preference {
        preference_id: record.id.to_string(),
        dimension: text("dimension").unwrap_or_else(|| PreferenceDimension::Other.as_str().to_owned()),
        origin: text("origin").unwrap_or_else(|| "explicit".to_owned()),
        repo: text("repo"),
        task_id: text("task_id"),
        evidence_prs,
        state: record.state.as_str().to_owned(),
        observed_at: record.timestamp.to_rfc3339(),
        expires_at: record.expires_at.map(|at| at.to_rfc3339()),
        text: record.text,
    }
}

fn task(task: Task) -> shape::UserTask {
    shape::UserTask {
        task_id: task.id.to_string(),
        actor: task.actor.to_string(),
        description: task.description,
        status: task.status.as_str().to_owned(),
        created_at: task.created_at.to_rfc3339(),
    }
}

/// Of a review what is somebody's own.
fn review(review: Review, of: &shape::User) -> shape::UserReview {
    let is_theirs = |person: &loci_model::tasks::review::ForgeUser| match (&of.user_id, person.id) {
        (Some(id), number) if number != 0 => *id == number.to_string(),
        _ => of.login.as_deref() == Some(person.login.to_lowercase().as_str()),
    };
    let comments = review.comments.iter().filter(|comment| is_theirs(&comment.author));
    shape::UserReview {
        repo: review.actor.to_string(),
        pr: review.pr,
        comments: comments.map(|comment| comment.body.clone()).collect(),
        body: is_theirs(&review.reviewer).then(|| review.body.clone()).filter(|body| !body.is_empty()),
        submitted_at: review.submitted_at.to_rfc3339(),
    }
}
