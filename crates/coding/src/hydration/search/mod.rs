//! Search in the middle of a task, over the memory of a repository, by words, meaning and filters.
//! It applies the same trust, code checks and control group as hydration, and writes an exposure.
//! The result is a list of records, not a block.
//!
//! | file | idea |
//! |---|---|
//! | `search_request` | the request and its rules |
//! | `facets`, `filters` | further data about a record, and their match with the filters |
//! | `search_reads` | the reads: by a query, or by filters alone |
//! | `result_selection` | the order, and the selection of the results |
//! | `repository_search` | the verb |

mod facets;
mod filters;
mod repository_search;
mod result_selection;
mod search_reads;
mod search_request;

pub use repository_search::{RepositoryFound, SearchedRecord};
pub use search_request::{RepositorySearch, SearchFilters, SearchKind};
