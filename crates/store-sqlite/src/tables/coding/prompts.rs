//! The table of versions of prompts.

use loci_model::ports::store::PromptVersions;
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::{MemoryId, Result, Timestamp};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use rusqlite::{Row, params, params_from_iter};

use crate::bound::Bound;
use crate::columns::Columns;
use crate::tx::{SqlTx, limit};

fn read(row: &Row<'_>) -> Result<PromptVersion> {
    body(&Columns(row), "prompt")
}

impl SqlTx<'_> {
    /// Writes a version of a prompt of the memory of that number.
    pub(in crate::tables) fn put_prompt(&self, memory: i64, prompt: &PromptVersion) -> Result<()> {
        self.run(
            "INSERT INTO prompts(mem, version, template, since, body) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT(mem, version) DO UPDATE SET template = excluded.template, since = excluded.since, body = excluded.body",
            params![
                memory,
                prompt.version,
                prompt.template_id,
                prompt.current_since.millis(),
                json(prompt)?
            ],
        )?;
        Ok(())
    }
}

impl PromptVersions for SqlTx<'_> {
    fn get(&self, memory: &MemoryId, version: &str) -> Result<Option<PromptVersion>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one("SELECT body FROM prompts WHERE mem = ?1 AND version = ?2", params![memory, version], read)
    }

    fn list(
        &self,
        memory: &MemoryId,
        template_id: Option<&str>,
        after: Option<(Timestamp, &str)>,
        most: usize,
    ) -> Result<Vec<PromptVersion>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let mut bound = Bound::default();
        let mut sql = format!("SELECT body FROM prompts WHERE mem = {}", bound.put(memory));
        if let Some(template) = template_id {
            sql.push_str(&format!(" AND template = {}", bound.put(template.to_owned())));
        }
        if let Some((since, version)) = after {
            let (since, version) = (bound.put(since.millis()), bound.put(version.to_owned()));
            sql.push_str(&format!(" AND (since < {since} OR (since = {since} AND version > {version}))"));
        }
        sql.push_str(&format!(" ORDER BY since DESC, version LIMIT {}", bound.put(limit(most))));
        self.all(&sql, params_from_iter(bound.values()), read)
    }

    fn put(&mut self, prompt: &PromptVersion) -> Result<()> {
        let memory = self.need(&prompt.memory)?;
        self.put_prompt(memory, prompt)
    }
}
