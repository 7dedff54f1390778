//! Calls about the rules that a repository learned from reviews.

use loci_api::coding::rule::{
    NewRule, Rule, RuleDecided, RuleDecision, RuleList, RuleListing, RulePromote, RulePromotion,
    RuleProvenance,
};
use loci_api::coding::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns a page of rules of a repository.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn rule_list(
        &self,
        (owner, name): (&str, &str),
        listing: &RuleListing,
    ) -> Result<RuleList, ClientError> {
        self.query(at(&api::RULE_LIST, &[owner, name]), listing).await
    }

    /// Creates a rule.
    ///
    /// # Errors
    /// See [`Client::rule_list`].
    pub async fn rule_add(&self, (owner, name): (&str, &str), new: &NewRule) -> Result<Rule, ClientError> {
        self.send(at(&api::RULE_ADD, &[owner, name]), new).await
    }

    /// Decides about a rule: `approve`, `reject`, `pin`, `unpin`, `expire`, `supersede`,
    /// `quarantine`.
    ///
    /// # Errors
    /// See [`Client::rule_list`].
    pub async fn rule_decide(
        &self,
        (owner, name): (&str, &str),
        rule: &str,
        decision: &str,
        told: &RuleDecision,
    ) -> Result<RuleDecided, ClientError> {
        let operation = match decision {
            "approve" => &api::RULE_APPROVE,
            "reject" => &api::RULE_REJECT,
            "pin" => &api::RULE_PIN,
            "unpin" => &api::RULE_UNPIN,
            "expire" => &api::RULE_EXPIRE,
            "supersede" => &api::RULE_SUPERSEDE,
            "quarantine" => &api::RULE_QUARANTINE,
            other => return Err(ClientError::Request(format!("{other} is no decision about a rule"))),
        };
        self.send(at(operation, &[owner, name, rule]), told).await
    }

    /// Returns the provenance of a rule: its support, state changes, and the tasks that received
    /// it.
    ///
    /// # Errors
    /// See [`Client::rule_list`].
    pub async fn rule_provenance(
        &self,
        (owner, name): (&str, &str),
        rule: &str,
    ) -> Result<RuleProvenance, ClientError> {
        self.plain(at(&api::RULE_PROVENANCE, &[owner, name, rule])).await
    }

    /// Returns a rule as a patch of the repository's instruction file.
    ///
    /// # Errors
    /// See [`Client::rule_list`].
    pub async fn rule_promote(
        &self,
        (owner, name): (&str, &str),
        rule: &str,
        asked: &RulePromote,
    ) -> Result<RulePromotion, ClientError> {
        self.send(at(&api::RULE_PROMOTE, &[owner, name, rule]), asked).await
    }
}
