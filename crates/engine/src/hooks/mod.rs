//! Hooks: what a product adds to the kernel. A product is one [`Product`] value of handlers and
//! policies, registered where the program is wired; the kernel calls them and names none.
//!
//! A hook in a write is synchronous and gets the transaction. It reads and writes rows of its own
//! shelves and asks the kernel for records, never the other way round. Functions deep in a write
//! find the products of its engine by [`in_write::products`].
//!
//! | file | hooks on |
//! |---|---|
//! | `records` | changes of records, and which records wait for a person |
//! | `events` | events that are stored, read and deleted |
//! | `access` | what belongs to a user, whatever a grant reaches |
//! | `profiles` | profiles of memories |
//! | `copies` | files outside of the store |
//! | `people` | persons by the names that others give them |
//! | `jobs` | kinds of jobs |
//! | `background` | the sweep, and loops beside the jobs |
//! | `shelves` | shelves of the ledger, with the rules for their entries |
//! | `questions` | prompts, and steps in which models are asked |
//! | `in_write` | the products of the write that runs on this thread |

mod access;
mod background;
mod copies;
mod events;
pub mod in_write;
mod jobs;
mod people;
mod profiles;
mod questions;
mod records;
mod shelves;

use std::sync::Arc;

use loci_model::Result;

use crate::strategies::model_questions::prompt::Prompt;

pub use access::{AccessPolicy, NamespaceOwner, NamespaceOwners, Ownership};
pub use background::{BackgroundLoop, RunnerState, Sweep};
pub use copies::{CopyAfterErasure, CopyHooks, NotExamined};
pub use events::{EventContent, EventFilter, EventFilters, EventHooks, TypedContent};
pub(crate) use events::{RecognisedContent, content_in_memory};
pub use jobs::{JobHandler, JobPolicy};
pub use people::{ForgottenLookup, KnownPerson, PeopleHooks, PersonMentions, Taken, TakingOut};
pub use profiles::{ProfileFile, ProfileHooks};
pub use questions::{QuestionKind, ReplyEntries};
pub use records::{Admission, AdmissionPolicy, RecordHooks};
pub use shelves::{AboutRecords, ShelfRules, is_noun};

/// The name of the kernel in errors that name products.
pub(crate) const KERNEL: &str = "the kernel";

/// A product: what it adds to the kernel, by kind of hook.
#[derive(Clone, Default)]
pub struct Product {
    /// The name in logs and errors.
    pub name: &'static str,
    /// Consequences of changes of records.
    pub records: Option<Arc<dyn RecordHooks>>,
    /// The policy for records that wait for a person before they are in force.
    pub admission: Option<Arc<dyn AdmissionPolicy>>,
    /// The part of the product in events.
    pub events: Option<Arc<dyn EventHooks>>,
    /// The rule for what belongs to a user.
    pub access: Option<Arc<dyn AccessPolicy>>,
    /// The part of the product in profiles of memories.
    pub profiles: Option<Arc<dyn ProfileHooks>>,
    /// Copies outside of the store.
    pub copies: Option<Arc<dyn CopyHooks>>,
    /// People whom the product knows.
    pub people: Option<Arc<dyn PeopleHooks>>,
    /// Profiles of memories that the product ships, each a file.
    pub profile_files: Vec<ProfileFile>,
    /// Parts of prompts of worker agents, by profile.
    pub agent_prompts: Vec<(&'static str, &'static str)>,
    /// Handlers of the product's kinds of jobs.
    pub jobs: Vec<Arc<dyn JobHandler>>,
    /// Shelves of the product's nouns in the ledger, with their rules.
    pub shelves: Vec<ShelfRules>,
    /// Parts of the sweep.
    pub sweeps: Vec<Arc<dyn Sweep>>,
    /// Loops that run beside the jobs.
    pub loops: Vec<Arc<dyn BackgroundLoop>>,
    /// Prompts of the product's questions.
    pub prompts: Vec<&'static Prompt>,
    /// Steps in which the product's jobs ask models.
    pub questions: Vec<QuestionKind>,
}

/// The products of an engine, in the order of their registration.
#[derive(Clone)]
pub struct Products(Arc<[Product]>);

impl Default for Products {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl std::fmt::Debug for Products {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|product| product.name)).finish()
    }
}

impl Products {
    /// Returns the products in this order.
    pub fn new(products: Vec<Product>) -> Self {
        Self(products.into())
    }

    /// Checks that what the products register holds, and holds together: a program does so once,
    /// when it starts.
    ///
    /// # Errors
    /// A bug, naming the product, and what it brings or shares.
    pub fn check(&self) -> Result<()> {
        self.check_shelves()?;
        self.check_profiles()?;
        self.check_jobs()?;
        self.check_prompts()
    }

    /// Returns the handlers of jobs, each with the name of its product.
    pub(crate) fn named_jobs(&self) -> impl Iterator<Item = (&'static str, &Arc<dyn JobHandler>)> {
        self.0.iter().flat_map(|product| product.jobs.iter().map(|handler| (product.name, handler)))
    }

    pub(crate) fn jobs(&self) -> impl Iterator<Item = &Arc<dyn JobHandler>> {
        self.0.iter().flat_map(|product| &product.jobs)
    }
}
