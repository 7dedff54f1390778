//! Calls about versions of prompts.

use loci_api::coding::extraction_prompt::{
    ExtractionPrompt, ExtractionPromptAsk, ExtractionPromptChanged, ExtractionPromptList,
    ExtractionPromptPut, ExtractionPromptRollback, PromptEvaluate, PromptEvaluation, PromptEvaluationList,
    PromptQuestionList,
};
use loci_api::coding::prompt::{
    Prompt, PromptAdd, PromptAdded, PromptDiff, PromptList, PromptListing, PromptRollback, PromptRolledBack,
};
use loci_api::coding::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Stores a prompt version and makes it the current one of its template.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn prompt_add(&self, add: &PromptAdd) -> Result<PromptAdded, ClientError> {
        self.send(at(&api::PROMPT_ADD, &[]), add).await
    }

    /// Returns the extraction prompts, which agents use at the end of a task.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn extraction_prompts(&self) -> Result<ExtractionPromptList, ClientError> {
        self.plain(at(&api::EXTRACTION_PROMPTS, &[])).await
    }

    /// Returns an extraction prompt, by name or by name and version.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn extraction_prompt(
        &self,
        name: &str,
        asked: &ExtractionPromptAsk,
    ) -> Result<ExtractionPrompt, ClientError> {
        self.query(at(&api::EXTRACTION_PROMPT, &[name]), asked).await
    }

    /// Stores a text as the next version of an extraction prompt: as a candidate, or as the current
    /// one if forced.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn extraction_prompt_put(
        &self,
        name: &str,
        put: &ExtractionPromptPut,
    ) -> Result<ExtractionPromptChanged, ClientError> {
        self.send(at(&api::EXTRACTION_PROMPT_PUT, &[name]), put).await
    }

    /// Makes an earlier version of an extraction prompt current again.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn extraction_prompt_rollback(
        &self,
        name: &str,
        to: u32,
    ) -> Result<ExtractionPromptChanged, ClientError> {
        let rollback = ExtractionPromptRollback { to };
        self.send(at(&api::EXTRACTION_PROMPT_ROLLBACK, &[name]), &rollback).await
    }

    /// Returns the questions of the labelled set for a version of an extraction prompt.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn prompt_questions(&self, prompt: &str) -> Result<PromptQuestionList, ClientError> {
        self.plain(at(&api::PROMPT_QUESTIONS, &[prompt])).await
    }

    /// Evaluates a version of an extraction prompt against the labelled set.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn prompt_evaluate(
        &self,
        prompt: &str,
        asked: &PromptEvaluate,
    ) -> Result<PromptEvaluation, ClientError> {
        self.send(at(&api::PROMPT_EVALUATE, &[prompt]), asked).await
    }

    /// Returns the evaluations of a version of an extraction prompt, the newest first.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn prompt_evaluations(&self, prompt: &str) -> Result<PromptEvaluationList, ClientError> {
        self.plain(at(&api::PROMPT_EVALUATIONS, &[prompt])).await
    }

    /// Returns a page of prompt versions, the one that became current last first.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn prompt_list(&self, listing: &PromptListing) -> Result<PromptList, ClientError> {
        self.query(at(&api::PROMPT_LIST, &[]), listing).await
    }

    /// Returns a prompt version.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn prompt_get(&self, version: &str) -> Result<Prompt, ClientError> {
        self.plain(at(&api::PROMPT_GET, &[version])).await
    }

    /// Returns the differences between two prompt versions.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn prompt_diff(&self, from: &str, to: &str) -> Result<PromptDiff, ClientError> {
        self.plain(at(&api::PROMPT_DIFF, &[&format!("{from}..{to}")])).await
    }

    /// Makes an earlier prompt version the current one of its template again.
    ///
    /// # Errors
    /// See [`Client::prompt_add`].
    pub async fn prompt_rollback(&self, template: &str, to: &str) -> Result<PromptRolledBack, ClientError> {
        let rollback = PromptRollback { to: to.to_owned() };
        self.send(at(&api::PROMPT_ROLLBACK, &[template]), &rollback).await
    }
}
