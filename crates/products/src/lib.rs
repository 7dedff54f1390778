//! The engine with its products: the one place where each product registers with the kernel, in the
//! order of their dependencies. Doors, tests and programs hold a [`Loci`]. A product is a feature of
//! this crate: a program that leaves it out has neither its verbs nor its jobs.
//!
//! To add a product: a feature, its settings in [`LociSettings`], its handle and its lines in
//! [`Loci`].

use std::ops::Deref;

#[cfg(feature = "coding")]
use loci_coding::{Coding, CodingParts, CodingSettings};
#[cfg(feature = "documents")]
use loci_documents::{Documents, DocumentsParts, DocumentsSettings};
use loci_engine::{Engine, EngineParts, EngineSettings};
#[cfg(feature = "operations")]
use loci_operations::{Operations, OperationsParts, SreSettingsByMemory};
#[cfg(feature = "verified")]
use loci_verified::{Verified, VerifiedParts, VerifiedSettings};

/// The settings of the engine and of each product.
#[derive(Debug, Clone, Default)]
pub struct LociSettings {
    /// The kernel's.
    pub engine: EngineSettings,
    /// Those of facts with citations.
    #[cfg(feature = "verified")]
    pub verified: VerifiedSettings,
    /// Those of the memory of coding agents.
    #[cfg(feature = "coding")]
    pub coding: CodingSettings,
    /// Those of documents.
    #[cfg(feature = "documents")]
    pub documents: DocumentsSettings,
    /// Those of operations memory, by memory.
    #[cfg(feature = "operations")]
    pub operations: SreSettingsByMemory,
}

impl From<EngineSettings> for LociSettings {
    fn from(engine: EngineSettings) -> Self {
        #[allow(clippy::needless_update, reason = "there are no further members without products")]
        Self { engine, ..Self::default() }
    }
}

#[cfg(feature = "documents")]
impl From<DocumentsSettings> for LociSettings {
    fn from(documents: DocumentsSettings) -> Self {
        Self { documents, ..Self::default() }
    }
}

#[cfg(feature = "verified")]
impl From<VerifiedSettings> for LociSettings {
    fn from(verified: VerifiedSettings) -> Self {
        Self { verified, ..Self::default() }
    }
}

#[cfg(feature = "coding")]
impl From<CodingSettings> for LociSettings {
    fn from(coding: CodingSettings) -> Self {
        Self { coding, ..Self::default() }
    }
}

/// An engine and the products that are registered with it: cheap to clone. The verbs of the kernel
/// are its own, those of a product are its field's.
#[derive(Clone)]
pub struct Loci {
    /// The kernel.
    pub engine: Engine,
    /// Facts that cite code.
    #[cfg(feature = "verified")]
    pub verified: Verified,
    /// The memory of coding agents.
    #[cfg(feature = "coding")]
    pub coding: Coding,
    /// Memories as files.
    #[cfg(feature = "documents")]
    pub documents: Documents,
    /// The memory of agents that run services.
    #[cfg(feature = "operations")]
    pub operations: Operations,
}

impl Loci {
    /// Returns an engine over these adapters, with every product of the program.
    pub fn new(parts: EngineParts, settings: impl Into<LociSettings>) -> Self {
        let settings = settings.into();
        let mut products = parts.products.clone();
        #[cfg(feature = "coding")]
        let coding = CodingParts::new(settings.coding);
        #[cfg(feature = "verified")]
        let verified = {
            #[cfg(feature = "coding")]
            let hooks = vec![coding.repository_hooks()];
            #[cfg(not(feature = "coding"))]
            let hooks = Vec::new();
            VerifiedParts::new(settings.verified, hooks)
        };
        #[cfg(feature = "documents")]
        let documents = DocumentsParts::new(settings.documents, parts.long_work_count.clone());
        #[cfg(feature = "operations")]
        let operations = OperationsParts::new(settings.operations);
        products.extend([
            #[cfg(feature = "verified")]
            verified.product(),
            #[cfg(feature = "coding")]
            coding.product(&verified),
            #[cfg(feature = "documents")]
            documents.product(),
            #[cfg(feature = "operations")]
            operations.product(),
        ]);
        let engine = Engine::new(EngineParts { products, ..parts }, settings.engine);
        #[cfg(feature = "verified")]
        let verified = Verified::new(engine.clone(), &verified);
        Self {
            #[cfg(feature = "coding")]
            coding: Coding::new(verified.clone(), &coding),
            #[cfg(feature = "verified")]
            verified,
            #[cfg(feature = "documents")]
            documents: Documents::new(engine.clone(), &documents),
            #[cfg(feature = "operations")]
            operations: Operations::new(engine.clone(), &operations),
            engine,
        }
    }

    /// True for the name of a memory that a product makes by itself where its verbs need one.
    pub fn makes_memory(&self, name: &str) -> bool {
        #[cfg(feature = "verified")]
        return self.verified.settings().memory == name;
        #[cfg(not(feature = "verified"))]
        return name.is_empty();
    }
}

impl Deref for Loci {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}
