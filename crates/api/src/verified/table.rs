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
        "List a repository's facts with the evidence that an external verifier needs.";
    FACTS_PROPOSED = get "/v1/facts/proposed": ProposalListing => ProposalList,
        "List records with proposed citations of a repository.";
    REPOSITORY_ADD = post "/v1/repos": RepositoryAdd => RepositoryAdded,
        "Register a repository, or another name or location of one.";
    REPOSITORY_LIST = get "/v1/repos": RepositoryListing => RepositoryList,
        "List repositories.";
    REPOSITORY_MARK = get "/v1/repos/mark": RepositoryMarkAsk => RepositoryMark,
        "Get the change mark of a repository's facts. A different mark means that facts changed.";
    VERDICTS_TELL = post "/v1/repos/verdicts": VerdictsTell => VerdictsTold,
        "Store the verdicts of an external verifier.";
    TOOL_EVIDENCE = post "/v1/tools/{name}/evidence": EvidenceAsk => EvidenceAnswer,
        "List the facts that a tool would read, for an external verifier.";
    TOOL_VERDICTS = post "/v1/tools/{name}/verdicts": ToolVerdicts => ToolResult,
        "Call a tool that reads facts, with the verdicts of an external verifier.";
}
