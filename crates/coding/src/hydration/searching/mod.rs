//! Search in the middle of a task: what is remembered of a repository by words, meaning and
//! filters, with the same trust, the same look at the code and the same control group as hydration,
//! and a row of what was shown. Nothing is put together here: an agent that asks gets records, not
//! a block.
//!
//! | file | idea |
//! |---|---|
//! | `asked` | the request and its rules |
//! | `facets`, `filters` | what is known of a record beside its text, and whether that is what was asked for |
//! | `finding` | the reads: by a question, or by filters alone |
//! | `picking` | order, and what is returned of it |
//! | `repository_search` | the verb |

mod asked;
mod facets;
mod filters;
mod finding;
mod picking;
mod repository_search;

pub use asked::{RepositorySearch, SearchFilters, SearchKind};
pub use repository_search::{RepositoryFound, SearchedRecord};
