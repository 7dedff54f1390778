//! The engine with its products: the one place where each product registers with the kernel, in the
//! order of their dependencies. Doors, tests and programs hold a [`Loci`].
//!
//! To add a product: its parts in [`Loci::new`], its settings in [`LociSettings`], its handle in
//! [`Loci`].

use std::ops::Deref;

use loci_coding::{Coding, CodingParts, CodingSettings};
use loci_documents::{Documents, DocumentsParts, DocumentsSettings};
use loci_engine::{Engine, EngineParts, EngineSettings};
use loci_operations::{Operations, OperationsParts, SreSettingsByMemory};
use loci_verified::{Verified, VerifiedParts, VerifiedSettings};

/// The settings of the engine and of each product.
#[derive(Debug, Clone, Default)]
pub struct LociSettings {
    /// The kernel's.
    pub engine: EngineSettings,
    /// Those of facts with citations.
    pub verified: VerifiedSettings,
    /// Those of the memory of coding agents.
    pub coding: CodingSettings,
    /// Those of documents.
    pub documents: DocumentsSettings,
    /// Those of operations memory, by memory.
    pub operations: SreSettingsByMemory,
}

impl From<EngineSettings> for LociSettings {
    fn from(engine: EngineSettings) -> Self {
        Self { engine, ..Self::default() }
    }
}

impl From<DocumentsSettings> for LociSettings {
    fn from(documents: DocumentsSettings) -> Self {
        Self { documents, ..Self::default() }
    }
}

impl From<VerifiedSettings> for LociSettings {
    fn from(verified: VerifiedSettings) -> Self {
        Self { verified, ..Self::default() }
    }
}

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
    pub verified: Verified,
    /// The memory of coding agents.
    pub coding: Coding,
    /// Memories as files.
    pub documents: Documents,
    /// The memory of agents that run services.
    pub operations: Operations,
}

impl Loci {
    /// Returns an engine over these adapters, with every product.
    pub fn new(parts: EngineParts, settings: impl Into<LociSettings>) -> Self {
        let LociSettings { engine: kernel, verified, coding, documents, operations } = settings.into();
        let coding = CodingParts::new(coding);
        let verified = VerifiedParts::new(verified, vec![coding.repository_hooks()]);
        let documents = DocumentsParts::new(documents, parts.long_work_count.clone());
        let operations = OperationsParts::new(operations);
        let mut products = parts.products.clone();
        products.extend([
            verified.product(),
            coding.product(&verified),
            documents.product(),
            operations.product(),
        ]);
        let engine = Engine::new(EngineParts { products, ..parts }, kernel);
        let verified = Verified::new(engine.clone(), &verified);
        Self {
            coding: Coding::new(verified.clone(), &coding),
            verified,
            documents: Documents::new(engine.clone(), &documents),
            operations: Operations::new(engine.clone(), &operations),
            engine,
        }
    }
}

impl Deref for Loci {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}
