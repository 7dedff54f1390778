//! The verbs `prompt_questions`, `prompt_evaluate`, `prompt_evaluations`.

use std::collections::BTreeMap;
use std::pin::pin;

use futures::future::{Either, select};
use futures::stream::{self, StreamExt};
use loci_api::coding::extraction_prompt::{PromptQuestion, PromptQuestionList};
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::language_models::calls::{CallFailure, call};
use loci_engine::memories::existing;
use loci_model::job::exchange::Step;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::language_model::{Completion, Finish, LanguageModel, ModelError, OutputForm};
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::prompt_evaluation::{PromptEvaluation, PromptScore};
use loci_model::{ActorId, Error, ErrorKind, MemoryId, Result, limits};
use sha2::{Digest, Sha256};

use super::answer_score::score;
use super::golden::{GoldenCase, cases, digest};
use crate::Coding;
use crate::prompts::extraction::ExtractionPrompt;

/// The actor of all evaluations: neither a person nor a repository.
const ACTOR: &str = "prompt-evaluations";
/// The maximum number of concurrent questions to a model.
const AT_ONCE: usize = 4;
/// The remedy if the model may answer later.
const AGAIN: &str = "try again when it answers, or send the answers of a model of your own";
/// The maximum number of tokens of an answer.
const OUTPUT_TOKENS: u32 = 4_096;
/// The maximum length of a model's name, in characters.
const MODEL_CHARS_MAX: usize = 128;
/// The number of hex digits of an evaluation's id.
const ID_DIGITS: usize = 24;

/// Answers of a model that the caller ran.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptAnswers {
    /// The name of the model in the evaluation.
    pub model: String,
    /// The answer to each case.
    pub outputs: BTreeMap<String, String>,
}

impl Coding {
    /// Returns the questions by which a prompt is evaluated; by its name alone, those of the
    /// current version.
    ///
    /// # Errors
    /// `NotFound`, naming the existing prompts.
    pub async fn prompt_questions(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &str,
    ) -> Result<PromptQuestionList> {
        let prompt = self.extraction_prompt(caller, standing, id).await?;
        let questions: Result<_> = cases(&prompt.name)?.iter().map(|case| case.question(&prompt)).collect();
        Ok(PromptQuestionList { prompt: prompt.id(), set: digest(), questions: questions? })
    }

    /// Evaluates a prompt with the answers of a caller's model, or of the configured model if there
    /// are none, and stores the result.
    ///
    /// # Errors
    /// `NotFound`; `Invalid` if a case has no answer, or no model is configured; `Upstream` if the
    /// model fails; `Denied` without the administration of the memory.
    pub async fn prompt_evaluate(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &str,
        answers: Option<PromptAnswers>,
    ) -> Result<PromptEvaluation> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        let prompt = self.extraction_prompt(caller, standing, id).await?;
        let cases = cases(&prompt.name)?;
        let is_pulled = answers.is_some();
        let PromptAnswers { model, outputs } = match answers {
            Some(answers) => answers,
            None => self.answers_of_model(&prompt, &cases).await?,
        };
        check(&model, &outputs, &cases)?;
        let mut sum = PromptScore::default();
        for case in &cases {
            sum.add(&score(case, outputs.get(&case.id).map_or("", String::as_str))?);
        }
        let now = self.engine.now();
        let mut evaluation = PromptEvaluation {
            memory: memory.clone(),
            actor: ActorId::parse(ACTOR)?,
            id: String::new(),
            prompt: prompt.id(),
            set: digest(),
            model,
            is_pulled,
            score: sum,
            by: caller.name.clone(),
            at: now,
        };
        evaluation.id = id_of(&evaluation);
        let stored = evaluation.clone();
        self.engine
            .store()
            .write(move |tx| {
                existing(tx, &memory)?;
                tx.ledger_mut().put_noun(&stored)
            })
            .await?;
        Ok(evaluation)
    }

    /// Returns the evaluations of a prompt, the newest first: of one version, or of the current one
    /// by its name alone.
    ///
    /// # Errors
    /// `NotFound`; `Denied`.
    pub async fn prompt_evaluations(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &str,
    ) -> Result<Vec<PromptEvaluation>> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Read)?;
        let prompt = self.extraction_prompt(caller, standing, id).await?.id();
        self.engine
            .store()
            .read(move |tx| listed(tx, &memory, &prompt, limits::PAGE_ITEMS_MAX as usize))
            .await
    }

    /// Asks the configured model about every case, after earlier evaluations have finished. The
    /// first case without an answer ends the evaluation.
    async fn answers_of_model(
        &self,
        prompt: &ExtractionPrompt,
        cases: &[GoldenCase],
    ) -> Result<PromptAnswers> {
        let none = "no model is configured: configure one ([[model]]), or answer the questions of GET \
                    /v1/extraction-prompts/{prompt}/questions by a model of your own and send answers";
        let model = self.engine.models().choose(None).ok_or_else(|| Error::invalid("answers", none))?;
        let questions: Vec<PromptQuestion> =
            cases.iter().map(|case| case.question(prompt)).collect::<Result<_>>()?;
        let asked = async {
            let _turn = self.engine.evaluations().take().await;
            self.answers_to(prompt, model.as_ref(), questions).await
        };
        let outputs = match select(pin!(asked), self.engine.clock().sleep(limits::PROMPT_EVALUATION_MS_MAX))
            .await
        {
            Either::Left((outputs, _)) => outputs?,
            Either::Right(_) => {
                let minutes = limits::PROMPT_EVALUATION_MS_MAX / 60_000;
                let message = format!(
                    "the model did not answer the {} cases of {} within {minutes} minutes, the wait for other \
                     evaluations included: {AGAIN}",
                    cases.len(),
                    prompt.id()
                );
                return Err(Error::new(ErrorKind::Upstream, message));
            }
        };
        Ok(PromptAnswers { model: model.name().to_owned(), outputs })
    }

    /// Returns the answers of a model, a few concurrently, in the order of the cases.
    async fn answers_to(
        &self,
        prompt: &ExtractionPrompt,
        model: &dyn LanguageModel,
        questions: Vec<PromptQuestion>,
    ) -> Result<BTreeMap<String, String>> {
        let (all, mut outputs) = (questions.len(), BTreeMap::new());
        let asked = questions.into_iter().map(|question| self.answer_to_case(model, question));
        let mut answers = stream::iter(asked).buffered(AT_ONCE);
        while let Some(answered) = answers.next().await {
            let (case, text) =
                answered.map_err(|(case, failed)| failure(&case, &failed, outputs.len(), all))?;
            outputs.insert(case, text);
            tracing::info!(prompt = %prompt.id(), answered = outputs.len(), cases = all, "a prompt is evaluated");
        }
        Ok(outputs)
    }

    /// Returns the answer of a model to a question. A cut-off or refused answer counts as an answer
    /// without content.
    async fn answer_to_case(
        &self,
        model: &dyn LanguageModel,
        question: PromptQuestion,
    ) -> std::result::Result<(String, String), (String, CallFailure)> {
        let completion = Completion {
            step: Step::Extract,
            system: question.system,
            input: question.input,
            output: OutputForm::Text,
            max_output_tokens: OUTPUT_TOKENS,
        };
        let reply = match call(&self.engine, model, &completion).await {
            Ok(reply) => reply,
            Err(failed) => return Err((question.case, failed)),
        };
        let text = match reply.finish {
            Finish::Complete => reply.text,
            Finish::CutOff | Finish::Refused(_) => String::new(),
        };
        Ok((question.case, text))
    }
}

