//! Searches in the database give the same results as in-process searches: the same statistics, the
//! same ranking, and as many results with any filter. With a real PostgreSQL; both stores are open
//! on one database.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod counts;
#[cfg(test)]
mod filters;
#[cfg(test)]
mod paired_stores;
#[cfg(test)]
mod story;
#[cfg(test)]
mod versions;
