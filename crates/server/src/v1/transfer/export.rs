//! `GET /v1/memories/{memory}/export`: a memory as JSON lines, streamed. A failure during the
//! export ends the body early; the missing last line shows it.

use loci_api::table as api;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use http::header;
use loci_api::admin as shape;
use loci_engine::admin::{EXPORT_FORMAT, ExportCursor, ExportLine, ExportPart, actor_of_person};
use loci_model::principal::Principal;
use loci_model::{Error, MemoryId, Namespace, Result};

use crate::doors::Doors;
use crate::v1::protocol::call;
use crate::v1::protocol::table::{Described, SchemaForm, Table};

pub(in crate::v1) fn operations(table: Table) -> Table {
    let place = api::MEMORY_EXPORT.place;
    let request = SchemaForm::query::<shape::ExportAsk>();
    let described = Described { place, request, answer: SchemaForm::Lines };
    table.stream(described, |doors, request| async move { export(doors, request).await })
}

/// The progress of an export.
struct Progress {
    doors: Doors,
    caller: Principal,
    memory: MemoryId,
    part: ExportPart,
    cursor: ExportCursor,
    events: u64,
    records: u64,
    ended: bool,
}

async fn export(doors: Doors, request: Request) -> Result<Response> {
    let (mut parts, _) = request.into_parts();
    let (caller, path) = call::admit(&doors, &mut parts).await?;
    let id = path.iter().find(|(name, _)| name == "memory").map_or("", |(_, value)| value.as_str());
    let memory = doors.engine.memory_id(&caller, id).await?;
    let asked: shape::ExportAsk = call::query(&parts)?;
    let namespace = asked.namespace.map(Namespace::parse).transpose();
    let namespace = namespace.map_err(|error| error.on("namespace"))?;
    let part = match asked.actor {
        Some(_) if namespace.is_some() => {
            return Err(Error::invalid("actor", "actor and namespace exclude each other: send only one"));
        }
        Some(whom) => doors.engine.export_person(&caller, &memory, &actor_of_person(&whom)?).await?,
        None => ExportPart { namespace, person: None },
    };
    let exported_at = doors.engine.now();
    // The first page is read before the status is sent, so that a rejection is a regular response.
    let (lines, cursor) = doors.engine.export_part(&caller, &memory, &part, ExportCursor::Start).await?;
    let header_line = ExportLine::Header { format: EXPORT_FORMAT, exported_at };
    let mut first = encode(&[header_line])?;
    first.extend(encode(&lines)?);
    let progress = Progress { doors, caller, memory, part, cursor, events: 0, records: 0, ended: false };
    let rest =
        stream::try_unfold(progress, |progress| async move { progress.next().await.map_err(Arc::new) });
    let body = futures::StreamExt::chain(stream::iter([Ok(Bytes::from(first))]), rest);
    let kind = http::HeaderValue::from_static("application/x-ndjson");
    let mut response = Response::new(Body::from_stream(body));
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

impl Progress {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>> {
        if self.ended {
            return Ok(None);
        }
        if self.cursor == ExportCursor::End {
            self.ended = true;
            let end = ExportLine::End { memories: 1, events: self.events, records: self.records };
            return Ok(Some((encode(&[end])?.into(), self)));
        }
        let Self { caller, memory, part, .. } = &self;
        let page = self.doors.engine.export_part(caller, memory, part, self.cursor.clone()).await;
        let (lines, cursor) = page.inspect_err(|error| tracing::error!(?error, "an export ended early"))?;
        let count = |is: fn(&&ExportLine) -> bool| lines.iter().filter(is).count() as u64;
        self.events += count(|line| matches!(line, ExportLine::Event { .. }));
        self.records += count(|line| matches!(line, ExportLine::Record { .. }));
        self.cursor = cursor;
        Ok(Some((encode(&lines)?.into(), self)))
    }
}

fn encode(lines: &[ExportLine]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut out, line)
            .map_err(|error| Error::bug("a line of an export cannot be written").caused_by(error))?;
        out.push(b'\n');
    }
    Ok(out)
}