/// Returns the error of an evaluation that ends at a case without an answer.
fn failure(case: &str, failed: &CallFailure, answered: usize, all: usize) -> Error {
    let (message, remedy) = match failed {
        CallFailure::BrokeDown => ("it broke down: see the server's log", AGAIN),
        CallFailure::Failed(ModelError { kind, message, .. }) if kind.is_permanent() => {
            (message.as_str(), "check the model and the key that [[model]] names")
        }
        CallFailure::Failed(error) => (error.message.as_str(), AGAIN),
    };
    let message = format!(
        "the model did not answer case {case}, after {answered} of {all} cases: {message}: {remedy}; no figures \
         are stored"
    );
    Error::new(ErrorKind::Upstream, message)
}

/// True if a version was evaluated.
pub(crate) fn is_evaluated(tx: &dyn ReadTx, memory: &MemoryId, prompt: &str) -> Result<bool> {
    Ok(!listed(tx, memory, prompt, 1)?.is_empty())
}

fn listed(tx: &dyn ReadTx, memory: &MemoryId, prompt: &str, limit: usize) -> Result<Vec<PromptEvaluation>> {
    tx.ledger().nouns(&LedgerPage {
        memory: memory.clone(),
        shelf: PromptEvaluation::SHELF,
        actor: None,
        subject: Some(prompt.to_owned()),
        after: None,
        limit,
    })
}

fn check(model: &str, outputs: &BTreeMap<String, String>, cases: &[GoldenCase]) -> Result<()> {
    if model.trim().is_empty() || model.chars().count() > MODEL_CHARS_MAX {
        let rule = format!("model must have 1 to {MODEL_CHARS_MAX} characters: name the model that answered");
        return Err(Error::invalid("model", rule));
    }
    let known = |id: &&String| cases.iter().any(|case| case.id == **id);
    if let Some(unknown) = outputs.keys().find(|id| !known(id)) {
        let rule = format!("answers names no case of this prompt: {unknown}: take the questions again");
        return Err(Error::invalid("answers", rule));
    }
    let missing: Vec<&str> =
        cases.iter().map(|case| case.id.as_str()).filter(|id| !outputs.contains_key(*id)).collect();
    if !missing.is_empty() {
        let rule = format!("answers must have every case; these are missing: {}", missing.join(", "));
        return Err(Error::invalid("answers", rule));
    }
    let most = limits::MODEL_REPLY_BYTES_MAX;
    if outputs.values().any(|output| output.len() > most) {
        return Err(Error::invalid("answers", format!("an answer must have at most {most} bytes")));
    }
    Ok(())
}

/// Returns the id, which is equal for equal results of one version, model and time.
fn id_of(of: &PromptEvaluation) -> String {
    let text = format!("{} {} {} {} {:?}", of.prompt, of.set, of.model, of.at.millis(), of.score);
    let digest = hex::encode(Sha256::digest(text));
    format!("peval_{}", digest.get(..ID_DIGITS).unwrap_or_default())
}
