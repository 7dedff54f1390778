//! The table of operations of the verified product. To add an operation, add one line here.

use crate::operation::operations;
use crate::tool::ToolResult;
use crate::verified::evidence::{EvidenceListing, EvidencePage};
use crate::verified::proposal::{ProposalList, ProposalListing};
use crate::verified::repository::{
    RepositoryAdd, RepositoryAdded, RepositoryList, RepositoryListing, RepositoryMark, RepositoryMarkAsk,
};
use crate::verified::verdict::{EvidenceAnswer, EvidenceAsk, ToolVerdicts, VerdictsTell, VerdictsTold};

operations! {
    EVIDENCE_LIST = get "/v1/repos/evidence": EvidenceListing => EvidencePage,
        "List a repository's facts with what a verifier elsewhere needs to check them.";
    FACTS_PROPOSED = get "/v1/facts/proposed": ProposalListing => ProposalList,
        "List records with proposed citations of a repository.";
    REPOSITORY_ADD = post "/v1/repos": RepositoryAdd => RepositoryAdded,
        "Register a repository, or a name or place of one.";
    REPOSITORY_LIST = get "/v1/repos": RepositoryListing => RepositoryList,
        "List repositories.";
    REPOSITORY_MARK = get "/v1/repos/mark": RepositoryMarkAsk => RepositoryMark,
        "Tell whether a repository's facts changed, by a mark that is another then.";
    VERDICTS_TELL = post "/v1/repos/verdicts": VerdictsTell => VerdictsTold,
        "Write verdicts of a verifier elsewhere down.";
    TOOL_EVIDENCE = post "/v1/tools/{name}/evidence": EvidenceAsk => EvidenceAnswer,
        "List the facts that a tool would look at, for a verifier elsewhere.";
    TOOL_VERDICTS = post "/v1/tools/{name}/verdicts": ToolVerdicts => ToolResult,
        "Call a tool that reads facts, with what a verifier elsewhere found.";
}
