//! Memories searched in the database answer as memories searched in this process do: the same statistics, the same ranking,
//! as many results past any filter. Over a real PostgreSQL; both stores are open on one database.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod counts;
#[cfg(test)]
mod filters;
#[cfg(test)]
mod story;
#[cfg(test)]
mod twin;
#[cfg(test)]
mod versions;
