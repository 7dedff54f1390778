//! Search in the middle of a task, over the memory of a repository, by words, meaning and filters.
//! It applies the same trust, code checks and control group as hydration, and writes an exposure.
//! The result is a list of records, not a block.
//!
//! | file | idea |
//! |---|---|
//! | `asked` | the request and its rules |
//! | `facets`, `filters` | further data about a record, and their match with the filters |
//! | `finding` | the reads: by a query, or by filters alone |
//! | `picking` | the order, and the selection of the results |
//! | `repository_search` | the verb |

mod asked;
mod facets;
mod filters;
mod finding;
mod picking;
mod repository_search;

pub use asked::{RepositorySearch, SearchFilters, SearchKind};
pub use repository_search::{RepositoryFound, SearchedRecord};
