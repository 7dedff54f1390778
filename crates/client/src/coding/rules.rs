//! Calls about rules that reviews of a repository left.

use http::Method;
use loci_api::coding::rule::{
    NewRule, Rule, RuleDecided, RuleDecision, RuleList, RuleListing, RulePromote, RulePromotion,
    RuleProvenance,
};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// A page of rules of a repository.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn rule_list(
        &self,
        (owner, name): (&str, &str),
        listing: &RuleListing,
    ) -> Result<RuleList, ClientError> {
        self.get_query(path(&["v1", "repos", owner, name, "rules"]), listing).await
    }

    /// Writes a rule.
    ///
    /// # Errors
    /// See [`Client::rule_list`].
    pub async fn rule_add(&self, (owner, name): (&str, &str), new: &NewRule) -> Result<Rule, ClientError> {
        self.send(Method::POST, path(&["v1", "repos", owner, name, "rules"]), new).await
    }

    /// Decides about a rule: `approve`, `reject`, `pin`, `unpin`, `expire`, `supersede`, `quarantine`.
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
        self.send(Method::POST, path(&["v1", "repos", owner, name, "rules", rule, decision]), told).await
    }

    /// Where a rule comes from.
    ///
    /// # Errors
    /// See [`Client::rule_list`].
    pub async fn rule_provenance(
        &self,
        (owner, name): (&str, &str),
        rule: &str,
    ) -> Result<RuleProvenance, ClientError> {
        self.get(path(&["v1", "repos", owner, name, "rules", rule, "provenance"])).await
    }

    /// A rule as a patch of the repository's instructions.
    ///
    /// # Errors
    /// See [`Client::rule_list`].
    pub async fn rule_promote(
        &self,
        (owner, name): (&str, &str),
        rule: &str,
        asked: &RulePromote,
    ) -> Result<RulePromotion, ClientError> {
        self.send(Method::POST, path(&["v1", "repos", owner, name, "rules", rule, "promote"]), asked).await
    }
}
