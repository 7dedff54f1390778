//! One transaction as all accessors at once: a store implements each accessor trait on its transaction, and says so here. An
//! accessor that is added to the port is added here once.

/// Makes a type that implements every accessor trait a [`Tx`](loci_model::ports::store::Tx).
#[macro_export]
macro_rules! accessors {
    ($transaction:ty) => {
        $crate::accessors! { @all $transaction,
            memories memories_mut Memories, events events_mut Events, records records_mut Records,
            jobs jobs_mut Jobs, exchanges exchanges_mut Exchanges, keys keys_mut Keys,
            telemetry telemetry_mut Telemetry, deliveries deliveries_mut Deliveries,
            idempotency idempotency_mut Idempotency, leases leases_mut Leases,
            repositories repositories_mut Repositories, facts facts_mut Facts, fact_events fact_events_mut FactEvents,
            verdicts verdicts_mut Verdicts, tasks tasks_mut Tasks, exposures exposures_mut Exposures,
            commits commits_mut Commits, prompts prompts_mut PromptVersions,
            task_sessions task_sessions_mut TaskSessions, ledger ledger_mut Ledger,
            parked parked_mut ParkedObjects, transfer transfer_mut Transfer
        }
    };
    (@all $transaction:ty, $($read:ident $write:ident $accessor:ident),*) => {
        impl ::loci_model::ports::store::ReadTx for $transaction {
            $(fn $read(&self) -> &dyn ::loci_model::ports::store::$accessor { self })*
        }
        impl ::loci_model::ports::store::Tx for $transaction {
            $(fn $write(&mut self) -> &mut dyn ::loci_model::ports::store::$accessor { self })*
        }
    };
}
