//! The table of versions of prompts.

use loci_model::ports::store::PromptVersions;
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::{MemoryId, Result, Timestamp};
use loci_store_kit::body_rows::body;
use loci_store_kit::codes::json;
use tokio_postgres::Row;

use crate::bound::Bound;
use crate::columns::Columns;
use crate::tables::events::rows::plain;
use crate::tx::{PgTx, limit};

fn read(row: &Row) -> Result<PromptVersion> {
    body(&Columns(row), "prompt")
}

const BY_VERSION: &str = "SELECT body FROM prompts WHERE mem = $1 AND version = $2";

impl PgTx<'_> {
    /// Takes in a version from another store; one that is there already stays.
    pub(in crate::tables) fn load_prompt(&self, memory: i64, prompt: &PromptVersion) -> Result<()> {
        let there = self.one(BY_VERSION, &[&memory, &prompt.version.as_str()], |_| Ok(()))?;
        if there.is_some() { Ok(()) } else { self.put_prompt(memory, prompt) }
    }

    /// Writes a version of a prompt of the memory of that number.
    fn put_prompt(&self, memory: i64, prompt: &PromptVersion) -> Result<()> {
        self.later(
            "INSERT INTO prompts(mem, version, template, since, body) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (mem, version) DO UPDATE SET template = excluded.template, since = excluded.since, body = excluded.body",
            vec![
                Box::new(memory),
                Box::new(prompt.version.clone()),
                Box::new(plain(&prompt.template_id)),
                Box::new(prompt.current_since.millis()),
                Box::new(json(prompt)?),
            ],
        );
        Ok(())
    }
}

impl PromptVersions for PgTx<'_> {
    fn get(&self, memory: &MemoryId, version: &str) -> Result<Option<PromptVersion>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(BY_VERSION, &[&memory, &plain(version)], read)
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
            sql.push_str(&format!(" AND template = {}", bound.put(plain(template))));
        }
        if let Some((since, version)) = after {
            let (since, version) = (bound.put(since.millis()), bound.put(plain(version)));
            sql.push_str(&format!(" AND (since < {since} OR (since = {since} AND version > {version}))"));
        }
        sql.push_str(&format!(" ORDER BY since DESC, version LIMIT {}", bound.put(limit(most))));
        self.all(&sql, &bound.values(), read)
    }

    fn put(&mut self, prompt: &PromptVersion) -> Result<()> {
        let memory = self.need(&prompt.memory)?;
        self.put_prompt(memory, prompt)
    }
}
