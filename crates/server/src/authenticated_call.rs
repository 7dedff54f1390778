//! An authenticated caller, with the engine and the standing of the call. Functions shared by the
//! native API and the tools take one, so that both behave alike.

use loci_engine::calls::call_context::CallContext;
use loci_model::principal::Principal;
use loci_products::Loci;

/// An authenticated call to the engine.
pub(crate) struct AuthenticatedCall<'a> {
    pub(crate) engine: &'a Loci,
    pub(crate) caller: &'a Principal,
    pub(crate) standing: CallContext,
}
