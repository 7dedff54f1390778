//! The operations of both planes and the tags endpoints, one file each: request shape, call of the
//! engine, response.
//!
//! To add an operation: a row in `route`, an input in `constraints::inputs`, a file here, an arm in
//! [`serve`], a golden request and response in the tests.

mod batch_create_memory_records;
mod batch_delete_memory_records;
mod batch_update_memory_records;
mod create_event;
mod create_memory;
mod delete_event;
mod delete_memory;
mod delete_memory_record;
mod get_event;
mod get_memory;
mod get_memory_record;
mod ingest_data;
mod list_actors;
mod list_events;
mod list_memories;
mod list_memory_extraction_jobs;
mod list_memory_records;
mod list_sessions;
mod list_tags_for_resource;
mod retrieve_memory_records;
mod start_memory_extraction_job;
mod tag_resource;
mod untag_resource;
mod update_memory;

use super::call::{AgentCoreCall, HandlerOutcome};
use super::route::Operation;

/// The default number of items in a page.
const PAGE_DEFAULT: u32 = 20;

/// Runs the operation of a validated call.
pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    match call.route.operation {
        Operation::CreateMemory => create_memory::serve(call).await,
        Operation::GetMemory => get_memory::serve(call).await,
        Operation::ListMemories => list_memories::serve(call).await,
        Operation::UpdateMemory => update_memory::serve(call).await,
        Operation::DeleteMemory => delete_memory::serve(call).await,
        Operation::CreateEvent => create_event::serve(call).await,
        Operation::GetEvent => get_event::serve(call).await,
        Operation::ListEvents => list_events::serve(call).await,
        Operation::DeleteEvent => delete_event::serve(call).await,
        Operation::ListActors => list_actors::serve(call).await,
        Operation::ListSessions => list_sessions::serve(call).await,
        Operation::RetrieveMemoryRecords => retrieve_memory_records::serve(call).await,
        Operation::ListMemoryRecords => list_memory_records::serve(call).await,
        Operation::GetMemoryRecord => get_memory_record::serve(call).await,
        Operation::DeleteMemoryRecord => delete_memory_record::serve(call).await,
        Operation::BatchCreateMemoryRecords => batch_create_memory_records::serve(call).await,
        Operation::BatchUpdateMemoryRecords => batch_update_memory_records::serve(call).await,
        Operation::BatchDeleteMemoryRecords => batch_delete_memory_records::serve(call).await,
        Operation::IngestData => ingest_data::serve(call).await,
        Operation::ListMemoryExtractionJobs => list_memory_extraction_jobs::serve(call).await,
        Operation::StartMemoryExtractionJob => start_memory_extraction_job::serve(call).await,
        Operation::TagResource => tag_resource::serve(call).await,
        Operation::UntagResource => untag_resource::serve(call).await,
        Operation::ListTagsForResource => list_tags_for_resource::serve(call).await,
    }
}
