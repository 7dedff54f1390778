//! `ingest`: accepts data for extraction without storing an event. The data is kept until it is
//! extracted, and reads of events do not return it.

use loci_model::event::ExtractionMode;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Result, SessionId, limits};

use super::create::{next_id, plain_event};
use super::{NewEvent, NewIngest, content, scheduling, variables};
use crate::calls::idempotency::{ClientToken, look_up, remember, replayed};
use crate::memories::existing;
use crate::safety::Tally;
use crate::{Engine, access};

const OPERATION: &str = "IngestData";

impl Engine {
    /// Accepts data for extraction and returns its session. Nothing is stored if no strategy of
    /// the memory extracts.
    pub async fn ingest(
        &self,
        caller: &Principal,
        new: NewIngest,
        token: Option<ClientToken>,
    ) -> Result<SessionId> {
        let mut prepared = self.prepare(NewEvent {
            memory: new.memory,
            actor: new.actor,
            session: new.session,
            time: Some(new.time),
            payload: new.payload,
            branch: None,
            metadata: new.metadata,
            extraction: ExtractionMode::Extract,
            namespace_variables: new.namespace_variables,
            over_limit: false,
        })?;
        let (memory, actor) = (&prepared.new.memory, &prepared.new.actor);
        let (session, now) = (&prepared.session, prepared.now);
        let view = access::event_view(caller, memory, actor, Some(session), Capability::Write, now)?;
        let stamp = view.stamp(&prepared.new.metadata, prepared.time)?;
        let token = token.map(|token| token.of(caller, memory)).transpose()?;
        prepared.stamp = stamp;
        self.mask_beforehand(&mut prepared).await?;
        let (engine, caller) = (self.clone(), caller.clone());
        let (session, asked, found) = self
            .store
            .write(move |tx| {
                let memory = existing(tx, &prepared.new.memory)?;
                engine.products.check_event_ids(&memory, prepared.new.actor.as_str(), None)?;
                let of = (&prepared.new.actor, &prepared.session);
                engine.products.check_session(&caller, &memory, of, Capability::Write)?;
                let place = Some(&memory.id);
                let now = prepared.now;
                let vault = engine.vault.as_ref();
                let before = look_up(tx, vault, token.as_ref(), place, OPERATION, now)?;
                if let Some(first) = replayed(before)? {
                    return Ok((first, false, Tally::default()));
                }
                variables::check(&prepared.new.namespace_variables, &memory.namespace_keys)?;
                content::check(memory.settings.event_limits, &prepared.new.payload, &prepared.new.metadata)?;
                engine.check_names(&memory, &prepared)?;
                let (mut asked, mut found) = (false, Tally::default());
                if scheduling::extracting(&memory).next().is_some() {
                    let mut event = plain_event(&memory, &prepared, next_id(tx, &memory, &prepared)?);
                    event.hidden = true;
                    found = engine.mask(&memory, &prepared, &mut event);
                    event.arrival = tx.events_mut().insert(&event)?;
                    asked = scheduling::schedule(tx, &memory, &event, &engine, &prepared.jobs, now)?;
                }
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), place, OPERATION, &prepared.session, expires)?;
                Ok((prepared.session.clone(), asked, found))
            })
            .await?;
        found.tell(self.observe.as_ref());
        if asked {
            self.wake.call();
        }
        Ok(session)
    }
}
