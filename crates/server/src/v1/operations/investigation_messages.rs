//! The conversation of an investigation.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::event::Role;
use loci_model::{Error, Result};
use loci_operations::{InvestigationMessage, InvestigationMessages};

use super::investigation_start::{incident, memory};
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::INVESTIGATION_MESSAGES, investigation_messages)
}

async fn investigation_messages(
    call: Call,
    asked: shape::InvestigationMessages,
) -> Result<shape::InvestigationMessagesKept> {
    let messages = asked.messages.into_iter().enumerate().map(|(at, one)| message(at, one));
    let turn = InvestigationMessages {
        memory: memory(&call, asked.memory.as_deref()).await?,
        incident: incident(&call)?,
        session: asked.session_id,
        messages: messages.collect::<Result<_>>()?,
        chars_max: asked.chars_max.map(|chars| usize::try_from(chars).unwrap_or(usize::MAX)),
    };
    let kept = call.doors.engine.operations.investigation_messages(&call.caller, turn, call.token()?).await?;
    let event = kept.event.map(|event| event.to_string());
    let place = event.clone().unwrap_or_default();
    let shown = kept.shown.into_iter().map(|one| shape::InvestigationMessageShown {
        role: one.role.as_str().to_owned(),
        text: one.text,
        truncated: one.truncated,
        original_ref: format!("{place}#{}", one.index),
    });
    Ok(shape::InvestigationMessagesKept {
        saved: true,
        messages: shown.collect(),
        events: event.into_iter().collect(),
        preferences: [kept.captured.pending, kept.captured.preferences].concat(),
        rejected: kept.captured.rejected,
    })
}

fn message(at: usize, said: shape::InvestigationMessage) -> Result<InvestigationMessage> {
    let role = Role::parse(&said.role).filter(|role| *role != Role::Other).ok_or_else(|| {
        Error::invalid(format!("messages[{at}].role"), "role must be USER, ASSISTANT or TOOL")
    })?;
    let at = time("at", said.at.as_deref())?;
    Ok(InvestigationMessage { role, agent: said.agent, tool: said.tool, text: said.text, at })
}
