//! An authenticated caller, with the engine and the call's memory, directory and user. Functions
//! that the native API and the tools share take this type, so that both behave alike.

use loci_engine::calls::call_context::CallContext;
use loci_model::principal::Principal;
use loci_products::Loci;

/// An authenticated call to the engine.
pub(crate) struct AuthenticatedCall<'a> {
    pub(crate) engine: &'a Loci,
    pub(crate) caller: &'a Principal,
    pub(crate) standing: CallContext,
}
