//! The table of prompt versions.

use loci_model::ports::store::PromptVersions;
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::{MemoryId, Result, Timestamp};

use crate::body_rows::body;
use crate::codes::json;
use crate::sql::{BoundParameters, SqlTransaction};
use crate::tables::Tables;
use crate::values;

const BY_VERSION: &str = "SELECT body FROM prompts WHERE mem = $1 AND version = $2";

/// Imports a prompt version from another store; an existing one is kept.
pub(crate) fn load(tx: &impl SqlTransaction, memory: i64, prompt: &PromptVersion) -> Result<()> {
    let is_there = tx.has(BY_VERSION, values![memory, &prompt.version])?;
    if is_there { Ok(()) } else { put(tx, memory, prompt) }
}

/// Writes a prompt version of the memory with this internal number.
fn put(tx: &impl SqlTransaction, memory: i64, prompt: &PromptVersion) -> Result<()> {
    tx.later(
        "INSERT INTO prompts(mem, version, template, since, body) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (mem, version) DO UPDATE SET template = excluded.template, since = excluded.since, body = excluded.body",
        values![memory, &prompt.version, &prompt.template_id, prompt.current_since, json(prompt)?],
    )
}

impl<T: SqlTransaction> PromptVersions for Tables<T> {
    fn get(&self, memory: &MemoryId, version: &str) -> Result<Option<PromptVersion>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_VERSION, values![memory, version], |row| body(row, "prompt"))
    }

    fn list(
        &self,
        memory: &MemoryId,
        template_id: Option<&str>,
        after: Option<(Timestamp, &str)>,
        most: usize,
    ) -> Result<Vec<PromptVersion>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let mut bound = BoundParameters::default();
        let mut sql = format!("SELECT body FROM prompts WHERE mem = {}", bound.put(memory));
        if let Some(template) = template_id {
            sql.push_str(&format!(" AND template = {}", bound.put(template)));
        }
        if let Some((since, version)) = after {
            let (since, version) = (bound.put(since), bound.put(version));
            sql.push_str(&format!(" AND (since < {since} OR (since = {since} AND version > {version}))"));
        }
        sql.push_str(&format!(" ORDER BY since DESC, version LIMIT {}", bound.put(most)));
        self.all(&sql, bound.values(), |row| body(row, "prompt"))
    }

    fn put(&mut self, prompt: &PromptVersion) -> Result<()> {
        put(&self.0, self.need(&prompt.memory)?, prompt)
    }
}
